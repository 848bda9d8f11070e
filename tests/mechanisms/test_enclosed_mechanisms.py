# SPDX-License-Identifier: Apache-2.0
"""What is asked of every mechanism that is known by pairs above and below its curve."""

import dataclasses
import json
import math
import pickle

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick._json import mechanism_from_json, mechanism_to_json
from hockeystick.mechanisms._enclosed import Accuracy, EnclosedMechanism

STEP = hs.Gaussian(noise_multiplier=3.0)
ALPHA = [math.exp(0.05 * k) for k in range(-100, 101)]
RESPONSE = [max((3 - a) / 4, 1 - a, 0.0) for a in ALPHA]
EXAMPLES = [
    STEP.random_allocation(steps=50),
    STEP.random_allocation(steps=50, epochs=2),
    STEP.random_allocation(steps=50, selected=4),
    hs.Laplace(noise_multiplier=2.0).random_allocation(steps=20),
    hs.RandomAllocation(mechanism=STEP.poisson_sampled(0.1), steps=3),
    STEP.fixed_size_sampled(batch_size=20, dataset_size=1000),
    STEP.fixed_size_sampled(batch_size=20, dataset_size=1000, replacement=True),
    STEP.shuffled(batches=50),
    STEP.shuffled(batches=50, batch_size=9, last_batch=4),
    STEP.shuffled(batches=50, left_out=1),
    STEP.shuffled(batches=50, epochs=2, left_out=7, batch_size=9),
    hs.HockeyStickCurve(alpha=ALPHA, lower=RESPONSE, upper=RESPONSE),
    hs.HockeyStickCurve(alpha=ALPHA, lower=RESPONSE, upper=RESPONSE).poisson_sampled(0.2),
    hs.ZCDP(0.3),
    hs.RenyiDP(order=8.0, divergence=0.5),
    hs.ShuffledLocal(epsilon0=1.5, users=2000),
    hs.ShuffledLocal(epsilon0=1.0, users=50, randomizer="k-ary", choices=4),
    hs.GaussianBetween(least_noise=2.0, most_noise=2.1),
    hs.GaussianBetween(least_noise=2.0, most_noise=2.1).poisson_sampled(0.1),
    hs.any_of(hs.Gaussian(3.0), hs.Laplace(2.0)),
    hs.MatrixMechanism([[1.0, 0.0], [-0.5, 1.0]], noise_multiplier=3.0),
    hs.MatrixMechanism.toeplitz([1.0, 0.5, 0.75], steps=40, noise_multiplier=12.0),
    hs.MatrixMechanism.buffered([0.5], [0.9], steps=40, noise_multiplier=12.0, min_separation=9),
    hs.MatrixMechanism.tree(leaves=20, noise_multiplier=5.0, restarts=2),
    STEP.poisson_sampled(0.1).group(3),
    hs.Laplace(noise_multiplier=9.0).group(2),
    hs.Laplace(noise_multiplier=9.0).poisson_sampled(0.2).group(2),
    STEP.sampled_group([0.1, 0.02]),
    hs.PoissonSampledRun(2 * hs.Laplace(noise_multiplier=4.0), sampling_probability=0.1),
    hs.best_of(5 * STEP.poisson_sampled(0.1), runs="geometric", mean=3),
    hs.best_of(STEP, runs="negative_binomial", mean=3, shape=0.5),
]
every_example = pytest.mark.parametrize("mechanism", EXAMPLES, ids=lambda m: repr(m)[:60])


def adjacency(mechanism):
    for one in hs.Adjacency:
        try:
            mechanism._pairs(one.directions[0])
        except ValueError:
            continue
        return one
    raise AssertionError


def classes(base=EnclosedMechanism):
    for kind in base.__subclasses__():
        yield from classes(kind)
        if dataclasses.is_dataclass(kind):
            yield kind


def test_every_class_has_an_example():
    names = {kind.__name__ for kind in classes()}
    assert {type(mechanism).__name__ for mechanism in EXAMPLES} == names


@every_example
def test_they_are_values(mechanism):
    assert dataclasses.replace(mechanism) == mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism  # noqa: S301
    assert type(mechanism)(**mechanism.arguments) == mechanism
    if " more>" not in repr(mechanism):
        assert eval(repr(mechanism), vars(hs)) == mechanism  # noqa: S307
    text = json.dumps(mechanism_to_json(mechanism))
    assert mechanism_from_json(json.loads(text), "$") == mechanism


@every_example
def test_answers_enclose_and_overlap(mechanism):
    how = {"adjacency": adjacency(mechanism)}
    for run in (mechanism, 7 * mechanism, 3 * mechanism + 2 * hs.Laplace(noise_multiplier=4.0)):
        bounds = run.epsilon_bounds(1e-5, **how)
        assert 0 <= bounds.lower <= bounds.upper < math.inf
        assert bounds.limited_by in ("", "theory")
        assert run.epsilon(1e-5, **how) == bounds.upper
        middle = bounds.upper
        delta = run.delta_bounds(middle, **how)
        assert delta.lower <= 1.01e-5
        assert delta.upper <= 1.01e-5
        power = run.true_positive_rate_bounds(0.01, **how)
        assert 0.01 <= power.lower <= power.upper <= 1
        risk = run.bayes_risk_bounds(0.5, **how)
        assert 0 <= risk.lower <= risk.upper <= 0.5


@every_example
def test_pairs_below_lie_below_pairs_above(mechanism):
    accuracy = Accuracy(20, 1e-9)
    for direction in adjacency(mechanism).directions:
        run = [
            (
                one.dominating_pair(direction)
                if one.is_exact
                else one.pair_above(direction, accuracy),
                count,
            )
            for one, count in mechanism.run_above
        ]
        at = np.array([0.0, 0.1, 0.5, 2.0])
        above = _core.delta_bounds([run], at, tolerance=1e-3, memory_limit=2**28).table()[1]
        for below in mechanism.pairs_below(direction, accuracy):
            for epsilon, delta in zip(at, above, strict=True):
                assert below.delta_above(epsilon) <= delta + 1e-12


@every_example
def test_calibration_meets_its_target_by_the_safe_end(mechanism):
    how = {"adjacency": adjacency(mechanism), "delta": 1e-5}
    target = 1.01 * (3 * mechanism).epsilon(**how)
    count = hs.calibrate(
        lambda n: n * mechanism, epsilon=target, bounds=(1, 9), integer=True, **how
    )
    assert count >= 3
    assert (count * mechanism).epsilon(**how) <= target


@every_example
def test_a_budget_is_kept_by_the_safe_end(mechanism):
    accountant = hs.Accountant(adjacency=adjacency(mechanism))
    target = (5 * mechanism).epsilon(1e-5, adjacency=adjacency(mechanism))
    assert accountant.admit(mechanism, 4, epsilon=target, delta=1e-5)
    assert accountant.would_exceed(mechanism, 3, epsilon=target, delta=1e-5)
    assert accountant.epsilon(1e-5) <= target


@every_example
def test_what_a_curve_does_not_tell_is_refused(mechanism):
    how = {"adjacency": adjacency(mechanism)}
    if mechanism.is_exact_for(how["adjacency"]):
        pytest.skip("one pair has the whole loss of this mechanism: no question of it is refused")
    with pytest.raises(ValueError, match="not known of"):
        mechanism.loss_variance_bounds(**how)


def test_a_grid_is_offered_from_above_only():
    epoch = EXAMPLES[0]
    upper = epoch.pld(discretization_interval=1e-2)
    assert upper.epsilon(1e-5) >= epoch.epsilon_bounds(1e-5).lower
    with pytest.raises(ValueError, match="^side must be 'upper'"):
        epoch.pld(discretization_interval=1e-2, side="lower")


def test_many_draws_of_one_record_are_not_lost():
    """Of 200 draws of two records, each is drawn about 100 times: the mean moves by 200."""
    batch = hs.Gaussian(noise_multiplier=100.0)
    batch = batch.fixed_size_sampled(batch_size=200, dataset_size=2, replacement=True)
    bounds = batch.delta_bounds(0.5, adjacency="replace-one")
    mean = hs.Gaussian(noise_multiplier=0.5).delta_bounds(0.5)  # of 100 draws, 2 each
    assert bounds.upper >= 0.99 * mean.lower
    with pytest.raises(ValueError, match="batch_size must be"):
        STEP.fixed_size_sampled(batch_size=5000, dataset_size=2, replacement=True)
    with pytest.raises(ValueError, match=r"batch_size must be in \[1, 200\]"):
        _core.dominating_pair("fixed_size_above", (1e4, 5000, 2, 1, 40, 1e-12))


@pytest.mark.parametrize("noise", [0.01, 0.05])
def test_little_noise_leaves_a_batch_its_rate(noise):
    batch = hs.Gaussian(noise_multiplier=noise).fixed_size_sampled(batch_size=10, dataset_size=100)
    pair = batch.pair_above(hs.Adjacency.REPLACE_ONE.directions[0], Accuracy(20, 1e-9))
    assert 0.1 <= pair.delta_above(1.0) <= 0.1 + 1e-9
