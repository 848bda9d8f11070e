# SPDX-License-Identifier: Apache-2.0
"""A Gaussian mechanism whose sensitivity is random."""

import math
from dataclasses import dataclass

from hockeystick import _checks
from hockeystick._checks import Vector
from hockeystick._outcomes import SUM_TOLERANCE
from hockeystick._words import one_of
from hockeystick.composition import Mechanism
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

MOST_COMPONENTS = 1000


@dataclass(frozen=True, slots=True, repr=False)
class GaussianMixture(SamplableMechanism):
    """Normal noise on a sum that one record moves by a random amount.

    With probability p_i the record counts as a vector of norm at most s_i, independently of the
    noise. With noise of standard deviation s the mechanism is dominated, when the record is removed
    (or made a special one that adds nothing), by

        sum_i p_i N(s_i, s^2)  against  N(0, s^2),

    and by the reverse when it is added. Sampling with probability q leaves a mixture with more
    weight at 0. No pair is known for replacing a record by any other.

    Args:
        standard_deviation: Of the noise, > 0, in the units of the sensitivities.
        sigma: The same.
        scale: The same.
        sensitivities: The s_i, each 0 or within [1e-12, 1000] standard deviations, in any order,
            equal ones allowed; at most 1000.
        probabilities: The p_i, each in (0, 1], as many. They must sum to 1 within 1e-9; each is
            taken divided by their sum.

    Certified: rounding included, for the probabilities so normalised.

    Cost: grows with the number of sensitivities, and with their square where they spread over many
    standard deviations: epsilon of one step takes some 20 ms for ten of them, a fifth of a second
    for a hundred within ten deviations, seconds for a hundred within a hundred.

    Source: Choquette-Choo, Ganesh, Steinke & Thakurta (2024), "Privacy amplification for matrix
    mechanisms", Section 3.

    >>> GaussianMixture(2, sensitivities=[0, 1], probabilities=[0.9, 0.1])
    GaussianMixture(2.0, sensitivities=(0.0, 1.0), probabilities=(0.9, 0.1))
    """

    standard_deviation: float
    sensitivities: Vector
    probabilities: Vector

    def __init__(
        self,
        standard_deviation: float | None = None,
        *,
        sensitivities: Vector,
        probabilities: Vector,
        sigma: float | None = None,
        scale: float | None = None,
    ) -> None:
        given = one_of(standard_deviation=standard_deviation, sigma=sigma, scale=scale)
        deviation = _checks.positive(*given)
        low, high = deviation * 1e-12, deviation * 1e3
        norms = _checks.vector(
            "sensitivities",
            sensitivities,
            "0 or within [1e-12, 1000] standard deviations",
            lambda x: x == 0 or low <= x <= high,
            MOST_COMPONENTS,
        )
        weights = _checks.vector(
            "probabilities", probabilities, "in (0, 1]", lambda x: 0 < x <= 1, MOST_COMPONENTS
        )
        if len(weights) != len(norms):
            raise ValueError(
                f"probabilities must be {len(norms)}, one for each sensitivity, got {len(weights)}"
            )
        total = math.fsum(weights)
        if not abs(total - 1) <= SUM_TOLERANCE:
            raise ValueError(
                f"probabilities must sum to 1 within {SUM_TOLERANCE:g}, got a sum of {total!r}"
            )
        _checks.keep(self, standard_deviation=deviation, sensitivities=norms, probabilities=weights)

    def simplified(self) -> Mechanism | None:
        """None if all sensitivities are 0."""
        return self if any(self.sensitivities) else None
