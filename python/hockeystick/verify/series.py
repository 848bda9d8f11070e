# SPDX-License-Identifier: Apache-2.0
"""Finite Fourier series in balls."""

from collections.abc import Sequence

from flint import acb, acb_mat, arb

from hockeystick.verify.work import EXPONENTIAL, PRODUCT, spend

BLOCK = 64


class Series:
    """The sum over k >= 0 of value[k] e^(-i k h x), its first term halved: the real part.

    Powers of a turn are not multiplied up, for a ball that is turned grows each time: every turn is
    the product of two exponentials.
    """

    def __init__(self, values: Sequence[acb], h: arb) -> None:
        rows = -(-len(values) // BLOCK)
        padded = [values[0] / 2, *values[1:], *([acb(0)] * (rows * BLOCK - len(values)))]
        self._matrix, self._rows, self._h = acb_mat(rows, BLOCK, padded), rows, h

    def __call__(self, x: arb) -> arb:
        """The sum at x."""
        spend(self._rows * BLOCK * PRODUCT + (BLOCK + self._rows) * EXPONENTIAL)
        angle = -acb(0, self._h) * x
        within = acb_mat(BLOCK, 1, [(k * angle).exp() for k in range(BLOCK)])
        across = acb_mat(1, self._rows, [(k * BLOCK * angle).exp() for k in range(self._rows)])
        return (across * (self._matrix * within))[0, 0].real
