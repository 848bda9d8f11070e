# SPDX-License-Identifier: Apache-2.0
"""The composed distribution of one direction encloses delta from its side, or is refused."""

import numpy as np
import pytest

import exact
import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction

STEP = exact.Step(1.0, 0.05)
TERMS = [
    (hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05).dominating_pair(Direction.REMOVE), 30)
]
HOW = {"interval": 1e-2, "tail_mass": 1e-12, "memory_limit": 2**28}
EPSILONS = [0.0, 0.4, 1.5]


@pytest.mark.parametrize("estimator", ["connect_dots", "algorithm_2", "privacy_buckets"])
def test_every_estimate_is_on_its_side(estimator):
    low, high = (
        _core.loss_pmf(TERMS, side=side, estimator=estimator, **HOW).delta(np.array(EPSILONS))
        for side in ("lower", "upper")
    )
    for epsilon, below, above in zip(EPSILONS, low, high, strict=True):
        truth = exact.delta(((STEP, 30),), epsilon, "remove")
        assert below <= truth.upper()
        assert truth.lower() <= above
        assert above - below <= 0.2


def test_finer_intervals_are_tighter():
    widths = []
    for interval in (4e-2, 1e-2):
        low, high = (
            _core.loss_pmf(
                TERMS, side=side, estimator="connect_dots", **{**HOW, "interval": interval}
            ).delta(np.array([0.4]))[0]
            for side in ("lower", "upper")
        )
        widths.append(high - low)
    assert widths[1] < widths[0] / 8  # of second order


@pytest.mark.parametrize(("name", "value"), [("side", "both"), ("estimator", "midpoint")])
def test_an_unknown_name_is_refused_with_the_known_ones(name, value):
    how = {"side": "upper", "estimator": "connect_dots", **HOW, name: value}
    with pytest.raises(ValueError, match=f"^{name} must be one of .*, got '{value}'"):
        _core.loss_pmf(TERMS, **how)


def test_what_is_too_large_names_the_arguments():
    how = {"side": "upper", "estimator": "connect_dots", **HOW, "memory_limit": 2**10}
    with pytest.raises(
        ValueError, match="^discretization_interval must be larger, or memory_limit"
    ):
        _core.loss_pmf(TERMS, **how)
