# SPDX-License-Identifier: Apache-2.0
"""The loss of a sampled pair and its slope on vectors, against ball arithmetic."""

import numpy as np
import pytest
from flint import arb

from hockeystick import _core

U = 2.0**-53
KERNELS = _core.numeric.available_kernels()

pytestmark = pytest.mark.bits(1200)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("q", [1e-200, 1e-9, 0.01, 0.3, 0.5])
def test_logs_and_weights_are_within_their_bounds(q, kernel, samples):
    """Logs: `sampled_loss_error`, of which a tenth is used; weights: 12 u but for underflow."""
    rng = np.random.default_rng(7)
    signs = rng.choice([-1, 1], samples(200))
    t = np.concatenate(
        [
            signs * np.exp2(rng.uniform(-60, 9, samples(200))),
            -np.log(q) + rng.uniform(-3, 3, samples(100)),
            [0.0, -0.0, -708.0, 599.5, 600.0, 600.5, 1e3, 1e5],
        ]
    )
    t = np.concatenate([t, np.ones(-len(t) % 8)])
    logs, weights = _core.numeric.sampled_logs(q, t, kernel)
    worst = arb(0)
    for at, log, weight in zip(t, logs, weights, strict=True):
        power = arb(at).exp()
        total = 1 - arb(q) + arb(q) * power
        error = abs(arb(log) - total.log())
        assert error <= 16 * U * abs(log) + 1e-323
        if log != 0:
            worst = max(worst, error / abs(arb(log)))
        truth = arb(q) * power / total
        assert abs(arb(weight) - truth) <= 12 * U * truth + 1e-307
    assert worst > 1.6 * U


@pytest.mark.parametrize("kernel", KERNELS)
def test_far_below_weights_do_not_fall_any_further(kernel):
    logs, weights = _core.numeric.sampled_logs(0.5, [-708.0, -709.0, -1e4, -1e300] * 2, kernel)
    assert (logs == np.log(0.5)).all()
    assert (weights == weights[0]).all()
    assert weights[0] > 0
