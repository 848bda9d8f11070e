# SPDX-License-Identifier: Apache-2.0
"""Hockey-stick curves of compositions of laws with finitely many losses, in ball arithmetic.

`AtomSums` lists the sums of losses of two halves of the composition and joins them; `Lattice`
inverts the moment generating function of one law whose losses are evenly spaced: over a period,
summed over all others, the contour integral's kernel is a difference of geometric series.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate, islice

from flint import acb, arb, ctx

from exact.contour import NotConvergedError
from exact.laws import AtomLaw
from exact.moments import Line
from exact.saddle import Saddle
from exact.sums import sums

BITS = 900
UNSEEN = arb(2) ** (200 - BITS)  # of mass at losses that are all but the epsilon asked for
MOST_SUMS = 6000
MOST_TERMS = 60_000  # on a lattice: nodes times losses
Composed = Sequence[tuple[AtomLaw, int]]
Curve = Callable[[arb], arb]


def number_of_sums(composed: Composed) -> int:
    """How many sums of losses there are, equal ones apart."""
    return math.prod(math.comb(n + len(law.atoms) - 1, n) for law, n in composed)


def listed(composed: Composed) -> list[tuple[arb, arb]]:
    """Every sum of losses and its mass."""
    return list(sums([(n, law.atoms) for law, n in composed]))


def halved(composed: Composed) -> tuple[Composed, Composed]:
    """Two parts of which the sums are the composition's, of about as many each."""
    if len(composed) == 1:
        law, n = composed[0]
        return [(law, n // 2)], [(law, n - n // 2)]
    ordered = sorted(composed, key=lambda part: -number_of_sums([part]))
    parts: tuple[list, list] = ([], [])
    for part in ordered:
        min(parts, key=number_of_sums).append(part)
    return parts


class AtomSums:
    """The curve of the finite losses, at any real epsilon."""

    def __init__(self, composed: Composed) -> None:
        parts = halved(composed)
        if max(map(number_of_sums, parts)) > MOST_SUMS:
            raise NotConvergedError(f"more than {MOST_SUMS} sums of losses")
        with ctx.workprec(BITS):
            self._left, right = (listed(part) for part in parts)
            right.sort(key=lambda atom: float(atom[0]))
            self._losses = [float(loss) for loss, _ in right]
            self._right = right
            masses = [mass for _, mass in right]
            reverse = [mass * (-loss).exp() for loss, mass in right]
            self._p = [*accumulate(reversed(masses), initial=arb(0))][::-1]
            self._q = [*accumulate(reversed(reverse), initial=arb(0))][::-1]

    def delta(self, epsilon: arb) -> arb:
        """E[(1 - e^(epsilon - L))_+]."""
        with ctx.workprec(BITS):
            total = arb(0)
            for loss, mass in self._left:
                rest = epsilon - loss
                k = self._first_above(rest)
                total += mass * (self._p[k] - rest.exp() * self._q[k])
            return total + arb(0, UNSEEN)

    def _first_above(self, epsilon: arb) -> int:
        """Doubles first: those that are equal to 1e-12 are compared as balls."""
        at, width = float(epsilon), 1e-12 * (1 + abs(float(epsilon)))
        k = bisect_right(self._losses, at - width)
        while k < len(self._right) and self._losses[k] < at + width:
            if self._right[k][0] > epsilon:
                break
            k += 1
        return k


class Lattice:
    """The curve of the finite losses of one law, `count` times."""

    def __init__(self, law: AtomLaw, count: int, digits: int) -> None:
        assert law.spacing is not None
        self._law, self._count, self._digits = law, count, digits
        self._saddle = Saddle([(law, count)])
        self._line: Line | None = None
        self._powers: list[acb] = []

    def delta(self, epsilon: arb) -> arb:
        """delta(epsilon) for any real epsilon; the radius is estimated."""
        with ctx.workprec(BITS // 2):
            if epsilon >= self._count * self._law.supremum:
                return arb(0)
            line = self._line or self._saddle.line(float(epsilon), self._digits)
            for _ in range(4):
                if line is not self._line:
                    self._take(line)
                value = self._sum(epsilon)
                if value.rad() < value.mid() * arb(10) ** -self._digits:
                    return value
                line = self._saddle.line(float(epsilon), self._digits)
                line = replace(line, h=min(line.h, self._line.h / 2, key=float))
            raise NotConvergedError(f"no {self._digits} digits on a lattice")

    def _take(self, line: Line) -> None:
        """M^n at c and on half a period, whose nodes are a multiple of 4."""
        spacing, law = self._law.spacing, self._law
        number = 4 * math.ceil(2 * math.pi / float(spacing * line.h) / 4 + 1)
        if number * len(law.atoms) > MOST_TERMS:
            raise NotConvergedError(f"{number} nodes on a lattice")
        self._line = replace(line, h=2 * arb.pi() / (spacing * number))
        moments = islice(law.moments(self._line), number // 2 + 1)
        self._powers = [moment**self._count for moment, _ in moments]

    def _sum(self, epsilon: arb) -> arb:
        d, first = self._law.spacing, self._count * self._law.atoms[0][0]
        above = first + d * (((epsilon - first) / d).mid().floor() + 1)
        factor, terms = (epsilon - above).exp(), []
        for k, power in enumerate(self._powers):
            z = acb(self._line.c, self._line.h * k)
            kernel = 1 / (1 - (-z * d).exp()) - factor / (1 - (-(z + 1) * d).exp())
            terms.append(power * (-z * above).exp() * kernel)
        full, half = _circle(terms), _circle(terms[::2])
        return full + arb(0, abs(full - half).upper())


def _circle(terms: list[acb]) -> arb:
    """The mean over a whole period, from one half of it."""
    total = sum(terms, acb(0)).real - (terms[0].real + terms[-1].real) / 2
    return total / (len(terms) - 1)


def joined(curve: Curve, composed: Composed) -> Curve:
    """The curve of a composition with laws of few losses, each sum taken by itself."""
    atoms = listed(composed)
    return lambda epsilon: sum((mass * curve(epsilon - loss) for loss, mass in atoms), arb(0))
