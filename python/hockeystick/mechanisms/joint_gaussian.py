# SPDX-License-Identifier: Apache-2.0
"""Gaussian mechanisms on the same records, released together."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick._checks import Vector
from hockeystick.composition import Mechanism, Terms
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True, repr=False)
class JointGaussian(SamplableMechanism):
    """Several Gaussian mechanisms on the same records, as one that can be sampled: see `joint`.

    Dominated by one Gaussian mechanism whose 1 / noise_multiplier^2 is the sum of theirs, under
    every adjacency, and attained by it: each sum divided by its noise, they are one vector, and the
    privacy of a Gaussian depends on how far that moves alone. The root of the sum is no double as a
    rule; it is enclosed, not rounded.

    Args:
        noise_multipliers: Of the mechanisms, each in [0.001, 1e12].
        counts: How often each runs, whole numbers in [1, 1e9]; once if they are not given.

    Certified: with the exact sum of what the numbers given are.

    Source: Balle & Wang (2018), Theorem 8; the argument is in
    cpp/mechanisms/gaussian/joint_gaussian.cpp.

    >>> joined = JointGaussian(noise_multipliers=(3.0, 4.0))
    >>> bounds = joined.epsilon_bounds(delta=1e-6)
    >>> alone = Gaussian(2.4).epsilon_bounds(delta=1e-6)
    >>> bounds.lower <= alone.upper and alone.lower <= bounds.upper
    True
    >>> joined.poisson_sampled(0.01).epsilon(1e-6) < 0.3
    True
    """

    noise_multipliers: Vector
    counts: Vector | None = None

    def __post_init__(self) -> None:
        low, high = _checks.MIN_NOISE, _checks.MAX_NOISE
        noises = _checks.vector(
            "noise_multipliers",
            self.noise_multipliers,
            f"within [{low:g}, {high:g}]",
            lambda x: low <= x <= high,
            MOST_PARTS,
        )
        given = [1.0] * len(noises) if self.counts is None else self.counts
        counts = _checks.vector(
            *("counts", given, f"whole numbers in [1, {_checks.MAX_COUNT:g}]"),
            lambda x: 1 <= x <= _checks.MAX_COUNT and x == int(x),
            MOST_PARTS,
        )
        if len(counts) != len(noises):
            raise ValueError(
                f"counts must be {len(noises)}, one for each noise multiplier, got {len(counts)}"
            )
        together: dict[float, float] = {}
        for noise, count in sorted(zip(noises, counts, strict=True)):
            together[noise] = together.get(noise, 0.0) + count
        for noise, count in together.items():
            if count > _checks.MAX_COUNT:
                raise ValueError(
                    f"counts must be at most {_checks.MAX_COUNT:g} of one noise multiplier, got "
                    f"{count:g} of {noise!r}"
                )
        _checks.keep(self, noise_multipliers=tuple(together), counts=tuple(together.values()))

    def simplified(self) -> Mechanism:
        """The Gaussian itself if there is one, once."""
        alone = self.counts == (1.0,)
        return Gaussian(self.noise_multipliers[0]) if alone else self

    @property
    def parts(self) -> Terms:
        """The mechanisms, and how often each runs."""
        counts = self.counts or ()
        return tuple(
            (Gaussian(noise), int(count))
            for noise, count in zip(self.noise_multipliers, counts, strict=True)
        )
