# SPDX-License-Identifier: Apache-2.0
"""What type checkers make of questions and answers: read by mypy, and in test_types.py."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import hockeystick as hs

Array = NDArray[np.float64]
step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
run = 100 * step

assert_type(run.epsilon(1e-5), float)
assert_type(run.epsilon([1e-5, 1e-6]), Array)
assert_type(run.epsilon([[1e-5], [1e-6]]), Array)
assert_type(run.epsilon(np.array([1e-5])), Array)
assert_type(run.delta_bounds(1, adjacency="replace-one", tolerance=1e-6), hs.Bounds[float])
assert_type(run.delta_bounds(np.array([1])).upper, Array)
assert_type(run.tradeoff((0.1, 0.2), memory_limit=2**30), Array)
assert_type(run.bayes_risk(), float)
assert_type(run.bayes_risk([0.5]), Array)
assert_type(run.gdp_mu_bounds().gap, float)
assert_type(run.zcdp(largest_order=[2.0]), Array)
assert_type(run.loss_quantile_bounds(0.5, deviations=1e-3).error_budget.total, float)
assert_type(run.advantage(), float)
assert_type(run.pld().delta([1.0]), Array)
assert_type(run.pld().zcdp(), float)
assert_type(hs.Accountant().compose(run).epsilon([1e-5]), Array)
assert_type(hs.Accountant().admit(run, 3, epsilon="0.5", delta=1e-5), bool)

pair = hs.DiscretePair(p=[3, 1], q=np.array([2, 2]))
mixture = hs.GaussianMixture(standard_deviation=1.0, sensitivities=[0, 1], probabilities=(0.5, 0.5))
assert_type(pair + 2 * mixture, hs.Composition)
assert_type(
    hs.dpsgd_epsilon(noise_multiplier=1.0, sampling_probability=0.01, steps=10, delta=1e-5), float
)
assert_type(
    hs.dpsgd_epsilon_bounds(
        noise_multiplier=[1.0, 2.0], sampling_probability=0.01, steps=10, delta=1e-5
    ),
    hs.Bounds[Array],
)
assert_type(hs.calibrate(lambda sigma: hs.Gaussian(noise_multiplier=sigma), advantage=0.1), float)
assert_type(hs.calibrate(lambda n: n * step, integer=True, tpr=0.5, fpr=0.1), int)
