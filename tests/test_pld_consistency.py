# SPDX-License-Identifier: Apache-2.0
"""Explicit distributions of few atoms: each view bounds exact sums, and agrees with the others."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
import random_runs
from exact.attack import needed_mu, power_of_atoms
from exact.laws import listed, number_of_sums
from exact.mechanisms import release
from random_runs import Term
from test_pld_truth import ESTIMATES

ONE_WAY = {"remove": hs.Adjacency.REMOVE_ONE, "add": hs.Adjacency.ADD_ONE}
MOST_SUMS = 300
RATES = np.array([0.0, 1e-300, 1e-20, 1e-9, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-9, 1.0])
EPSILONS = np.array([0.0, 1e-12, 1e-3, 0.1, 0.5, 1.0, 3.0, 30.0, 700.0, 5000.0])
DELTAS = np.array([1e-300, 1e-40, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-9])

pytestmark = pytest.mark.bits(1200)


def power(rng, low, high):
    return 10 ** rng.uniform(low, high)


def rare(rng):
    return power(rng, -300, -1)


TERMS = {
    "RandomizedResponse": lambda rng: {
        "noise_parameter": 1 - rare(rng),
        "num_buckets": rng.choice((2, 9)),
    },
    "ApproximateDP": lambda rng: {"epsilon": power(rng, -15, 3), "delta": rare(rng)},
    "ExponentialMechanism": lambda rng: {"epsilon": power(rng, -15, 2)},
    "DiscretePair": lambda rng: {"p": (1 - (r := rare(rng)), r), "q": (0.5, 0.5)},
    "DiscreteLaplace": lambda rng: {"parameter": power(rng, -3, 2), "sensitivity": 1},
}


class Case:
    """A run, one of its distributions, maybe reflected, and the law of which it is the estimate."""

    def __init__(self, rng: random.Random) -> None:
        names = rng.sample(list(TERMS), rng.choice((1, 1, 2)))
        terms = [Term(n, TERMS[n](rng), rng.choice((1, 2, 4, 8, 40))) for n in names]
        direction, self.is_reflected = rng.choice(("remove", "add")), rng.random() < 0.6
        way = {"remove": "add", "add": "remove"}[direction] if self.is_reflected else direction
        self.composed = [(release(t.name, t.parameters, way), t.count) for t in terms]
        while number_of_sums(self.composed) > MOST_SUMS:
            terms = [t._replace(count=max(1, t.count // 2)) for t in terms]
            self.composed = [(release(t.name, t.parameters, way), t.count) for t in terms]
        self.side, self.estimator = rng.choice(ESTIMATES)
        interval = power(rng, -2, 2.4)
        support = None
        if rng.random() < 0.3:
            steps = sorted(rng.sample(range(-40, 60), rng.choice((2, 9))))
            support = [interval * k for k in steps]
        run = sum((t.count * random_runs.mechanism(t) for t in terms), hs.Composition())
        self.name = f"{run} {direction} {self.side} {self.estimator} {interval!r} {support}"
        try:
            made = run.pld(
                side=self.side,
                estimator=self.estimator,
                discretization_interval=interval,
                support=support,
                adjacency=ONE_WAY[direction],
                memory_limit=1 << 25,
            )
        except ValueError:  # too fine a grid for the memory
            made = None
        self.pld = made.reflected() if made and self.is_reflected else made

    def on_its_side(self, value: float, truth: arb) -> bool:
        """Unless it certainly is not: sums of atoms are known to 1e-200."""
        return not arb(value) < truth if self.side == "upper" else not arb(value) > truth

    def delta(self, epsilon: float) -> arb:
        """The truth."""
        with ctx.workprec(1200):
            finite = math.prod(((1 - law.infinity_mass) ** n for law, n in self.composed))
            terms = ((p, -(epsilon - loss).expm1()) for loss, p in listed(self.composed))
            return 1 - finite + sum((p * share.max(arb(0)) for p, share in terms), arb(0))


def check_rates(case):
    rates = case.pld.true_positive_rate(RATES)
    assert np.all((rates >= 0) & (rates <= 1)), rates
    assert np.all(np.diff(rates) >= -1e-12), rates
    missed = case.pld.tradeoff(RATES)
    assert np.all((missed >= 0) & (missed <= 1)), missed
    for fpr, value in zip(RATES, rates, strict=True):
        truth = power_of_atoms(case.composed, float(fpr))
        assert case.on_its_side(value, truth), (fpr, value, truth)


def check_curve(case):
    deltas = case.pld.delta(EPSILONS)
    assert np.all((deltas >= 0) & (deltas <= 1)), deltas
    for epsilon, value in zip(EPSILONS, deltas, strict=True):
        truth = case.delta(epsilon)
        assert case.on_its_side(value, truth) or value <= 1e-300, (epsilon, value, truth)
    for epsilon, delta in zip(EPSILONS, deltas, strict=True):
        if 1e-290 < delta < 1 and case.side == "lower":
            back = case.pld.epsilon(delta * (1 - 1e-9))
            assert back >= epsilon * (1 - 1e-9) - 1e-12, (epsilon, delta, back)


def check_inverse(case):
    epsilons = case.pld.epsilon(DELTAS)
    assert np.all(epsilons >= 0), epsilons
    for delta, epsilon in zip(DELTAS, epsilons, strict=True):
        if epsilon > 9e3:
            continue
        moved = 0.0 if case.side == "upper" else 1e-12 + 1e-9 * epsilon
        assert case.pld.delta(epsilon + moved) <= delta * (1 + 1e-9), (delta, epsilon)
        truth = case.delta(epsilon)
        if case.side == "upper":
            assert not truth > delta
        elif epsilon > 0:
            assert not case.delta(math.nextafter(epsilon, 0)) < delta


def check_mu(case):
    rate = 1e-6
    mu, truth = case.pld.gdp_mu(smallest_rate=rate), max(0.0, needed_mu(case.composed, rate))
    assert mu >= truth - 1e-9 if case.side == "upper" else 0 <= mu <= truth + 1e-9, (mu, truth)


@pytest.mark.parametrize("seed", [1])
def test_views_of_one_distribution_agree(seed, samples):
    rng = random.Random(seed)
    for _ in range(samples(60)):
        case = Case(rng)
        if case.pld is None:
            continue
        try:
            for check in (check_rates, check_curve, check_inverse, check_mu):
                check(case)
        except AssertionError as error:
            error.add_note(f"{case.name} reflected: {case.is_reflected}")
            raise


def test_mu_of_a_reflected_lower_estimate():
    pair = {"p": (1.0, 1.2868986640415323e-89), "q": (0.9859110950513236, 0.014088904948676383)}
    noise = {"parameter": 20.02547131586583, "sensitivity": 1}
    terms = [Term("DiscreteLaplace", noise, 2), Term("DiscretePair", pair, 20)]
    rate, run = 1.372248643601447e-12, hs.Composition()
    for term in terms:
        run += term.count * random_runs.mechanism(term)
    mu = run.pld(
        side="lower",
        estimator="algorithm_2",
        discretization_interval=0.40483603509247107,
        adjacency=hs.Adjacency.REMOVE_ONE,
    ).gdp_mu(smallest_rate=rate)
    composed = [(release(t.name, t.parameters, "remove"), t.count) for t in terms]
    assert 0 < mu <= needed_mu(composed, rate) < 12.82


@pytest.mark.parametrize(
    ("run", "interval", "adjacency", "truth"),
    [
        (
            399 * hs.RandomizedResponse(noise_parameter=0.9787441560420711, num_buckets=2),
            0.36181522663681276,
            hs.Adjacency.REPLACE_ONE,
            0.3291,
        ),
        (400 * hs.ExponentialMechanism(epsilon=0.1), 1.0, hs.Adjacency.REMOVE_ONE, 0.682),
    ],
)
def test_a_question_far_below_the_window_counts_its_distance(run, interval, adjacency, truth):
    """Losses rounded down have much Q-mass; reflected, all lie far above 0."""
    pld = run.pld(
        side="lower",
        estimator="privacy_buckets",
        discretization_interval=interval,
        adjacency=adjacency,
    ).reflected()
    assert pld.delta(0.0) <= truth
    assert pld.advantage() <= truth


def test_no_rate_is_nan_on_the_widest_grids():
    """Points of the support so far apart that e^distance overflows."""
    run = 11 * hs.ApproximateDP(epsilon=3277.419872919897, delta=1 - 2**-53)
    run += hs.RandomizedResponse(noise_parameter=0.06413704514748565, num_buckets=10**9)
    rates = run.pld(
        side="lower",
        estimator="algorithm_2",
        discretization_interval=243.731591768425,
        tail_mass=9.19126989410644e-33,
        adjacency=hs.Adjacency.REPLACE_SPECIAL,
    ).true_positive_rate(np.array([0.0, 0.5, 1.0]))
    assert np.all((rates >= 0) & (rates <= 1))


@pytest.mark.parametrize(
    ("run", "estimator", "adjacency"),
    [
        (10 * hs.ExponentialMechanism(epsilon=1e-15), "connect_dots", hs.Adjacency.REMOVE_ONE),
        (
            26 * hs.RandomizedResponse(noise_parameter=1 - 2**-53, num_buckets=4),
            "privacy_buckets",
            hs.Adjacency.REPLACE_ONE,
        ),
    ],
)
def test_an_epsilon_of_0_is_one_at_which_delta_is_met(run, estimator, adjacency):
    """Losses of 1e-15: the rounding of a position is as large."""
    pld = run.pld(discretization_interval=1e-9, estimator=estimator, adjacency=adjacency)
    most = pld.delta(0.0)
    for share in (1.0, 0.9, 0.5, 1 / 16, 1e-3):
        epsilon = pld.epsilon(most * share)
        assert pld.delta(epsilon) <= most * share
        assert (epsilon == 0) == (share == 1.0)
        assert epsilon <= 1e-13
