# SPDX-License-Identifier: Apache-2.0
"""Rho of zero-concentrated DP as an exact fraction, for budgets that are spent to the last bit."""

from fractions import Fraction

from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms import ZCDP, DiscreteGaussian, Gaussian


def rational_rho(run: Composition, adjacency: Adjacency) -> Fraction | None:
    """A rho that the run certainly keeps, without rounding; None where none is known.

    Rhos add up (Bun & Steinke 2016, Lemma 1.7).
    """
    total = Fraction()
    for mechanism, count in run.terms:
        rho = _of(mechanism, adjacency)
        if rho is None:
            return None
        total += count * rho
    return total


def _of(mechanism: Mechanism, adjacency: Adjacency) -> Fraction | None:
    """Normal noise moved by d of its standard deviations is (d^2 / 2)-zCDP, discrete noise, too.

    Bun & Steinke (2016), Proposition 1.6; Canonne, Kamath & Steinke (2020), Theorem 4.
    """
    moved = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    if isinstance(mechanism, ZCDP):
        return Fraction(mechanism.rho)
    if isinstance(mechanism, Gaussian):
        return (moved / Fraction(mechanism.noise_multiplier)) ** 2 / 2
    if isinstance(mechanism, DiscreteGaussian) and mechanism.truncation is None:
        return (moved * mechanism.sensitivity / Fraction(mechanism.sigma)) ** 2 / 2
    return None
