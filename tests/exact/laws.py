# SPDX-License-Identifier: Apache-2.0
"""Laws of the loss of mechanisms that are no Gaussians on a sample, for the contour integral.

Each is written from the pair (P, Q) alone; `remove` compares P with Q, `add` Q with P.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from flint import acb, arb

from exact.balls import at_accuracy
from exact.moments import Law, Line, Points, Smooth, Terms

Pairs = Iterable[tuple[arb, arb]]  # P- and Q-mass of outcomes


class AtomLaw(Law):
    """Finitely many losses, from the masses of the outcomes."""

    def __init__(self, pairs: Pairs, *, direction: str = "remove", rate: float = 1.0) -> None:
        r, masses = arb(rate), []
        for p, q in pairs:
            mixed = r * p + (1 - r) * q if rate < 1 else p
            masses.append((mixed, q) if direction == "remove" else (q, mixed))
        self._infinity_mass = sum((p for p, q in masses if q.is_zero()), arb(0))
        finite = [(p, (p / q).log()) for p, q in masses if not (p.is_zero() or q.is_zero())]
        self.atoms = sorted(((loss, p) for p, loss in finite), key=lambda atom: float(atom[0]))
        self.spacing = _spacing([loss for loss, _ in self.atoms])

    @property
    def infinity_mass(self) -> arb:
        """See `Law`."""
        return self._infinity_mass

    @property
    def supremum(self) -> arb:
        """See `Law`."""
        return self.atoms[-1][0] if self.atoms else arb(0)

    def log_moment(self, c: Points) -> Points:
        """See `Law`."""
        loss = np.array([float(loss) for loss, _ in self.atoms])
        logs = np.array([float(p.log()) for _, p in self.atoms]) + c[:, None] * loss
        return np.logaddexp.reduce(logs, axis=1)

    def envelope(self, line: Line) -> Callable[[acb, acb], float]:
        """See `Law`: M(c)."""
        most = float(sum((p * (line.c * loss).exp() for loss, p in self.atoms), arb(0)).log().mid())
        return lambda _z, _log_m: most

    def halves(self, line: Line) -> tuple[Terms, ...]:  # noqa: ARG002
        """See `Law`: M is a finite sum."""
        return ([(acb(p), acb(loss)) for loss, p in self.atoms],)


def _spacing(losses: Sequence[arb]) -> arb | None:
    """The distance of consecutive losses, if it is the same of all, equal ones apart."""
    if len(losses) < 2:
        return None
    gaps = [b - a for a, b in pairwise(losses)]
    widest = max(gaps, key=float)
    tiny = arb(2) ** -200
    even = all(gap.overlaps(arb(0)) or abs(gap - widest) < tiny * widest for gap in gaps)
    return widest if even else None


class Choice(Law):
    """A public draw of one of several laws."""

    def __init__(self, choices: Sequence[tuple[arb, Law]]) -> None:
        self.choices = choices

    @property
    def supremum(self) -> arb:
        """See `Law`."""
        return max((law.supremum for _, law in self.choices), key=float)

    def log_moment(self, c: Points) -> Points:
        """See `Law`."""
        return np.logaddexp.reduce(
            [float(w.log()) + law.log_moment(c) for w, law in self.choices], axis=0
        )

    def halves(self, line: Line) -> tuple[Terms, ...]:
        """See `Law`."""
        even, odd = [], []
        for weight, law in self.choices:
            first, second = law.halves(line)
            even += [(weight * p, loss) for p, loss in first]
            odd += [(weight * p, loss) for p, loss in second]
        return even, odd


class Mixture(Smooth):
    """Normal noise moved by s with probability p, against noise; `terms` are (s, p) in balls.

    Of the mixture's density over that of the noise, all terms have phases s y on the line of
    Im x = y, so that there is no zero below y = pi / s for the largest s.
    """

    def __init__(self, terms: Sequence[tuple[arb, arb]], direction: str) -> None:
        self.terms, self.direction = terms, direction
        self.extent = max(float(s) for s, _ in terms)
        self.x_step = min(0.3, 0.1 / self.extent)
        distance = min(math.pi / self.extent / 2, 2.0)
        self.shift = distance if direction == "remove" else -distance

    @property
    def supremum(self) -> arb:
        """See `Law`."""
        rest = sum((p for s, p in self.terms if s.is_zero()), arb(0))
        bounded = self.direction == "add" and rest > 0
        return -rest.log() if bounded else arb(math.inf)

    def log_densities(self, x: Points) -> tuple[Points, Points]:
        """See `Smooth`."""
        base = -x * x / 2 - math.log(2 * math.pi) / 2
        terms = [(float(s), float(p.log())) for s, p in self.terms]
        mixed = np.logaddexp.reduce([log_p + s * x - s * s / 2 for s, log_p in terms], axis=0)
        return (base + mixed, mixed) if self.direction == "remove" else (base, -mixed)

    def point(self, x: acb) -> tuple[acb, acb]:
        """See `Smooth`."""
        normal = (-x * x / 2).exp() / (2 * arb.pi()).sqrt()
        mixed = sum((p * (s * x - s * s / 2).exp() for s, p in self.terms), acb(0))
        return (
            (normal * mixed, mixed.log()) if self.direction == "remove" else (normal, -mixed.log())
        )


class Logistic(Smooth):
    """Noise of density e^-x / (1 + e^-x)^2, moved by s and not: analytic up to Im x = pi.

    L = log f(x - s) - log f(x), between -s and s.
    """

    def __init__(self, s: float) -> None:
        self.s, self.extent = s, s + 80.0
        self.x_step, self.shift, self.negligible = 0.2, 0.3, 90.0

    @property
    def supremum(self) -> arb:
        """See `Law`."""
        return arb(self.s)

    def reach(self, c: float) -> float:
        """See `Smooth`: the density falls like e^-x, and e^(c L) hardly rises from log c on."""
        return 150 + self.s + math.log1p(abs(c))

    def log_densities(self, x: Points) -> tuple[Points, Points]:
        """See `Smooth`."""
        moved, still = (-abs(y) - 2 * np.log1p(np.exp(-abs(y))) for y in (x - self.s, x))
        return moved, moved - still

    def point(self, x: acb) -> tuple[acb, acb]:
        """See `Smooth`."""
        s = arb(self.s)
        moved, still = 1 + (s - x).exp(), 1 + (-x).exp()
        return (s - x).exp() / moved**2, s - 2 * (moved.log() - still.log())

    def delta(self, epsilon: arb) -> arb:
        """The curve: L > epsilon where (1 + e^s y) / (1 + y) < e^((s - epsilon) / 2), y = e^-x."""
        s = arb(self.s)
        if epsilon >= s:
            return arb(0)
        if epsilon <= -s:
            return -epsilon.expm1()

        def evaluate() -> arb:
            ratio = ((s - epsilon) / 2).exp()
            y = (ratio - 1) / (s.exp() - ratio)
            moved = y * s.exp()
            return moved / (1 + moved) - epsilon.exp() * y / (1 + y)

        return at_accuracy(evaluate)


class Laplace(Law):
    """Loss m with mass 1/2, -m with e^-m / 2, density e^((l - m) / 2) / 4 in between.

    M(z) = ((z + 1) e^(m z) + z e^(-m (z + 1))) / (2 z + 1).
    """

    def __init__(self, m: arb) -> None:
        self.m, self.atoms = m, [(m, arb(0.5)), (-m, (-m).exp() / 2)]

    @property
    def supremum(self) -> arb:
        """See `Law`."""
        return self.m

    def log_moment(self, c: Points) -> Points:
        """See `Law`."""
        m = float(self.m)
        return m * c + np.log((c + 1 + c * np.exp(-m * (2 * c + 1))) / (2 * c + 1))

    def halves(self, line: Line) -> tuple[Terms, ...]:  # noqa: ARG002
        """None: M is known."""
        raise AssertionError("M is known, and not summed")

    def log_moments(self, line: Line) -> Iterator[tuple[acb, float]]:
        """See `Law`."""
        z = acb(line.c)
        while True:
            ends = (z + 1) * (self.m * z).exp() + z * (-self.m * (z + 1)).exp()
            yield (ends / (2 * z + 1)).log(), 0.0
            z = z + acb(0, line.h)


class SampledLaplace(Law):
    """The Laplace pair on a Poisson sample: the loss is +-log(1 - q + q e^l), of l under Q.

    Under Q, l is m with mass e^-m / 2, -m with 1/2, and else has density e^-((l + m) / 2) / 4,
    integrated by the trapezoid rule after l = m tanh(pi/2 sinh(u)).
    """

    REACH = 4.4  # of u: what is left out is below e^-120

    def __init__(self, m: arb, rate: float, direction: str) -> None:
        self.m, self.rate, self.direction = m, rate, direction
        self.atoms = [(loss, p) for p, loss in self._rule(0)[0]]

    def _loss(self, l: arb) -> arb:  # noqa: E741
        loss = (1 + arb(self.rate) * l.expm1()).log()
        return loss if self.direction == "remove" else -loss

    @property
    def supremum(self) -> arb:
        """See `Law`."""
        return self._loss(self.m if self.direction == "remove" else -self.m)

    def _rule(self, points: int) -> tuple[list[tuple[arb, arb]], ...]:
        """Masses under P and losses: of the ends, and of even and odd points of the rule."""
        step, half = arb(self.REACH) / max(points, 1), arb.pi() / 2
        ends = [(arb(0.5), -self.m), ((-self.m).exp() / 2, self.m)]
        inner = []
        for k in range(-points, points + 1):
            u = step * k
            angle = half * u.sinh()
            slope = self.m * half * u.cosh() / angle.cosh() ** 2
            at = self.m * angle.tanh()
            inner.append((step * slope * (-(at + self.m) / 2).exp() / 4, at))
        return tuple([self._under_p(*a) for a in part] for part in (ends, inner[::2], inner[1::2]))

    def _under_p(self, mass: arb, l: arb) -> tuple[arb, arb]:  # noqa: E741
        loss = self._loss(l)
        return (mass * loss.exp() if self.direction == "remove" else mass), loss

    def log_moment(self, c: Points) -> Points:
        """See `Law`."""
        atoms = [(float(p.log()), float(loss)) for part in self._rule(40) for p, loss in part]
        return np.logaddexp.reduce([log_p + c * loss for log_p, loss in atoms], axis=0)

    def halves(self, line: Line) -> tuple[Terms, ...]:
        """See `Law`: half of the ends in each."""
        ends, even, odd = self._rule(100 * line.fineness)
        return tuple(
            [(acb(p / 2), acb(loss)) for p, loss in ends]
            + [(acb(p), acb(loss)) for p, loss in part]
            for part in (even, odd)
        )
