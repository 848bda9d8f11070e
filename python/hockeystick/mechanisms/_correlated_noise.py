# SPDX-License-Identifier: Apache-2.0
"""The common part of all matrix mechanisms."""

from abc import abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core
from hockeystick.bounds import Bounds
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms.gaussian import Gaussian

LARGEST = 1e100

Amplified = Any
"""A `Composition`, or `DisjointParts` where groups differ."""


class CorrelatedNoise(EnclosedMechanism):
    """The common part of all matrix mechanisms; see MatrixMechanism."""

    __slots__ = ("_known",)
    _known: tuple[Bounds[float], Bounds[float] | None]
    noise_multiplier: float
    min_separation: int
    max_participations: int | None

    @property
    @abstractmethod
    def _columns(self) -> int:
        """The number of steps."""

    @abstractmethod
    def _sensitivity(self, participations: int) -> tuple[float, float]:
        """The sensitivity for at most `participations` participations, enclosed."""

    @property
    def participations(self) -> int:
        """The largest number of steps that a record may join: at most as many as there are."""
        most = -(-self._columns // self.min_separation)
        return most if self.max_participations is None else min(most, self.max_participations)

    def sensitivity_bounds(self) -> Bounds[float]:
        """Encloses the largest move of C G by a record of norm 1 in each of its steps.

        Where the ends differ by more than rounding, no formula tells the sensitivity, and its sets
        of steps are too many to list: then the upper end is that of the best sum of rows of the
        Gram matrix, or of coefficients made to fall; the lower end is that of a set of steps that
        was found.
        """
        return self._computed()[0]

    def _computed(self) -> tuple[Bounds[float], Bounds[float] | None]:
        try:
            return self._known
        except AttributeError:
            bounds = Bounds(*self._sensitivity(self.participations))
            noise = None
            if bounds.upper > 0:
                least = max(bounds.lower, 1e-300)
                ends = _core.noise_of_sensitivity(self.noise_multiplier, least, bounds.upper)
                noise = Bounds(*ends)
            _checks.keep(self, _known=(bounds, noise))
            return self._known

    def _check(self) -> None:
        noise = _checks.noise_multiplier(self.noise_multiplier)
        apart = _checks.whole("min_separation", self.min_separation, 1, _checks.MAX_COUNT)
        most = self.max_participations
        if most is not None:
            most = _checks.whole("max_participations", most, 1, 10**9)
        _checks.keep(self, noise_multiplier=noise, min_separation=apart, max_participations=most)

    @property
    def steps_covered(self) -> int:
        """All steps: the mechanism is the whole run."""
        return self._columns

    def simplified(self) -> Mechanism | None:
        """None if the strategy is 0: the output then ignores the data."""
        return None if self.sensitivity_bounds().upper == 0 else self

    @property
    def least_noise(self) -> float:
        """The noise over the sensitivity, rounded down."""
        return self._relative_noise().lower

    @property
    def most_noise(self) -> float:
        """The noise over a move that a record can make, rounded up."""
        return self._relative_noise().upper

    def _relative_noise(self) -> Bounds[float]:
        noise = self._computed()[1]
        if noise is None:
            raise ValueError(f"strategy must not be 0, got {self!r}")
        if not _checks.MIN_NOISE <= noise.lower <= noise.upper <= _checks.MAX_NOISE:
            low, high = _checks.MIN_NOISE, _checks.MAX_NOISE
            move = self.noise_multiplier / noise.lower  # the sensitivity
            raise ValueError(
                f"noise_multiplier must be in [{1.00001 * low * move:.6g}, {high * move:.6g}], "
                f"from {low:g} to {high:g} times the sensitivity {move:.6g}, got "
                f"{self.noise_multiplier!r}"
            )
        return noise

    def gaussian(self) -> Gaussian:
        """The Gaussian that it costs no more than: its noise over the sensitivity, rounded down."""
        return Gaussian(self.least_noise)

    def _amplified(self, q: float, groups: Sequence[npt.NDArray[np.float64]]) -> Amplified:
        """The worst of groups, each a list of norms of columns, from above."""
        kept: list[npt.NDArray[np.float64]] = []
        for group in sorted((np.sort(g)[::-1] for g in groups), key=lambda g: -g.sum()):
            if not any(len(g) >= len(group) and (g[: len(group)] >= group).all() for g in kept):
                kept.append(group)
        runs = []
        for group in kept:
            norms, counts = np.unique(group[group > 0], return_counts=True)
            terms = []
            for norm, count in zip(norms.tolist(), counts.tolist(), strict=True):
                noise, _ = _core.noise_of_sensitivity(self.noise_multiplier, norm, norm)
                terms.append((Gaussian(noise).poisson_sampled(q), count))
            runs.append(Composition(terms))
        if len(runs) == 1:
            return runs[0]
        return import_module("hockeystick.disjoint").parallel(*runs)  # which stands above

    def _check_amplified(self, bands: int, sampling_probability: float) -> float:
        if bands > self.min_separation:
            raise ValueError(
                "strategy must have at most min_separation bands to be amplified: "
                f"{self.min_separation}, got {bands}"
            )
        if self.participations < -(-self._columns // self.min_separation):
            raise ValueError(
                "max_participations must be None to be amplified, as a group takes part in every "
                f"min_separation-th step, got {self.max_participations}"
            )
        return _checks.probability("sampling_probability", sampling_probability)


def numbers(name: str, values: Any, most: int) -> tuple[float, ...]:  # noqa: ANN401
    """Finite numbers of moderate size, 1 to `most` of them."""
    expected = "a finite number, at most 1e100 in size"
    return _checks.vector(name, values, expected, lambda x: abs(x) <= LARGEST, most)
