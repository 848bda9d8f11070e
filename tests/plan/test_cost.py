# SPDX-License-Identifier: Apache-2.0
"""Costs grow with what is done, and what can be had for a cost costs that much."""

import pytest

from hockeystick import _core

cost = _core.plan


def test_samples_to_be_had_for_a_cost_cost_it():
    samples = cost.contour_samples(1e6, 3, 500)
    assert cost.contour_cost(3, samples, 500) == pytest.approx(1e6)


def test_more_work_costs_more():
    assert cost.transform_cost(1, 100, 1024) < cost.transform_cost(1, 100, 2048)
    assert cost.transform_cost(1, 100, 1024) < cost.transform_cost(2, 200, 1024)
    assert cost.contour_cost(1, 20, 100) < cost.contour_cost(1, 40, 100)
