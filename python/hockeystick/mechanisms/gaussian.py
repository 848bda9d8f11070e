# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import nextafter
from typing import TYPE_CHECKING

from hockeystick import outward
from hockeystick._words import relative_noise, spoken
from hockeystick.composition import Mechanism, Terms
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

if TYPE_CHECKING:
    from hockeystick._checks import Vector
    from hockeystick.mechanisms.fixed_size_sampled import FixedSizeSampled
    from hockeystick.mechanisms.grouped import SampledGroup
    from hockeystick.mechanisms.shuffled import Shuffled


def merged_noise(gaussians: Iterable[tuple[float, int]], *, above: bool) -> float:
    """The noise of the one Gaussian that is these, by noise and count, rounded to one side."""
    squares = [
        outward.quotient(count, outward.product(noise, noise, above=above), above=not above)
        for noise, count in gaussians
    ]
    norm = outward.root(outward.total(squares, above=not above), above=not above)
    return float(outward.quotient(1.0, norm, above=above))


@dataclass(frozen=True, slots=True, repr=False)
class Gaussian(SamplableMechanism):
    """A sum of records of norm at most 1, plus normal noise.

    Dominated by N(1, s^2) against N(0, s^2), s the noise multiplier, when a record is added or
    removed (both directions alike) or made a special one that adds nothing, and by N(1, s^2)
    against N(-1, s^2) when one is replaced by another: the two sums then differ by up to 2.

    Args:
        noise_multiplier: s, the standard deviation of the noise over the norm bound; in
            [0.001, 1e12].
        sigma: In its place, the standard deviation of the noise in the units of the data; kept, and
            certified, is the double nearest to sigma / sensitivity.
        scale: The same.
        standard_deviation: The same.
        sensitivity: The norm bound in the units of the data, 1 if it is not given; with one of
            these three.

    Source: Balle & Wang (2018), Theorem 8.

    >>> Gaussian(4).poisson_sampled(0.5)
    Gaussian(4.0).poisson_sampled(0.5)
    """

    noise_multiplier: float

    def __init__(
        self,
        noise_multiplier: float | None = None,
        *,
        sigma: float | None = None,
        scale: float | None = None,
        standard_deviation: float | None = None,
        sensitivity: float | None = None,
    ) -> None:
        noise = relative_noise(
            noise_multiplier,
            sensitivity,
            sigma=sigma,
            scale=scale,
            standard_deviation=standard_deviation,
        )
        object.__setattr__(self, "noise_multiplier", noise)

    @classmethod
    def merged(cls, terms: Terms) -> Mechanism:
        """One Gaussian that equals these runs on the same data; its noise is rounded down.

        The vectors of a record in all runs, each over its noise, are one vector.
        """
        gaussians = [(one.noise_multiplier, count) for one, count in terms if type(one) is cls]
        if len(gaussians) < len(terms):
            return super(Gaussian, cls).merged(terms)
        if len(gaussians) == 1 and gaussians[0][1] == 1:
            return terms[0][0]
        squares = sum(count / Fraction(noise) ** 2 for noise, count in gaussians)
        noise = merged_noise(gaussians, above=True)
        while Fraction(noise) ** 2 * squares > 1:
            noise = nextafter(noise, 0.0)
        return cls(noise)

    def sampled_group(self, sampling_probabilities: "Vector") -> "SampledGroup":
        """A group of records, each drawn with a probability of its own. See `SampledGroup`."""
        from hockeystick.mechanisms.grouped import SampledGroup  # noqa: PLC0415

        return SampledGroup(self, sampling_probabilities=sampling_probabilities)

    @spoken
    def fixed_size_sampled(
        self, *, batch_size: int, dataset_size: int, replacement: bool = False
    ) -> "FixedSizeSampled":
        """The mechanism on a batch of fixed size, drawn from the data for each run."""
        from hockeystick.mechanisms.fixed_size_sampled import FixedSizeSampled  # noqa: PLC0415

        return FixedSizeSampled(
            mechanism=self,
            batch_size=batch_size,
            dataset_size=dataset_size,
            replacement=replacement,
        )

    @spoken
    def shuffled(
        self,
        batches: int,
        *,
        epochs: int = 1,
        left_out: int = 0,
        batch_size: int | None = None,
        last_batch: int | None = None,
    ) -> "Shuffled":
        """An epoch over the shuffled records, cut into batches of equal size.

        `left_out`: how many records at least are left out of every epoch; or `last_batch`: how many
        records the last batch has, if it is smaller. `batch_size`: how many records each batch has;
        large ones cost less. See `Shuffled`.
        """
        from hockeystick.mechanisms.shuffled import Shuffled  # noqa: PLC0415

        return Shuffled(
            mechanism=self,
            batches=batches,
            epochs=epochs,
            left_out=left_out,
            batch_size=batch_size,
            last_batch=last_batch,
        )
