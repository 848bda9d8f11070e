# SPDX-License-Identifier: Apache-2.0
"""Which pairs tell a random allocation: of little noise, answers at once and no contradictions."""

import math

import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.balls import normal_tail
from exact.one_step import gaussian_delta
from hockeystick.mechanisms._enclosed import Accuracy


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


@pytest.mark.parametrize("noise", [0.004, 0.03, 0.055, 0.06])
def test_moments_of_selected_steps_do_not_contradict_each_other(noise):
    """Convolutions count losses above 300 as larger than they are, which moments deny."""
    run = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=7, selected=3)
    rho = 3 / (2 * noise**2)
    bounds = run.zcdp_bounds()
    assert 0.4 * rho < bounds.lower <= bounds.upper <= rho * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [165.0, 178.0, 185.0, 193.0])
def test_losses_whose_q_mass_underflows_stay_in_the_curve_above(epsilon):
    """The other places' ratios count as their mean, 1: a lower bound, by Jensen's inequality."""
    steps, noise = 10, 0.2
    step = hs.Gaussian(noise).random_allocation(steps=steps)
    with ctx.workprec(2000):
        one = steps * arb(epsilon).exp() - steps + 1
        truth = gaussian_delta(1 / arb(noise), one.log()) / steps
        above = step.pair_above(hs.Direction.REMOVE, Accuracy(100, 1e-303))
        assert truth <= arb(above.deltas_above([epsilon])[0]) <= 100 * truth + 1e-301


@pytest.mark.parametrize("epsilon", [195.0, 204.9, 210.0, 218.0])
def test_losses_whose_q_mass_underflows_stay_in_the_reversed_curve_above(epsilon):
    """Where every ratio is below c, the reverse has at least 1 - alpha c: a lower bound."""
    steps, noise = 10, 0.08
    step = hs.Gaussian(noise).random_allocation(steps=steps)
    with ctx.workprec(2000):
        mu, log_c = 1 / arb(noise), -arb(epsilon) - 0.1
        seldom = normal_tail(-(log_c / mu + mu / 2)) ** steps
        truth = seldom * (1 - (arb(epsilon) + log_c).exp())
        above = step.pair_above(hs.Direction.ADD, Accuracy(100, 1e-303))
        assert truth <= arb(above.deltas_above([epsilon])[0]) <= 1e6 * truth
