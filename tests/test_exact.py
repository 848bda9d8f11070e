# SPDX-License-Identifier: Apache-2.0
"""The oracles against each other: a truth computed in two ways."""

import math

import pytest
from flint import arb, ctx

import exact
import random_runs
from exact.atoms import AtomSums, Lattice, joined
from exact.contour import Contour, composed_delta, composed_epsilon
from exact.finite import FinitePld
from exact.laws import AtomLaw, Laplace
from exact.mechanisms import makers, release
from exact.model import Step
from exact.moments import Line, law
from exact.one_step import gaussian_delta, step_delta
from exact.responses import Responses
from exact.sums import laplace_delta

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


@pytest.mark.every(3)
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


@pytest.mark.every(3)
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


def test_every_mechanism_has_an_oracle():
    assert set(makers()) == set(random_runs.KINDS)


def cases():
    """Every mechanism in every direction, sampled or not."""
    for term in random_runs.unsampled().values():
        for adjacency in random_runs.KINDS[term.name].adjacencies:
            for direction in random_runs.DIRECTIONS[adjacency]:
                yield term.name, term.parameters, direction
                sampled = not direction.startswith("replace") or term.name == "Gaussian"
                if sampled and hasattr(random_runs.mechanism(term), "poisson_sampled"):
                    yield term.name, {**term.parameters, "rate": 0.125}, direction


@pytest.mark.every(4)
@pytest.mark.parametrize(("name", "parameters", "direction"), {str(c): c for c in cases()}.values())
def test_both_distributions_sum_to_one(name, parameters, direction):
    """M(0) is the mass of finite loss under P, M(-1) under Q: what is missing has infinite loss."""
    with ctx.workprec(300):
        there, back = (
            release(name, parameters, way).law for way in (direction, reversed_direction(direction))
        )
        for c, missing in ((arb(0), there.infinity_mass), (arb(-1), back.infinity_mass)):
            log_m, error = next(there.log_moments(Line(c, arb(1), 1, 0.0)))
            assert abs(log_m.exp() - (1 - missing)) < 1e-20 + 2 * error
            assert error < 1e-12


def reversed_direction(direction):
    pairs = [("remove", "add"), ("replace", "replace_back"), ("special_remove", "special_add")]
    return {a: b for pair in pairs for a, b in (pair, pair[::-1])}[direction]


def close(a, b, digits=11):
    return abs(a - b) < abs(b) * arb(10) ** -digits


with ctx.workprec(400):
    RESPONSE = AtomLaw([(arb(0.75), arb(0.25)), (arb(0.25), arb(0.75))])
GAUSSIAN = law(Step(0.5), "remove")


@pytest.mark.parametrize("epsilon", [0.0, 7.5, 60.0])
def test_compositions_of_atoms_in_three_ways(epsilon):
    truth = Responses(math.log(3), 0.0, 60).curve(epsilon)
    likely = arb(math.log(3)).exp() / (1 + arb(math.log(3)).exp())
    response = AtomLaw([(likely, 1 - likely), (1 - likely, likely)])
    assert close(AtomSums([(response, 60)]).delta(arb(epsilon)), truth, 60)
    assert close(Lattice(response, 60, 15).delta(arb(epsilon)), truth, 15)
    parts = joined(Lattice(response, 57, 15).delta, [(response, 3)])
    assert close(parts(arb(epsilon)), truth, 14)


def test_atoms_of_three_losses():
    """Listed in two halves, and on the lattice."""
    three = release("RandomizedResponse", {"noise_parameter": 0.5, "num_buckets": 7}, "replace").law
    listed, on_lattice = AtomSums([(three, 40)]), Lattice(three, 40, 15)
    for epsilon in (arb(0), arb(11), arb(70)):
        assert close(on_lattice.delta(epsilon), listed.delta(epsilon), 14)


@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 2.0, 30.0])
def test_atoms_and_a_gaussian(epsilon):
    by_parts = joined(lambda e: gaussian_delta(GAUSSIAN.square.sqrt(), e), [(RESPONSE, 9)])
    contour = Contour([(RESPONSE, 9), (GAUSSIAN, 1)], 12)
    assert close(contour.delta(arb(epsilon)), by_parts(arb(epsilon)))


def test_laplace_mechanisms():
    """By residues, by the contour, and by the contour of a sample that is nearly all."""
    truth = laplace_delta(arb(2), 100, arb(40))
    assert close(Contour([(Laplace(arb(2)), 100)], 12).delta(arb(40)), truth, 12)
    nearly = {"noise_multiplier": 0.5, "rate": 1 - 2**-53}
    contour = Contour([(release("Laplace", nearly, "remove").law, 100)], 12)
    assert close(contour.delta(arb(40)), truth)


def test_nodes_between_peaks_are_not_the_last():
    """Of a lattice that is all but undisturbed, the contour must see the peaks, or give up."""
    narrow, count = (law(Step(1.0), "remove"), 1), 500
    contour = Contour([(RESPONSE, count), narrow], 12)
    by_parts = joined(lambda e: gaussian_delta(arb(1), e), [(RESPONSE, count)])
    assert close(contour.delta(arb(300)), by_parts(arb(300)))
