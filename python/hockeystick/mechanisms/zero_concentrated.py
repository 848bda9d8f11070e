# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of which only zero-concentrated differential privacy is known."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism

LEAST_RHO, MOST_RHO = 1e-24, 9e4


@dataclass(frozen=True, slots=True, repr=False)
class ZCDP(EnclosedMechanism):
    """Any rho-zero-concentrated mechanism, under whichever adjacency is asked.

    Of such a mechanism the Renyi divergences of all orders a > 1 are at most rho a, in both
    directions. The truth that is enclosed is the smallest epsilon, or delta, that all of them have:
    of a run, with any adaptive choice of them. Several make one whose rho is the sum, which bounds
    them from above (Canonne, Kamath & Steinke). From below bound Gaussians with
    sigma^2 = 1 / (2 rho), and in runs of these alone two outcomes each, which at small deltas close
    the gap of one rho, or of a few. Elsewhere bounds are ``limited_by == "theory"``. Renyi
    divergences and zCDP are exact. Runs of these alone never cost more than the formula of
    Canonne, Kamath & Steinke, ``baselines.zcdp_epsilon`` and ``baselines.zcdp_delta``.

    Args:
        rho: In nats; 0 or in [1e-24, 9e4].

    Source: Bun & Steinke (2016), Definition 1.1; Canonne, Kamath & Steinke (2020), Corollary 13.
    That two outcomes attain it: cpp/proofs/zero-concentrated-curve.md.

    >>> census = ZCDP(2.56)
    >>> lower, upper = census.epsilon_bounds(delta=1e-10)
    >>> 17.15 < lower < upper < 17.17
    True
    >>> run = 10 * ZCDP(0.25) + ZCDP(0.06)
    >>> round(run.zcdp(), 9), round(run.epsilon(delta=1e-10) / upper, 9)
    (2.56, 1.0)
    """

    rho: float

    def __post_init__(self) -> None:
        _checks.keep(self, rho=_checks.zero_or_within("rho", self.rho, LEAST_RHO, MOST_RHO))

    def simplified(self) -> Mechanism | None:
        """None at rho = 0: the output then ignores the data."""
        return None if self.rho == 0 else self
