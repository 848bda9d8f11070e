# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as tests write them: numbers in a row."""

import hockeystick as hs


def batches(noise: float, rate: float, batch: int, size: int) -> hs.TruncatedPoissonGaussian:
    """Truncated Poisson batches."""
    return hs.TruncatedPoissonGaussian(
        noise, sampling_probability=rate, truncated_batch_size=batch, dataset_size=size
    )


def mixture(noise: float, *parts: tuple[float, float]) -> hs.GaussianMixture:
    """Sensitivities and their probabilities; what these leave is at 0."""
    sensitivities, shares = zip((0.0, 1 - sum(share for _, share in parts)), *parts, strict=True)
    return hs.GaussianMixture(noise, sensitivities=sensitivities, probabilities=shares)
