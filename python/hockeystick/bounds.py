# SPDX-License-Identifier: Apache-2.0
"""An enclosure of the truth, and what its width consists of."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn

import numpy as np

from hockeystick import _checks, _html
from hockeystick._array_like import ArrayLike
from hockeystick._checks import FloatArray, Vector
from hockeystick._decimals import formatted, outward, rounded
from hockeystick._neighbours import Hinting

if TYPE_CHECKING:  # the answer is an array unless the question is a number
    from typing_extensions import TypeVar

    Value = TypeVar("Value", float, FloatArray, default=FloatArray)
    Array = Vector | Sequence[Sequence[float]]
    """Numbers of any shape."""
else:
    from typing import TypeVar

    Value = TypeVar("Value", float, FloatArray)
    Array = ArrayLike

LARGEST_LOSS_ROUNDING = 2.0**-45
"""Within this times 1 + epsilon of the largest loss, delta is certified to be below that.

There the rounding of a mechanism's own parameters, as of ``1 / epsilon`` for a noise multiplier,
decides how much of delta is left, and the lower bound may be 0.
"""


class ErrorBudget(NamedTuple, Generic[Value]):
    """The parts of the bounds' width, in units of delta at the answer; each is >= 0, or nan.

    Entries are nan where they are not known, as of bounds that were not computed here.
    """

    discretization: Value
    """The part of replacing the privacy loss by a loss on a grid."""
    truncation: Value
    """The part of mass outside the window of the composition."""
    wraparound: Value
    """The part of the circular convolution."""
    rounding: Value
    """The part of floating-point arithmetic."""

    @property
    def total(self) -> Value:
        """The sum of the entries."""
        return self.discretization + self.truncation + self.wraparound + self.rounding

    def _repr_html_(self: "ErrorBudget[Any]") -> str:
        head = (*self._fields, "total")
        rows = _rows((*self, self.total), lambda *entries: [f"{entry:.3g}" for entry in entries])
        caption = "error budget, of delta"
        return _html.table(*_indexed(self.total, head, rows), caption=caption, left=())


class _Pair(NamedTuple, Generic[Value]):
    lower: Value
    upper: Value


class Bounds(_Pair[Value], Hinting):
    """Two numbers, or two arrays of one shape, that enclose the truth: lower <= truth <= upper.

    A tuple of two: ``lower, upper = run.epsilon_bounds(1e-5)``.

    >>> bounds = Bounds(1.0, 1.5)
    >>> bounds.gap, bounds.estimate
    (0.5, 1.25)
    >>> 1.2 in bounds, 2.0 in bounds
    (True, False)
    """

    _budget: tuple[Value, ...] = ()
    _limited_by: str = ""
    _asked: tuple[Any, dict[str, Any]] | None = None

    def __contains__(self: "Bounds[Any]", value: Any) -> bool:  # noqa: ANN401
        """Whether a number, or each of an array, is between the bounds."""
        return bool(np.all((self.lower <= value) & (value <= self.upper)))

    @classmethod
    def of(cls, columns: Sequence[Any]) -> "Bounds[Any]":
        """Bounds from lower ends, upper ends and the entries of the error budget."""
        bounds = tuple.__new__(cls, columns[:2])
        bounds._budget = tuple(columns[2:])  # noqa: SLF001, its own
        return bounds

    @property
    def error_budget(self) -> ErrorBudget[Value]:
        """The parts of which the width consists."""
        return ErrorBudget(*(self._budget or (math.nan,) * 4))

    @property
    def limited_by(self) -> str:
        """Why the bounds are wider than asked for: "theory" if no closer ones are known; else "".

        No exception is raised then: the bounds are all that is proved of the way batches are drawn.
        """
        return self._limited_by

    def explain(self: "Bounds[Any]") -> Any:  # noqa: ANN401, an Explanation, made by the core
        """The method that found these bounds of epsilon or delta, and why: ``run.explain``.

        Raises:
            TypeError: These are not the bounds of ``epsilon_bounds`` or ``delta_bounds``.
        """
        if self._asked is None:
            raise TypeError("explain is for bounds by epsilon_bounds or delta_bounds of a run")
        run, question = self._asked
        return run.explain(**question)

    @property
    def gap(self) -> Value:
        """The width upper - lower."""
        return self.upper - self.lower

    @property
    def width(self) -> Value:
        """Another name of `gap`."""
        return self.gap

    def __format__(self: "Bounds[Any]", spec: str) -> str:
        """Both ends, each rounded away from the truth: ``f"{bounds:.3f}"``.

        Args:
            spec: A format of a number with a precision, its type e, f or g: ``.3f``, ``10.2e``.
                Empty: as ``str`` has it.

        Raises:
            ValueError: `spec` is another format, or the bounds are arrays.

        >>> f"{Bounds(1.23456, 1.23556):.3f}"
        '[1.234, 1.236]'
        """
        return f"[{', '.join(self._formatted(spec))}]" if spec else str(self)

    def __round__(self: "Bounds[Any]", ndigits: int = 0) -> "Bounds[float]":
        """Both ends with `ndigits` digits after the point, each rounded away from the truth.

        >>> round(Bounds(1.23456, 1.23556), 3)
        Bounds(lower=1.234, upper=1.236)
        """
        digits = _checks.whole("ndigits", ndigits, 0, 300)
        return Bounds(*map(float, self._formatted(f".{digits}f")))

    def _formatted(self: "Bounds[Any]", spec: str) -> tuple[str, str]:
        if np.ndim(self.lower):
            raise ValueError("bounds must be two numbers to be formatted or rounded, got arrays")
        return formatted(self.lower, spec, "lower"), formatted(self.upper, spec, "upper")

    @property
    def estimate(self) -> Value:
        """The middle of the bounds: close to the truth, but certified by neither side."""
        return self.lower + (self.upper - self.lower) / 2

    def _repr_html_(self: "Bounds[Any]") -> str:
        def row(lower: float, upper: float) -> list[str]:
            return [*outward(lower, upper), rounded(upper - lower, "upper")]

        note = "nobody knows closer bounds" if self.limited_by == "theory" else ""
        head, rows = _indexed(self.lower, ("lower", "upper", "gap"), _rows(self, row))
        return _html.table(head, rows, note=note, left=())


def _refusing(symbol: str, end: str) -> Callable[[Any, object], Any]:
    """An operator that refuses numbers and says how to write the operation."""

    def refuse(bounds: Any, *other: object) -> NoReturn:  # noqa: ANN401
        after = f" {symbol} {_checks.show(other[0])}" if other else ""
        what = f"bounds are two numbers, from {bounds.lower} to {bounds.upper}"
        raise TypeError(f"{what}: write of one of them, such as bounds.{end}{after}")

    return refuse


def _or_of_tuples(name: str, symbol: str, end: str) -> Callable[[Any, object], Any]:
    """The operation of tuples where both are, as in a list that is sorted; else it is refused."""
    of_tuples, refuse = getattr(tuple, name), _refusing(symbol, end)

    def operate(bounds: Any, other: object) -> Any:  # noqa: ANN401
        return of_tuples(bounds, other) if isinstance(other, tuple) else refuse(bounds, other)

    return operate


for _name, _symbol, _end in (
    *(("__lt__", "<", "upper"), ("__le__", "<=", "upper")),  # which is then certain
    *(("__gt__", ">", "lower"), ("__ge__", ">=", "lower"), ("__add__", "+", "upper")),
):
    setattr(Bounds, _name, _or_of_tuples(_name, _symbol, _end))
for _name, _symbol in (
    *(("sub", "-"), ("mul", "*"), ("truediv", "/"), ("rsub", "-"), ("rmul", "*")),
    *(("radd", "+"), ("rtruediv", "/"), ("floordiv", "//"), ("mod", "%"), ("pow", "**")),
    *((name, "") for name in ("neg", "abs", "float", "int")),
):
    setattr(Bounds, f"__{_name}__", _refusing(_symbol, "upper"))


def _rows(
    columns: Iterable[Any], row: Callable[..., list[str]]
) -> Iterator[tuple[tuple[int, ...], list[str]]]:
    """Each index of the columns, which have one shape, with the texts of its row."""
    arrays = [np.asarray(column) for column in columns]
    for index in np.ndindex(arrays[0].shape):
        yield index, row(*(array[index].item() for array in arrays))


def _indexed(
    like: object, head: Sequence[str], rows: Iterable[tuple[tuple[int, ...], list[str]]]
) -> tuple[Sequence[str], Iterator[list[str]]]:
    """Head and rows, with an index before them unless `like` is a number."""
    if np.ndim(like) == 0:  # type: ignore[arg-type]
        return head, (row for _, row in rows)
    return ("index", *head), ([", ".join(map(str, index)), *row] for index, row in rows)
