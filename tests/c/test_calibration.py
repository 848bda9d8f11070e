# SPDX-License-Identifier: Apache-2.0
"""Calibrations of the C library end where the budget does."""

import pytest

import hockeystick as hs
from c_library import Answer, c_int64, checked, doubles, lib, options

BUDGETS = [(2.0, 1e-5), (0.1, 1e-8), (8.0, 1e-6)]
NOISE, RATE, STEPS = 1.0, 0.01, 1000


def asked(what, *columns, epsilon, delta, tolerance=1e-3):
    answer = (Answer * 1)()
    arrays = [(c_int64 * 1)(x) if isinstance(x, int) else doubles([x]) for x in columns]
    ask = getattr(lib, f"hs_dpsgd_{what}")
    budget = doubles([epsilon]), doubles([delta])
    assert checked(ask(*arrays, *budget, 1, options(tolerance=tolerance), answer)) == 0
    return answer[0].lower, answer[0].upper


def delta_of(noise, rate, steps, epsilon):
    return (int(steps) * hs.Gaussian(noise).poisson_sampled(rate)).delta_bounds(
        epsilon, tolerance=1e-4
    )


@pytest.mark.parametrize("what", ["noise_multiplier", "sampling_probability"])
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_a_parameter_next_to_one_that_breaks_the_budget(what, epsilon, delta):
    least = what == "noise_multiplier"
    low, high = asked(what, RATE if least else NOISE, STEPS, epsilon=epsilon, delta=delta)
    assert low < high <= low * 1.0011
    runs = [(x, RATE, STEPS) if least else (NOISE, x, STEPS) for x in (low, high)]
    kept, broken = (delta_of(*run, epsilon) for run in (runs[::-1] if least else runs))
    assert kept.upper <= delta < broken.upper


@pytest.mark.parametrize(
    ("noise", "steps", "epsilon", "delta"),
    [(4.19, 212, 7.7, 3.5e-6), (4.09, 91, 5.06, 2.4e-9), (0.706, 96301, 0.21, 2.2e-10)],
)
def test_the_largest_sampling_probability_where_deltas_far_from_it_are_hard(
    noise, steps, epsilon, delta
):
    low, high = asked("sampling_probability", noise, steps, epsilon=epsilon, delta=delta)
    assert low < high <= low * 1.0011
    step = hs.Gaussian(noise)
    expected = hs.calibrate(
        lambda rate: steps * step.poisson_sampled(rate), epsilon=epsilon, delta=delta
    )
    assert expected == pytest.approx(low, rel=2e-3)


STEPS_ASKED = [
    (noise, rate, epsilon, delta)
    for noise, rate in [(1.0, 0.01), (0.7, 1e-3), (3.0, 0.1), (20.0, 1e-3), (1.3, 1.0)]
    for epsilon, delta in BUDGETS
]


@pytest.mark.parametrize(("noise", "rate", "epsilon", "delta"), STEPS_ASKED)
def test_steps_are_those_of_python(noise, rate, epsilon, delta):
    step = hs.Gaussian(noise).poisson_sampled(rate)
    low, high = asked("steps", noise, rate, epsilon=epsilon, delta=delta)
    assert low <= high
    if low:
        assert (int(low) * step).epsilon_bounds(delta).upper <= epsilon
    assert (int(low + 1) * step).epsilon_bounds(delta).upper > epsilon
    if high < 10**9:
        assert (int(high + 1) * step).epsilon_bounds(delta).lower > epsilon
    if low:
        found = hs.calibrate(lambda steps: steps * step, epsilon=epsilon, delta=delta, integer=True)
        assert found == low


def test_no_step_may_be_too_many():
    assert asked("steps", NOISE, 0.5, epsilon=0.0, delta=1e-12) == (0, 0)


def test_all_may_be_allowed():
    assert asked("sampling_probability", 1e6, 1, epsilon=1.0, delta=0.5) == (1, 1)
    assert asked("steps", 1e12, 1e-9, epsilon=1.0, delta=0.5) == (1e9, 1e9)
    assert asked("noise_multiplier", RATE, 0, epsilon=1.0, delta=0.5) == (1e-3, 1e-3)
