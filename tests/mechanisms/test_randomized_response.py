# SPDX-License-Identifier: Apache-2.0
"""The pairs of randomized response in ball arithmetic."""

import pytest
from flint import arb

from hockeystick import _core
from mechanisms import atoms

NOISES = [1e-300, 1e-17, 1e-6, 0.3, 0.5, 0.99, 1 - 2**-53]
BUCKETS = [2, 3, 10, 10**9]


def answers(noise, k):
    """Probabilities of the true answer, of any other one, and of all but two."""
    r, k = arb(noise), arb(k)
    return 1 - r + r / k, r / k, (k - 2) * r / k


def replaced(noise, k):
    own, other, rest = answers(noise, k)
    return atoms.law([own, other, rest], [other, own, rest])


def special(noise, k):
    own, other, rest = answers(noise, k)
    return atoms.law([own, other + rest], [1 / arb(k), 1 - 1 / arb(k)])


@pytest.mark.every(4)
@pytest.mark.parametrize("k", BUCKETS)
@pytest.mark.parametrize("noise", [0.0, *NOISES])
def test_every_atom(noise, k):
    with atoms.ctx.workprec(atoms.PRECISION):
        laws = replaced(noise, k), special(noise, k)
    forward, remove, add = (
        _core.dominating_pair(name, [noise, k])
        for name in (
            "randomized_response",
            "randomized_response_special",
            "randomized_response_special_back",
        )
    )
    atoms.check(forward, laws[0])
    atoms.check(forward, atoms.reverse(laws[0]))
    atoms.check(remove, laws[1])
    atoms.check(add, atoms.reverse(laws[1]))


def test_without_noise_the_loss_is_infinite():
    cells = _core.dominating_pair("randomized_response", [0.0, 4]).integrate([-1.0, 1.0])
    assert cells.infinity_mass_lower >= 1 - 2e-15
    special = _core.dominating_pair("randomized_response_special", [0.0, 4])
    back = _core.dominating_pair("randomized_response_special_back", [0.0, 4])
    assert special.integrate([1.38, 1.39]).p == [1.0]
    assert back.integrate([-1.39, -1.38]).infinity_mass == pytest.approx(0.75, rel=1e-14)


@pytest.mark.parametrize("name", ["randomized_response", "randomized_response_special"])
def test_stated_errors_are_those_of_the_page(name):
    """4 u of their masses and 6 u of sums."""
    masses, _ = _core.dominating_pair(name, [0.3, 4]).law_errors()
    assert masses == 10 * 2.0**-53
