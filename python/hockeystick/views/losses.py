# SPDX-License-Identifier: Apache-2.0
"""The privacy loss as a random variable: tails, quantiles and moments."""

import math

import numpy as np

from hockeystick import _checks, _core
from hockeystick._solve import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds, Value
from hockeystick.views._asked import Asked, Limits

_WORST = Adjacency.ADD_OR_REMOVE_ONE
TAIL_TOLERANCE = 1e-2


class LossViews(Asked):
    """Views of a composition's privacy loss L = log(dP/dQ)(x), x ~ P."""

    __slots__ = ()

    def probabilistic_delta(
        self,
        epsilon: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = TAIL_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified upper bound on P(L > epsilon), the upper end of ``probabilistic_delta_bounds``.

        >>> import hockeystick as hs
        >>> run = 3 * hs.Gaussian(noise_multiplier=3.0)
        >>> epsilon = 1.0986122886681098  # log 3
        >>> round(run.probabilistic_delta(epsilon), 5), round(run.delta(epsilon), 5)
        (0.05324, 0.01062)
        """
        return self.probabilistic_delta_bounds(
            epsilon, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def probabilistic_delta_bounds(
        self,
        epsilon: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = TAIL_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """The probability that the privacy loss exceeds epsilon, enclosed.

        A composition is (epsilon, delta)-DP with this delta, but ``delta(epsilon)`` is the smallest
        one, often several times smaller.

        Args:
            epsilon: In [0, 1e4] nats, scalar or any shape.
            adjacency: Which datasets are neighbours; the worst direction counts.
            tolerance: Widest relative gap accepted, in (1e-12, 1), on top of 1e-306. Where rounding
                cannot tell an atom of the loss from epsilon, no gap is narrower than its mass.
            memory_limit: Bytes the computation may take, > 0.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `epsilon`; the exact probability
            lies between, rounding included.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.

        Cost: grows as 1 / tolerance, where delta's grows as its root. Where all losses are atoms
        with at most 2^20 sums, these are listed instead, at most a second's work: to about 1e-12,
        and sums equal to epsilon are left out where losses are exact. Source: the slope of the
        hockey-stick curve, enclosed by chords; losses rounded up and down (Meiser & Mohammadi,
        2018).
        """
        points = _checks.epsilon_array(epsilon)
        return Limits.checked(tolerance, memory_limit).bounds(
            "P(L > epsilon)",
            "epsilon = ",
            points,
            self._directions(adjacency),
            _core.loss_tail_bounds,
        )

    def loss_quantile(
        self,
        level: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = TAIL_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified upper bound on a quantile of the loss, upper end of ``loss_quantile_bounds``.

        >>> import hockeystick as hs
        >>> round(hs.Gaussian(noise_multiplier=1.0).loss_quantile(0.5), 9)
        0.5
        """
        return self.loss_quantile_bounds(
            level, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def loss_quantile_bounds(
        self,
        level: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = TAIL_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """The smallest t with P(L <= t) >= level, enclosed.

        Args:
            level: In (0, 1), scalar or any shape.
            adjacency: Which datasets are neighbours; the direction with the larger quantile counts.
            tolerance: Widest gap accepted, in (1e-12, 1), in (forecast) standard deviations of L.
            memory_limit: Bytes the computation may take, > 0.

        Returns:
            ``lower`` and ``upper`` [nats], floats or arrays shaped like `level`; the exact quantile
            lies between, rounding included.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.

        Cost: as ``probabilistic_delta_bounds``.
        """
        points = _checks.open_unit_array("level", level)
        return Limits.checked(tolerance, memory_limit).bounds(
            "the quantile",
            "level = ",
            points,
            self._directions(adjacency),
            _core.loss_quantile_bounds,
        )

    def loss_mean(
        self,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> float:
        """Certified upper bound on the mean of the loss: the upper end of ``loss_mean_bounds``."""
        return self.loss_mean_bounds(
            adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def loss_mean_bounds(
        self,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[float]:
        """The mean of the loss, the Kullback-Leibler divergence of P from Q, enclosed.

        ``renyi_divergence_bounds`` of order 1; of the directions the larger mean counts.
        """
        return self.renyi_divergence_bounds(
            1.0, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        )

    def loss_variance(
        self,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> float:
        """Certified upper bound on the variance, the upper end of ``loss_variance_bounds``.

        >>> import hockeystick as hs
        >>> round((8 * hs.Gaussian(noise_multiplier=2.0)).loss_variance(), 9)
        2.0
        """
        return self.loss_variance_bounds(
            adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def loss_variance_bounds(
        self,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[float]:
        """The variance of the loss under P, enclosed; of the directions the larger counts.

        Arguments, errors and cost as in ``renyi_divergence_bounds``. Where the loss may be infinite
        there is no upper bound but inf.
        """
        return Limits.checked(tolerance, memory_limit).bounds(
            "the variance",
            "power ",
            np.array(2.0),
            self._directions(adjacency),
            _core.loss_variance_bounds,
        )

    def renyi_divergence(
        self,
        order: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified upper bound on Renyi-DP, the upper end of ``renyi_divergence_bounds``.

        >>> import hockeystick as hs
        >>> round((8 * hs.Gaussian(noise_multiplier=2.0)).renyi_divergence(3.0), 9)
        3.0
        """
        return self.renyi_divergence_bounds(
            order, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def renyi_divergence_bounds(
        self,
        order: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """The Renyi divergence of P from Q at an order, enclosed: (order, value)-RDP.

        log E_Q[(dP/dQ)^order] / (order - 1), at order 1 the Kullback-Leibler divergence. Orders
        below 1, which bound no delta, are refused. Divergences of the steps add up.

        Args:
            order: In [1, 1e4], scalar or any shape.
            adjacency: Which datasets are neighbours; the worst direction counts.
            tolerance: Widest relative gap accepted, in (1e-12, 1).
            memory_limit: Bytes > 0; some 200 MB at most are taken.

        Returns:
            ``lower`` and ``upper`` [nats], floats or arrays shaped like `order`; the exact
            divergence lies between, rounding included.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds. With
                sampled discrete Gaussians that is so at large orders, where the divergence comes
                from outcomes that binary64 cannot tell from impossible ones.

        Cost: one integral per mechanism and direction, whatever the counts. Those of Gaussians,
        sampled or mixed, are trapezoid sums of some hundred terms; the others go cell by cell
        between chords and Jensen's inequality, and grow as the root of 1 / tolerance. Source:
        Mironov (2017), Definition 3.
        """
        points = _checks.order_array("order", order, _checks.MAX_ORDER)
        return Limits.checked(tolerance, memory_limit).bounds(
            "the Renyi divergence",
            "order = ",
            points,
            self._directions(adjacency),
            _core.renyi_bounds,
        )

    def zcdp(
        self,
        *,
        largest_order: Value = math.inf,  # type: ignore[assignment]
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified upper bound on the zCDP parameter: the upper end of ``zcdp_bounds``.

        >>> import hockeystick as hs
        >>> round((8 * hs.Gaussian(noise_multiplier=2.0)).zcdp(), 9)
        1.0
        """
        return self.zcdp_bounds(
            largest_order=largest_order,
            adjacency=adjacency,
            tolerance=tolerance,
            memory_limit=memory_limit,
        ).upper

    def zcdp_bounds(
        self,
        *,
        largest_order: Value = math.inf,  # type: ignore[assignment]
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """The smallest rho with D_a <= rho a for every order 1 < a <= largest_order, enclosed.

        With all orders it is zero-concentrated DP, which gains nothing from sampling: for any
        sampling probability rho tends to that of the bare mechanism. With a finite one it is
        truncated CDP, which does. The whole continuum of orders is covered.

        Args:
            largest_order: In (1, 1e4], or inf for all; scalar or any shape.
            adjacency: Which datasets are neighbours; the worst direction counts.
            tolerance: Widest relative gap accepted, in (1e-12, 1).
            memory_limit: Bytes > 0; some 200 MB at most are taken.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `largest_order`; the exact rho
            lies between, rounding included.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.

        Cost: some 20 Renyi divergences, more at tighter tolerances, or none where rho is known in
        closed form. Source: Bun & Steinke (2016), Definition 1.1; Bun, Dwork, Rothblum & Steinke
        (2018), Definition 1.
        """
        points = _checks.order_array("largest_order", largest_order, math.inf, above_one=True)
        return Limits.checked(tolerance, memory_limit).bounds(
            "rho",
            "largest_order = ",
            points,
            self._directions(adjacency),
            _core.zcdp_bounds,
        )
