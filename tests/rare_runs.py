# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that rarely lose much, as tests write them: numbers in a row."""

import hockeystick as hs


def batches(noise, rate, batch, size):
    """Truncated Poisson batches."""
    return hs.TruncatedPoissonGaussian(
        noise, sampling_probability=rate, truncated_batch_size=batch, dataset_size=size
    )


def mixture(noise, *parts):
    """Sensitivities and their probabilities; what these leave is at 0."""
    sensitivities, shares = zip((0.0, 1 - sum(share for _, share in parts)), *parts, strict=True)
    return hs.GaussianMixture(noise, sensitivities=sensitivities, probabilities=shares)
