# SPDX-License-Identifier: Apache-2.0
"""The Laplace mechanism as a value, and through the whole engine."""

import pytest
from flint import arb

import hockeystick as hs
from exact.sums import laplace_tail
from hockeystick import Adjacency

PLAIN = hs.Laplace(noise_multiplier=2.5)


def test_the_reverse_of_the_smallest_noise_is_covered():
    """Beside a sampled step both directions are computed, one perhaps by reflection."""
    run = hs.Laplace(noise_multiplier=1e-3) + hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.1)
    for adjacency in (Adjacency.REMOVE_ONE, Adjacency.ADD_ONE, Adjacency.ADD_OR_REMOVE_ONE):
        lower, upper = run.delta_bounds(epsilon=900.0, adjacency=adjacency)
        assert 0.99 < lower <= upper <= 1.0


@pytest.mark.parametrize("epsilon", [0.1, 1.01, 2.2, 2.99, 4.2, 4.5, 4.9])
def test_tail_of_a_composition(epsilon):
    """L has atoms at 5, 4, 3, ..., which are doubles, and a density with kinks there."""
    truth = laplace_tail(arb(0.5), 10, arb(epsilon))
    bounds = (10 * hs.Laplace(noise_multiplier=2.0)).probabilistic_delta_bounds(epsilon)
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= 1e-2 * float(truth)


def test_an_atom_at_epsilon_among_densities_counts_on_one_side():
    """The curve alone tells P(L >= epsilon) and what lies beyond; deltas do not tell them apart."""
    with pytest.raises(hs.CertificationError) as caught:
        (10 * hs.Laplace(noise_multiplier=2.0)).probabilistic_delta_bounds(1.0)
    bounds = caught.value.bounds
    at, beyond = (laplace_tail(arb(0.5), 10, arb(1.0) + arb(away)) for away in (-1e-9, 0))
    assert caught.value.limited_by == "passes"
    assert bounds.lower <= beyond <= bounds.upper
    assert bounds.gap <= 1.05 * float(at - beyond)


def test_an_atom_at_epsilon_of_a_noise_multiplier_that_rounds():
    """At 3 / 0.3 m, and a double next to it: what rounding does not tell apart is in the bounds."""
    run = 4 * hs.Laplace(noise_multiplier=0.3)
    m = 1 / arb(0.3)
    with pytest.raises(hs.CertificationError) as caught:
        run.probabilistic_delta(float(2 * m))
    bounds = caught.value.bounds
    atom = 4 * arb(0.5) ** 3 * (-m).exp() / 2
    above = laplace_tail(m, 4, 2 * m + arb(1e-10))
    assert bounds.lower <= above < above + atom <= bounds.upper * (1 + 1e-9)
    assert bounds.gap <= 1.1 * float(atom)
