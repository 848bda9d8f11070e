# SPDX-License-Identifier: Apache-2.0
"""The mixture mechanism as a value, and through the whole engine."""

import math

import numpy as np
import pytest
from flint import arb

import exact
import hockeystick as hs
import questions
from exact.mixture import MixturePair
from hockeystick import _core

TERMS = ((0.0, 0.5), (1.0, 0.3), (2.0, 0.2))


def mixture(deviation=1.0, terms=TERMS):
    sensitivities, probabilities = zip(*terms, strict=True)
    return hs.GaussianMixture(
        standard_deviation=deviation, sensitivities=sensitivities, probabilities=probabilities
    )


def test_arrays_become_tuples():
    made = hs.GaussianMixture(
        standard_deviation=1, sensitivities=np.array([0, 1, 2]), probabilities=[0.5, 0.3, 0.2]
    )
    assert made == mixture()
    assert made.sensitivities == (0.0, 1.0, 2.0)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf])
def test_standard_deviation_out_of_range(value):
    with pytest.raises(ValueError, match=r"^standard_deviation must be finite and > 0, got "):
        mixture(deviation=value)


@pytest.mark.parametrize("value", [-1.0, 1e-13, 1001.0, math.nan, math.inf])
def test_sensitivity_out_of_range(value):
    with pytest.raises(
        ValueError, match=r"^sensitivities\[1\] must be 0 or within \[1e-12, 1000\]"
    ):
        mixture(terms=((0.0, 0.5), (value, 0.5)))


@pytest.mark.parametrize("value", [0.0, -0.5, 1.5, math.nan])
def test_probability_out_of_range(value):
    with pytest.raises(ValueError, match=r"^probabilities\[1\] must be in \(0, 1\], got "):
        mixture(terms=((0.0, 0.5), (1.0, value)))


@pytest.mark.parametrize("value", ["1", None, True, 1j, [1.0]])
def test_members_of_a_wrong_type(value):
    message = r"^sensitivities\[1\] must be a real number that is 0 or within"
    with pytest.raises(TypeError, match=message):
        mixture(terms=((0.0, 0.5), (value, 0.5)))


@pytest.mark.parametrize("value", ["01", None, 1.0, {0.0: 1, 1.0: 2}])
def test_sequences_of_a_wrong_type(value):
    with pytest.raises(TypeError, match="^sensitivities must be a sequence of numbers, got "):
        hs.GaussianMixture(standard_deviation=1, sensitivities=value, probabilities=[0.5, 0.5])


def test_sequences_of_a_wrong_length():
    with pytest.raises(ValueError, match="^sensitivities must be 1 to 1000 numbers, got 0"):
        hs.GaussianMixture(standard_deviation=1, sensitivities=[], probabilities=[])
    with pytest.raises(ValueError, match="^probabilities must be as many as sensitivities, 2, got"):
        hs.GaussianMixture(standard_deviation=1, sensitivities=[0, 1], probabilities=[1.0])


def test_probabilities_are_taken_over_their_sum_if_that_is_near_1():
    almost = mixture(terms=((0.0, 0.5 + 9e-10), (1.0, 0.5)))
    assert almost.delta(epsilon=0.1) == pytest.approx(
        mixture(terms=((0.0, 0.5), (1.0, 0.5))).delta(epsilon=0.1), rel=1e-8
    )
    with pytest.raises(ValueError, match="^probabilities must sum to 1 within 1e-09, got a sum of"):
        mixture(terms=((0.0, 0.5 + 2e-9), (1.0, 0.5)))


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("deviation", [0.3, 1.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 2.0])
def test_delta_of_one_step(deviation, epsilon, direction):
    truth = MixturePair(exact.Step(1.0), direction, deviation, TERMS)
    bounds = mixture(deviation).delta_bounds(epsilon, adjacency=questions.ADJACENCY[direction])
    want = truth.delta(arb(epsilon)) if epsilon < math.log(2) or direction == "remove" else arb(0)
    questions.check(questions.Answer(bounds, certified=True), want, 1e-3)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_two_components_are_the_sampled_gaussian(direction):
    gaussian = 1000 * hs.Gaussian(noise_multiplier=0.8).poisson_sampled(0.01)
    query = {"delta": 1e-6, "adjacency": questions.ADJACENCY[direction], "tolerance": 1e-4}
    want = gaussian.epsilon_bounds(**query)
    for same in (
        mixture(0.8, ((0.0, 0.99), (1.0, 0.01))),
        mixture(0.8, ((1.0, 0.004), (0.0, 0.99), (1.0, 0.006))),
        mixture(0.8, ((1.0, 1.0),)).poisson_sampled(0.01),
        mixture(8.0, ((10.0, 0.5), (0.0, 0.5))).poisson_sampled(0.02),
    ):
        got = (1000 * same).epsilon_bounds(**query)
        assert got == pytest.approx(want, rel=1e-8)


def test_more_weight_on_more_distance_costs_more():
    weights = [0.1, 0.2, 0.4]
    epsilons = [mixture(1.0, ((1.0, 1 - w), (2.0, w))).epsilon(delta=1e-5) for w in weights]
    assert epsilons == sorted(epsilons)
    assert epsilons[0] > hs.Gaussian(noise_multiplier=1.0).epsilon_bounds(delta=1e-5).lower
    assert epsilons[-1] < hs.Gaussian(noise_multiplier=0.5).epsilon(delta=1e-5)


def test_no_sensitivity_costs_nothing():
    free = mixture(terms=((0.0, 0.5), (0.0, 0.5)))
    assert free.terms == ()
    assert free.poisson_sampled(0.5).epsilon_bounds(delta=1e-9) == (0.0, 0.0)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["gaussian_mixture_remove", "gaussian_mixture_add"])
@pytest.mark.parametrize("delta", [1e-3, 1e-10, 1e-80])
def test_the_engines_agree(name, delta):
    pair = _core.dominating_pair(name, [1.5, 0.1, 0.5, 1.0, 2.0, 0.5, 0.3, 0.2])
    answers = [
        _core.epsilon_bounds(
            [[(pair, 500)]], [delta], tolerance=1e-4, memory_limit=1 << 30, method=method
        )[0]
        for method in ("contour_integral", "fft_composition")
    ]
    assert [answer.method for answer in answers] == ["contour_integral", "fft_composition"]
    assert answers[0].lower <= answers[1].upper
    assert answers[1].lower <= answers[0].upper
