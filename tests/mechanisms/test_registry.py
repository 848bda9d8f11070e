# SPDX-License-Identifier: Apache-2.0
"""A pair is made from parameters in their ranges, and from no others."""

import math

import pytest

from hockeystick import _core

GOOD = {
    "gaussian": [1.0],
    "laplace": [1.0],
    "poisson_laplace_remove": [1.0, 0.1],
    "poisson_laplace_add": [1.0, 0.1],
    "permute_and_flip": [0.5],
    "poisson_permute_and_flip_remove": [0.5, 0.1],
    "poisson_permute_and_flip_add": [0.5, 0.1],
    "gaussian_mixture_remove": [1.0, 0.1, 1.0, 0.5, 0.25, 0.75],
    "gaussian_mixture_add": [1.0, 0.1, 1.0, 0.5, 0.25, 0.75],
    "discrete_gaussian": [1.0, 1.0, math.inf],
    "poisson_discrete_gaussian_add": [1.0, 1.0, 40.0, 0.1],
    "discrete_laplace": [1.0, 1.0],
    "poisson_discrete_laplace_remove": [1.0, 1.0, 0.1],
    "approximate_dp": [1.0, 0.5],
    "discrete_pair": [1.0, 2.0, 2.0, 1.0],
    "randomized_response": [0.5, 3.0],
    "randomized_response_special": [0.5, 3.0],
    "randomized_response_special_back": [0.5, 3.0],
    "poisson_gaussian_remove": [1.0, 0.1],
    "poisson_gaussian_add": [1.0, 0.1],
    "poisson_gaussian_replace": [1.0, 0.1],
    "truncated_poisson_gaussian_remove": [1.0, 0.1, 0.05, 0.5, 0.5],
    "random_allocation_above": [1.0, 10.0, 1.0, 4.0, 1e-6],
    "selected_steps_below": [1.0, 10.0, 2.0, 1.0, 4.0, 1e-6],
    "shuffled_below": [1.0, 10.0, 1.0, 0.0, 0.9],
    "shuffled_chosen_below": [1.0, 10.0, 2.0, 1.0, 0.5],
    "shuffled_every_above": [4.0, 10.0, 0.5, 0.0, 0.0, 4.0, 1e-6, 0.0],
    "shuffled_left_out_above": [4.0, 10.0, 1.0, 2.0, 0.0, 4.0, 1e-6, 0.0],
    "fixed_size_above": [1.0, 2.0, 20.0, 0.0, 4.0, 1e-6],
    "fixed_size_special_below": [1.0, 2.0, 20.0, 0.0, 1e-6],
}
MAY_BE_INFINITE = {("discrete_gaussian", 2), ("poisson_discrete_gaussian_add", 2)}  # truncations


@pytest.mark.parametrize("name", GOOD)
def test_good_parameters_make_a_pair(name):
    assert _core.dominating_pair(name, GOOD[name]).loss_supremum > 0


REVERSES = [
    ("gaussian", "gaussian"),
    ("poisson_gaussian_remove", "poisson_gaussian_add"),
    ("poisson_gaussian_replace", "poisson_gaussian_replace"),
    ("gaussian_mixture_remove", "gaussian_mixture_add"),
    ("laplace", "laplace"),
    ("poisson_laplace_remove", "poisson_laplace_add"),
    ("truncated_poisson_gaussian_remove", "truncated_poisson_gaussian_add"),
    ("discrete_pair", "discrete_pair_back"),
    ("fixed_size_above", "fixed_size_above_back"),
    ("random_allocation_above", "random_allocation_above_back"),
]


@pytest.mark.parametrize(("name", "other"), REVERSES)
def test_a_pair_that_knows_its_reverse_has_the_registered_one(name, other):
    at = [0.0, 1e-3, 0.1, 1.0, 3.0]
    there, back = (_core.dominating_pair(each, GOOD[name]) for each in (name, other))
    for pair, expected in ((there.reverse(), back), (there.reverse().reverse(), there)):
        assert list(pair.deltas_above(at)) == list(expected.deltas_above(at))


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -1.0])
def test_no_parameter_may_be_anything(name, bad):
    for k in range(len(GOOD[name])):
        if bad == math.inf and (name, k) in MAY_BE_INFINITE:
            continue
        parameters = [*GOOD[name][:k], bad, *GOOD[name][k + 1 :]]
        with pytest.raises(ValueError, match=" must "):
            _core.dominating_pair(name, parameters)
