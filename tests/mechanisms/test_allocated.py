# SPDX-License-Identifier: Apache-2.0
"""Which pairs tell a random allocation: of little noise, answers at once and no contradictions."""

import math

import pytest

import hockeystick as hs


@pytest.mark.parametrize("noise", [0.05, 0.0525, 0.055, 0.0599])
@pytest.mark.parametrize("steps", [2, 10, 100, 10_000])
def test_it_is_answered_and_costs_less_than_a_step(noise, steps):
    step = hs.Gaussian(noise_multiplier=noise)
    for delta in (1e-5, 1e-9, 1e-15):
        bounds = step.random_allocation(steps=steps).epsilon_bounds(delta)
        assert bounds.limited_by == ""
        assert bounds.upper <= step.epsilon(delta) - 0.7 * math.log(steps)


@pytest.mark.parametrize("noise", [0.001, 0.01, 0.03, 0.049])
def test_noise_below_what_convolutions_reach(noise):
    step = hs.Gaussian(noise_multiplier=noise)
    for steps, epochs in ((2, 1), (1000, 1), (50, 4)):
        each = hs.Gaussian(noise_multiplier=noise * math.sqrt(epochs))
        run = each.random_allocation(steps=steps, epochs=epochs)
        bounds = run.epsilon_bounds(1e-9)
        assert bounds.upper <= step.epsilon(1e-9) * (1 + 1e-14)
        assert bounds.lower >= 0.999 * bounds.upper
    with pytest.raises(
        ValueError, match=r"^noise_multiplier / sqrt\(epochs\) must be at least 0.001"
    ):
        step.random_allocation(steps=9, epochs=10**9)


@pytest.mark.parametrize("noise", [0.004, 0.03, 0.055, 0.06])
def test_moments_of_selected_steps_do_not_contradict_each_other(noise):
    """Convolutions count losses above 300 as larger than they are, which moments deny."""
    run = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=7, selected=3)
    rho = 3 / (2 * noise**2)
    bounds = run.zcdp_bounds()
    assert 0.4 * rho < bounds.lower <= bounds.upper <= rho * (1 + 1e-12)


def test_where_little_noise_begins_both_ways_agree():
    """At the noise from which on the series and convolutions tell the curve."""
    for steps in (2, 300):
        at, below = (
            hs.Gaussian(noise_multiplier=noise).random_allocation(steps=steps)
            for noise in (0.1, math.nextafter(0.1, 0))
        )
        for delta in (0.1, 1e-6, 1e-12):
            known, told = at.epsilon_bounds(delta), below.epsilon_bounds(delta)
            assert known.lower <= told.upper * (1 + 1e-12)
            assert told.lower <= known.upper * (1 + 1e-12)
