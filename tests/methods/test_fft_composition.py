# SPDX-License-Identifier: Apache-2.0
"""What the planner forecasts comes true: a single, short transform answers most questions."""

import pytest

import hockeystick as hs
from hockeystick.adjacency import Direction
from questions import core_answer

PAIR = 3 * hs.DiscretePair(p=[0.2, 0.3, 0.5], q=[0.25, 0.35, 0.4])


def sampled(noise: float, probability: float) -> hs.Mechanism:
    return hs.Laplace(noise_multiplier=noise).poisson_sampled(probability)


RUNS = {
    "Laplace": (50 * hs.Laplace(noise_multiplier=3.0), 1e-6, 1 << 11),
    "sampled Laplace, many": (3000 * sampled(0.7, 0.02), 1e-6, 1 << 14),
    "sampled Laplace, rare": (1000 * sampled(1.0, 0.01), 1e-5, 1 << 13),
    "sampled Laplace, often": (300 * sampled(2.0, 0.1), 1e-8, 1 << 12),
    "atoms and steep tilts": (58 * sampled(12.8, 0.00137) + PAIR, 2.7e-8, 1 << 11),
    "atoms and a window of noise": (
        7 * sampled(2.759381653892835, 0.008575902374280252) + PAIR,
        6.295883017311938e-05,
        1 << 14,
    ),
    "atoms and few of a density": (3 * sampled(11.2, 0.00444) + PAIR, 6e-4, 1 << 15),
    "losses of three atoms": (2000 * PAIR, 1e-8, 1 << 19),
    "few steps, far out": (
        18 * hs.Gaussian(noise_multiplier=6.0) + hs.ApproximateDP(epsilon=1.65, delta=0.0),
        7e-171,
        1 << 10,
    ),
    "two steps, further out": (
        2
        * hs.GaussianMixture(
            standard_deviation=27.0, sensitivities=[1.0, 1.8], probabilities=[0.4, 0.6]
        ),
        1e-250,
        1 << 10,
    ),
}


@pytest.mark.parametrize("direction", [Direction.REMOVE, Direction.ADD])
@pytest.mark.parametrize("name", RUNS)
def test_one_short_transform_will_do(name: str, direction: Direction) -> None:
    run, delta, longest = RUNS[name]
    terms = run._directions(
        {Direction.REMOVE: hs.Adjacency.REMOVE_ONE, Direction.ADD: hs.Adjacency.ADD_ONE}[direction]
    )
    answer = core_answer(terms, "epsilon", delta, method="fft_composition")
    assert answer.converged
    assert answer.passes == 1
    assert answer.size <= longest


@pytest.mark.parametrize("delta", [1e-3, 8e-4, 5e-4, 2e-4, 1e-4])
def test_epsilons_next_to_0_need_no_finer_grid(delta: float) -> None:
    """Of 1e-4 to 4e-3, at deltas from 0.9 to 0.09 of delta(0)."""
    pair = sampled(2.05, 0.00386).dominating_pair(Direction.REMOVE)
    answer = core_answer([[(pair, 2)]], "epsilon", delta, method="fft_composition")
    assert answer.converged
    assert answer.size <= 1 << 11
