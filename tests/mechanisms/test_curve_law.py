# SPDX-License-Identifier: Apache-2.0
"""Laws above and below a curve that is enclosed at points, in ball arithmetic."""

import math
import random
from itertools import pairwise

import pytest
from flint import arb, ctx

from exact.one_step import gaussian_delta
from hockeystick import _core


def response(alpha):
    """Randomized response, 3 to 1: kinks at 1/3 and 3."""
    best = max((arb(3) - alpha) / 4, 1 - alpha, arb(0), key=float)
    return arb(best)


CURVES = {
    "gaussian 0.3": lambda a: gaussian_delta(arb(0.3), a.log()),
    "gaussian 2": lambda a: gaussian_delta(arb(2), a.log()),
}
CURVES["response"] = response


def enclosed(curve, points, eta, rng):
    alpha, lower, upper = [], [], []
    for loss in points:
        alpha.append(math.exp(loss))
        with ctx.workprec(200):
            value = curve(arb(alpha[-1]))
            low, high = float((value - eta * rng.random()).lower()), float(value.upper())
        lower.append(math.nextafter(low, -1))
        upper.append(min(1.0, math.nextafter(high + eta * rng.random(), 2)))
    return alpha, lower, upper


def value(law, alpha, sign):
    """The curve of a law at alpha, its errors counted in favour of `sign`."""
    atoms, mass_error, _ = law
    total = arb(0)
    for loss, p, q in atoms:
        if loss == math.inf:
            total += arb(p)
        elif loss > -math.inf:
            gain = arb(p) - alpha * arb(q)
            slack = (arb(p) + alpha * arb(q)) * mass_error * sign
            total += max(gain + slack, arb(0), key=float)
    return total


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("eta", [0.0, 1e-12, 1e-5, 1e-2])
def test_laws_lie_above_and_below(name, eta):
    rng = random.Random(f"{name} {eta}")
    curve = CURVES[name]
    for step, reach in ((0.02, 3.0), (0.3, 6.0), (1.0, 40.0)):
        number = int(reach / step)
        points = [step * k for k in range(-number, number + 1)]
        given = enclosed(curve, points, eta, rng)
        above = _core.sampling.curve_law(*given, is_above=True)
        below = _core.sampling.curve_law(*given, is_above=False)
        with ctx.workprec(200):
            for _ in range(16):
                alpha = arb(
                    math.exp(rng.choice([rng.uniform(-2 * reach, 2 * reach), rng.choice(points)]))
                )
                truth = curve(alpha)
                assert value(above, alpha, 1) >= truth or value(above, alpha, 1).overlaps(truth)
                assert value(below, alpha, -1) <= truth or value(below, alpha, -1).overlaps(truth)


@pytest.mark.parametrize("name", CURVES)
def test_laws_are_pairs_of_distributions(name):
    rng = random.Random(name)
    points = [0.05 * k for k in range(-80, 81)]
    given = enclosed(CURVES[name], points, 1e-9, rng)
    for is_above in (True, False):
        atoms, mass_error, loss_error = _core.sampling.curve_law(*given, is_above)
        assert math.fsum(p for _, p, _ in atoms) == pytest.approx(1, rel=1e-15 + mass_error)
        assert math.fsum(q for _, _, q in atoms) == pytest.approx(1, rel=1e-15 + mass_error)
        assert mass_error < 1e-14
        for loss, p, q in atoms:
            if math.isfinite(loss):
                with ctx.workprec(200):
                    off = abs((arb(p) / arb(q)).log() - arb(loss))
                    assert off <= loss_error + 2 * mass_error


def test_the_lower_law_is_close_where_the_curve_is_small():
    """To a part of the curve, which 16 u of 1 would exceed."""
    points = [0.005 * k for k in range(-640, 641)]
    given = enclosed(CURVES["gaussian 0.3"], points, 0.0, random.Random(2))
    lower = [float(x) * (1 - 1e-12) for x in given[2]]
    below = _core.sampling.curve_law(given[0], lower, given[2], is_above=False)
    with ctx.workprec(200):
        for loss in (1.5, 2.0, 2.5, 2.8):
            truth = CURVES["gaussian 0.3"](arb(loss).exp())
            assert 0.7 * truth < value(below, arb(loss).exp(), -1) <= truth
        assert truth < 1e-19


U = 2.0**-53


@pytest.mark.parametrize("name", CURVES)
def test_the_reverse_is_enclosed_at_the_reciprocals(name):
    """By 8 u of the larger of 1 and alpha, the reciprocal being rounded."""
    rng = random.Random(f"reverse {name}")
    points = sorted(rng.uniform(-5, 5) for _ in range(200))
    given = enclosed(CURVES[name], points, 1e-5, rng)
    found = list(zip(*_core.sampling.reversed_curve(*given), strict=True))
    with ctx.workprec(200):
        for (alpha, lower, upper), (a, low, high) in zip(
            found, reversed(list(zip(*given, strict=True))), strict=True
        ):
            margin = 8 * U * max(1, alpha)
            off = abs(alpha - 1 / arb(a))
            least, most = (1 / arb(a) * (x + arb(a) - 1) for x in (low, high))
            assert lower <= max(least - off, arb(0), key=float)
            assert upper >= min(most + off, arb(1), key=float)
            if lower > 0 and upper < 1:
                assert 0.6 * margin < least - lower < 1.4 * margin
                assert 0.6 * margin < upper - most < 1.4 * margin


def test_far_chords_go_on_where_they_are_higher():
    """In each gap, the chord is below one of the given ones; beyond, it is the far one."""
    rng = random.Random(3)
    for _ in range(300):
        shift = 10.0 ** rng.uniform(-9, -2)

        def points(part, lost, grid, *, rng=rng):
            losses = sorted(rng.uniform(-2, 2) for _ in range(grid))
            values = [float(gaussian_delta(arb(0.5), arb(x)).lower()) for x in losses]
            return [math.exp(x) for x in losses], [part * value - lost for value in values]

        near, far = points(1.0, shift, rng.randrange(2, 40)), points(0.9, 0.0, rng.randrange(2, 40))
        alpha, values = _core.sampling.spliced_chords(near, far)
        assert alpha == sorted(set(alpha))
        assert alpha[-1] == max(alpha[-1], min(near[0][-1], far[0][-1]))
        with ctx.workprec(200):
            for gap in pairwise(zip(alpha, values, strict=True)):
                assert below_one_of(gap, (near, far))


def below_one_of(gap, polygons):
    """Whether the chord is at most the line of one of them, of which no kink is within the gap."""
    (a, at_a), (b, at_b) = gap
    for x, y in polygons:
        for (c, at_c), (d, at_d) in pairwise(zip(x, y, strict=True)):
            if c <= a and b <= d:
                slope = (arb(at_d) - at_c) / (arb(d) - c)
                # An end that is not moved is on the line.
                if all(
                    value <= at_c + slope * (arb(end) - c) or (end, value) in ((c, at_c), (d, at_d))
                    for end, value in ((a, at_a), (b, at_b))
                ):
                    return True
    return False


@pytest.mark.every(3)
@pytest.mark.parametrize("floor", [0.0, 0.03])
@pytest.mark.parametrize("lost", [0.0, 1e-9, 0.05, 0.4])
@pytest.mark.parametrize("name", CURVES)
def test_chords_meet_the_line_and_the_floor(name, lost, floor):
    """The largest of 1 - alpha, the chords and the floor, where that is convex."""
    for step in (0.05, 0.7):
        alpha = [math.exp(step * k) for k in range(-round(5 / step), round(5 / step) + 1)]
        with ctx.workprec(200):
            values = [float((CURVES[name](arb(a)) - lost).lower()) for a in alpha]
            law = _core.sampling.chords_law(alpha, values, floor)
            for (a, at_a), (b, at_b) in pairwise(zip(alpha, values, strict=True)):
                for share in (0.0, 0.2, 0.5, 0.9):
                    x = a + (arb(b) - a) * share
                    chord = at_a + (arb(at_b) - at_a) * share
                    most = max(chord, 1 - x, arb(floor), key=float)
                    found = value(law, x, -1)
                    assert found <= most + 1e-25
                    if values[0] <= 1 - alpha[0] and values[-1] <= floor:
                        assert found >= most - 1e-10


@pytest.mark.parametrize("floor", [1e-319, 1e-50, 1e-20, 2**-54, 2**-53, 2**-51, 1e-9])
def test_a_curve_of_little_but_its_floor_is_not_above_it(floor):
    """The line 1 - alpha goes on to the floor, or to 0 where doubles near 1 are too far apart."""
    law = _core.sampling.chords_law([0.5, 1 - 2**-50], [0.49, floor], floor)
    assert all(loss <= 0 or loss == math.inf for loss, _, _ in law[0])
    with ctx.workprec(2000):
        for alpha in (0.5, 1 - 2**-53, 1.0, 1 + 2**-52, 2.0):
            most = max(1 - arb(alpha), arb(floor), key=float)
            assert value(law, arb(alpha), -1) <= most
            if floor >= 2**-51:
                assert value(law, arb(alpha), -1) > 0.4 * floor


def test_a_chord_that_meets_the_line_below_the_floor_is_none():
    """By the slack of where it does; the curve would rise from there, and was 1e-15 above."""
    floor = 2.4099811189038529e-05
    alpha = [0.5, 0.9999759001886861, 0.99997670398973459]
    law = _core.sampling.chords_law(alpha, [0.49999, 2.4099811189038563e-05, floor], floor)
    with ctx.workprec(200):
        for x in (0.9, 0.9999, alpha[1], 0.99997590018881288, 1 - floor, alpha[2], 1.0):
            assert value(law, arb(x), -1) <= max(1 - arb(x), arb(floor), key=float)
    assert sum(p for _, p, _ in law[0]) == pytest.approx(1, abs=1e-15)


def polygon(rng):
    """Points of a curve that is strictly convex, from 1 to 1e-30."""
    losses = sorted({round(rng.uniform(-2, 4), 3) for _ in range(rng.randrange(2, 40))})
    alpha = [math.exp(x) for x in losses]
    with ctx.workprec(200):
        return alpha, [float(gaussian_delta(arb(0.5), arb(x).log()).upper()) for x in alpha]


def chord(points, x, beyond):
    """The polygon at x in balls, and the larger of the values that it is between there."""
    for (a, at_a), (b, at_b) in pairwise(zip(*points, strict=True)):
        if a < x <= b:
            part = (arb(x) - a) / (arb(b) - a)
            return at_a + part * (arb(at_b) - at_a), max(at_a, at_b)
    return arb(points[1][0] if x == points[0][0] else beyond), beyond


def on_lattice(alpha, spacing):
    """Whether the losses are multiples of the spacing."""
    return all(abs(x - round(x / spacing) * spacing) < 1e-14 for x in map(math.log, alpha))


def test_upper_values_on_a_lattice_are_those_of_chords():
    """Raised by 16 u, which covers the rounding of the chords."""
    rng = random.Random(5)
    for _ in range(300):
        given, spacing = polygon(rng), 10 ** rng.uniform(-3, 0.3)
        found = _core.sampling.upper_on_lattice(*given, spacing, rng.choice([0.0, 0.3]))
        assert on_lattice(found[0], spacing)
        assert found[0][-1] >= given[0][-1] * (1 - 1e-15)
        with ctx.workprec(200):
            for x, upper in zip(*found, strict=True):
                truth, size = chord(given, x, given[1][-1])
                if upper < 1:
                    assert 9 * U * size < upper - truth < 24 * U * size + 1e-320


def test_chords_on_a_lattice_are_below_those_given():
    """At each kink and at each of their own ends, by 32 u of the values about it."""
    rng = random.Random(6)
    for _ in range(300):
        given, spacing = polygon(rng), 10 ** rng.uniform(-3, 0.3)
        found = _core.sampling.chords_on_lattice(*given, spacing, 0.0, rng.choice([0.0, 0.3]))
        assert on_lattice(found[0], spacing)
        with ctx.workprec(200):
            for (a, at_a), (b, at_b) in pairwise(zip(*found, strict=True)):
                (left, size), (right, size_right) = (chord(given, x, 0.0) for x in (a, b))
                off = 20 * U * (size + size_right)
                assert at_a < left - off
                assert at_b < right - off
                for x, value in zip(*given, strict=True):
                    if a < x < b:
                        line = at_a + (arb(x) - a) / (arb(b) - a) * (arb(at_b) - at_a)
                        assert line < value - off


def test_chords_on_a_lattice_lose_little():
    """A part of what the kinks of a polygon bend it by."""
    alpha = [math.exp(0.01 * k) for k in range(-300, 301)]
    with ctx.workprec(200):
        values = [float(gaussian_delta(arb(0.5), arb(x).log())) for x in alpha]
    for spacing in (0.01, 0.0037):
        found = _core.sampling.chords_on_lattice(alpha, values, spacing, 0.0)
        with ctx.workprec(200):
            for x, value in zip(*found, strict=True):
                truth = gaussian_delta(arb(0.5), arb(x).log())
                assert value >= truth - 1e-3 * truth - 1e-13
        few, lower = _core.sampling.chords_on_lattice(alpha, values, spacing, 0.0, 0.05)
        assert len(few) < 0.7 * len(found[0])
        dense = dict(zip(*found, strict=True))
        for x, value in zip(few, lower, strict=True):
            assert value >= 0.98 * dense[x] - 1e-9
