# SPDX-License-Identifier: Apache-2.0
"""The best of several runs: lines, kinks, the bound and what is attained, in balls and by games."""

import itertools
import math
import random

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core
from mechanisms import atoms
from mechanisms.test_number_of_runs import LAWS, generating, rate

SOME = [law for law in LAWS if law[1] < 1e3]
PAIRS = [([0.75, 0.25], [0.25, 0.75]), ([0.1, 0.5, 0.4], [0.3, 0.5, 0.2])]


def curve_of(p, q):
    """The exact curve's points: at its kinks, between which it is a line."""
    kinks = sorted({a / b for a, b in zip(p, q, strict=True)})
    return kinks, [h_of(p, q, a) for a in kinks]


def h_of(p, q, alpha):
    return sum(max(0.0, a - alpha * b) for a, b in zip(p, q, strict=True))


def games(p, q, law):
    """All rankings of the outcomes: the laws of the best with and without, and of no run."""
    for order in itertools.permutations(range(len(p))):
        best = []
        for masses in (p, q):
            above, parts = arb(0), {}
            for k in order:
                mass = arb(masses[k])
                parts[k] = generating(law, 1 - above) - generating(law, 1 - above - mass)
                above += mass
            best.append([parts[k] for k in range(len(p))] + [generating(law, arb(0))])
        yield best


@pytest.mark.every(2)
@pytest.mark.parametrize("law", SOME, ids=str)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_no_ranking_exceeds_the_bound(law, pair):
    """Brute force: every ranking of the outcomes of small pairs, also where alpha is below 1."""
    p, q = pair
    runs = _core.NumberOfRuns(*law)
    forth, back = curve_of(p, q), curve_of(q, p)
    with ctx.workprec(300):
        known = list(games(p, q, law))
        for alpha in (0.05, 0.4, 0.9, 1.0, 1.3, 2.5, 8.0, 40.0):
            bound = _core.runs.best_of_upper(forth, back, runs, [], 40, alpha)
            for there, without in known:
                attained = sum(
                    ((a - alpha * b).max(arb(0)) for a, b in zip(there, without, strict=True)),
                    arb(0),
                )
                assert attained <= arb(bound) + 1e-15


@pytest.mark.parametrize("seed", range(30))
def test_kinks_carry_all_lines(seed):
    """Whatever the lines: in balls, at the kinks and between them."""
    rng = random.Random(seed)
    lines = [
        (10 ** rng.uniform(-3, 1), 10 ** rng.uniform(-6, 1)) for _ in range(rng.randint(1, 60))
    ]
    if seed % 3 == 0:  # on a convex function, where all count
        lines = [(s, s * s) for s, _ in lines]
    if seed % 3 == 1:
        lines += [(s, less * (1 + 2.0**-52)) for s, less in lines]
    kinks = _core.runs.kinks_of(lines)
    places = [0.0, *(at for at, _ in kinks), *(10 ** rng.uniform(-6, 3) for _ in range(200))]
    places += [1.5 * at for at, _ in kinks]
    with ctx.workprec(200):
        for r in map(arb, places):
            bound = sum((arb(jump) * (r - arb(at)).max(arb(0)) for at, jump in kinks), arb(0))
            for slope, less in lines:
                assert arb(slope) * r - arb(less) <= bound or arb(slope) * r <= arb(less)
        # No kink lies far from where it has to be.
        for r in map(arb, places):
            bound = sum((arb(jump) * (r - arb(at)).max(arb(0)) for at, jump in kinks), arb(0))
            most = max([arb(s) * r - arb(less) for s, less in lines] + [arb(0)], key=float)
            assert bound <= most + arb(2) ** -45 * (1 + sum(s for s, _ in lines) * r)


@pytest.mark.every(2)
@pytest.mark.parametrize("law", SOME, ids=str)
def test_lines_lie_above_all_ranks(law):
    """At ranks in every cell, with the exact derivative and the lines that g lies below."""
    alphas = [math.exp(0.1 * k) for k in range(-60, 61)]
    uppers = [
        float(hs.Gaussian(2.0).delta(math.log(a)))
        if a >= 1
        else 1 - a + a * float(hs.Gaussian(2.0).delta(-math.log(a)))
        for a in alphas
    ]
    runs = _core.NumberOfRuns(*law)
    lines = np.array(_core.runs.rank_lines((alphas, uppers), runs, 10))
    rng = random.Random(5)
    with ctx.workprec(200):
        for k in range(300):
            x = 10 ** rng.uniform(-19, 0) if k % 2 else 1 - 10 ** rng.uniform(-9, 0)
            g = min(1.0, *(a * x + h for a, h in zip(alphas, uppers, strict=True)))
            high, low = float(rate(law, arb(x)).lower()), float(rate(law, arb(g)).upper())
            for r in (0.01, 0.3, 1.0, 4.0, 50.0):
                value = high * r - low
                assert value <= max(0.0, np.max(lines[:, 0] * r - lines[:, 1])) + 1e-13


@pytest.mark.every(3)
@pytest.mark.parametrize("number", [2, 3, 10])
@pytest.mark.parametrize(
    ("noise", "epsilon"), [(0.8, 10.0), (0.8, 16.0), (0.5468, 22.0), (2.0, 3.0)]
)
def test_a_fixed_number_of_runs_costs_what_a_ranking_attains(number, noise, epsilon):
    """Lowest outputs first up to c, then from the largest down: all are above c and one above d."""

    def tail(x):
        return (arb(x) / arb(2).sqrt()).erfc() / 2

    def attained(c, d):
        masses = []
        for mean in (1 / noise, 0.0):
            inside, beyond = tail(c - mean), tail(d - mean)
            masses.append(math.prod([inside] * number) - math.prod([inside - beyond] * number))
        return masses[0] - arb(epsilon).exp() * masses[1]

    # The best places lie next to where a test of all outputs decides.
    middle = noise * epsilon / number + 0.5 / noise
    grid = [middle + 0.05 * (k - 30) for k in range(60)]
    found = hs.best_of(hs.Gaussian(noise), runs="fixed", mean=number).delta_bounds(epsilon)
    with ctx.workprec(150):
        most = max((attained(c, d) for c in grid for d in grid if d > c), key=float)
        assert most > 0
        assert most <= found.upper
        assert found.lower <= found.upper


def test_rates_of_lines_are_rounded_up():
    law = ("negative_binomial", 12.5, 0.0)
    runs = _core.NumberOfRuns(*law)
    lines = _core.runs.rank_lines(([1.0], [0.0]), runs, 10)
    nodes = {0.0: lines[0][0], 1.0: lines[-1][0]}
    with ctx.workprec(200):
        for x, slope in nodes.items():
            assert arb(slope) >= rate(law, arb(x))
            assert arb(slope) <= rate(law, arb(x)) * (1 + 3 * runs.error)


def test_moments_bound_the_curve_as_their_formula():
    """E_P (1 - a / R)_+ with E_P R^t = e^(t D): the least over the orders, rounded up."""
    runs = _core.NumberOfRuns("poisson", 3.0, 0.0)
    wide = ([1e-6, 1e6], [1.0, 1.0])
    rng = random.Random(8)
    with ctx.workprec(200):
        for _ in range(300):
            order, divergence = 1 + 10 ** rng.uniform(-1, 2), 10 ** rng.uniform(-2, 0.5)
            alpha = math.exp(divergence + 10 ** rng.uniform(-2, 0.6))
            t = arb(order) - 1
            formula = (t * (arb(divergence) - arb(alpha).log())).exp()
            formula *= (t / arb(order)) ** t / arb(order)
            found = _core.runs.best_of_upper(wide, wide, runs, [(order, divergence)], 10, alpha)
            assert formula <= arb(found) or found == 1
            assert found == 1 or found <= float(formula) * (1 + 1e-11)


def test_all_runs_together_bound_the_best_by_their_chords():
    runs = _core.NumberOfRuns("binomial", 3.0, 3.0)
    wide = ([1e-6, 1e6], [1.0, 1.0])
    rng = random.Random(9)
    with ctx.workprec(200):
        for _ in range(300):
            x = sorted(rng.uniform(0.1, 9) for _ in range(2))
            y = sorted((rng.uniform(0.01, 0.9) for _ in range(2)), reverse=True)
            alpha = rng.uniform(*x)
            slope = (arb(y[1]) - arb(y[0])) / (arb(x[1]) - arb(x[0]))
            chord = arb(y[0]) + slope * (arb(alpha) - arb(x[0]))
            found = _core.runs.best_of_upper(wide, wide, runs, [], 10, alpha, (x, y))
            assert chord <= arb(found) <= chord * (1 + 2.0**-48)


def test_the_sum_over_kinks_is_rounded_up():
    """In balls from the kinks: by a chord of two points, all else given exactly."""
    forth, back = ([0.5, 2.0], [0.6, 0.05]), ([0.5, 2.0], [0.55, 0.1])
    for law in SOME[:6]:
        runs = _core.NumberOfRuns(*law)
        kinks = _core.runs.kinks_of(_core.runs.rank_lines(back, runs, 10))
        with ctx.workprec(200):
            for alpha in np.geomspace(0.1, 10, 200):
                total = arb(runs.none) * (1 - arb(alpha)).max(arb(0))
                for at, jump in kinks:
                    t = arb(alpha) * arb(at)
                    if t <= 0.5:
                        h = 1 - t * (1 - arb(0.6)) / arb(0.5)
                    elif t <= 2:
                        h = arb(0.6) + (t - 0.5) / arb(1.5) * (arb(0.05) - arb(0.6))
                    else:
                        h = arb(0.05)
                    total += arb(jump) * h
                found = _core.runs.best_of_upper(forth, back, runs, [], 10, float(alpha))
                assert total <= arb(found) or found == 1
                assert found == 1 or found <= float(total) * (1 + 1e-10)


@pytest.mark.parametrize("law", SOME, ids=str)
@pytest.mark.parametrize("first", [0.0, 0.2, 0.6])
def test_what_is_attained_is_a_ranking(law, first):
    """Atom by atom, of the ranking that it says."""
    p, q = [0.0625, 0.5, 0.25, 0.1875], [0.25, 0.5, 0.125, 0.125]
    given = [(math.log(a / b), a, b) for a, b in zip(p, q, strict=True)]
    pair = _core.runs.best_of_attained(given, _core.NumberOfRuns(*law), first)
    order = sorted(range(4), key=lambda k: p[k] / q[k])
    low, mass = 0, 0.0
    while low < 4 and mass < first:
        mass += p[order[low]]
        low += 1
    ranked = order[:low] + order[low:][::-1]
    with ctx.workprec(600):
        masses = []
        for side in (p, q):
            above, parts = arb(0), []
            for k in ranked:
                parts.append(generating(law, 1 - above) - generating(law, 1 - above - arb(side[k])))
                above += arb(side[k])
            none = generating(law, arb(0))
            masses.append([*parts, *([none] if none > 1e-290 else [])])
        truth = [one for one in atoms.law(*masses) if one.p > 1e-290 and one.q > 1e-290]
        cells = pair.integrate(np.array([-1e3, 1e3]))
        total = sum((one.p for one in truth), arb(0))
        assert abs(arb(cells.p[0]) - total) <= (cells.mass_error + 1e-15) * total
        for edge in (-2.0, -0.3, 0.05, 0.4, 1.0):
            above = sum((one.p for one in truth if one.loss > edge), arb(0))
            tail = pair.integrate(np.array([edge]))
            assert abs(arb(tail.upper_tail_p) - above) <= tail.mass_error * above + 1e-300
            assert tail.loss_error < 1e-7


def test_the_table_of_the_literature_is_met():
    """Intervals at delta = 1e-6; published bounds are 2.3854, 2.1338, 2.6283, 7.9737 and 9.1786."""
    small, large = hs.Gaussian(1 / 0.3), hs.Gaussian(1.0)
    for run, runs, mean, low, high in (
        (small, "geometric", 10, 1.881, 1.89),
        (small, "logarithmic", 12.526, 1.824, 1.831),
        (small, "poisson", 10, 2.369, 2.391),
        (small, "poisson", 100, 7.37, 8.59),
        (small, "fixed", 10, 3.79, 4.48),
        (large, "geometric", 10, 6.879, 6.902),
        (large, "poisson", 10, 8.616, 8.668),
    ):
        bounds = hs.best_of(run, runs=runs, mean=mean).epsilon_bounds(1e-6)
        assert low <= bounds.lower < bounds.upper <= high, (runs, bounds)


@pytest.mark.parametrize("run", [hs.Gaussian(0.01), hs.Laplace(1e-3), hs.ApproximateDP(30, 0.1)])
def test_a_score_that_ignores_the_outputs_costs_one_run(run):
    """Of little noise, where rankings leave out what lies beyond 600 nats, or is infinite."""
    best = hs.best_of(run, runs="geometric", mean=10)
    assert best.epsilon_bounds(1e-5).lower >= run.epsilon_bounds(1e-5).lower * (1 - 1e-12)
    assert best.delta_bounds(40.0).lower >= run.delta_bounds(40.0).lower * (1 - 1e-12)
