# SPDX-License-Identifier: Apache-2.0
"""Matrix mechanisms of strategies with a formula: Toeplitz matrices, buffers and trees."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from hockeystick import _checks, _core
from hockeystick._checks import Vector
from hockeystick.mechanisms._correlated_noise import Amplified, CorrelatedNoise, numbers

MOST_STEPS = 10**6


@dataclass(frozen=True, slots=True, repr=False)
class ToeplitzMechanism(CorrelatedNoise):
    """A matrix mechanism whose strategy is a lower triangular Toeplitz matrix.

    Coefficients that are not negative and do not grow have the worst record at steps 0, b, 2 b and
    so on, and the sensitivity is exact; so it is if there are no more of them than
    `min_separation`, whatever their signs. Of others it is enclosed: for up to 512 steps as of any
    matrix, else from above by the correlations of the coefficients, and by the largest of each
    coefficient and all later ones.

    Args:
        coefficients: The first column, of which the first `steps` count; 0 after them.
        steps: T, in [1, 1e6].
        noise_multiplier: As of ``MatrixMechanism``, and so on.
        min_separation: Likewise.
        max_participations: Likewise.

    Cost: linear in `steps`: of 16,384 steps a millisecond.
    Source: Kalinin & Lampert (2024), Banded square root matrix factorization, Theorem 2; Dvijotham
    et al. (2024).

    >>> run = ToeplitzMechanism([1, 0.5, 0.375], steps=16384, noise_multiplier=5, min_separation=64)
    >>> lower, upper = run.sensitivity_bounds()
    >>> upper - lower < 1e-14 * upper, run.participations
    (True, 256)
    """

    coefficients: Vector
    _: KW_ONLY
    steps: int
    noise_multiplier: float
    min_separation: int = 1
    max_participations: int | None = None

    def __post_init__(self) -> None:
        steps = _checks.whole("steps", self.steps, 1, MOST_STEPS)
        values = numbers("coefficients", self.coefficients, MOST_STEPS)
        _checks.keep(self, steps=steps, coefficients=values)
        self._check()

    @property
    def _columns(self) -> int:
        return self.steps

    def _sensitivity(self, participations: int) -> tuple[float, float]:
        return _core.toeplitz_sensitivity(
            np.array(self.coefficients), self.steps, self.min_separation, participations
        )

    def amplified(self, sampling_probability: float) -> Amplified:
        """The run where groups take turns: see ``MatrixMechanism.amplified``.

        The first group has the longest columns, so that its run is the worst.
        """
        used = self.coefficients[: self.steps]
        bands = max((t + 1 for t, c in enumerate(used) if c), default=1)
        q = self._check_amplified(bands, sampling_probability)
        column = np.array(used[:bands])
        lengths = self.steps - np.arange(0, self.steps, self.min_separation)
        norms = {
            length: _core.column_norms(column[:length, None])[0][1]
            for length in set(np.minimum(lengths, bands).tolist())
        }
        group = np.array([norms[length] for length in np.minimum(lengths, bands).tolist()])
        return self._amplified(q, [group])


@dataclass(frozen=True, slots=True, repr=False)
class BufferedMechanism(CorrelatedNoise):
    """A matrix mechanism with a buffered linear Toeplitz strategy (BLT), as of DP-FTRL in practice.

    Its first column is 1 and the sum over buffers of scale * decay^(t - 1). Where scales are not
    negative and sum to 1 at most, it falls, and the sensitivity is exact; else see
    ``ToeplitzMechanism``.

    Args:
        scales: Of the buffers' outputs, 1 to 64 finite numbers up to 1e100.
        decays: Of the buffers, as many, in [0, 1].
        steps: T, in [1, 1e6].
        noise_multiplier: As of ``MatrixMechanism``, and so on.
        min_separation: Likewise.
        max_participations: Likewise.

    Source: Dvijotham, McMahan, Pillutla, Steinke & Thakurta (2024), Efficient and near-optimal
    noise generation for streaming differential privacy; McMahan, Xu & Zhang (2024).

    >>> run = BufferedMechanism([0.3, 0.1], [0.9, 0.99], steps=2000, noise_multiplier=8)
    >>> lower, upper = run.sensitivity_bounds()
    >>> upper - lower < 1e-14 * upper
    True
    """

    scales: Vector
    decays: Vector
    _: KW_ONLY
    steps: int
    noise_multiplier: float
    min_separation: int = 1
    max_participations: int | None = None

    def __post_init__(self) -> None:
        steps = _checks.whole("steps", self.steps, 1, MOST_STEPS)
        scales = numbers("scales", self.scales, 64)
        decays = _checks.vector("decays", self.decays, "in [0, 1]", lambda x: 0 <= x <= 1, 64)
        if len(scales) != len(decays):
            raise ValueError(f"decays must be {len(scales)}, one for each scale, got {len(decays)}")
        _checks.keep(self, steps=steps, scales=scales, decays=decays)
        self._check()

    @property
    def _columns(self) -> int:
        return self.steps

    def _sensitivity(self, participations: int) -> tuple[float, float]:
        scales, decays = np.array(self.scales), np.array(self.decays)
        return _core.buffered_sensitivity(
            scales, decays, self.steps, self.min_separation, participations
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TreeMechanism(CorrelatedNoise):
    """DP-FTRL with a binary tree: each complete node releases the sum of its steps, noisily.

    A record takes part in one step of each epoch, and the tree begins anew after each. The first
    step is in one node of every height, floor(log2 leaves) + 1 of them, and no step in more, so
    that the whole is a Gaussian of sensitivity sqrt(restarts * height). Trees that go on over
    epochs are for ``MatrixMechanism``.

    Args:
        leaves: Steps of an epoch, in [1, 1e12].
        noise_multiplier: Of each node, relative to the clipping norm, in [0.001, 1e12].
        restarts: How many trees there are, one an epoch, in [1, 1e9].

    Source: Kairouz et al. (2021), Practical and private (deep) learning without sampling or
    shuffling; Dwork et al. (2010).

    >>> import hockeystick as hs
    >>> run = TreeMechanism(leaves=1000, noise_multiplier=20.0, restarts=5)
    >>> run.epsilon(1e-6) <= (50 * hs.Gaussian(20.0)).epsilon(1e-6) * (1 + 1e-9)
    True
    """

    leaves: int
    noise_multiplier: float
    restarts: int = 1
    min_separation: ClassVar[int] = 1  # type: ignore[misc]
    max_participations: ClassVar[int | None] = None  # type: ignore[misc]

    def __post_init__(self) -> None:
        leaves = _checks.whole("leaves", self.leaves, 1, _checks.MAX_STEPS)
        restarts = _checks.whole("restarts", self.restarts, 1, 10**9)
        noise = _checks.noise_multiplier(self.noise_multiplier)
        _checks.keep(self, leaves=leaves, restarts=restarts, noise_multiplier=noise)

    @property
    def _columns(self) -> int:
        return self.leaves * self.restarts

    @property
    def participations(self) -> int:
        """The number of epochs: a record joins one step in each."""
        return self.restarts

    def _sensitivity(self, participations: int) -> tuple[float, float]:
        return _core.root_bounds(self.leaves.bit_length() * participations)
