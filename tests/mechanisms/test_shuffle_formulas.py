# SPDX-License-Identifier: Apache-2.0
"""Shuffled epochs that use every record: the sum over corners of the last batch, in balls."""

import math

import pytest
from flint import arb

from hockeystick import _core
from mechanisms.shuffles import Term

sampling = _core.sampling
TAIL, WIDTH = 1e-12, 0.5  # of the corners


pytestmark = pytest.mark.bits(64)


class Other(Term):
    """The batch that is not the pivot, of a weight."""

    def mean(self, weight, p, q, less):
        """E (p c+ - q c- - less)_+, c = weight X."""
        p, q = weight * p, weight * q
        if less >= 0:
            return p * self.call(less / p)
        below = q * (self.put(arb(0)) - self.put(-less / q)) if q > 0 else 0  # E min(q c-, -less)
        return p * self.call(arb(0)) - less - below


def corners(mu, alpha, *, back, replaces, weights):
    """The page's bound of two batches, the second of which is the pivot, with its corners."""
    other, weight = Other(mu, alpha, back=back, replaces=replaces), arb(weights[0])
    nodes, excess = sampling.pivot_nodes(mu / 2 if replaces else mu, WIDTH, TAIL / 10)
    gain = weight * other.call(arb(0))
    total, rest = excess * (gain + 1), 1e-12 + sum(mass for mass, _, _ in nodes)
    for mass, p, q in reversed(nodes):
        gain = p if replaces or not back else 1.0
        loss = alpha * q if replaces or back else alpha
        value = other.mean(weight, arb(p), arb(q), weights[1] * (arb(loss) - gain))
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
    """Of the better pivot; fine cells add a thousandth or less."""
    mu = 0.25
    alpha = math.exp(far * mu)
    (found,) = sampling.shuffle_bound(
        mu, 2, uses_all=True, last_size=last, replaces=replaces, back=back, alpha=[alpha], cells=200
    )
    how = {"back": back, "replaces": replaces}
    pivots = {(1.0, last), (last, 1.0)}
    formula = min(corners(mu, alpha, weights=weights, **how) for weights in pivots)
    assert formula < arb(found) < arb("1.001") * formula
