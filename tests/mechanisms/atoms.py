# SPDX-License-Identifier: Apache-2.0
"""What the pairs of discrete distributions are held to, atom by atom, in ball arithmetic."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flint import arb, ctx

from exact.laws import AtomLaw
from hockeystick import _core
from mechanisms.cells import PRECISION, UNDERFLOW, check_cells

MASS_ERROR = 5e-15  # what the stated relative errors must be below
LOSS_ERROR = 4e-15  # over 1 + |loss|
UNLISTED = 9e-306
CUT = 1e-295  # what the stated masses of infinite loss may exceed the true ones by


@dataclass(frozen=True, slots=True)
class Atom:
    """An outcome, or several of the same privacy loss, and its probabilities."""

    p: arb
    q: arb

    @property
    def loss(self) -> arb:
        """log(p / q) where it is finite."""
        return (self.p / self.q).log()


Law = Sequence[Atom]


def law(p: Iterable[arb], q: Iterable[arb]) -> Law:
    """The atoms of two distributions."""
    return [Atom(*masses) for masses in zip(p, q, strict=True)]


def outcomes(oracle: AtomLaw) -> Law:
    """The atoms of an oracle, those of infinite loss in one."""
    finite = [Atom(p, p * (-loss).exp()) for loss, p in oracle.atoms]
    missing = 1 - sum((atom.q for atom in finite), arb(0))
    infinite = [Atom(oracle.infinity_mass, arb(0))] if oracle.infinity_mass > 0 else []
    lost = [Atom(arb(0), missing)] if missing > arb(2) ** -800 else []
    return [*finite, *infinite, *lost]


def reverse(atoms: Law) -> Law:
    """The law of (Q, P)."""
    return [Atom(atom.q, atom.p) for atom in atoms]


def sampled(atoms: Law, rate: float) -> Law:
    """The law of ((1 - rate) Q + rate P, Q)."""
    r = arb(rate)
    return [Atom((1 - r) * atom.q + r * atom.p, atom.q) for atom in atoms]


@dataclass(frozen=True, slots=True)
class _Truth:
    """Integrals over the atoms of finite loss, for `check_cells`."""

    atoms: Sequence[tuple[arb, Atom]]

    def _within(self, low: arb, high: arb) -> Iterable[tuple[arb, Atom]]:
        return ((loss, atom) for loss, atom in self.atoms if low <= loss < high)

    def p(self, low: arb, high: arb) -> arb:
        return sum((atom.p for _, atom in self._within(low, high)), arb(0))

    def above(self, low: arb, high: arb) -> arb:
        return sum((-a.p * (low - loss).expm1() for loss, a in self._within(low, high)), arb(0))

    def below(self, low: arb, high: arb) -> arb:
        return sum((a.p * (high - loss).expm1() for loss, a in self._within(low, high)), arb(0))


def _edges(losses: Iterable[arb], error: float) -> list[float]:
    """Each loss in a cell of its own, just so wide that it does not count as on an edge."""
    edges = set()
    for loss in losses:
        middle = float(loss.mid())
        margin = 4 * error + 1e-14 * (1 + abs(middle))
        edges |= {middle - margin, middle + margin}
    return sorted(edges)


def check(
    pair: _core.DominatingPair, atoms: Law, *, complete: bool = True, loss_error: float = LOSS_ERROR
) -> None:
    """Every atom is where it belongs, with its masses, within the errors stated.

    With `complete` unset, `atoms` are only some of those of the pair.
    """
    with ctx.workprec(PRECISION):
        finite = [(atom.loss, atom) for atom in atoms if atom.p > 0 and atom.q > 0]
        stated = pair.integrate([-1.0, 1.0]).loss_error
        largest = max((abs(float(loss.mid())) for loss, _ in finite), default=0.0)
        assert stated <= loss_error * (1 + largest)
        edges = _edges((loss for loss, _ in finite), stated) or [-1.0, 1.0]
        cells = pair.integrate(edges)
        assert max(cells.mass_error, cells.share_error) <= MASS_ERROR
        if complete:
            check_cells(_Truth(finite), edges, cells, (-math.inf, math.inf))
            _check_ends(pair, cells, atoms)
            return
        for loss, atom in finite:  # a cell at a time
            edges = _edges([loss], stated)
            check_cells(_Truth([(loss, atom)]), edges, pair.integrate(edges), (-1e9, 1e9))


def _check_ends(pair: _core.DominatingPair, cells: _core.PairCells, atoms: Law) -> None:
    infinite = sum((atom.p for atom in atoms if atom.q == 0), arb(0))
    if all(atom.p == 0 or atom.q == 0 for atom in atoms):
        infinite = arb(1)  # which a ball of the sum cannot tell
    missing = sum((atom.q for atom in atoms if atom.p == 0), arb(0))
    # Masses that doubles cannot hold are cut.
    cut = sum((atom.p for atom in atoms if atom.q > 0 and atom.p < UNLISTED), arb(0))
    reverse_cut = sum((atom.q for atom in atoms if atom.p > 0 and atom.q < UNLISTED), arb(0))
    assert infinite + cut <= cells.infinity_mass
    assert cells.infinity_mass <= infinite * (1 + 2 * MASS_ERROR) + CUT
    assert cells.infinity_mass_lower <= infinite
    assert cells.infinity_mass_lower >= infinite * (1 - 2 * MASS_ERROR) - CUT
    lower, upper = pair.infinity_mass
    assert cells.infinity_mass_lower == lower <= infinite <= upper <= cells.infinity_mass
    assert cells.lower_tail_p == 0  # all finite losses lie between the edges
    assert cells.upper_tail_p == 0
    assert missing + reverse_cut <= cells.lower_tail_q
    assert cells.lower_tail_q <= missing * (1 + 2 * MASS_ERROR) + CUT
    total = math.fsum([*cells.p, cells.infinity_mass])
    assert abs(total - 1) <= 2 * MASS_ERROR
    assert UNDERFLOW > CUT


def balls(values: Iterable[float]) -> list[arb]:
    """The doubles at their exact value."""
    return [arb(value) for value in values]
