# SPDX-License-Identifier: Apache-2.0
"""Moments of a normal density and a mixture of its shifts, by integrals that are proved.

Arb's own integration encloses them. What lies beyond the ends of integration is below e^-100 of
the moment.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from flint import acb, arb, ctx

BITS = 160
Form = Literal["remove", "add", "replace"]


@dataclass(frozen=True, slots=True)
class SmoothLine:
    """P = phi e^(own lambda(x)), L = ahead lambda(x) + behind lambda(-x).

    lambda is the log of sum p e^(s x - s^2/2) over `parts`, the shifts s and their probabilities p;
    what these leave to 1 is at 0.
    """

    parts: Sequence[tuple[arb, arb]]
    form: Form
    top: float = math.inf  # outcomes beyond it are left out

    def _mixture(self, x: acb) -> acb:
        total = acb(1 - sum((p for _, p in self.parts), arb(0)))
        for shift, p in self.parts:
            total += p * (shift * x - shift * shift / 2).exp()
        return total

    def _integral(self, z: acb, scale: arb) -> acb:
        own, ahead, behind = {"remove": (1, 1, 0), "add": (0, -1, 0), "replace": (1, 1, -1)}[
            self.form
        ]

        def integrand(x: acb, analytic: bool) -> acb:  # noqa: FBT001
            here = self._mixture(x).log(analytic=analytic)
            exponent = -x * x / 2 + (own + ahead * z) * here
            if behind:
                exponent += behind * z * self._mixture(-x).log(analytic=analytic)
            return (exponent - scale).exp()

        low, high = self._ends(float(z.real))
        pieces = int(high - low) + 1
        total = acb(0)
        for k in range(pieces):
            ends = (arb(low) + arb(high - low) * j / pieces for j in (k, k + 1))
            total += acb.integral(
                integrand, *ends, rel_tol=arb(2) ** -80, abs_tol=arb(2) ** -90 / pieces
            )
        return total / (2 * arb.pi()).sqrt()

    def _ends(self, tilt: float) -> tuple[float, float]:
        """Beyond which the integrand is below e^-100, and M is at least 1, or e^(tilt S^2/2).

        -S^2/2 <= lambda(0) <= 0 and 0 <= lambda' <= S: it is at most phi e^(tilt S^2/2 + a S |x|).
        """
        steepest = max(float(shift) for shift, _ in self.parts)
        left, right = {
            "remove": (0.0, tilt + 1),
            "add": (max(tilt, 0.0), max(-tilt, 0.0)),
            "replace": (0.0, 2 * tilt + 1),
        }[self.form]
        reach = math.sqrt(abs(tilt)) * steepest + 15
        return -2 * left * steepest - reach, min(self.top, 2 * right * steepest + reach)

    def log_moment(self, tilt: float) -> arb:
        """log M at a real tilt."""
        with ctx.workprec(BITS):
            rough = self._integral(acb(tilt), arb(0)).real.log().mid()
            return rough + self._integral(acb(tilt), rough).real.log()

    def samples(self, tilt: float, frequencies: Iterable[arb]) -> Iterator[acb]:
        """M(tilt + i frequency) / M(tilt)."""
        with ctx.workprec(BITS):
            at = self.log_moment(tilt)
            for frequency in frequencies:
                yield self._integral(acb(tilt, frequency), at.mid()) * (at.mid() - at).exp()
