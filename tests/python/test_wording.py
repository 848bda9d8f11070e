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


def test_a_run_within_a_mechanism_is_put_in_words():
    best = hs.best_of(10 * hs.Laplace(5.0) + hs.Gaussian(9.0), runs="poisson", mean=3)
    assert in_words(best) == (
        "best of, run of 10 times Laplace, noise 5 + Gaussian, noise 9, runs poisson, mean 3"
    )
    assert in_words((hs.Laplace(2.0) + hs.Gaussian(2.0)).poisson_sampled_together(0.1)) == (
        "Poisson sampled run, run of Gaussian, noise 2 + Laplace, noise 2, q = 0.1"
    )


def test_the_name_of_a_randomizer_is_put_in_words():
    local = hs.ShuffledLocal(epsilon0=1.0, users=100, randomizer="k-ary", choices=4)
    assert in_words(local) == ("shuffled local, epsilon0 1, users 100, randomizer k-ary, choices 4")
