# SPDX-License-Identifier: Apache-2.0
"""The privacy loss as a random variable: tails, quantiles and moments."""

from hockeystick import _checks, _core
from hockeystick._solve import DEFAULT_MEMORY_LIMIT
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
            tolerance: Widest relative gap accepted, in (1e-12, 1). Where an atom of the loss lies
                at epsilon, its mass cannot be told from the tail.
            memory_limit: Bytes the computation may take, > 0.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `epsilon`; the exact probability
            lies between, rounding included.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.

        Cost: grows as 1 / tolerance, where delta's grows as its root. Source: the slope of the
        hockey-stick curve, enclosed by chords.
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
