# SPDX-License-Identifier: Apache-2.0
"""True positive rates and trade-off where they are decided by few or rare outcomes."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.attack import gaussian_power, laplace_power, one_step_power, power_above, power_of_atoms
from exact.pair import Pair
from hockeystick import Adjacency, _core
from questions import told
from random_runs import Term, laws_and_run

ADD = {"adjacency": Adjacency.ADD_ONE}
REPLACE = {"adjacency": Adjacency.REPLACE_ONE}

pytestmark = pytest.mark.bits(2000)  # a miss may be e^-m, and doubles are exact


def hold(run, fpr, truth, *, narrow=True, tolerance=1e-3, **how):
    """Both views of the power enclose the truth; `narrow`: and are certified."""
    power = told(run.true_positive_rate_bounds, fpr, tolerance=tolerance, **how)
    missed = told(run.tradeoff_bounds, fpr, tolerance=tolerance, **how)
    assert power.lower <= truth <= power.upper
    assert missed.lower <= 1 - truth <= missed.upper
    if narrow:
        miss = max(float(1 - truth), min(1e-6, float(truth)))
        assert power.gap <= tolerance * min(float(truth), miss) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("noise", "fpr", "how"),
    [
        (0.005, 1e-86, {}),
        (0.005, 1e-85, {}),
        (0.0014310614693122694, 4.0080035499634803e-305, {"tolerance": 0.1}),
        (0.007574300328801166, 3.458372237671886e-57, {"memory_limit": 1 << 26}),
    ],
)
def test_laplace_near_the_rate_of_its_largest_loss(noise, fpr, how):
    hold(hs.Laplace(noise_multiplier=noise), fpr, laplace_power(noise, fpr), narrow=False, **how)


@pytest.mark.parametrize("tolerance", [1e-3, 0.1])
def test_permute_and_flip_near_the_rate_of_its_largest_loss(tolerance):
    run, truth = hs.PermuteAndFlip(epsilon=200.0), laplace_power(1 / 200, 1.48e-85)
    hold(run, 1.48e-85, truth, narrow=False, tolerance=tolerance)


SAMPLED = [
    # noise, q, count, rate, tolerance
    (0.04335988436132832, 0.01, 1, 3.746987937112395e-28, 0.1),
    (0.0353904027660504, 1e-4, 1, 3.1268433283194377e-119, 0.1),
    (0.043086251156634614, 0.9, 5, 1.0263649299854876e-30, 1e-3),
]


@pytest.mark.parametrize("memory_limit", [1 << 22, 1 << 30])
@pytest.mark.parametrize(("noise", "q", "count", "fpr", "tolerance"), SAMPLED)
def test_no_power_of_a_bounded_loss_exceeds_the_largest(
    noise, q, count, fpr, tolerance, memory_limit
):
    """Against a record that is there with probability q: P <= (1 - q)^-n Q."""
    run = count * hs.Gaussian(noise_multiplier=noise).poisson_sampled(q)
    how = {"tolerance": tolerance, "memory_limit": memory_limit, **ADD}
    bounds = told(run.true_positive_rate_bounds, fpr, **how)
    assert bounds.lower <= arb(fpr) / (1 - arb(q)) ** count <= bounds.upper * (1 + arb(1e-12))


def test_rates_near_the_smallest():
    fpr, truth = one_step_power(exact.Step(0.5, 0.3), "remove", 70.0)
    assert fpr < 1e-292
    run = hs.Gaussian(noise_multiplier=0.5).poisson_sampled(0.3)
    hold(run, fpr, truth, adjacency=Adjacency.REMOVE_ONE, smallest=0.0)


def test_no_power_of_a_mixture_exceeds_the_largest():
    fpr, run = (
        3.4274878781359936e-30,
        hs.GaussianMixture(
            standard_deviation=0.04011487912758928, sensitivities=(0, 1), probabilities=(0.75, 0.25)
        ),
    )
    bounds = told(run.true_positive_rate_bounds, fpr, memory_limit=1 << 25, **ADD)
    assert bounds.lower <= arb(fpr) / arb(0.75) <= bounds.upper


def beside(sensitivity, noise):
    """A rare large loss beside four small ones."""
    return [
        Term("DiscreteLaplace", {"parameter": 0.5, "sensitivity": sensitivity}, 4),
        Term("RandomizedResponse", {"noise_parameter": noise, "num_buckets": 3}, 1),
    ]


@pytest.mark.parametrize(
    ("sensitivity", "noise", "fpr", "tolerance"),
    [
        (3, 8.338657017361885e-67, 3.1363208674386866e-69, 1e-3),
        (2, 1.25200910627309e-34, 2.555305708185531e-36, 0.01),
    ],
)
def test_a_rare_large_loss_beside_small_ones(sensitivity, noise, fpr, tolerance):
    laws, run = laws_and_run(beside(sensitivity, noise), "replace")
    truth = power_of_atoms(laws, fpr)
    hold(run, fpr, truth, narrow=False, tolerance=tolerance, **REPLACE)


@pytest.mark.parametrize(
    ("epsilon", "fpr"), [(8.0, 1e-12), (6.34, 1e-9), (1.0, 1e-9), (705.0, 1e-307)]
)
def test_a_bounded_loss_far_below_the_rate_of_its_largest(epsilon, fpr):
    hold(hs.ExponentialMechanism(epsilon=epsilon), fpr, arb(epsilon).exp() * arb(fpr))


@pytest.mark.parametrize("count", [1, 3, 40])
def test_at_the_rate_of_the_largest_losses_their_probability_is_the_power(count):
    epsilon = 3.0
    terms = [Term("ApproximateDP", {"epsilon": epsilon, "delta": 1e-3}, count)]
    laws, run = laws_and_run(terms, "remove")
    rate = float((((1 - arb(1e-3)) / (1 + arb(epsilon).exp())) ** count).mid())
    for fpr in (rate * (1 - 1e-9), rate * (1 + 1e-9)):
        hold(run, fpr, power_of_atoms(laws, fpr), tolerance=1e-6)


@pytest.mark.parametrize("sigma", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("fpr", [1e-290, 1e-296, 1e-300])
def test_gaussians_at_the_smallest_rates(sigma, fpr):
    run = hs.Gaussian(noise_multiplier=sigma)
    hold(run, fpr, gaussian_power(1 / arb(sigma), fpr), narrow=False)
    assert run.true_positive_rate_bounds(fpr).gap <= 1e-5 * run.true_positive_rate(fpr)


@pytest.mark.parametrize("fpr", [1e-30, 3.8e-8, 0.3])
def test_what_fails_for_certain_is_found_besides_the_false_positives(fpr):
    failing = 1 - (1 - arb(1e-9)) ** 9
    truth = min(failing + arb(fpr), arb(1), key=float)
    hold(9 * hs.ApproximateDP(epsilon=0.0, delta=1e-9), fpr, truth)


def test_a_total_leak_is_found():
    run = 100 * hs.ApproximateDP(epsilon=0.5, delta=0.5)
    for fpr in (1e-12, 0.1):
        bounds = run.tradeoff_bounds(fpr)
        assert 0 <= bounds.lower <= bounds.upper <= 1e-15


def logarithmic(rng, low, high):
    return 10 ** rng.uniform(low, high)


def sweep(rng):
    """A random question about rare outcomes, and its truth or what it is at most."""
    kind = rng.choice(("laplace", "flip", "exponential", "sampled", "beside"))
    if kind in ("laplace", "flip"):
        noise = logarithmic(rng, -2.9, -0.9)
        run = hs.Laplace(noise_multiplier=noise)
        if kind == "flip":
            epsilon = 1 / noise
            noise, run = 1 / arb(epsilon), hs.PermuteAndFlip(epsilon=epsilon)
        fpr = math.exp(max(-700.0, -1 / float(noise))) * logarithmic(rng, -3, 3)
        return run, {}, min(fpr, 0.5), laplace_power(noise, min(fpr, 0.5)), None
    if kind == "exponential":
        term = Term("ExponentialMechanism", {"epsilon": logarithmic(rng, -1, 2.5)}, 1)
        laws, run = laws_and_run([term], "remove")
        fpr = logarithmic(rng, -200, -1)
        return run, {}, fpr, power_of_atoms(laws, fpr), None
    if kind == "beside":
        laws, run = laws_and_run(beside(rng.choice((1, 2)), logarithmic(rng, -80, -10)), "replace")
        fpr = logarithmic(rng, -80, -10)
        return run, REPLACE, fpr, power_of_atoms(laws, fpr), None
    step = exact.Step(logarithmic(rng, -1.5, -1), logarithmic(rng, -4, -0.01))
    run = hs.Gaussian(noise_multiplier=step.sigma).poisson_sampled(step.q)
    fpr, end = logarithmic(rng, -150, -15), -math.log1p(-step.q)
    losses = [end * (1 - 2.0**-k) for k in range(30)]
    with ctx.workprec(400):
        above = power_above(Pair(step, "add").delta, fpr, losses)
    return run, ADD, fpr, None, min(above, arb(fpr) / (1 - arb(step.q)), key=float)


@pytest.mark.parametrize("seed", [1])
def test_rare_outcomes(seed, samples):
    rng = random.Random(seed)
    for _ in range(samples(40)):
        run, how, fpr, truth, above = sweep(rng)
        if truth is not None:
            hold(run, fpr, truth, narrow=False, memory_limit=1 << 26, **how)
        else:
            limits = {"memory_limit": 1 << 24, **how}
            assert told(run.true_positive_rate_bounds, fpr, **limits).lower <= above


def test_deltas_far_below_all_rates_are_not_asked_closely():
    run = 247 * hs.DiscreteGaussian(sigma=0.998).poisson_sampled(0.00109)
    before = _core.work.taken()
    rates = np.array([1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9])
    found = run.true_positive_rate_bounds(rates)
    assert np.all(found.gap <= 1e-3 * found.upper)
    assert _core.work.taken() - before < 2e8


@pytest.mark.parametrize("rate", [0.1, 1e-5])
def test_a_power_next_to_one_by_looser_deltas_is_an_answer(rate):
    """The misses are below 1e-6 of the rate: the width is a part of that, whoever found it."""
    run = 232 * hs.Laplace(0.902825956593417)
    found = run.true_positive_rate_bounds(rate)
    assert found.lower > 1 - 1e-9
    assert run.tradeoff_bounds(rate).upper < 1e-9


@pytest.mark.parametrize(
    "run",
    [
        7302 * hs.Gaussian(1.7927032441014903).poisson_sampled(0.27527836409828826)
        + 7920 * hs.Gaussian(1.944271928403528).poisson_sampled(4.2039191772617096e-06),
        2 * hs.Gaussian(0.5672678010206643)
        + 3 * hs.Laplace(2.2684386430368733)
        + 53274 * hs.Gaussian(2.6956783172906476).poisson_sampled(0.16066650996626064),
    ],
)
def test_tests_of_hardly_private_runs_miss_next_to_nothing(run):
    """They decide where the curve is 1 to all digits, and it has to be known as well far above."""
    for adjacency in ("add-one", "remove-one"):
        found = run.tradeoff_bounds(np.array([1e-5, 1e-3, 0.3]), adjacency=adjacency)
        assert np.all(found.upper < 1e-9)
