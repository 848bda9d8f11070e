# SPDX-License-Identifier: Apache-2.0
"""Shuffled epochs that use every record: the sum over corners of the last batch, in balls."""

import math

import pytest
from flint import arb, ctx

from exact.balls import normal_tail
from hockeystick import _core

sampling = _core.sampling
TAIL, WIDTH = 1e-12, 0.5  # of the corners


@pytest.fixture(autouse=True)
def _precision():
    with ctx.workprec(64):
        yield


def call(spread, at):
    """E (Y - at)_+ of a log-normal Y of mean 1."""
    if not at > 0:
        return 1 - at
    x = at.log() / spread + spread / 2
    return normal_tail(x - spread) - at * normal_tail(x)


class Other:
    """The batch that is not the pivot, of a weight: c = weight T (Y - alpha), or T (1 - alpha Y).

    Y is integrated by closed forms and T by the trapezoid rule: the integrand is smooth in log T.
    """

    def __init__(self, mu, place, alpha, weight, *, back):
        s = arb(2) ** (arb(place) / 2 - 2)
        a, self.spread = (1 + s).sqrt() * mu, (1 + 1 / s).sqrt() * mu
        self.alpha, self.back, step = arb(alpha), back, arb(1) / 10
        xs = [k * step for k in range(-80, 80 + math.ceil(10 * float(a)))]
        density = step / (2 * arb.pi()).sqrt()
        self.law = [(weight * (a * x - a * a / 2).exp(), density * (-x * x / 2).exp()) for x in xs]
        self.gain = self.above(arb(1), arb(0))

    def call(self, level):
        """E (c / T - level)_+."""
        if not self.back:
            return call(self.spread, self.alpha + level)
        at = (1 - level) / self.alpha
        return self.alpha * (call(self.spread, at) + at - 1) if at > 0 else arb(0)

    def put(self, level):
        """E (-c / T - level)_+."""
        if self.back:
            return self.alpha * call(self.spread, (1 + level) / self.alpha)
        at = self.alpha - level
        return call(self.spread, at) + at - 1 if at > 0 else arb(0)

    def above(self, p, less):
        """E (p c+ - less)_+, less >= 0."""
        return sum((m * p * t * self.call(less / (p * t)) for t, m in self.law), arb(0))

    def below(self, q, more):
        """E min(q c-, more)."""
        parts = (m * q * t * (self.put(arb(0)) - self.put(more / (q * t))) for t, m in self.law)
        return sum(parts, arb(0))

    def mean(self, p, q, less):
        """E (p c+ - q c- - less)_+."""
        if less >= 0:
            return self.above(p, less)
        return p * self.gain - less - (self.below(q, -less) if q > 0 else 0)


def corners(mu, place, alpha, *, back, replaces, weights):
    """The page's bound of two batches, the second of which is the pivot, with its corners."""
    other = Other(arb(mu), place, alpha, arb(weights[0]), back=back)
    nodes, excess = sampling.pivot_nodes(mu / 2 if replaces else mu, WIDTH, TAIL / 10)
    total, rest = excess * (other.gain + 1), 1e-12 + sum(mass for mass, _, _ in nodes)
    for mass, p, q in reversed(nodes):
        gain = p if replaces or not back else 1.0
        loss = alpha * q if replaces or back else alpha
        value = other.mean(arb(p), arb(q), weights[1] * (arb(loss) - gain))
        total += mass * value
        rest -= mass
        if rest * value < arb("4e-3") * total:
            return (total + max(rest, 0.0) * value) / sum(weights)
    return total / sum(weights)


CASES = [(back, replaces) for back in (False, True) for replaces in (False, True)]


@pytest.mark.every(2)
@pytest.mark.parametrize("last", [1.0, 0.5])
@pytest.mark.parametrize(("back", "replaces"), CASES)
@pytest.mark.parametrize("far", [0.0, 0.5])
def test_the_bound_is_the_sum_over_corners(back, replaces, last, far):
    """Of the better s and the better pivot; fine cells of T and Y add a hundredth or less."""
    mu = 0.25
    alpha = math.exp(far * mu)
    (found,) = sampling.shuffle_bound(
        mu, 2, uses_all=True, last_size=last, replaces=replaces, back=back, alpha=[alpha], cells=200
    )
    how = {"back": back, "replaces": replaces}
    pivots = {(1.0, last), (last, 1.0)}
    formula = min(
        corners(mu, place, alpha, weights=weights, **how)
        for place in range(6, 13)
        for weights in pivots
    )
    assert formula < arb(found) < arb("1.015") * formula
