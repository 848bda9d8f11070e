# SPDX-License-Identifier: Apache-2.0
"""The privacy loss as a random variable: tails, quantiles and moments."""

import math
from typing import Any, Unpack, overload

from hockeystick.bounds import Array, Bounds, Value
from hockeystick.limits import Options, ProbabilityOptions, QuantileOptions
from hockeystick.queries import Asked, described


@described
class LossViews(Asked):
    """Views of a composition's privacy loss L = log(dP/dQ)(x), x ~ P."""

    __slots__ = ()

    def probabilistic_delta(
        self, epsilon: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Value:
        """Certified upper bound on P(L > epsilon), the upper end of ``probabilistic_delta_bounds``.

        >>> import hockeystick as hs
        >>> run = 3 * hs.Gaussian(noise_multiplier=3.0)
        >>> epsilon = 1.0986122886681098  # log 3
        >>> round(run.probabilistic_delta(epsilon), 5), round(run.delta(epsilon), 5)
        (0.05324, 0.01062)
        """
        return self._safe("probabilistic_delta", epsilon, options)

    def probabilistic_delta_bounds(
        self, epsilon: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Bounds[Value]:
        """The probability that the privacy loss exceeds epsilon, enclosed.

        A composition is (epsilon, delta)-DP with this delta, but ``delta(epsilon)`` is the smallest
        one, often several times smaller.

        Args:
            epsilon: In [0, 1e4] nats, scalar or any shape.
            options: As of ``delta_bounds``. The gap may exceed `tolerance` times the answer by
                1e-306. Where epsilon is an atom of a loss that has a density, too, or rounding
                cannot tell it from one, no gap is narrower than the atom's mass.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `epsilon`; the exact probability
            lies between, rounding included.

        Cost: grows as 1 / tolerance, where delta's grows as its root. Where all losses are atoms
        with at most 2^20 sums, these are listed instead, at most a second's work: to about 1e-12,
        and sums equal to epsilon are left out where losses are exact. Of a run that is known by its
        hockey-stick curve from above and below, the largest probability that the two allow counts,
        and the bounds are some percent apart or as far as theory leaves them: ``limited_by``.
        Source: the slope of the hockey-stick curve, enclosed by chords; losses rounded up and down
        (Meiser & Mohammadi, 2018).
        """
        return self._ask("probabilistic_delta", epsilon, options)

    def loss_quantile(self, level: Value | Array, **options: Unpack[QuantileOptions]) -> Value:
        """Certified upper bound on a quantile of the loss, upper end of ``loss_quantile_bounds``.

        >>> import hockeystick as hs
        >>> round(hs.Gaussian(noise_multiplier=1.0).loss_quantile(0.5), 9)
        0.5
        """
        return self._safe("loss_quantile", level, options)

    def loss_quantile_bounds(
        self, level: Value | Array, **options: Unpack[QuantileOptions]
    ) -> Bounds[Value]:
        """The smallest t with P(L <= t) >= level, enclosed.

        Args:
            level: In (0, 1), scalar or any shape.
            options: As of ``epsilon_bounds``, but in place of `tolerance` ``deviations``, the
                widest gap accepted in (forecast) standard deviations of L, in (1e-12, 1). Where
                rare outcomes lose much and so narrow a gap takes long, the gap counts in distances
                over which the tail falls by a factor of e. Of two directions the one with the
                larger quantile counts.

        Returns:
            ``lower`` and ``upper`` [nats], floats or arrays shaped like `level`; the exact quantile
            lies between, rounding included.

        Cost, and runs known by their curve: as ``probabilistic_delta_bounds``.
        """
        return self._ask("loss_quantile", level, options)

    def loss_mean(self, **options: Unpack[Options]) -> float:
        """Certified upper bound on the mean of the loss: the upper end of ``loss_mean_bounds``."""
        return self._safe("renyi_divergence", 1.0, options)

    def loss_mean_bounds(self, **options: Unpack[Options]) -> Bounds[float]:
        """The mean of the loss, the Kullback-Leibler divergence of P from Q, enclosed.

        ``renyi_divergence_bounds`` of order 1; of the directions the larger mean counts.
        """
        return self._ask("renyi_divergence", 1.0, options)

    def loss_variance(self, **options: Unpack[Options]) -> float:
        """Certified upper bound on the variance, the upper end of ``loss_variance_bounds``.

        >>> import hockeystick as hs
        >>> round((8 * hs.Gaussian(noise_multiplier=2.0)).loss_variance(), 9)
        2.0
        """
        return self._safe("loss_variance", 2.0, options)

    def loss_variance_bounds(self, **options: Unpack[Options]) -> Bounds[float]:
        """The variance of the loss under P, enclosed; of the directions the larger counts.

        Cost as of ``renyi_divergence_bounds``. Where the loss may be infinite there is no upper
        bound but inf.
        """
        return self._ask("loss_variance", 2.0, options)

    def renyi_divergence(self, order: Value | Array, **options: Unpack[Options]) -> Value:
        """Certified upper bound on Renyi-DP, the upper end of ``renyi_divergence_bounds``.

        >>> import hockeystick as hs
        >>> round((8 * hs.Gaussian(noise_multiplier=2.0)).renyi_divergence(3.0), 9)
        3.0
        """
        return self._safe("renyi_divergence", order, options)

    def renyi_divergence_bounds(
        self, order: Value | Array, **options: Unpack[Options]
    ) -> Bounds[Value]:
        """The Renyi divergence of P from Q at an order, enclosed: (order, value)-RDP.

        log E_Q[(dP/dQ)^order] / (order - 1), at order 1 the Kullback-Leibler divergence. Orders
        below 1, which bound no delta, are refused. Divergences of the steps add up.

        Args:
            order: In [1, 1e4], scalar or any shape.
            options: As of ``epsilon_bounds``; some 200 MB of memory at most are taken.

        Returns:
            ``lower`` and ``upper`` [nats], floats or arrays shaped like `order`; the exact
            divergence lies between, rounding included.

        Raises:
            CertificationError: The tolerance is out of reach; carries the best bounds. With
                sampled discrete Gaussians that is so at large orders, where the divergence comes
                from outcomes that binary64 cannot tell from impossible ones.

        Cost: one integral per mechanism and direction, whatever the counts. Those of Gaussians,
        sampled or mixed, are trapezoid sums of some hundred terms; the others go cell by cell
        between chords and Jensen's inequality, and grow as the root of 1 / tolerance. Source:
        Mironov (2017), Definition 3.
        """
        return self._ask("renyi_divergence", order, options)

    @overload
    def zcdp(self, **options: Unpack[Options]) -> float: ...
    @overload
    def zcdp(self, *, largest_order: Value | Array, **options: Unpack[Options]) -> Value: ...
    def zcdp(self, *, largest_order: Any = math.inf, **options: Unpack[Options]) -> Any:
        """Certified upper bound on the zCDP parameter: the upper end of ``zcdp_bounds``.

        >>> import hockeystick as hs
        >>> round((8 * hs.Gaussian(noise_multiplier=2.0)).zcdp(), 9)
        1.0
        """
        return self._safe("zcdp", largest_order, options)

    @overload
    def zcdp_bounds(self, **options: Unpack[Options]) -> Bounds[float]: ...
    @overload
    def zcdp_bounds(
        self, *, largest_order: Value | Array, **options: Unpack[Options]
    ) -> Bounds[Value]: ...
    def zcdp_bounds(self, *, largest_order: Any = math.inf, **options: Unpack[Options]) -> Any:
        """The smallest rho with D_a <= rho a for every order 1 < a <= largest_order, enclosed.

        With all orders it is zero-concentrated DP, which gains nothing from sampling: for any
        sampling probability rho tends to that of the bare mechanism. With a finite one it is
        truncated CDP, which does. The whole continuum of orders is covered.

        Args:
            largest_order: In (1, 1e4], or inf for all; scalar or any shape.
            options: As of ``epsilon_bounds``; some 200 MB of memory at most are taken.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `largest_order`; the exact rho
            lies between, rounding included.

        Cost: some 20 Renyi divergences, more at tighter tolerances, or none where rho is known in
        closed form. Source: Bun & Steinke (2016), Definition 1.1; Bun, Dwork, Rothblum & Steinke
        (2018), Definition 1.
        """
        return self._ask("zcdp", largest_order, options)
