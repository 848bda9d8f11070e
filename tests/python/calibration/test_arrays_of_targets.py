# SPDX-License-Identifier: Apache-2.0
"""Many targets in one call: each is met as if it were the only one, at less cost."""

import numpy as np
import pytest

import hockeystick as hs

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)


def noise(sigma):
    return 10_000 * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(0.01)


def steps(count):
    return count * STEP


def test_each_target_of_a_grid_is_met(asked):
    epsilons, deltas = np.array([[0.3], [1.0], [8.0], [2.0]]), np.array([1e-5, 1e-9, 1e-6])
    found = hs.calibrate(noise, epsilon=epsilons, delta=deltas)
    assert found.shape == (4, 3)
    assert found.dtype == np.float64
    assert len(asked) <= 4 * found.size
    for index, sigma in np.ndenumerate(found):
        target, delta = epsilons[index[0], 0], deltas[index[1]]
        assert (1 - 1e-3) * target < noise(sigma).epsilon(delta) <= target


def test_neighbouring_targets_share_their_work(asked):
    targets = np.geomspace(0.1, 10, 60)
    found = hs.calibrate(noise, epsilon=targets, delta=1e-5)
    assert len(asked) <= 2.2 * len(targets)
    assert (np.diff(found) < 0).all()
    spent = hs.dpsgd_epsilon(
        noise_multiplier=found, sampling_probability=0.01, steps=10_000, delta=1e-5
    )
    assert (spent <= targets).all()
    assert (spent > (1 - 1e-3) * targets).all()


def test_whole_numbers_are_those_of_single_targets():
    epsilons, deltas = [2.0, 0.5, 1.0], [[1e-5], [1e-7]]
    found = hs.calibrate(steps, epsilon=epsilons, delta=deltas)
    assert found.dtype == np.int64
    alone = [[hs.calibrate(steps, epsilon=e, delta=d) for e in epsilons] for (d,) in deltas]
    assert found.tolist() == alone


def test_ends_of_the_domain_are_answers_too():
    found = hs.calibrate(noise, epsilon=[0.01, 1.0, 50.0, 60.0], delta=1e-5, bounds=(0.9, 2000))
    assert found[2:].tolist() == [0.9, 0.9]
    assert (noise(found[0]).epsilon(1e-5), noise(found[1]).epsilon(1e-5)) <= (0.01, 1.0)
    assert found[0] > found[1] > 0.9


@pytest.mark.parametrize(
    ("target", "cost"),
    [
        ({"advantage": [0.05, 0.3, 0.9]}, lambda run: run.advantage()),
        ({"tpr": [0.05, 0.2, 0.5], "fpr": 0.01}, lambda run: run.true_positive_rate(0.01)),
        ({"rho": [0.01, 0.1, 1.0]}, lambda run: run.zcdp()),
    ],
    ids=["advantage", "tpr", "rho"],
)
def test_other_targets(target, cost):
    found = hs.calibrate(noise, **target)
    (wanted, *_) = target.values()
    for sigma, most in zip(found, wanted, strict=True):
        assert 0.99 * most < cost(noise(sigma)) <= most
