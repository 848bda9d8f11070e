# SPDX-License-Identifier: Apache-2.0
"""Plans of bounds by the number of large losses."""

import itertools

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
