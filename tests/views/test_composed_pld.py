# SPDX-License-Identifier: Apache-2.0
"""The composed distribution of one direction encloses delta from its side, or is refused."""

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction

TERMS = [
    (hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05).dominating_pair(Direction.REMOVE), 30)
]
HOW = {"interval": 1e-2, "tail_mass": 1e-12, "memory_limit": 2**28}


def test_what_is_too_large_names_the_arguments():
    how = {"side": "upper", "estimator": "connect_dots", **HOW}
    for limits in ({"memory_limit": 2**10}, {"interval": 1e-20}):
        with pytest.raises(
            ValueError, match="^discretization_interval must be larger, or memory_limit"
        ) as raised:
            _core.loss_pmf(TERMS, **how | limits)
    assert "got 1e-20 and" in str(raised.value)


SINGLE = hs.Gaussian(noise_multiplier=1.0)
SUPPORT = np.array([-8, -3, -2, -1, 0, 1, 2, 3, 4, 6, 9, 14, 40]) * 0.05


@pytest.mark.parametrize(
    ("side", "estimator", "name"),
    [
        ("upper", "connect_dots", "upper"),
        ("lower", "connect_dots", "lower"),
        ("lower", "algorithm_2", "algorithm_2"),
        ("upper", "privacy_buckets", "buckets_upper"),
        ("lower", "privacy_buckets", "buckets_lower"),
    ],
)
def test_one_step_sits_on_the_support(side, estimator, name):
    """As Algorithms 1 and 2 have it, and on no other loss."""
    found = SINGLE.pld(
        discretization_interval=0.05,
        side=side,
        estimator=estimator,
        support=SUPPORT,
        adjacency=hs.Adjacency.REMOVE_ONE,
    )
    step = _core.parts.step_pmf(
        SINGLE.dominating_pair(hs.Adjacency.REMOVE_ONE.directions[0]),
        interval=0.05,
        offset=0.0,
        index=[round(loss / 0.05) for loss in SUPPORT],
        estimator=name,
    )
    stored = dict(zip(step.index, step.mass, strict=True))
    at = np.rint(found.losses / 0.05).astype(int)
    expected = [stored.get(int(k), 0.0) for k in at]
    np.testing.assert_allclose(found.probabilities, expected, rtol=1e-12, atol=1e-15)
    assert set(stored) <= set(at.tolist())
    assert found.infinity_mass == pytest.approx(step.infinity_mass, rel=1e-12)
