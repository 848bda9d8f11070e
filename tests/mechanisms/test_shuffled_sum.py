# SPDX-License-Identifier: Apache-2.0
"""A sum over the batches of a shuffled epoch: below the mixtures, and how closely."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(120)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def pair(noise, batches, with_it=2.0, without=1.0, joins=1.0, *, back=False):
    name = "shuffled_sum_below" + "_back" * back
    return _core.dominating_pair(name, [noise, batches, with_it, without, joins])


def mixtures(noise, batches, means, joins, alpha, *, back):
    """h of the two mixtures, of at most three batches, by quadrature."""
    total = np.zeros((1,) * batches)
    weight = np.ones((1,) * batches)
    for i in range(batches):
        shape = [1] * batches
        shape[i] = -1
        terms = [
            joins * np.exp(m / noise * NODES - (m / noise) ** 2 / 2) + 1 - joins for m in means
        ]
        term = terms[1] - alpha * terms[0] if back else terms[0] - alpha * terms[1]
        total = total + term.reshape(shape) / batches
        weight = weight * WEIGHTS.reshape(shape)
    return float((np.maximum(total, 0) * weight).sum())


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("joins", [1.0, 0.7])
@pytest.mark.parametrize("means", [(2.0, 1.0), (2.0, 0.0), (1.0, 0.0)])
@pytest.mark.parametrize(("noise", "batches"), [(2.5, 2), (4.0, 2), (3.0, 3), (20.0, 3)])
def test_below_the_mixtures_and_close(noise, batches, means, joins, back):
    one = pair(noise, batches, *means, joins, back=back)
    for epsilon in (0.0, 0.1 / noise, 0.5 / noise):
        exact = mixtures(noise, batches, means, joins, math.exp(epsilon), back=back)
        found = float(one.delta_above([epsilon])[0])
        assert found <= exact * (1 + 3e-3) + 1e-6  # kinks of the quadrature
        assert found >= 0.8 * exact - 1e-3


@pytest.mark.parametrize("left_out", [0, 1])
@pytest.mark.parametrize("batches", [2, 10, 1000, 10**5])
@pytest.mark.parametrize("noise", [1.0, 2.0, 6.0, 300.0])
def test_below_what_is_proved(noise, batches, left_out):
    epoch = hs.Gaussian(noise).shuffled(batches=batches, left_out=left_out)
    for delta in (1e-2, 1e-6, 1e-9):
        bounds = epoch.epsilon_bounds(delta, adjacency="replace-special")
        assert 0 <= bounds.lower <= bounds.upper


@pytest.mark.parametrize(
    ("noise", "batches", "least"),
    [(2.0, 1000, 0.120), (2.0, 10**4, 0.028), (4.0, 100, 0.107), (4.0, 1000, 0.030)],
)
def test_more_is_attained_than_by_the_largest_batch_or_an_allocation(noise, batches, least):
    """Which attain 0.110, 0.017, 0.092 and 0.027."""
    for left_out in (0, 1):
        epoch = hs.Gaussian(noise).shuffled(batches=batches, left_out=left_out)
        assert epoch.epsilon_bounds(1e-6, adjacency="replace-special").lower >= 0.98 * least


def test_bad_parameters_are_refused():
    for bad in ([1.0, 1, 2, 1, 1], [1.0, 1e6, 2, 1, 1], [1.0, 10, 1, 1, 1], [1.0, 10, 3, 1, 1]):
        with pytest.raises(ValueError, match="must"):
            _core.dominating_pair("shuffled_sum_below", bad)
