# SPDX-License-Identifier: Apache-2.0
"""The core holds what users give to the ranges that it states, whoever asks."""

import math

import pytest

import hockeystick as hs
from hockeystick import _core

INF = math.inf


def test_python_states_the_ranges_of_the_core():
    for name, make in [
        ("noise_multiplier", lambda x: hs.Gaussian(noise_multiplier=x)),
        ("pure_epsilon", lambda x: hs.DiscreteLaplace(parameter=x)),
        ("epsilon", lambda x: hs.ApproximateDP(epsilon=x, delta=0.0)),
    ]:
        low, high = _core.ranges()[name]
        make(low), make(high)
        for x in (math.nextafter(low, -INF), math.nextafter(high, INF)):
            with pytest.raises(ValueError, match=" must be "):
                make(x)
    _, most = _core.ranges()["count"]
    hs.Gaussian(noise_multiplier=1.0) * int(most)
    with pytest.raises(ValueError, match="count must be"):
        hs.Gaussian(noise_multiplier=1.0) * (int(most) + 1)
