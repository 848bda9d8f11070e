# SPDX-License-Identifier: Apache-2.0
"""Guarantees of choices by thresholds, noisy maxima and tests before release."""

import math

import pytest

import hockeystick as hs

ALL = [
    (hs.above_threshold(threshold_epsilon=0.1, query_epsilon=0.2), 0.1 + 0.2, 0.0),
    (hs.report_noisy_max(epsilon=0.5), 0.5, 0.0),
    (hs.first_above(epsilon=0.3), 0.6, 0.0),
    (
        hs.propose_test_release(
            test_epsilon=0.25, release_epsilon=0.5, test_delta=1e-6, release_delta=1e-7
        ),
        0.75,
        1.1e-6,
    ),
]


@pytest.mark.parametrize(("guarantee", "epsilon", "delta"), ALL)
def test_what_is_proved_is_returned(guarantee, epsilon, delta):
    assert isinstance(guarantee, hs.ApproximateDP)
    assert epsilon <= guarantee.guaranteed_epsilon <= math.nextafter(epsilon, 1)
    assert guarantee.guaranteed_delta == pytest.approx(delta, rel=1e-12)
    assert (3 * guarantee.poisson_sampled(0.1)).epsilon(1e-4) < 3 * epsilon
