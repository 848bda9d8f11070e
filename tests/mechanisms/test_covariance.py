# SPDX-License-Identifier: Apache-2.0
"""Gaussians with correlated noise: the noise of all, against the exact inverse.

In fractions, of which no ball arithmetic is needed.
"""

from itertools import product

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

import hockeystick as hs
from hockeystick import _core

RNG = np.random.default_rng(7)


def exact(x):
    return fmpq(*float(x).as_integer_ratio())


def moved(covariance, signs):
    """u' S^-1 u."""
    n = len(covariance)
    inverse = fmpq_mat(n, n, [exact(x) for row in covariance for x in row]).inv()
    u = fmpq_mat(n, 1, [fmpq(int(s)) for s in signs])
    return (u.transpose() * inverse * u)[0, 0]


def random(n, spread):
    """A covariance whose eigenvalues differ by 10^spread."""
    base, _ = np.linalg.qr(RNG.normal(size=(n, n)))
    made = base @ np.diag(10.0 ** RNG.uniform(0, spread, n)) @ base.T
    return (made + made.T) / 2


def hilbert(n):
    return np.array([[1e12 / (i + j + 1) for j in range(n)] for i in range(n)])


CASES = [
    *(random(n, spread) for n in (1, 2, 3, 4, 6) for spread in (0, 1, 4, 9)),
    *map(hilbert, range(1, 8)),
    *(np.array([[9.0, shared], [shared, 16.0]]) for shared in (0.0, 6.0, -6.0, 11.99999)),
    np.array([[4.0, -1.0, -1.0], [-1.0, 4.0, -1.0], [-1.0, -1.0, 4.0]]),
    np.array([[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0]]),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_no_signs_move_it_farther(case):
    """And the lower end is moved as far by some signs; both ends meet for one part and for two."""
    covariance = CASES[case]
    n = len(covariance)
    least, most = _core.noise_of_covariance(covariance)
    farthest = max(moved(covariance, (1, *signs)) for signs in product((1, -1), repeat=n - 1))
    assert 1 / exact(most) ** 2 <= farthest <= 1 / exact(least) ** 2
    if n <= 2 and np.linalg.cond(covariance) < 1e9:
        assert most <= least * (1 + 1e-6)
    assert most <= least * 1.5


def test_vectors_that_no_signs_reach():
    """Three directions at 120 degrees, of correlations 1/2, move it farther than any signs."""
    covariance = np.array([[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0]])
    inverse = np.linalg.inv(covariance)
    plane = np.trace(inverse @ np.where(np.eye(3) > 0, 1.0, -0.5))
    least, most = _core.noise_of_covariance(covariance)
    assert plane * (1 - 1e-12) <= 1 / least**2 <= plane * (1 + 3e-6)
    assert 1 / most**2 < plane


def test_it_is_sampled_as_a_whole_and_grouped():
    step = hs.joint(covariance=[[9.0, 6.0], [6.0, 16.0]])
    same = hs.Gaussian(1.708484392354)  # 1 / mu^2 = (9 16 - 36) / (9 + 16 + 12)
    for made in (lambda one: 1000 * one.poisson_sampled(0.01), lambda one: one.group(3)):
        found, known = (made(one).epsilon(1e-6) for one in (step, same))
        assert found == pytest.approx(known, rel=1e-4)
    group = step.poisson_sampled(0.01).group(3).epsilon_bounds(1e-6)
    known = same.poisson_sampled(0.01).group(3).epsilon(1e-6)
    assert group.lower <= known * (1 + 1e-9)
    assert known <= group.upper * (1 + 1e-9) <= known * (1 + 1e-4)
    replaced = step.poisson_sampled(0.01).epsilon(1e-6, adjacency="replace-one")
    other = same.poisson_sampled(0.01).epsilon(1e-6, adjacency="replace-one")
    assert replaced == pytest.approx(other, rel=1e-4)
    assert step.poisson_sampled(1.0).epsilon(1e-6) == step.epsilon(1e-6)
    assert step.poisson_sampled(0.0).epsilon(1e-6) == 0
    both = hs.joint(hs.Laplace(9.0), covariance=[[9.0]])
    assert hs.joint(hs.Laplace(9.0), hs.Gaussian(3.0)).epsilon(1e-6) == pytest.approx(
        both.epsilon(1e-6), rel=1e-3
    )
    assert both.poisson_sampled(0.1).epsilon(1e-6) < both.epsilon(1e-6)
