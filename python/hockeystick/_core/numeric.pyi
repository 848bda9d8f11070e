"""
Internals of the numeric layer, for tests.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import typing

__all__: list[str] = [
    "RealFft",
    "available_kernels",
    "check_floating_point_environment",
    "compensated_sum",
    "cyclic_power",
    "cyclic_power_product",
    "exponentials",
    "exponentials_less_1",
    "fft_bytes",
    "fft_error_constant",
    "fold_coefficients",
    "gamma",
    "good_size",
    "irfft",
    "kernel",
    "logarithms",
    "logarithms_of_1_plus",
    "lower_hull",
    "mills_ratio",
    "normal_error",
    "normal_interval",
    "normal_pdf",
    "normal_tail",
    "normal_tails",
    "powers",
    "raise_coefficients",
    "rfft",
    "roots_of_unity",
    "turned_sums",
    "union_probability",
    "unit_roundoff",
    "upper_normal_quantile",
]

class RealFft:
    """
    A plan of real transforms, in place; coefficients in its own order.
    """
    def __init__(
        self, size: typing.SupportsInt | typing.SupportsIndex, kernel: str = ""
    ) -> None: ...
    def forward(self, values: numpy.typing.NDArray[numpy.float64]) -> None: ...
    def inverse(self, values: numpy.typing.NDArray[numpy.float64]) -> None: ...
    def power(
        self,
        values: numpy.typing.NDArray[numpy.float64],
        power: typing.SupportsInt | typing.SupportsIndex,
    ) -> float:
        """
        As cyclic_power; returns the bound.
        """

def available_kernels() -> list[str]:
    """
    Names of the kernels that can run here.
    """

def check_floating_point_environment() -> None:
    """
    Raise RuntimeError unless rounding is to nearest and subnormals are live.
    """

def compensated_sum(
    values: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
) -> tuple[float, float]:
    """
    (sum, bound of its error).
    """

def cyclic_power(
    sequence: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    power: typing.SupportsInt | typing.SupportsIndex,
    kernel: str = "",
) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
    """
    The same for one factor, in place.
    """

def cyclic_power_product(
    factors: collections.abc.Sequence[
        tuple[
            typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
            typing.SupportsInt | typing.SupportsIndex,
        ]
    ],
    kernel: str = "",
) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
    """
    (product of sequence^(* power), bound of the error of every entry).
    """

def exponentials(
    x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64], kernel: str = ""
) -> numpy.typing.NDArray[numpy.float64]:
    """
    e^x of each value, on vectors.
    """

def exponentials_less_1(
    x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64], kernel: str = ""
) -> numpy.typing.NDArray[numpy.float64]:
    """
    e^x - 1 of each value, on vectors.
    """

def fft_bytes(n: typing.SupportsInt | typing.SupportsIndex) -> int:
    """
    Memory of a plan of n points.
    """

def fft_error_constant(n: typing.SupportsInt | typing.SupportsIndex) -> float:
    """
    B: errors are at most B times the sum of the moduli.
    """

def fold_coefficients(
    coefficients: typing.Annotated[numpy.typing.ArrayLike, numpy.complex128],
    error: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    by: typing.Annotated[numpy.typing.ArrayLike, numpy.complex128],
    by_error: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    kernel: str = "",
) -> tuple[numpy.typing.NDArray[numpy.complex128], numpy.typing.NDArray[numpy.float64]]:
    """
    (products, bounds of their errors).
    """

def gamma(n: typing.SupportsFloat | typing.SupportsIndex) -> float:
    """
    Upper bound of n u / (1 - n u).
    """

def good_size(at_least: typing.SupportsInt | typing.SupportsIndex) -> int:
    """
    Smallest supported size.
    """

def irfft(
    spectrum: typing.Annotated[numpy.typing.ArrayLike, numpy.complex128], kernel: str = ""
) -> numpy.typing.NDArray[numpy.float64]:
    """
    N reals from coefficients 0 .. N/2.
    """

def kernel() -> str:
    """
    Name of the kernel in use.
    """

def logarithms(
    x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64], kernel: str = ""
) -> numpy.typing.NDArray[numpy.float64]:
    """
    log x of each value, on vectors.
    """

def logarithms_of_1_plus(
    x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64], kernel: str = ""
) -> numpy.typing.NDArray[numpy.float64]:
    """
    log(1 + x) of each value, on vectors.
    """

def lower_hull(
    x: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    kink: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
) -> tuple[list[int], list[float]]:
    """
    Positions kept by the lower hull, and the kinks it leaves.
    """

def mills_ratio(x: typing.SupportsFloat | typing.SupportsIndex) -> float: ...
def normal_interval(
    a: typing.SupportsFloat | typing.SupportsIndex, b: typing.SupportsFloat | typing.SupportsIndex
) -> float: ...
def normal_pdf(x: typing.SupportsFloat | typing.SupportsIndex) -> float: ...
def normal_tail(x: typing.SupportsFloat | typing.SupportsIndex) -> float: ...
def normal_tails(
    x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64], kernel: str = ""
) -> numpy.typing.NDArray[numpy.float64]:
    """
    P(Z > x) of each value in [0, 37], on vectors.
    """

def powers(
    z: typing.Annotated[numpy.typing.ArrayLike, numpy.complex128],
    power: typing.SupportsInt | typing.SupportsIndex,
    kernel: str = "",
) -> numpy.typing.NDArray[numpy.complex128]:
    """
    z^power of each value, on vectors.
    """

def raise_coefficients(
    coefficients: typing.Annotated[numpy.typing.ArrayLike, numpy.complex128],
    power: typing.SupportsInt | typing.SupportsIndex,
    norm: typing.SupportsFloat | typing.SupportsIndex,
    input_error: typing.SupportsFloat | typing.SupportsIndex,
    kernel: str = "",
) -> tuple[
    numpy.typing.NDArray[numpy.complex128], numpy.typing.NDArray[numpy.float64], float, float
]:
    """
    (powers, bounds of their errors, sum of the bounds, sum of the moduli).
    """

def rfft(
    values: typing.Annotated[numpy.typing.ArrayLike, numpy.float64], kernel: str = ""
) -> numpy.typing.NDArray[numpy.complex128]:
    """
    Coefficients 0 .. N/2 of the real transform.
    """

def roots_of_unity(
    order: typing.SupportsInt | typing.SupportsIndex,
) -> numpy.typing.NDArray[numpy.complex128]:
    """
    exp(-2 pi i k / order), k < order.
    """

def turned_sums(
    weights: typing.Annotated[numpy.typing.ArrayLike, numpy.complex128],
    angle: typing.SupportsFloat | typing.SupportsIndex,
    kernel: str = "",
) -> typing.Annotated[list[float], "FixedSize(3)"]:
    """
    Real and imaginary part of sum w_k e^(i k angle), and the sum of the imaginary parts times k.
    """

def union_probability(
    events: collections.abc.Sequence[
        tuple[
            typing.SupportsFloat | typing.SupportsIndex,
            typing.SupportsFloat | typing.SupportsIndex,
            typing.SupportsFloat | typing.SupportsIndex,
        ]
    ],
    probability: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float, bool, bool]:
    """
    (lower, upper, whether it certainly exceeds `probability`, whether it certainly does not) of the probability that one of the events (lower, upper, count) happens.
    """

def upper_normal_quantile(
    p: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]: ...

normal_error: float = 4.440892098500626e-15
unit_roundoff: float = 1.1102230246251565e-16
