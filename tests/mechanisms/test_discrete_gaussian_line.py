# SPDX-License-Identifier: Apache-2.0
"""The moments of discrete Gaussians on a line, against sums over all atoms in ball arithmetic."""

import math

import pytest
from flint import acb, arb, ctx

from hockeystick import _core

U = 2.0**-53

pytestmark = pytest.mark.bits(400)


def pair(sigma, shift=1.0, bound=math.inf):
    return _core.dominating_pair("discrete_gaussian", [sigma, shift, bound])


def moment(sigma, shift, z):
    """Over the atoms within 30 deviations of the tilted mean: beyond lies less than e^-400."""
    middle, far = -round(float(z.real) * shift), math.ceil(30 * sigma)
    double_variance, s = 2 * arb(sigma) ** 2, arb(shift)
    total = acb(0, 0)
    for x in range(middle - far, middle + far + 1):
        total += ((z * s * (s - 2 * x) - x * x) / double_variance).exp()
    return total


LINES = [(3.0, 1.0, 0.3), (10.5, 1.0, 20.7), (10.5, 1.0, 0.0), (7.3, 3.0, 2.7), (4.0, 2.0, 300.1)]


@pytest.mark.parametrize(("sigma", "shift", "tilt"), LINES)
def test_samples_are_sums_over_all_atoms(sigma, shift, tilt):
    line = _core.contour.whole_line(pair(sigma, shift), tilt=tilt)
    at_tilt = moment(sigma, shift, acb(tilt))
    back = 2 * math.pi * sigma**2 / shift  # where the comb comes back to 1
    lost = 9.487 * sigma / shift  # less than e^-45 is left
    near, far = (1e-6, 0.07 * sigma / shift, lost), (back / 2, back, back + 1e-3, 1e4 * back + 0.1)
    for spacing in near + far:
        samples = line.samples(spacing, 40)
        assert samples[0] == (0.0, 0.0, 0.0, 0.0)
        for k in (1, 2, 3, 7, 39):
            re, im, rounding, truncation = samples[k]
            truth = moment(sigma, shift, acb(tilt, arb(spacing) * k)) / at_tilt
            assert abs(truth - 1 - acb(re, im)) <= arb(rounding)
            assert truncation == 0


@pytest.mark.parametrize(("sigma", "shift", "tilt"), LINES)
def test_the_moment_at_the_tilt_is_enclosed(sigma, shift, tilt):
    line = _core.contour.whole_line(pair(sigma, shift), tilt=tilt)
    with ctx.workprec(3000):
        truth = (moment(sigma, shift, acb(tilt)).real / moment(sigma, shift, acb(0)).real).log()
    value, error = line.log_moment()
    assert abs(arb(value) - truth) <= arb(error) + arb("1e-100")
    assert truth - arb("1e-100") <= arb(line.log_moment_above(tilt))
    assert line.left_out() == 0


def test_what_is_left_of_1_keeps_its_digits():
    line = _core.contour.whole_line(pair(1000.0), tilt=2.0)
    for spacing in (1e-9, 1e-3, 1.0):
        re, im, rounding, _ = line.samples(spacing, 2)[1]
        assert rounding < 60 * U * math.hypot(re, im)


# The worst of 150,000 random ones: of what y may be off by, 0.57 is met.
WORST = [(4.73864006216793, 73058005.69233777), (10.979502415616295, 168077028.88115457)]


@pytest.mark.parametrize(("sigma", "spacing"), WORST)
def test_far_frequencies_lose_the_digits_of_their_angle(sigma, spacing):
    """A steep tilt turns fast, next to where the comb comes back."""
    line = _core.contour.whole_line(pair(sigma, 3.0), tilt=300.1)
    re, im, rounding, _ = line.samples(spacing, 4)[3]
    at_tilt = moment(sigma, 3.0, acb(300.1))
    truth = moment(sigma, 3.0, acb(300.1, arb(spacing) * 3)) / at_tilt
    off = abs(truth - 1 - acb(re, im))
    assert arb(0.5) * arb(rounding) < off <= arb(rounding)


def test_where_no_digit_is_left_a_sample_counts_as_nothing():
    line = _core.contour.whole_line(pair(3.0), tilt=1.0)
    assert line.samples(1e12, 2)[1] == (-1.0, 0.0, 1.0, 0.0)


def test_only_whole_laws_have_a_formula():
    assert _core.contour.whole_line(pair(2.9), tilt=1.0) is None
    assert _core.contour.whole_line(pair(5.0, bound=400.0), tilt=1.0) is None
    for form in ("remove", "add"):
        sampled = _core.dominating_pair(
            f"poisson_discrete_gaussian_{form}", [5.0, 1.0, math.inf, 0.1]
        )
        assert _core.contour.whole_line(sampled, tilt=1.0) is None
