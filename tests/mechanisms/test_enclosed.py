# SPDX-License-Identifier: Apache-2.0
"""Rounded parameters of pairs above and below lie outside the exact ones, by ball arithmetic."""

import random

import pytest
from flint import arb, fmpz

import hockeystick as hs
from hockeystick import _core

REMOVE, REPLACE = 0, 2
CLOSE = 2.0**-44  # what the margins may cost at most


def names(mechanism, comparison=REMOVE, cells=40.0, tail=1e-12, *, above):
    return _core.parts.enclosing_names(mechanism, comparison, cells, tail, above)


def draws(count=200):
    draw = random.Random(5)
    for _ in range(count):
        yield draw.uniform(0.3, 30), draw.randint(2, 10**6), draw.randint(2, 1000), draw


def holds(below, exact, above):
    """In this order and next to each other."""
    assert arb(below) <= exact <= arb(above)
    assert arb(above) - arb(below) <= exact * CLOSE


def test_noise_of_allocations_over_epochs():
    for noise, steps, epochs, _ in draws():
        step = hs.Gaussian(40 * noise).random_allocation(steps=steps + 1, epochs=epochs)
        ends = []
        for above in (True, False):  # the least tail, so that the curve is no series
            ((name, _, inner),) = names(step, tail=1e-30, above=above)
            assert name == ("allocated_above" if above else "allocated_below")
            ends.append(inner[1][0])
        holds(ends[0], arb(40 * noise) / arb(epochs).sqrt(), ends[1])


@pytest.mark.parametrize("comparison", [REMOVE, REPLACE])
def test_noise_of_shuffles_over_epochs(comparison):
    for noise, batches, epochs, _ in draws():
        step = hs.Gaussian(40 * noise).shuffled(batches=batches, epochs=epochs)
        exact = arb(40 * noise) / arb(epochs).sqrt()
        way = _special(comparison)
        ((name, (over, *_), _),) = names(step, way, above=True)
        assert name in ("gaussian", "shuffled_every_above")  # the latter knows what is replaced
        under = names(step, way, above=False)[0][1][0]
        is_halved = comparison == REPLACE and name == "gaussian"
        holds(over * (2 if is_halved else 1), exact, under)


def _special(comparison):
    """Of the adjacencies that keep the number of records."""
    adjacency = hs.Adjacency.REPLACE_ONE if comparison == REPLACE else hs.Adjacency.REPLACE_SPECIAL
    return list(hs.Direction).index(adjacency.directions[0])


def test_rate_of_a_batch():
    way = _special(REMOVE)
    for noise, batch, _, draw in draws():
        records = draw.randint(batch + 1, 10**8)
        step = hs.Gaussian(noise).fixed_size_sampled(batch_size=batch, dataset_size=records)
        for _, (_, rate), _ in names(step, way, above=False)[:2]:
            exact = arb(batch) / records
            assert arb(rate) <= exact
            assert exact - arb(rate) <= exact * CLOSE


def test_masses_of_draws_with_replacement():
    way = _special(REMOVE)
    for noise, _, _, draw in draws(40):
        batch = draw.randint(2, 300)
        records = draw.randint(batch, 20 * batch)
        step = hs.Gaussian(noise).fixed_size_sampled(
            batch_size=batch, dataset_size=records, replacement=True
        )
        name, numbers, _ = names(step, way, above=False)[0]
        assert name == "gaussian_mixture_remove"
        half = len(numbers) // 2
        times, masses = numbers[2 : half + 1], numbers[half + 1 :]
        ends = [*times[1:], batch + 1]
        for low, high, mass in zip(times[1:], ends[1:], masses[1:], strict=True):
            exact = sum(
                (_drawn(k, batch, records) for k in range(round(low), min(round(high), batch + 1))),
                arb(0),
            )
            assert arb(mass) <= exact
            if low == 1:
                assert exact - arb(mass) <= exact * 1e-11


def _drawn(k, batch, records):
    """Probability that one of so many records is drawn k times."""
    return arb(fmpz.bin_uiui(batch, k)) * arb(records - 1) ** (batch - k) / arb(records) ** batch


def test_gaussians_of_a_rho():
    draw = random.Random(6)
    for _ in range(300):
        rho = 10 ** draw.uniform(-9, 3)
        exact = 1 / (2 * arb(rho)).sqrt()
        below, above = (one[1][0] for one in names(hs.ZCDP(rho), cells=0.0, above=True))
        holds(above, exact, below)
        assert names(hs.ZCDP(rho), above=False)[0][1][0] == below


def test_mean_of_selected_steps():
    for noise, steps, epochs, draw in draws():
        selected = draw.randint(2, min(steps, 50))
        step = hs.Gaussian(40 * noise).random_allocation(
            steps=steps + 1, selected=selected, epochs=epochs
        )
        name, (mean,), _ = names(step, above=False)[-1]
        exact = arb(40 * noise) / arb(epochs).sqrt() * arb(steps + 1).sqrt() / selected
        assert name == "gaussian"
        assert exact <= arb(mean) <= exact * (1 + CLOSE)


def test_gaussians_of_one_renyi_divergence():
    """Whose divergence of that order is at most the known one: the noise is rounded up."""
    draw = random.Random(3)
    for _ in range(300):
        known = hs.RenyiDP(order=draw.uniform(1.01, 100), divergence=10 ** draw.uniform(-9, 2))
        ((name, (noise, *_), _),) = names(known, above=False)
        assert name == "gaussian"
        exact = (arb(known.order) / (2 * arb(known.divergence))).sqrt()
        assert exact <= noise <= exact * (1 + CLOSE)


@pytest.mark.parametrize(
    ("step", "epsilon", "how"),
    [
        (hs.ShuffledLocal(epsilon0=0.5, users=1000), 0.5, {"adjacency": "replace-one"}),
        (hs.ShuffledLocal(epsilon0=2.0, users=1000), 2.5, {"adjacency": "replace-one"}),
        (2 * hs.ShuffledLocal(epsilon0=1.0, users=100), 2.0, {"adjacency": "replace-one"}),
        (hs.Laplace(3.0).poisson_sampled(0.1).group(2), 1.0, {}),
        (hs.best_of(hs.Laplace(3.0), runs="geometric", mean=10), 5.0, {}),
    ],
)
def test_nothing_is_lost_beyond_the_largest_loss(step, epsilon, how):
    """Though the curve above ends at what counts for nothing, 1e-32 or 1e-307."""
    assert step.delta_bounds(epsilon, **how) == (0, 0)
