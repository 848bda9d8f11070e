# SPDX-License-Identifier: Apache-2.0
"""The moments of Laplace noise on a line, against their integral in ball arithmetic."""

import math

import pytest
from flint import acb, arb

from hockeystick import _core

U = 2.0**-53
NOISES = [1 / 700, 0.3, 1.0, 1.1, 37.0, 1e5 / 3]
TILTS = [0.0, 0.3, 2.7, 40.1, 3000.3, -0.125, -0.375, -0.5 + 2.0**-10, -0.75, -1.0]

pytestmark = pytest.mark.bits(300)


def moment(noise, z):
    """Both atoms, and the integral of e^(z l) e^((l - m) / 2) / 4 from -m to m."""
    m, s = 1 / arb(noise), acb(z) + acb(0.5)
    atoms = ((m * z).exp() + (-m * (1 + z)).exp()) / 2
    return atoms + (-m / 2).exp() * ((m * s).exp() - (-m * s).exp()) / (4 * s)


def line(noise, tilt):
    pair = _core.dominating_pair("laplace", [noise])
    others = (-1.0, 0.0) if tilt < 0 else (tilt / 2, 1.5 * tilt)
    return _core.contour.moment_line(pair, others[0], tilt, others[1], 10.0, 38.0)


def weights(tilt):
    """Of the two exponentials, of opposite signs between -1 and 0."""
    return max(1.0, 1 / abs(2 * tilt + 1))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("tilt", TILTS)
def test_samples_are_enclosed_and_keep_the_digits_of_small_turns(noise, tilt):
    one, at_tilt = line(noise, tilt), moment(noise, acb(tilt))
    for spacing in (1e-9 * noise, 0.01, 0.7, noise / 3, 1e3 * noise):
        samples = one.samples(spacing, 30)
        assert samples[0] == (0.0, 0.0, 0.0, 0.0)
        for k in (1, 2, 5, 29):
            re, im, rounding, truncation = samples[k]
            truth = moment(noise, acb(tilt, arb(spacing) * k)) / at_tilt
            assert abs(truth - 1 - acb(re, im)) <= arb(rounding)
            turn = k * spacing / noise
            loose = U * weights(tilt) ** 2
            assert rounding < loose * (300 * min(turn, 2) + (12 + 3 * abs(tilt) / noise) * turn)
            assert truncation == 0


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("tilt", [*TILTS, 1e-9])
def test_the_moment_at_the_tilt_is_enclosed(noise, tilt):
    truth = moment(noise, acb(tilt)).real.log()
    value, error = line(noise, tilt).log_moment()
    assert abs(arb(value) - truth) <= arb(error) + arb("1e-80")
    assert truth <= arb(line(noise, tilt / 3).log_moment_above(tilt)) + arb("1e-80")
    m = 1 / noise
    turn, size = m * abs(tilt), math.exp(min(0.0, value))
    loose = 26 * min(1, turn if tilt >= 0 else m) * weights(tilt) / size
    assert error <= U * (loose + 4 * turn + (20 if turn > 1 else 0))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("tilt", TILTS)
def test_moduli_stay_below_their_bound(noise, tilt):
    one, at_tilt = line(noise, tilt), moment(noise, acb(tilt))
    for frequency in (1e-3, 0.5, 3.0, 50.0, 1e4):
        bound = one.modulus_bound(frequency)
        for further in (1.0, 1.3, 2.0, 7.1, 100.0):
            truth = abs(moment(noise, acb(tilt, arb(frequency) * further)) / at_tilt)
            assert truth <= arb(bound)


def test_steps_that_lose_much_have_moments_that_fall():
    """By little noise one atom remains, and half of its weight is a density's."""
    assert line(0.05, 2.0).modulus_bound(1e6) == pytest.approx(5 / 6, rel=1e-6)
    assert line(1e3, 2.0).modulus_bound(1e6) > 0.999
