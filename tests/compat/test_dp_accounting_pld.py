# SPDX-License-Identifier: Apache-2.0
"""Distributions on a grid under dp_accounting's names: right where the original is not."""

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.one_step import gaussian_delta
from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld import privacy_loss_distribution as distributions

PLD = distributions.PrivacyLossDistribution
DP_SGD = 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)


def composed(sigma=100.0, count=10_000, **arguments):
    return distributions.from_gaussian_mechanism(sigma, **arguments).self_compose(count)


@pytest.mark.parametrize("epsilon", [0.0, 2.0, 6.26, 7.5, 8.8])
def test_delta_of_many_gaussians_encloses(epsilon):
    """Where the original is below the truth, or negative: the closed form decides."""
    truth = gaussian_delta(arb(1), arb(epsilon))
    upper = composed().get_delta_for_epsilon(epsilon)
    lower = composed(pessimistic_estimate=False).get_delta_for_epsilon(epsilon)
    assert lower > 0
    assert arb(lower) <= truth <= arb(upper)
    assert upper - lower <= 0.02 * upper  # 10,000 steps on a grid of 1e-4, spread 1e-2 each


@pytest.mark.parametrize("delta", [1e-2, 1e-10, 1e-14])
def test_epsilon_of_many_gaussians_encloses(delta):
    upper = composed().get_epsilon_for_delta(delta)
    lower = composed(pessimistic_estimate=False).get_epsilon_for_delta(delta)
    assert gaussian_delta(arb(1), arb(upper)) <= arb(delta)
    assert gaussian_delta(arb(1), arb(lower * (1 - 1e-9))) >= arb(delta)
    assert upper - lower <= 2e-3 * upper


@pytest.mark.parametrize("delta", [1e-100, 1e-290])
def test_truncation_does_not_limit_delta(delta):
    epsilon = composed(2.0, 4).get_epsilon_for_delta(delta)
    truth = gaussian_delta(arb(1), arb(epsilon))
    assert arb(delta) * arb(0.9) <= truth <= arb(delta)


def test_optimistic_connect_the_dots_connects_the_dots():
    pessimistic, optimistic = (
        distributions.from_gaussian_mechanism(1.0, sampling_prob=0.01, pessimistic_estimate=side)
        .self_compose(1000)
        .get_epsilon_for_delta(1e-5)
        for side in (True, False)
    )
    bounds = DP_SGD.epsilon_bounds(1e-5, tolerance=1e-5)
    assert optimistic <= bounds.upper
    assert bounds.lower <= pessimistic
    assert pessimistic - optimistic <= 2e-5 * pessimistic  # 0.1 with buckets


def test_both_directions_are_composed():
    one = distributions.from_laplace_mechanism(1.0, sampling_prob=0.1)
    assert not one._symmetric
    assert one._pmf_remove._probs.sum() == pytest.approx(1, abs=1e-9)
    assert one._pmf_add._lower_loss != one._pmf_remove._lower_loss
    run = 5 * hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.1)
    bounds = run.delta_bounds(0.2, tolerance=1e-4)
    value = one.self_compose(5).get_delta_for_epsilon(0.2)
    assert bounds.lower <= value <= bounds.upper * (1 + 1e-4)


MAKE = {
    "gaussian": lambda: distributions.from_gaussian_mechanism(1.0),
    "replaced": lambda: distributions.from_gaussian_mechanism(
        1.0, sampling_prob=0.2, neighboring_relation=distributions.NeighborRel.REPLACE_ONE
    ),
    "laplace": lambda: distributions.from_laplace_mechanism(1.0),
    "discrete_laplace": lambda: distributions.from_discrete_laplace_mechanism(0.5, 2),
    "discrete_gaussian": lambda: distributions.from_discrete_gaussian_mechanism(2.0),
    "mixture": lambda: distributions.from_mixture_gaussian_mechanism(1, [0, 1], [0.5, 0.5]),
    "truncated": lambda: distributions.from_truncated_subsampled_gaussian_mechanism(
        100, 0.1, 20, 1.0, value_discretization_interval=1e-3
    ),
    "response": lambda: distributions.from_randomized_response(0.5, 4),
    "parameters": lambda: distributions.from_privacy_parameters(
        common.DifferentialPrivacyParameters(0.3, 1e-6)
    ),
    "two": lambda: distributions.from_two_probability_mass_functions(
        {0: math.log(0.4), 1: math.log(0.6)}, {0: math.log(0.7), 1: math.log(0.3)}, symmetric=False
    ),
    "identity": distributions.identity,
}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", MAKE)
def test_what_others_read_is_there_and_is_an_upper_estimate(name):
    """Summed by hand from the private names, delta is what a grid makes of the query's."""
    once = MAKE[name]()
    for whole in (once, once.self_compose(3), once.compose(once)):
        for pmf in (whole._pmf_remove, whole._pmf_add):
            dense = pmf.to_dense_pmf()
            assert pmf._pessimistic_estimate
            losses = (dense._lower_loss + np.arange(dense.size)) * dense._discretization
            beyond = losses > 0.1
            by_hand = dense._infinity_mass - dense._probs[beyond] @ np.expm1(0.1 - losses[beyond])
            answer = pmf.get_delta_for_epsilon(0.1)
            assert answer * (1 - 1e-6) <= by_hand <= answer + 3 * dense._discretization + 1e-10
            assert min(pmf._loss_probs) >= dense._lower_loss
        assert whole._symmetric == (whole._pmf_add is whole._pmf_remove)


@pytest.mark.parametrize("name", MAKE)
def test_copies_and_pickles_answer_alike(name):
    twice = MAKE[name]().self_compose(2)
    expected = twice.get_delta_for_epsilon(0.2)
    for other in (copy.deepcopy(twice), pickle.loads(pickle.dumps(twice))):  # noqa: S301
        assert other.get_delta_for_epsilon(0.2) == expected


def test_a_vector_is_its_scalars():
    whole = composed(10.0, 100)
    epsilons = np.array([-math.inf, -1.0, 0.0, 0.5, 1.0, 5.0, 60.0, math.inf])
    deltas = whole.get_delta_for_epsilon(epsilons)
    assert np.all(np.diff(deltas) <= 1e-12)
    for epsilon, delta in zip(epsilons, deltas, strict=True):
        assert whole.get_delta_for_epsilon(float(epsilon)) == pytest.approx(delta, rel=1e-8)
    with pytest.raises(ValueError, match="ascending"):
        whole.get_delta_for_epsilon([1.0, 0.5])


def test_many_distinct_steps_stay_an_upper_bound():
    """Beyond the number of steps kept apart, the distribution itself becomes one."""
    noises = np.linspace(5, 9, 40)
    whole = distributions.identity(1e-3)
    for noise in noises:
        step = distributions.from_gaussian_mechanism(noise, value_discretization_interval=1e-3)
        whole = whole.compose(step)
    mu = math.sqrt(math.fsum(noises**-2.0))
    value, truth = whole.get_delta_for_epsilon(2.0), gaussian_delta(arb(mu), arb(2))
    assert truth * (1 - arb(1e-9)) <= arb(value) <= truth * (1 + arb(1e-3))


def given_pair(side):
    """Two losses that lie on the grid of 0.25, and a mass at +inf."""
    return PLD.create_from_rounded_probability({-1: 0.375, 2: 0.5}, 0.125, 0.25, side)


@pytest.mark.every(3)
@pytest.mark.parametrize("weight", [1e-9, 0.1, 1 / 3, 1 - 2.0**-53])
@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.3, 2.0])
def test_a_mixture_has_the_mean_of_both_deltas(epsilon, weight):
    """Of two plain Gaussians, by the closed form; each side on its side."""
    both = (arb(1), weight), (arb(1) / 4, 1 - arb(weight))
    truth = sum((arb(w) * gaussian_delta(mu, arb(epsilon)) for mu, w in both), arb(0))
    found = {}
    for side in (True, False):
        one, other = (
            distributions.from_gaussian_mechanism(sigma, pessimistic_estimate=side)
            for sigma in (1.0, 4.0)
        )
        found[side] = one.compute_mixture(other, weight).get_delta_for_epsilon(epsilon)
    assert arb(found[False]) <= truth <= arb(found[True])
    assert found[True] - found[False] <= 2e-4 * found[True]


def test_a_mixture_of_directions_and_of_one_for_both():
    sampled = distributions.from_gaussian_mechanism(1.0, sampling_prob=0.1)
    plain = distributions.from_gaussian_mechanism(1.0)
    assert sampled.compute_mixture(plain, 1)._pmf_add is sampled._pmf_add
    mixed = plain.compute_mixture(sampled, 0.25).self_compose(10)
    there = plain.self_compose(10).get_delta_for_epsilon(1.0)
    assert (
        sampled.self_compose(10).get_delta_for_epsilon(1.0)
        < (mixed.get_delta_for_epsilon(1.0))
        < there
    )
    leaks = given_pair(True).compute_mixture(distributions.identity(0.25), 0.5)
    assert leaks.get_delta_for_epsilon(math.inf) == 0.0625


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [-3.0, -0.2, 0.0, 0.3, 1.5])
def test_given_masses_are_composed_exactly(count, epsilon):
    """By all sums of losses, in ball arithmetic; the two sides differ by nothing but rounding."""
    with ctx.workprec(160):
        truth = arb(0)
        for high in range(count + 1):
            mass = math.comb(count, high) * arb(0.5) ** high * arb(0.375) ** (count - high)
            loss = (arb(2) * high - (count - high)) / 4
            truth += max(arb(0), mass * (1 - (arb(epsilon) - loss).exp()))
        truth += 1 - arb(0.875) ** count
    lower, upper = (
        given_pair(side).self_compose(count).get_delta_for_epsilon(epsilon)
        for side in (False, True)
    )
    with ctx.workprec(160):
        assert arb(lower) <= truth <= arb(upper)
    assert upper - lower <= 2e-7 * upper


@pytest.mark.parametrize("side", [True, False])
def test_masses_that_no_privacy_loss_has_are_composed(side):
    """They sum to 3/4, and those against them to more than 1: the sum over outcomes still holds."""
    once = PLD.create_from_rounded_probability({-4: 0.375, 1: 0.375}, 0, 0.25, side)
    truth = 0.375**2 * -math.expm1(-0.25 - 0.25)
    answer = once.self_compose(2).get_delta_for_epsilon(0.0)
    assert answer == pytest.approx(truth, rel=1e-6)
    assert (answer >= truth * (1 - 1e-15)) if side else (answer <= truth * (1 + 1e-15))
    shown = once.self_compose(2)._pmf_remove
    assert shown._lower_loss == -8
    assert shown._probs[[0, 5, 10]] == pytest.approx([0.140625, 0.28125, 0.140625])
    with pytest.raises(ValueError, match="at most"):
        once.self_compose(10**8)._pmf_remove._probs  # noqa: B018


def test_both_orders_of_given_masses():
    """Those for adding a record are of their own."""
    two = PLD.create_from_rounded_probability({1: 1.0}, 0, 0.5, True, {3: 1.0}, 0.0, False)
    assert two.get_epsilon_for_delta(0.0) == pytest.approx(1.5, rel=1e-15)
    laplace = distributions.from_laplace_mechanism(
        1.0, sampling_prob=0.5, value_discretization_interval=0.5
    )
    run = hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.5)
    least = [
        run.epsilon(1e-9, adjacency=way) for way in (hs.Adjacency.REMOVE_ONE, hs.Adjacency.ADD_ONE)
    ]
    both = two.compose(laplace)
    assert both.get_epsilon_for_delta(1e-9) == pytest.approx(
        max(0.5 + least[0], 1.5 + least[1]), rel=1e-2
    )
    assert not both._symmetric


@pytest.mark.parametrize("relation", list(distributions.NeighborRel))
def test_relations_are_composed_with_each_other(relation):
    """Each mechanism under its own: what composes is their losses."""
    sampled = distributions.from_gaussian_mechanism(
        1.0, sampling_prob=0.2, neighboring_relation=relation
    )
    laplace = distributions.from_laplace_mechanism(0.5, sampling_prob=0.3)
    whole = sampled.self_compose(3).compose(laplace)
    adjacency = hs.Adjacency[relation.name]
    three = 3 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.2)
    alone = three.delta_bounds(1.0, adjacency=adjacency)
    assert alone.lower < whole.get_delta_for_epsilon(1.0)
    steps = distributions.from_gaussian_mechanism(
        1.0, sampling_prob=0.2, neighboring_relation=relation
    ).self_compose(3)
    assert alone.lower <= steps.get_delta_for_epsilon(1.0) <= alone.upper


def test_epsilons_beyond_all_that_can_be_asked():
    """From the largest loss on only the mass at +inf counts."""
    tiny = distributions.from_gaussian_mechanism(0.001)
    assert tiny.get_delta_for_epsilon(2e4) > 0.99
    cut = distributions.from_discrete_gaussian_mechanism(2.0, truncation_bound=3)
    assert 0.05 < cut.get_delta_for_epsilon(1e4) == cut.get_delta_for_epsilon(math.inf) < 0.1
    assert given_pair(True).get_delta_for_epsilon(math.inf) == 0.125
    assert given_pair(True).get_epsilon_for_delta(0.125) == pytest.approx(0.5, rel=1e-15)
    many = given_pair(True).self_compose(10**6)
    assert many.get_delta_for_epsilon(math.inf) == 1


def test_importing_what_is_not_offered_says_what_to_use():
    with pytest.raises(ImportError, match="does not offer privacy_loss_mechanism: hockeystick"):
        from hockeystick.compat.dp_accounting.pld import (  # noqa: PLC0415
            privacy_loss_mechanism,  # noqa: F401
        )


def test_only_the_accountant_needs_dp_accounting():
    program = (
        "import sys; sys.modules['dp_accounting'] = None\n"
        "import hockeystick\n"
        "from hockeystick.compat.dp_accounting import pld\n"
        "one = pld.privacy_loss_distribution.from_gaussian_mechanism(1.0)\n"
        "print(one.get_epsilon_for_delta(1e-5))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(4.377, abs=1e-3)
