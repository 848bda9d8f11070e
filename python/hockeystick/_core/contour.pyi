"""
Parts of the engine, for tests.
"""

from __future__ import annotations
import collections.abc
import hockeystick._core
import typing

__all__: list[str] = [
    "MomentLine",
    "contour_deltas",
    "modulus_gap",
    "moment_line",
    "one_large_loss",
    "smoothed_deltas",
]

class MomentLine:
    """
    Moments E_P[e^(z L)] of a pair on a line Re z = tilt.
    """
    def log_moment(self) -> tuple[float, float]:
        """
        log M at the line's own tilt, and its error.
        """
    def log_moment_above(self, tilt: typing.SupportsFloat | typing.SupportsIndex) -> float:
        """
        Upper bound of log M at a real tilt.
        """
    def modulus_bound(self, frequency: typing.SupportsFloat | typing.SupportsIndex) -> float:
        """
        Upper bound of |M(tilt + i w)| / M(tilt) for every w >= frequency.
        """
    def samples(
        self,
        spacing: typing.SupportsFloat | typing.SupportsIndex,
        count: typing.SupportsInt | typing.SupportsIndex,
    ) -> list[tuple[float, float, float, float]]:
        """
        Real and imaginary part of M(tilt + i k spacing) / M(tilt), and the errors by rounding and truncation.
        """
    def size(self) -> int:
        """
        Terms of the sum that a sample is.
        """

def contour_deltas(
    terms: collections.abc.Sequence[
        tuple[hockeystick._core.DominatingPair, typing.SupportsInt | typing.SupportsIndex]
    ],
    *,
    tilts: tuple[
        typing.SupportsFloat | typing.SupportsIndex,
        typing.SupportsFloat | typing.SupportsIndex,
        typing.SupportsFloat | typing.SupportsIndex,
    ],
    period: typing.SupportsFloat | typing.SupportsIndex,
    count: typing.SupportsInt | typing.SupportsIndex,
    frequency: typing.SupportsFloat | typing.SupportsIndex,
    log_accuracy: typing.SupportsFloat | typing.SupportsIndex,
    epsilons: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
) -> list[tuple[float, float, float, float]]:
    """
    delta at each epsilon by the contour sum: value, and errors by rounding, tail and aliases.
    """

def modulus_gap(
    heights: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    widths: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    frequency: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    What a density above a histogram loses of its mass at a frequency and beyond, at least.
    """

def moment_line(
    pair: hockeystick._core.DominatingPair,
    lowest: typing.SupportsFloat | typing.SupportsIndex,
    tilt: typing.SupportsFloat | typing.SupportsIndex,
    highest: typing.SupportsFloat | typing.SupportsIndex,
    frequency: typing.SupportsFloat | typing.SupportsIndex,
    log_accuracy: typing.SupportsFloat | typing.SupportsIndex,
) -> MomentLine:
    """
    The moments of a pair on a line.
    """

def one_large_loss(
    terms: collections.abc.Sequence[
        tuple[hockeystick._core.DominatingPair, typing.SupportsInt | typing.SupportsIndex]
    ],
    epsilon: typing.SupportsFloat | typing.SupportsIndex,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    memory_limit: typing.SupportsInt | typing.SupportsIndex,
) -> tuple[float, float] | None:
    """
    delta enclosed as that of one large loss; nothing where there are none.
    """

def smoothed_deltas(
    step: hockeystick._core.StepPmf,
    times: typing.SupportsInt | typing.SupportsIndex,
    *,
    tilts: tuple[
        typing.SupportsFloat | typing.SupportsIndex,
        typing.SupportsFloat | typing.SupportsIndex,
        typing.SupportsFloat | typing.SupportsIndex,
    ],
    period: typing.SupportsFloat | typing.SupportsIndex,
    count: typing.SupportsInt | typing.SupportsIndex,
    radius: typing.SupportsFloat | typing.SupportsIndex,
    epsilons: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
) -> list[tuple[float, float, float, float]]:
    """
    delta of a step run `times` times, smoothed from the step's side: as contour_deltas.
    """
