# SPDX-License-Identifier: Apache-2.0
"""Shuffled epochs, with all records or some left out: how much is proved, and between what."""

import random

import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core
from hockeystick.mechanisms._enclosed import Accuracy
from mechanisms import shuffles
from mechanisms.shuffles import SPECIAL, above

WORTH = [  # noise, batches, runs, records left out: epsilon at most
    (4.0, 1000, 1, 0, 0.215),
    (4.0, 100, 1, 0, 0.29),
    (2.0, 1000, 1, 0, 1.03),
    (2.0, 100, 1, 0, 1.66),
    (4.0, 1000, 10, 0, 0.72),
    (4.0, 100, 10, 0, 0.9),
    (2.0, 1000, 10, 0, 3.25),
    (2.0, 100, 10, 0, 4.0),
    (4.0, 1000, 1, 1, 0.037),
    (4.0, 100, 1, 1, 0.131),
    (2.0, 1000, 1, 1, 0.144),
    (2.0, 100, 1, 1, 0.77),
    (1.0, 1000, 1, 1, 3.85),
    (4.0, 1000, 10, 1, 0.127),
    (4.0, 1000, 100, 1, 0.433),
    (4.0, 100, 10, 1, 0.43),
    (2.0, 100, 100, 1, 4.88),
]


@pytest.mark.parametrize(("noise", "batches", "runs", "left_out", "most"), WORTH)
def test_what_a_shuffle_is_worth(noise, batches, runs, left_out, most):
    epoch = hs.Gaussian(noise).shuffled(batches=batches, left_out=left_out)
    bounds = (runs * epoch).epsilon_bounds(1e-6, **SPECIAL)
    assert 0.6 * left_out * bounds.upper < bounds.lower < bounds.upper <= most
    assert bounds.limited_by == "theory"


ALLOCATED = [("every", 4.0, 50), ("every", 2.0, 7), ("every", 1.0, 3), ("every", 1.5, 2)]
ALLOCATED += [("left_out", 4.0, 50), ("left_out", 2.0, 7), ("left_out", 1.0, 3)]


@pytest.mark.parametrize(("kind", "noise", "batches"), ALLOCATED)
def test_above_a_random_allocation(kind, noise, batches):
    def bound(noise, batches, **more):
        return above(kind, noise, batches, **more)

    shuffles.check_above_a_random_allocation(noise, batches, bound)


@pytest.mark.parametrize(
    ("kind", "sizes", "spare"), [("every", (), 1e-2), ("left_out", (3, 5), 1e-3)]
)
def test_both_directions_reflect_each_other(kind, sizes, spare):
    forth, back = (above(kind, 2.0, 20, *sizes, back=back) for back in (0.0, 1.0))
    shuffles.check_reflection(forth, back, spare)


def test_above_an_epoch_that_leaves_a_record_out():
    """The theorem about left-out records is not used, yet its bound is smaller here."""
    for noise, batches in ((4.0, 100), (2.0, 100), (4.0, 1000)):
        step = hs.Gaussian(noise)
        left, every = (step.shuffled(batches=batches, left_out=n) for n in (1, 0))
        assert left.epsilon(1e-6, **SPECIAL) < every.epsilon(1e-6, **SPECIAL)


def test_a_smaller_last_batch_costs_little():
    """Between as many equal batches and one fewer, but for what corners and cells add."""
    step = hs.Gaussian(3.0)
    fewer, more = (step.shuffled(batches=b).epsilon(1e-6, **SPECIAL) for b in (20, 21))
    for last in (1, 128, 255):
        epoch = step.shuffled(batches=21, batch_size=256, last_batch=last)
        assert 0.98 * more <= epoch.epsilon(1e-6, **SPECIAL) <= 1.03 * fewer
    alike = step.shuffled(batches=21, batch_size=256, last_batch=256)
    assert alike.epsilon(1e-6, **SPECIAL) == more


@pytest.mark.parametrize(
    ("noise", "batches", "size", "runs", "most"),
    [(8.0, 1000, 250, 1, 0.0152), (4.0, 1000, 1000, 10, 0.135), (2.0, 1000, 10_000, 1, 0.45)],
)
def test_large_batches_cost_less(noise, batches, size, runs, most):
    """Only if their size is known, all are as large, and records are shuffled anew."""
    step = hs.Gaussian(noise)
    bounds = (runs * step.shuffled(batches=batches, batch_size=size)).epsilon_bounds(
        1e-6, **SPECIAL
    )
    assert bounds.lower < bounds.upper <= most
    others = [{}, {"batch_size": 1}, {"batch_size": size, "last_batch": size - 1}]
    for more in others:
        assert (runs * step.shuffled(batches=batches, **more)).epsilon(1e-6, **SPECIAL) > 1.9 * most
    kept = [step.shuffled(batches=batches, epochs=2, **more) for more in ({"batch_size": size}, {})]
    known, unknown = (run.epsilon(1e-6, **SPECIAL) for run in kept)
    assert known == unknown


def test_large_batches_are_above_a_random_allocation():
    def large(noise, batches, **more):
        return above("every", noise, batches, size=1e4, **more)

    for noise, batches in ((4.0, 50), (2.0, 7)):
        shuffles.check_above_a_random_allocation(noise, batches, large)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0])
@pytest.mark.parametrize(("size", "left_out"), [(1, 9), (1, 1), (50, 1), (9, 1)])
def test_one_batch_is_above_a_batch_of_fixed_size(noise, size, left_out, back):
    """Which is known; the record is drawn with the same probability."""
    batch = hs.Gaussian(noise).fixed_size_sampled(batch_size=size, dataset_size=size + left_out)
    way = list(hs.Adjacency.REPLACE_SPECIAL.directions)[back]
    delta = above("left_out", noise, 1, left_out, size, back=float(back))
    for attained in batch.pairs_below(way, Accuracy(24, 1e-12)):
        for epsilon in (0.0, 0.05, 0.3, 1.0, 2.0, 4.0):
            assert attained.delta_above([epsilon])[0] <= delta(epsilon) + 1e-9


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
