# SPDX-License-Identifier: Apache-2.0
"""Epochs that use every record: how much can be proved, and between what it lies."""

from functools import partial

import pytest

import hockeystick as hs
from mechanisms import shuffles
from mechanisms.shuffles import SPECIAL

above = partial(shuffles.above, "every")


@pytest.mark.parametrize(
    ("noise", "batches", "runs", "most"),
    [
        (4.0, 1000, 1, 0.215),
        (4.0, 100, 1, 0.29),
        (2.0, 1000, 1, 1.03),
        (2.0, 100, 1, 1.66),
        (4.0, 1000, 10, 0.72),
        (4.0, 100, 10, 0.9),
        (2.0, 1000, 10, 3.25),
        (2.0, 100, 10, 4.0),
    ],
)
def test_what_a_shuffle_is_worth(noise, batches, runs, most):
    epoch = hs.Gaussian(noise).shuffled(batches=batches)
    bounds = (runs * epoch).epsilon_bounds(1e-6, **SPECIAL)
    assert 0 < bounds.lower < bounds.upper <= most
    assert bounds.limited_by == "theory"


@pytest.mark.parametrize(("noise", "batches"), [(4.0, 50), (2.0, 7), (1.0, 3), (1.5, 2)])
def test_above_a_random_allocation(noise, batches):
    shuffles.check_above_a_random_allocation(noise, batches, above)


def test_above_an_epoch_that_leaves_a_record_out():
    """The theorem about left-out records is not used, yet its bound is smaller here."""
    for noise, batches in ((4.0, 100), (2.0, 100), (4.0, 1000)):
        step = hs.Gaussian(noise)
        left, every = (step.shuffled(batches=batches, left_out=n) for n in (1, 0))
        assert left.epsilon(1e-6, **SPECIAL) < every.epsilon(1e-6, **SPECIAL)


def test_both_directions_reflect_each_other():
    shuffles.check_reflection(above(2.0, 20), above(2.0, 20, back=1.0), 1e-2)


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
        return above(noise, batches, size=1e4, **more)

    for noise, batches in ((4.0, 50), (2.0, 7)):
        shuffles.check_above_a_random_allocation(noise, batches, large)
