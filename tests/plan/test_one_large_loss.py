# SPDX-License-Identifier: Apache-2.0
"""Plans of bounds by the number of large losses."""

import itertools
import math

import pytest

import hockeystick as hs
from hockeystick import _core
from plan.plans import terms

parts = _core.large_loss


def sampled(noise, rate):
    return hs.Gaussian(noise_multiplier=noise).poisson_sampled(rate)


@pytest.mark.parametrize(
    ("noise", "rate", "count", "epsilon"),
    [(1.0, 1e-6, 100, 1.0), (1.0, 1e-4, 504, 1.0), (2.9, 4e-4, 2, 0.1), (0.6, 3e-6, 47, 4.0)],
)
def test_delta_and_its_fall_are_near_the_answers(noise, rate, count, epsilon):
    run = terms(sampled(noise, rate), count)
    threshold, _, deviation, fall, delta, missed = parts.plan(run, epsilon)
    found = [
        _core.delta_bounds([run], [at], tolerance=1e-3, memory_limit=1 << 28)[0].upper
        for at in (epsilon, epsilon * 1.001)
    ]
    assert delta == pytest.approx(found[0], rel=0.02)
    assert found[1] / found[0] == pytest.approx(1 - 0.001 * epsilon * fall, abs=2e-3)
    assert threshold < epsilon
    assert fall * deviation < 0.2
    assert missed < 1e-5


@pytest.mark.parametrize(
    ("step", "count"),
    [(hs.Gaussian(noise_multiplier=1.0), 30), (sampled(1.0, 0.1), 3000), (hs.Laplace(3.0), 5)],
    ids=str,
)
def test_where_many_losses_decide_there_is_none(step, count):
    assert parts.plan(terms(step, count), 1.0) is None


def test_the_curve_is_wanted_next_to_the_centre():
    losses = parts.large_losses(
        1.0, threshold=0.4, centre=0.01, deviation=0.02, rate=10.0, tolerance=1e-4
    )
    assert losses[0] == 0.4
    assert losses[-1] == pytest.approx(0.99 + 0.5)
    widths = [b - a for a, b in itertools.pairwise(losses)]
    assert min(widths) > 0
    near = [b - a for a, b in itertools.pairwise(losses) if abs(a - 0.99) < 0.1]
    assert max(near) <= 2 * (0.4e-4**0.5) / 10


@pytest.mark.parametrize("form", ["remove", "add", "replace"])
def test_cells_of_small_losses_begin_where_few_are_lower(form):
    pair = _core.dominating_pair(f"poisson_gaussian_{form}", (1.0, 0.01))
    edges = parts.small_losses(pair, threshold=0.3, rare=1e-9, fineness=4)
    assert edges[-1] == 0.3
    assert all(a < b for a, b in itertools.pairwise(edges))
    cells = pair.integrate(edges)
    assert cells.lower_tail_p <= 1e-8


def test_a_loss_far_beyond_epsilon_leaves_tilts_that_begin_above_zero():
    """delta does not fall there: tilts that began at a rate of 0 were doubled without end."""
    q = 1e-9 * 2.718281828459045**-200
    far = [(_core.dominating_pair("discrete_pair", (1 - 1e-9, 1e-9, 1 - q, q)), 9)]
    for epsilon in (1.0, 50.0):
        threshold, _, _, rate, delta, _ = parts.plan(far, epsilon)
        assert rate * epsilon >= 0.099
        assert threshold < epsilon
        assert delta == pytest.approx(9e-9, rel=1e-6)
        lower, upper = parts.tail(far, epsilon)
        assert lower <= -math.expm1(9 * math.log1p(-1e-9)) <= upper


@pytest.mark.parametrize("tail", [False, True])
def test_what_knots_cost_is_forecast_and_kept_to(tail):
    run = terms(sampled(1.0, 1e-4), 504)
    coarse, fine = (parts.cost(run, 1.0, tolerance=at, tail=tail) for at in (1e-3, 1e-6))
    assert fine > 5 * coarse
    if tail:
        assert fine > 100 * coarse  # a tail needs knots by the tolerance, not by its root
        before = _core.work.taken()
        assert _core.work.within(coarse / 2, lambda: parts.tail(run, 1.0)) == (0.0, 1.0)
        assert _core.work.taken() == before
        lower, upper = _core.work.within(20 * coarse, lambda: parts.tail(run, 1.0))
        assert 0 < lower <= upper < 1.01 * lower
