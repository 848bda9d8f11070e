# SPDX-License-Identifier: Apache-2.0
"""Ways of drawing batches: bad arguments are named."""

import math
from fractions import Fraction

import numpy as np
import pytest

import hockeystick as hs

STEP = hs.Gaussian(noise_multiplier=2.0)
MAKERS = {
    "fixed_size": (STEP.fixed_size_sampled, {"batch_size": 5, "dataset_size": 100}),
    "drawn again": (
        lambda **given: STEP.fixed_size_sampled(replacement=True, **given),
        {"batch_size": 5, "dataset_size": 100},
    ),
    "shuffled": (STEP.shuffled, {"batches": 10, "epochs": 2}),
    "allocated": (STEP.random_allocation, {"steps": 10, "epochs": 2}),
    "several": (STEP.random_allocation, {"steps": 10, "selected": 2}),
}
NO_NUMBERS = ["5", None, True, np.True_, 1j, [5], (), {}, np.array([1, 2]), object(), 2.5]
NO_NUMBERS += [math.nan, math.inf, -math.inf, np.float64(5.5), Fraction(5, 2), np.array(2.5)]
OUT_OF_RANGE = [0, -1, -(10**400), 10**13, 10**400, np.int64(-3), np.int64(2**62)]


def cases():
    for kind, (make, valid) in MAKERS.items():
        for name in valid:
            yield pytest.param(make, valid, name, id=f"{kind} {name}")


@pytest.mark.parametrize(("make", "valid", "name"), [*cases()])
def test_bad_numbers_are_named(make, valid, name):
    for bad in NO_NUMBERS:
        with pytest.raises(TypeError, match=f"^{name} must be a whole number"):
            make(**{**valid, name: bad})
    for bad in OUT_OF_RANGE:
        with pytest.raises(ValueError, match=f"^{name} must be"):
            make(**{**valid, name: bad})


@pytest.mark.parametrize(("make", "valid", "name"), [*cases()])
def test_numbers_of_numpy_are_whole_numbers(make, valid, name):
    assert make(**{**valid, name: np.int64(valid[name])}) == make(**valid)
    assert make(**{**valid, name: np.array(valid[name])}) == make(**valid)
    assert make(**{**valid, name: float(valid[name])}) == make(**valid)
    assert make(**{**valid, name: Fraction(valid[name])}) == make(**valid)
