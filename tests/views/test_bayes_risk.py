# SPDX-License-Identifier: Apache-2.0
"""The Bayes risk encloses the truth, from both sides and for many priors in one call."""

import random

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.pair import Pair
from hockeystick import Adjacency, _core
from hockeystick.adjacency import Direction

LIMITS = {"tolerance": 1e-3, "memory_limit": 2**30}
PRIORS = np.array([1e-9, 0.1, 0.48, 0.5, 0.52, 0.9, 1 - 1e-9])


def draws(*, subnormal):
    """Priors and deltas."""
    rng = random.Random(6)
    for _ in range(300):
        prior = 2.0 ** rng.uniform(-1074, -1022) if subnormal else 2.0 ** rng.uniform(-1000, -1)
        yield prior, rng.uniform(0, 1)


@pytest.mark.parametrize("subnormal", [False, True])
def test_the_rounding_of_the_risk_is_counted(subnormal):
    """prior (1 - delta), and what an error of the log odds may move it by."""
    with ctx.workprec(2200):
        for prior, delta in draws(subnormal=subnormal):
            exactly = ((1 - arb(prior)) / arb(prior)).log()
            moved = abs(arb(_core.parts.log_odds(prior)) - exactly)
            truth = arb(prior) * (1 - arb(delta))
            assert _core.parts.bayes_risk(prior, delta, "lower") >= truth * (1 + moved)
            assert _core.parts.bayes_risk(prior, delta, "upper") <= truth * (1 - moved)


def pairs(*directions, count=1):
    """Directions of sampled Gaussians, as the core takes them."""
    step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.1)
    return [[(step.dominating_pair(direction), count)] for direction in directions]


def truth_of(prior, direction):
    with ctx.workprec(200):
        p = arb(prior)
        if prior > 1 / 2:  # the neighbours change places
            p, direction = 1 - p, {"remove": "add", "add": "remove"}[direction]
        return p * (1 - Pair(exact.Step(1.0, 0.1), direction).delta(((1 - p) / p).log()))


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_reverses_answer_for_the_likelier_dataset(direction):
    ways = [Direction.REMOVE, Direction.ADD]
    there, back = (pairs(way) for way in (ways if direction == "remove" else reversed(ways)))
    risks = _core.bayes_risk_bounds(there, PRIORS, reverses=back, **LIMITS)
    for prior, risk in zip(PRIORS.tolist(), risks, strict=True):
        truth = truth_of(prior, direction)
        assert risk.lower <= truth.upper()
        assert truth.lower() <= risk.upper
        assert risk.upper - risk.lower <= 1e-3 * float(truth)


def test_directions_that_contain_their_reverses_need_no_others():
    both = pairs(Direction.REMOVE, Direction.ADD, count=100)
    for risk, same in zip(
        _core.bayes_risk_bounds(both, PRIORS, **LIMITS),
        _core.bayes_risk_bounds(both, PRIORS, reverses=both, **LIMITS),
        strict=True,
    ):
        assert max(risk.lower, same.lower) <= min(risk.upper, same.upper)


def test_many_priors_are_each_as_tight_as_alone():
    """Where delta is near 1 the risk needs it more tightly than the tolerance."""
    run = [[(hs.Gaussian(noise_multiplier=0.3).dominating_pair(Direction.REMOVE), 3)]]
    run[0].append((hs.DiscreteGaussian(sigma=0.5).dominating_pair(Direction.REMOVE), 1))
    priors = np.geomspace(1e-12, 0.5, 40)
    for prior, risk in zip(priors, _core.bayes_risk_bounds(run, priors, **LIMITS), strict=True):
        (alone,) = _core.bayes_risk_bounds(run, np.array([prior]), **LIMITS)
        assert risk.converged
        assert alone.converged
        assert max(risk.lower, alone.lower) <= min(risk.upper, alone.upper)
        assert risk.upper - risk.lower <= 1e-3 * max(risk.upper, 1e-6 * prior)
        assert risk.discretization + risk.truncation + risk.rounding <= prior


def test_distributions_bound_the_risk_from_their_side():
    run = 20 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.1)
    truth = run.bayes_risk_bounds(PRIORS, adjacency=Adjacency.REMOVE_ONE, tolerance=1e-6)
    found = []
    for side in ("upper", "lower"):
        (law,) = run.pld(
            discretization_interval=1e-3, side=side, adjacency=Adjacency.REMOVE_ONE
        )._pmfs
        found.append(_core.pld_bayes_risk(law, law.reflected(), PRIORS))
    assert np.all(found[0] <= truth.upper)
    assert np.all(found[1] >= truth.lower)
    assert np.all(found[1] - found[0] <= 2e-2 * truth.upper)


@pytest.mark.parametrize(("prior", "memory"), [(0.1, 2**22), (0.02, 2**22)])
def test_risks_need_no_more_of_tiny_deltas_than_that_they_are(prior, memory):
    run = 28433 * hs.Gaussian(noise_multiplier=2.037).poisson_sampled(1.615282358621942e-05)
    risk = run.bayes_risk_bounds(prior, memory_limit=memory)
    assert risk.lower <= prior
    assert risk.upper - risk.lower <= 1e-3 * risk.upper
