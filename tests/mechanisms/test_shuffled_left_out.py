# SPDX-License-Identifier: Apache-2.0
"""Epochs that leave a record out: how much can be proved, and between what it lies."""

import random
from functools import partial

import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core
from hockeystick.mechanisms._enclosed import Accuracy
from mechanisms import shuffles
from mechanisms.shuffles import SPECIAL

above = partial(shuffles.above, "left_out")


@pytest.mark.parametrize(
    ("noise", "batches", "runs", "most"),
    [
        (4.0, 1000, 1, 0.037),
        (4.0, 100, 1, 0.131),
        (2.0, 1000, 1, 0.144),
        (2.0, 100, 1, 0.77),
        (1.0, 1000, 1, 3.85),
        (4.0, 1000, 10, 0.127),
        (4.0, 1000, 100, 0.433),
        (4.0, 100, 10, 0.43),
        (2.0, 100, 100, 4.88),
    ],
)
def test_what_a_left_out_record_is_worth(noise, batches, runs, most):
    epoch = hs.Gaussian(noise).shuffled(batches=batches, left_out=1)
    bounds = (runs * epoch).epsilon_bounds(1e-6, **SPECIAL)
    assert 0.6 * bounds.upper < bounds.lower < bounds.upper <= most
    assert bounds.limited_by == "theory"


@pytest.mark.parametrize(("noise", "batches"), [(4.0, 50), (2.0, 7), (1.0, 3)])
def test_above_a_random_allocation(noise, batches):
    shuffles.check_above_a_random_allocation(noise, batches, above)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0])
@pytest.mark.parametrize(("size", "left_out"), [(1, 9), (1, 1), (50, 1), (9, 1)])
def test_one_batch_is_above_a_batch_of_fixed_size(noise, size, left_out, back):
    """Which is known; the record is drawn with the same probability."""
    batch = hs.Gaussian(noise).fixed_size_sampled(batch_size=size, dataset_size=size + left_out)
    way = list(hs.Adjacency.REPLACE_SPECIAL.directions)[back]
    delta = above(noise, 1, left_out, size, back=float(back))
    for attained in batch.pairs_below(way, Accuracy(24, 1e-12)):
        for epsilon in (0.0, 0.05, 0.3, 1.0, 2.0, 4.0):
            assert attained.delta_above([epsilon])[0] <= delta(epsilon) + 1e-9


def test_both_directions_reflect_each_other():
    shuffles.check_reflection(above(2.0, 20, 3, 5), above(2.0, 20, 3, 5, back=1.0), 1e-3)


def test_more_left_out_and_more_batches_cost_less():
    """The sizes tell how much is left out; without them the bounds hold for each."""
    step = hs.Gaussian(3.0)

    def ends(**given):
        return step.shuffled(**given).epsilon_bounds(1e-6, **SPECIAL)

    unknown = ends(batches=20, left_out=10)
    known = [ends(batches=20, left_out=10, batch_size=m) for m in (1, 10, 1000, 10**12)]
    assert [one.upper for one in known] == sorted(one.upper for one in known)
    assert all(one.upper <= unknown.upper * (1 + 1e-3) for one in known)
    assert all(one.lower >= unknown.lower * (1 - 1e-9) for one in known)
    uppers = [ends(batches=b, left_out=1).upper for b in (2, 10, 100, 1000, 10**6, 10**12)]
    assert uppers == sorted(uppers, reverse=True)


def test_moments_are_at_most_those_of_the_own_step():
    """At moderate orders far less, by the curve; at large ones the same, by the step itself."""
    epoch = hs.Gaussian(2.0).shuffled(batches=100, left_out=1)
    for order, most in ((4.0, 0.05), (16.0, 1 + 1e-9)):
        bounds = epoch.renyi_divergence_bounds(order, **SPECIAL)
        own = hs.Gaussian(2.0).renyi_divergence_bounds(order, **SPECIAL)
        assert 0 < bounds.lower < bounds.upper <= most * own.upper


def test_the_record_joins_as_often_as_it_is_not_left_out():
    """Rounded down, in the pairs below."""
    rng = random.Random(4)
    for _ in range(200):
        batches, left, size = (rng.randrange(1, 10 ** rng.randrange(1, 12)) for _ in range(3))
        epoch = hs.Gaussian(3.0).shuffled(batches=batches, left_out=left, batch_size=size)
        way = list(hs.Direction).index(hs.Adjacency.REPLACE_SPECIAL.directions[0])
        for _, (*_, joins), _ in _core.parts.enclosing_names(epoch, way, 24.0, 1e-9, False):
            exact = arb(batches * size) / (batches * size + left)
            assert arb(joins) <= exact
            assert exact - arb(joins) <= exact * 2.0**-44


def test_any_tolerance_asks_for_the_same_cells():
    """So that questions share the curve; twice as many help little, and theory leaves more."""
    epoch = hs.Gaussian(3.0).shuffled(batches=9, left_out=1)
    way = list(hs.Direction).index(hs.Adjacency.REPLACE_SPECIAL.directions[0])
    for cells in (12.0, 2000.0):
        ((name, (*_, used, _, _), _),) = _core.parts.enclosing_names(epoch, way, cells, 1e-9, True)
        assert name == "shuffled_left_out_above"
        assert used == 24
