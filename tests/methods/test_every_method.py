# SPDX-License-Identifier: Apache-2.0
"""Each method of the table answers each question that it can, as every other and the oracle do."""

from __future__ import annotations

import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction

MEMORY = 1 << 30
PAIR = hs.Laplace(noise_multiplier=1.0).dominating_pair(Direction.REMOVE)


@pytest.mark.parametrize("ask", [_core.epsilon_bounds, _core.delta_bounds])
def test_an_unknown_method_is_named_with_those_there_are(ask):
    with pytest.raises(ValueError, match="method must be one of .*'fft_composition'.*, got 'fft'"):
        ask([[(PAIR, 2)]], [0.5], tolerance=1e-3, memory_limit=MEMORY, method="fft")


@pytest.mark.parametrize("argument", ["side", "estimator"])
def test_an_unknown_name_of_a_distribution_is_refused(argument):
    grid = {"interval": 0.1, "side": "upper", "estimator": "connect_dots", "tail_mass": 1e-9}
    with pytest.raises(ValueError, match=rf"{argument} must be one of '.*', got 'upside'"):
        _core.loss_pmf([(PAIR, 1)], memory_limit=MEMORY, **grid | {argument: "upside"})
