# SPDX-License-Identifier: Apache-2.0
"""Shuffled epochs: the laws of the largest batch in balls, and what the intervals must obey."""

import math
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core

U = 2.0**-53


def event(noise, batches, means, alpha, cut, joins=1.0):
    """P - alpha Q of an output whose largest batch exceeds `cut` (Chua et al. 2024).

    `joins`: the probability that the record is in a batch.
    """
    others = normal_tail(-cut) ** (batches - 1)
    beyond = [1 - normal_tail(m / noise - cut) * others for m in (*means, 0)]
    with_it, without = (arb(joins) * part + (1 - arb(joins)) * beyond[2] for part in beyond[:2])
    return with_it - alpha * without


@pytest.mark.parametrize("means", [(2, 1), (2, 0), (1, 0)])
@pytest.mark.parametrize("batches", [1, 2, 1000, 10**12])
@pytest.mark.parametrize(
    ("noise", "joins"), [(0.07, 1), (0.3, 0.5), (1.0, 1), (5.0, 0.9), (1e4, 1)]
)
def test_the_law_of_the_largest_batch_in_balls(noise, joins, batches, means):
    """Its ratio grows: the best test is one event. No law is above, and cells take little."""
    pair = _core.dominating_pair("shuffled_below", (noise, batches, *means, joins))
    with ctx.workprec(300):
        exact = arb(noise)
        for alpha in (1.0, 1.001, 1.5, 20.0, 1e6):
            low, high = -5.0, 2 / noise + 9
            for _ in range(5):  # towards the best cut
                cuts = [low + (high - low) * k / 24 for k in range(25)]
                values = [event(exact, batches, means, alpha, arb(cut), joins) for cut in cuts]
                at = max(range(25), key=lambda k: float(values[k]))
                low, high = cuts[max(at - 1, 0)], cuts[min(at + 1, 24)]
            best = max(float(values[at]), 0.0)
            found = pair.delta_above([math.log(alpha)])[0]
            assert found <= best * (1 + 1e-6) + 1e-9  # delta_above adds what it is off by
            assert found >= 0.97 * best - 1e-9


def test_more_batches_hide_more_and_little_noise_hides_nothing():
    lower = [
        hs.Gaussian(noise_multiplier=1.0)
        .shuffled(batches=b)
        .epsilon_bounds(1e-6, adjacency="replace-one")
        .lower
        for b in (2, 10, 100, 1000)
    ]
    assert lower == sorted(lower, reverse=True)
    assert lower[0] > 10.2
    loud = hs.Gaussian(noise_multiplier=0.4).shuffled(batches=1000)
    special = loud.epsilon_bounds(1e-6, adjacency="replace-special")
    assert special.lower > 0.999 * special.upper
    assert loud.epsilon_bounds(1e-6, adjacency="replace-one").lower > 28.6


@pytest.mark.parametrize("sizes", [{}, {"left_out": 1, "batch_size": 3}], ids=str)
def test_places_that_are_kept_are_one_epoch_at_less_noise(sizes):
    step = hs.Gaussian(noise_multiplier=2.0)
    kept = step.shuffled(batches=100, epochs=4, **sizes)
    once = hs.Gaussian(noise_multiplier=1.0).shuffled(batches=100, **sizes)
    for adjacency in ("replace-special", "replace-one"):
        ends = [run.epsilon_bounds(1e-6, adjacency=adjacency) for run in (kept, once)]
        assert ends[0].lower == pytest.approx(ends[1].lower, rel=1e-9)
        assert ends[0].upper == pytest.approx(ends[1].upper, rel=1e-9)
        anew = (4 * step.shuffled(batches=100, **sizes)).epsilon_bounds(1e-6, adjacency=adjacency)
        assert anew.upper <= ends[0].upper * (1 + 1e-9)
        assert anew.lower < ends[0].lower


def test_a_replaced_record_costs_at_least_a_special_one():
    for noise in (0.5, 1.0, 2.0, 5.0):
        epoch = hs.Gaussian(noise_multiplier=noise).shuffled(batches=20)
        special, one = (
            epoch.epsilon_bounds(1e-6, adjacency=adjacency).lower
            for adjacency in ("replace-special", "replace-one")
        )
        assert special <= one


@pytest.mark.parametrize(("noise", "batches"), [(1.0, 2), (0.4, 50), (2.0, 10**6)])
def test_masses_of_the_largest_batch_are_within_a_quarter_of_what_is_stated(noise, batches):
    """Cell by cell, whose edges are those of the page's law; 2000 normal_error of each."""
    pair = _core.dominating_pair("shuffled_below", (noise, batches, 2, 0, 1))
    masses, losses = pair.law_errors()
    atoms = _core.sampling.atoms_of(pair)
    largest = max(abs(loss) for loss, _ in atoms)
    assert masses == pytest.approx(2000 * _core.numeric.normal_error + 6 * U, rel=1e-9)
    assert losses == pytest.approx(2.1 * 2000 * _core.numeric.normal_error + 4 * U * largest)
    with ctx.workprec(300):
        mu = float(1 / arb(noise) * (1 - 4 * arb(U)))
        low = -9.0
        while low < 9 and normal_tail(arb(low)) * batches > 40:
            low += 0.125
        high = 2 * mu + 9
        count = math.ceil((high - low) * 16 * min(max(mu, 1.0), 4.0))
        width, edges = (high - low) / count, [low]
        while edges[-1] < high - width / 2:
            edges.append(edges[-1] + width)
        sums = [
            [
                arb(0),
                *(normal_tail(m - c) * normal_tail(-arb(c)) ** (batches - 1) for c in edges),
                arb(1),
            ]
            for m in (2 * arb(mu), arb(0))
        ]
        cells = [[b - a for a, b in pairwise(side)] for side in sums]
        kept = [(p, q) for p, q in zip(*cells, strict=True) if p > 1e-290 and q > 1e-290]
        kept.sort(key=lambda pair: float((pair[0] / pair[1]).log()))
        assert len(kept) == len(atoms)
        for (p, q), (loss, mass) in zip(kept, sorted(atoms), strict=True):
            assert abs(arb(mass) / p - 1) < masses / 4
            assert abs(arb(loss) - (p / q).log()) < losses / 4


@pytest.mark.parametrize(
    ("noise", "batches", "adjacency", "least"),
    [
        (4.0, 2, "replace-special", 0.9096),
        (4.0, 2, "replace-one", 1.8106),
        (8.0, 2, "replace-special", 0.3756),
        (1.0, 5, "replace-one", 9.4),
    ],
)
def test_who_chooses_the_last_batch_attains_more(noise, batches, adjacency, least):
    """Else 0.893, 1.684, 0.361 and 9.388 are attained."""
    epoch = hs.Gaussian(noise).shuffled(batches=batches)
    assert epoch.epsilon_bounds(1e-6, adjacency=adjacency).lower >= least


def test_the_last_batch_is_not_chosen_after_batches_of_later_epochs():
    kept = hs.Gaussian(8.0).shuffled(batches=2, epochs=4)
    once = hs.Gaussian(4.0).shuffled(batches=2)
    ends = [run.epsilon_bounds(1e-6, adjacency="replace-special").lower for run in (kept, once)]
    assert ends[0] < 0.99 * ends[1]


@pytest.mark.parametrize("last", [1, 0.25])  # of the size of the first batch
@pytest.mark.parametrize("replaced", [0, -1])  # by a special record, by another
@pytest.mark.parametrize(("noise", "alpha"), [(1.0, 5.0), (2.0, 2.0), (4.0, 1.3)])
def test_two_batches_played_out(noise, alpha, replaced, last):
    """The record adds 1, the others -1 to the first batch, and to the last one what they like."""
    mu, width = 1 / noise, 0.02
    first, later = np.meshgrid(np.arange(-9, 9, width), np.arange(-9, 9, width), indexing="ij")

    def density(*means):
        parts = (
            (output - mean * mu) ** 2 for output, mean in zip((first, later), means, strict=True)
        )
        return np.exp(-sum(parts) / 2) * width**2 / (2 * math.pi)

    other = np.where(first + mu >= 2, 1, -1)  # the first batch has the mean -mu without the record
    with_it = (density(1, other) + last * density(-1, 1)) / (1 + last)
    without = (density(replaced, other) + last * density(-1, replaced)) / (1 + last)
    attained = np.maximum(with_it - alpha * without, 0).sum()
    pair = _core.dominating_pair("shuffled_chosen_below", [noise, 2, 2, replaced + 1, last])
    found = pair.delta_above([math.log(alpha)])[0]
    assert 0.98 * attained <= found <= attained * (1 + 1e-3)


@pytest.mark.parametrize(("noise", "batches", "without"), [(1.7, 2, 1), (3.3, 10, 0)])
def test_masses_of_bins_where_the_last_batch_is_chosen_in_balls(noise, batches, without):
    pair = _core.dominating_pair("shuffled_chosen_below", [noise, batches, 2, without, 1])
    masses, losses = pair.law_errors()
    atoms = _core.sampling.atoms_of(pair)
    mu = 1 / noise * (1 - 4 * U)
    edges = [k / 16 - 9 for k in range(math.ceil(16 * (20 + 2 * mu)))]
    booked = 2000 * _core.numeric.normal_error + (len(edges) + 1) ** 2 * U
    assert masses == pytest.approx(booked, rel=1e-9)
    largest = max(abs(loss) for loss, _ in atoms)
    assert losses == pytest.approx(2.1 * booked + 4 * U * largest, rel=1e-6)
    with ctx.workprec(400):

        def cells(mean, others):
            """Of the largest of one normal variable of that mean and of others of mean 0."""
            at = [normal_tail(arb(mean) * mu - c) * normal_tail(-arb(c)) ** others for c in edges]
            return [b - a for a, b in pairwise([arb(0), *at, arb(1)])]

        with_it, without_it, none = (cells(mean, batches - 2) for mean in (2, without, 0))
        last = {mean: cells(mean, 0) for mean in {2, without, 0}}
        kept = []
        for i, edge in enumerate([-math.inf, *edges]):
            moved = last[2 if edge >= 2 else 0]
            before = [(batches - 1) * part[i] for part in (with_it, without_it)]
            for j in range(len(edges) + 1):
                p = (before[0] * moved[j] + none[i] * last[2][j]) / batches
                q = (before[1] * moved[j] + none[i] * last[without][j]) / batches
                kept.append((math.log(float(p / q)), p))
        for bin_of in (3, 16, 40):
            cut = bin_of * mu / 16
            assert all(abs(loss - cut) > 1e-12 for loss, _ in kept)
            exact = sum((p for loss, p in kept if loss > cut), arb(0))
            found = sum(arb(mass) for loss, mass in atoms if loss > cut)
            assert abs(found / exact - 1) < masses / 4
