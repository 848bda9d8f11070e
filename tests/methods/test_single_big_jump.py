# SPDX-License-Identifier: Apache-2.0
"""Deltas that are the probability of one large loss: no tilt shows it beside the rest."""

from functools import cache
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from flint import arb, ctx
from scipy import special

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction

DIGITS = 40
MEMORY = 1 << 30


def sampled(sigma, q):
    return hs.Gaussian(noise_multiplier=sigma).poisson_sampled(q)


def answer(terms, query, value, tolerance=1e-3):
    ask = _core.epsilon_bounds if query == "epsilon" else _core.delta_bounds
    pairs = [(step.dominating_pair(Direction.REMOVE), count) for step, count in terms]
    (found,) = ask([pairs], [value], tolerance=tolerance, memory_limit=MEMORY)
    return found


class Step:
    """A sampled Gaussian, in high precision."""

    def __init__(self, sigma, q):
        self.mu, self.q = 1 / mp.mpf(sigma), mp.mpf(q)

    def loss(self, x):
        """log dP/dQ."""
        return mp.log1p(self.q * mp.expm1(self.mu * x - self.mu**2 / 2))

    def density(self, x):
        """Of P."""
        return (1 - self.q) * mp.npdf(x) + self.q * mp.npdf(x - self.mu)

    def edge(self, loss):
        """Where the loss is that."""
        return mp.log(mp.expm1(loss) / self.q + 1) / self.mu + self.mu / 2

    def delta(self, epsilon):
        """By tails of the normal distribution."""
        if epsilon <= mp.log1p(-self.q):
            return -mp.expm1(epsilon)
        x = self.edge(epsilon)
        above = [mp.erfc(y / mp.sqrt(2)) / 2 for y in (x, x - self.mu)]
        return self.q * above[1] - (mp.expm1(epsilon) + self.q) * above[0]


@cache
def delta_of_two(first, second, epsilon):
    """delta of one run of each: the integral over the loss of the first."""
    with mp.workdps(DIGITS):
        one, other = Step(*first), Step(*second)
        kink = one.edge(
            mp.mpf(epsilon) - mp.log1p(-other.q)
        )  # from there on delta has another form
        near = [mp.mpf(2) ** k for k in range(-16, 4)]
        below = [kink - y for y in reversed(near)]
        cuts = [
            *np.arange(-12, float(below[0]), 2),
            *below,
            kink,
            *(kink + y for y in near),
            mp.inf,
        ]
        pieces = [
            mp.quad(lambda x: one.density(x) * other.delta(epsilon - one.loss(x)), [a, b])
            for a, b in pairwise([mp.mpf(-30), *cuts])
        ]
        return mp.fsum(pieces)


PAIRS = [
    ((2.44, 0.000186), (2.44, 0.000186), 0.032),
    ((5.0, 0.002), (5.0, 0.002), 0.2),
    ((1.5, 0.000163), (1.5, 0.000163), 0.1),
    ((3.0, 0.001), (6.0, 0.02), 0.5),
]


@pytest.mark.parametrize(("first", "second", "epsilon"), PAIRS)
def test_delta_of_two_runs_is_enclosed(first, second, epsilon):
    terms = (
        [(sampled(*first), 2)] if first == second else [(sampled(*first), 1), (sampled(*second), 1)]
    )
    found = answer(terms, "delta", epsilon)
    truth = delta_of_two(first, second, epsilon)
    assert found.converged
    assert found.method == "one large loss"
    assert found.lower <= truth <= found.upper
    assert found.upper <= (1 + 2e-3) * float(truth)


@pytest.mark.parametrize(("first", "second", "epsilon"), PAIRS)
def test_epsilon_of_two_runs_is_enclosed(first, second, epsilon):
    terms = (
        [(sampled(*first), 2)] if first == second else [(sampled(*first), 1), (sampled(*second), 1)]
    )
    found = answer(terms, "epsilon", float(delta_of_two(first, second, epsilon)))
    assert found.converged
    assert found.lower * (1 - 1e-15) <= epsilon <= found.upper * (1 + 1e-15)
    assert found.upper - found.lower <= 1e-3 * found.upper


def rounded(sigma, q, interval, top, up):
    """Losses rounded up or down to multiples of the interval, from the lowest to the top."""
    mu = 1 / sigma
    first = int(np.floor(np.log1p(-q) / interval))
    edges = interval * np.arange(first, int(top / interval) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.log(np.expm1(edges) / q + 1) / mu + mu / 2
    x = np.where(edges > np.log1p(-q), x, -np.inf)
    above = (1 - q) * special.ndtr(-x) + q * special.ndtr(mu - x)
    mass = above[:-1] - above[1:]
    # Differences lose digits only where the mass is near 1.
    return (first + 1 if up else first), mass, above[-1]


@pytest.mark.parametrize(
    ("sigma", "q", "count", "delta"),
    [
        (4.93, 0.00114, 6, 1e-120),
        (1.8, 0.0006, 32, 1e-30),
        (4.0, 0.001, 16, 1e-150),
    ],
)
def test_direct_summation_agrees(sigma, q, count, delta):
    """Positive terms only: no tilt is needed for a direct convolution."""
    found = answer([(sampled(sigma, q), count)], "epsilon", delta)
    assert found.converged
    assert found.method == "one large loss"
    interval, top = found.upper / 1500, 1.5 * found.upper

    def composed(up):
        first, mass, beyond = rounded(sigma, q, interval, top, up)
        total, lost = mass, count * beyond
        for _ in range(count - 1):
            total = np.convolve(total, mass)
        return interval * (count * first + np.arange(total.size)), total, lost

    for up in (True, False):
        losses, mass, lost = composed(up)

        def at(epsilon, losses=losses, mass=mass):
            return float(np.sum(mass * np.maximum(0, -np.expm1(epsilon - losses))))

        slack = 1e-9 * delta
        if up:  # an upper curve: where it falls to delta, epsilon is no more
            assert at(found.lower) + lost > delta - slack
        else:
            assert at(found.upper) < delta + slack


def three_losses(rare, large, small):
    """Losses -small, small and large: on a grid, so that discretization takes nothing of them."""
    usual = (1 - rare) * np.exp(small) + rare * np.exp(-large) - 1
    second = usual / (np.exp(small) - np.exp(-small))
    p = [1 - rare - second, second, rare]
    return p, [p[0] * np.exp(small), p[1] * np.exp(-small), p[2] * np.exp(-large)]


def sums_of_three(p, q, count, epsilon):
    """delta, and the part of it with two large losses or more, term by term."""
    p, q = ([arb(x) / sum(map(arb, law)) for x in law] for law in (p, q))
    losses = [(x / y).log() for x, y in zip(p, q, strict=True)]
    parts = []
    for large in range(5):
        part = arb(0)
        for k in range(count - large + 1):
            loss = large * losses[2] + k * losses[1] + (count - large - k) * losses[0]
            if loss > epsilon:
                ways = arb.bin_uiui(count, large) * arb.bin_uiui(count - large, k)
                mass = ways * p[2] ** large * p[1] ** k * p[0] ** (count - large - k)
                part -= mass * (epsilon - loss).expm1()
        parts.append(part)
    return sum(parts, arb(0)), sum(parts[2:], arb(0))


@pytest.mark.parametrize(
    ("rare", "large", "small", "count", "epsilon"),
    [(1e-6, 8.0, 0.125, 40, 7.0), (1e-6, 16.0, 0.25, 100, 13.0), (3e-7, 16.0, 0.25, 100, 12.1)],
)
def test_two_large_losses_are_counted(rare, large, small, count, epsilon):
    """They are more than all else that the upper bound has to spare."""
    p, q = three_losses(rare, large, small)
    pair = hs.DiscretePair(p=p, q=q).dominating_pair(Direction.REMOVE)
    with ctx.workprec(300):
        truth, two = sums_of_three(p, q, count, arb(epsilon))
        for tolerance in (0.5, 0.1):
            lower, upper = _core.contour.one_large_loss([(pair, count)], epsilon, tolerance, MEMORY)
            assert truth - 1.01 * two <= arb(lower) <= truth <= arb(upper) <= truth + 0.2 * two


def test_delta_and_epsilon_are_inverse():
    terms = [(sampled(3.18, 0.000232), 22182)]
    epsilon = answer(terms, "epsilon", 3.2e-224)
    assert epsilon.method == "one large loss"
    beyond, before = (answer(terms, "delta", end) for end in (epsilon.upper, epsilon.lower))
    assert beyond.converged
    assert beyond.lower <= 3.2e-224 <= before.upper


def test_bounds_fall_as_delta_grows():
    terms = [(sampled(1.8, 0.0006), 374), (hs.Laplace(noise_multiplier=50.0), 3)]
    found = [answer(terms, "epsilon", delta) for delta in np.geomspace(1e-40, 1e-16, 13)]
    assert {a.method for a in found} >= {"one large loss"}
    assert all(a.converged for a in found)
    for smaller, larger in pairwise(found):
        assert larger.lower <= smaller.upper


def test_little_memory_is_an_obstacle():
    pairs = [[(sampled(3.18, 0.000232).dominating_pair(Direction.REMOVE), 22182)]]
    (found,) = _core.epsilon_bounds(pairs, [3.2e-224], tolerance=1e-3, memory_limit=1 << 20)
    assert not found.converged
    assert found.limited_by


MIXTURE = hs.GaussianMixture(
    standard_deviation=1.36,
    sensitivities=[0.0, 0.77, 2.70, 2.72],
    probabilities=[0.28, 0.03, 0.41, 0.28],
)
MANY_LARGE = {
    "a few each": [(sampled(0.8, 0.01), 40), (MIXTURE, 3)],
    "many": [(MIXTURE, 1000)],
    "rare": [(hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.01), 300)],
}


@pytest.mark.parametrize("direction", [Direction.REMOVE, Direction.ADD])
@pytest.mark.parametrize("name", MANY_LARGE)
def test_where_several_are_to_be_expected_nothing_wrong_is_said(name, direction):
    """Asked all the same, where delta is near 1: what it encloses may be wide."""
    terms = [(step.dominating_pair(direction), count) for step, count in MANY_LARGE[name]]
    epsilons = np.geomspace(1e-2, 1e3, 50)
    others = _core.delta_bounds([terms], epsilons, tolerance=1e-2, memory_limit=MEMORY)
    for epsilon, other in zip(epsilons, others, strict=True):
        found = _core.contour.one_large_loss(terms, epsilon, 1e-3, MEMORY)
        if found is not None:
            lower, upper = found
            assert lower <= min(upper, other.upper)
            assert upper >= other.lower


@pytest.mark.parametrize("steps", [11_565, 1000])
def test_deltas_near_1_far_below_the_mean_of_the_loss(steps):
    run = steps * MIXTURE + 87 * hs.Laplace(noise_multiplier=2.0)
    (terms,) = run._directions(hs.Adjacency.REMOVE_ONE)
    (found,) = _core.delta_bounds([terms], [0.7 * steps], tolerance=1e-3, memory_limit=1 << 26)
    assert found.converged
    assert 0.999 < found.lower <= 1 == found.upper
