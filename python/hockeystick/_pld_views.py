# SPDX-License-Identifier: Apache-2.0
"""Other ways to look at an explicit privacy loss distribution than epsilon and delta."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from hockeystick import _checks, _core
from hockeystick._bayes import log_odds, risk
from hockeystick._checks import FloatArray
from hockeystick.bounds import Value

_HALF = 0.5
View = Callable[[_core.LossPmf, FloatArray], FloatArray]


class PldViews(ABC):
    """Views of a distribution that is estimated from one side, by the names a composition uses.

    What follows from the hockey-stick curve is bounded from the side of the distribution: Bayes
    risk, mu of Gaussian differential privacy, mean of the loss, Renyi divergences and zCDP. Tails,
    quantiles and the variance do not: they describe the losses and probabilities as they are here
    and bound nothing of the mechanism's. ``Composition`` encloses those.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def _laws(self) -> tuple[_core.LossPmf, ...]:
        """One distribution per direction."""

    @property
    def _reversed_laws(self) -> tuple[_core.LossPmf, ...]:
        """The same for (Q, P); two directions are each other's reverse, be they one law or two."""
        laws = self._laws
        return laws if len(laws) > 1 else tuple(law.reflected() for law in laws)

    def bayes_risk(self, prior: Value = 0.5) -> Value:  # type: ignore[assignment]
        """The smallest error probability of a test that knows the prior, bounded from this side.

        Never overstated if `side` is "upper": prior * (1 - delta(log((1 - prior) / prior))), where
        `prior` is the probability of the dataset that the test calls positive.

        Args:
            prior: In (0, 1), scalar or any shape.

        Returns:
            A float, or an array shaped like `prior`.

        >>> import hockeystick as hs
        >>> run = hs.Gaussian(noise_multiplier=1.0).pld(discretization_interval=1e-3)
        >>> round(run.bayes_risk(), 4)
        0.3085
        """
        points = _checks.open_unit_array("prior", prior)
        rare = points <= _HALF
        flat = np.where(rare, points, 1 - points)  # 1 - prior is exact then
        odds = np.vectorize(log_odds, otypes=[float])(flat)
        deltas = np.where(
            rare,
            worst(self._laws, _core.LossPmf.delta, odds),
            worst(self._reversed_laws, _core.LossPmf.delta, odds),
        )
        upwards = self._laws[0].side == "lower"
        risks = [risk(p, d, upwards=upwards) for p, d in zip(flat.flat, deltas.flat, strict=True)]
        result: Value = shaped(np.array(risks), points.shape)
        return result

    def gdp_mu(self, *, smallest_rate: Value = 1e-12) -> Value:  # type: ignore[assignment]
        """The smallest mu of Gaussian differential privacy, bounded from this side.

        The smallest mu such that no test of which both error rates are at least `smallest_rate`
        does better than on N(mu, 1) against N(0, 1): for "upper", over the whole continuum of such
        tests. Rates below 1e-10 or so drown in the mass that an upper estimate puts at +inf;
        ``Composition.gdp_mu`` goes deeper.

        Args:
            smallest_rate: In [1e-20, 0.5), scalar or any shape.

        Returns:
            A float, or an array shaped like `smallest_rate`.

        Source: Dong, Roth & Su (2022), Definition 2.6.

        >>> import hockeystick as hs
        >>> run = (9 * hs.Gaussian(noise_multiplier=2.0)).pld(discretization_interval=1e-3)
        >>> 1.5 <= run.gdp_mu(smallest_rate=1e-6) <= 1.5001
        True
        """
        points = _checks.smallest_rate_array(smallest_rate)
        both = dict.fromkeys(self._laws + self._reversed_laws)
        mu: Value = shaped(worst(both, _core.pld_gdp_mu, points), points.shape)
        return mu

    def loss_mean(self) -> float:
        """The mean of the loss, the Kullback-Leibler divergence, bounded from this side.

        ``renyi_divergence`` of order 1.
        """
        return self.renyi_divergence(1.0)

    def renyi_divergence(self, order: Value) -> Value:
        """The Renyi divergence of P from Q at an order, bounded from this side.

        An "upper" distribution answers inf where it has any mass at +inf, as it has for every loss
        without bounds. If the steps' supports hold all losses it is finite; what truncation then
        cut from the composition counts at the sum of the largest losses.

        Args:
            order: In [1, 1e4], scalar or any shape.

        Returns:
            A float, or an array shaped like `order`, in nats.

        Cost: one pass over the losses an order. Source: Mironov (2017), Definition 3; Sason & Verdu
        (2016), Theorem 11, for the integral over the hockey-stick curve.

        >>> import hockeystick as hs
        >>> run = (8 * hs.Gaussian(noise_multiplier=2.0)).pld(side="lower")
        >>> round(run.renyi_divergence(3.0), 2)
        3.0
        """
        points = _checks.order_array("order", order, _checks.MAX_ORDER)
        divergence: Value = shaped(worst(self._laws, _core.pld_renyi, points), points.shape)
        return divergence

    def zcdp(self, *, largest_order: Value = math.inf) -> Value:  # type: ignore[assignment]
        """The smallest rho with D_a <= rho a for 1 < a <= largest_order, bounded from this side.

        "upper" covers the whole continuum of orders, to about 1e-3; where a divergence is infinite
        so is rho. "lower" looks at some 300 orders, up to 64 if all are asked for.

        Args:
            largest_order: In (1, 1e4], or inf for all; scalar or any shape.

        Returns:
            A float, or an array shaped like `largest_order`.

        Cost: some 300 Renyi divergences. Source: Bun & Steinke (2016), Definition 1.1.

        >>> import hockeystick as hs
        >>> run = (8 * hs.ApproximateDP(epsilon=0.5, delta=0.0)).pld(discretization_interval=0.125)
        >>> run.zcdp() <= 8 * 0.5**2 / 2
        True
        """
        points = _checks.order_array("largest_order", largest_order, math.inf, above_one=True)
        rho: Value = shaped(worst(self._laws, _core.pld_zcdp, points), points.shape)
        return rho

    def probabilistic_delta(self, epsilon: Value) -> Value:
        """P(L > epsilon) of the losses as they are here, mass at +inf included; no bound.

        ``Composition.probabilistic_delta_bounds`` encloses that of the mechanism.

        Args:
            epsilon: In [0, 1e4] nats, scalar or any shape.

        Returns:
            A float, or an array shaped like `epsilon`.

        >>> import hockeystick as hs
        >>> run = hs.Gaussian(noise_multiplier=1.0).pld(discretization_interval=1e-3)
        >>> round(run.probabilistic_delta(0.5), 3)
        0.5
        """
        points = _checks.epsilon_array(epsilon)
        tail: Value = shaped(worst(self._laws, _core.pld_tail, points), points.shape)
        return tail

    def loss_quantile(self, level: Value) -> Value:
        """The smallest t with P(L <= t) >= level, of the losses as they are here; no bound.

        inf where the mass at +inf exceeds 1 - level; what a lower estimate dropped counts as at
        -inf. ``Composition.loss_quantile_bounds`` encloses that of the mechanism.

        Args:
            level: In (0, 1), scalar or any shape.

        Returns:
            A float, or an array shaped like `level`, in nats.
        """
        points = _checks.open_unit_array("level", level)
        quantile: Value = shaped(worst(self._laws, _core.pld_quantile, points), points.shape)
        return quantile

    def loss_variance(self) -> float:
        """The variance of the losses as they are here, inf with mass at +inf; no bound.

        ``Composition.loss_variance_bounds`` encloses that of the mechanism.
        """
        return max(_core.pld_variance(law) for law in self._laws)


def worst(laws: Iterable[_core.LossPmf], view: View, points: FloatArray) -> FloatArray:
    """The largest of the laws' answers at each point, shaped like `points`."""
    answers = [view(law, points.ravel()) for law in dict.fromkeys(laws)]
    largest: FloatArray = np.maximum.reduce(answers).reshape(points.shape)
    return largest


def shaped(values: FloatArray, shape: tuple[int, ...]) -> Any:  # noqa: ANN401
    """An array of `shape`, or a float if it is empty."""
    return values.reshape(shape) if shape else float(values.reshape(()))
