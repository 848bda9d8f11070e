# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of sampled discrete Gaussians beyond the outcomes that binary64 lists."""

import math
import random

import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core

pytestmark = pytest.mark.bits(300)


def divergence(sigma, rate, order):
    """From E_Q[(1 - q + q r)^a], up to 50 deviations beyond where r^a moves Q."""
    a, q, double = arb(order), arb(rate), 2 * arb(sigma) ** 2
    reach = math.ceil(50 * sigma)
    total = sum(((-arb(x * x) / double).exp() for x in range(-reach, reach + 1)), arb(0))
    moment = sum(
        (
            (-arb(x * x) / double).exp() * (1 - q + q * ((2 * arb(x) - 1) / double).exp()) ** a
            for x in range(-reach, math.ceil(order) + reach)
        ),
        arb(0),
    )
    return (moment / total).log() / (a - 1)


@pytest.mark.parametrize(
    ("sigma", "rate", "order"),
    [
        (1.1150906293509362, 1.78792844197223e-05, 64.0),  # nearly all of it is not listed
        (0.71321297807344, 0.006939483586059797, 64.0),
        (1.885325420305387, 0.0012433078856442395, 64.0),
        (1.7580599205534453, 0.18635226313334702, 64.0),
        (2.112407230133998, 0.027056873743038074, 64.0),
        (0.5, 0.3, 200.5),
        (3.0, 1e-3, 113.875),  # next to the last outcome listed
        (1.0, 0.2, 38.5),
        (4.0, 0.9, 153.0),
        (1.0, 1e-6, 30.25),
        (9.0, 0.05, 400.0),
        (2.0, 0.1, 1.5),
    ],
)
def test_renyi_divergences_are_enclosed_closely(sigma, rate, order):
    run = 7 * hs.DiscreteGaussian(sigma=sigma).poisson_sampled(rate)
    bounds = run.renyi_divergence_bounds(order, adjacency="remove-one", tolerance=1e-5)
    truth = 7 * divergence(sigma, rate, order)
    assert arb(bounds.lower) <= truth
    assert truth <= arb(bounds.upper)
    assert bounds.gap <= 1e-5 * bounds.upper


class Law:
    """Outcomes of Q-mass and ratio P / Q without sampling; the first `listed` are listed."""

    def __init__(self, masses, ratios, listed, rate):
        self.masses, self.ratios = [arb(q) for q in masses], [arb(r) for r in ratios]
        self.listed, self.rate = listed, arb(rate)

    def ask(self, t, mass_error=0.0, loss_error=0.0, moved=0.0, factor=1.0):
        """What is stated of losses listed `moved` too high, and masses `factor` too large."""
        atoms = [
            (
                float((1 - self.rate + self.rate * r).log().mid()) + moved,
                0.5,
                float((q * factor).mid()),
            )
            for q, r in zip(self.masses[: self.listed], self.ratios, strict=False)
        ]
        rest = float(sum(self.masses[self.listed :], arb(0)).upper())
        plain = moment(t, self.masses, self.ratios).log()
        ends = (float(plain.lower()), float(plain.upper()))
        lacks = (mass_error, loss_error, rest)
        low, high = _core.parts.sampled_log_moment(atoms, lacks, float(self.rate.mid()), ends, t)
        return arb(low), arb(high)

    def truth(self, t):
        """log E (1 - q + q r)^(t + 1)."""
        return moment(t, self.masses, [1 - self.rate + self.rate * r for r in self.ratios]).log()

    def formula(self, t, rounded=0.0):
        """The bounds of the page, of losses and masses without errors.

        What is not listed is the difference of two moments, rounded by this part of them, and at
        least 1e-300 of the largest term.
        """
        a, q, n = arb(t) + 1, self.rate, self.listed
        known = moment(t, self.masses[:n], [1 - q + q * r for r in self.ratios[:n]])
        rest = moment(t, self.masses[n:], [q * r for r in self.ratios[n:]])
        root = (1 - q) * sum(self.masses[n:], arb(0)) ** (1 / a)
        rounding = rounded * moment(t, self.masses, [q * r for r in self.ratios])
        rounding += (1e-300 if rounded else 0.0) * known
        return (known + rest).log(), (known + (root + (rest + rounding) ** (1 / a)) ** a).log()


def moment(t, masses, ratios):
    return sum((q * r ** (arb(t) + 1) for q, r in zip(masses, ratios, strict=True)), arb(0))


def laws():
    """Outcomes that are listed have most of the moment, or little, or about half."""
    rng = random.Random(4)
    yield Law([1e-3, 0.999], [20.0, 0.197], 1, 0.5)  # the rest weighs 90 times what it is
    for rate in (1e-6, 1e-3, 0.1, 0.5, 0.999):
        for size in (0.1, 1.0, 1e3, 1e6):
            ratios = [rng.uniform(0, 2) for _ in range(6)] + [size * rng.uniform(0.5, 2)]
            yield Law([0.15] * 6 + [rng.choice([0.1, 1e-4, 1e-9])], ratios, 6, rate)
            masses, ratios = ([rng.random() for _ in range(4)] for _ in range(2))
            yield Law(masses, [size * r for r in ratios], 2, rate)


@pytest.mark.parametrize("t", [1e-3, 0.7, 1.0, 2.5, 30.0, 200.0])
def test_the_bounds_are_the_formula(t):
    for law in laws():
        (low, high), (least, most) = law.ask(t), law.formula(t)
        off = arb(2.0**-40) * (10 + abs(most) + t)
        assert least - off <= low <= least
        assert low <= law.truth(t) <= high
        rounded = 2.0**-40 * (1 + t) / float(law.rate.mid())  # of 1 - x, about the rate
        assert most <= high <= law.formula(t, rounded)[1] + off


@pytest.mark.parametrize("moved", [-1e-6, 1e-6])
@pytest.mark.parametrize("t", [0.7, 2.5, 30.0])
def test_losses_that_are_off_are_counted(t, moved):
    """Also where 1 - x, x = (1 - q) e^-L, is much smaller than x, and off by more."""
    for law in laws():
        low, high = law.ask(t, loss_error=1e-6, moved=moved)
        assert low <= law.truth(t) <= high


@pytest.mark.parametrize("off", [-1e-5, 1e-5])
def test_masses_that_are_off_are_counted(off):
    for law in laws():
        low, high = law.ask(2.5, mass_error=1.0001e-5, factor=1 + off)
        assert low <= law.truth(2.5) <= high
