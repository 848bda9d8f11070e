# SPDX-License-Identifier: Apache-2.0
"""The oracles of `exact` against `hockeystick.verify`, of which they are independent."""

import math
import random

import pytest
from flint import arb

import exact
import hockeystick as hs
import random_runs
from exact.curve import Curve
from exact.laws import AtomLaw, listed
from exact.mechanisms import oracles, release
from exact.one_step import gaussian_delta
from exact.pair import WAYS, Pair
from exact.responses import Responses
from hockeystick.adjacency import Direction
from hockeystick.verify.curves import composed
from hockeystick.verify.errors import NotKnownError

pytestmark = pytest.mark.bits(320)


def relative_difference(a, b):
    return float(abs(a.mid() - b.mid()) / abs(b.mid()))


def verified(mechanism, way, epsilon):
    return composed([(mechanism, 1)], WAYS[way], 40).delta(arb(epsilon))


@pytest.mark.parametrize("way", ["remove", "add", "replace"])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 10.0])
def test_a_step_that_always_samples_is_the_gaussian(way, epsilon):
    step = exact.Step(1.5)
    gaussian = gaussian_delta(exact.gaussian_mu(((step, 1),), way), arb(epsilon))
    assert relative_difference(Pair(step, way).delta(arb(epsilon)), gaussian) < 1e-20
    assert relative_difference(verified(hs.Gaussian(1.5), way, epsilon), gaussian) < 1e-40


@pytest.mark.every(3)
@pytest.mark.parametrize("way", ["remove", "add", "replace"])
@pytest.mark.parametrize("delta", [0.3, 1e-5, 1e-30, 1e-300])
def test_epsilon_is_the_inverse_of_delta(way, delta):
    run = ((exact.Step(1.0, 0.05), 300), (exact.Step(4.0), 2))
    epsilon = exact.epsilon(run, delta, way)
    assert relative_difference(exact.delta(run, epsilon.mid(), way), arb(delta)) < 1e-18


def test_composed_curves_are_binomial():
    """Randomized response, P(L = 1) = e / (1 + e), and infinite losses beside one that is 0."""
    likely = arb(1).exp() / (1 + arb(1).exp())
    curve = Curve([arb(-1), arb(0), arb(1)], [1 - likely, arb(0), likely]).composed(3)
    truth = likely**3 * (1 - arb(-3).exp()) + 3 * likely**2 * (1 - likely) * (1 - arb(-1).exp())
    assert relative_difference(curve(arb(0)), truth) < 1e-60
    curve = Curve([arb(0), arb(1)], [arb(0.75), arb(0)], 0.25).composed(4)
    assert relative_difference(curve(arb(5)), 1 - arb(0.75) ** 4) < 1e-60


def cases():
    """Every mechanism with finitely many losses in every direction, sampled or not."""
    rng = random.Random(1)
    for name, kind in random_runs.KINDS.items():
        if not hasattr(oracles().get(name), "release"):
            continue
        parameters = kind.draw(rng)
        parameters.pop("rate", None)
        for adjacency in kind.adjacencies:
            for way in adjacency.directions:
                yield name, parameters, way
                made = random_runs.mechanism(random_runs.Term(name, parameters, 1))
                if not way.replaces and hasattr(made, "poisson_sampled"):
                    yield name, {**parameters, "rate": 0.125}, way


NAMES = dict(
    pair
    for adjacency, names in random_runs.DIRECTIONS.items()
    for pair in zip(adjacency.directions, names, strict=True)
)


@pytest.mark.parametrize(("name", "parameters", "way"), {str(c): c for c in cases()}.values())
def test_both_distributions_sum_to_one_and_have_the_curve_of_verify(name, parameters, way):
    law, back = (release(name, parameters, NAMES[one]) for one in (way, way.reversed))
    for there, other in ((law, back), (back, law)):
        total = sum((p for _, p in there.atoms), there.infinity_mass)
        assert abs(total - 1) < 1e-20
        reverse = sum((p * (-loss).exp() for loss, p in there.atoms), other.infinity_mass)
        assert abs(reverse - 1) < 1e-20
    mechanism = random_runs.mechanism(random_runs.Term(name, parameters, 1))
    try:
        curve = composed([(mechanism, 1)], way, 40)
    except NotKnownError:
        return  # verify has no law of a mechanism that is new
    for epsilon in (-0.4, 0.0, 0.3):
        truth = law.infinity_mass + sum(
            (p * (-(epsilon - loss).expm1()).max(arb(0)) for loss, p in law.atoms), arb(0)
        )
        assert abs(curve.delta(arb(epsilon)) - truth) < 1e-40


@pytest.mark.parametrize("epsilon", [0.0, 7.5, 60.0])
def test_compositions_of_atoms_in_three_ways(epsilon):
    truth = Responses(math.log(3), 0.0, 60).curve(epsilon)
    likely = arb(math.log(3)).exp() / (1 + arb(math.log(3)).exp())
    response = AtomLaw([(likely, 1 - likely), (1 - likely, likely)])
    sums = sum(
        (p * (-(epsilon - loss).expm1()).max(arb(0)) for loss, p in listed([(response, 60)])),
        arb(0),
    )
    assert abs(sums - truth) < truth * arb(10) ** -60
    run = ((hs.ApproximateDP(epsilon=math.log(3), delta=0.0), 60),)
    found = composed(run, Direction.REMOVE, 40).delta(arb(epsilon))
    assert abs(found - truth) < truth * arb(10) ** -40
