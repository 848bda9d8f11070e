# SPDX-License-Identifier: Apache-2.0
"""A mechanism that the user knows by an enclosure of its hockey-stick curve."""

import math
from dataclasses import dataclass
from typing import ClassVar

from hockeystick import _checks
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import Accuracy, EnclosedMechanism

MOST_POINTS = 10**6


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HockeyStickCurve(EnclosedMechanism):
    """A mechanism whose curve h(alpha) = sup over S of P(S) - alpha Q(S) is enclosed at points.

    Certified is everything that follows from lower[k] <= h(alpha[k]) <= upper[k], that h is convex
    and does not increase, h(0) = 1 and h(alpha) >= 1 - alpha: above lies the lower convex hull of
    the upper values, below what the chords of their neighbours, continued, allow. An error eta of
    the values shifts the curve by eta, and n runs by n eta at most. That the curve is that of the
    mechanism is the giver's to know.

    P is the output with the record, or with the one that is replaced; in the other direction of an
    adjacency the reverse counts.

    Args:
        alpha: Increasing, in (0, 1e280), at least two; alpha = e^epsilon. The curve is known best
            where they are dense, on both sides of 1.
        lower: Lower bounds of h there.
        upper: Upper bounds, upper >= 1 - alpha. Values between which no curve lies are refused.

    >>> import math
    >>> alpha = [math.exp(0.01 * k) for k in range(-500, 501)]
    >>> values = [max(0.0, 0.25 * (3 - a), 1 - a) for a in alpha]  # randomized response, log 3
    >>> response = HockeyStickCurve(alpha=alpha, lower=values, upper=values)
    >>> (4 * response).epsilon(delta=1e-2) < 4 * math.log(3)
    True
    """

    alpha: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("alpha", "lower", "upper"):
            values = _checks.vector(
                name, getattr(self, name), "a finite number", math.isfinite, MOST_POINTS
            )
            _checks.keep(self, **{name: values})
        if not len(self.alpha) == len(self.lower) == len(self.upper) > 1:
            raise ValueError(
                "alpha, lower and upper must have the same length, at least 2, got "
                f"{len(self.alpha)}, {len(self.lower)} and {len(self.upper)}"
            )
        self.pair_above(Direction.REMOVE, Accuracy())  # the core refuses what is no curve

    def poisson_sampled(self, sampling_probability: float) -> "PoissonSampledCurve":
        """The mechanism on a subsample that holds each record with `sampling_probability`."""
        return PoissonSampledCurve(mechanism=self, sampling_probability=sampling_probability)


@dataclass(frozen=True, slots=True, repr=False)
class PoissonSampledCurve(EnclosedMechanism):
    """A mechanism that is known by an enclosure of its curve, on a Poisson subsample.

    The curve of a removed record is q h((alpha - 1 + q) / q) for alpha > 1 - q, else 1 - alpha; its
    reverse counts when one is added. None is known for replaced records.

    Args:
        mechanism: What runs on the subsample.
        sampling_probability: q, in [0, 1].

    Source: Zhu, Dong & Wang (2022), Theorem 11.
    """

    made_by: ClassVar[str] = "poisson_sampled"
    mechanism: HockeyStickCurve
    sampling_probability: float

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, HockeyStickCurve)
        q = _checks.probability("sampling_probability", self.sampling_probability)
        _checks.keep(self, sampling_probability=q)

    def simplified(self) -> Mechanism | None:
        """None at q = 0, the mechanism itself at q = 1."""
        if self.sampling_probability == 0:
            return None
        return self.mechanism if self.sampling_probability == 1 else self
