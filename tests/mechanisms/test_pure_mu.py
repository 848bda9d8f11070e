# SPDX-License-Identifier: Apache-2.0
"""The mu of whatever is epsilon-DP, against normal tails in balls."""

import random

import pytest
from flint import arb, ctx

from exact.balls import normal_tail
from hockeystick import _core


@pytest.mark.parametrize("seed", range(20))
def test_randomized_response_lies_below_its_gaussian(seed):
    """And next to it: P(Z > mu / 2) is at most 1 / (1 + e^epsilon), by a little."""
    rng = random.Random(seed)
    for _ in range(20):
        epsilon = rng.choice([rng.uniform(0, 1), 10 ** rng.uniform(-9, 2.7), 600.0])
        mu = _core.pure_gdp_mu(epsilon)
        with ctx.workprec(2000):
            rate = 1 / (1 + arb(epsilon).exp())
            assert normal_tail(mu / 2) <= rate
            assert normal_tail(mu / 2 * (1 - 1e-12) - 1e-13) >= rate


def test_nothing_costs_nothing():
    assert _core.pure_gdp_mu(0.0) == 0
