# SPDX-License-Identifier: Apache-2.0
"""Runs of allocations with little noise: formulas in balls, and sums over losses."""

import math

import numpy as np
import pytest
from flint import arb

import hockeystick as hs
from hockeystick._core import sampling
from mechanisms.test_visible_allocation import losses_of_two

RUNS = (
    [(20.0, 2, 1)],
    [(16.7, 1000, 1)],
    [(12.0, 10**5, 5)],
    [(10.1, 10**6, 1000)],
    [(18.0, 7, 30), (3.0, 1, 4)],
    [(300.0, 2, 100), (10.0, 50, 2)],
)


LEAST = arb("1e-307")  # below what doubles tell


pytestmark = pytest.mark.bits(300)


def tail(x):
    return (arb(x) / arb(2).sqrt()).erfc() / 2


class Formula:
    """The page, in balls."""

    def __init__(self, epochs, gap):
        self.epochs = [(arb(mu), arb(steps), arb(count)) for mu, steps, count in epochs]
        self.gap = arb(gap)
        self.square = sum((n * mu * mu for mu, _, n in self.epochs), arb(0))
        self.shift = sum((n * t.log() for _, t, n in self.epochs), arb(0))
        number = sum((n for _, t, n in self.epochs if t != 1), arb(0))
        self.behind = number * (-self.gap).exp()

    def delta(self, x):
        """G(x)."""
        mu = self.square.sqrt()
        return tail(x / mu - mu / 2) - arb(x).exp() * tail(x / mu + mu / 2)

    def spared(self, x):
        """1 - G(x)."""
        mu = self.square.sqrt()
        return tail(mu / 2 - x / mu) + arb(x).exp() * tail(x / mu + mu / 2)

    def near(self, mu, t, tilt):
        """Whether another step comes near, tilted."""
        apart = (mu * mu * (1 - tilt) - self.gap - t.log()) / (arb(2).sqrt() * mu)
        return tail(apart) if apart > 0 else arb(1)

    def mistaken(self, x, tilt):
        """log M at a tilt, and the sum of r."""
        exponent, likely = -tilt * x, arb(0)
        for mu, t, n in self.epochs:
            behind = 0 if t == 1 else (-self.gap).exp()
            own = tilt * (mu * mu / 2 - t.log() + behind) + tilt * tilt * mu * mu / 2
            exponent += n * own
            if t != 1:
                r = (t - 1) * (tilt * (self.gap + 2 * t.log() - mu * mu)).exp()
                likely += n * r * self.near(mu, t, tilt)
        return exponent + (likely.expm1() + LEAST).log(), likely

    def missed(self, y):
        """log m at the tilt of y."""
        tilt = min(arb(0), (y - self.square / 2) / self.square, key=float)
        likely = sum(
            (n * (t - 1) * self.near(mu, t, -tilt) for mu, t, n in self.epochs if t != 1), arb(0)
        )
        return -tilt * y + tilt * self.square * (1 + tilt) / 2 + (likely + LEAST).log()


def places(formula, levels):
    """Losses of a removed record at so many deviations from the mean."""
    mu = formula.square.sqrt()
    return [float((formula.square / 2 - formula.shift + z * mu).mid()) for z in levels]


@pytest.mark.parametrize("epochs", RUNS)
@pytest.mark.parametrize("gap", [4.0, 8.0, 20.0])
def test_mistakes_count_as_the_page_says(epochs, gap):
    run, formula = sampling.VisibleRun(epochs, gap), Formula(epochs, gap)
    for x in places(formula, (-1.0, 0.5, 3.0, 8.0, 20.0, 37.0)):
        tilt = max(arb(0), (x + formula.shift - formula.square / 2) / formula.square, key=float)
        exact, likely = min(
            (formula.mistaken(x, one) for one in (arb(0), tilt)), key=lambda m: float(m[0])
        )
        found = run.log_mistaken(x)
        if found < 0 and likely > 1e-250:
            assert exact <= found
            assert (
                found
                <= exact + arb("1e-6") * (1 + abs(exact)) + likely + tilt * formula.behind / 900
            )


@pytest.mark.parametrize("epochs", RUNS)
@pytest.mark.parametrize("gap", [4.0, 8.0, 20.0])
def test_what_mistakes_take_off_the_rest(epochs, gap):
    run, formula = sampling.VisibleRun(epochs, gap), Formula(epochs, gap)
    for z in (-8.0, -5.0, -2.0, 1.0):
        y = float((formula.square / 2 + z * formula.square.sqrt()).mid())
        exact, found = formula.missed(arb(y)), run.log_missed(y)
        if found < 0 and exact > -600:
            assert exact <= found <= exact + arb("1e-6") * (1 + abs(exact))


def test_many_mistakes_are_more_than_their_number():
    """Of a thousand epochs, each mistaken with a small probability."""
    for mu in (4.0, 4.5, 5.0):
        epochs = [(mu, 2, 1000)]
        run, formula = sampling.VisibleRun(epochs, 4.0), Formula(epochs, 4.0)
        for tilt in (0.05, 0.1, 0.2, 0.3):
            x = float((formula.square * (tilt + arb(1) / 2) - formula.shift).mid())
            exact = min((formula.mistaken(x, one)[0] for one in (arb(0), arb(tilt))), key=float)
            assert run.log_mistaken(x) >= min(exact, arb(0), key=float)


@pytest.mark.parametrize("epochs", RUNS)
def test_ends_are_those_of_a_shifted_gaussian(epochs):
    run, formula = sampling.VisibleRun(epochs, 8.0), Formula(epochs, 8.0)
    for x in places(formula, (0.5, 4.0, 12.0)):
        if x <= 0:
            continue
        low, high = run.delta(x)
        moved = x + formula.shift
        assert low <= formula.delta(moved) <= low * (1 + arb("1e-5")) + arb("1e-300")
        most = formula.delta(moved - formula.behind) + arb(run.log_mistaken(x)).exp()
        if most < 1:
            assert most <= high <= most * (1 + arb("1e-5")) + arb("1e-300")
    for delta in (1e-300, 1e-12, 0.1):
        low, high = run.epsilon(delta)
        if not math.isinf(high) and low > 0:
            # What is given up for mistakes, and the place where the loss is behind by no more.
            assert formula.delta(low + formula.shift) >= delta
            assert formula.delta(high + formula.shift - formula.behind) <= delta * (1 - arb("9e-7"))
    for delta in (0.6, 1 - 1e-6, 1 - 1e-12, 1 - 2.0**-50):
        spared, (low, high) = 1 - arb(delta), run.epsilon(delta)
        if not math.isinf(high) and low > 0:
            assert formula.spared(low + formula.shift) <= spared
            y = high + formula.shift - formula.behind
            assert formula.spared(y) - formula.missed(y).exp() >= spared * (1 - arb("1e-13"))


def test_mistakes_next_to_1_move_the_end():
    """Of a million steps a part of what is spared is spared by mistake."""
    epochs, delta = [(12.0, 10**6, 1)], 1 - 1e-3
    run, formula = sampling.VisibleRun(epochs, 4.0), Formula(epochs, 4.0)
    low, high = run.epsilon(delta)
    assert 0 < low < high < math.inf
    y = high + formula.shift - formula.behind
    lost = formula.missed(y).exp()
    assert lost > 1e-8
    assert formula.spared(y) - lost >= (1 - arb(delta)) * (1 - arb("1e-12"))


@pytest.mark.parametrize("epochs", RUNS)
def test_an_added_record_by_the_mean_of_its_losses(epochs):
    run = sampling.VisibleRun(epochs)
    square = sum(arb(n) * arb(mu) ** 2 for mu, _, n in epochs)
    spread = sum(arb(n) * arb(mu) ** 2 / t for mu, t, n in epochs).sqrt()
    for z in (1.5, 6.0, 30.0):
        x = float((square / 2 + z * spread).mid())
        exact = tail((x - square / 2) / spread).log()
        assert exact <= run.log_added(x) <= exact + 1


class Law:
    """The loss of epochs of two steps on a grid, by a sum over both."""

    SPACING = 0.02

    def __init__(self, mu, way, epochs):
        loss, weight = losses_of_two(mu, way, np.linspace(-9, 9, 2401))
        loss /= self.SPACING
        self.start = math.floor(loss.min())
        places = np.rint(loss - self.start).astype(int).ravel()
        law = np.bincount(places, np.outer(weight, weight).ravel())
        size = epochs * len(law)
        self.law = np.maximum(np.fft.irfft(np.fft.rfft(law, size) ** epochs, size), 0)
        self.loss = self.SPACING * (np.arange(size) + epochs * self.start)

    def spared(self, x):
        """1 - h(e^x)."""
        return self.law @ np.exp(np.minimum(x - self.loss, 0))


@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("mu", [10.1, 14.0])
def test_two_steps_enclose_the_sum_over_both(mu, number):
    run = sampling.VisibleRun([(mu, 2, number)])
    removed, added = (Law(mu, way, number) for way in ("remove", "add"))
    for z in (-4.0, -2.0, 0.0, 2.0):
        x = number * mu * mu / 2 + z * mu * math.sqrt(number)
        low, high = run.delta(x)
        assert low - 1e-4 <= 1 - removed.spared(x) <= high + 1e-4
        assert run.delta(x, adds=True)[1] >= 1 - added.spared(x) - 1e-4
        spared = added.spared(x)
        assert not run.adds_spare(x, spared * 1.02)
        if z <= -2:
            assert run.adds_spare(x, spared * 0.3)
    for delta in (0.3, 0.9, 1 - 1e-4):
        low, high = run.epsilon(delta)
        assert removed.spared(low - 0.05) <= (1 - delta) * 1.02
        assert removed.spared(high + 0.05) >= (1 - delta) * 0.98


def test_a_plain_step_beside_one_epoch():
    mu = 10.1
    run = sampling.VisibleRun([(mu, 2, 1), (6.0, 1, 1)])
    law = Law(mu, "add", 1)
    plain = np.linspace(-9, 9, 2001)
    weight = np.exp(-(plain**2) / 2) * (plain[1] - plain[0]) / math.sqrt(2 * math.pi)
    for z in (-3.0, -1.0):
        x = (mu * mu + 36) / 2 + z * math.hypot(mu, 6)
        spared = weight @ [law.spared(x - 18 - 6 * one) for one in plain]
        assert not run.adds_spare(x, spared * 1.02)
        assert run.adds_spare(x, spared * 0.2)


@pytest.mark.parametrize("count", [1, 5, 1000])
@pytest.mark.parametrize("steps", [2, 10**4])
@pytest.mark.parametrize("noise", [0.05, 0.06])
def test_each_delta_has_an_epsilon(noise, steps, count):
    """They were refused, below 1e-30 and next to 1."""
    run = count * hs.Gaussian(noise).random_allocation(steps=steps)
    for delta in (1e-300, 1e-100, 1e-5, 0.5, 1 - 1e-6, 1 - 1e-12):
        bounds = run.epsilon_bounds(delta, tolerance=1e-3 if delta == 0.5 else 1e-4)
        assert bounds.upper <= (count * hs.Gaussian(noise)).epsilon(delta)
