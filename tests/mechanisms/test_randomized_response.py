# SPDX-License-Identifier: Apache-2.0
"""The pairs of randomized response in ball arithmetic."""

import math

import pytest

import hockeystick as hs
from hockeystick import _core


def test_without_noise_the_loss_is_infinite():
    cells = _core.dominating_pair("randomized_response", [0.0, 4]).integrate([-1.0, 1.0])
    assert cells.infinity_mass_lower >= 1 - 2e-15
    special = _core.dominating_pair("randomized_response_special", [0.0, 4])
    back = _core.dominating_pair("randomized_response_special_back", [0.0, 4])
    assert special.integrate([1.38, 1.39]).p == [1.0]
    assert back.integrate([-1.39, -1.38]).infinity_mass == pytest.approx(0.75, rel=1e-14)


@pytest.mark.parametrize(
    ("name", "largest"),
    [("randomized_response", 0.775 / 0.075), ("randomized_response_special", 0.75 / 0.225)],
)
def test_stated_errors_are_those_of_the_page(name, largest):
    """4 u of their masses and 6 u of sums; 8 u of the loss that is farthest from 0."""
    masses, losses = _core.dominating_pair(name, [0.3, 4]).law_errors()
    assert masses == 10 * 2.0**-53
    assert losses == pytest.approx(8 * 2.0**-53 * math.log(largest), rel=1e-9, abs=0)


@pytest.mark.parametrize("buckets", [2, 3, 1000, 10**6])
@pytest.mark.parametrize("epsilon", [1e-6, 0.0123, 0.1, 1 / 3, 1.0, 5.0, 40.0])
def test_a_stated_epsilon_is_not_undercut(epsilon, buckets):
    """By the double that stands for the noise parameter."""
    response = hs.RandomizedResponse(epsilon=epsilon, num_buckets=buckets)
    assert epsilon <= response.epsilon(0, adjacency="replace-one") <= epsilon * (1 + 1e-3)
