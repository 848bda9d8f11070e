# SPDX-License-Identifier: Apache-2.0
"""Rho, and the epsilon of pure DP, as exact fractions: for budgets spent to the last bit."""

from collections.abc import Callable
from fractions import Fraction

from hockeystick import mechanisms
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composition, Mechanism, Terms
from hockeystick.outward import double_above

_FEW = 16


def rational_rho(run: Composition, adjacency: Adjacency) -> Fraction | None:
    """A rho that the run certainly keeps, without rounding; None where none is known.

    Rhos add up (Bun & Steinke 2016, Lemma 1.7).
    """
    return _sum(_rho, run, adjacency)


def rational_loss(run: Composition, adjacency: Adjacency) -> Fraction | None:
    """An epsilon of pure DP that the run certainly keeps; likewise. They add up, too."""
    return _sum(_loss, run, adjacency)


def most(view: str, runs: tuple[Terms, ...], adjacency: Adjacency) -> float | None:
    """The least double that is not below the cost of the worst run; None where that is not known.

    Nor of many distinct mechanisms, whose fractions would have ever longer denominators.
    """
    cost = rational_rho if view == "zcdp" else rational_loss
    exact = [cost(Composition._of(run), adjacency) for run in runs if len(run) <= _FEW]  # noqa: SLF001
    known = [each for each in exact if each is not None]
    return double_above(max(known)) if len(known) == len(runs) else None


def _sum(
    cost: Callable[[Mechanism, int], Fraction | None], run: Composition, adjacency: Adjacency
) -> Fraction | None:
    moved = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    total = Fraction()
    for mechanism, count in run.terms:
        each = cost(mechanism, moved)
        if each is None:
            return None
        total += count * each
    return total


def _loss(mechanism: Mechanism, moved: int) -> Fraction | None:
    """Laplace noise moved by d of its scales has no loss above d; a guarantee is one.

    An epoch of random allocation is a mixture over the step of the record, and has no larger loss.
    """
    if isinstance(mechanism, mechanisms.ApproximateDP) and mechanism.guaranteed_delta == 0:
        return Fraction(mechanism.guaranteed_epsilon)
    if isinstance(mechanism, mechanisms.ExponentialMechanism):
        return Fraction(mechanism.guaranteed_epsilon)
    if isinstance(mechanism, mechanisms.Laplace):
        return moved / Fraction(mechanism.noise_multiplier)
    if isinstance(mechanism, mechanisms.DiscreteLaplace):
        return moved * mechanism.sensitivity * Fraction(mechanism.parameter)
    if isinstance(mechanism, mechanisms.RandomAllocation | mechanisms.Grouped):
        one = _loss(mechanism.mechanism, moved)
        return one and one * (mechanism.size if isinstance(mechanism, mechanisms.Grouped) else 1)
    return None


def _rho(mechanism: Mechanism, moved: int) -> Fraction | None:
    """Normal noise moved by d of its standard deviations is (d^2 / 2)-zCDP, discrete noise, too.

    Bun & Steinke (2016), Propositions 1.6 and 1.9; Canonne, Kamath & Steinke (2020), Theorem 4.
    """
    if isinstance(mechanism, mechanisms.ZCDP):
        return Fraction(mechanism.rho)
    if isinstance(mechanism, mechanisms.Gaussian):
        return (moved / Fraction(mechanism.noise_multiplier)) ** 2 / 2
    if isinstance(mechanism, mechanisms.DiscreteGaussian) and mechanism.truncation is None:
        return (moved * mechanism.sensitivity / Fraction(mechanism.sigma)) ** 2 / 2
    if isinstance(mechanism, mechanisms.JointGaussian):
        each = ((_rho(one, moved) or 0) * count for one, count in mechanism.parts)
        return Fraction(sum(each))
    if (
        isinstance(mechanism, mechanisms.Grouped)
        and (one := _rho(mechanism.mechanism, moved)) is not None
    ):
        return mechanism.size**2 * one
    return None
