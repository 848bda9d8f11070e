# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism on a Poisson subsample of bounded size."""

from dataclasses import dataclass

from hockeystick import _checks, _core
from hockeystick._words import relative_noise
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._pair import described_pair
from hockeystick.mechanisms.gaussian import Gaussian

LARGEST_DATASET = 10**9


@dataclass(frozen=True, slots=True, repr=False)
class TruncatedPoissonGaussian(Mechanism):
    """The Gaussian mechanism on a Poisson subsample that is cut down to a largest batch.

    Each record joins with `sampling_probability`; from a sample larger than `truncated_batch_size`
    a uniform subset of that size is kept; the kept records, of norm at most 1, are summed and
    normal noise is added. Unlike plain Poisson sampling this depends on the other records: a record
    may push another one out. Let t be the probability that a sample of the other n - 1 records
    has B or more. The mechanism is dominated by a public draw, with probability 1 - t, of the
    Poisson-sampled Gaussian and else of the same at half the noise multiplier, sampled with

        q' = (B / n) P(Bin(n, q) > B) / P(Bin(n - 1, q) >= B).

    Under REPLACE_SPECIAL the special record takes places as well, and the second case is that of
    replacement. Certified are bounds for this pair. It dominates, but no mechanism attains it, so
    the lower bounds are not lower bounds for the mechanism.

    Args:
        noise_multiplier: Standard deviation of the noise over the norm bound; in [0.001, 1e12].
        sampling_probability: q, in [0, 1].
        truncated_batch_size: B, the largest batch, in [1, 1e9].
        dataset_size: n, in [1, 1e9]: of the larger dataset if one is added or removed.
        sigma: In place of the noise multiplier, as of ``Gaussian``.
        scale: The same.
        standard_deviation: The same.
        sensitivity: As of ``Gaussian``.

    Cost: once, about 80 sqrt(n q (1 - q)) terms: 0.2 s for n = 1e9.

    Source: Ganesh (2025), "Tighter privacy analysis for truncated Poisson sampling"; Chua et al.
    (2024), "Scalable DP-SGD: shuffling vs. Poisson subsampling".

    >>> step = TruncatedPoissonGaussian(noise_multiplier=1, sampling_probability=0.01,
    ...                                 truncated_batch_size=150, dataset_size=10_000)
    >>> plain = Gaussian(noise_multiplier=1).poisson_sampled(0.01)
    >>> (1000 * step).epsilon(delta=1e-5) > (1000 * plain).epsilon_bounds(delta=1e-5).lower
    True
    """

    noise_multiplier: float
    sampling_probability: float
    truncated_batch_size: int
    dataset_size: int

    def __init__(
        self,
        noise_multiplier: float | None = None,
        *,
        sampling_probability: float,
        truncated_batch_size: int,
        dataset_size: int,
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
        size = _checks.whole("dataset_size", dataset_size, 1, LARGEST_DATASET)
        batch = _checks.whole("truncated_batch_size", truncated_batch_size, 1, LARGEST_DATASET)
        q = _checks.probability("sampling_probability", sampling_probability)
        _checks.keep(
            self,
            noise_multiplier=noise,
            sampling_probability=q,
            truncated_batch_size=batch,
            dataset_size=size,
        )

    def simplified(self) -> Mechanism | None:
        """None at q = 0; the Gaussian on a plain Poisson subsample where nothing is ever cut."""
        if self.truncated_batch_size < self.dataset_size and self.sampling_probability > 0:
            return self
        plain = Gaussian(noise_multiplier=self.noise_multiplier)
        return plain.poisson_sampled(self.sampling_probability).simplified()

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`."""
        return described_pair(self, direction)
