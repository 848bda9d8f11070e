# SPDX-License-Identifier: Apache-2.0
"""Calibration: the certified cost meets the target, and hardly anything costlier does."""

import math

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from exact.one_step import gaussian_delta

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
TARGET = {"epsilon": 2.0, "delta": 1e-5}


def noise(sigma):
    return 10_000 * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(0.01)


def sampling(q):
    return 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(q)


def steps(count):
    return count * STEP


def sensitivity(norm):
    return 100 * hs.Gaussian(noise_multiplier=5.0 / norm)


def added_noise(sigma):
    return 1000 * STEP + 4 * hs.Gaussian(noise_multiplier=sigma)


FAMILIES = {  # how much costlier a parameter is sure to miss the target, at tolerance 1e-3
    noise: 0.996,
    sampling: 1.004,
    steps: 1.009,
    sensitivity: 1.004,
    added_noise: 0.99,
}


def name(value):
    return getattr(value, "__name__", str(value))


@pytest.mark.parametrize("make", FAMILIES, ids=name)
@pytest.mark.parametrize("epsilon", [2.2, 8.0])
def test_the_target_is_met_and_little_more_noise_is_left_to_take(make, epsilon):
    found = hs.calibrate(make, epsilon=epsilon, delta=1e-5)
    assert type(found) is (int if make is steps else float)
    assert 0.999 * epsilon < make(found).epsilon(1e-5) <= epsilon
    costlier = found * FAMILIES[make]
    costlier = math.ceil(costlier) if make is steps else costlier
    assert make(costlier).epsilon_bounds(1e-5).lower > epsilon


@pytest.mark.parametrize("make", FAMILIES, ids=name)
@pytest.mark.parametrize("advantage", [0.15, 0.6, 0.99])
def test_targets_of_the_advantage(make, advantage):
    found = hs.calibrate(make, advantage=advantage) if make is not added_noise else None
    if found is None:
        advantage = 0.2 + 0.8 * advantage  # that of the steps alone is 0.16
        found = hs.calibrate(make, advantage=advantage)
    assert 0.999 * advantage < make(found).delta(0.0) <= advantage


@given(
    st.integers(1, 1000),
    st.floats(0.05, 30),
    st.floats(1e-12, 0.1),
    st.sampled_from([1e-3, 1e-6, 1e-9]),
)
def test_composed_gaussians_are_calibrated_truly(count, epsilon, delta, tolerance):
    sigma = hs.calibrate(
        lambda sigma: count * hs.Gaussian(noise_multiplier=sigma),
        epsilon=epsilon,
        delta=delta,
        tolerance=tolerance,
    )
    with ctx.workprec(320):
        mu = arb(count).sqrt() / arb(sigma)
        assert gaussian_delta(mu, arb(epsilon)) <= delta
        # Epsilon falls with the noise at least as fast as the noise grows, once it is not near 0.
        smaller = 1 + (2 * tolerance if epsilon > 0.5 else 8 * tolerance)
        if delta < 1e-3:
            assert gaussian_delta(mu * smaller, arb(epsilon)) > delta


@given(st.floats(0.02, 0.98))
def test_the_advantage_of_a_gaussian_is_calibrated_truly(advantage):
    sigma = hs.calibrate(
        lambda sigma: hs.Gaussian(noise_multiplier=sigma), advantage=advantage, tolerance=1e-8
    )
    with ctx.workprec(320):
        truth = (1 / (arb(8).sqrt() * arb(sigma))).erf()  # 2 Phi(mu / 2) - 1
        assert advantage * (1 - 1e-8) < truth
        assert truth <= advantage


@pytest.mark.parametrize(("fpr", "tpr"), [(1e-3, 0.01), (0.1, 0.5), (1e-9, 1e-6)])
@pytest.mark.parametrize("make", [noise, sensitivity], ids=name)
def test_targets_of_the_true_positive_rate(make, fpr, tpr):
    found = hs.calibrate(make, tpr=tpr, fpr=fpr)
    assert 0.999 * tpr < make(found).true_positive_rate(fpr) <= tpr


@pytest.mark.parametrize("mu", [0.1, 1.3])
@pytest.mark.parametrize("rate", [None, 1e-6])
@pytest.mark.parametrize("make", [noise, sampling, steps], ids=name)
def test_targets_of_mu(make, rate, mu):
    given = {} if rate is None else {"smallest_rate": rate}
    found = hs.calibrate(make, mu=mu, **given)
    assert make(found).gdp_mu(**given) <= mu
    costlier = {
        noise: 0.99 * found,
        sampling: 1.01 * found,
        steps: math.ceil(1.01 * found) + (found == 0),
    }[make]
    assert make(costlier).gdp_mu(**given) > mu


@pytest.mark.parametrize(("risk", "prior"), [(0.4, 0.5), (0.01, 0.5), (0.005, 0.01), (0.08, 0.9)])
@pytest.mark.parametrize("make", [noise, sensitivity], ids=name)
def test_targets_of_the_risk_of_a_guess(make, risk, prior):
    """The risk is to be at least the target."""
    found = hs.calibrate(make, bayes_risk=risk, prior=prior)
    assert risk <= make(found).bayes_risk(prior) < 1.001 * risk


@pytest.mark.parametrize("epsilon", [0.5, 1.9, 5.0])
def test_counts_are_exact(epsilon):
    """Where the tolerance tells one count from the next, the largest is found."""
    count = hs.calibrate(steps, epsilon=epsilon, delta=1e-5, tolerance=1e-5)
    assert steps(count).epsilon_bounds(1e-5, tolerance=1e-5).upper <= epsilon
    assert steps(count + 1).epsilon_bounds(1e-5, tolerance=1e-5).lower > epsilon


def test_what_is_returned_was_certified_at_the_tolerance_asked_for(asked):
    for epsilon in (0.5, 0.8, 1.3, 2.1, 3.4, 5.5, 8.9, 14.0):
        found = hs.calibrate(noise, epsilon=epsilon, delta=1e-5)
        assert (noise(found), 1e-3) in asked
        assert asked[-1][1] == 1e-3
        asked.clear()
    assert hs.calibrate(noise, **TARGET, bounds=(5.0, 7.0)) == 5.0
    assert asked[-1] == (noise(5.0), 1e-3)


@pytest.mark.parametrize("low", [47.0, 100.0, 101.0, 333.3])
def test_an_end_given_is_reached_whatever_its_logarithm_rounds_to(low):
    assert hs.calibrate(noise, epsilon=50.0, delta=1e-5, bounds=(low, 4 * low)) == low


@given(st.floats(1e-3, 0.1), st.integers(100, 30_000), st.floats(0.2, 15.0), st.floats(1e-10, 1e-4))
def test_evaluations_are_few_for_random_runs(q, count, epsilon, delta):
    made = []

    def make(sigma):
        made.append(sigma)
        return count * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(q)

    sigma = hs.calibrate(make, epsilon=epsilon, delta=delta)
    assert make(sigma).epsilon(delta) <= epsilon
    assert len(made) <= 12


def test_bounds_are_kept_and_may_exclude_the_start():
    seen = []

    def make(sigma):
        seen.append(sigma)
        return noise(sigma)

    free = hs.calibrate(noise, **TARGET)
    found = hs.calibrate(make, **TARGET, bounds=(1.9, 60))
    assert found == pytest.approx(free, rel=1e-3)
    assert all(1.9 <= sigma <= 60 for sigma in seen)


def test_a_domain_is_found_by_what_make_refuses():
    def make(x):
        if not 23 <= x <= 30:
            raise ValueError("x must be in [23, 30]")
        return hs.Gaussian(noise_multiplier=x / 10)

    with pytest.raises(ValueError, match=r"^make must accept .*: x must be in \[23, 30\]$"):
        hs.calibrate(make, **TARGET)
    x = hs.calibrate(make, epsilon=1.6, delta=1e-5, bounds=(1, 600))  # 24.5 is the middle
    assert 1.599 < make(x).epsilon(1e-5) <= 1.6
    assert hs.calibrate(make, epsilon=50.0, delta=1e-5, bounds=(1, 600)) == 23.0


def test_jumps_are_narrowed_down():
    def make(x):
        return hs.ApproximateDP(epsilon=1.0 if x > 1.2345 else 3.0, delta=0.0)

    x = hs.calibrate(make, **TARGET)
    assert 1.2345 < x <= 1.2345 * (1 + 2e-9)


def test_infinite_and_zero_costs_are_passed_on_the_way():
    def make(x):  # infinite below 5, zero above 8
        delta = 0.5 if x < 5 else 0.0
        return hs.ApproximateDP(epsilon=max(0.0, 8.0 - x), delta=delta)

    x = hs.calibrate(make, epsilon=2.5, delta=1e-9, bounds=(0, 10_000))
    assert x == pytest.approx(5.5, rel=1e-3)
    assert make(x).epsilon(1e-9) <= 2.5


@pytest.mark.parametrize(
    ("run", "target"),
    [
        (100, {"advantage": 0.2}),
        (2, {"advantage": 0.02}),
        (10, {"tpr": 0.5, "fpr": 0.01}),
        (10, {"epsilon": 1.0, "delta": 0.02}),
    ],
)
def test_where_every_parameter_fits_the_last_one_is_returned(run, target):
    def make(sigma):
        return run * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(0.001)

    bounds = (0.01, 100.0)
    assert hs.calibrate(make, bounds=bounds, memory_limit=2**22, **target) == bounds[0]


@pytest.mark.parametrize("bounds", [None, (10, 100_000), (10.5, 1500), (0.5, 3)])
def test_counts_are_whole_numbers_though_they_may_be_floats(bounds):
    step = hs.Gaussian(1.0).poisson_sampled(0.01)
    found = hs.calibrate(lambda n: n * step, epsilon=2.0, delta=1e-5, bounds=bounds)
    assert type(found) is int
    assert found == (3 if bounds == (0.5, 3) else 1202)
