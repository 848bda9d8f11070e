# SPDX-License-Identifier: Apache-2.0
"""The views of the C library are those of the Python package."""

from ctypes import byref

import pytest

import hockeystick as hs
from c_library import Answer, Run, checked, doubles, lib

RUN = 200 * hs.Gaussian(1.0).poisson_sampled(0.01)
POINTS = {
    "true_positive_rate": [0.0, 0.01, 0.5, 1.0],
    "bayes_risk": [0.1, 0.5, 0.9],
    "gdp_mu": [1e-6],
    "renyi_divergence": [1.0, 8.0],
    "zcdp": [32.0],
    "loss_tail": [0.5],
    "loss_quantile": [0.5, 0.99],
}
ARGUMENTS = dict.fromkeys(POINTS, "level") | {
    "true_positive_rate": "fpr",
    "bayes_risk": "prior",
    "gdp_mu": "smallest_rate",
    "renyi_divergence": "order",
    "zcdp": "largest_order",
    "loss_tail": "epsilon",
}
NAMES = {"loss_tail": "probabilistic_delta"}


@pytest.mark.parametrize("adjacency", [1, 2, 3])
@pytest.mark.parametrize("view", POINTS)
def test_a_view_is_that_of_python(view, adjacency):
    name = ("add-or-remove-one", "remove-one", "add-one")[adjacency - 1]
    ask = getattr(RUN, f"{NAMES.get(view, view)}_bounds")
    bounds = ask(**{ARGUMENTS[view]: POINTS[view]}, adjacency=name)
    run = Run().add("poisson_sampled(gaussian)", 200, noise_multiplier=1, sampling_probability=0.01)
    width = {"tolerance": 1e-2} if view.startswith("loss") else {}
    status, found = run.ask(view, POINTS[view], adjacency=adjacency, **width)
    assert status == 0
    for (lower, upper), expected in zip(found, zip(*bounds[:2], strict=True), strict=True):
        assert (lower, upper) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_advantage_is_delta_at_zero():
    run, answer = Run().add("gaussian", noise_multiplier=1.0), Answer()
    checked(lib.hs_advantage(run.handle, None, byref(answer)))
    assert answer.lower <= hs.Gaussian(1.0).delta_bounds(0.0).upper
    assert hs.Gaussian(1.0).delta_bounds(0.0).lower <= answer.upper
    assert run.ask("delta", [0.0])[1] == [(answer.lower, answer.upper)]


def test_without_options_each_question_has_its_own_tolerance():
    run, answer = Run().add("laplace", 50, noise_multiplier=10.0), (Answer * 1)()
    assert lib.hs_loss_quantile(run.handle, doubles([0.5]), 1, None, answer) == 0
