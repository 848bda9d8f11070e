# SPDX-License-Identifier: Apache-2.0
"""Compositions with mechanisms that leave a gap: what is proved above them and attained below."""

import itertools
import math

import numpy as np
import pytest
from flint import arb, ctx
from mpmath import mp

import hockeystick as hs
from hockeystick import Direction
from hockeystick.verify.sides import sides


def noise(multiplier):
    return hs.Gaussian(noise_multiplier=multiplier)


ALPHA = [math.exp(0.2 * k) for k in range(-5, 6)]
RESPONSE = [max((3 - a) / 4, 1 - a, 0.0) for a in ALPHA]
GIVEN = hs.HockeyStickCurve(
    alpha=ALPHA,
    lower=[v * 0.999 for v in RESPONSE],
    upper=[min(1.0, 1.001 * v + 1e-6) for v in RESPONSE],
)
ANY = (Direction.REMOVE, Direction.ADD)
REPLACES = (Direction.REPLACE, Direction.SPECIAL_REMOVE, Direction.SPECIAL_ADD)
RUNS = [
    (3 * noise(2.0).random_allocation(steps=40, selected=4) + noise(5.0), ANY),
    (1 * noise(3.0).random_allocation(steps=5, selected=2, epochs=4), ANY),
    (9 * noise(1.5).fixed_size_sampled(batch_size=3, dataset_size=9), REPLACES),
    (4 * noise(2.0).shuffled(batches=7, epochs=3), REPLACES),
    (2 * noise(1.0).shuffled(batches=2, left_out=5), REPLACES),
    (3 * noise(4.0).shuffled(batches=3, left_out=1, batch_size=46), REPLACES),
    (3 * hs.ZCDP(0.05) + 2 * noise(4.0), (*ANY, *REPLACES)),
    (1 * hs.ZCDP(0.3), (*ANY, *REPLACES)),
    (2 * GIVEN, (*ANY, *REPLACES)),
    (GIVEN + noise(3.0), ANY),
    (2 * GIVEN.poisson_sampled(0.3), ANY),
]
CASES = [(run, way) for run, ways in RUNS for way in ways]


def test_a_sample_of_a_given_curve_has_its_ends_as_a_sample_s():
    """Of a removed record: q h((alpha - 1 + q) / q), above and below."""
    with ctx.workprec(100):
        rate = arb("0.25")
        sampled, whole = (
            sides(run.terms, Direction.REMOVE, 20)
            for run in (1 * GIVEN.poisson_sampled(0.25), 1 * GIVEN)
        )
        for epsilon in (0.0, 0.05, 0.15):
            inner = ((arb(epsilon).exp() - 1 + rate) / rate).log()
            for one, other in (
                (sampled.proved, whole.proved),
                (sampled.attained[0], whole.attained[0]),
            ):
                assert abs(one.delta(arb(epsilon)) - rate * other.delta(inner)) < 1e-20


@pytest.mark.parametrize(("run", "way"), CASES, ids=str)
def test_what_is_attained_is_below_what_is_proved(run, way):
    with ctx.workprec(120):
        found = sides(run.terms, way, 10)
        for epsilon in map(arb, (-0.3, 0.1, 0.9)):
            proved = found.proved.delta(epsilon)
            for one in found.attained:
                assert one.delta(epsilon).lower() <= proved.upper()


@pytest.mark.every(5)
@pytest.mark.parametrize("way", REPLACES, ids=str)
def test_an_epoch_that_leaves_hardly_any_record_out_attains_as_much(way):
    out = 2 * noise(2.0).shuffled(batches=5, left_out=1, batch_size=10**12)
    with ctx.workprec(120):
        found, whole = (
            sides(run.terms, way, 10).attained[0]
            for run in (out, 2 * noise(2.0).shuffled(batches=5))
        )
        for epsilon in map(arb, (-0.3, 0.1, 0.9)):
            assert abs(found.delta(epsilon) - whole.delta(epsilon)) < 1e-11


def test_outcomes_above_a_given_curve_are_its_hull():
    """Composed with nothing, they are the curve that one release has, at every point."""
    with ctx.workprec(150):
        for way in ANY:
            one = sides((1 * GIVEN).terms, way, 10).proved
            twice = sides((GIVEN + hs.DiscretePair(p=(0.5, 0.5), q=(0.5, 0.5))).terms, way, 10)
            for epsilon in map(arb, (-2.0, -0.4, 0.0, 0.3, 1.7)):
                a, b = one.delta(epsilon), twice.proved.delta(epsilon)
                assert a.overlaps(b)
                assert a.rad() < 1e-20


@pytest.mark.parametrize("adjacency", ["replace-special", "replace-one"])
def test_an_adversary_between_attains_the_power_of_a_fixed_batch(adjacency):
    """Batch 2 of 4 at noise 1 / 2: for rates between the best events, records c x, abs(c) < 1."""
    with mp.workdps(40):
        near = mp.mpf(1 if adjacency == "replace-one" else 0) * -1
        mu, g, share = mp.mpf(2), mp.mpf(1) / 2, (1 + near) / 2  # the best event begins at share

        def event(mean):
            return mp.ncdf((mean - share) * mu)

        rate = mp.mpf("0.35") if adjacency == "replace-special" else mp.mpf("0.3")
        c = mp.findroot(lambda c: g * event(near) + (1 - g) * event(c) - rate, share)
        assert -1 < c < 1
        power = g * event(1) + (1 - g) * event(c)
        step = noise(0.5).fixed_size_sampled(batch_size=2, dataset_size=4)
        result = hs.verify(
            step, false_positive_rate=float(rate), adjacency=adjacency, digits=15, fast=False
        )
        assert result.known
        assert abs(mp.mpf(result.middle) - power) < mp.mpf(10) ** -14


def test_a_sampled_pair_of_all_data_sets_is_below():
    """Fixed batches of 1 of 2 and 2 of 3, all data sets of -1, 0 and 1, by integrals."""
    for batch, size in ((1, 2), (2, 3)):
        step = noise(1.3).fixed_size_sampled(batch_size=batch, dataset_size=size)
        for adjacency, old, new in (("replace-special", 1, 0), ("replace-one", 1, -1)):
            result = hs.verify(step, epsilon=0.2, adjacency=adjacency, digits=12, fast=False)
            assert result.known
            worst = 0.0
            for others in _data_sets(size - 1):
                worst = max(worst, _delta(batch, (old, *others), (new, *others), 1.3, 0.2))
                worst = max(worst, _delta(batch, (new, *others), (old, *others), 1.3, 0.2))
            assert abs(worst / result.upper - 1) < 1e-5


def _curve(first, second, axes, epsilon):
    """E (P - e^epsilon Q)_+ of mixtures of unit normals at those means, by a fine sum."""
    x = np.arange(-7, 9, 0.15)
    grid = np.meshgrid(*[x] * axes, indexing="ij")

    def density(means):
        parts = (sum((g - m) ** 2 for g, m in zip(grid, mean, strict=True)) for mean in means)
        return sum(np.exp(-part / 2) for part in parts) / len(means)

    scale = 0.15**axes / (2 * math.pi) ** (axes / 2)
    return float(np.maximum(density(first) - math.exp(epsilon) * density(second), 0).sum() * scale)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_two_of_three_steps_are_enumerated(epsilon):
    """All choices of steps, with the record and without it."""
    mu = 1 / 0.8
    chosen = [
        tuple(mu * (k in two) for k in range(3)) for two in itertools.combinations(range(3), 2)
    ]
    ways = (chosen, [(0, 0, 0)]), ([(0, 0, 0)], chosen)
    for way, (first, second) in zip(ANY, ways, strict=True):
        truth = _curve(first, second, 3, epsilon)
        found = sides((1 * noise(0.8).random_allocation(steps=3, selected=2)).terms, way, 10)
        assert float(found.attained[0].delta(arb(epsilon)).lower()) <= truth * (1 + 1e-3)
        assert truth <= float(found.proved.delta(arb(epsilon)).upper()) * (1 + 1e-3)


@pytest.mark.every(2)
@pytest.mark.parametrize("adjacency", ["replace-special", "replace-one"])
@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_three_records_of_which_one_is_left_out_are_enumerated(adjacency, epsilon):
    """Two batches of one record each, all orders, all other records of -1, 0 and 1."""
    epoch = noise(1.0).shuffled(batches=2, left_out=1, batch_size=1)
    result = hs.verify(epoch, epsilon=epsilon, adjacency=adjacency, digits=8)
    worst = 0.0
    new = 0 if adjacency == "replace-special" else -1
    for others in itertools.combinations_with_replacement((-1, 0, 1), 2):
        old_means, new_means = (
            [order[:2] for order in itertools.permutations((record, *others))]
            for record in (1, new)
        )
        worst = max(worst, _curve(old_means, new_means, 2, epsilon))
        worst = max(worst, _curve(new_means, old_means, 2, epsilon))
    assert result.lower <= worst * (1 + 1e-3)
    assert worst <= result.upper * (1 + 1e-3)
    assert result.fast.lower <= worst * (1 + 1e-3)
    assert worst <= result.fast.upper * (1 + 1e-3)


def _data_sets(size):
    return itertools.product((-1, 0, 1), repeat=size)


def _delta(batch, first, second, sigma, epsilon):
    """By a fine sum over outputs, from all batches."""
    x = np.arange(-16, 16, 2e-3)

    def density(records):
        sums = [sum(drawn) for drawn in itertools.combinations(records, batch)]
        return sum(np.exp(-(((x - s) / sigma) ** 2) / 2) for s in sums) / len(sums)

    scale = 2e-3 / (sigma * math.sqrt(2 * math.pi))
    return float(np.maximum(density(first) - math.exp(epsilon) * density(second), 0).sum() * scale)
