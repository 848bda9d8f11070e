# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.composers``: what losses on a grid add up to.

The masses that they return are to look at: products of transforms in floating point, and what
leaves the grid comes back on its other side. Answers are of the masses composed, and enclosed.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from hockeystick.compat import _arguments
from hockeystick.compat.prv_accountant.discrete_privacy_random_variable import (
    DiscretePrivacyRandomVariable,
)


class Composer(ABC):
    """Composes losses on grids of one size and distance.

    Args:
        prvs: The losses.
    """

    def __init__(self, prvs: Sequence[DiscretePrivacyRandomVariable]) -> None:
        if not prvs:
            raise ValueError("prvs must not be empty")
        self.prvs: list[DiscretePrivacyRandomVariable] = [
            _arguments.instance("prvs", prv, DiscretePrivacyRandomVariable) for prv in prvs
        ]
        grids = [(len(prv), prv.domain.dt()) for prv in self.prvs]
        if not all(n == grids[0][0] and math.isclose(d, grids[0][1]) for n, d in grids):
            raise ValueError(f"prvs must be on grids of one size and distance, got {grids}")

    @abstractmethod
    def compute_composition(
        self, num_self_compositions: Sequence[int]
    ) -> DiscretePrivacyRandomVariable:
        """The loss of this many runs of each."""


class Heterogeneous(Composer):
    """Composes any number of each of several losses."""

    def compute_composition(
        self, num_self_compositions: Sequence[int]
    ) -> DiscretePrivacyRandomVariable:
        """The loss of this many runs of each."""
        counts = [_arguments.count("num_self_compositions", n) for n in num_self_compositions]
        if len(counts) != len(self.prvs):
            raise ValueError(
                f"num_self_compositions must be {len(self.prvs)}, one for each prv, got {counts}"
            )
        parts = list(zip(self.prvs, counts, strict=True))
        base, size = self.prvs[0].domain, len(self.prvs[0])
        transform = np.prod([np.fft.rfft(prv.pmf) ** n for prv, n in parts], axis=0)
        # Index 0 of the transforms' product is the sum of the first losses; the grid shown begins
        # where an unmoved one did, and is moved by as much as all of its parts were.
        start = sum(n * prv.domain.t_min() for prv, n in parts)
        wanted = base.t_min() - base.shifts() + sum(n * prv.domain.shifts() for prv, n in parts)
        index = round((wanted - start) / base.dt())
        pmf = np.maximum(np.roll(np.fft.irfft(transform, size), -index), 0.0)
        composed = DiscretePrivacyRandomVariable(
            pmf,
            base.shift_right(start + index * base.dt() - base.t_min()),
            math.fsum(n * prv.log_pmc_inf for prv, n in parts),
        )
        composed.parts = [(one, n * m) for prv, n in parts for one, m in prv.parts or [(prv, 1)]]
        return composed


class Fourier(Heterogeneous):
    """Composes one loss with itself."""

    def __init__(self, prvs: Sequence[DiscretePrivacyRandomVariable]) -> None:
        super().__init__(prvs)
        if len(self.prvs) != 1:
            raise ValueError(f"prvs must be one, to be composed with itself, got {len(self.prvs)}")


class ConvolutionTree(Heterogeneous):
    """Composes each of several losses once."""

    def compute_composition(
        self, num_self_compositions: Sequence[int]
    ) -> DiscretePrivacyRandomVariable:
        """The loss of one run of each."""
        if any(n != 1 for n in num_self_compositions):
            raise ValueError(f"num_self_compositions must be 1 each, got {num_self_compositions}")
        return super().compute_composition(num_self_compositions)
