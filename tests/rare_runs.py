# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as tests write them: numbers in a row."""

import hockeystick as hs

STEP, DELTA = hs.Gaussian(1.0).poisson_sampled(0.25), 1e-5


def batches(noise: float, rate: float, batch: int, size: int) -> hs.TruncatedPoissonGaussian:
    """Truncated Poisson batches."""
    return hs.TruncatedPoissonGaussian(
        noise, sampling_probability=rate, truncated_batch_size=batch, dataset_size=size
    )


def mixture(noise: float, *parts: tuple[float, float]) -> hs.GaussianMixture:
    """Sensitivities and their probabilities; what these leave is at 0."""
    sensitivities, shares = zip((0.0, 1 - sum(share for _, share in parts)), *parts, strict=True)
    return hs.GaussianMixture(noise, sensitivities=sensitivities, probabilities=shares)


def sampled(noise: float, rate: float) -> hs.PoissonSampled:
    """A step of DP-SGD."""
    return hs.Gaussian(noise).poisson_sampled(rate)


def terms(mechanism: hs.Mechanism, count: int) -> list[tuple[hs.DominatingPair, int]]:
    """What removing a record compares, as the core is asked about it."""
    return [(mechanism.dominating_pair(hs.Direction.REMOVE), count)]


def meter(steps: int | None = None) -> hs.EpsilonMeter:
    """A meter of such steps, with a budget for so many."""
    budget = None if steps is None else (steps * STEP).epsilon(DELTA)
    return hs.EpsilonMeter(STEP, delta=DELTA, budget=budget)
