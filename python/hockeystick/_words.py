# SPDX-License-Identifier: Apache-2.0
"""The words for the arguments of mechanisms: one is kept and shown, its synonyms are taken too."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, wraps
from inspect import Parameter, isfunction, signature
from typing import Any, TypeVar

from hockeystick import _checks
from hockeystick._neighbours import NEIGHBOURS, likely

Call = TypeVar("Call", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type[Any])

_SPOKEN = "_says_what_it_takes"
_OF_TRAINING: Mapping[str, str] = {
    **dict.fromkeys(
        ("max_grad_norm", "l2_norm_clip", "clipping_norm", "clip_norm", "clip", "max_norm", "c"),
        "; noise_multiplier is in units of the clipping norm, which does not matter else",
    ),
    **dict.fromkeys(("dataset_size", "drop_last", "epochs"), "; hs.DPSGD takes it"),
    **dict.fromkeys(
        (
            *("accumulation_steps", "gradient_accumulation_steps", "accumulate", "grad_accum"),
            *("microbatches", "num_microbatches", "microbatch_size", "physical_batch_size"),
        ),
        "; one step is one noisy update, and its batch has the size of all that it sums",
    ),
    **dict.fromkeys(
        ("sample_rate", "sampling_rate", "sampling_probability", "q", "rate"),
        "; sample a mechanism, as in hs.Gaussian(1.0).poisson_sampled(q)",
    ),
    **dict.fromkeys(
        ("variance", "sigma2", "sigma_squared"), "; give its root, the standard deviation"
    ),
    "mu": "; a guarantee of mu-Gaussian DP is hs.Gaussian(1 / mu)",
    "rho": "; a guarantee of rho-zCDP is hs.ZCDP(rho)",
    "budget": "; give the budget to admit, or use a filter",
    "sensitivity": "; its noise is relative to the sensitivity",
}
"""Words of trainings and papers, and the reason why a call does not take them."""
_OF_AXES: Mapping[str, str] = {
    **dict.fromkeys(
        ("title", "color", "linewidth", "xlim", "ylim", "legend", "grid", "style", "xlabel"),
        "; change the axes that it returns, as ax.set_title(...) does",
    ),
    **dict.fromkeys(
        ("filename", "file", "path", "output", "save", "fname"),
        "; write the figure of its axes by ax.figure.savefig(...)",
    ),
    **dict.fromkeys(("kind", "type", "which"), '; choose the picture as in plot(run, "roc")'),
    **dict.fromkeys(("show", "block"), "; matplotlib.pyplot.show() shows it"),
    **dict.fromkeys(("figsize", "dpi", "fig", "figure", "axes"), "; give axes of your own as ax"),
}
"""Words about a picture, which is changed after it is drawn."""
_OF_QUESTIONS = ("delta", "epsilon", "adjacency", "tolerance", "memory_limit")
LONGEST = 8
"""The most numbers, or terms, that messages show in full."""


def spoken(call: Call) -> Call:
    """A public call that says what it takes where it cannot be called with what it is given."""
    if hasattr(call, _SPOKEN):
        return call

    @wraps(call)
    def made(*positional: object, **given: Any) -> Any:  # noqa: ANN401, whatever the call returns
        try:
            return call(*positional, **given)
        except TypeError:
            refuse(call, positional, given)
            raise

    setattr(made, _SPOKEN, True)
    return made  # type: ignore[return-value]


def outspoken(cls: Class) -> Class:
    """The class, of which each public call that takes arguments says what it takes."""
    for name, call in list(vars(cls).items()):
        wrapper = type(call) if isinstance(call, classmethod | staticmethod) else None
        plain = call.__func__ if wrapper else call
        if not isfunction(plain) or (name.startswith("_") and name != "__init__"):
            continue
        made = spoken(plain)
        type.__setattr__(cls, name, wrapper(made) if wrapper else made)
    return cls


@dataclass(frozen=True, slots=True)
class Missing:
    """Stands for what a question is asked at where nothing is given."""

    call: str
    takes: tuple[str, ...]

    @staticmethod
    def stands_in(ask: Callable[..., Any]) -> None:
        """Have a question whose calls must stay cheap say what it takes where it is not given."""
        _, *takes = signature(ask).parameters
        if ask.__defaults__ is None and ask.__code__.co_argcount > 1:
            ask.__defaults__ = (Missing(ask.__name__, tuple(takes)),)

    def error(self) -> TypeError:
        """The error of the call."""
        takes = f"{self.call} takes {', '.join(self.takes)}"
        return TypeError(f"{takes}; missing a required argument: {self.takes[0]!r}")


def refuse(
    call: Callable[..., Any], positional: tuple[object, ...], given: Mapping[str, object]
) -> None:
    """Raise the error of a call that its signature does not allow."""
    name, parameters = call.__name__, signature(call).parameters
    names = list(parameters)
    if names[:1] in (["self"], ["cls"]):
        del names[0]
        name = type(positional[0]).__name__ if name == "__init__" else name
    named = {key.removeprefix("guaranteed_"): value for key, value in given.items()}
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    for key in named:
        if key not in names and not takes_any:
            raise unknown_argument(name, key, names) from None
    try:
        signature(call).bind(*positional, **named)
    except TypeError as error:
        how = _by_position(parameters.values(), names) if "too many" in str(error) else ""
        takes = ", ".join(names) or "no arguments"
        raise TypeError(f"{name} takes {takes}; {error}{how}") from None


def _by_position(parameters: Iterable[Parameter], names: list[str]) -> str:
    """The arguments that may be given by position, as the end of an error."""
    plain = [each.name for each in parameters if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    first = [each for each in plain if each in names]
    if len(first) == len(names):
        return ""
    return f": {' and '.join(first) or 'none'} may be given by position, all others by name"


def unknown_argument(call: str, key: str, names: Iterable[str]) -> TypeError:
    """The error of an argument that a call does not have: lists its arguments, guesses the word."""
    names = list(names)
    takes = f"{call} takes {', '.join(names) or 'no arguments'}"
    hint = likely(key, names)
    asked = [word for word in (key, *NEIGHBOURS.get(key.lower(), ())) if word in _OF_QUESTIONS]
    if not hint and call.endswith("Filter"):
        hint = (
            "; GaussianFilter takes mu, RenyiFilter order and budget, ZCDPFilter rho, PureFilter "
            "epsilon and delta"
        )
    elif not hint and asked and call[:1].isupper():
        hint = f"; give {asked[0]} with each question, as in epsilon(delta, adjacency=...)"
        if "noise_multiplier" in names and "batch_size" not in names:
            hint += f", or find the noise by hs.calibrate(hs.{call}, epsilon=..., delta=...)"
    hint = hint or (_OF_AXES if "ax" in names else _OF_TRAINING).get(key.lower(), "")
    return TypeError(f"{takes}; got an unexpected keyword argument {key!r}{hint}")


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
