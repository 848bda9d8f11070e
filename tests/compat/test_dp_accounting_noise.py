# SPDX-License-Identifier: Apache-2.0
"""The searches for the least noise under dp_accounting's names."""

import pytest

import hockeystick as hs
from hockeystick.compat.dp_accounting.pld import accountant, common

# epsilon, delta, queries, sensitivity, sampling probability, and what dp_accounting 0.6.0 answers.
ITS_ANSWERS = [
    (1, 1e-5, 1, 1, 0.01, 0.6737929468),
    (1, 1e-5, 25, 6, 0.001, 3.2095650260),
    (1, 1e-5, 1000, 1, 0.01, 1.4146308592),
    (0.25, 1e-3, 81, 0.5, 0.03, 1.2135810812),
    (10, 1e-3, 2, 0.5, 0.15, 0.1817172563),
    (2.5, 3e-3, 11, 4, 0.1, 3.0033019863),
]


def of(epsilon, delta):
    return common.DifferentialPrivacyParameters(epsilon, delta)


@pytest.mark.parametrize(("epsilon", "delta", "queries", "reach", "q", "theirs"), ITS_ANSWERS)
def test_sampled_noise_is_its_answer_to_seven_places(epsilon, delta, queries, reach, q, theirs):
    noise = accountant.get_smallest_subsampled_gaussian_noise(of(epsilon, delta), queries, reach, q)
    assert round(noise - theirs, 7) == 0
    run = queries * hs.Gaussian(noise_multiplier=noise / reach).poisson_sampled(q)
    assert run.delta_bounds(epsilon, tolerance=1e-5).lower <= delta
    assert run.delta_bounds(epsilon, tolerance=1e-5).upper <= delta * (1 + 1e-5)


@pytest.mark.parametrize(("epsilon", "delta", "queries"), [(3, 1e-6, 10**5), (0.5, 1e-12, 7)])
def test_what_it_finds_meets_the_guarantee(epsilon, delta, queries):
    """The first on no grid that can be made, the second below what rounding leaves of one."""
    noise = accountant.get_smallest_subsampled_gaussian_noise(of(epsilon, delta), queries, 1, 0.01)
    step = hs.Gaussian(noise_multiplier=noise).poisson_sampled(0.01)
    bounds = (queries * step).epsilon_bounds(delta, tolerance=1e-6)
    assert bounds.lower <= epsilon
    assert bounds.upper > 0.99 * epsilon


@pytest.mark.parametrize("reach", [1e-6, 1.0, 1e6])
def test_unsampled_noise_scales_with_the_sensitivity(reach):
    noise = accountant.get_smallest_gaussian_noise(of(1, 1e-5), 4, reach)
    least = hs.calibrate(lambda s: 4 * hs.Gaussian(noise_multiplier=s), epsilon=1, delta=1e-5)
    assert noise / reach == pytest.approx(least, rel=2e-3)
    assert hs.Gaussian(noise_multiplier=noise / reach / 2).delta_bounds(1).lower <= 1e-5
    assert accountant.get_smallest_subsampled_gaussian_noise(of(1, 1e-5), 4, reach) == noise


def test_no_epsilon_needs_noise_all_the_same():
    noise = accountant.get_smallest_gaussian_noise(of(0, 1e-3))
    assert hs.Gaussian(noise_multiplier=noise).delta_bounds(0).upper <= 1e-3 * (1 + 1e-6)
    with pytest.raises(ValueError, match="delta=0 is not allowed"):
        accountant.get_smallest_gaussian_noise(of(1, 0))
