# SPDX-License-Identifier: Apache-2.0
"""Many questions in one call share transforms: each answer is as good as one asked for alone."""

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction
from rare_runs import sampled

MEMORY = 1 << 30
RUNS = {
    "laplace": [(hs.Laplace(noise_multiplier=10.0), 100)],
    "sampled laplace": [(hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.01), 300)],
    "discrete": [(hs.DiscreteGaussian(sigma=5.0, sensitivity=1), 40)],
    "mixed": [
        (hs.Gaussian(noise_multiplier=3.0), 2),
        (hs.DiscreteLaplace(parameter=0.5, sensitivity=1), 20),
        (hs.ApproximateDP(epsilon=0.01, delta=1e-9), 30),
    ],
}
QUERIES = {
    "delta": (_core.delta_bounds, np.linspace(0.0, 5.0, 120)),
    "epsilon": (_core.epsilon_bounds, np.geomspace(0.3, 1e-30, 120)),
}


def directions(name):
    ways = (Direction.REMOVE, Direction.ADD)
    return [[(m.dominating_pair(way), count) for m, count in RUNS[name]] for way in ways]


def ask(query, terms, values, *, tolerance=1e-3, memory=MEMORY, method=""):
    function = QUERIES[query][0]
    return function(terms, values, tolerance=tolerance, memory_limit=memory, method=method)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("query", QUERIES)
def test_shared_answers_are_as_good_as_those_asked_alone(query, name):
    values = QUERIES[query][1].copy()
    np.random.default_rng(3).shuffle(values)
    terms = directions(name)
    together = ask(query, terms, values)
    for value, shared in list(zip(values, together, strict=True))[::7]:
        (alone,) = ask(query, terms, [value])
        assert shared.converged or not alone.converged
        assert shared.lower <= alone.upper
        assert alone.lower <= shared.upper
        if shared.converged and shared.lower < shared.upper:
            assert shared.upper - shared.lower <= 1e-3 * shared.upper or shared.upper <= 1e-300


@pytest.mark.parametrize("query", QUERIES)
def test_few_transforms_serve_many_questions(query):
    together = ask(query, directions("laplace"), QUERIES[query][1])
    assert {answer.method for answer in together} <= {"fft_composition", ""}
    grids = {(a.interval, a.tilt, a.size) for a in together if a.method}
    assert len(grids) <= 12


def test_memory_that_serves_one_question_serves_many():
    """What waits for more questions takes none that one question needs."""
    terms = directions("laplace")
    values = [1.0, 1.01]

    def each_alone(memory):
        return all(ask("delta", terms, [value], memory=memory)[0].converged for value in values)

    enough = next(limit for limit in (1 << k for k in range(12, 31)) if each_alone(limit))
    assert not each_alone(enough // 2)
    assert all(answer.converged for answer in ask("delta", terms, values, memory=enough))


def test_beyond_delta_that_is_as_good_as_nothing_nothing_is_asked():
    run = 2000 * hs.Laplace(noise_multiplier=1000.0)
    lower, upper = run.delta_bounds(np.linspace(1.8, 1.99, 20))
    assert (lower == 0).all()
    assert (upper <= 1e-300).all()
    assert (np.diff(upper) <= 0).all()


def test_an_atom_on_the_grid_keeps_its_place_from_below():
    """Else it would move down a whole interval, and one pass would not do."""
    pair = hs.Laplace(noise_multiplier=2.0).dominating_pair(Direction.REMOVE)
    for tolerance in (1e-3, 1e-5):
        (answer,) = ask("epsilon", [[(pair, 50)]], [1e-6], tolerance=tolerance)
        assert answer.converged
        assert answer.passes == 1


NINE = [0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    "run",
    [
        2 * sampled(3.0953828112592188, 0.0026912007729100666),
        2 * sampled(3.969340491253333, 1.826550921105247e-05),
    ],
)
def test_a_few_deltas_of_rare_samples_are_answered_together(run):
    found = run.delta_bounds(NINE)
    small = found.upper <= 1e-30
    assert np.all(small | (found.upper - found.lower <= 1e-3 * found.upper))


@pytest.mark.parametrize("run", [646 * sampled(6.1053, 0.0040263), 3 * sampled(3.3548, 9.0832e-4)])
def test_a_few_deltas_cost_no_more_than_each_alone(run):
    terms = [run._pairs(way)[0] for way in (Direction.REMOVE, Direction.ADD)]
    limits = {"tolerance": 1e-3, "memory_limit": MEMORY, "smallest": 1e-30}
    together = _core.delta_bounds(terms, NINE, **limits)
    alone = [_core.delta_bounds(terms, [epsilon], **limits)[0] for epsilon in NINE]
    assert sum(a.passes for a in together) <= sum(a.passes for a in alone)


def test_deltas_beyond_one_below_the_smallest_of_interest_are_answers():
    run = 10 * sampled(2.0, 1e-4)
    (terms,) = run._pairs(Direction.REMOVE)
    found = _core.delta_bounds(
        [terms], np.linspace(0.5, 60, 40), tolerance=1e-3, memory_limit=MEMORY, smallest=1e-30
    )
    last = [a for a in found if a.upper <= 1e-30]
    assert len(last) > 30
    assert all(a.converged for a in last)
    assert len({a.upper for a in last}) == 1


def test_a_direction_that_cannot_matter_is_not_told_apart():
    step = hs.Gaussian(noise_multiplier=0.0949).poisson_sampled(0.0356)
    ways = [[(step.dominating_pair(way), 636)] for way in (Direction.REMOVE, Direction.ADD)]

    def work(directions):
        before = _core.work.taken()
        (answer,) = ask("epsilon", directions, [1 - 1.07e-8])
        assert answer.lower > 70 or directions == ways[1:]
        return _core.work.taken() - before

    assert work(ways) <= 1.25 * work(ways[:1])
