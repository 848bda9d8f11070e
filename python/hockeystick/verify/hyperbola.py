# SPDX-License-Identifier: Apache-2.0
"""Curves around the negative axis, and a choice of them for few nodes."""

import math
from dataclasses import dataclass
from itertools import product

from flint import acb, arb

from hockeystick.verify.pilot import Pilot, Strike

WIDEST = 0.7
SHARES = (0.8, 0.55, 0.35, 0.2, 0.1, 0.05, 0.02)
REACHES = (0.9, 0.75, 0.5, 0.3, 0.15, 0.05, 0.015)


@dataclass(frozen=True)
class Hyperbola:
    """s(u) = least + scale (sin(i u - angle) + sin(angle)); u in a strip of that half-width."""

    least: float
    scale: float
    angle: float
    strip: float

    def at(self, u: arb, line: float) -> acb:
        """s on the line Im u = `line`."""
        angle, c = arb(self.angle), arb(self.scale)
        turned = angle + arb(line)
        return acb(
            arb(self.least) + c * (angle.sin() - turned.sin() * u.cosh()),
            c * turned.cos() * u.sinh(),
        )

    def speed(self, u: arb, line: float) -> arb:
        """abs(ds / du)."""
        turned = arb(self.angle) + arb(line)
        return arb(self.scale) * (u.sinh() ** 2 + turned.cos() ** 2).sqrt()


def hyperbola(pilot: Pilot, least: float, strike: Strike, goal: float) -> tuple[Hyperbola, float]:
    """A hyperbola and a step whose trapezoid sum errs by about e^goal."""
    spread = 1 / math.sqrt(pilot.curvature(least, strike))
    depth = max(pilot.log_f(least, strike) - goal, 20.0)
    angle = WIDEST * min(1.0, pilot.mu)
    far = spread * math.sqrt(2 * depth / math.cos(2 * angle))
    if strike.beyond > 0:
        far = min(far, depth / (strike.beyond * math.sin(angle)))
    choices = []
    for share, reach in product(SHARES, REACHES):
        strip, width = share * angle, reach * least
        scale = width / (math.sin(angle + strip) - math.sin(angle))
        other = scale * (math.sin(angle) - math.sin(angle - strip))
        sides = (least - width, least + other)
        size = max(pilot.log_f(s, strike) for s in sides)
        step = 2 * math.pi * strip / (max(size, goal) - goal + 3)
        nodes = math.asinh(far / (scale * math.cos(angle))) / step
        choices.append((nodes, step, Hyperbola(least, scale, angle, strip)))
    _, step, curve = min(choices, key=lambda choice: choice[0])
    return curve, step
