# SPDX-License-Identifier: Apache-2.0
"""The last batch of a shuffled epoch in corners: above the integral, in balls."""

import math
import random
from itertools import pairwise

import pytest
from flint import arb

from exact.balls import normal_tail
from hockeystick import _core

pytestmark = pytest.mark.bits(200)


def exact(mu, gain, loss, less):
    """E (gain p - loss q - less)_+, in closed form: it is positive above one g."""
    mu, gain, loss, less = (arb(x) for x in (mu, gain, loss, less))
    k = (-(mu**2) / 2).exp()
    root = (less**2 + 4 * gain * loss * k**2).sqrt()
    # gain k w - loss k / w = less, w = e^(mu g); the other form where less < 0 cancels.
    w = (less + root) / (2 * gain * k) if less >= 0 else 2 * loss * k / (root - less)
    at = w.log() / mu
    return gain * normal_tail(at - mu) - loss * normal_tail(at + mu) - less * normal_tail(at)


@pytest.mark.parametrize("mu", [2.0**-18, 0.0625, 0.25, 1.0, 3.25])
@pytest.mark.parametrize("width", [1.0, 0.25])
def test_corners_count_no_less_than_the_integral(mu, width):
    """For all f = (gain p - loss q - less)_+, of which the theorem's are sums."""
    rng = random.Random(repr((mu, width)))
    nodes, excess = _core.sampling.pivot_nodes(mu, width, 1e-15)
    for _ in range(60):
        gain, loss = 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-2, 2)
        less = (gain - loss) * rng.uniform(0.5, 1.5) + 2 * mu * rng.uniform(-1, 3) * (gain + loss)
        f = exact(mu, gain, loss, less)
        found = sum(
            (arb(m) * (arb(gain) * p - arb(loss) * q - less).max(arb(0)) for m, p, q in nodes),
            arb(excess) * gain,
        )
        assert f <= found
        scale = (gain + loss) * (math.expm1(mu * width / 2) ** 2 + mu * width * width + 1e-12)
        assert found <= f + scale


@pytest.mark.parametrize("mu", [2.0**-18, 0.25, 3.0, 8.0])  # more than half of it at the last
def test_what_lies_above_the_last_corner_is_counted(mu):
    nodes, excess = _core.sampling.pivot_nodes(mu, 0.5, 1e-3)
    _, top, loss = nodes[-1]
    assert loss == 0
    missing = exact(mu, 1, 1e-300, top)
    assert missing <= arb(excess)
    assert excess < 5e-3


@pytest.mark.parametrize("mu", [2.0**-18, 0.25, 3.0])
def test_corners_lie_below_the_hyperbola_where_tangents_meet(mu):
    """x y = kappa / cosh^2(width / 2): the product is never above, and rounded down by little."""
    nodes, _ = _core.sampling.pivot_nodes(mu, 0.5, 1e-9)
    corner = (-(arb(mu) ** 2)).exp() / (arb(mu) * 0.25).cosh() ** 2
    for (_, p, q), (_, after, _) in pairwise(nodes):
        assert arb(p) < arb(after)
        assert (arb(p) * q) <= corner * (1 + 2.0**-40)
        # A corner's place is rounded up, its height down: both, with the exact place between.
        assert (arb(p) * q) >= corner * (1 - 2.0**-38)
