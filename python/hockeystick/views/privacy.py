# SPDX-License-Identifier: Apache-2.0
"""Epsilon and delta."""

import math
from typing import Any, Never, Unpack
from warnings import warn

from hockeystick._words import refuse
from hockeystick.bounds import Array, Bounds, Value
from hockeystick.explanation import Explanation, explained
from hockeystick.limits import DEFAULT_SMALLEST, Limits, Options, ProbabilityOptions
from hockeystick.queries import Asked, described


@described
class PrivacyViews(Asked):
    """The parameters of (epsilon, delta)-differential privacy."""

    __slots__ = ()

    def epsilon(self, delta: Value | Array, *_more: Never, **options: Unpack[Options]) -> Value:
        """Certified upper bound on epsilon: the upper end of ``epsilon_bounds``, same arguments."""
        if _more:
            refuse(self.epsilon, (delta, *_more), options)
        found = self._safe("epsilon", delta, options)
        if (found == math.inf) is True:  # a single answer
            _say_that_deltas_add_up(self._alternatives, delta)
        return found

    def epsilon_bounds(
        self, delta: Value | Array, *_more: Never, **options: Unpack[Options]
    ) -> Bounds[Value]:
        """Smallest epsilon at which the composition is (epsilon, delta)-DP, enclosed.

        Args:
            delta: Target delta in [0, 1), scalar or any shape. At 0, pure differential privacy,
                epsilon is the largest privacy loss: inf if there is none, as for Gaussian noise.
            options: ``adjacency``, which datasets are neighbours, an ``Adjacency`` or its name: the
                worst direction counts. ``tolerance``, the widest gap accepted, relative to the
                answer, in (1e-12, 1). ``memory_limit``, the bytes the computation may take, > 0.

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
        if _more:
            refuse(self.epsilon_bounds, (delta, *_more), options)
        bounds = self._ask("epsilon", delta, options)
        bounds._asked = (self, {"delta": delta, **options})  # noqa: SLF001
        return bounds

    def delta(
        self, epsilon: Value | Array, *_more: Never, **options: Unpack[ProbabilityOptions]
    ) -> Value:
        """Certified upper bound on delta: the upper end of ``delta_bounds``, same arguments."""
        if _more:
            refuse(self.delta, (epsilon, *_more), options)
        return self._safe("delta", epsilon, options)

    def delta_bounds(
        self, epsilon: Value | Array, *_more: Never, **options: Unpack[ProbabilityOptions]
    ) -> Bounds[Value]:
        """Smallest delta at which the composition is (epsilon, delta)-DP, enclosed.

        This is the hockey-stick divergence of order e^epsilon, in the worst direction. Options and
        errors are those of ``epsilon_bounds``.

        Args:
            epsilon: In [0, 1e4] nats, scalar or any shape.
            options: As of ``epsilon_bounds``, and ``smallest``, the smallest delta of interest, in
                [0, 1): a delta that is certified to be below is enclosed to the tolerance only
                where that takes a few milliseconds. 0 asks for more.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `epsilon`. The exact delta lies
            between, rounding included, and ``upper - lower <= tolerance * upper``, or else
            ``upper <= smallest``, or ``upper <= 1e-300``, and `lower` may be 0. So
            may it next to the largest loss of a run, as of pure DP, where
            ``upper - lower <= LARGEST_LOSS_ROUNDING * (1 + epsilon)``, about 3e-14. An upper bound
            of exactly 0 says that no loss exceeds epsilon.

        Source: Doroshenko et al. (2022); Zhu, Dong & Wang (2022).
        """
        if _more:
            refuse(self.delta_bounds, (epsilon, *_more), options)
        bounds = self._ask("delta", epsilon, options)
        bounds._asked = (self, {"epsilon": epsilon, **options})  # noqa: SLF001
        return bounds

    def explain(
        self,
        delta: float | None = None,
        *,
        epsilon: float | None = None,
        **options: Unpack[ProbabilityOptions],
    ) -> Explanation:
        """The method that answers ``epsilon_bounds(delta)``, or ``delta_bounds(epsilon)``, and why.

        The directions are asked one by one, as if each were the only one: ``print`` it for a table.

        Args:
            delta: In [0, 1), or None.
            epsilon: In [0, 1e4] nats, or None; one of both is given.
            options: As of ``epsilon_bounds``, or of ``delta_bounds``.

        Raises:
            TypeError: Neither is given, or both.
            ValueError: An argument is out of range.

        >>> import hockeystick as hs
        >>> run = 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
        >>> [row.method for row in run.explain(delta=1e-5).directions[0] if row.verdict == "chosen"]
        ['contour_integral']
        """
        if (delta is None) == (epsilon is None):
            raise TypeError("explain needs one of delta and epsilon")
        if epsilon is None:
            limits = Limits().updated(options, asks=("explain", "delta", "epsilon"))
            return explained(self, "epsilon", delta, limits)
        limits = Limits(smallest=DEFAULT_SMALLEST).updated(
            options, has_smallest=True, asks=("explain", "delta", "epsilon")
        )
        return explained(self, "delta", epsilon, limits)


def _say_that_deltas_add_up(runs: tuple[tuple[tuple[Any, int], ...], ...], delta: object) -> None:
    """Warn where guarantees that fail with some probability leave no epsilon."""
    total = max(
        math.fsum(count * getattr(one, "guaranteed_delta", 0.0) for one, count in terms)
        for terms in runs
    )
    if total > float(delta):  # type: ignore[arg-type]
        warn(
            f"epsilon is infinite: the deltas of the mechanisms add up, to {total:.3g}, "
            f"which is above delta = {delta!r}",
            stacklevel=3,
        )
