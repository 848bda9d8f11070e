# SPDX-License-Identifier: Apache-2.0
"""The function behind Renyi divergences, (r^a - 1 - a (r - 1)) / r, without cancellation.

With r = dP/dQ, E_Q[r] = 1, so that a divergence of order a is log(1 + E_P[G]) / (a - 1) with G that
function of r. Bernoulli's inequality makes it positive, also where the divergence is tiny.
"""

import math

import numpy as np

from hockeystick._checks import FloatArray

_FAR = 600.0  # from where on G is e^(b y)
_NEAR = 0.1  # up to where the series serves; beyond, the closed form has lost 20 ulp at most
_SERIES = [1 / math.factorial(k + 2) for k in reversed(range(9))]


def log_bernoulli(
    y: FloatArray | float, log_size: FloatArray | float, order: FloatArray | float
) -> FloatArray:
    """log of G at r = e^y; -inf at y = 0.

    With b = a - 1 and psi(x) = (e^x - 1 - x) / x^2, G is b y^2 (b psi(b y) + psi(-y)), in which all
    is positive. The arguments broadcast.

    Args:
        y: At least -600.
        log_size: log |y|, also where y itself underflows.
        order: a > 1.
    """
    b = order - 1
    power = b * y
    far = power > _FAR
    moderate = np.log(b) + 2 * log_size + np.log(b * _psi(np.where(far, 0.0, power)) + _psi(-y))
    return np.where(far, power, moderate)


def _psi(x: FloatArray | float) -> FloatArray:
    """(e^x - 1 - x) / x^2."""
    near = np.abs(x) < _NEAR
    away = np.where(near, 1.0, x)
    result: FloatArray = (np.expm1(away) - away) / away**2
    if near.any():
        x, series = np.where(near, x, 0.0), np.zeros_like(near, dtype=np.float64)
        for term in _SERIES:  # numpy's polyval takes three times as long
            series = series * x + term
        result = np.where(near, series, result)
    return result
