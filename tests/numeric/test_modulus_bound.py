# SPDX-License-Identifier: Apache-2.0
"""Bounds of characteristic functions on whole ranges of frequencies, against ball arithmetic."""

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from hockeystick import _core

LAWS = {
    "two": ([0.25, 0.75], [0.0, 1.0]),
    "rare": ([1 - 1e-6, 1e-6], [-1e-3, 5.0]),
    "lattice": ([0.1, 0.2, 0.3, 0.4], [-1.0, 0.5, 2.0, 3.5]),
    "far": ([0.5, 0.5], [1e6, 1e6 + 1 / 3]),
}


def random_law(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 60))
    masses = rng.random(size) * np.exp(-rng.uniform(0, 30, size) * rng.integers(0, 2))
    return masses.tolist(), np.sort(rng.normal(0, 10.0 ** rng.uniform(-3, 2), size)).tolist()


def modulus(masses, places, frequency):
    total = sum((arb(m) for m in masses), arb(0))
    w = arb(frequency)
    turned = (arb(m) * acb(0, w * arb(x)).exp() for m, x in zip(masses, places, strict=True))
    return abs(sum(turned, acb(0))) / total


def deviation(masses, places):
    m, x = np.array(masses), np.array(places)
    return math.sqrt(np.average((x - np.average(x, weights=m)) ** 2, weights=m))


@pytest.mark.parametrize("law", [*LAWS.values(), *map(random_law, range(30))], ids=str)
def test_no_modulus_in_the_range_is_larger(law):
    """Nor is one next to the ends, or where the function comes back to 1."""
    own = deviation(*law)
    for start, end in ((0.01, 0.1), (0.03, 30.0), (1.0, 1.0), (0.3, 200.0)):
        first, last = start / own, end / own
        bound = _core.numeric.modulus_bound(*law, first, last)
        assert 0 < bound <= 1
        with ctx.workprec(120):
            for w in np.geomspace(first, last, 200):
                assert modulus(*law, min(max(float(w), first), last)) <= arb(bound)


def test_the_sum_is_met_to_rounding_at_one_frequency():
    masses, places = random_law(77)
    own = deviation(masses, places)
    bound = _core.numeric.modulus_bound(masses, places, 0.1 / own, 0.1 / own)
    assert bound - float(modulus(masses, places, 0.1 / own).mid()) < 1e-12


def test_what_lies_between_two_frequencies_is_counted():
    """The modulus comes back to 1 there; both ends are as small as they may be."""
    bound = _core.numeric.modulus_bound([0.5, 0.5], [0.0, 1.0], math.pi * 0.99, math.pi * 3.01)
    assert bound == 1
    assert modulus([0.5, 0.5], [0.0, 1.0], 2 * math.pi) > 1 - 1e-9


def test_a_rise_between_two_frequencies_is_counted_in_full():
    """In the middle of a step there is a peak of 0.9, nearly as sharp as can be."""
    masses, places, variance = [0.475, 0.05, 0.475], [0.0, 0.5, 1.0], 0.2375
    step = 1.4
    for _ in range(50):  # the step that is taken from that far below the peak
        end = float(modulus(masses, places, 2 * math.pi - step / 2).mid())
        step = math.sqrt(1.6 * (1 - end**2) / variance)
    first = 2 * math.pi - step / 2
    bound = _core.numeric.modulus_bound(masses, places, first, first + 0.999 * step)
    assert modulus(masses, places, 2 * math.pi) <= arb(bound)
    assert bound < 0.93


def test_long_runs_of_small_losses_decay():
    """Of 10^6 normal steps hardly anything is left from eight deviations on."""
    x = np.linspace(-6, 6, 401)
    masses = np.exp(-x * x / 2)
    bound = _core.numeric.modulus_bound(masses.tolist(), x.tolist(), 8e-3, 10.0)
    assert 1e6 * math.log(bound) < -18


def test_places_far_from_0_take_their_rounding():
    """The angle is lost in the rounding of the places, and so is the bound."""
    near, far = (
        _core.numeric.modulus_bound([0.5, 0.5], [at, at + 1.0], 1.0, 1.0) for at in (0.0, 1e12)
    )
    assert far > near + 1e-5


@pytest.mark.parametrize("law", [([1.0], [3.0]), ([0.5, 0.5], [2.0, 2.0])], ids=str)
def test_one_place_never_decays(law):
    assert _core.numeric.modulus_bound(*law, 0.5, 50.0) == 1


@pytest.mark.parametrize("at", ["first", "last"])
def test_masses_far_out_that_are_left_out_count_in_full(at):
    """They are in phase with the sum of the others, at the one frequency there is."""
    w = 2.5
    masses, places = [0.5, 0.5, 0.0025], [0.0, 1.0, 0.5 + 12 * math.pi / w]
    if at == "first":
        masses, places = masses[::-1], [-x for x in places[::-1]]
    bound = _core.numeric.modulus_bound(masses, places, w, w * (1 + 1e-12))
    truth = modulus(masses, places, w)
    assert truth <= arb(bound)
    assert bound < float(truth.mid()) + 1e-9


def test_few_far_masses_do_not_make_steps_small():
    """They rule the variance, by which frequencies would have to lie a thousand times as close."""
    x = np.linspace(-6, 6, 401)
    masses = np.append(np.exp(-x * x / 2), 1e-6)
    bound = _core.numeric.modulus_bound(masses.tolist(), [*x.tolist(), 1e5], 0.5, 50.0)
    assert bound < 0.95
