# SPDX-License-Identifier: Apache-2.0
"""Privacy loss distributions on a grid, as one sees and plots them."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Self, overload

import numpy as np

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick._law_attacks import LawAttacks
from hockeystick._words import outspoken
from hockeystick.adjacency import Direction
from hockeystick.bounds import Array, Value
from hockeystick.limits import DEFAULT_MEMORY_LIMIT
from hockeystick.queries import shaped, worst


class Recipe(NamedTuple):
    """The call that made a distribution, and the views that were then taken of its result."""

    make: "Callable[[], PrivacyLossDistribution]"
    views: tuple[int, ...] = ()
    """The views: each a direction, or _REFLECTED."""


_REFLECTED = -1


@outspoken
@dataclass(frozen=True, slots=True, repr=False)
class PrivacyLossDistribution(LawAttacks):
    """The law of the privacy loss log(dP/dQ)(x), x ~ P, estimated from one side.

    `side` says which: queries of an "upper" distribution are never below the truth, of a "lower"
    one never above it. The distributions of both directions of ADD_OR_REMOVE_ONE are kept, removal
    first, and so for every adjacency with two; `losses`, `probabilities` and `infinity_mass` show
    the first, the queries answer for the worse, and ``reflected()`` swaps the roles of P and Q. A
    query at a number answers a float, at an array of any shape an array of that shape.

    What follows from the hockey-stick curve is bounded from the side of the distribution. The
    tails, quantiles and variance that are called estimated describe the losses and probabilities
    as they are here and bound nothing of the mechanism's; ``Composition`` encloses those.

    Made by ``Composition.pld``, and again by it where a pickled one is loaded: pickles hold the
    composition and the arguments, not the losses, so loading takes as long as making did. The same
    processor answers with the same bits; any other may round otherwise, and bounds as well.

    Source: Dwork & Rothblum (2016); Sommer, Meiser & Mohammadi (2019).
    """

    _pmfs: tuple[_core.LossPmf, ...]
    _ways: tuple[Direction, ...] = field(compare=False)
    _recipe: Recipe = field(compare=False)

    def __repr__(self) -> str:
        first = self._pmfs[0]
        return (
            f"<PrivacyLossDistribution side={self.side!r} directions={len(self._pmfs)} "
            f"discretization_interval={self.discretization_interval!r} "
            f"losses={first.mass.size} from {first.first * first.interval:.6g} nats "
            f"infinity_mass={self.infinity_mass:.6g}>"
        )

    def __copy__(self) -> Self:
        """Itself: nothing can change it."""
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], Recipe]:
        return _made_again, self._recipe

    @property
    def _reversed(self) -> tuple[_core.LossPmf, ...]:
        """The laws for (Q, P); two directions are each other's reverse, be they one law or two."""
        laws = self._pmfs
        return laws if len(laws) > 1 else tuple(law.reflected() for law in laws)

    @property
    def side(self) -> str:
        """The side of the truth its queries are on: "upper" or "lower"."""
        return self._pmfs[0].side

    @property
    def directions(self) -> "tuple[PrivacyLossDistribution, ...]":
        """One distribution for each direction of the adjacency, in its order."""
        return tuple(
            PrivacyLossDistribution((pmf,), (self._ways[at],), self._viewed(at))
            for at, pmf in enumerate(self._pmfs)
        )

    @property
    def discretization_interval(self) -> float:
        """Spacing of the losses [nats]."""
        return self._pmfs[0].interval

    @property
    def losses(self) -> FloatArray:
        """The losses [nats], increasing, shape (n,)."""
        pmf = self._pmfs[0]
        return np.arange(pmf.first, pmf.first + pmf.mass.size) * np.float64(pmf.interval)

    @property
    def probabilities(self) -> FloatArray:
        """The mass at each loss, shape (n,), read-only."""
        return self._pmfs[0].mass

    @property
    def infinity_mass(self) -> float:
        """The mass at loss +inf, truncated mass included where the side asks for it."""
        return self._pmfs[0].infinity_mass

    @property
    def slack(self) -> float:
        """The outward margin of queries for truncation, wrap-around and rounding [delta]."""
        return max(pmf.slack for pmf in self._pmfs)

    @property
    def loss_error(self) -> float:
        """The rounding error of the losses [nats], which queries count."""
        return max(pmf.loss_error for pmf in self._pmfs)

    def delta(self, epsilon: Value | Array) -> Value:
        """Delta at `epsilon`, in [0, 1e4] nats, bounded from this distribution's side."""
        return worst("delta", self._pmfs, epsilon)

    def epsilon(self, delta: Value | Array) -> Value:
        """Smallest epsilon [nats] at which the loss is (epsilon, delta)-DP, bounded from this side.

        `delta` is in [0, 1); inf where it is out of reach.
        """
        return worst("epsilon", self._pmfs, delta)

    def delta_composed(self, other: "PrivacyLossDistribution", epsilon: Value | Array) -> Value:
        """Delta of the composition of both at `epsilon`, without composing them.

        Each direction of one is composed with the same direction of the other, and the worst
        counts, so both must come from the same adjacency.

        Args:
            other: Of the same side, discretization interval and number of directions.
            epsilon: In [0, 1e4] nats.

        Returns:
            Delta, bounded from the side of both.

        Raises:
            ValueError: `epsilon` is out of range, or `other` does not fit.
            TypeError: An argument has the wrong type.

        Cost: O(n + m) an epsilon for n and m losses, where convolving them takes O(n log n).
        Source: Google's notes on privacy loss distributions, section 5.1.

        >>> import hockeystick as hs
        >>> step = hs.Gaussian(noise_multiplier=2.0)
        >>> once, twice = (run.pld(discretization_interval=1e-3) for run in (step, 2 * step))
        >>> abs(once.delta_composed(twice, 1.0) / (3 * step).delta(1.0) - 1) < 1e-3
        True
        """
        _checks.instance("other", other, PrivacyLossDistribution)
        pmfs = other._pmfs  # noqa: SLF001
        interval = self.discretization_interval
        for name, ours, theirs in (
            ("side", self.side, other.side),
            ("discretization_interval", interval, other.discretization_interval),
            ("number of directions", len(self._pmfs), len(pmfs)),
        ):
            if ours != theirs:
                raise ValueError(f"other must have {name} {ours!r}, got {theirs!r}")
        points = _checks.epsilon_array(epsilon)
        pairs = dict.fromkeys(zip(self._pmfs, pmfs, strict=True))
        answers = [_core.composed_delta(a, b, points.ravel()) for a, b in pairs]
        largest: Value = shaped(np.maximum.reduce(answers), points.shape)
        return largest

    def loss_mean(self) -> float:
        """The mean of the loss, the Kullback-Leibler divergence, bounded from this side.

        ``renyi_divergence`` of order 1.
        """
        return self.renyi_divergence(1.0)

    def renyi_divergence(self, order: Value | Array) -> Value:
        """The Renyi divergence [nats] of P from Q at an order in [1, 1e4], bounded from this side.

        An "upper" distribution answers inf where it has any mass at +inf, as it has for every loss
        without bounds. If the steps' supports hold all losses it is finite; what truncation then
        cut from the composition counts at the sum of the largest losses.

        Cost: one pass over the losses an order. Source: Mironov (2017), Definition 3; Sason & Verdu
        (2016), Theorem 11, for the integral over the hockey-stick curve.

        >>> import hockeystick as hs
        >>> run = (8 * hs.Gaussian(noise_multiplier=2.0)).pld(side="lower")
        >>> round(run.renyi_divergence(3.0), 2)
        3.0
        """
        return worst("renyi_divergence", self._pmfs, order)

    @overload
    def zcdp(self) -> float: ...
    @overload
    def zcdp(self, *, largest_order: Value | Array) -> Value: ...
    def zcdp(self, *, largest_order: Any = math.inf) -> Any:
        """The smallest rho with D_a <= rho a for 1 < a <= largest_order, bounded from this side.

        "upper" covers the whole continuum of orders, to about 1e-3; where a divergence is infinite
        so is rho. "lower" looks at some 300 orders, up to 64 if all are asked for. `largest_order`
        is in (1, 1e4], or inf for all.

        Cost: some 300 Renyi divergences. Source: Bun & Steinke (2016), Definition 1.1.

        >>> import hockeystick as hs
        >>> run = (8 * hs.ApproximateDP(epsilon=0.5, delta=0.0)).pld(discretization_interval=0.125)
        >>> run.zcdp() <= 8 * 0.5**2 / 2
        True
        """
        return worst("zcdp", self._pmfs, largest_order)

    def estimated_probabilistic_delta(self, epsilon: Value | Array) -> Value:
        """P(L > epsilon) of the losses as they are here, mass at +inf included; no bound.

        ``Composition.probabilistic_delta_bounds`` encloses that of the mechanism. `epsilon` is in
        [0, 1e4] nats.

        >>> import hockeystick as hs
        >>> run = hs.Gaussian(noise_multiplier=1.0).pld(discretization_interval=1e-3)
        >>> round(run.estimated_probabilistic_delta(0.5), 3)
        0.5
        """
        return worst("probabilistic_delta", self._pmfs, epsilon)

    def estimated_loss_quantile(self, level: Value | Array) -> Value:
        """The smallest t with P(L <= t) >= level, of the losses as they are here; no bound.

        `level` is in (0, 1), t in nats; inf where the mass at +inf exceeds 1 - level; what a lower
        estimate dropped counts as at -inf. ``Composition.loss_quantile_bounds`` encloses that of
        the mechanism.
        """
        return worst("loss_quantile", self._pmfs, level)

    def estimated_loss_variance(self) -> float:
        """The variance of the losses as they are here, inf with mass at +inf; no bound.

        ``Composition.loss_variance_bounds`` encloses that of the mechanism.
        """
        return worst("loss_variance", self._pmfs, 2.0)

    def reflected(self) -> "PrivacyLossDistribution":
        """The distribution for (Q, P): mass m at loss l becomes mass m e^-l at -l."""
        reflected = {pmf: pmf.reflected() for pmf in self._pmfs}
        pmfs = tuple(reflected[pmf] for pmf in self._pmfs)
        ways = tuple(way.reversed for way in self._ways)
        return PrivacyLossDistribution(pmfs, ways, self._viewed(_REFLECTED))

    def poisson_sampled(self, sampling_probability: float) -> "PrivacyLossDistribution":
        """The distribution of what it describes, run on a Poisson subsample.

        With q the probability, P becomes (1-q) Q + q P, P the output with the record. The certified
        curve h(alpha) becomes q h((alpha - 1 + q) / q), and 1 - alpha below alpha = 1 - q, at each
        of its kinks; these go on the grid again, as a step of ``Composition.pld``. So the side
        stays. Losses shrink with q and the interval does not: begin with one finer by about q.

        Args:
            sampling_probability: q, in [0, 1].

        Raises:
            ValueError: `sampling_probability` is out of range, any record may take the place of
                any other, or the interval is finer than the losses are known.
            TypeError: `sampling_probability` has the wrong type.

        Cost: O(n) for n losses. Source: Zhu, Dong & Wang (2022), Theorem 11; Feldman & Shenfeld
        (2026) apply it to distributions.

        >>> import hockeystick as hs
        >>> noise = hs.Gaussian(noise_multiplier=1.0)
        >>> sampled = noise.pld(discretization_interval=1e-4).poisson_sampled(0.1)
        >>> abs(sampled.delta(0.5) / noise.poisson_sampled(0.1).delta(0.5) - 1) < 1e-3
        True
        """
        q = _checks.probability("sampling_probability", sampling_probability)
        if any(way.replaces for way in self._ways):
            raise ValueError(
                "adjacency must be one in which a record is added, removed or made a special one, "
                "as no pair is proved to dominate a Poisson subsample in which any record takes "
                f"the place of any other, got {self._ways[0].value!r}"
            )
        if q == 1:
            return self
        pmfs = tuple(self._sampled(at, q) for at in range(len(self._pmfs)))
        return PrivacyLossDistribution(pmfs, self._ways, Recipe(partial(self.poisson_sampled, q)))

    def _sampled(self, at: int, q: float) -> _core.LossPmf:
        pmf, limit = self._pmfs[at], DEFAULT_MEMORY_LIMIT
        if q == 0:  # as of no mechanisms at all
            return _core.loss_pmf(
                _core.Terms([]),
                interval=pmf.interval,
                side=pmf.side,
                estimator="connect_dots",
                tail_mass=1e-15,
                memory_limit=limit,
            )
        backward = self._ways[at].form == "add"
        return _core.poisson_sampled(pmf, q, backward=backward, memory_limit=limit)

    def _viewed(self, view: int) -> Recipe:
        return self._recipe._replace(views=(*self._recipe.views, view))


def _made_again(make: object, views: object) -> PrivacyLossDistribution:
    """The distribution of a pickled recipe, checked as it is made: pickles may be damaged."""
    if not callable(make) or not isinstance(views, tuple):
        raise TypeError(f"a recipe must be a call and a tuple of views, got {make!r}, {views!r}")
    made = _checks.instance("the result of a recipe", make(), PrivacyLossDistribution)
    for view in views:
        ways = made.directions
        at = _checks.whole("each of views", view, _REFLECTED, len(ways) - 1)
        made = made.reflected() if at == _REFLECTED else ways[at]
    return made
