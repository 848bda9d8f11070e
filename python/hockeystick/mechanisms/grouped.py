# SPDX-License-Identifier: Apache-2.0
"""Groups of records."""

from dataclasses import KW_ONLY, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hockeystick import _checks, _core, outward
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._correlated_noise import CorrelatedNoise
from hockeystick.mechanisms._drawn import SAMPLED, drawn_pair, is_nested, link
from hockeystick.mechanisms._enclosed import Accuracy, Pairs
from hockeystick.mechanisms._one_noise import joined, noise_ends, spread
from hockeystick.mechanisms._pair import no_pair
from hockeystick.mechanisms._whole_run import FromRun, above, alone
from hockeystick.mechanisms.approximate_dp import ApproximateDP
from hockeystick.mechanisms.discrete_gaussian import DiscreteGaussian
from hockeystick.mechanisms.discrete_laplace import DiscreteLaplace
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.gaussian_between import GaussianBetween, SampledBetween
from hockeystick.mechanisms.joint_gaussian import JointGaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.poisson_sampled import PoissonSampled
from hockeystick.mechanisms.shuffled_local import ShuffledLocal

if TYPE_CHECKING:
    from hockeystick._checks import Vector

MOST_RECORDS = 1000
LEAST_SPREAD = 5e-4  # noise over the largest move


@dataclass(frozen=True, slots=True, repr=False)
class Grouped(FromRun):
    """A mechanism where up to `size` records are removed, added or replaced at once.

    Exact are

    - plain noise: all records of the group may move the output in one direction, so that it is the
      mechanism with the move times `size` (Gaussian, Laplace, discrete and correlated noise);
    - Gaussian, Laplace and discrete noise on a Poisson subsample where records are removed or
      added, or replaced by special ones that add nothing: of a group of k, j are drawn with the
      binomial probability, and the noise moved by j with that probability, against the noise,
      dominates and is attained.

    Of any other mechanism a bound is known. On a Poisson subsample the power of each test is the
    mean of its powers against groups of the j records that are drawn, up to 16 of them. Else, and
    of more, it is from the curve h of a single record: whatever factors of alpha are taken,
    h_k(alpha) is at most the sum of h(alpha_i) times the product of the factors after the i-th;
    the least is found on a grid. Where records of a sampled Gaussian are replaced, it is the
    smallest bound of three chains: first all removed, then others added; the other way round; or
    one by one. From below bounds what one record costs, the others of the group being of no effect,
    or, on a Poisson subsample, having its effect in its absence: what one record costs that is
    drawn wherever any of them is. Where records are replaced, so does what all cost that others
    replace which add nothing. `explain` says which it is.

    Renyi divergences of a group of k are bounded by those of one record: D_a by k a times the sum
    of D_o / o over the orders o = k (a - 1) + 1, ..., k a, and so zCDP by k^2 times that of one.

    Of a run group each step, ``run.group(size)`` does so: grouping the curve of the run costs more.
    A group of users' examples that are sampled by themselves is this; where whole users are
    sampled, the user is the record, and nothing changes.

    Args:
        mechanism: What runs.
        size: How many records the group has at most, in [1, 1000].

    Cost: a sampled Gaussian as a mixture of size + 1 normals; other noise some thousand deltas for
    each number of records that may be drawn; a bound some 2000 deltas and a convolution of as many
    points for each doubling of the size, below a second.

    Source: Schuchardt, Stoian, Kosmala & Guennemann (2024) and cpp/proofs/group-weights.md for
    sampled Gaussians, cpp/proofs/sampled-groups.md for other samples; Dong, Roth & Su (2022),
    Theorem 2.14, in cpp/proofs/chained-curves.md; cpp/proofs/chained-moments.md for divergences.

    >>> step = Gaussian(0.8).poisson_sampled(0.001)
    >>> users = (10_000 * step).group(8)
    >>> round(users.epsilon(delta=1e-6, tolerance=1e-6), 2)
    8.94
    >>> round(Gaussian(6.0).group(3).epsilon(delta=1e-5), 6)
    1.993091
    """

    made_by: ClassVar[str] = "group"
    mechanism: Mechanism
    size: int

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Mechanism)
        size = _checks.whole("size", self.size, 1, MOST_RECORDS)
        _checks.keep(self, size=size)
        if isinstance(self.mechanism, Grouped):
            raise ValueError(  # noqa: TRY004
                f"mechanism must not be a group, got {self.mechanism!r}: say "
                f"{self.mechanism.mechanism!r}.group({size * self.mechanism.size})"
            )
        noise = spread(self.mechanism)
        if noise is not None and size > 1 and not noise / size >= LEAST_SPREAD:
            raise ValueError(
                f"size must be at most noise / {LEAST_SPREAD:g} = {noise / LEAST_SPREAD:.6g}, "
                f"got {size}"
            )

    def simplified(self) -> Mechanism | None:
        """The mechanism itself for a group of one."""
        inner = self.mechanism.simplified()
        if inner is None or self.size == 1:
            return inner
        if isinstance(inner, Grouped):
            return inner.group(self.size)
        return self if inner is self.mechanism else replace(self, mechanism=inner)

    @property
    def steps_covered(self) -> int:
        """The steps of the mechanism in the group."""
        return self.mechanism.steps_covered

    def group(self, size: int) -> Mechanism:
        """A group of groups."""
        times = _checks.whole("size", size, 1, MOST_RECORDS)
        return Grouped(self.mechanism, self.size * times)

    def poisson_sampled(self, sampling_probability: float) -> Any:  # noqa: ANN401
        """Whole groups on a subsample: one coin decides whether all records of a group are in it.

        Records of a group that are drawn each by its own coin are
        ``mechanism.poisson_sampled(q).group(size)``.
        """
        plain = joined(self.mechanism, self.size)
        if plain is not None:
            return plain.poisson_sampled(sampling_probability)
        return FromRun.poisson_sampled(self, sampling_probability)

    def is_exact_in(self, direction: Direction) -> bool:
        """Whether its pair tells all in a direction."""
        return _exact(self, direction) is not None

    def said_of(self, adjacency: Adjacency) -> str:
        """The note of `explain`."""
        nested = is_nested(self.mechanism)
        exact = all(
            _exact(self, way) or _enclosed(self, way) or (nested and not way.replaces)
            for way in adjacency.directions
        )
        return f"{self!r}: {'exact' if exact else 'a bound'}"

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair that dominates all groups in `direction`."""
        known = _exact(self, direction) or _enclosed(self, direction)
        if known:
            return known[0]
        drawn = drawn_pair(self.mechanism, self.size, direction, accuracy, is_above=True)
        return drawn or _chained(self, direction, accuracy)

    def at_most(self) -> "tuple[tuple[Mechanism, int], ...]":
        """The group as if nothing were sampled, of plain noise, or reports not shuffled."""
        one = self.mechanism
        inner = one.mechanism if isinstance(one, PoissonSampled) else None
        if isinstance(one, ShuffledLocal):
            inner = ApproximateDP(one.epsilon0, 0.0)
        elif not isinstance(inner, Gaussian | JointGaussian | DiscreteGaussian | DiscreteLaplace):
            return ()
        return ((Grouped(inner, self.size), 1),)

    def pairs_below(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """The pair itself, or what one record costs."""
        known = _exact(self, direction) or _enclosed(self, direction)
        if known:
            return known[-1:]
        if is_nested(self.mechanism):
            drawn = drawn_pair(self.mechanism, self.size, direction, accuracy, is_above=False)
            if drawn:
                return (drawn,)
        one = self._any_for_all()
        if one.is_exact:
            return (one.dominating_pair(direction), *_without_others(self, direction))
        found: Pairs = one.pairs_below(direction, accuracy)  # type: ignore[attr-defined]
        return (*found, *_without_others(self, direction))

    def _any_for_all(self) -> Mechanism:
        """The mechanism of one record that is drawn where any record of a sampled group is.

        An output that only tells whether it has seen any of them has the pair of one record, at the
        probability 1 - (1 - q)^k, here rounded down.
        """
        if not isinstance(self.mechanism, SAMPLED):
            return self.mechanism
        q = self.mechanism.sampling_probability
        if q == 1:
            return self.mechanism
        left = outward.log(outward.difference(1, q, above=True), above=True)
        none = outward.expm1(outward.product(self.size, left, above=True), above=True)
        return replace(self.mechanism, sampling_probability=max(q, -float(none)))

    def largest_pairs(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """The largest loss is at most as often that of one record."""
        if _exact(self, direction) or _enclosed(self, direction):
            return ()
        run = above(alone(self.mechanism), direction, accuracy, "largest")
        most = _core.epsilon_bounds(
            [run], np.array([0.0]), tolerance=1e-3, memory_limit=2**28
        ).table()[1][0]
        largest = outward.product(float(most), self.size, above=True)
        if not largest <= _checks.MAX_EPSILON:
            return ()
        pair = _core.dominating_pair("approximate_dp", [largest, 0.0])
        return self.pairs_below(direction, accuracy)[0], pair

    def moment_pairs(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """Pairs from the divergences of one record and, for a sample, of the group's records."""
        one = above(alone(self.mechanism), direction, accuracy, "far")
        over = _core.chained_moments(one, self.size, self._all_sampled(direction, accuracy))
        return self.pairs_below(direction, accuracy)[0], over

    def _all_sampled(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair | None:
        """The moments where any record in the sample counts as all of them."""
        scheme, rate = self.mechanism, 1.0
        inner: Any = getattr(scheme, "mechanism", None)
        if inner is None or getattr(scheme, "replacement", False):
            return None
        if isinstance(scheme, PoissonSampled):
            coins = self.size * (2 if direction.replaces else 1)
            rate = min(1.0, outward.product(coins, scheme.sampling_probability, above=True))
        times = getattr(scheme, "epochs", 1) * getattr(scheme, "selected", 1)
        whole = above(times * inner.group(self.size), direction, accuracy, "far")
        return _core.run_moments([whole], sampling_probability=rate)


@dataclass(frozen=True, slots=True, repr=False)
class SampledGroup(FromRun):
    """A Gaussian where a group's records are drawn with probabilities of their own.

    With s the noise multiplier, and records removed or added, or replaced by special ones that add
    nothing: the sum over j of P(j are drawn) N(j / s, 1), against N(0, 1), dominates and is
    attained, whatever each record's probability. Nothing is known where records replace each other.

    Args:
        mechanism: What runs on the sample.
        sampling_probabilities: Of each record of the group, in [0, 1], at most 1000.

    Cost: of a mixture of as many normals.

    Source: Schuchardt, Stoian, Kosmala & Guennemann (2024), for equal probabilities;
    cpp/mechanisms/gaussian/group_gaussian.cpp.

    >>> user = Gaussian(1.5).sampled_group([0.01, 0.05, 0.25])
    >>> round(user.delta(epsilon=0.3), 7)
    0.020131
    """

    made_by: ClassVar[str] = "sampled_group"
    mechanism: Gaussian
    _: KW_ONLY
    sampling_probabilities: "Vector"

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        rates = _checks.vector(
            *("sampling_probabilities", self.sampling_probabilities, "in [0, 1]"),
            lambda q: 0 <= q <= 1,
            MOST_RECORDS,
        )
        _checks.keep(self, sampling_probabilities=tuple(sorted(rates)))
        most = sum(q > 0 for q in rates)
        noise = self.mechanism.noise_multiplier
        if most and not noise / most >= LEAST_SPREAD:
            raise ValueError(
                f"sampling_probabilities must be at most {noise / LEAST_SPREAD:.6g} numbers for "
                f"that little noise, got {most}"
            )

    def simplified(self) -> Mechanism | None:
        """The group without records that are never drawn; a simpler equal mechanism if any."""
        rates = tuple(q for q in self.sampling_probabilities if q > 0)
        if not rates:
            return None
        if len(rates) == 1:
            return self.mechanism.poisson_sampled(rates[0]).simplified()
        if min(rates) == 1:
            return self.mechanism.group(len(rates)).simplified()
        if rates == self.sampling_probabilities:
            return self
        return replace(self, sampling_probabilities=rates)

    def is_exact_in(self, direction: Direction) -> bool:
        """Whether its pair tells all in a direction."""
        return not direction.replaces and len(_sampled(self, direction)) == 1

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """The pair of the group in `direction`."""
        del accuracy
        return _sampled(self, direction)[0]

    def pairs_below(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """The pair above, but for probabilities that are too small for doubles."""
        del accuracy
        return _sampled(self, direction)[-1:]


def _exact(group: Grouped, direction: Direction) -> Pairs | None:
    """The one pair of all groups, if it is known."""
    mechanism, size = group.mechanism, group.size
    if (plain := joined(mechanism, size)) is not None:
        return (plain.dominating_pair(direction),)
    if isinstance(mechanism, DiscreteGaussian | DiscreteLaplace):
        far = replace(mechanism, sensitivity=mechanism.sensitivity * size)
        return (far.dominating_pair(direction),)
    if isinstance(mechanism, PoissonSampled) and isinstance(mechanism.mechanism, Gaussian):
        if direction.replaces:
            return None
        found = _group_pairs(
            mechanism.mechanism.noise_multiplier,
            (mechanism.sampling_probability,) * size,
            direction.form,
        )
        return found if len(found) == 1 else None
    return None


def _enclosed(group: Grouped, direction: Direction) -> Pairs | None:
    """A pair above and one below that differ by rounding."""
    mechanism, size = group.mechanism, group.size
    if isinstance(mechanism, Laplace):
        noise = mechanism.noise_multiplier
        return _moved("laplace", (noise, noise), size, direction)
    if isinstance(mechanism, CorrelatedNoise | GaussianBetween):
        return _moved("gaussian", (mechanism.least_noise, mechanism.most_noise), size, direction)
    if isinstance(mechanism, PoissonSampled | SampledBetween) and not direction.replaces:
        rates = (mechanism.sampling_probability,) * size
        ends = noise_ends(mechanism.mechanism)
        if ends is None:  # noise of another kind
            return None
        least, most = (_group_pairs(noise, rates, direction.form) for noise in ends)
        return least[0], most[-1]
    return None


def _moved(name: str, noise: tuple[float, float], size: int, direction: Direction) -> Pairs:
    """The pairs of this least and this most noise where as many records move as there are."""
    moved = size * (2 if direction.replaces else 1)
    least, most = (
        outward.quotient(end, moved, above=above)
        for end, above in zip(noise, (False, True), strict=True)
    )
    return _core.dominating_pair(name, [least]), _core.dominating_pair(name, [most])


def _sampled(group: SampledGroup, direction: Direction) -> Pairs:
    if direction.replaces:
        raise no_pair(group, direction, "none is proved for a group of probabilities of their own")
    return _group_pairs(
        group.mechanism.noise_multiplier, tuple(group.sampling_probabilities), direction.form
    )


@lru_cache(maxsize=256)
def _group_pairs(noise: float, rates: tuple[float, ...], form: str) -> Pairs:
    """The pair of a sampled group; above and below where probabilities are too small for it."""
    is_cut = _core.is_group_cut(rates)
    return tuple(
        _core.dominating_pair(f"group_gaussian_{side}_{form}", [noise, *rates])
        for side in (("above", "below") if is_cut else ("above",))
    )


def _without_others(group: Grouped, direction: Direction) -> Pairs:
    """Pairs that are attained where the records that replace the group's add nothing."""
    if not direction.replaces:
        return ()
    ways = (Direction.REMOVE, Direction.ADD)
    known = [_exact(group, way) or _enclosed(group, way) for way in ways]
    return tuple(pairs[-1] for pairs in known if pairs)


@lru_cache(maxsize=64)
def _chained(group: Grouped, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
    """A pair above the least bound of chains of neighbours."""
    chains = []
    if direction.replaces and _exact(group, Direction.REMOVE):
        removed, added = (
            link(group, way, accuracy, 1) for way in (Direction.REMOVE, Direction.ADD)
        )
        chains += [[removed, added], [added, removed]]
    chains.append([link(group.mechanism, direction, accuracy, group.size)])
    return _core.chained_pair(chains, *accuracy)
