# SPDX-License-Identifier: Apache-2.0
"""Very many mechanisms on Poisson subsamples have their pairs at once, as each has alone."""

from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import Adjacency, Direction, _core

MANY = 600
GAUSSIANS = [
    (hs.Gaussian(1 + k / MANY).poisson_sampled(0.01 / (1 + k / MANY)), 1 + k % 3)
    for k in range(MANY)
]
LAPLACES = [(hs.Laplace(10 + k / MANY).poisson_sampled(0.01), 1) for k in range(MANY)]
MIXTURES = [
    (
        hs.GaussianMixture(
            standard_deviation=2 + k / MANY, sensitivities=(1.0, 0.5), probabilities=(0.25, 0.75)
        ).poisson_sampled(0.01),
        1,
    )
    for k in range(MANY)
]


def one_by_one(run: hs.Composition, adjacency: Adjacency) -> list[_core.Terms]:
    return [
        _core.Terms([(one.dominating_pair(way), count) for one, count in run.terms])
        for way in adjacency.directions
    ]


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_OR_REMOVE_ONE, Adjacency.REPLACE_SPECIAL])
@pytest.mark.parametrize("terms", [GAUSSIANS, MIXTURES, LAPLACES[:2] + GAUSSIANS])
def test_many_at_once_give_the_same_bits_as_one_by_one(terms, adjacency):
    run = hs.Composition(terms)
    at_once = run._pairs(*adjacency.directions)
    ask: dict[str, Any] = {"tolerance": 1e-3, "memory_limit": 2**30}
    for found, alone in zip(at_once, one_by_one(run, adjacency), strict=True):
        answers = [
            _core.epsilon_bounds([way], np.array([1e-5]), **ask)[0] for way in (found, alone)
        ]
        assert answers[0].converged
        assert len({(answer.lower, answer.upper, answer.method) for answer in answers}) == 1


def test_directions_that_share_their_pairs_are_one():
    run = hs.Composition(GAUSSIANS)
    assert len(run._directions(Adjacency.REPLACE_ONE)) == 1
    assert len(run._directions(Adjacency.ADD_OR_REMOVE_ONE)) == 2


def test_terms_are_values():
    pair, other = (hs.Laplace(b).dominating_pair(Direction.REMOVE) for b in (1.0, 2.0))
    terms = _core.Terms([(pair, 3), (other, 1)])
    assert hash(terms) == hash(_core.Terms([(pair, 3), (other, 1)]))
    assert terms != _core.Terms([(pair, 3), (other, 2)])
    assert terms != [(pair, 3), (other, 1)]
    with pytest.raises(TypeError):
        _core.Terms([(pair, "3")])
