# SPDX-License-Identifier: Apache-2.0
"""lambda(x) = log sum p e^(s x - s^2/2) in ball arithmetic, for formulas of moments on a line."""

from dataclasses import dataclass

from flint import arb

FORMS = {"remove": (1, 1, 0), "add": (0, -1, 0), "replace": (1, 1, -1)}
SLACK = 5e-6  # by which a bound of the core may be off from its formula


@dataclass(frozen=True)
class Mixture:
    """Shifts and their probabilities; the rest is at 0. Each log is stated within `error`."""

    parts: tuple[tuple[float, float], ...]
    error: float = 0.0

    @property
    def steepest(self) -> arb:
        """The largest shift."""
        return arb(max(shift for shift, _ in self.parts))

    def _terms(self, x: arb) -> list[tuple[arb, arb]]:
        rest = 1 - sum((arb(p) for _, p in self.parts), arb(0))
        moved = [(arb(s), p * (s * x - arb(s) * s / 2).exp()) for s, p in self.parts]
        return [(arb(0), rest), *moved]

    def value(self, x: arb) -> arb:
        """lambda."""
        return sum((term for _, term in self._terms(arb(x))), arb(0)).log()

    def slope(self, x: arb) -> arb:
        """lambda', a mean of the shifts."""
        terms = self._terms(arb(x))
        total = sum((term for _, term in terms), arb(0))
        return sum((shift * term for shift, term in terms), arb(0)) / total


def near(found: float, formula: arb) -> bool:
    """Whether a number of the core is that of the formula."""
    return bool(abs(found / formula - 1) < SLACK)


def least(*values: arb) -> arb:
    """The one of least midpoint."""
    return min(values, key=float)


def most(*values: arb) -> arb:
    """The one of largest midpoint."""
    return max(values, key=float)
