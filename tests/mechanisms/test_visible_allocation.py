# SPDX-License-Identifier: Apache-2.0
"""Random allocations of steps with little noise: curves in balls, of two steps by integrals."""

import math

import numpy as np
import pytest
from flint import arb, ctx

from exact.one_step import gaussian_delta
from hockeystick import _core
from questions import core_answer

NOISES = (0.001, 0.03, 0.05, 0.07, 0.1)


def pair(way, side, noise, steps, epochs=1, *, cells=200, tail=1e-30):
    name = f"visible_allocation_{way}_{side}"
    return _core.dominating_pair(name, (noise, steps, epochs, cells, tail))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("steps", [2, 100, 10**12])
def test_a_removed_record_costs_the_step_less_its_choice(noise, steps):
    above, below = (pair("remove", side, noise, steps) for side in ("above", "below"))
    for sigmas in (-2.0, 0.0, 2.0, 5.0, 8.0):
        with ctx.workprec(400):
            mu = 1 / arb(noise)
            x = float((mu * mu / 2 + sigmas * mu - arb(steps).log()).mid())
            if x <= 1:
                continue
            least = gaussian_delta(mu, x + arb(steps).log())
            found = above.delta_above([x])[0]
            assert found >= least * (1 - arb(1e-15))
            if steps <= 100 and (x > 20 or noise <= 0.05):
                assert found <= least * (1 + arb(5e-2)) + arb(1e-28)
            assert below.delta_above([x])[0] <= least * (1 + arb(1e-6)) + arb(1e-28)
            assert below.delta_above([x])[0] >= least * (1 - arb(2e-2)) - arb(1e-28)


def hull_at(x, points):
    """The lower convex hull, in alpha, of points (log alpha, value), at log alpha = x."""
    scaled = [(math.exp(y - x), value) for y, value in points]
    left = [point for point in scaled if point[0] <= 1]
    right = [point for point in scaled if point[0] >= 1]
    return min(
        a[1] if a[0] == b[0] else a[1] + (b[1] - a[1]) * (1 - a[0]) / (b[0] - a[0])
        for a in left
        for b in right
    )


@pytest.mark.parametrize("noise", [0.08, 0.1])
def test_mistaken_steps_are_counted_as_the_page_says(noise):
    """Of 10^12 steps one is mistaken so often that this is most of the bound, next to its end."""
    steps = 10**12
    above = pair("remove", "above", noise, steps)
    xs = [0.5 * k for k in range(161)]
    values = []
    with ctx.workprec(400):
        mu = 1 / arb(noise)
        for x in xs:
            least = [gaussian_delta(mu, arb(x))]
            for gap in (4.0, 8.0, 15.0, 30.0):
                at = arb(steps).log() + x + (-((-arb(gap)).exp())).log1p()
                far = (mu / 2 + (x - gap) / mu) / arb(2).sqrt()
                least.append(gaussian_delta(mu, at) + steps * far.erfc() / 2)
            values.append(min(float(each.mid()) for each in least))
    points = list(zip(xs, values, strict=True))
    for x in xs[::8]:
        assert above.delta_above([x])[0] >= hull_at(x, points) * (1 - 1e-2)


def losses_of_two(mu, way, line):
    """The loss of two steps by the noise of each, and the weights of that noise."""
    weight = np.exp(-(line**2) / 2) * (line[1] - line[0]) / math.sqrt(2 * math.pi)
    first = mu * line + (mu * mu / 2 if way == "remove" else -mu * mu / 2)
    second = mu * line - mu * mu / 2
    loss = np.logaddexp.outer(first, second) - math.log(2)
    return (loss if way == "remove" else -loss), weight


def of_two(noise, x, way):
    """h(e^x) of two steps, as a sum over both losses."""
    loss, weight = losses_of_two(1 / noise, way, np.linspace(-12, 12, 3001))
    return weight @ -np.expm1(np.minimum(x - loss, 0)) @ weight


@pytest.mark.every(2)
@pytest.mark.parametrize("way", ["remove", "add"])
@pytest.mark.parametrize("noise", [0.05, 0.07, 0.1])
def test_two_steps_enclose_the_sum_over_both(way, noise):
    above, below = (pair(way, side, noise, 2) for side in ("above", "below"))
    for part in (0.2, 0.5, 0.8, 1.0, 1.1, 1.2, 1.35):
        x = part / noise**2 / 2
        truth = of_two(noise, x, way)
        assert below.delta_above([x])[0] <= truth * (1 + 1e-4) + 1e-15
        assert above.delta_above([x])[0] >= truth * (1 - 1e-4) - 1e-15
    names = [("_back", (x,)) for x in (1.0, 9.0)]
    for back, (x,) in names:  # the reverse pair is that of the reverse comparison
        reverse = _core.dominating_pair(
            f"visible_allocation_{way}_above{back}", (noise, 2, 1, 200, 1e-30)
        )
        other = "add" if way == "remove" else "remove"
        assert reverse.delta_above([x])[0] >= of_two(noise, x, other) * (1 - 1e-4)


@pytest.mark.parametrize("steps", [2, 100, 10**4])
@pytest.mark.parametrize("noise", [0.001, 0.02, 0.035])
def test_an_added_record_costs_the_least_step_less_what_others_near_it_hide(noise, steps):
    """Sides that differed by log t, up to 3 % of epsilon, and were refused."""
    above, below = (pair("add", side, noise, steps) for side in ("above", "below"))
    for delta in (0.5, 1e-3):
        most, least = (
            core_answer([[(one, 1)]], "epsilon", delta, tolerance=1e-4) for one in (above, below)
        )
        assert least.lower <= most.upper <= least.lower * (1 + 1e-3)
