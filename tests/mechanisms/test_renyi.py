# SPDX-License-Identifier: Apache-2.0
"""The Gaussian below what is known by one Renyi divergence has at most that divergence."""

import random

from flint import arb

import hockeystick as hs
from hockeystick import _core

CLOSE = 2.0**-44


def test_the_noise_is_rounded_up():
    rng = random.Random(3)
    for _ in range(300):
        known = hs.RenyiDP(order=rng.uniform(1.01, 100), divergence=10 ** rng.uniform(-9, 2))
        ((name, (noise, *_), _),) = _core.parts.enclosing_names(known, 0, 40.0, 1e-12, False)
        assert name == "gaussian"
        exact = (arb(known.order) / (2 * arb(known.divergence))).sqrt()
        assert exact <= noise <= exact * (1 + arb(CLOSE))
