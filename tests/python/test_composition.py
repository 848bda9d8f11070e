# SPDX-License-Identifier: Apache-2.0
"""The algebra is exact bookkeeping; the queries check their arguments and keep shapes."""

import math
import pickle
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick import Adjacency, Composition

A = hs.Gaussian(noise_multiplier=2.0)
B = hs.Gaussian(noise_multiplier=3.0)
S = A.poisson_sampled(0.01)
RUN = 100 * S + 2 * B

compositions = st.lists(st.tuples(st.sampled_from([A, B, S]), st.integers(0, 10**6))).map(
    Composition
)


@given(compositions, compositions, compositions, st.integers(0, 20), st.integers(0, 20))
def test_the_laws_of_the_algebra(x, y, z, n, m):
    assert x + y == y + x
    assert hash(x + y) == hash(y + x)
    assert (x + y) + z == x + (y + z)
    distributed = n * x + n * y
    assert n * (x + y) == distributed
    assert (n + m) * x == n * x + m * x
    assert n * (m * x) == (n * m) * x
    assert x * n == n * x
    assert x + Composition() == x
    assert 1 * x == x
    assert 0 * x == Composition()
    assert sum([x, y, z]) == x + y + z


def test_equal_terms_merge_and_free_ones_vanish():
    free = A.poisson_sampled(0)
    plain = A.poisson_sampled(1)
    assert (A + 2 * B + A + 5 * free + plain).terms == ((A, 3), (B, 2))
    assert sum([A, A, B]) == 2 * A + B
    assert Composition([(A, 1), (B, 1)]) == A + B
    assert Composition(dict(RUN.terms)) == Composition(Counter({S: 100, B: 2})) == RUN


@pytest.mark.parametrize("composition", [Composition(), 1 * A, RUN], ids=repr)
def test_repr_is_code_and_values_pickle(composition):
    assert eval(repr(composition), vars(hs)) == composition  # noqa: S307
    assert pickle.loads(pickle.dumps(composition)) == composition  # noqa: S301


@pytest.mark.parametrize(
    "count", [np.int64(3), np.uint8(3), np.int32(3), 3.0, np.float64(3), Fraction(3), Decimal(3)]
)
def test_whole_numbers_multiply(count):
    assert count * A == A * count == 3 * A
    assert count * (A + B) == (A + B) * count


@pytest.mark.parametrize("count", [1, 2, 3, 4, 10, 1000, 10**5])
@pytest.mark.parametrize("noise", [0.8, 3.0, 1e5])
def test_gaussians_on_one_sample_are_one_gaussian(noise, count):
    """Of the noise that makes up for all of them, at most 2^-52 below it."""
    one = (count * hs.Gaussian(noise)).poisson_sampled_together(0.25)
    square = Fraction(one.mechanism.noise_multiplier) ** 2 * count / Fraction(noise) ** 2
    assert 1 - Fraction(1, 2**51) < square <= 1
    assert one.sampling_probability == 0.25


def test_different_gaussians_on_one_sample():
    together = (hs.Gaussian(3.0) + 4 * hs.Gaussian(8.0)).poisson_sampled_together(0.01)
    assert together.mechanism.noise_multiplier == pytest.approx(2.4, rel=1e-15)  # 3, 4, 5
    apart = hs.Gaussian(3.0).poisson_sampled(0.01) + 4 * hs.Gaussian(8.0).poisson_sampled(0.01)
    assert together.epsilon(1e-6) > apart.epsilon(1e-6)
    assert (1 * hs.Laplace(3)).poisson_sampled_together(0.5) == hs.Laplace(3).poisson_sampled(0.5)


def test_deltas_that_add_up_are_mentioned():
    run = 3 * hs.ApproximateDP(1, 1e-5)
    with pytest.warns(UserWarning, match=r"the deltas .* add up, to 3e-05, which is above"):
        assert run.epsilon(1e-5) == math.inf
    assert run.epsilon(3e-5) <= 3.0
    assert run.epsilon([1e-5]).tolist() == [math.inf]
    assert run.epsilon_bounds(1e-5).upper == math.inf


@pytest.mark.parametrize("adjacency", Adjacency)
def test_nothing_costs_nothing(adjacency):
    nothing = Composition()
    bounds = nothing.epsilon_bounds(delta=1e-300, adjacency=adjacency)
    assert bounds == (0.0, 0.0)
    assert bounds.error_budget.total == 0.0
    assert nothing.delta(epsilon=0.0, adjacency=adjacency) == 0.0
    assert nothing.epsilon(delta=np.array([0.5, 0.1])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("noise_multiplier", [1e3, 1e6, 4.3e9])
@pytest.mark.parametrize("tolerance", [0.1, 1e-2, 1e-4])
def test_steps_far_smaller_than_the_grid_are_no_obstacle(noise_multiplier, tolerance):
    run = 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    more = run + 4 * hs.Gaussian(noise_multiplier=noise_multiplier)
    lower, upper = more.epsilon_bounds(1e-5, tolerance=tolerance)
    assert upper - lower <= tolerance * upper
    without = run.epsilon_bounds(1e-5, tolerance=1e-6)
    assert upper >= without.lower
    assert lower <= without.upper + 20 / noise_multiplier


def test_the_order_of_terms_does_not_change_a_bit():
    assert (S + B).epsilon_bounds(delta=1e-6) == (B + S).epsilon_bounds(delta=1e-6)


@pytest.mark.parametrize("run", [A, RUN], ids=["mechanism", "composition"])
def test_scalars_give_floats(run):
    for delta in (1e-5, np.float64(1e-5), np.array(1e-5)):
        assert type(run.epsilon(delta=delta)) is float
        assert all(type(bound) is float for bound in run.epsilon_bounds(delta=delta))
    for epsilon in (1, 1.0, np.int64(1), np.array(1.0)):
        assert type(run.delta(epsilon=epsilon)) is float
        assert all(type(bound) is float for bound in run.delta_bounds(epsilon=epsilon))


def test_losses_of_any_size_are_declined_with_bounds():
    """Grids end at 500 nats."""
    run = 10**9 * hs.Gaussian(noise_multiplier=1e-3).poisson_sampled(0.5)
    with pytest.raises(hs.CertificationError) as caught:
        run.epsilon(1e-5)
    assert 6e8 < caught.value.bounds.lower <= caught.value.bounds.upper
    account = hs.Accountant().compose(
        hs.Gaussian(noise_multiplier=1e-3).poisson_sampled(0.5), 10**9
    )
    assert account.would_exceed(hs.Gaussian(noise_multiplier=1), epsilon=1.0, delta=1e-5)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
@pytest.mark.parametrize("run", [A, 100 * A.poisson_sampled(0.01)], ids=["plain", "sampled"])
def test_the_floor_of_the_promise_is_where_the_documents_say(run, tolerance):
    """Relative down to 1e-300, and below it an upper bound that is."""
    for epsilon in np.linspace(0, 300, 61):
        lower, upper = run.delta_bounds(epsilon, tolerance=tolerance)
        assert upper - lower <= tolerance * upper or upper <= 1e-300
    assert (lower, upper) == (0.0, pytest.approx(1e-307, abs=2e-305))
    assert "1e-300" in hs.Composition.delta_bounds.__doc__
