# SPDX-License-Identifier: Apache-2.0
"""Copies of a distribution are itself, and pickles make it again to the last bit."""

import pickle

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import Adjacency

STEP = hs.Gaussian(noise_multiplier=2.0).poisson_sampled(0.1)
RUN = 20 * STEP + 3 * hs.ApproximateDP(epsilon=0.1, delta=1e-7)
GRID = 2.0**-8
MADE = {
    "upper": RUN.pld(discretization_interval=GRID),
    "lower": RUN.pld(discretization_interval=GRID, side="lower"),
    "mechanism": STEP.pld(discretization_interval=GRID),
    "buckets": RUN.pld(discretization_interval=GRID, estimator="privacy_buckets"),
    "algorithm 2": RUN.pld(discretization_interval=GRID, estimator="algorithm_2", side="lower"),
    "replace": RUN.pld(discretization_interval=GRID, adjacency=Adjacency.REPLACE_ONE),
    "one way": RUN.pld(discretization_interval=GRID, adjacency=Adjacency.ADD_ONE),
    "wide": RUN.pld(discretization_interval=GRID, tail_mass=1e-6, memory_limit=2**28),
    "support": STEP.pld(discretization_interval=GRID, support=np.arange(-999, 999) * GRID),
    "reflected": RUN.pld(discretization_interval=GRID).reflected(),
    "twice": RUN.pld(discretization_interval=GRID).reflected().reflected(),
    "second": RUN.pld(discretization_interval=GRID).reflected().directions[1].reflected(),
    "nothing": hs.Composition().pld(discretization_interval=GRID),
}
FIELDS = (
    *("side", "interval", "first", "infinity_mass", "reverse_infinity_mass", "slack"),
    "loss_error",
)


@pytest.mark.parametrize("protocol", [0, pickle.HIGHEST_PROTOCOL])
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_a_pickle_answers_with_the_same_bits(made, protocol):
    again = pickle.loads(pickle.dumps(made, protocol))  # noqa: S301
    assert len(again._pmfs) == len(made._pmfs)
    for ours, theirs in zip(again._pmfs, made._pmfs, strict=True):
        assert [getattr(ours, name) for name in FIELDS] == [getattr(theirs, n) for n in FIELDS]
        assert ours.mass.tobytes() == theirs.mass.tobytes()
    epsilons, deltas = np.linspace(0, 3, 31), np.logspace(-6, -1, 31)
    assert again.delta(epsilons).tobytes() == made.delta(epsilons).tobytes()
    assert again.epsilon(deltas).tobytes() == made.epsilon(deltas).tobytes()
    assert (again.slack, again.loss_error) == (made.slack, made.loss_error)
    assert pickle.dumps(again, protocol) == pickle.dumps(made, protocol)


def test_a_support_may_be_changed_afterwards():
    support = np.arange(-50, 50) / 16
    made = STEP.pld(discretization_interval=1 / 16, support=support)
    support[:] = 7
    again = pickle.loads(pickle.dumps(made))  # noqa: S301
    assert again.probabilities.tobytes() == made.probabilities.tobytes()


def test_a_pickle_holds_no_masses():
    made = RUN.pld()
    assert len(pickle.dumps(made)) < 2000 < made.probabilities.nbytes
