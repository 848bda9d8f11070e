# SPDX-License-Identifier: Apache-2.0
"""The pair of an (epsilon, delta) guarantee in ball arithmetic."""

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core
from mechanisms import atoms

EPSILONS = [0.0, 1e-9, 0.1, 1.0, 37.0, 700.0, 1e4]
DELTAS = [0.0, 1e-300, 1e-12, 0.3, 1.0]


def truth(epsilon, delta):
    """The masses written with e^epsilon, not e^-epsilon."""
    large, d = arb(epsilon).exp(), arb(delta)
    p = [d, (1 - d) * large / (1 + large), (1 - d) / (1 + large), arb(0)]
    return atoms.law(p, reversed(p))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_every_atom(epsilon, delta):
    with ctx.workprec(40_000):
        law = truth(epsilon, delta)
    pair = _core.dominating_pair("approximate_dp", [epsilon, delta])
    atoms.check(pair, law)
    atoms.check(pair, atoms.reverse(law))


@pytest.mark.parametrize("delta", [1e-40, 1e-6, 0.3])
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 5.0, 100.0, 9999.0])
def test_the_guarantee_itself_is_found(epsilon, delta):
    """At just the mass of infinite loss epsilon is the largest finite one: no delta is below it."""
    lower, upper = hs.ApproximateDP(epsilon, delta).epsilon_bounds(delta)
    assert epsilon * (1 - 1e-6) <= lower <= epsilon == upper


def test_stated_errors_are_those_of_the_page():
    """12 u of its masses and 6 u of sums; the losses are exact."""
    errors = _core.dominating_pair("approximate_dp", [0.5, 1e-3]).law_errors()
    assert errors == (18 * 2.0**-53, 0.0)
