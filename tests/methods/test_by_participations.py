# SPDX-License-Identifier: Apache-2.0
"""Sampled Gaussians with little noise beside other mechanisms, whose losses are two atoms here."""

import math

import pytest
from flint import arb, ctx

import hockeystick as hs
from joined_steps import asked, curve, numbers_joined, sampled

FORMS = ("remove", "add", "replace")


def pure(epsilon):
    return hs.ApproximateDP(epsilon, 0.0).dominating_pair(hs.Direction.REMOVE)


def conditional(noise, rate, count, form, epsilon, pure_epsilon):
    """The sum over the numbers of steps and over the two losses of the pure mechanism."""
    size = arb(pure_epsilon)
    likelier = 1 / (1 + (-size).exp())
    return sum(
        weight * mass * curve(square, epsilon + shift - loss)
        for weight, square, shift in numbers_joined(noise, rate, count, form)
        for mass, loss in ((likelier, size), (1 - likelier, -size))
    )


RUNS = [(0.03, 0.01, 5), (0.04, 0.3, 12), (0.02, 0.6, 4), (0.001, 1e-6, 40), (0.03, 0.5, 60)]


@pytest.mark.every(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("run", RUNS, ids=str)
@pytest.mark.parametrize("size", [0.3, 5.0])
def test_delta_is_the_sum_over_the_numbers_of_steps_and_other_losses(run, form, size):
    noise, rate, count = run
    terms = [(sampled(noise, rate, form), count), (pure(size), 1)]
    far = 1 / noise**2 / 2
    for part in (0.0, 1e-4, 2e-3, 0.3, 0.99, 1.02, 1.4, 2.7, 4.5, 17.0):
        epsilon = min(part * far, 9e3)
        found = asked(terms, "delta", epsilon)
        with ctx.workprec(300):
            truth = conditional(noise, rate, count, form, arb(epsilon), size)
            assert found.lower <= truth * (1 + arb(1e-14))
            assert found.upper >= truth * (1 - arb(1e-14))
            if truth > 1e-9:
                assert found.upper - found.lower <= 1e-3 * found.upper


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_epsilon_has_its_delta(run):
    noise, rate, count = run
    terms = [(sampled(noise, rate), count), (pure(2.0), 1)]
    for delta in (1e-12, 1e-5, 0.1):
        found = asked(terms, "epsilon", delta)
        assert found.converged
        with ctx.workprec(300):
            for end, sign in ((found.lower, 1), (found.upper, -1)):
                if end > 0:
                    truth = conditional(noise, rate, count, "remove", arb(end), 2.0)
                    assert sign * (truth - arb(delta)) >= -arb(1e-9) * delta


@pytest.mark.parametrize("form", FORMS)
def test_it_agrees_with_a_transform(form):
    """Beside terms whose curve is no sum; near 0 the added record asks for their reverse."""
    others = [
        [(sampled(0.2, 0.01, form), 5)],
        [(sampled(1.0, 0.1, form), 30), (pure(0.2), 2)],
        [(sampled(0.1, 1e-3, form), 2)],
    ]
    for other in others:
        terms = [(sampled(0.03, 0.05, form), 3), *other]
        for epsilon in (0.0, 0.01, 0.1, 1.0, 30.0, 500.0, 560.0, 1200.0):
            found = asked(terms, "delta", epsilon, method="")
            rough = asked(terms, "delta", epsilon, method="fft_composition", tolerance=0.1)
            assert max(found.lower, rough.lower) <= min(found.upper, rough.upper)


def test_no_method_but_the_one_for_little_noise_is_chosen():
    """A transform took seconds, and was refused."""
    step = hs.Gaussian(0.002).poisson_sampled(0.01)
    others = [hs.DiscreteGaussian(sigma=1.3), 3 * hs.Laplace(2.0), hs.ApproximateDP(1.0, 1e-6)]
    others += [100 * hs.Gaussian(1.0).poisson_sampled(0.01)]
    for other in others:
        for question in ({"epsilon": 0.5}, {"delta": 1e-3}, {"delta": 0.3}):
            found = (2 * step + other).explain(**question, adjacency="remove-one")
            (table,) = found.directions
            assert [row.method for row in table if row.verdict == "chosen"] == ["participations"]


def test_what_other_terms_lose_at_infinity_is_infinite():
    run = hs.ApproximateDP(2.0, 1e-4) + 4 * hs.Gaussian(0.002).poisson_sampled(0.1)
    assert tuple(run.epsilon_bounds(1e-9)) == (math.inf, math.inf)


def test_mistakes_that_hide_a_tiny_delta_leave_it_to_other_methods():
    """Halving epsilon where nothing is told took 11 s, and the answer was too wide."""
    run = 137 * hs.Laplace(55.0) + hs.Gaussian(0.032).poisson_sampled(7e-4)
    (table,) = run.explain(delta=1e-74, adjacency="remove-one").directions
    assert [row.method for row in table if row.attempts and row.forecast_seconds] == [
        "fft_composition"
    ]
