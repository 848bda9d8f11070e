# SPDX-License-Identifier: Apache-2.0
"""Curves that go on beyond the alpha of doubles, in ball arithmetic."""

import math
from itertools import pairwise

import pytest
from flint import arb

from exact.one_step import gaussian_delta
from hockeystick import _core

pytestmark = pytest.mark.bits(400)


def value(law, x, sign):
    """The curve of a law at e^x, the error of its masses counted in favour of `sign`."""
    atoms, mass_error, _ = law
    total = arb(0)
    for loss, p, _ in atoms:
        if loss > float(x):
            part = arb(p) * (1 if loss == math.inf else 1 - (arb(x) - loss).exp())
            total += part * (1 + sign * arb(mass_error))
    return total


@pytest.mark.parametrize("mu", [13.0, 26.0, 40.0, 300.0, 2e3, 1e5])
def test_a_normal_loss_far_away(mu):
    """Above the truth, and by next to nothing."""
    for sigmas in (-30.0, -5.0, -0.3, 0.0, 1.0, 6.0, 15.0, 36.0):
        x = mu * mu / 2 + sigmas * mu
        if x < 500:
            continue
        found = _core.sampling.far_gaussian_above(mu, x)
        truth = gaussian_delta(arb(mu), arb(x))
        assert not found < truth
        allowed = 1e-3 / mu + 1e-12 * mu if sigmas > 0 else 1e-3
        assert found <= truth * (1 + allowed) + 1e-290


def points_of(mu, step, sigmas):
    """Of a Gaussian to 600 nats, and beyond."""
    near = [step * k for k in range(-1, int(600 / step))]
    beyond, x = [], 600.0
    while x < mu * mu / 2 + sigmas * mu:
        x += max(step, mu) / 20
        beyond.append(x)
    alpha = [math.exp(loss) for loss in near]
    deltas = [gaussian_delta(arb(mu), arb(a).log()) for a in alpha]
    deltas += [gaussian_delta(arb(mu), arb(loss)) for loss in beyond]
    upper = [min(1.0, math.nextafter(float(delta), 2)) for delta in deltas[: len(near)]]
    far = [min(1.0, float(delta.upper()) * (1 + 1e-15)) for delta in deltas[len(near) :]]
    return alpha, upper, beyond, far


@pytest.mark.parametrize("mu", [30.0, 34.0, 40.0, 90.0])
@pytest.mark.parametrize("sigmas", [6.0, 20.0])
def test_the_law_goes_on_above_the_curve(mu, sigmas):
    given = points_of(mu, 10.0, sigmas)
    law = _core.sampling.continued_law(*given)
    atoms, mass_error, loss_error = law
    assert mass_error < 1e-12
    assert loss_error < 1e-11
    assert math.fsum(p for _, p, _ in atoms) == pytest.approx(1, rel=1e-15 + mass_error)
    points = given[2][1:-1]
    between = [(a + b) / 2 for a, b in pairwise(points)]
    for x in [300.0, 590.0, 599.5, 600.5, *between[::5], *points[::5]]:
        truth = gaussian_delta(arb(mu), arb(x))
        assert value(law, x, 1) >= truth * (1 - arb(1e-13))
        if x > 620:  # chords far apart end there
            assert value(law, x, 1) <= truth * 1.2 + given[3][-1] + 1e-12


def test_kinks_are_the_changes_of_slope_and_never_less():
    """Four points of a curve with chords: masses in balls, term by term."""
    log_alpha, values = [601.0, 602.5, 605.0, 640.0], [0.3, 0.12, 0.05, 0.01]
    law = _core.sampling.continued_law([1.0, math.exp(600.0)], [0.9, 0.5], log_alpha, values)
    atoms, mass_error, _ = law
    masses = {loss: p for loss, p, _ in atoms}
    known = [(arb(math.exp(600.0)).log(), arb(0.5))]
    known += [(arb(x), arb(v)) for x, v in zip(log_alpha, values, strict=True)]
    slope = [(b[1] - a[1]) / (b[0].exp() - a[0].exp()) for a, b in pairwise(known)]
    for k in range(1, 4):
        exact = known[k][0].exp() * (slope[k] - slope[k - 1])
        found = arb(masses[log_alpha[k - 1]])
        assert exact <= found <= exact * (1 + arb(1e-12))
    assert masses[640.0] >= -known[4][0].exp() * slope[3]
    taken = -known[0][0].exp() * slope[0]
    start = [p for loss, p, _ in atoms if abs(loss - 600) < 1e-9]
    assert abs(arb(start[0]) - (arb(0.4) / (1 - 1 / known[0][0].exp()) - taken)) < 1e-12
    assert masses[math.inf] == 0.01
    assert mass_error < 1e-13


def test_what_is_not_convex_is_bridged():
    """A point that stands out leaves; one below its place pulls the others down."""
    near = [1.0, math.exp(600.0)], [0.9, 0.5]
    out = _core.sampling.continued_law(*near, [601.0, 602.0, 603.0], [0.2, 0.19, 0.01])
    assert sorted(loss for loss, _, _ in out[0] if 600.5 < loss < math.inf) == [601.0, 603.0]
    rising = _core.sampling.continued_law(*near, [601.0, 602.0], [0.2, 0.4])
    assert sum(p for loss, p, _ in rising[0] if loss == math.inf) == 0.2


def test_more_than_the_last_atom_has_is_an_error_of_the_masses():
    """The first chord beyond is steeper than the last one before: a curve given too high."""
    law = _core.sampling.continued_law([1.0, math.exp(600.0)], [0.5, 0.5], [600.1], [0.4])
    atoms, mass_error, _ = law
    excess = math.fsum(p for _, p, _ in atoms) - 1
    assert 0.9 < excess < mass_error < 1.0
