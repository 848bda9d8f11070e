# SPDX-License-Identifier: Apache-2.0
"""P(L > epsilon) from losses rounded to one side, summed: the transform, its window and atoms."""

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.sums import laplace_tail, tail
from hockeystick import _core


def bounds(run, epsilons, interval, **arguments):
    pmfs = (
        run.pld(
            discretization_interval=interval, side=side, estimator="privacy_buckets", **arguments
        )
        for side in ("lower", "upper")
    )
    return tuple([_core.parts.bucket_tail(pld._pmfs[0], x) for x in epsilons] for pld in pmfs)


def response_law(epsilon, delta):
    high = (1 - arb(delta)) / (1 + (-arb(epsilon)).exp())
    return [(arb(epsilon), high), (-arb(epsilon), 1 - arb(delta) - high)]


def truths(steps, epsilon, delta, points):
    with ctx.workprec(400):
        law = response_law(epsilon, delta)
        return [tail([(steps, law)], arb(point)) for point in points]


@pytest.mark.parametrize("delta", [0.0, 0.01])
@pytest.mark.parametrize("steps", [1, 9])
def test_atoms_on_the_grid_count_above_it_only(steps, delta):
    points = [0.0, 0.4999999, 0.5, 0.5000001, 3.5, 4.4, 4.5, 4.6]
    lower, upper = bounds(steps * hs.ApproximateDP(epsilon=0.5, delta=delta), points, 0.125)
    for low, high, truth in zip(lower, upper, truths(steps, 0.5, delta, points), strict=True):
        assert low <= truth.upper()
        assert truth.lower() <= high
        assert high - low <= 1e-11


@pytest.mark.parametrize("moved", [-4e-11, 4e-11])
@pytest.mark.parametrize("steps", [1, 3])
def test_losses_that_are_off_the_grid_by_little_are_counted(steps, moved):
    """So close that they are taken to be on it: asked between the two."""
    epsilon = 0.5 + moved
    points = [(2 * k - steps) * (0.5 + moved / 2) for k in range(steps + 1) if 2 * k > steps]
    lower, upper = bounds(steps * hs.ApproximateDP(epsilon=epsilon, delta=0.0), points, 0.5)
    for low, high, truth in zip(lower, upper, truths(steps, epsilon, 0.0, points), strict=True):
        assert low <= truth.upper()
        assert truth.lower() <= high
        assert high - low > 0.1


@pytest.mark.parametrize(
    ("points", "tail_mass"),
    [([0.1, 2.2, 4.2, 8.1, 20.3], 0.02), (np.arange(80, 100) * 0.5 + 0.1, 1e-60)],
    ids=["what the window cuts", "errors of the transform, larger than these tails"],
)
def test_what_is_cut_or_rounded_is_counted(points, tail_mass):
    run = 200 * hs.ApproximateDP(epsilon=0.25, delta=0.0)
    lower, upper = bounds(run, points, 0.25, tail_mass=tail_mass)
    assert upper[-1] > 0
    for low, high, truth in zip(lower, upper, truths(200, 0.25, 0.0, points), strict=True):
        assert low <= truth <= high
        assert high - low <= max(2.5 * tail_mass, 1e-10)


@pytest.mark.parametrize(
    ("points", "interval"),
    [
        ([0.0, 1.0, 2.0, 2.9999, 3.0], 2.0**-10),  # atoms keep their place
        ([0.31, 1.3, 2.7], 1e-2),
        ([0.31, 1.3, 2.7], 1e-3),
    ],
)
def test_atoms_amid_densities_are_off_by_an_interval_a_step(points, interval):
    lower, upper = bounds(6 * hs.Laplace(noise_multiplier=2.0), points, interval)
    for low, high, point in zip(lower, upper, points, strict=True):
        assert low <= laplace_tail(arb(0.5), 6, arb(point)) <= high
        assert high - low <= 6 * interval
