# SPDX-License-Identifier: Apache-2.0
"""Runs in words: what titles, legends and reports call them."""

import pytest

import hockeystick as hs
from hockeystick.wording import in_words

GAUSSIAN = hs.Gaussian(noise_multiplier=1.0)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (1000 * GAUSSIAN.poisson_sampled(0.01), "DP-SGD: 1,000 steps, noise 1, q = 0.01"),
        (GAUSSIAN.poisson_sampled(0.5), "DP-SGD: 1 step, noise 1, q = 0.5"),
        (GAUSSIAN, "Gaussian, noise 1"),
        (
            9 * hs.Laplace(noise_multiplier=2).poisson_sampled(0.1),
            "9 times Laplace, noise 2, q = 0.1",
        ),
        (hs.ApproximateDP(epsilon=0.1, delta=1e-6), "approximate DP, epsilon 0.1, delta 1e-06"),
        (3 * hs.ZCDP(0.07), "3 times ZCDP, rho 0.07"),
        (GAUSSIAN.shuffled(batches=50), "shuffled Gaussian, noise 1, batches 50"),
        (
            GAUSSIAN.fixed_size_sampled(batch_size=20, dataset_size=5000),
            "fixed size sampled Gaussian, noise 1, batch size 20, dataset size 5,000",
        ),
        (
            hs.DiscretePair(p=[0.5, 0.5], q=[0.1, 0.9]),
            "discrete pair, p of 2 numbers, q of 2 numbers",
        ),
        (hs.Composition(), "nothing"),
    ],
)
def test_words(run, words):
    assert in_words(run) == words


def test_long_runs_are_cut():
    run = sum(k * hs.Laplace(noise_multiplier=k) for k in range(1, 6))
    assert in_words(run) == (
        "5 times Laplace, noise 5 + 4 times Laplace, noise 4 + 3 times Laplace, noise 3 + 2 more"
    )
    assert in_words(run, most=1) == "5 times Laplace, noise 5 + 4 more"
