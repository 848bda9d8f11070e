# SPDX-License-Identifier: Apache-2.0
"""Laws of finitely many losses, each written from the pair (P, Q) alone.

`remove` compares P with Q, `add` Q with P.
"""

import math
from collections.abc import Iterable, Sequence

from flint import arb

from exact.sums import sums

Pairs = Iterable[tuple[arb, arb]]  # P- and Q-mass of outcomes


class AtomLaw:
    """Finitely many losses, ascending, and their masses, from the masses of the outcomes."""

    def __init__(self, pairs: Pairs, *, direction: str = "remove", rate: float = 1.0) -> None:
        r, masses = arb(rate), []
        for p, q in pairs:
            mixed = r * p + (1 - r) * q if rate < 1 else p
            masses.append((mixed, q) if direction == "remove" else (q, mixed))
        self.infinity_mass = sum((p for p, q in masses if q.is_zero()), arb(0))
        finite = [(p, (p / q).log()) for p, q in masses if not (p.is_zero() or q.is_zero())]
        self.atoms = sorted(((loss, p) for p, loss in finite), key=lambda atom: float(atom[0]))


Composed = Sequence[tuple[AtomLaw, int]]


def number_of_sums(composed: Composed) -> int:
    """How many sums of losses there are, equal ones apart."""
    return math.prod(math.comb(n + len(law.atoms) - 1, n) for law, n in composed)


def listed(composed: Composed) -> Sequence[tuple[arb, arb]]:
    """Every sum of losses and its mass."""
    return sums([(n, law.atoms) for law, n in composed])
