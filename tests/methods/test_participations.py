# SPDX-License-Identifier: Apache-2.0
"""Sampled Gaussians with little noise: the bounds in ball arithmetic, and against other methods."""

import itertools
import math

import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.balls import normal_tail
from exact.pair import Pair
from hockeystick import _core
from joined_steps import asked, curve, numbers_joined, sampled

FORMS = ("remove", "add", "replace")


def conditional(steps, plain, epsilon, form="remove"):
    """The lower sum of the page, over all numbers of steps; the upper one without its slacks."""
    total = arb(0)
    for terms in itertools.product(*(numbers_joined(*step, form) for step in steps)):
        weights, squares, shifts = zip(*terms, strict=True)
        square = sum(squares, arb(plain))
        total += math.prod(weights) * curve(square, sum(shifts, epsilon))
    return total


RUNS = [
    [(0.03, 0.01, 5)],
    [(0.05, 0.3, 12)],
    [(0.02, 0.999, 4)],
    [(0.001, 1e-6, 40)],
    [(0.02, 1e-5, 10)],
    [(0.04, 0.02, 6), (0.05, 0.3, 3)],
]


@pytest.mark.parametrize("steps", RUNS, ids=str)
@pytest.mark.parametrize("form", ["remove", "replace"])
@pytest.mark.parametrize("plain", [0.0, 2.0])
def test_delta_is_the_sum_over_the_numbers_of_steps(steps, form, plain):
    terms = [(sampled(noise, rate, form), count) for noise, rate, count in steps]
    if plain:
        terms.append((_core.dominating_pair("gaussian", (1 / plain,)), 1))
    far = max(1 / noise**2 for noise, _, _ in steps) / 2
    for part in (0.0, 0.3, 0.9, 0.99, 1.02, 1.4, 2.01, 2.7, 3.5, 4.5):
        epsilon = min(part * far, 9e3)
        found = asked(terms, "delta", epsilon)
        with ctx.workprec(300):
            least = conditional(steps, plain**2, arb(epsilon), form)
            assert found.lower <= least * (1 + arb(1e-15))
            assert found.upper >= least * (1 - arb(1e-15))
            if least > 1e-15:
                assert found.lower >= least * (1 - arb(1e-3))
                assert found.upper <= least * (1 + arb(1e-3))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("noise", "rate", "count"), [(0.1, 0.3, 3), (0.12, 0.01, 1), (0.08, 0.4, 50)]
)
def test_mistakes_are_counted_as_the_page_says(noise, rate, count, form):
    """Above and below the sum, where noise hides some of the joined steps."""
    with ctx.workprec(300):
        mu, q = arb(1 / noise), arb(rate)
        odds = ((1 - q) / q).log() / mu
        wrong = count * (q * normal_tail(mu / 2 - odds) + (1 - q) * normal_tail(mu / 2 + odds))
        for part in (0.1, 0.6):
            if form == "add":
                epsilon = -part * count * math.log1p(-rate)
                total = 1 - (epsilon + count * (1 - q).log()).exp()
            else:
                epsilon = part * count / noise**2
                total = conditional([(noise, rate, count)], 0.0, arb(epsilon), form)
            found = asked([(sampled(noise, rate, form), count)], "delta", epsilon)
            above = arb(0) if form == "add" else 2 * wrong
            both = count * q**2 / (1 - q) * (-(mu**2)).exp()
            below = {"remove": arb(0), "add": wrong / (1 - q), "replace": wrong + both}[form]
            room = arb(1e-11) * total + arb(1e-7) * wrong
            assert total + above - room <= found.upper <= total + above + room
            least = total - below
            assert least - room <= found.lower <= max(arb(0), least + room, key=float)


@pytest.mark.parametrize("rate", [1e-4, 0.3, 0.9])
@pytest.mark.parametrize("noise", [0.03, 0.05, 0.07, 0.1])
def test_one_step_encloses_its_integrals(rate, noise):
    """The best event is beyond one point; its mass in balls, where mistakes are rare and not."""
    step = exact.Step(noise, rate)
    for part in (0.0, 0.2, 0.5, 0.95, 1.0, 1.2):
        epsilon = part / noise**2 / 2
        with ctx.workprec(400):
            truth = Pair(step, "remove").delta(arb(epsilon))
            found = asked([(sampled(noise, rate), 1)], "delta", epsilon)
            assert found.lower <= truth * (1 + arb(1e-15))
            assert found.upper >= truth * (1 - arb(1e-15))
            if noise <= 0.05 and truth > 1e-14:
                assert found.upper <= found.lower * (1 + 1e-3)
            least = asked([(sampled(noise, rate, "add"), 1)], "delta", epsilon)
            added = Pair(step, "add").delta(arb(epsilon))
            assert least.lower <= added + arb(1e-60)
            assert least.upper >= added - arb(1e-60)


@pytest.mark.every(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("noise", [0.05, 0.06, 0.08, 0.1, 0.12])
def test_it_agrees_with_all_other_methods(noise, form):
    """Also where mistakes are so likely that they are most of the upper bound."""
    for rate, count in ((0.01, 3), (0.3, 20), (0.6, 2), (1e-4, 1000)):
        terms = [(sampled(noise, rate, form), count)]
        for delta in (0.2, 1e-3, 1e-5, 1e-9):
            found = asked(terms, "epsilon", delta)
            other = asked(terms, "epsilon", delta, method="")
            assert found.lower <= other.upper * (1 + 1e-12)
            assert other.lower <= found.upper * (1 + 1e-12)
        for epsilon in (0.01, 3.0, 40.0, 0.5 / noise**2):
            found = asked(terms, "delta", epsilon)
            other = asked(terms, "delta", epsilon, method="fft_composition")
            assert found.lower <= other.upper * (1 + 1e-12)
            assert other.lower <= found.upper * (1 + 1e-12)


@pytest.mark.every(3)
@pytest.mark.parametrize("noise", [1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.03, 0.05])
@pytest.mark.parametrize("rate", [1e-4, 0.01, 0.1, 0.5])
def test_little_noise_is_told_at_once(noise, rate):
    """By no grid, and never above what the run costs without sampling."""
    step = hs.Gaussian(noise_multiplier=noise)
    for count in (1, 2, 5, 100, 10_000):
        for adjacency in ("add-or-remove-one", "replace-one"):
            run = count * step.poisson_sampled(rate)
            chosen = {
                row.method
                for table in run.explain(delta=1e-5, adjacency=adjacency).directions
                for row in table
                if row.verdict == "chosen"
            }
            assert not chosen & {"fft_composition", "discretized_contour", "single_step"}
            bounds = run.epsilon_bounds(1e-5, adjacency=adjacency)
            assert bounds.upper <= (count * step).epsilon(1e-5, adjacency=adjacency)


def test_a_looser_tolerance_is_no_harder():
    for noise in (0.02, 0.03):
        run = 5 * hs.Gaussian(noise_multiplier=noise).poisson_sampled(0.01)
        found = [run.epsilon_bounds(1e-5, tolerance=t) for t in (1e-8, 1e-6, 1e-3, 1e-2, 0.5)]
        for tight, loose in itertools.pairwise(found):
            assert loose.lower <= tight.lower * (1 + 1e-9)
            assert tight.upper <= loose.upper * (1 + 1e-9)
            assert loose.upper <= loose.lower * (1 + 1e-5)


def test_between_two_numbers_of_steps_any_epsilon_has_the_delta():
    """All five steps are joined with a probability of 1e-5, but for rounding."""
    run = 5 * hs.Gaussian(noise_multiplier=0.001).poisson_sampled(0.1)
    bounds = run.epsilon_bounds(1e-5)
    assert 4 * 5e5 < bounds.lower < bounds.upper < 5 * 5e5
    for end in bounds:
        if end <= 1e4:
            assert run.delta(end) == pytest.approx(1e-5, rel=1e-9)
    near = run.epsilon_bounds(0.999e-5)
    assert near.upper < near.lower * (1 + 1e-3)


def test_added_records_cost_what_joining_no_step_tells():
    for count, rate in ((5, 0.01), (3000, 0.1), (1, 1e-4)):
        run = count * hs.Gaussian(noise_multiplier=0.03).poisson_sampled(rate)
        bounds = run.epsilon_bounds(1e-6, adjacency="add-one")
        most = -count * math.log1p(-rate)
        truth = most + math.log1p(-1e-6) if count * rate > 1e-5 else most
        assert bounds.lower * (1 - 1e-9) <= truth <= bounds.upper * (1 + 1e-9)


def test_where_noise_hides_the_steps_it_does_not_apply():
    found = asked([(sampled(1.0, 0.01), 10)], "epsilon", 1e-5)
    assert (found.lower, found.upper, found.converged) == (0, math.inf, False)


@pytest.mark.parametrize("noise", [0.002, 0.05])
@pytest.mark.parametrize("rate", [0.5, 0.01, 1e-4])
@pytest.mark.parametrize("count", [1, 2, 5, 100])
def test_half_of_what_is_not_joined_is_above_0_where_records_are_replaced(noise, rate, count):
    """The loss of steps that are not joined is odd; its sign was not known, and took 44 ms."""
    run = count * hs.Gaussian(noise).poisson_sampled(rate)
    bounds = run.probabilistic_delta_bounds(0.0, adjacency="replace-one", tolerance=1e-9)
    assert bounds.lower - 1e-15 <= 1 - (1 - rate) ** count / 2 <= bounds.upper + 1e-15
