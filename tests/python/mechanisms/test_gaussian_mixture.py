# SPDX-License-Identifier: Apache-2.0
"""The mixture mechanism as a value, and through the whole engine."""

import numpy as np
import pytest

import hockeystick as hs

TERMS = ((0.0, 0.5), (1.0, 0.3), (2.0, 0.2))


def mixture(deviation=1.0, terms=TERMS):
    sensitivities, probabilities = zip(*terms, strict=True)
    return hs.GaussianMixture(
        standard_deviation=deviation, sensitivities=sensitivities, probabilities=probabilities
    )


def test_arrays_become_tuples():
    made = hs.GaussianMixture(
        standard_deviation=1, sensitivities=np.array([0, 1, 2]), probabilities=[0.5, 0.3, 0.2]
    )
    assert made == mixture()
    assert made.sensitivities == (0.0, 1.0, 2.0)


def test_probabilities_are_taken_over_their_sum_if_that_is_near_1():
    almost = mixture(terms=((0.0, 0.5 + 9e-10), (1.0, 0.5)))
    assert almost.delta(epsilon=0.1) == pytest.approx(
        mixture(terms=((0.0, 0.5), (1.0, 0.5))).delta(epsilon=0.1), rel=1e-8
    )
    with pytest.raises(ValueError, match="^probabilities must sum to 1 within 1e-09, got a sum of"):
        mixture(terms=((0.0, 0.5 + 2e-9), (1.0, 0.5)))
