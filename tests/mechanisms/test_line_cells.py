# SPDX-License-Identifier: Apache-2.0
"""Bars below a tilted density and coarse cells above it, by the formulas of their pages."""

import pytest
from flint import arb

from hockeystick import _core
from mechanisms.mixtures import FORMS, Mixture, near

MIXTURE = Mixture(((2.0, 0.3), (0.7, 0.2)))
TILT = 1.5
CELLS = [(-3.0, -1.8), (-0.9, 0.4), (-0.3, 1.1), (0.0, 0.8), (1.2, 2.7)]
CASES = [(form, *cell) for form in FORMS for cell in CELLS]

pytestmark = pytest.mark.bits(120)


def growth(form, x):
    """log of what P e^(tilt L) has beside phi."""
    own, ahead, behind = FORMS[form]
    return (own + TILT * ahead) * MIXTURE.value(x) + TILT * behind * MIXTURE.value(-x)


def loss(form, x):
    _, ahead, behind = FORMS[form]
    return ahead * MIXTURE.value(x) + behind * MIXTURE.value(-x)


def slope_of_loss(form, x):
    _, ahead, behind = FORMS[form]
    return abs(ahead * MIXTURE.slope(x)) - behind * MIXTURE.slope(-x)


def behind_of(form, x):
    return float(MIXTURE.slope(-x)) if FORMS[form][2] else 0.0


def bar_end(form, x, loss_error):
    density = (growth(form, x) - arb(x) ** 2 / 2).exp()
    numbers = (density, growth(form, x), loss(form, x), loss_error, MIXTURE.slope(x))
    return (x, *map(float, numbers), behind_of(form, x))


def bar(form, left, right, loss_error=0.0):
    ends = (bar_end(form, x, loss_error) for x in (left, right))
    return _core.lines.bar_between(*ends, form, TILT)


@pytest.mark.parametrize(("form", "left", "right"), CASES)
def test_a_bar_is_the_least_density_over_the_steepest_slope(form, left, right):
    """The least normal density and the least e^growth, at ends of their own."""
    farther, other = max(left, right, key=abs), left if FORMS[form][1] > 0 else right
    least = (growth(form, farther) - arb(farther) ** 2 / 2).exp()
    if farther != other:  # e^-y from below
        least *= (1 - (growth(form, farther) - growth(form, other)) / 16) ** 16
    steepest = MIXTURE.slope(right) + behind_of(form, left)
    height, _ = bar(form, left, right)
    assert near(height, least / steepest)
    for k in range(33):
        x = left + (right - left) * arb(k) / 32
        density = (growth(form, x) - x * x / 2).exp() / slope_of_loss(form, x)
        assert height <= density * (1 + arb("1e-12"))


@pytest.mark.parametrize(("form", "left", "right"), CASES)
@pytest.mark.parametrize("loss_error", [0.0, 1e-3, 10.0])
def test_the_width_of_a_bar_is_the_change_of_the_loss(form, left, right, loss_error):
    """Within its errors, or else that of the least slope."""
    _, width = bar(form, left, right, loss_error)
    change = abs(loss(form, right) - loss(form, left))
    flattest = MIXTURE.slope(left) + behind_of(form, right)
    known = change - 2 * arb(loss_error)
    assert near(width, max(known, flattest * (arb(right) - left), key=float))
    assert width <= change * (1 + arb("1e-15"))


def cell_end(form, x, off):
    log_density = growth(form, x) - arb(x) ** 2 / 2
    numbers = (log_density, growth(form, x), MIXTURE.slope(x))
    return (x, *map(float, numbers), behind_of(form, x), off)


@pytest.mark.parametrize(("form", "left", "right"), CASES)
@pytest.mark.parametrize("off", [0.0, 0.25])
def test_a_cell_has_the_largest_density_and_the_least_slopes(form, left, right, off):
    """phi is largest at the end next to 0, or at 0, and e^growth at one end."""
    ends = [cell_end(form, x, off) for x in (left, right)]
    ((log_mass, slope, slope_behind, bent),) = _core.lines.decay_cells(ends, form, TILT)
    near_0 = 0.0 if left < 0 < right else min(left, right, key=abs)
    largest = growth(form, right if FORMS[form][1] > 0 else left)
    mass = (largest - arb(near_0) ** 2 / 2 + 2 * arb(off)).exp() * (arb(right) - left)
    assert near(arb(log_mass).exp(), mass)
    assert slope == float(MIXTURE.slope(left))
    assert slope_behind == behind_of(form, right)
    assert bent == (float(MIXTURE.slope(right)) if form == "add" else behind_of(form, left))
    for k in range(33):
        x = left + (right - left) * arb(k) / 32
        assert (growth(form, x) - x * x / 2).exp() * (arb(right) - left) <= arb(log_mass).exp()
        assert slope <= MIXTURE.slope(x) * (1 + arb("1e-15"))


@pytest.mark.parametrize("tilt", [0.1, 0.5, 0.8])
@pytest.mark.parametrize(("left", "right"), CELLS)
def test_a_density_that_rises_and_falls_in_a_cell_changes_by_its_slopes(left, right, tilt):
    """Of a replaced record left of 0: phi e^((1 - tilt) lambda(x) + tilt lambda(-x))."""

    def grown(x):
        return (1 - tilt) * MIXTURE.value(x) + tilt * MIXTURE.value(-x)

    def end(x):
        slopes = [float(MIXTURE.slope(at)) for at in (x, -x)]
        density = grown(x) - arb(x) ** 2 / 2
        change = MIXTURE.value(-x) - MIXTURE.value(x)
        bar_end = (x, float(density.exp()), float(grown(x)), float(change), 0.0, *slopes)
        return bar_end, (x, float(density), float(grown(x)), *slopes, 0.0)

    steepest = max((1 - tilt) * MIXTURE.slope(right), tilt * MIXTURE.slope(-left), key=float)
    growth = steepest * (arb(right) - left)
    (one, cell), (other, next_cell) = end(left), end(right)
    height, width = _core.lines.bar_between(one, other, "left of 0", tilt)
    farther = one if abs(left) > abs(right) else other
    slopes = MIXTURE.slope(right) + MIXTURE.slope(-left)
    assert near(height, farther[1] * (1 - growth / 16) ** 16 / slopes)
    assert near(width, abs(arb(other[3]) - one[3]))
    ((log_mass, *_),) = _core.lines.decay_cells([cell, next_cell], "left of 0", tilt)
    near_0 = min(left, right, key=abs)
    most = end(near_0)[1][1] + (near_0**2 / 2 if left < 0 < right else 0) + growth
    assert near(arb(log_mass).exp(), most.exp() * (arb(right) - left))
    for k in range(33):
        x = left + (right - left) * arb(k) / 32
        density = (grown(x) - x * x / 2).exp()
        assert height * (MIXTURE.slope(x) + MIXTURE.slope(-x)) <= density * (1 + arb("1e-12"))
        assert density * (arb(right) - left) <= arb(log_mass).exp()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("off", [0.0, 0.25])
def test_what_stands_upright_has_the_density_of_its_end(form, off):
    x = 0.6
    log_mass, slope, slope_behind, bent = _core.lines.upright(cell_end(form, x, off), form)
    assert near(arb(log_mass).exp(), (growth(form, x) - arb(x) ** 2 / 2 + arb(off)).exp())
    assert (slope, slope_behind) == (float(MIXTURE.slope(x)), behind_of(form, x))
    assert bent == (slope if form == "add" else slope_behind)
