# SPDX-License-Identifier: Apache-2.0
"""Calibration of runs on disjoint parts: the worst part just meets the target."""

import pytest

import hockeystick as hs

GOALS = [
    {"epsilon": 1.0, "delta": 1e-6},
    {"rho": 0.1},
    {"advantage": 0.1},
    {"tpr": 0.2, "fpr": 0.1},
    {"reconstruction_risk": 0.2, "baseline": 0.1},
]


def each(sigma):
    return 3 * hs.Gaussian(sigma), hs.Laplace(3 * sigma).poisson_sampled(0.5)


def cost(run, goal):
    if "epsilon" in goal:
        return run.epsilon(goal["delta"])
    if "rho" in goal:
        return run.zcdp()
    if "advantage" in goal:
        return run.advantage()
    return run.true_positive_rate(goal.get("fpr", goal.get("baseline")))


@pytest.mark.parametrize("goal", GOALS, ids=" ".join)
def test_the_worst_part_meets_the_target(goal):
    target = next(iter(goal.values()))
    found = hs.calibrate(lambda sigma: hs.parallel(*each(sigma)), **goal)
    assert target * (1 - 2.5e-4) <= cost(hs.parallel(*each(found)), goal) <= target
    alone = max(hs.calibrate(lambda sigma, k=k: 1 * each(sigma)[k], **goal) for k in (0, 1))
    assert found == pytest.approx(alone, rel=1e-3)


@pytest.mark.parametrize("goal", GOALS, ids=" ".join)
def test_parts_that_were_spent_count(goal):
    spent, target = hs.parallel(hs.Laplace(20.0), hs.Gaussian(30.0)), next(iter(goal.values()))
    for make in (hs.Gaussian, lambda sigma: hs.parallel(*each(sigma))):
        found = hs.calibrate(make, **goal, spent=spent)
        assert target * (1 - 2.5e-4) <= cost(spent + make(found), goal) <= target


def test_counts_of_parts_that_stay_the_same():
    a, b = 50 * hs.Laplace(40.0), 4 * hs.Gaussian(5.0)

    def make(count):
        return hs.parallel(count * a, count * b)

    found = hs.calibrate(make, epsilon=8.0, delta=1e-6)
    assert make(found).epsilon(1e-6) <= 8.0 < make(found + 1).epsilon(1e-6)
    several = hs.calibrate(make, epsilon=[4.0, 8.0], delta=1e-6)
    assert several.tolist() == [hs.calibrate(make, epsilon=4.0, delta=1e-6), found]
