# SPDX-License-Identifier: Apache-2.0
"""The oracles against each other: a truth computed in two ways."""

import pytest
from flint import arb, ctx

import exact
from exact.contour import composed_delta, composed_epsilon
from exact.finite import FinitePld
from exact.one_step import gaussian_delta, step_delta

NEARLY_ONE = 1 - 2**-53
DIRECTIONS = ("remove", "add", "replace")


@pytest.fixture(autouse=True)
def _precision():
    with ctx.workprec(320):
        yield


def relative_difference(a, b):
    return float(abs(a.mid() - b.mid()) / abs(b.mid()))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 10.0])
def test_a_step_that_always_samples_is_the_gaussian(direction, epsilon):
    step = exact.Step(1.5)
    mu = exact.gaussian_mu(((step, 1),), direction)
    gaussian = gaussian_delta(mu, arb(epsilon))
    assert relative_difference(step_delta(step, arb(epsilon), direction), gaussian) < 1e-40


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("epsilon", "count"), [(0.0, 1), (2.0, 30), (20.0, 30), (40.0, 1000)])
def test_the_contour_composes_gaussians(direction, epsilon, count):
    """At q = 1 M is known, at q = 1 - 2^-53 it is integrated; the truths differ by ~1e-15."""
    exactly, nearly = ((exact.Step(5.0, q), count) for q in (1.0, NEARLY_ONE))
    truth = exact.delta((exactly,), epsilon, direction)
    known = composed_delta((exactly,), arb(epsilon), direction)
    integrated = composed_delta((nearly,), arb(epsilon), direction)
    assert relative_difference(known, truth) < 1e-20
    assert relative_difference(integrated, truth) < 1e-11


@pytest.mark.parametrize(("direction", "epsilon"), [("remove", 2.0), ("replace", 6.0)])
def test_the_contour_knows_one_sampled_step(direction, epsilon):
    step = exact.Step(1.0, 0.4)
    contour = composed_delta(((step, 1),), arb(epsilon), direction, 12)
    assert relative_difference(contour, step_delta(step, arb(epsilon), direction)) < 1e-12


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("delta", [0.3, 1e-5, 1e-30, 1e-300])
def test_epsilon_is_the_inverse_of_delta(direction, delta):
    run = ((exact.Step(1.0, 0.05), 300), (exact.Step(4.0), 2))
    epsilon = exact.epsilon(run, delta, direction)
    assert relative_difference(exact.delta(run, epsilon.mid(), direction), arb(delta)) < 1e-18


def test_splitting_a_run_changes_nothing():
    step = exact.Step(1.0, 0.02)
    whole = composed_epsilon(((step, 900),), arb(1e-6), "remove")
    parts = composed_epsilon(((step, 300), (step, 600)), arb(1e-6), "remove")
    assert relative_difference(parts, whole) < 1e-18


def test_the_worse_direction_is_taken():
    run = ((exact.Step(1.0, 0.01), 1000),)
    both = [exact.epsilon(run, 1e-5, direction) for direction in ("remove", "add")]
    assert exact.epsilon(run, 1e-5).overlaps(both[0])
    assert both[1] < both[0]


def test_finite_composition_is_the_binomial():
    """Randomized response, P(L = 1) = e / (1 + e): its composition is binomial."""
    likely = arb(1).exp() / (1 + arb(1).exp())
    pld = FinitePld(arb(1), -1, (1 - likely, arb(0), likely), arb(0)).composed(3)
    truth = likely**3 * (1 - arb(-3).exp()) + 3 * likely**2 * (1 - likely) * (1 - arb(-1).exp())
    assert relative_difference(pld.delta(0.0), truth) < 1e-60


def test_finite_composition_of_an_infinite_loss():
    pld = FinitePld(arb(1), 0, (arb(0.75),), arb(0.25)).composed(4)
    assert relative_difference(pld.delta(5.0), 1 - arb(0.75) ** 4) < 1e-60
