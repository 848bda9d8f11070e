# SPDX-License-Identifier: Apache-2.0
"""Groups of which bounds are known: chains of neighbours, and what sees any of a group."""

import pytest
from flint import arb

import hockeystick as hs
from hockeystick.verify.groups import any_for_all, chained

pytestmark = pytest.mark.bits(160)


@pytest.mark.parametrize("size", [2, 3, 9])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.4])
def test_a_chain_of_guarantees_is_their_formula(size, epsilon):
    """(k epsilon, delta (e^(k epsilon) - 1) / (e^epsilon - 1)) for a group of k."""
    delta = arb(2) ** -20
    found = chained(size, lambda _: delta, lambda _: delta)(arb(epsilon) * size)
    factor = arb(epsilon * size).expm1() / arb(epsilon).expm1() if epsilon else arb(size)
    assert (found / delta - factor).abs_upper() < 1e-13 * factor
    back = chained(size, lambda _: delta, lambda _: 2 * delta)(-arb(epsilon) * size)
    alpha = (-arb(epsilon) * size).exp()
    assert (back - (1 - alpha + alpha * found * (2 if epsilon else 1))).abs_upper() < 1e-16


@pytest.mark.parametrize(("q", "size"), [(0.3, 2), (0.01, 5), (1.0, 3)])
def test_any_of_a_group_is_drawn_with_that_probability_at_most(q, size):
    group = hs.DiscretePair(p=(0.75, 0.25), q=(0.25, 0.75)).poisson_sampled(q).group(size)
    found = any_for_all(group).sampling_probability
    truth = 1 - (1 - arb(q)) ** size
    assert truth - 1e-15 <= found <= truth.upper()


def test_whole_numbers_move_by_the_whole_group():
    noise = hs.DiscreteLaplace(parameter=0.5)
    found = hs.verify(2 * noise.group(3), delta=1e-4)
    far = hs.verify(2 * hs.DiscreteLaplace(parameter=0.5, sensitivity=3), delta=1e-4)
    assert found.enclosed
    assert found.middle == far.middle


def test_what_is_bounded_in_one_direction_is_exact_in_the_other():
    group = hs.Gaussian(2.0).poisson_sampled(0.1).group(2)
    assert hs.verify(1 * group, delta=1e-4, adjacency="replace-special").known
    replaced = hs.verify(1 * group, delta=1e-4, adjacency="replace-one")
    assert not replaced.known
    assert 0 < replaced.lower < replaced.upper < 5
    assert replaced.enclosed is not False
