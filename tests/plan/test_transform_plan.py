# SPDX-License-Identifier: Apache-2.0
"""Transforms are as long as their tolerance asks for, and as cheap as their cost says."""

import pytest

from hockeystick import _core
from plan.plans import MECHANISMS, terms

MEMORY = 1 << 30


def answer(mechanism, count, tolerance, delta=1e-6):
    (found,) = _core.epsilon_bounds(
        [terms(mechanism, count)],
        [delta],
        tolerance=tolerance,
        memory_limit=MEMORY,
        method="fft_composition",
    )
    return found


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
def test_smaller_tolerances_take_longer_transforms(mechanism, count):
    loose, tight = answer(mechanism, count, 1e-2), answer(mechanism, count, 1e-5)
    assert loose.converged
    assert tight.converged
    assert loose.size <= tight.size
    assert loose.cost <= tight.cost
    assert tight.interval <= loose.interval


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
def test_a_transform_costs_at_least_its_terms_and_butterflies(mechanism, count):
    found = answer(mechanism, count, 1e-3)
    assert found.cost >= _core.plan.transform_cost(1, 0, found.size) * 0.9
