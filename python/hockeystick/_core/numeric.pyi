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
    "check_floating_point_environment",
    "compensated_sum",
    "cyclic_power",
    "cyclic_power_product",
    "fft_bytes",
    "fft_error_constant",
    "fold_coefficients",
    "gamma",
    "good_size",
    "irfft",
    "lower_hull",
    "mills_ratio",
    "normal_error",
    "normal_interval",
    "normal_pdf",
    "normal_tail",
    "raise_coefficients",
    "rfft",
    "roots_of_unity",
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

def upper_normal_quantile(
    p: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]: ...

normal_error: float = 4.440892098500626e-15
unit_roundoff: float = 1.1102230246251565e-16
