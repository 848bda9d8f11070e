# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are known from above and below: the C library's bits are Python's."""

import math

import pytest

import c_library as library
import hockeystick as hs
from c_library import NO_PAIR, OK, Refused, Run

STEP = hs.Gaussian(3.0)
ALPHA = [math.exp(0.05 * k) for k in range(-100, 101)]
RESPONSE = [max((3 - a) / 4, 1 - a, 0.0) for a in ALPHA]
CURVE = hs.HockeyStickCurve(alpha=ALPHA, lower=RESPONSE, upper=RESPONSE)
NOISE, BATCH = {"noise_multiplier": 3.0}, {"batch_size": 20, "dataset_size": 1000}
RATE = {"sampling_probability": 0.2}
CUT = {"sampling_probability": 0.01, "truncated_batch_size": 12, "dataset_size": 1000}
OF_CURVE = {"alpha": ALPHA, "lower": RESPONSE, "upper": RESPONSE}
ADD, REPLACE, SPECIAL = 0, 3, 4
# A mechanism, its name and parameters in C, and an adjacency.
KNOWN = [
    (STEP.random_allocation(steps=50), "random_allocation(gaussian)", NOISE | {"steps": 50}, ADD),
    (
        STEP.random_allocation(steps=50, epochs=2),
        *("random_allocation(gaussian)", NOISE | {"steps": 50, "epochs": 2}, ADD),
    ),
    (
        hs.Gaussian(0.1).random_allocation(steps=50),
        *("random_allocation(gaussian)", {"noise_multiplier": 0.1, "steps": 50}, ADD),
    ),
    (
        hs.Laplace(2.0).random_allocation(steps=20),
        *("random_allocation(laplace)", {"noise_multiplier": 2.0, "steps": 20}, SPECIAL),
    ),
    (
        hs.RandomAllocation(mechanism=STEP.poisson_sampled(0.2), steps=3),
        *("random_allocation(poisson_sampled(gaussian))", NOISE | RATE | {"steps": 3}, 1),
    ),
    (
        STEP.random_allocation(steps=50, selected=4),
        *("selected_steps(gaussian)", NOISE | {"steps": 50, "selected": 4}, ADD),
    ),
    (STEP.shuffled(batches=50), "shuffled(gaussian)", NOISE | {"batches": 50}, SPECIAL),
    (
        STEP.shuffled(batches=50, epochs=3),
        *("shuffled(gaussian)", NOISE | {"batches": 50, "epochs": 3}, REPLACE),
    ),
    (STEP.fixed_size_sampled(**BATCH), "fixed_size_sampled(gaussian)", NOISE | BATCH, SPECIAL),
    (
        STEP.fixed_size_sampled(**BATCH, replacement=True),
        *("fixed_size_sampled(gaussian)", NOISE | BATCH | {"replacement": 1}, REPLACE),
    ),
    (hs.ZCDP(0.3), "zcdp", {"rho": 0.3}, REPLACE),
    (CURVE, "hockey_stick_curve", OF_CURVE, REPLACE),
    (CURVE.poisson_sampled(0.2), "poisson_sampled_curve(hockey_stick_curve)", OF_CURVE | RATE, ADD),
    (
        STEP.shuffled(batches=50, left_out=3, batch_size=7),
        *("shuffled(gaussian)", NOISE | {"batches": 50, "left_out": 3, "batch_size": 7}, SPECIAL),
    ),
    (
        hs.TruncatedPoissonGaussian(1.0, **CUT),
        *("truncated_poisson_gaussian", CUT | {"noise_multiplier": 1.0}, SPECIAL),
    ),
    (
        STEP.sampled_group([0.1, 0.1, 0.3]),
        *("sampled_group(gaussian)", NOISE | {"sampling_probabilities": [0.1, 0.3, 0.1]}, ADD),
    ),
]
every_one = pytest.mark.parametrize(("mechanism", "name", "given", "adjacency"), KNOWN)


def ends(bounds):
    return list(zip(bounds.lower, bounds.upper, strict=True))


@every_one
def test_a_run_is_that_of_python(mechanism, name, given, adjacency):
    """Said by name, and in a ledger."""
    account = hs.Accountant(adjacency=library.ADJACENCIES[adjacency]).compose(mechanism, 3)
    by_name, said = Run().add(name, 3, **given), Run().add_json(account.to_json())
    known = OK, ends(account.epsilon_bounds([1e-5, 1e-6]))
    assert by_name.ask("epsilon", [1e-5, 1e-6], adjacency=adjacency + 1) == known
    assert said.ask("epsilon", [1e-5, 1e-6]) == known
    known = OK, ends(account.delta_bounds([0.05]))
    assert by_name.ask("delta", [0.05], adjacency=adjacency + 1) == known


def test_why_an_interval_is_wide_is_said():
    answers = (library.Answer * 1)()
    run = Run().add("shuffled(gaussian)", noise_multiplier=1.0, batches=100)
    opts = library.options(adjacency=5)
    at = library.doubles([1e-6])
    status = library.lib.hs_epsilon(run.handle, at, 1, library.byref(opts), answers)
    theory = 4
    assert (status, answers[0].limited_by) == (OK, theory)
    assert answers[0].lower < 0.99 * answers[0].upper


@pytest.mark.parametrize(("which", "adjacency"), [(0, REPLACE), (6, ADD), (8, ADD), (12, REPLACE)])
def test_where_nothing_is_known_it_is_said(which, adjacency):
    _, name, given, _ = KNOWN[which]
    with pytest.raises(Refused) as refusal:
        Run().add(name, **given).ask("epsilon", [1e-5], adjacency=adjacency + 1)
    assert refusal.value.status == NO_PAIR


@pytest.mark.parametrize("view", ["loss_tail", "loss_quantile"])
def test_the_loss_itself_is_enclosed(view):
    status, ((lower, upper),) = Run().add("zcdp", rho=0.1).ask(view, [0.5])
    assert status == OK
    assert -1 < lower < upper < 2
