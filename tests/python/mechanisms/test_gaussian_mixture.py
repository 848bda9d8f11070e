# SPDX-License-Identifier: Apache-2.0
"""The mixture mechanism as a value, and through the whole engine."""

import math

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


NAN, INF = math.nan, math.inf
OUT_OF_RANGE = [
    (("standard_deviation",), r"finite and > 0, got ", [0, -1.0, NAN, INF]),
    (("sensitivities", 1), r"0 or within \[1e-12, 1000\]", [-1.0, 1e-13, 1001.0, NAN, INF]),
    (("probabilities", 1), r"in \(0, 1\], got ", [0.0, -0.5, 1.5, NAN]),
    (("sensitivities",), "1 to 1000 numbers, got 0", [[]]),
    (("probabilities",), "2, one for each sensitivity, got", [[1.0]]),
]
OF_A_WRONG_TYPE = [
    (("sensitivities", 1), "a real number that is 0 or within", ["1", None, True, 1j, [1.0]]),
    (("sensitivities",), "a sequence of numbers, got ", ["01", None, 1.0, {0.0: 1, 1.0: 2}]),
]


@pytest.mark.parametrize(
    ("error", "place", "message", "values"),
    [(ValueError, *row) for row in OUT_OF_RANGE] + [(TypeError, *row) for row in OF_A_WRONG_TYPE],
)
def test_bad_arguments_are_named(error, place, message, values):
    name, *at = place
    for value in values:
        given = {"sensitivities": [0.0, 1.0], "probabilities": [0.5, 0.5]}
        given["standard_deviation"] = 1.0
        if at:
            given[name][at[0]] = value
        else:
            given[name] = value
        index = f"\\[{at[0]}\\]" if at else ""
        with pytest.raises(error, match=f"^{name}{index} must be {message}"):
            hs.GaussianMixture(**given)


def test_probabilities_are_taken_over_their_sum_if_that_is_near_1():
    almost = mixture(terms=((0.0, 0.5 + 9e-10), (1.0, 0.5)))
    assert almost.delta(epsilon=0.1) == pytest.approx(
        mixture(terms=((0.0, 0.5), (1.0, 0.5))).delta(epsilon=0.1), rel=1e-8
    )
    with pytest.raises(ValueError, match="^probabilities must sum to 1 within 1e-09, got a sum of"):
        mixture(terms=((0.0, 0.5 + 2e-9), (1.0, 0.5)))
