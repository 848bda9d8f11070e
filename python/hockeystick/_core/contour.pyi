"""
Parts of the engine, for tests.
"""

from __future__ import annotations
import collections.abc
import hockeystick._core
import typing

__all__: list[str] = [
    "MomentLine",
    "Smoothing",
    "chernoff_log_above",
    "contour_deltas",
    "given_deltas",
    "modulus_gap",
    "moment_line",
    "smoothed_deltas",
    "step_line",
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

class Smoothing:
    """
    Smoothing of a curve from the side 'upper' or 'lower'.
    """
    def __init__(self, side: str, radius: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    def at(
        self, z: complex | typing.SupportsComplex | typing.SupportsFloat | typing.SupportsIndex
    ) -> tuple[complex, float]:
        """
        The factor of a sample, and its error.
        """
    def bound(
        self,
        tilt: typing.SupportsFloat | typing.SupportsIndex,
        frequency: typing.SupportsFloat | typing.SupportsIndex,
    ) -> float:
        """
        Upper bound of |factor| where Im z >= frequency.
        """
    def order(self, frequency: typing.SupportsFloat | typing.SupportsIndex) -> float:
        """
        By how many powers of Im z the bound falls from there on.
        """
    @property
    def shift(self) -> float:
        """
        What losses are raised by [nats]; upper only.
        """

def chernoff_log_above(
    tilt: typing.SupportsFloat | typing.SupportsIndex,
    log_moment: typing.SupportsFloat | typing.SupportsIndex,
    epsilon: typing.SupportsFloat | typing.SupportsIndex,
    loss_error: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    Upper bound of log delta(epsilon) by Chernoff's inequality, given log M above.
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

def given_deltas(
    lines: collections.abc.Sequence[
        tuple[
            tuple[
                tuple[
                    typing.SupportsFloat | typing.SupportsIndex,
                    typing.SupportsFloat | typing.SupportsIndex,
                ],
                collections.abc.Mapping[
                    typing.SupportsFloat | typing.SupportsIndex,
                    typing.SupportsFloat | typing.SupportsIndex,
                ],
                collections.abc.Sequence[
                    tuple[
                        typing.SupportsFloat | typing.SupportsIndex,
                        typing.SupportsFloat | typing.SupportsIndex,
                        typing.SupportsFloat | typing.SupportsIndex,
                        typing.SupportsFloat | typing.SupportsIndex,
                    ]
                ],
                typing.SupportsFloat | typing.SupportsIndex,
            ],
            typing.SupportsInt | typing.SupportsIndex,
        ]
    ],
    *,
    tilts: tuple[
        typing.SupportsFloat | typing.SupportsIndex,
        typing.SupportsFloat | typing.SupportsIndex,
        typing.SupportsFloat | typing.SupportsIndex,
    ],
    period: typing.SupportsFloat | typing.SupportsIndex,
    count: typing.SupportsInt | typing.SupportsIndex,
    side: str = "none",
    radius: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    epsilons: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
) -> list[tuple[float, float, float, float]]:
    """
    The same of lines that are given: each log M at the tilt and its error, bounds of it at other tilts, samples from k = 1 on, what |M| / M(tilt) is at most beyond them, and how often the step is run.
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

def step_line(
    step: hockeystick._core.StepPmf,
    tilt: typing.SupportsFloat | typing.SupportsIndex,
    log_moment: typing.SupportsFloat | typing.SupportsIndex,
) -> MomentLine:
    """
    The moments of a discretized step, of its masses tilted and divided by e^log_moment.
    """
