# SPDX-License-Identifier: Apache-2.0
"""Validators with one message form: ``<name> must be <range>, got <value>``.

Each returns the value in the type the core expects. Comparisons are written so that NaN fails.
A value of the right type outside its range raises ValueError, a value of the wrong type TypeError.

A number is whatever has ``__float__`` and no dimension: also a Decimal, a Fraction, an array or a
tensor of no dimension. A boolean, a duration and a complex number are none. A whole number may be
given as any number that is whole.
"""

import math
import operator
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hockeystick import _core

FloatArray = npt.NDArray[np.float64]
Vector = Sequence[float] | npt.NDArray[np.floating[Any]] | npt.NDArray[np.integer[Any]]
Kind = TypeVar("Kind")

_RANGES = _core.ranges()
MAX_COUNT = int(_RANGES["count"][1])
_, MAX_EPSILON = _RANGES["epsilon"]
MIN_TOLERANCE, _ = _RANGES["tolerance"]
MIN_RATE, _ = _RANGES["smallest_rate"]
_, MAX_SMALLEST = _RANGES["smallest"]
_, MAX_ORDER = _RANGES["order"]
MIN_NOISE, MAX_NOISE = _RANGES["noise_multiplier"]
PURE_EPSILON = _RANGES["pure_epsilon"]
MAX_STEPS = int(_RANGES["steps"][1])
MAX_THREADS = int(_RANGES["threads"][1])
MIN_LOSS, MAX_LOSS = -500.0, 1e6
_, MAX_GAP = _RANGES["interval"]
MAX_INDEX = 2**40
_MAX_BYTES = 2**63 - 1
_LONGEST_SHOWN = 500
_NUMBER = "a real number that is "  # before a range, where the type is wrong


def show(value: object, longest: int = _LONGEST_SHOWN) -> str:
    """The value as an error message shows it, cut where it is long."""
    try:
        text = f"the class {value.__name__}" if isinstance(value, type) else repr(value)
    except (ValueError, RecursionError):  # more digits, or deeper, than Python prints
        return f"<{type(value).__name__} too long to print>"
    return text if len(text) <= longest else f"{text[:longest]}..."


def keep(made: object, **fields: object) -> None:
    """Set fields of an instance of a frozen dataclass, whose constructor calls this."""
    for name, value in fields.items():
        object.__setattr__(made, name, value)


def real(name: str, value: object, expected: str = "a real number") -> float:
    """The real number `value` as the nearest binary64 number."""
    if type(value) is float:  # the common case, and much the fastest
        return value + 0.0  # the sum turns -0.0 into 0.0
    try:
        if is_number(value):
            return float(value) + 0.0  # type: ignore[arg-type]
    except OverflowError:
        return -math.inf if value < 0 else math.inf  # type: ignore[operator]
    except (TypeError, ValueError, RuntimeError):  # such as a tensor without data
        pass
    raise TypeError(f"{name} must be {expected}, got {show(value)}")


_NO_NUMBERS = bool | np.bool_ | np.complexfloating | np.timedelta64 | np.datetime64 | np.flexible


def is_number(value: object) -> bool:
    """Whether it is one real number, of any type."""
    if getattr(value, "ndim", 0):
        return False
    if isinstance(value, np.ndarray):
        value = value[()]  # what it holds
    if isinstance(value, _NO_NUMBERS) or _is_masked(value) or not hasattr(value, "__float__"):
        return False
    return not str(getattr(value, "dtype", "")).endswith("bool")


def _is_masked(value: object) -> bool:
    """Whether it is ``numpy.ma.masked``; asked so, as naming it imports ``numpy.ma``."""
    return type(value).__name__ == "MaskedConstant"


def positive(name: str, value: object) -> float:
    """A finite number > 0."""
    return _scalar(name, value, "finite and > 0", lambda x: x > 0 and math.isfinite(x))


def non_negative(name: str, value: object) -> float:
    """A finite number >= 0."""
    return _scalar(name, value, "finite and >= 0", lambda x: x >= 0 and math.isfinite(x))


_NOISE = f"finite and in [{MIN_NOISE:g}, {MAX_NOISE:g}]"


def noise_multiplier(value: object, name: str = "noise_multiplier") -> float:
    """A noise multiplier within the range that binary64 and a grid of sane size can serve."""
    if type(value) is float and MIN_NOISE <= value <= MAX_NOISE:  # the common case
        return value
    number = real(name, value, _NUMBER + _NOISE)
    if MIN_NOISE <= number <= MAX_NOISE:
        return number
    hint = " (without noise, epsilon is infinite)" if number == 0 else ""
    raise ValueError(f"{name} must be {_NOISE}{hint}, got {show(value)}")


def discretization_interval(value: object, name: str = "discretization_interval") -> float:
    """Spacing of losses on a grid [nats]: e^spacing must not overflow."""
    return _scalar(name, value, f"in (0, {MAX_GAP:g}]", lambda x: 0 < x <= MAX_GAP)


def within(name: str, value: object, low: float, high: float) -> float:
    """A number in [low, high]."""
    return _scalar(name, value, f"in [{low:g}, {high:g}]", lambda x: low <= x <= high)


def zero_or_within(name: str, value: object, low: float, high: float) -> float:
    """0, or a number in [low, high]."""
    expected = f"0 or in [{low:g}, {high:g}]"
    return _scalar(name, value, expected, lambda x: x == 0 or low <= x <= high)


def probability(name: str, value: object) -> float:
    """A number in [0, 1]."""
    if type(value) is float and 0 <= value <= 1:  # the common case
        return value + 0.0
    return _scalar(name, value, "in [0, 1]", lambda x: 0 <= x <= 1)


def not_negative(name: str, value: object) -> float:
    """A number >= 0, inf included."""
    return _scalar(name, value, ">= 0", lambda x: x >= 0)


def open_unit(name: str, value: object) -> float:
    """A number in (0, 1)."""
    return _scalar(name, value, "in (0, 1)", lambda x: 0 < x < 1)


def delta(value: object) -> float:
    """A number in [0, 1); at 0, epsilon is the largest privacy loss."""
    return _scalar("delta", value, "in [0, 1)", lambda x: 0 <= x < 1)


_WIDTH = f"in ({MIN_TOLERANCE:g}, 1)"


def tolerance(value: object, name: str = "tolerance") -> float:
    """A relative width in (1e-12, 1): narrower is out of reach of binary64."""
    return _scalar(name, value, _WIDTH, lambda x: MIN_TOLERANCE < x < 1)


def smallest(value: object) -> float:
    """The smallest probability of interest, in [0, 1)."""
    return _scalar("smallest", value, f"in [0, {MAX_SMALLEST:g})", lambda x: 0 <= x < MAX_SMALLEST)


def whole(name: str, value: object, low: int, high: int, unit: str = "") -> int:
    """An integer in [low, high]; numbers that are not whole raise TypeError."""
    if type(value) is int and low <= value <= high:  # the common case, and much the fastest
        return value
    expected = f"a whole number{unit} in [{low}, {high}]"
    integer = _integer(value)
    if integer is None:
        raise TypeError(f"{name} must be {expected}, got {show(value)}")
    if not low <= integer <= high:
        raise ValueError(f"{name} must be {expected}, got {show(integer)}")
    return integer


def _integer(value: object) -> int | None:
    """The number, if it is a whole one."""
    if not is_number(value):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except (TypeError, RuntimeError):
        pass
    try:
        if not abs(float(value)) < math.inf:  # type: ignore[arg-type]
            return None
        integer = int(value)  # type: ignore[call-overload]
    except (OverflowError, TypeError, ValueError, RuntimeError):
        return None
    return integer if integer == value else None


def count(value: object) -> int:
    """A number of runs of a mechanism: at most 1e9."""
    if type(value) is int and 0 <= value <= MAX_COUNT:  # the common case
        return value
    return whole("count", value, 0, MAX_COUNT)


def memory_limit(value: object) -> int:
    """A number of bytes > 0."""
    return whole("memory_limit", value, 1, _MAX_BYTES, " of bytes")


def instance(name: str, value: object, kind: type[Kind]) -> Kind:
    """An instance of `kind`."""
    if kind in type(value).__mro__:  # the common case, much faster than isinstance of an ABC
        return value  # type: ignore[return-value]
    if not isinstance(value, kind):
        how = ""
        if kind.__name__ == "Composable" and _are(value, kind):
            how = ": add them up with +"
        elif kind.__name__ == "Composable" and hasattr(type(value), "composition"):
            how = ": its composition is one, and forgets the adjacency"
        raise TypeError(f"{name} must be {_one(kind)}, got {show(value)}{how}")
    return value


def _are(value: object, kind: type[Any]) -> bool:
    """Whether it is a list or a tuple of such instances."""
    return isinstance(value, list | tuple) and all(isinstance(one, kind) for one in value)


_CALLED = {
    "Composable": "a mechanism or a composition",
    "SamplableMechanism": "a mechanism that can be sampled",
}


def listed(given: tuple[Any, ...]) -> Any:  # noqa: ANN401, whatever is listed
    """Arguments of a call that takes any number of them, or one list of them."""
    return given[0] if len(given) == 1 and isinstance(given[0], list | tuple) else given


def _one(kind: type[Any]) -> str:
    """The name of an instance in messages: a member of an enumeration, or "a" and its class."""
    if issubclass(kind, Enum):
        return f"one of {', '.join(map(str, kind))}"
    if kind.__name__ in _CALLED:
        return _CALLED[kind.__name__]
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    return f"{article} {kind.__name__}"


def choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """One of the strings in `choices`."""
    expected = "one of " + ", ".join(map(repr, choices))
    if not isinstance(value, str):
        raise TypeError(f"{name} must be {expected}, got {show(value)}")
    if value not in choices:
        from hockeystick._neighbours import likely  # noqa: PLC0415, which needs these checks

        raise ValueError(f"{name} must be {expected}, got {show(value)}{likely(value, choices)}")
    return value


def order_array(
    values: object, *, name: str, largest: float, above_one: bool = False
) -> FloatArray:
    """Renyi orders from 1 up to 1e4, or inf where `largest` is; any shape."""
    expected = f"in {'(' if above_one else '['}1, {MAX_ORDER:g}]"
    if math.isinf(largest):
        expected += " or inf"

    def accepts(x: Any) -> Any:  # noqa: ANN401
        above = x > 1 if above_one else x >= 1
        return above & ((x <= MAX_ORDER) | (x == largest))

    return array(expected, accepts, values, name=name)


def vector(
    name: str, values: object, expected: str, accepts: Callable[[float], bool], longest: int
) -> tuple[float, ...]:
    """A sequence of 1 to `longest` real numbers, each of which `accepts`."""
    if getattr(values, "ndim", 0) == 1 and not isinstance(values, np.ndarray):  # such as a tensor
        values = np.asarray(values)
    if isinstance(values, str | bytes) or not (
        isinstance(values, Sequence) or (isinstance(values, np.ndarray) and values.ndim)
    ):
        raise TypeError(f"{name} must be a sequence of numbers, got {show(values)}")
    if not 1 <= len(values) <= longest:
        raise ValueError(f"{name} must be 1 to {longest} numbers, got {len(values)}")
    return tuple(_scalar(f"{name}[{i}]", x, expected, accepts) for i, x in enumerate(values))


def support_index(values: object, interval: float) -> list[int]:
    """The losses of a support as whole multiples of `interval`, to 1e-9 of it."""
    expected = f"losses in [{MIN_LOSS:g}, {MAX_LOSS:g}]"
    losses = array(expected, lambda x: (x >= MIN_LOSS) & (x <= MAX_LOSS), values, name="support")
    if losses.ndim != 1 or losses.size < 2:  # noqa: PLR2004
        raise ValueError(f"support must be of shape (n,) with n >= 2, got shape {losses.shape}")
    gaps = np.diff(losses)
    rising = (gaps > 0) & (gaps <= MAX_GAP)
    if not rising.all():
        k = int(np.argmin(rising))
        pair = f"{losses[k].item()!r} before {losses[k + 1].item()!r}"
        raise ValueError(f"support must be increasing, by at most {MAX_GAP:g} nats, got {pair}")
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is beyond MAX_INDEX
        ratios = losses / interval
        whole_ratios = np.rint(ratios)
        off = np.abs(ratios - whole_ratios) > 1e-9 + 2**-50 * np.abs(ratios)
        off |= ~(np.abs(ratios) <= MAX_INDEX) | (np.diff(whole_ratios, prepend=-math.inf) < 1)
    if off.any():
        rule = f"multiples of discretization_interval = {interval!r}, to 1e-9 of it"
        raise ValueError(f"support must be {rule}, got {losses[off][0].item()!r}")
    return [int(k) for k in whole_ratios]


def count_array(name: str, values: object) -> npt.NDArray[np.int64]:
    """Integers in [0, 1e9], as `count` takes them; any shape."""
    expected = f"a whole number in [0, {MAX_COUNT}]"
    array = _rectangular(name, values)
    if array.size and array.dtype.kind == "O":  # beyond 64 bits, or no numbers at all
        counts = [whole(name, value, 0, MAX_COUNT) for value in array.flat]
        array = np.array(counts).reshape(array.shape)
    elif array.size and array.dtype.kind == "f" and (array == np.rint(array)).all():
        with np.errstate(over="ignore"):
            array = array.astype(np.float64)  # whole, or infinite, which is out of range
    elif array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be {expected}, got {show(values)}")
    good = (array >= 0) & (array <= MAX_COUNT)
    if not good.all():
        raise ValueError(f"{name} must be {expected}, got {array[~good].flat[0].item()!r}")
    return array.astype(np.int64)


def _scalar(name: str, value: object, expected: str, accepts: Callable[[float], bool]) -> float:
    if type(value) is float and accepts(value):  # the common case
        return value + 0.0
    number = real(name, value, _NUMBER + expected)
    if not accepts(number):
        raise ValueError(f"{name} must be {expected}, got {show(value)}")
    return number


def array(expected: str, accepts: Callable[[Any], Any], values: object, *, name: str) -> FloatArray:
    """Numbers of any shape, each of which `accepts`."""
    if type(values) is float and accepts(values):  # the common case, and much the fastest
        return np.array(values + 0.0)
    if is_number(values):
        return np.array(_scalar(name, values, expected, accepts))
    array = _numeric_array(name, values, expected)
    good = accepts(array)
    if not good.all():
        raise ValueError(f"{name} must be {expected}, got {array[~good].flat[0].item()!r}")
    return array


def _numeric_array(name: str, values: object, expected: str) -> FloatArray:
    array = _rectangular(name, values)
    if array.size == 0 and array.dtype.kind in "fiu":
        return array.astype(np.float64)
    if array.size and array.dtype.kind == "O":  # of other types of numbers, or of none
        reals = [real(name, value, f"numbers {expected}") for value in array.flat]
        return np.array(reals).reshape(array.shape)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be numbers {expected}, got {show(values)}")
    with np.errstate(over="ignore", under="ignore"):  # infinite is out of range, or is said to be
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)


def refuse_masked(name: str, values: object) -> None:
    """Refuse masked entries, the numbers below which others would see."""
    if isinstance(values, np.ndarray) and np.any(getattr(values, "mask", False)):
        raise ValueError(f"{name} must be an array without masked entries, got {show(values)}")


def _rectangular(name: str, values: object) -> npt.NDArray[Any]:
    refuse_masked(name, values)
    try:
        return np.asarray(values)
    except ValueError:  # ragged
        raise ValueError(f"{name} must be a rectangular array, got {show(values)}") from None


rate_array = partial(array, "in [0, 1]", lambda x: (x >= 0) & (x <= 1))
open_unit_array = partial(array, "in (0, 1)", lambda x: (x > 0) & (x < 1))
delta_array = partial(array, "in [0, 1)", lambda x: (x >= 0) & (x < 1), name="delta")
epsilon_array = partial(
    array, f"in [0, {MAX_EPSILON:g}]", lambda x: (x >= 0) & (x <= MAX_EPSILON), name="epsilon"
)
smallest_rate_array = partial(
    array,
    f"in [{MIN_RATE:g}, 0.5)",
    lambda x: (x >= MIN_RATE) & (x < 1 / 2),
    name="smallest_rate",
)
noise_multiplier_array = partial(
    array, _NOISE, lambda x: (x >= MIN_NOISE) & (x <= MAX_NOISE), name="noise_multiplier"
)
