# SPDX-License-Identifier: Apache-2.0
"""The table of questions about privacy, and the one way in which all of them are asked.

The methods in ``views`` and of ``PrivacyLossDistribution`` give each question of the table its
name, its argument and its documentation.
"""

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick._neighbours import Hinting
from hockeystick._words import Missing, spoken
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.bounds import Array, Bounds, Value
from hockeystick.errors import CertificationError
from hockeystick.limits import DEFAULT_SMALLEST, DEFAULT_TOLERANCE, Limits, spelled_out

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True, slots=True)
class Query:
    """A question with one number in, its argument, and one number out."""

    wanted: str
    """The answer's name in messages."""
    argument: str
    points: Callable[[object], FloatArray]
    """Checks the numbers asked about."""
    view: str
    """The question's name in the core."""
    law: Callable[..., FloatArray]
    """The function of the core that bounds the answer, or estimates it, for a law on a grid."""
    unit: str = ""
    safe: Literal["lower", "upper"] = "upper"
    """The end of the bounds that understates no loss of privacy."""
    tolerance: float = DEFAULT_TOLERANCE
    width: str = "tolerance"
    """The name of the keyword that says how wide the bounds may be."""
    of_loss: bool = False
    """Whether bounds of a hockey-stick curve tell nothing of it: about spread of the loss."""
    tiny: bool = False
    """Whether the core's answer is a probability that may be tiny, which `smallest` is for."""
    exact_at: float | None = None
    """The point at which costs of some mechanisms are fractions that add up without rounding."""


def _variance(law: _core.LossPmf, points: FloatArray) -> FloatArray:
    return np.full(points.shape, _core.pld_variance(law))


_order = partial(_checks.order_array, name="order", largest=_checks.MAX_ORDER)
_largest_order = partial(
    _checks.order_array, name="largest_order", largest=math.inf, above_one=True
)
_fpr = partial(_checks.rate_array, name="fpr")
_level = partial(_checks.open_unit_array, name="level")
_prior = partial(_checks.open_unit_array, name="prior")
_rate = _checks.smallest_rate_array
_epsilon, _delta = _checks.epsilon_array, _checks.delta_array
_Law = _core.LossPmf

QUERIES: Mapping[str, Query] = {
    "epsilon": Query(*("epsilon", "delta", _delta, "epsilon", _Law.epsilon, "nats"), exact_at=0.0),
    "delta": Query("delta", "epsilon", _epsilon, "delta", _Law.delta, tiny=True),
    "true_positive_rate": Query("TPR", "fpr", _fpr, "true_positive_rate", _Law.power, tiny=True),
    "tradeoff": Query("FNR", "fpr", _fpr, "tradeoff", _Law.tradeoff, safe="lower", tiny=True),
    "bayes_risk": Query(
        *("Bayes risk", "prior", _prior, "bayes_risk", _core.pld_bayes_risk), safe="lower"
    ),
    "gdp_mu": Query("mu", "smallest_rate", _rate, "gdp_mu", _core.pld_gdp_mu),
    "probabilistic_delta": Query(
        *("P(L > epsilon)", "epsilon", _epsilon, "probabilistic_delta", _core.pld_tail),
        tolerance=1e-2,
        tiny=True,
    ),
    "loss_quantile": Query(
        *("the quantile", "level", _level, "loss_quantile", _core.pld_quantile, "nats"),
        tolerance=1e-2,
        width="deviations",
    ),
    "loss_variance": Query(
        *("the variance", "power", _order, "loss_variance", _variance, "nats^2"), of_loss=True
    ),
    "renyi_divergence": Query(
        "the Renyi divergence", "order", _order, "renyi_divergence", _core.pld_renyi, "nats"
    ),
    "zcdp": Query(
        *("rho", "largest_order", _largest_order, "zcdp", _core.pld_zcdp), exact_at=math.inf
    ),
}

_LIMITS = {
    name: Limits(tolerance=query.tolerance, smallest=DEFAULT_SMALLEST if query.tiny else 0.0)
    for name, query in QUERIES.items()
}


class Asked(Hinting, ABC):
    """Something with dominating pairs, of which any question in the table can be asked."""

    __slots__ = ()

    @property
    @abstractmethod
    def terms(self) -> tuple[tuple[Any, int], ...]:
        """The distinct mechanisms that cost anything, and how often each runs."""

    @property
    def _alternatives(self) -> tuple[tuple[tuple[Any, int], ...], ...]:
        """The terms of each run of which the worst counts: one but for disjoint parts."""
        return (self.terms,)

    def _run(self) -> _core.Run:
        """The run as the core asks it."""
        return _core.Run(self.terms)

    def _pairs(self, *directions: Direction) -> list[_core.Terms]:
        """The pairs of each direction and their counts."""
        run = self._run()
        try:
            return [run.pairs(direction.index) for direction in directions]
        except _core.NoPairError as error:
            raise self._undefined(directions, error) from None

    def _directions(self, adjacency: Adjacency) -> list[_core.Terms]:
        """The pairs and counts of each direction; equal directions are listed once."""
        try:
            return self._run().directions(adjacency.index)
        except _core.NoPairError as error:
            raise self._undefined(adjacency.directions, error) from None

    def _undefined(self, directions: Sequence[Direction], error: ValueError) -> ValueError:
        """The error that names the mechanism without a pair in one of the directions."""
        for direction in directions:
            for mechanism, _ in self.terms:
                for one, _ in mechanism.run_above:
                    try:
                        one.dominating_pair(direction)
                    except ValueError as named:
                        return named
        return error

    def _ask(
        self, name: str, at: Value | Array, options: Mapping[str, Any], ending: str = "_bounds"
    ) -> Bounds[Value]:
        """Bounds on the answer to the question of that name, for the worst direction."""
        query, limits = QUERIES[name], _LIMITS[name]
        if options:
            asks = (f"{name}{ending}", query.argument)
            limits = limits.updated(options, query.width, has_smallest=query.tiny, asks=asks)
        if type(at) is Missing:
            raise at.error()
        return self._answer(query, query.points(at), limits)

    def _answer(self, query: Query, points: FloatArray, limits: Limits) -> Bounds[Any]:
        """The answer to checked points."""
        found = self._certified(query, points, self._answers(query, points, limits), limits)
        if query.exact_at is None or not np.any(exact := points == query.exact_at):
            return found
        costs = import_module("hockeystick.accountant.exact_costs")
        most = costs.most(query.view, self._alternatives, limits.adjacency)
        if most is None:
            return found
        upper = np.where(exact, np.minimum(found.upper, most), found.upper)
        closer = Bounds.of([found.lower, shaped(upper, points.shape), *found._budget])  # noqa: SLF001
        closer._limited_by = found._limited_by  # noqa: SLF001
        return closer

    def _answers(self, query: Query, at: float | FloatArray, limits: Limits) -> _core.Answers:
        """The core's answers at one number, or at each of an array."""
        adjacency, tolerance, memory, smallest = limits
        try:
            return self._run().ask(query.view, at, adjacency.index, tolerance, memory, smallest)
        except _core.NoPairError as error:
            raise self._undefined(adjacency.directions, error) from None
        except ValueError:
            query.points(at)
            first = next((one for one, _ in self.terms if not one.is_exact), None)
            if first is None or not query.of_loss:
                raise
            raise ValueError(
                f"{query.wanted} is not known of {first!r}: its privacy loss is known from above "
                "and below in its hockey-stick curve only"
            ) from None

    def _certified(
        self, query: Query, points: FloatArray, answers: _core.Answers, limits: Limits
    ) -> Bounds[Any]:
        """The bounds in the answers, if they are as close as asked."""
        return certified(query, points, answers, limits)

    def _safe(self, name: str, at: Value | Array, options: Mapping[str, Any]) -> Value:
        """The end of the bounds that understates no loss of privacy."""
        query = QUERIES[name]
        if type(at) is float and not options and at != query.exact_at:  # the common case
            limits = _LIMITS[name]
            answers = self._answers(query, at, limits)
            end = answers.end(query.safe == "lower")
            if end is None:
                self._certified(query, query.points(at), answers, limits)  # raises
            return end  # type: ignore[return-value]
        ends = self._ask(name, at, options, ending="")
        return ends.lower if query.safe == "lower" else ends.upper


def described(cls: Class) -> Class:
    """Name the options of a class's questions in help()."""
    for name, ask in list(vars(cls).items()):
        if inspect.isfunction(ask):
            ask.__qualname__ = name  # Python's own messages name no class of the inside
            query = QUERIES.get(name.removesuffix("_bounds"), QUERIES["delta"])
            spelled_out(ask, smallest=DEFAULT_SMALLEST, **{query.width: query.tolerance})
            if name.removesuffix("_bounds") in ("epsilon", "delta"):  # whose calls must stay cheap
                Missing.stands_in(ask)
            else:
                setattr(cls, name, spoken(ask))
    return cls


def certified(
    query: Query, points: FloatArray, answers: _core.Answers, limits: Limits
) -> Bounds[Any]:
    """The bounds in `answers`, shaped like `points`.

    Raises:
        CertificationError: An answer is wider than asked for.
    """
    shape = points.shape
    bounds = Bounds.of([row.reshape(shape) for row in answers.table()] if shape else answers.row(0))
    bounds._limited_by = answers.theory()  # noqa: SLF001
    unmet = answers.unmet()
    if unmet is not None:
        at = f"{query.argument} = {points.flat[unmet].item()!r}"
        message = explanation(query, at, answers[unmet], limits)
        raise CertificationError(message, bounds, answers[unmet].limited_by)
    return bounds


class _Unmet(Protocol):
    """Bounds that are wider than asked for, and why."""

    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def limited_by(self) -> str: ...
    @property
    def required_bytes(self) -> int: ...


def explanation(query: Query, at: str, found: _Unmet, limits: Limits) -> str:
    """The message about bounds that are too wide; advises only what helps.

    A looser tolerance helps where the bounds found meet some, and rounding is not what limits them.
    """
    looser = found.lower != 0 and math.isfinite(found.lower) and math.isfinite(found.upper)
    if found.limited_by == "memory_limit":
        need = -(-found.required_bytes // 2**20)
        limit = f"memory_limit = {limits.memory_limit} bytes"
        cause = f"needs about {need} MiB, more than {limit} allows"
        advice = ": raise memory_limit" + (f" or loosen {query.width}" if looser else "")
    else:
        cause = f"is out of reach, {_REASONS.get(found.limited_by, found.limited_by)}"
        advice = f": loosen {query.width}" if looser and found.limited_by == "passes" else ""
    best = f"best bounds {found.lower!r} <= {query.wanted} <= {found.upper!r} at {at}"
    return f"{query.width} = {limits.tolerance!r} {cause}{advice}; {best}"


_REASONS = {
    "rounding": "as the rounding of binary64 arithmetic alone exceeds it",
    "passes": "as refining did not reach it within the work of one question",
    "method": "as the named method does not reach it",
}


def worst(
    name: str, laws: Iterable[_core.LossPmf | tuple[_core.LossPmf, ...]], at: Value | Array
) -> Value:
    """The answer of the worst of laws on a grid at each point, shaped like `at`.

    A question about a law and its reverse takes pairs of both.
    """
    query = QUERIES[name]
    points = query.points(at)
    each = (law if isinstance(law, tuple) else (law,) for law in dict.fromkeys(laws))
    answers = [query.law(*law, points.ravel()) for law in each]
    of_all = np.minimum if query.safe == "lower" else np.maximum
    found: Value = shaped(of_all.reduce(answers), points.shape)
    return found


def shaped(values: FloatArray, shape: tuple[int, ...]) -> Any:  # noqa: ANN401
    """An array of `shape`, or a float if it is empty."""
    return values.reshape(shape) if shape else values.item()
