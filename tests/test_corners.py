# SPDX-License-Identifier: Apache-2.0
"""No scheme costs more than its step on all records: every view, at corners of all parameters."""

import random

import pytest

import corners
import hockeystick as hs

WITH_STEP = (
    "sampled, little noise",
    "sampled",
    "others sampled",
    "allocated, little noise",
    "others allocated",
    "fixed size",
    "shuffled",
    "together",
    "groups",
)
# One that each kind of view answers in milliseconds.
QUESTIONS = [
    question
    for question in corners.QUESTIONS
    if question.grows and question.given not in ((1e-300,), (1 - 1e-12,), (corners.DELTAS[2:],))
]


def compared(run, unsampled, adjacencies, questions=QUESTIONS):
    corner = corners.Corner(run, unsampled)
    for adjacency in adjacencies:
        for question in questions:
            ends = question.ends(corner.run, adjacency)
            best = question.ends(corner.unsampled, adjacency)
            assert not [*corners.wrong(question, ends, best)], (run, adjacency, str(question))


@pytest.mark.parametrize("kind", WITH_STEP)
def test_no_scheme_costs_more_than_its_step(kind):
    rng = random.Random(f"unsampled {kind}")
    for k in range(1 if kind == "groups" else 3):
        corner = corners.KINDS[kind](rng)
        if corner.unsampled is None:
            continue
        ways = [*corners.defined(corner.run)]
        compared(corner.run, corner.unsampled, [rng.choice(ways)], QUESTIONS[k::3])


HOSTILE = (
    "sampled once",
    "allocations",
    "selected steps",
    "fixed sizes",
    "shuffles",
    "joint samples",
    "composed allocations",
)


@pytest.mark.parametrize("family", HOSTILE)
def test_nor_does_one_of_a_hostile_family(family):
    corner = corners.KINDS[f"hostile {family}"](random.Random(f"unsampled {family}"))
    assert corner.unsampled is not None
    epsilon = corners.Question("epsilon_bounds", (1e-5,))
    compared(corner.run, corner.unsampled, [next(corners.defined(corner.run))], [epsilon])


NOISES = (0.001, 0.05, 0.3, 2.0, 1e4)


@pytest.mark.parametrize("noise", NOISES)
def test_nor_where_nearly_all_records_are_in_the_sample(noise):
    step = hs.Gaussian(noise)
    once, often = step.poisson_sampled(1 - 1e-12), step.poisson_sampled(1 - 1e-6)
    compared(1 * once, 1 * step, ["replace-special"])
    quick = [one for one in QUESTIONS if not one.method.startswith(("tr", "rec"))]
    compared(30 * often, 30 * step, ["replace-special"], quick)


@pytest.mark.parametrize("noise", [0.055, 2.0])
def test_nor_where_all_but_few_steps_are_the_records_own(noise):
    step = hs.Gaussian(noise)
    size = {"batch_size": 999, "dataset_size": 1000}
    compared(2 * step.random_allocation(steps=2), 2 * step, ["remove-one"], QUESTIONS[::2])
    for scheme in (step.fixed_size_sampled(**size), step.shuffled(batches=2)):
        compared(2 * scheme, 2 * step, ["replace-one"], QUESTIONS[::2])


@pytest.mark.parametrize("noise", [0.005, 0.02, 0.3])
def test_nor_by_the_tolerance_of_large_losses(noise):
    step = hs.Laplace(noise)
    compared(3 * step.poisson_sampled(0.5), 3 * step, ["remove-one"], QUESTIONS[::2])


def test_nor_in_parts_of_the_data():
    step = hs.Gaussian(0.3)
    parts = hs.parallel(5 * step.poisson_sampled(1 - 1e-9), 3 * step.random_allocation(steps=2))
    compared(parts, hs.parallel(5 * step, 3 * step), ["remove-one"], QUESTIONS[::2])
    exact = hs.parallel(5 * step.poisson_sampled(1 - 1e-9), 4 * step.poisson_sampled(0.9))
    compared(exact, hs.parallel(5 * step, 4 * step), ["remove-one"], QUESTIONS[::2])


@pytest.mark.parametrize("noise", [0.05, 2.0])
def test_nor_if_all_of_a_batch_is_one_record(noise):
    step = hs.Gaussian(noise)
    drawn = step.fixed_size_sampled(batch_size=3, dataset_size=3, replacement=True)
    compared(2 * drawn, 18 * step, ["replace-one"], QUESTIONS[::3])


def test_of_two_groups_that_come_back_half_of_the_time_an_end_is_finite():
    run = 10**8 * hs.Gaussian(0.0015).poisson_sampled(0.5).group(2)
    with pytest.raises(hs.CertificationError) as refused:
        run.epsilon(1e-5)
    assert refused.value.bounds.upper <= (10**8 * hs.Gaussian(0.0015).group(2)).epsilon(1e-5)


def test_the_best_of_a_fixed_number_is_known_from_all_of_them():
    noise = hs.DiscreteLaplace(parameter=1.66)
    best = 1 * hs.best_of(noise, runs="fixed", mean=436)
    for adjacency in ("add-or-remove-one", "replace-one"):
        for delta in (1e-300, 1e-5, 0.1):
            ends = corners.Question("epsilon_bounds", (delta,)).ends(best, adjacency)
            assert ends.upper <= (436 * noise).epsilon(delta, adjacency=adjacency)


def test_epsilon_is_known_next_to_a_delta_of_1():
    for adjacency in ("add-or-remove-one", "replace-one"):
        run = 30 * hs.Gaussian(0.001).poisson_sampled(0.7)
        bounds = run.epsilon_bounds(1 - 1e-12, adjacency=adjacency)
        assert bounds.upper <= bounds.lower * (1 + 1e-3)


def test_no_divergence_is_above_the_largest_loss():
    run = 5 * hs.Gaussian(0.002).poisson_sampled(0.1)
    for order in (1.0, 64.0, 7e3):
        ends = corners.Question("renyi_divergence_bounds", (order,)).ends(run, "add-one")
        assert ends.upper <= run.epsilon(0.0, adjacency="add-one") * (1 + 1e-12)


def test_misses_of_nearly_all_alarms_are_no_fewer_than_of_the_step():
    step, rates = hs.Gaussian(8.88), [0.5, 1 - 1e-9]
    sampled = (1 * step.poisson_sampled(0.5)).tradeoff_bounds(rates).lower
    assert all(sampled >= (1 * step).tradeoff_bounds(rates).lower)


def test_tiny_rates_of_hardly_any_information_are_no_worse_than_of_the_step():
    step = hs.Gaussian(7e9)
    for rate in (1e-300, 1e-9, 0.5):
        for adjacency in ("remove-one", "replace-one"):
            sampled = (1 * step.poisson_sampled(0.12)).true_positive_rate_bounds(
                rate, adjacency=adjacency
            )
            best = (1 * step).true_positive_rate_bounds(rate, adjacency=adjacency)
            assert sampled.upper <= best.upper * (1 + corners.ROUNDING)
