# SPDX-License-Identifier: Apache-2.0
"""Pairs above and below random allocations, against all outcomes of few steps, in balls."""

import contextlib
import itertools
import math
import random

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction
from questions import told

SIDES = list(itertools.product((True, False), (True, False)))
sides = pytest.mark.parametrize(("above", "back"), SIDES)


def curve(p, q, steps, alpha, back):
    """The curve at alpha of the mean over places of p there and q elsewhere, or of its reverse."""
    finite = [k for k, mass in enumerate(q) if mass > 0]
    total = arb(0) if back else 1 - sum((p[k] for k in finite), arb(0))
    for chosen in itertools.combinations_with_replacement(finite, steps):
        ways, mass, ratio = arb(math.factorial(steps)), arb(1), arb(0)
        for one in set(chosen):
            ways /= math.factorial(chosen.count(one))
        for one in chosen:
            mass, ratio = mass * q[one], ratio + p[one] / q[one] / steps
        gain = 1 - alpha * ratio if back else ratio - alpha
        total += ways * mass * gain if gain > 0 else 0
    return total


def check(pair, p, q, steps, *, above, back, losses):
    """The pair's curve is on its side at each loss, its own errors taken for it."""
    for loss in losses:
        cells = pair.integrate(np.array([loss]))
        with ctx.workprec(160):
            sign = 1 if above else -1
            alpha = (arb(loss) + sign * arb(cells.loss_error)).exp()
            error = 1 + sign * arb(cells.share_error)
            truth = curve(p, q, steps, alpha, back)
            if above:
                assert not arb(cells.upper_tail_above) * error + cells.infinity_mass < truth
            else:
                value = arb(cells.upper_tail_above) * error + cells.infinity_mass_lower
                assert not value > truth


def masses(rng, n):
    """Distributions on n outcomes as doubles of few bits, so that their sums are exact."""
    cuts = sorted(rng.randrange(0, 2**20 + 1) for _ in range(n - 1))
    if rng.random() < 0.3:
        cuts = [cut // 2**18 * 2**18 for cut in cuts]  # also outcomes that never happen
    return [(b - a) / 2**20 for a, b in itertools.pairwise([0, *cuts, 2**20])]


@sides
@pytest.mark.parametrize("steps", [1, 2, 3, 5])
def test_all_outcomes_of_a_discrete_pair(above, back, steps):
    rng = random.Random(f"{above} {back} {steps}")
    for _ in range(40):
        n = rng.choice([1, 2, 2, 3, 4])
        p, q = masses(rng, n), masses(rng, n)
        direction = Direction.ADD if back else Direction.REMOVE
        step = hs.DiscretePair(p=p, q=q).dominating_pair(direction)
        cells, tail = rng.choice([1, 5, 30]), rng.choice([1e-40, 1e-12, 1e-3])
        pair = _core.parts.allocated_pair(step, steps, cells, tail, above=above, back=back)
        exact = [[arb(mass) for mass in of] for of in (p, q)]
        losses = [rng.gauss(0, 1.5) for _ in range(3)]
        ratios = [(p[k] / q[k]) for k in range(n) if p[k] > 0 and q[k] > 0]
        losses += (
            [math.log(sum(rng.choice(ratios) for _ in range(steps)) / steps)] if ratios else []
        )
        check(pair, *exact, steps, above=above, back=back, losses=[*losses, 0.0])


@pytest.mark.parametrize("back", [False, True])
def test_both_sides_close(back):
    """Also where P or Q never happens: 2 % are left at kinks, most is far closer."""
    rng = random.Random(f"close {back}")
    direction = Direction.ADD if back else Direction.REMOVE
    for _ in range(60):
        n, steps = rng.choice([2, 3, 4]), rng.choice([1, 2, 3, 5])
        step = hs.DiscretePair(p=masses(rng, n), q=masses(rng, n)).dominating_pair(direction)
        pairs = [
            _core.parts.allocated_pair(step, steps, 72, 1e-12, above=above, back=back)
            for above in (False, True)
        ]
        for loss in (0.0, rng.gauss(0, 1), rng.uniform(0, 3)):
            below, above = (pair.integrate(np.array([loss])) for pair in pairs)
            lower = below.upper_tail_above + below.infinity_mass_lower
            upper = above.upper_tail_above + above.infinity_mass
            assert lower <= upper <= 1.02 * lower + 1e-6


@sides
def test_far_losses_and_small_masses(above, back):
    """Relatively, out to where the curve ends: P-masses of 1e-30, losses of 60, and P = Q."""
    tiny = 2.0**-100
    for p, q in (
        ([1 - 2**-40, 2**-40], [2**-40, 1 - 2**-40]),
        ([0.5, 0.5 - tiny, tiny], [0.5, 0.5, 0.0]),
        ([1.0, tiny], [1.0, tiny * 2**-90]),
        ([1.0], [1.0]),
        ([1.0, 0.0], [0.0, 1.0]),
    ):
        direction = Direction.ADD if back else Direction.REMOVE
        step = hs.DiscretePair(p=p, q=q).dominating_pair(direction)
        with ctx.workprec(300):
            exact = [[arb(mass) / sum(map(arb, of)) for mass in of] for of in (p, q)]
            for steps in (2, 4):
                pair = _core.parts.allocated_pair(step, steps, 40, 1e-50, above=above, back=back)
                losses = [0.0, 0.5, 5.0, 26.0, 50.0, 61.0]
                check(pair, *exact, steps, above=above, back=back, losses=losses)


@sides
def test_deltas_of_1e_300(above, back):
    """Rare outcomes, of which up to all t must happen: deltas from 1e-3 to below what is told."""
    rng = random.Random(f"small {above} {back}")
    for _ in range(12):
        small = 10 ** rng.uniform(-320, -30)
        p, q = [1 - 2**-10, 2**-10, small], [1 - 2**-12, 2**-12, small * 2.0**-20]
        direction = Direction.ADD if back else Direction.REMOVE
        step = hs.DiscretePair(p=p, q=q).dominating_pair(direction)
        with ctx.workprec(1300):
            exact = [[arb(mass) / sum(map(arb, of)) for mass in of] for of in (p, q)]
            for steps in (1, 2, 5):
                pair = _core.parts.allocated_pair(step, steps, 40, 1e-303, above=above, back=back)
                check(pair, *exact, steps, above=above, back=back, losses=[0.0, 0.1, 1.0, 8.0])


def two_outcomes(p, q, steps, alpha, back):
    """As `curve`, of outcomes with ratios p / q and (1 - p) / (1 - q), by binomial masses."""
    high, low, total = arb(p) / q, (1 - arb(p)) / (1 - arb(q)), arb(0)
    mass = (1 - arb(q)) ** steps
    for k in range(steps + 1):
        ratio = (k * high + (steps - k) * low) / steps
        gain = 1 - alpha * ratio if back else ratio - alpha
        total += mass * gain if gain > 0 else 0
        mass *= (steps - k) * arb(q) / ((k + 1) * (1 - arb(q)))
    return total


@sides
@pytest.mark.every(5)
@pytest.mark.parametrize("steps", [6, 7, 37, 64, 100, 255, 1000, 1023, 2000, 4097])
def test_many_steps_of_two_outcomes(above, back, steps):
    rng = random.Random(f"{above} {back} {steps}")
    direction = Direction.ADD if back else Direction.REMOVE
    for _ in range(4):
        p, q = (rng.randrange(1, 2**16) / 2**16 for _ in range(2))
        if rng.random() < 0.3:
            q *= 2.0 ** -rng.randrange(1, 20)
        step = hs.DiscretePair(p=[p, 1 - p], q=[q, 1 - q]).dominating_pair(direction)
        cells = rng.choice([3, 24, 72])
        pair = _core.parts.allocated_pair(step, steps, cells, 1e-60, above=above, back=back)
        spread = math.sqrt((p - q) ** 2 / (q * (1 - q) * steps))
        for loss in (0.0, min(spread, 3.0) * rng.uniform(-1, 3), 4 * spread, 7 * spread):
            found = pair.integrate(np.array([loss]))
            with ctx.workprec(300):
                sign = 1 if above else -1
                alpha = (arb(loss) + sign * arb(found.loss_error)).exp()
                truth = two_outcomes(p, q, steps, alpha, back)
                value = arb(found.upper_tail_above) * (1 + sign * arb(found.share_error))
                if above:
                    assert not value + found.infinity_mass < truth
                else:
                    assert not value + found.infinity_mass_lower > truth


def test_requests_out_of_range_are_refused():
    step = hs.Laplace(noise_multiplier=1.0).dominating_pair(Direction.REMOVE)
    good = {"steps": 2.0, "cells": 100.0, "tail": 1e-9}
    wrong = {"steps": (0.0, 2.5, 1e13, math.nan), "cells": (0.9, 10001.0), "tail": (0.0, 1.0)}
    for name, values in wrong.items():
        for bad in values:
            given = (good | {name: bad}).values()
            with pytest.raises(ValueError, match=f"^{name} must be"):
                _core.parts.allocated_pair(step, *given, above=True, back=False)


@pytest.mark.every(4)
@pytest.mark.parametrize("direction", ["remove-one", "add-one"])
@pytest.mark.parametrize("failure", [7.9e-319, 1e-310, 1e-120, 1e-50, 1e-20, 1e-17])
@pytest.mark.parametrize("epsilon", [0.0, 1e-30, 1e-17])
def test_steps_of_losses_below_rounding(epsilon, failure, direction):
    """Of three steps delta(0) is that of one, at most; the losses may be too small for any grid."""
    step = hs.ApproximateDP(epsilon, failure)
    run, most = step.random_allocation(steps=3), step.delta(0.0)
    found = told(run.delta_bounds, 0.0, adjacency=direction, tolerance=0.5)
    assert found.lower <= most <= 1e-16
    assert found.lower <= found.upper <= 1e-13
    with contextlib.suppress(hs.CertificationError):
        run.epsilon_bounds(1e-300, adjacency=direction)  # ends, also where the answer is subnormal


# Errors that a pair may state, of mass, share, share of p, loss and edge, each far above rounding.
STATED = [
    (1e-3, 0.0, 0.0, 0.0, 0.0),
    (0.0, 1e-3, 0.0, 0.0, 0.0),
    (0.0, 0.0, 1e-3, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1e-3, 0.0),
    (0.0, 0.0, 0.0, 0.0, 1e-3),
]


NORMAL = hs.Gaussian(0.8)


def rough_and_exact(base, errors, infinite=(0.0, 0.0), *, above, back):
    """One step in cells, as it is and with errors that it states."""
    direction = Direction.ADD if back else Direction.REMOVE
    step = base.dominating_pair(direction)
    for stated, ends in ((errors, infinite), ((0.0,) * 5, (0.0, 0.0))):
        rough = _core.sampling.rough_pair(step, errors=stated, infinite=ends)
        yield _core.parts.allocated_pair(rough, 1, 20, 1e-3, above=above, back=back)


def grid(back):
    """The last edge of the step in cells, and their width."""
    exact = list(rough_and_exact(NORMAL, (0.0,) * 5, above=True, back=back))[1]
    losses = [loss for loss, _ in _core.sampling.atoms_of(exact)]
    return losses[-1], losses[-40] - losses[-41]


def booked(errors, back):
    """By how much values are moved, and masses changed, relatively."""
    _, spacing = grid(back)
    mass, share, share_p, loss, edge = errors
    shares = 2 * (share * math.expm1(spacing) + share_p)
    value = shares + 1.01 * loss + 8 * edge
    masses = mass if back else 1.3 * mass + shares + 1.01 * (loss + edge)
    return 1.01 * value, 1.01 * (masses + value)


@sides
@pytest.mark.parametrize("errors", STATED)
def test_values_are_moved_outward_by_their_errors(above, back, errors):
    """The kinks of one step, all by the same, and their masses by what both are off by."""
    rough, exact = map(
        _core.sampling.atoms_of, rough_and_exact(NORMAL, errors, above=above, back=back)
    )
    moved, changed = booked(errors, back)
    outward = 1 if above else -1
    for k in (-60, -50, -40):
        shift, mass = rough[k][0] - exact[k][0], rough[k][1] / exact[k][1]
        assert math.expm1(shift) == pytest.approx(outward * moved, rel=1e-6, abs=1e-12)
        assert mass == pytest.approx((1 + outward * moved) * (1 + outward * changed), rel=1e-9)


@sides
def test_mass_at_infinity_is_within_its_ends(above, back):
    """What a pair states of it on the side, where no finite loss is larger."""
    p, q = ([0.5, 0.5, 0.0], [0.25, 0.5, 0.25])[:: 1 if back else -1]
    direction = Direction.ADD if back else Direction.REMOVE
    step = hs.DiscretePair(p=p, q=q).dominating_pair(direction)
    rough = _core.sampling.rough_pair(step, infinite=(0.125, 0.0625))
    pair = _core.parts.allocated_pair(rough, 1, 20, 1e-3, above=above, back=back)
    found = pair.integrate(np.array([9.0]))
    ends = found.infinity_mass_lower, found.infinity_mass
    stated = 0.3125 if above else 0.125
    assert ends[above] + found.upper_tail_above == pytest.approx(stated, rel=1e-9)


@sides
@pytest.mark.parametrize("errors", STATED)
def test_errors_of_what_lies_beyond_the_last_edge(above, back, errors):
    """Of normal noise, which no edge bounds: at the edge, and at infinity."""
    pairs = rough_and_exact(NORMAL, errors, above=above, back=back)
    rough, exact = ((pair, _core.sampling.atoms_of(pair)) for pair in pairs)
    (rough_loss, rough_mass), (loss, mass) = rough[1][-1], exact[1][-1]
    moved, changed = booked(errors, back)
    side = 1 if above else -1
    direction = Direction.ADD if back else Direction.REMOVE
    tail = NORMAL.dominating_pair(direction).integrate(np.array([grid(back)[0]]))
    error = (errors[1] + errors[2]) * tail.upper_tail_p
    if above or not back:
        factor = (1 + side * moved) * (1 + side * changed)
        assert rough_mass == pytest.approx((mass + side * error) * factor, rel=1e-6)
    else:  # at no less than its mean, which the chord to no loss shares
        assert rough_loss < loss - moved - 0.8 * math.log1p(3 * errors[0])
    if above:
        big = np.array([40.0])
        infinite = exact[0].integrate(big).infinity_mass + error
        found = rough[0].integrate(big).infinity_mass
        assert found == pytest.approx(infinite * (1 + changed), rel=1e-6)
