# SPDX-License-Identifier: Apache-2.0
"""The normal distribution, to look at."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def cdf(x: FloatArray) -> FloatArray:
    """P(X <= x), with its relative accuracy in the lower tail."""
    lower: FloatArray = _erfc(np.asarray(x) * -math.sqrt(0.5)) / 2
    return lower


def pdf(x: FloatArray) -> Any:  # noqa: ANN401
    """The density at x."""
    return np.exp(-np.square(x) / 2) / math.sqrt(2 * math.pi)
