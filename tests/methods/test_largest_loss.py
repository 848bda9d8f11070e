# SPDX-License-Identifier: Apache-2.0
"""Epsilon at delta = 0, the largest loss: each pair's own in ball arithmetic, and their sums."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats

import hockeystick as hs
import random_runs
from exact.responses import Responses
from hockeystick import Adjacency, _core
from hockeystick.verify import largest
from questions import core_answer
from random_runs import KINDS, Term, is_defined

ULP = 2.0**-52
pytestmark = pytest.mark.filterwarnings("ignore:epsilon is infinite")


def held(bounds, truth, ulps):
    """Whether bounds enclose a truth, and are as near to it as so many units in the last place."""
    if not truth.is_finite():
        return bounds == (math.inf, math.inf)
    narrow = bounds.upper - bounds.lower <= ulps * ULP * bounds.upper + 1e-321
    return narrow and not truth < bounds.lower and not truth > bounds.upper  # but for 2^-400 of it


@pytest.mark.parametrize(
    "name",
    sorted(name for name in KINDS if not name.endswith("noise") and name != "DiscreteGaussian"),
)
def test_the_largest_loss_of_each_mechanism(name, samples):
    rng = random.Random(f"largest {name}")
    for k in range(samples(12)):
        parameters = KINDS[name].draw(rng)
        parameters.pop("rate", None)
        if k % 2 and hasattr(random_runs.mechanism(Term(name, parameters, 1)), "poisson_sampled"):
            parameters["rate"] = min(10 ** rng.uniform(-12, 0), 0.999)
        term = Term(name, parameters, 1)
        mechanism = random_runs.mechanism(term)
        for adjacency in hs.Adjacency:
            if not all(is_defined(mechanism, way) for way in adjacency.directions):
                continue
            with ctx.workprec(400):
                ulps = 100_000 if name == "DiscretePair" else 200
                truth, _ = largest.loss((((mechanism, 1),),), adjacency, 0.0, 0)
                assert held(mechanism.epsilon_bounds(0, adjacency=adjacency), truth, ulps), (
                    term,
                    adjacency,
                )


@pytest.mark.parametrize("epsilon", [0.5, 1e-12, 3e-5, 0.1, 1.0, 700.0, 1e3, math.pi])
@pytest.mark.parametrize("rate", [1.0, 0.999, 0.5 + 2.0**-50, 0.5, 0.3, 1e-3, 1e-15, 1e-300])
def test_ends_of_laplace_noise_and_its_samples(epsilon, rate):
    noise = hs.PermuteAndFlip(epsilon=epsilon).poisson_sampled(rate)
    with ctx.workprec(2000):
        e, q = arb(epsilon), arb(rate)
        for adjacency, sign in ((Adjacency.REMOVE_ONE, 1), (Adjacency.ADD_ONE, -1)):
            truth = e if rate == 1 else sign * (1 - q + q * (sign * e).exp()).log()
            assert held(noise.epsilon_bounds(0, adjacency=adjacency), truth, 100), adjacency
            atoms = hs.ExponentialMechanism(epsilon=epsilon).poisson_sampled(rate)
            assert held(atoms.epsilon_bounds(0, adjacency=adjacency), truth, 120), adjacency


@pytest.mark.parametrize("rate", [0.999, 0.5 + 2.0**-50, 0.5, 0.3, 1e-3, 1e-15, 1e-300])
def test_ends_of_added_gaussian_samples(rate):
    gaussian = hs.Gaussian(1.0).poisson_sampled(rate)
    jumps = hs.GaussianMixture(
        standard_deviation=1.0, sensitivities=[0.0, 1.0, 2.0], probabilities=[0.25, 0.5, 0.25]
    )
    with ctx.workprec(2000):
        q = arb(rate)
        for noise, truth in (
            (gaussian, -(1 - q).log()),
            (jumps.poisson_sampled(rate), -(1 - 3 * q / 4).log()),
        ):
            assert held(noise.epsilon_bounds(0, adjacency="add-one"), truth, 60)
            assert noise.epsilon_bounds(0) == (math.inf, math.inf)


@pytest.mark.parametrize("count", [1, 3, 7, 10**6 + 1, 10**9])
@pytest.mark.parametrize("epsilon", [0.5, 0.1, 1 / 3, 1e-12, 1e3 / 3])
def test_a_sum_is_exact_but_for_its_rounding(epsilon, count):
    run = count * hs.ExponentialMechanism(epsilon=epsilon)
    both = run + 3 * hs.ApproximateDP(epsilon=0.7, delta=0.0)
    with ctx.workprec(400):
        for made, truth in (
            (run, count * arb(epsilon)),
            (both, count * arb(epsilon) + 3 * arb(0.7)),
        ):
            assert held(made.epsilon_bounds(0), truth, 3)
    if epsilon == 0.5:
        assert run.epsilon_bounds(0) == (count / 2, count / 2)


def test_what_the_manual_says():
    assert (3 * hs.Laplace(2.0)).epsilon_bounds(0) == (1.5, 1.5)
    ten = (10 * hs.Laplace(epsilon=0.1)).epsilon_bounds(0)
    assert ten.lower <= 1 <= ten.upper <= 1 + 2**-52
    assert hs.Composition().epsilon_bounds(0) == (0, 0)


@pytest.mark.parametrize(
    "run",
    [
        hs.Gaussian(1.0),
        3 * hs.Gaussian(1.0) + hs.Laplace(2.0),
        hs.Gaussian(1e6).poisson_sampled(1e-9),
        hs.DiscreteGaussian(sigma=3.0),
        hs.DiscreteGaussian(sigma=3.0, truncation=200),
        hs.ApproximateDP(epsilon=1.0, delta=5e-324),
        hs.Laplace(1.0) + hs.ApproximateDP(epsilon=1.0, delta=1e-9),
        hs.DiscretePair(p=[0.5, 0.5, 1e-320], q=[0.5, 0.5, 0.0]),
        hs.ZCDP(0.1),
        hs.Gaussian(1.0).random_allocation(steps=10),
        hs.Gaussian(1.0).random_allocation(steps=10, epochs=3) + hs.Laplace(1.0),
        hs.Gaussian(1.0).random_allocation(steps=10, selected=3),
    ],
    ids=str,
)
def test_there_is_none(run):
    assert run.epsilon_bounds(0) == (math.inf, math.inf)
    assert run.epsilon(0) == math.inf


@pytest.mark.parametrize("adjacency", ["replace-one", "replace-special"])
def test_there_is_none_of_schemes_of_fixed_numbers(adjacency):
    for run in (
        hs.Gaussian(1.0).shuffled(batches=10),
        hs.Gaussian(1.0).fixed_size_sampled(batch_size=10, dataset_size=100),
        hs.Gaussian(1.0).fixed_size_sampled(batch_size=10, dataset_size=100, replacement=True),
    ):
        assert run.epsilon_bounds(0, adjacency=adjacency) == (math.inf, math.inf)


def test_an_outcome_that_is_next_to_impossible_counts():
    rare = hs.DiscretePair(p=[1.0, 1e-310], q=[1.0, 5e-324])
    with ctx.workprec(400):
        assert held(rare.epsilon_bounds(0), (arb(1e-310) / arb(5e-324)).log(), 100)
        sampled = rare.poisson_sampled(0.25).epsilon_bounds(0)
        truth = (arb(3) / 4 + (arb(1e-310) / arb(5e-324)) / 4).log()
        assert held(sampled, truth, 200)


def test_the_largest_loss_of_an_epoch_is_that_of_its_step():
    for step in (
        hs.Laplace(1.0),
        hs.DiscreteLaplace(parameter=0.3, sensitivity=3),
        hs.Laplace(1.0).poisson_sampled(0.1),
    ):
        for adjacency in ("add-or-remove-one", "add-one", "remove-one"):
            alone = step.epsilon_bounds(0, adjacency=adjacency)
            epoch = hs.RandomAllocation(mechanism=step, steps=7)
            # That of a step alone may end at its fraction.
            assert epoch.epsilon_bounds(0, adjacency=adjacency) == pytest.approx(alone, rel=1e-15)
            both = (3 * epoch + hs.Laplace(2.0)).epsilon_bounds([0, 1e-6], adjacency=adjacency)
            assert both.lower[0] <= both.upper[0] <= (3 * alone.upper + 0.5) * (1 + 4 * ULP)
            assert both.upper[1] < both.lower[0]


def test_a_given_curve():
    """Between the losses of the curve below and those of the one above, if none are infinite."""
    alpha = np.exp(np.linspace(-2, 2, 41))
    values = np.maximum(np.maximum(0, 1 - alpha), (math.e - alpha) / (1 + math.e))
    curve = hs.HockeyStickCurve(alpha=alpha, lower=values, upper=np.maximum(values, 0))
    bounds = curve.epsilon_bounds(0)
    assert 0.89 <= bounds.lower <= 1 <= bounds.upper


@pytest.mark.parametrize("sign", [0, 1, -1])
def test_noise_given_by_its_density_has_a_lower_end(sign):
    """That of its farthest outcome, less the errors of the density there and a step away.

    A density that is a program does not say how it goes on.
    """

    def log_density(x):
        error = 0.9e-13 * sign * np.sign(np.cos(np.pi * x / 0.75))
        return -np.abs(x) - math.log(2) + error * (1 + np.abs(x))

    noise = hs.AdditiveNoise(
        log_density=log_density, distribution=lambda x: np.exp(-np.abs(x)) / 2, sensitivity=0.75
    )
    with pytest.raises(hs.CertificationError, match="tolerance") as caught:
        noise.epsilon(0)
    assert 0.75 * (1 - 1e-9) <= caught.value.bounds.lower <= 0.75
    assert caught.value.bounds.upper == math.inf


def tail(x):
    """Half of e^-abs(x)."""
    return np.exp(-np.abs(x)) / 2


def log_tail(x):
    """Its logarithm."""
    return -np.abs(x) - math.log(2)


@pytest.mark.parametrize("sensitivity", [0.1, 0.75, 3.0, 1 / 3])
@pytest.mark.parametrize("adjacency", ["add-or-remove-one", "replace-one"])
def test_noise_given_by_its_density_and_the_limit_of_its_slope(sensitivity, adjacency):
    """The limit times the distance, to the rounding of that product, alone and composed."""
    noise = hs.AdditiveNoise(
        log_density=log_tail, distribution=tail, sensitivity=sensitivity, steepest=1.0
    )
    most = sensitivity * (2 if adjacency == "replace-one" else 1)
    for count in (1, 3):
        found = (count * noise).epsilon_bounds(0, adjacency=adjacency)
        with ctx.workprec(200):
            assert held(found, count * arb(most), 4)
    far = hs.AdditiveNoise(log_density=log_tail, distribution=tail, steepest=math.inf)
    assert far.epsilon_bounds(0) == (math.inf, math.inf)


@pytest.mark.parametrize("sensitivity", [0.1, 0.7])
def test_a_limit_is_rounded_outward(sensitivity):
    """Times 3 they are no doubles: the one is rounded up, the other down."""
    noise = hs.AdditiveNoise(
        log_density=lambda x: log_tail(3 * x) + math.log(3),
        distribution=lambda x: tail(3 * x),
        sensitivity=sensitivity,
        steepest=3.0,
    )
    found = noise.epsilon_bounds(0)
    with ctx.workprec(200):
        assert arb(found.lower) < 3 * arb(sensitivity) < arb(found.upper)


def test_a_limit_that_the_density_exceeds_is_refused():
    with pytest.raises(ValueError, match="steepest must be at least the slope"):
        hs.AdditiveNoise(log_density=log_tail, distribution=tail, steepest=0.99)
    with pytest.raises(ValueError, match="steepest must be finite and > 0"):
        hs.AdditiveNoise(log_density=log_tail, distribution=tail, steepest=-1.0)


@pytest.mark.parametrize(("name", "largest"), [("norm", math.inf), ("logistic", 0.5)])
def test_the_limit_of_known_functions_is_known(name, largest):
    noise = getattr(stats, name)
    given = hs.AdditiveNoise(log_density=noise.logpdf, distribution=noise.cdf, sensitivity=0.5)
    assert given.epsilon(0) == pytest.approx(largest, rel=1e-15)


@pytest.mark.parametrize(
    "run",
    [
        hs.Laplace(2.0),
        hs.Laplace(2.0).poisson_sampled(0.1),
        hs.RandomizedResponse(noise_parameter=0.5, num_buckets=3),
        hs.DiscreteLaplace(parameter=0.3, sensitivity=3).poisson_sampled(0.7),
        7 * hs.Laplace(0.7).poisson_sampled(0.3) + 3 * hs.Laplace(2.0),
        100 * hs.DiscreteLaplace(parameter=0.1),
        hs.Laplace(1.0).random_allocation(steps=7),
    ],
    ids=str,
)
def test_delta_is_zero_from_there_on(run):
    adjacency = "replace-one" if "RandomizedResponse" in repr(run) else "add-or-remove-one"
    bounds = run.epsilon_bounds(0, adjacency=adjacency)
    for epsilon in (bounds.upper, math.nextafter(bounds.upper, math.inf), 2 * bounds.upper, 1e4):
        assert run.delta_bounds(epsilon, adjacency=adjacency).upper == 0
    below = [1e-3, 1e-9, 1e-30]
    answers = run.epsilon_bounds([*below, 0], adjacency=adjacency)
    assert np.all(np.diff(answers.upper) >= -1e-14)
    assert answers.upper[-1] == bounds.upper
    assert run.delta_bounds(0.9 * bounds.lower, adjacency=adjacency).upper > 0


def test_one_method_answers():
    run = 3 * hs.Laplace(2.0)
    rows = run.explain(delta=0).directions[0]
    assert [row.method for row in rows if row.verdict == "chosen"] == ["trivial_bounds"]
    assert {row.verdict for row in rows[1:]} == {"delta is 0"}
    terms = run._pairs(*Adjacency.ADD_ONE.directions)
    asked = {"tolerance": 1e-3, "memory_limit": 1 << 30}
    named = _core.epsilon_bounds(terms, np.zeros(1), method="fft_composition", **asked)
    assert (named[0].lower, named[0].upper, named[0].limited_by) == (0, math.inf, "method")


def clear(epsilon, count):
    """Pure losses so large that each is nearly sure: their curve is a sum of binomial terms."""
    return [(hs.ApproximateDP(epsilon, 0.0).dominating_pair(hs.Direction.REMOVE), count)]


def by_trivial_bounds(terms, query, at):
    return core_answer([terms], query, at, method="trivial_bounds")


@pytest.mark.parametrize("part", [1e-6, 0.1, 0.9, 1.0, 1.6, 3.0])
@pytest.mark.parametrize("epsilon", [7.0, 9.0, 25.0])
def test_one_step_is_met_by_its_capped_likelihoods(epsilon, part):
    """Above by what no more than the cap is likelier, below by that all are."""
    with ctx.workprec(200):
        truth = Responses(epsilon, 0.0, 1).curve(epsilon - part)
        found = by_trivial_bounds(clear(epsilon, 1), "delta", epsilon - part)
        assert found.lower <= truth <= found.upper
        assert found.lower >= truth * (1 - arb(1e-10)) - arb(4e-11)
        assert found.upper <= 1 - (-arb(part) * (1 + arb(1e-10))).exp() + arb(4e-11)
        goal = by_trivial_bounds(clear(epsilon, 1), "epsilon", float(truth.mid()))
        assert goal.lower <= (epsilon - part) * (1 + 1e-12)
        assert goal.lower >= epsilon - part - 1e-2 * part - 1e-9 * epsilon
        most = epsilon + (1 - truth).log()
        assert most <= goal.upper * (1 + arb(1e-14)) <= most * (1 + arb(1e-11))


@pytest.mark.parametrize("count", [2, 30, 300])
@pytest.mark.parametrize("epsilon", [8.0, 12.0, 30.0])
def test_many_steps_are_enclosed_by_their_capped_likelihoods(epsilon, count):
    for part in (1e-3, 0.5, 3.0, 19.0, 1.0 + epsilon):
        at = max(0.0, count * epsilon - part)
        with ctx.workprec(400):
            truth = Responses(epsilon, 0.0, count).curve(at)
            found = by_trivial_bounds(clear(epsilon, count), "delta", at)
            assert found.lower <= truth <= found.upper
            if 1 - truth > 1e-15:
                goal = by_trivial_bounds(clear(epsilon, count), "epsilon", float(truth.mid()))
                assert goal.lower <= at * (1 + 1e-9)
                assert goal.upper >= at * (1 - 1e-9)


@pytest.mark.parametrize(("noise", "rate", "count"), [(0.001, 0.08, 2000), (0.0015, 0.02, 1700)])
def test_added_records_that_noise_hardly_hides_are_told_apart(noise, rate, count):
    """But for e^-400 all losses are the largest, of which 1 - e^-x is left at x below."""
    run = count * hs.Laplace(noise).poisson_sampled(rate)
    found = run.epsilon_bounds(1 - 2.0**-36, adjacency="add-one", tolerance=1e-9)
    with ctx.workprec(200):
        truth = -count * (1 - arb(rate)).log() - 36 * arb(2).log()
        assert found.lower <= truth * (1 + arb(1e-14))
        assert truth <= found.upper * (1 + arb(1e-14))
