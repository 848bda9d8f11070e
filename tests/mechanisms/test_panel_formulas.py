# SPDX-License-Identifier: Apache-2.0
"""What panels of moments are off by, by the formula of their page in ball arithmetic."""

import pytest
from flint import arb

from hockeystick import _core
from mechanisms.mixtures import FORMS, Mixture, least, most, near

ORDER = 16

pytestmark = pytest.mark.bits(120)


def ellipses():
    """How far each lies beyond and off [-1, 1], and log of what the rule errs by over a modulus."""
    rho = arb("1.12")
    for _ in range(12):
        log_error = (arb(64) / 15 / (1 - rho**-2)).log() - 2 * ORDER * rho.log()
        yield (rho + 1 / rho) / 2 - 1, (rho - 1 / rho) / 2, log_error
        rho = 1 + arb("1.45") * (rho - 1)


def panels_of(panels):
    """Both ends of each panel, from its nodes."""
    nodes = panels.nodes()
    for k in range(0, len(nodes), ORDER):
        group = nodes[k : k + ORDER]
        middle = (arb(group[0][0]) + group[-1][0]) / 2
        half = sum((arb(weight) for _, weight in group), arb(0)) / 2
        yield middle - half, middle + half


def log_error(mixture, form, left, right, tilt, frequency):
    """log of the least of what the ellipses show of a panel."""
    steepest, half, found = mixture.steepest, (right - left) / 2, []
    low, high = (mixture.value(x) + mixture.error for x in (left, right))
    rate, rate_behind = 1 + arb(tilt), arb(tilt) * FORMS[form][2]
    for beyond, off, rule in ellipses():
        a, e = off * half, beyond * half
        if a * steepest >= arb("3.1"):  # analytic below pi
            break
        grown = (e * steepest).exp()
        slope = least(steepest, mixture.slope(right) * grown)
        top = high + e * slope
        bottom = least(top, low - e * mixture.slope(left) / grown)
        begin, end = left - e, right + e
        chord = (top - bottom) / (end - begin)
        angle, _ = turned(a, slope, steepest)
        exponents = [rate * bottom, rate * chord]  # at `begin`, and how it grows
        if rate_behind != 0:
            behind, shrunk = turned(a, least(steepest, mixture.slope(-left) * grown), steepest)
            angle += behind
            tangent = mixture.value(-right) - mixture.error
            tangent += most(shrunk, (a * steepest / 2).cos()).log()
            exponents[0] += rate_behind * (tangent + mixture.slope(-right) * (right - begin))
            exponents[1] -= rate_behind * mixture.slope(-right)
        x = most(begin, least(end, exponents[1]))
        exponent = exponents[0] + exponents[1] * (x - begin) - x * x / 2 + a * a / 2
        found.append(exponent + frequency * angle + rule)
    return least(*found) + half.log()


def turned(height, slope, steepest):
    """The argument of e^lambda off the axis at most, and what its modulus shrinks to."""
    t = height * slope
    shrunk = 1 - t * height * steepest / 2
    return least(height * steepest, t / shrunk) if shrunk > 0 else height * steepest, shrunk


def below(mixture, form, x, tilt):
    """The integral below x < 0."""
    rate, rate_behind = 1 + arb(tilt), arb(tilt) * FORMS[form][2]
    grown = rate * (mixture.value(x) + mixture.error)
    grown += rate_behind * (mixture.value(-x) - mixture.error)
    return (grown - x * x / 2).exp() / -x


def formula(mixture, form, panels, tilt, frequency):
    ends = list(panels_of(panels))
    rule = sum((log_error(mixture, form, *cell, tilt, frequency).exp() for cell in ends), arb(0))
    return rule, below(mixture, form, ends[0][0], tilt)


# Shifts and rates, error of logs, lowest tilt, tilt, highest, frequency, accuracy, cut; then tilt
# and frequency asked. Panels as wide as they may be at low accuracy; narrow ones asked at 0.
RULE = [
    (((4.0, 0.1),), 0.0, (0.5, 1.0, 1.5, 1.0, 5.0, 1e-9), 0.75, 0.0),
    (((2.0, 0.01),), 0.0, (1.0, 3.0, 5.0, 10.0, 8.0, 1e-9), 2.0, 10.0),
    (((2.0, 0.01),), 0.03, (1.0, 3.0, 5.0, 1.0, 6.0, 1e-9), 2.0, 40.0),
    (((0.3, 0.5),), 0.0, (1.0, 3.0, 5.0, 1.0, 6.0, 1e-9), 4.0, 150.0),
    (((1.0, 1e-4), (3.0, 1e-3)), 0.0, (1.0, 2.0, 3.0, 5.0, 10.0, 1e-9), 2.5, 3.0),
]
RULE = [("remove", *row) for row in RULE] + [("replace", *row) for row in RULE]
RULE += [
    ("replace", ((2.0, 0.3),), 0.03, (1.0, 4.0, 8.0, 1.0, 4.0, 1e-3), 6.0, 0.0),
    ("replace", ((0.5, 0.2),), 0.0, (10.0, 40.0, 60.0, 30.0, 4.0, 1e-3), 50.0, 20.0),
]
NAMES = ("form", "parts", "error", "needs", "tilt", "frequency")
BELOW = (((1.0, 0.1),), 0.1, (0.2, 0.4, 0.6, 200.0, 3.0, 1e-9))


@pytest.mark.parametrize(NAMES, RULE)
def test_the_rule_is_off_by_the_best_ellipse_of_each_panel(
    form, parts, error, needs, tilt, frequency
):
    mixture = Mixture(parts, error)
    panels = _core.lines.MomentPanels(list(parts), error, form, needs)
    rule, rest = formula(mixture, form, panels, tilt, frequency)
    assert rest < rule
    assert near(panels.error(tilt, frequency, 0.0), rule + rest)
    assert near(panels.error(tilt, frequency, 3.0), (rule + rest) * arb(-3).exp())


@pytest.mark.parametrize(NAMES, RULE)
def test_what_is_known_beforehand_is_no_less(form, parts, error, needs, tilt, frequency):
    """Of the moments that panels are made for the first ellipse that will do is taken."""
    del tilt, frequency
    mixture = Mixture(parts, error)
    panels = _core.lines.MomentPanels(list(parts), error, form, needs)
    lowest, own, highest, largest, _, _ = needs
    for tilt, frequency in ((lowest, 0), (own, 0), (own, largest), (highest, 0)):
        rule, rest = formula(mixture, form, panels, tilt, frequency)
        found = arb(panels.error(tilt, frequency, 0.0))
        assert found >= (rule + rest) * (1 - arb("1e-6")), (tilt, frequency)


@pytest.mark.parametrize("form", ["remove", "replace"])
def test_the_integral_below_the_first_panel_is_counted(form):
    """At frequency 0 the rule of panels that are made for a high one is all but exact."""
    parts, error, needs = BELOW
    panels = _core.lines.MomentPanels(list(parts), error, form, needs)
    rule, rest = formula(Mixture(parts, error), form, panels, 0.5, 0.0)
    assert rule < rest * arb("1e-4")
    assert near(panels.error(0.5, 0.0, 0.0), rule + rest)


@pytest.mark.parametrize(NAMES, RULE)
def test_the_mass_beyond_is_its_density_over_its_fall(form, parts, error, needs, tilt, frequency):
    del tilt, frequency
    mixture = Mixture(parts, error)
    panels = _core.lines.MomentPanels(list(parts), error, form, needs)
    (*_, (_, x)) = panels_of(panels)
    density = (mixture.value(x) + error - x * x / 2).exp() / (2 * arb.pi()).sqrt()
    assert near(panels.left_out(), density / (x - mixture.steepest))
