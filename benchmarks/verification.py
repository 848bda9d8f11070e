# SPDX-License-Identifier: Apache-2.0
"""Seconds that verifying takes, by question: the table of docs/verify.md.

usage: python benchmarks/verification.py
"""

import time

import hockeystick as hs

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
LAPLACE = hs.Laplace(noise_multiplier=5.0)
PARTS = hs.GaussianMixture(
    standard_deviation=2.0, sensitivities=(0.0, 1.0, 2.0), probabilities=(0.5, 0.3, 0.2)
)
CUT = hs.TruncatedPoissonGaussian(
    noise_multiplier=1.0, sampling_probability=0.1, truncated_batch_size=30, dataset_size=200
)
DISTINCT = sum(
    (
        (1 + k) * hs.Gaussian(noise_multiplier=0.8 + 0.01 * k).poisson_sampled(0.01 + 1e-4 * k)
        for k in range(100)
    ),
    hs.Composition(),
)
EPOCH = hs.Gaussian(noise_multiplier=1.0)
QUESTIONS = [
    ("100 Gaussians", 100 * hs.Gaussian(noise_multiplier=10.0), {"delta": 1e-5}),
    ("10^4 steps of DP-SGD", 10_000 * STEP, {"delta": 1e-5}),
    ("the same, power at 1 %", 10_000 * STEP, {"false_positive_rate": 0.01}),
    ("12 steps, noise 0.7, rate 0.3", 12 * hs.Gaussian(noise_multiplier=0.7).poisson_sampled(0.3)),
    ("2 steps, rate 0.01", 2 * STEP),
    ("100 distinct sampled Gaussians, 5050 steps", DISTINCT),
    ("40 Gaussian mixtures", 40 * PARTS),
    ("30 truncated Poisson samples", 30 * CUT),
    ("50 Laplace", 50 * LAPLACE),
    ("20 sampled Laplace", 20 * LAPLACE.poisson_sampled(0.1)),
    ("50 discrete Laplace", 50 * hs.DiscreteLaplace(parameter=0.2, sensitivity=3)),
    ("20 discrete Gaussians", 20 * hs.DiscreteGaussian(sigma=3.0)),
    (
        "50 sampled discrete Gaussians",
        50 * hs.DiscreteGaussian(sigma=1.0, truncation=8).poisson_sampled(0.1),
    ),
    (
        "1 of 1000 steps at random, noise 1, delta = 1e-6",
        EPOCH.random_allocation(steps=1000),
        {"delta": 1e-6},
    ),
    (
        "1 of 3 steps at random, noise 1, delta = 1e-6, 12 digits",
        EPOCH.random_allocation(steps=3),
        {"delta": 1e-6, "digits": 12},
    ),
]


def main():
    """Print the table; the first question is asked twice, to load what is imported on demand."""
    hs.verify(QUESTIONS[0][1], delta=1e-5)
    print("| run | method | digits of 30 | seconds |")
    print("| --- | --- | --- | --- |")
    for name, run, *asked in QUESTIONS:
        start = time.process_time()
        result = hs.verify(run, **(asked[0] if asked else {"delta": 1e-5}), fast=False)
        seconds = time.process_time() - start
        print(f"| {name} | {result.method} | {min(30, int(result.digits))} | {seconds:.2g} |")


if __name__ == "__main__":
    main()
