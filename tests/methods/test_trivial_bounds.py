# SPDX-License-Identifier: Apache-2.0
"""Answers from the largest loss or the mass at infinity alone, where grids give up or lose it."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
import questions
from exact.responses import Responses
from hockeystick import Adjacency, _core

pytestmark = pytest.mark.filterwarnings("ignore:epsilon is infinite")


@pytest.mark.parametrize(("epsilon", "count", "delta"), [(0.0625, 17, 1e-125), (2.5, 190, 1e-13)])
def test_no_epsilon_is_above_the_largest_loss(epsilon, count, delta):
    """A delta so small that it is met only within a rounding or so of the largest loss."""
    run, truth = count * hs.ExponentialMechanism(epsilon=epsilon), Responses(epsilon, 0.0, count)
    bounds = run.epsilon_bounds(delta=delta)
    assert truth.curve(bounds.lower) >= delta
    assert truth.curve(bounds.upper) <= delta
    assert bounds.upper <= epsilon * count * (1 + 1e-14)
    failing = run + hs.ApproximateDP(epsilon=epsilon, delta=0.25)
    assert failing.epsilon_bounds(delta=0.125) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("step", "largest", "count", "delta"),
    [
        (hs.ApproximateDP(epsilon=0.1675, delta=3.7e-74), 0.1675, 5, 2.4e-34),
        (hs.ExponentialMechanism(epsilon=0.5), 0.5, 12, 1e-90),
        (hs.Laplace(noise_multiplier=22.0), 1 / 22, 126, 4e-99),
        (hs.DiscreteLaplace(parameter=0.3, sensitivity=2), 0.6, 7, 1e-280),
    ],
    ids=str,
)
def test_far_below_the_probability_of_the_largest_losses_epsilon_is_their_sum(
    step, largest, count, delta
):
    lower, upper = (count * step).epsilon_bounds(delta)
    assert lower <= count * largest * (1 + 1e-12)
    assert lower >= count * largest * (1 - 1e-3)
    assert count * largest * (1 - 1e-12) <= upper <= count * largest * (1 + 1e-11)


def test_the_probability_of_the_largest_losses_is_counted():
    """delta is P (1 - e^(epsilon - E)) there, P = (e / (1 + e))^n: a truth in closed form."""
    step, count = hs.ApproximateDP(epsilon=1.0, delta=0.0), 4
    with ctx.workprec(200):
        probability = (arb(1).exp() / (1 + arb(1).exp())) ** count
        for share in (0.3, 0.1, 1e-3):
            delta = float(probability.mid()) * share
            bounds = (count * step).epsilon_bounds(delta, tolerance=1e-6)
            truth = count + (1 - arb(delta) / probability).log()
            assert bounds.lower <= truth <= bounds.upper


@pytest.mark.parametrize("delta", [1e-74, 1.43e-75, 1e-91])
def test_a_step_far_below_the_grid_does_not_make_a_rare_infinite_loss_certain(delta):
    """3 noises have infinite losses, each of probability 4e-93; others are far below the grid."""
    leaky = hs.DiscreteGaussian(sigma=0.5337637015583284, sensitivity=3, truncation=13)
    answers = hs.RandomizedResponse(noise_parameter=0.0029803091835850773, num_buckets=234)
    tiny = hs.DiscreteLaplace(parameter=0.014342536340746061, sensitivity=1)
    run = 3 * leaky + answers + 99 * tiny.poisson_sampled(0.008372200100241029)
    with pytest.raises(hs.CertificationError, match="memory_limit") as caught:
        run.epsilon_bounds(delta, adjacency=Adjacency.REPLACE_SPECIAL, memory_limit=1 << 15)
    wide = caught.value.bounds
    tight = run.epsilon_bounds(delta, adjacency=Adjacency.REPLACE_SPECIAL, memory_limit=1 << 26)
    assert 0 <= wide.lower <= tight.upper
    assert tight.lower <= wide.upper < 1000


@pytest.mark.parametrize("count", [3, 1000])
def test_above_all_losses_delta_is_the_infinity_mass(count):
    """Beyond all finite losses delta is the mass at infinity: 1 - (1 - t)^n."""
    run = count * hs.ApproximateDP(epsilon=0.01, delta=1e-9) + hs.Laplace(noise_multiplier=9.0)
    with ctx.workprec(200):
        leak = 1 - (1 - arb(1e-9)) ** count
        assert questions.encloses(run.delta_bounds(100.0), leak)
        lower, upper = (float(leak.mid()) * factor for factor in (1 - 1e-6, 1 + 1e-6))
    assert run.epsilon(lower) == math.inf
    assert run.epsilon(upper) < math.inf


LARGEST_BELOW_ONE = 1 - 2.0**-53
ALMOST_ALL_LEAKS = [
    (54 * hs.ApproximateDP(epsilon=0.1, delta=0.5), 7.0, arb(0.5) ** 54),
    (54 * hs.ApproximateDP(epsilon=0.1, delta=0.5), 0.2, arb(0.5) ** 54),
    (100 * hs.ApproximateDP(epsilon=0.5, delta=0.5), 5000.0, arb(0.5) ** 100),
    (3 * hs.DiscretePair(p=[1 - 1e-6, 1e-6], q=[0.0, 1.0]), 30.0, arb(1e-6) ** 3),
    (2 * hs.ApproximateDP(epsilon=0.5, delta=1 - 1e-10), 5000.0, (1 - arb(1 - 1e-10)) ** 2),
]


@pytest.mark.parametrize(("run", "epsilon", "rest"), ALMOST_ALL_LEAKS)
def test_what_all_but_certainly_leaks_is_not_certain(run, epsilon, rest):
    """`rest`, of finite loss, is too small to be told from 0 next to 1."""
    bounds = run.delta_bounds(epsilon)
    with ctx.workprec(200):
        assert arb(bounds.lower) <= 1 - rest
    assert LARGEST_BELOW_ONE * (1 - 2.0**-52) <= bounds.lower < bounds.upper == 1
    prior = 1 / (1 + math.exp(epsilon)) if epsilon < 700 else math.exp(-700)
    risk = run.bayes_risk_bounds(prior)
    assert arb(risk.upper) >= arb(prior) * rest / 2
    assert risk.upper <= prior * 2.0**-51
    assert run.epsilon(0.999) == math.inf


def test_a_leak_is_told_from_delta_next_to_1():
    run = 54 * hs.ApproximateDP(epsilon=0.1, delta=0.5)
    assert run.epsilon_bounds(LARGEST_BELOW_ONE) == (math.inf, math.inf)


def test_what_certainly_leaks_is_certain():
    for run in (3 * hs.DiscretePair(p=[1, 0], q=[0, 1]), 3 * hs.ApproximateDP(epsilon=1, delta=1)):
        assert run.delta_bounds(3.0) == (1, 1)
        assert run.epsilon_bounds(LARGEST_BELOW_ONE) == (math.inf, math.inf)


def test_rare_leaks_are_not_forgotten():
    """Below what a mass of finite loss is listed from, each step's; above it, or not, together."""
    many = 10**9 * hs.ApproximateDP(epsilon=1e-6, delta=9e-306)
    with ctx.workprec(2000):
        leak = 1 - (1 - arb(9e-306)) ** 10**9
        for bounds in (many.delta_bounds(9999.0), many.probabilistic_delta_bounds(9999.0)):
            assert arb(bounds.lower) <= leak <= arb(bounds.upper)
            assert bounds.upper <= bounds.lower * (1 + 1e-12)
        assert arb(many.true_positive_rate_bounds(0.0).upper) >= leak
    run = 1000 * hs.ApproximateDP(epsilon=0.5, delta=1e-306)
    assert run.epsilon_bounds(5e-304) == (math.inf, math.inf)
    assert run.epsilon(1.1e-303) <= 500 * (1 + 1e-12)
    for leak in (1e-306, 5e-324):
        once = hs.ApproximateDP(epsilon=0.5, delta=leak)
        assert once.delta_bounds(1.0) == (leak, leak)
        assert once.delta_bounds(0.5) == (leak, leak)


@pytest.mark.parametrize("rate", [0.5, 1e-10])
def test_leaks_that_underflow_are_not_forgotten(rate):
    """1e-320 of the mass, or what sampling leaves of it."""
    run = 3 * hs.DiscretePair(p=[1, 1e-320], q=[1, 0]).poisson_sampled(rate)
    for bounds in (
        run.delta_bounds(1.0),
        run.delta_bounds(1e4),
        run.true_positive_rate_bounds(0.0),
    ):
        assert arb(bounds.lower) <= 3 * arb(rate) * arb(1e-320) <= arb(bounds.upper)
        assert bounds.upper <= 1e-300


PURE = [
    (1361 * hs.DiscreteLaplace(parameter=1 / 1361), 0.99, 1.001),
    (1361 * hs.DiscreteLaplace(parameter=0.0007608923012065944), 1.0355744183700308, 1.04),
    (3000 * hs.ApproximateDP(epsilon=1 / 4096, delta=0), 0.73, 3000 / 4096),
    (2000 * hs.Laplace(noise_multiplier=2000), 0.98, 1.001),
    (2000 * hs.PermuteAndFlip(epsilon=1 / 2048), 0.97, 2000 / 2048),
]


@pytest.mark.parametrize(("run", "below", "largest"), PURE)
def test_delta_is_0_only_from_the_largest_loss_on(run, below, largest):
    assert 0 < run.delta(below) <= 1e-300
    assert run.delta(largest) == 0
    together = run.delta(np.array([0.9 * below, below, largest, 2 * largest]))
    assert together[1] > 0
    assert list(together[2:]) == [0, 0]


@pytest.mark.parametrize("epsilon", [0.0, 0.7])
@pytest.mark.parametrize(("count", "rare"), [(2, 1e-3), (10, 1e-3), (1000, 1e-4), (40, 1e-30)])
def test_a_large_loss_of_any_step_is_called_with_its_false_alarms(count, rare, epsilon):
    """The large loss lies just above the edge, so that its Q-mass is all booked."""
    loss = epsilon + math.log(64 * (1 + count * rare)) + 1e-3
    called = rare * math.exp(-loss)
    pair = hs.DiscretePair(p=(1 - rare, rare), q=(1 - called, called))
    terms = [(pair.dominating_pair(hs.Direction.REMOVE), count)]
    limits = {"tolerance": 0.5, "memory_limit": 1 << 24, "method": "trivial_bounds"}
    found = _core.delta_bounds([terms], [epsilon], **limits)[0]
    with ctx.workprec(300):
        p, q = ([arb(x) / sum(map(arb, side)) for x in side] for side in (pair.p, pair.q))
        truth, alpha = arb(0), arb(epsilon).exp()
        for k in range(1, min(count, 60) + 1):
            ways = math.comb(count, k)
            each = [side[1] ** k * side[0] ** (count - k) * ways for side in (p, q)]
            truth += each[0] - alpha * each[1]
        assert 0.9 * truth < arb(found.lower) <= truth


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 3.0])
@pytest.mark.parametrize(
    "step",
    [
        hs.Gaussian(noise_multiplier=0.001).poisson_sampled(1e-3),
        hs.Gaussian(noise_multiplier=0.04).poisson_sampled(1e-3),
        hs.GaussianMixture(
            standard_deviation=0.03,
            sensitivities=(0.0, 1.0, 2.0),
            probabilities=(0.999, 5e-4, 5e-4),
        ),
    ],
    ids=str,
)
def test_steps_that_lose_much_or_nothing(step, epsilon):
    """Transforms of losses of 1e6 nats do not fit into memory, nor need they."""
    bounds = (100 * step + 3 * step).delta_bounds(epsilon)
    with ctx.workprec(200):
        truth = 1 - (1 - arb(1e-3)) ** 103
        assert arb(bounds.lower) <= truth <= arb(bounds.upper) * (1 + 1e-12)
    assert bounds.gap <= 1e-4 * bounds.upper


U = 2.0**-53


def pure(epsilon):
    """The pair of two outcomes whose losses are epsilon and its negative."""
    return hs.ApproximateDP(epsilon=epsilon, delta=0).dominating_pair(hs.Direction.REMOVE)


def test_a_product_of_many_steps_books_its_terms():
    """1e-12 for each of 1000 distinct steps: 1 - the product of 2 / (1 + e^epsilon), and 1e-9."""
    epsilons = [1e-4 * (1 + k / 1000) for k in range(1000)]
    limits = {"tolerance": 0.5, "memory_limit": 1 << 24, "method": "trivial_bounds"}
    (found,) = _core.delta_bounds([[(pure(x), 1) for x in epsilons]], [0.0], **limits)
    with ctx.workprec(200):
        equal = math.prod((2 / (1 + arb(x).exp()) for x in epsilons), start=arb(1))
        booked = arb(found.upper) / (1 - equal) - 1
        assert abs(booked - 1e-9) < 1e-6 * 1e-9 + 100 * U


@pytest.mark.parametrize(
    ("count", "epsilon", "rate"), [(200, 3.0, 1e-300), (60, 10.0, 1e-270), (1, 600.0, 1e-290)]
)
def test_the_power_of_the_largest_losses_is_rounded_by_what_the_page_says(count, epsilon, rate):
    """Edges 1e-13 of the loss below it, less 24 u of both sizes; 12 u of exponential and sum."""
    bounds = (count * hs.ApproximateDP(epsilon=epsilon, delta=0)).true_positive_rate_bounds(
        rate, smallest=0
    )
    with ctx.workprec(300):
        largest = count * arb(epsilon)
        power = largest.exp() * arb(rate)
        assert 8 * U < arb(bounds.upper) / power - 1 < 18 * U
        lost = largest * 1e-13 + 24 * U * largest * 2 + 12 * U
        assert abs(1 - arb(bounds.lower) / power - lost) < 5e-3 * lost


@pytest.mark.parametrize("count", [20, 200])
def test_the_probability_of_the_largest_losses_is_rounded_by_what_the_page_says(count):
    """24 u of its logarithm and of the number of steps; each mass by its error and 2 u."""
    epsilon = 3.0
    cells = pure(epsilon).integrate(np.array([epsilon * (1 - 1e-13)]))
    with ctx.workprec(300):
        probability = (arb(epsilon).exp() / (1 + arb(epsilon).exp())) ** count
        rate = float((1 + arb(epsilon).exp()) ** -count * (1 + arb("1e-8")))
        run = count * hs.ApproximateDP(epsilon=epsilon, delta=0)
        found = run.true_positive_rate_bounds(rate, tolerance=0.5, smallest=0).lower
        lost = 24 * U * (count - probability.log()) + count * (arb(cells.mass_error) + 2 * U)
        assert abs(1 - arb(found) / probability - lost) < 0.03 * lost


def test_next_to_delta_1_added_records_of_little_noise_are_told():
    """By their largest losses; 11 GB were refused after 13 s. hs.verify has 345.43777(34)."""
    run = 1244 * hs.Gaussian(0.0863).poisson_sampled(0.254)
    lower, upper = run.epsilon_bounds(1 - 5.2e-9, adjacency="add-one")
    assert 345.1 < lower < 345.4382
    assert 345.4374 < upper < 345.6


@pytest.mark.parametrize("adjacency", ["add-one", "remove-one"])
@pytest.mark.parametrize("step", [hs.Gaussian(0.05), hs.Laplace(0.02)], ids=str)
def test_near_epsilon_0_rare_samples_of_little_noise_tell_whether_any_joined(step, adjacency):
    """Refused after 2 to 8 s: delta(0) is 1 - (1 - q)^n but for the rarely mistaken."""
    for count, rate in ((3, 1e-6), (17, 1e-7), (2000, 1e-5), (3, 0.4)):
        lower, upper = (count * step.poisson_sampled(rate)).delta_bounds(0, adjacency=adjacency)
        truth = -math.expm1(count * math.log1p(-rate))
        assert truth * (1 - 1e-3) <= lower <= truth
        assert truth * (1 - 1e-4) <= upper <= truth * (1 + 1e-5)
