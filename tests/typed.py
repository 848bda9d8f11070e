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
assert_type(hs.Accountant.read("run.toml").compose(run, label="one"), hs.Accountant)
assert_type(hs.Accountant().report(delta=1e-5, budget="2").rows[0].remaining, float | None)
meter = hs.EpsilonMeter(run, delta=1e-5, budget=2, adjacency="replace-one")
assert_type(meter.epsilon, float)
assert_type(meter.remaining_steps, int | None)
assert_type(meter.should_stop, bool)

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
assert_type(hs.Gaussian(1.0), hs.Gaussian)
assert_type(hs.Gaussian(sigma=4.0, sensitivity=2.0).poisson_sampled(0.01), hs.PoissonSampled)
assert_type(hs.RandomizedResponse(epsilon=1.0).noise_parameter, float)
training = hs.DPSGD(1.0, batch_size=256, dataset_size=60_000, epochs=10)
assert_type(training.steps, int)
assert_type(training.epsilon(1e-5), float)
assert_type(1e4 * step, hs.Composition)
assert_type(
    hs.dpsgd_epsilon(
        noise_multiplier=1.0, batch_size=256, dataset_size=60_000, epochs=10, delta=1e-5
    ),
    float,
)
assert_type(
    hs.dpsgd_epsilon(
        noise_multiplier=1.0, batch_size=[128, 256], dataset_size=60_000, epochs=10, delta=1e-5
    ),
    Array,
)
assert_type(hs.Accountant().zcdp(), float)
assert_type(hs.Accountant().tradeoff_bounds([0.1]).upper, Array)
assert_type(hs.Accountant().remaining(run, rho="0.5"), int)
parts = hs.parallel(step, run)
assert_type(parts.epsilon(1e-5), float)
assert_type(parts + run, hs.DisjointParts)
assert_type(run + parts, hs.DisjointParts)
assert_type(2 * parts, hs.DisjointParts)
assert_type(parts.group(2, same_part=True), hs.DisjointParts)
assert_type(hs.DisjointParts.from_json(parts.to_json()), hs.DisjointParts)
assert_type(hs.calibrate(lambda s: hs.parallel(hs.Gaussian(s)), epsilon=1.0, delta=1e-6), float)
