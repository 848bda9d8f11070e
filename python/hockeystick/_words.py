# SPDX-License-Identifier: Apache-2.0
"""The words for the arguments of mechanisms: one is kept and shown, its synonyms are taken too."""

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from inspect import Parameter, signature
from typing import Any

from hockeystick import _checks

_SPOKEN = "_says_what_it_takes"
LONGEST = 8
"""As many numbers, or terms, are shown; of more, a few."""


def spoken(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor that says what it takes where it cannot be called with what it is given."""
    if hasattr(init, _SPOKEN):
        return init

    @wraps(init)
    def made(self: object, *positional: object, **given: Any) -> None:
        try:
            init(self, *positional, **given)
        except TypeError:
            _refuse(type(self).__name__, init, positional, given)
            raise

    setattr(made, _SPOKEN, True)
    return made


def _refuse(
    kind: str, init: Callable[..., None], positional: tuple[object, ...], given: dict[str, Any]
) -> None:
    _, *names = signature(init).parameters
    takes = f"{kind} takes {', '.join(names)}"
    named = {name.removeprefix("guaranteed_"): value for name, value in given.items()}
    unknown = [name for name in named if name not in names]
    if unknown:
        raise TypeError(f"{takes}; got an unexpected keyword argument {unknown[0]!r}") from None
    try:
        signature(init).bind(None, *positional, **named)
    except TypeError as error:
        raise TypeError(f"{takes}; {error}") from None


def one_of(**given: object) -> tuple[str, Any]:
    """The name and the value of the one argument that is not None."""
    named = [(name, value) for name, value in given.items() if value is not None]
    if len(named) == 1:
        return named[0]
    name, *others = given
    if not named:
        some = others[0] if len(others) == 1 else f"one of {', '.join(others)}"
        raise TypeError(f"{name} must be given, or in its place {some}")
    got = " and ".join(name for name, _ in named)
    raise TypeError(f"only one of {', '.join(given)} may be given, got {got}")


def relative_noise(
    noise_multiplier: object,
    sensitivity: object,
    *,
    sigma: object = None,
    scale: object = None,
    standard_deviation: object = None,
) -> float:
    """The noise over the sensitivity: given as such, or else in the units of the data."""
    if sigma is scale is standard_deviation is sensitivity is None is not noise_multiplier:
        return _checks.noise_multiplier(noise_multiplier)  # the common case
    absolute = {"sigma": sigma, "scale": scale, "standard_deviation": standard_deviation}
    name, noise = one_of(noise_multiplier=noise_multiplier, **absolute)
    if sensitivity is None:
        return _checks.noise_multiplier(noise, name)
    if name == "noise_multiplier":
        raise without_sensitivity(name, *absolute)
    over = _checks.positive(name, noise) / _checks.positive("sensitivity", sensitivity)
    return _checks.noise_multiplier(over, f"{name} / sensitivity")


def without_sensitivity(name: str, *others: str) -> TypeError:
    """The error of a sensitivity beside a number that is relative to it."""
    return TypeError(
        f"sensitivity must be given with {' or '.join(others)}, got it with {name}, which is "
        "relative to it"
    )


def written(kind: type[Any], arguments: Mapping[str, Any], maker: str = "") -> str:
    """The call that makes a `kind` of these arguments; `maker` is a method of its ``mechanism``.

    Without what is the default, and by position where the constructor takes it so.
    """
    shown, by_position, head = [], True, kind.__name__
    for name, parameter in _parameters(kind).items():  # type: ignore[arg-type]
        if name not in arguments:
            continue
        value = arguments[name]
        if name == "mechanism" and hasattr(value, maker):
            head = f"{value!r}.{maker}"
            continue
        by_position = by_position and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
        if parameter.default is Parameter.empty or parameter.default != value:
            shown.append(_shown(value) if by_position else f"{name}={_shown(value)}")
        else:
            by_position = False
    return f"{head}({', '.join(shown)})"


@lru_cache(maxsize=256)
def _parameters(kind: type[Any]) -> Mapping[str, Parameter]:
    return signature(kind).parameters


def _shown(value: object) -> str:
    if not isinstance(value, tuple) or len(value) <= LONGEST:
        return repr(value)
    return f"({', '.join(elided(list(map(repr, value[:3])), len(value), repr(value[-1])))})"


def elided(first: list[str], number: int, last: str) -> list[str]:
    """The first few and the last of `number` of them."""
    return [*first, f"<{number - len(first) - 1} more>", last]
