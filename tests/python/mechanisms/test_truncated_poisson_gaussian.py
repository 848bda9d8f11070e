# SPDX-License-Identifier: Apache-2.0
"""Truncated Poisson sampling as a value, and through the whole engine."""

import pytest

import hockeystick as hs

DEFAULTS = {
    "noise_multiplier": 1.5,
    "sampling_probability": 0.05,
    "truncated_batch_size": 12,
    "dataset_size": 200,
}


def mechanism(**changes):
    return hs.TruncatedPoissonGaussian(**(DEFAULTS | changes))


PLAIN = hs.Gaussian(noise_multiplier=1.5).poisson_sampled(0.05)


def test_what_never_cuts_is_plain():
    assert mechanism(truncated_batch_size=200).terms == PLAIN.terms
    assert mechanism(dataset_size=1).terms == PLAIN.terms
    assert mechanism(sampling_probability=0).terms == ()
    always = mechanism(truncated_batch_size=200, sampling_probability=1)
    assert always.terms == hs.Gaussian(noise_multiplier=1.5).terms


def test_sampling_everything_cuts_uniformly():
    """q = 1: a uniform batch of B among n, at half the noise multiplier."""
    uniform = mechanism(sampling_probability=1, truncated_batch_size=20)
    half = hs.Gaussian(noise_multiplier=0.75).poisson_sampled(0.1)
    query = {"delta": 1e-5, "tolerance": 1e-5}
    assert (10 * uniform).epsilon_bounds(**query) == pytest.approx(
        (10 * half).epsilon_bounds(**query), rel=1e-5
    )
