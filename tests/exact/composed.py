# SPDX-License-Identifier: Apache-2.0
"""The curve of a composition of any mechanisms: the strongest oracle that can be had for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from flint import arb, ctx

from exact.atoms import MOST_SUMS, AtomSums, Lattice, halved, joined, number_of_sums
from exact.contour import Contour, NotConvergedError
from exact.laws import AtomLaw, Laplace
from exact.mechanisms import release
from exact.moments import Law, PlainGaussian
from exact.one_step import gaussian_delta
from exact.release import Release
from exact.saddle import Saddle
from exact.sums import laplace_delta

BITS = 400
MOST_LAPLACES = 300
MOST_JOINED = 200  # evaluations of a curve for each sum of atoms
UNCOUNTED = 70.0  # nats below the mass of infinite loss, or of what is known already
Parts = Sequence[tuple[Release, int]]
Atoms = Sequence[tuple[AtomLaw, int]]


class Term(NamedTuple):
    """A mechanism by name, its parameters, and how often it runs."""

    name: str
    parameters: Mapping[str, Any]
    count: int


class Composition:
    """A composition in one direction."""

    def __init__(self, terms: Sequence[Term], direction: str, digits: int) -> None:
        self._parts = [(release(t.name, t.parameters, direction), t.count) for t in terms]
        self._laws = [(part.law, n) for part, n in self._parts]
        self._digits = digits
        self._saddle: Saddle | None = None
        self._finite: Callable[[arb], arb] | None = None

    @property
    def saddle(self) -> Saddle:
        """Bounds in doubles."""
        if self._saddle is None:
            self._saddle = Saddle(self._laws)
        return self._saddle

    @property
    def supremum(self) -> arb:
        """Of the finite losses."""
        return sum((n * law.supremum for law, n in self._laws), arb(0))

    def infinity_mass(self) -> arb:
        """P(L = +inf)."""
        with ctx.workprec(BITS):
            return -sum((n * (-law.infinity_mass).log1p() for law, n in self._laws), arb(0)).expm1()

    def is_affordable(self) -> bool:
        """Whether there is an oracle for it; a contour integral may still not converge."""
        return not all(isinstance(law, AtomLaw) for law, _ in self._laws) or _listable(self._laws)

    def log_delta_above(self, epsilon: float) -> float:
        """An upper bound on log delta, in doubles."""
        rest = float(self.infinity_mass().mid())
        finite = self.saddle.log_delta_above(epsilon)
        return max(finite, math.log(rest)) + math.log(2) if rest > 0 else finite

    def delta(self, epsilon: float) -> arb:
        """delta(epsilon), its radius an error estimated or proved."""
        with ctx.workprec(BITS):
            rest = self.infinity_mass()
            if math.isinf(epsilon) or self.supremum <= epsilon:
                return rest
            if rest > 0:
                above = arb(self.saddle.log_delta_above(epsilon)).exp()
                if above < rest * arb(-UNCOUNTED).exp():
                    return rest + (above / 2) + arb(0, (above / 2).upper())
            if self._finite is None:
                self._finite = curve(self._parts, self._digits)
            return rest + self._finite(arb(epsilon))


def curve(parts: Parts, digits: int) -> Callable[[arb], arb]:
    """The curve of the finite losses."""
    atoms = [(part.law, n) for part, n in parts if isinstance(part.law, AtomLaw)]
    others = [(part, n) for part, n in parts if not isinstance(part.law, AtomLaw)]
    if not others:
        return _of_atoms(atoms, digits)
    base = _closed(others)
    if base and number_of_sums(atoms) <= MOST_JOINED:
        with ctx.workprec(BITS):
            return joined(base, atoms)
    return Contour([(part.law, n) for part, n in parts], digits).delta


def _split(atoms: Atoms) -> tuple[tuple[AtomLaw, int], Atoms]:
    """That with the most sums, and the rest."""
    ordered = sorted(atoms, key=lambda part: number_of_sums([part]))
    return ordered[-1], ordered[:-1]


def _listable(atoms: Atoms) -> bool:
    if max(map(number_of_sums, halved(atoms))) <= MOST_SUMS:
        return True
    (law, _), rest = _split(atoms)
    return law.spacing is not None and number_of_sums(rest) <= MOST_JOINED


def _of_atoms(atoms: Atoms, digits: int) -> Callable[[arb], arb]:
    if max(map(number_of_sums, halved(atoms))) <= MOST_SUMS:
        return AtomSums(atoms).delta
    if not _listable(atoms):
        raise NotConvergedError("too many sums of losses that are not evenly spaced")
    (law, n), rest = _split(atoms)
    lattice = Lattice(law, n, digits).delta
    with ctx.workprec(BITS):
        return joined(lattice, rest) if rest else lattice


def _closed(parts: Parts) -> Callable[[arb], arb] | None:
    """The curve of parts without atoms, where it has a closed form."""
    laws: list[tuple[Law, int]] = [(part.law, n) for part, n in parts]
    total = sum(n for _, n in parts)
    if all(isinstance(law, PlainGaussian) for law, _ in laws):
        with ctx.workprec(4 * BITS):
            mu = sum((n * law.square for law, n in laws), arb(0)).sqrt()
        return lambda epsilon: gaussian_delta(mu, epsilon)
    if total == 1 and parts[0][0].curve:
        return parts[0][0].curve
    if len(laws) == 1 and isinstance(laws[0][0], Laplace) and total <= MOST_LAPLACES:
        m = laws[0][0].m
        return lambda epsilon: laplace_delta(m, total, epsilon)
    return None
