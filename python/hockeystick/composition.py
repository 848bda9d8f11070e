# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in general, their composition, and the questions one asks of either."""

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from operator import itemgetter
from typing import Any, ClassVar, Literal

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick._solve import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE, Directions, solve
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.bounds import Bounds, Value
from hockeystick.pld import PrivacyLossDistribution, Recipe
from hockeystick.views import Views

_ESTIMATORS = ("connect_dots", "algorithm_2", "privacy_buckets")


class Composable(Views):
    """What can be composed (``10 * a + b``) and asked for its privacy: see Composition."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None  # lets numpy integers multiply from the left

    @property
    @abstractmethod
    def terms(self) -> tuple[tuple["Mechanism", int], ...]:
        """The distinct mechanisms that cost anything, and how often each runs."""

    def __add__(self, other: object) -> "Composition":
        """Both, in either order: composition is commutative."""
        if not isinstance(other, Composable):
            return NotImplemented
        return Composition._of(_joined(self.terms, other.terms))

    def __radd__(self, other: object) -> "Composition":
        """``0 + self``, with which ``sum()`` starts."""
        if isinstance(other, int) and not isinstance(other, bool) and other == 0:
            return Composition._of(_merged(self.terms))
        return NotImplemented

    def __mul__(self, count: object) -> "Composition":
        """`count` independent runs."""
        times = _checks.count(count)
        terms = (
            (mechanism, _checks.count(times * runs) if runs > 1 else times)
            for mechanism, runs in self.terms
        )
        return Composition._of(_merged(terms))

    __rmul__ = __mul__

    def epsilon(
        self,
        delta: Value,
        *,
        adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified upper bound on epsilon: the upper end of ``epsilon_bounds``, same arguments."""
        return self.epsilon_bounds(
            delta, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def epsilon_bounds(
        self,
        delta: Value,
        *,
        adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """Smallest epsilon at which the composition is (epsilon, delta)-DP, enclosed.

        Args:
            delta: Target delta in (0, 1), scalar or any shape.
            adjacency: Which datasets are neighbours; the worst direction counts.
            tolerance: Widest relative gap accepted, in (1e-12, 1).
            memory_limit: Bytes the computation may take, > 0.

        Returns:
            ``lower`` and ``upper`` [nats], floats or arrays shaped like `delta`. The exact epsilon
            lies between, rounding included, and ``upper - lower <= tolerance * upper``.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.

        Source: Doroshenko et al. (2022); Zhu, Dong & Wang (2022).
        """
        return solve("epsilon", delta, self._directions(adjacency), tolerance, memory_limit)

    def delta(
        self,
        epsilon: Value,
        *,
        adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified upper bound on delta: the upper end of ``delta_bounds``, same arguments."""
        return self.delta_bounds(
            epsilon, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def delta_bounds(
        self,
        epsilon: Value,
        *,
        adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """Smallest delta at which the composition is (epsilon, delta)-DP, enclosed.

        This is the hockey-stick divergence of order e^epsilon, in the worst direction.

        Args:
            epsilon: In [0, 1e4] nats, scalar or any shape.
            adjacency: Which datasets are neighbours; the worst direction counts.
            tolerance: Widest relative gap accepted, in (1e-12, 1).
            memory_limit: Bytes the computation may take, > 0.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `epsilon`. The exact delta lies
            between, rounding included, and ``upper - lower <= tolerance * upper``, or else
            ``upper <= 1e-300``: a delta below that is certified to be so, and `lower` may be 0. So
            may it next to the largest loss of a run, as of pure DP, where
            ``upper - lower <= LARGEST_LOSS_ROUNDING * (1 + epsilon)``, about 3e-14. An upper bound
            of exactly 0 says that no loss exceeds epsilon.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.

        Source: Doroshenko et al. (2022); Zhu, Dong & Wang (2022).
        """
        return solve("delta", epsilon, self._directions(adjacency), tolerance, memory_limit)

    def pld(
        self,
        *,
        discretization_interval: float = 1e-4,
        side: Literal["upper", "lower"] = "upper",
        estimator: Literal["connect_dots", "algorithm_2", "privacy_buckets"] = "connect_dots",
        support: Sequence[float] | FloatArray | None = None,
        tail_mass: float = 1e-15,
        merge_gaussians: bool | None = None,
        adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> PrivacyLossDistribution:
        """The distribution of the privacy loss, on a grid, from the side asked for.

        Args:
            discretization_interval: Spacing of the losses [nats], in (0, 500].
            side: "upper" never understates delta, "lower" never overstates it.
            estimator: "connect_dots", whose lower form takes tangents at the middle of the cells;
                "algorithm_2", the lower estimate of Doroshenko et al. (2022); "privacy_buckets",
                which rounds losses up or down to the grid (Meiser & Mohammadi, 2018). The first
                two are off by the square of the interval; buckets by half an interval a step, and
                that in the Q-mass too, so that ``reflected()`` says little of them.
            support: The losses [nats] that one step of each distinct mechanism is put on, shape
                (n,), n >= 2, increasing, in [-500, 1e6], at most 500 apart: multiples of
                `discretization_interval`, to 1e-9 of it, so that compositions stay on that grid.
                None: all multiples of it that hold all but `tail_mass`. An upper estimate puts the
                hockey-stick divergence of the last loss at +inf, so it should reach far. A lower
                estimate says nothing on a support much coarser than the loss varies at its
                bounded end.
            tail_mass: Mass that each end may lose to truncation, in (0, 1): of the steps' supports
                and, by Chernoff's inequality, of the composition. It goes to +inf in an upper
                estimate and is dropped from a lower one.
            merge_gaussians: Whether plain Gaussians become one before it is put on the grid, which
                is exact, or each step is put on the grid and then composed, as the papers do. None:
                merged with "connect_dots" where no `support` is given.
            adjacency: Which datasets are neighbours; both directions of ADD_OR_REMOVE_ONE are kept.
            memory_limit: Bytes the computation may take, > 0.

        Raises:
            ValueError: An argument is out of range, `estimator` does not offer `side`, or the
                grid would exceed `memory_limit`.
            TypeError: An argument has the wrong type.

        Cost: O(n log n) for n losses. Source: Doroshenko et al. (2022), Algorithms 1 and 2.
        """
        interval = _checks.discretization_interval(discretization_interval)
        _checks.choice("side", side, ("upper", "lower"))
        _checks.choice("estimator", estimator, _ESTIMATORS)
        if (side, estimator) == ("upper", "algorithm_2"):
            raise ValueError("side must be 'lower' with estimator 'algorithm_2', got 'upper'")
        index = [] if support is None else _checks.support_index(support, interval)
        tail = _checks.open_unit("tail_mass", tail_mass)
        if merge_gaussians is None:
            merge_gaussians = support is None and estimator == "connect_dots"
        merge = _checks.instance("merge_gaussians", merge_gaussians, bool)
        if merge and support is not None:
            raise ValueError("merge_gaussians must be False with a support, got True")
        limit = _checks.memory_limit(memory_limit)
        recipe = partial(
            self.pld,
            discretization_interval=interval,
            side=side,
            estimator=estimator,
            support=None if support is None else tuple(map(float, support)),
            tail_mass=tail,
            merge_gaussians=merge,
            adjacency=adjacency,
            memory_limit=limit,
        )
        made = [
            (
                terms,
                _core.loss_pmf(
                    terms,
                    interval=interval,
                    side=side,
                    estimator=estimator,
                    tail_mass=tail,
                    merge_gaussians=merge,
                    support=index,
                    memory_limit=limit,
                ),
            )
            for terms in self._directions(adjacency)
        ]
        asked = [self._pairs(direction) for direction in adjacency.directions]
        return PrivacyLossDistribution(
            tuple(pmf for pairs in asked for terms, pmf in made if terms == pairs), Recipe(recipe)
        )

    def _pairs(self, direction: Direction) -> list[tuple[_core.DominatingPair, int]]:
        """The pairs of one direction and their counts."""
        return [(mechanism.dominating_pair(direction), n) for mechanism, n in self.terms]

    def _directions(self, adjacency: Adjacency) -> Directions:
        _checks.instance("adjacency", adjacency, Adjacency)
        directions: Directions = []
        for direction in adjacency.directions:
            pairs = self._pairs(direction)
            if pairs not in directions:
                directions.append(pairs)
        return directions


class Mechanism(Composable):
    """A randomized algorithm, known through its dominating pairs."""

    __slots__ = ("_rank",)
    _rank: str

    @property
    def terms(self) -> tuple[tuple["Mechanism", int], ...]:
        """The mechanism once, in its simplest form; nothing if it costs nothing."""
        simplest = self.simplified()
        return () if simplest is None else ((simplest, 1),)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{type(self).__name__}({arguments})"

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments that make an equal mechanism: the fields of the dataclass."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def rank(self) -> str:
        """What compositions order their terms by: equal mechanisms have equal ranks."""
        try:
            return self._rank
        except AttributeError:
            object.__setattr__(self, "_rank", repr(self))
            return self._rank

    def simplified(self) -> "Mechanism | None":
        """An equivalent mechanism in simplest form; None if the output ignores the data."""
        return self

    @abstractmethod
    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`.

        Equal mechanisms return the same object, and so do directions that share a pair.

        Raises:
            ValueError: No such pair is known.
        """


@dataclass(frozen=True, slots=True, repr=False)
class Composition(Composable):
    """Independent runs of mechanisms, each possibly chosen after seeing the outputs before it.

    Canonical: equal mechanisms are merged, free ones dropped, and the order is fixed, so equal
    compositions are ``==``, hash alike and give the same bits. Nothing is computed until asked.

    Args:
        terms: Pairs (mechanism, count) with counts of at most 1e9 per distinct mechanism.

    Raises:
        ValueError: A count is negative, or above 1e9 after merging.
        TypeError: A count is not a whole number.

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=2.0)
    >>> 3 * step + step
    4 * Gaussian(noise_multiplier=2.0)
    >>> hs.Composition().epsilon(delta=1e-5)
    0.0
    """

    terms: tuple[tuple[Mechanism, int], ...] = ()

    def __init__(self, terms: Iterable[tuple[Mechanism, int]] = ()) -> None:
        checked = []
        for mechanism, count in terms:
            simplest = _checks.instance("mechanism", mechanism, Mechanism).simplified()
            times = _checks.count(count)
            if simplest is not None:
                checked.append((simplest, times))
        object.__setattr__(self, "terms", _merged(checked))

    @classmethod
    def _of(cls, terms: "Terms") -> "Composition":
        """Of canonical terms."""
        composition = cls.__new__(cls)
        object.__setattr__(composition, "terms", terms)
        return composition

    def __repr__(self) -> str:
        if not self.terms:
            return "Composition()"
        return " + ".join(f"{count} * {mechanism!r}" for mechanism, count in self.terms)


Terms = tuple[tuple[Mechanism, int], ...]


def _rank(term: tuple[Mechanism, int]) -> str:
    return term[0].rank


def _joined(terms: Terms, others: Terms) -> Terms:
    """`_merged` of both, themselves canonical: a single term finds its place by bisection."""
    if len(others) != 1:
        return _merged((*terms, *others))
    mechanism, count = others[0]
    at = bisect_right(terms, mechanism.rank, key=_rank)
    if at and terms[at - 1][0] == mechanism:
        return (*terms[: at - 1], (mechanism, _checks.count(terms[at - 1][1] + count)), *terms[at:])
    return (*terms[:at], others[0], *terms[at:])


def _merged(terms: Iterable[tuple[Mechanism, int]]) -> Terms:
    """The terms by rank, equal mechanisms once; linear in time for a few sorted runs of them."""
    kept = [term for term in terms if term[1]]
    if len(kept) == 1:
        return (kept[0],)
    ranked = sorted([(term[0].rank, *term) for term in kept], key=itemgetter(0))
    merged: list[tuple[Mechanism, int]] = []
    last = None
    for rank, mechanism, count in ranked:
        if rank == last and mechanism == merged[-1][0]:
            merged[-1] = (mechanism, _checks.count(merged[-1][1] + count))
        else:
            merged.append((mechanism, count))
            last = rank
    return tuple(merged)
