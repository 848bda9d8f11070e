# SPDX-License-Identifier: Apache-2.0
"""The pairs of the discrete Laplace mechanism in ball arithmetic."""

import pytest
from flint import arb, ctx

from hockeystick import _core
from mechanisms import atoms

PARAMETERS = [1e-12, 1e-6, 0.05, 1.0, 20.0, 600.0, 1000.0]
RATES = [1e-9, 0.01, 0.5, 1 - 1e-9]


def truth(parameter, shift, points=None):
    """Integers from 0 to the shift, all or some; the tails are summed into the ends."""
    a = arb(parameter)
    normaliser = (1 + (-a).exp()) / -(-a).expm1()
    tail = 1 / -(-a).expm1() / normaliser  # of e^(-a i) over i >= 0

    def mass(j):
        return (-a * j).exp() * (tail if j in (0, shift) else 1 / normaliser)

    where = range(shift + 1) if points is None else points
    return atoms.law(map(mass, where), (mass(shift - j) for j in where))


@pytest.mark.parametrize("shift", [1, 2, 7])
@pytest.mark.parametrize("parameter", PARAMETERS)
def test_every_atom(parameter, shift):
    with ctx.workprec(20_000):
        law = truth(parameter, shift)
    pair = _core.dominating_pair("discrete_laplace", [parameter, shift])
    atoms.check(pair, law)
    atoms.check(pair, atoms.reverse(law))


@pytest.mark.every(3)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("parameter", PARAMETERS)
def test_every_atom_on_a_subsample(parameter, rate):
    with ctx.workprec(20_000):
        law = atoms.sampled(truth(parameter, 3), rate)
    remove, add = (
        _core.dominating_pair(f"poisson_discrete_laplace_{form}", [parameter, 3, rate])
        for form in ("remove", "add")
    )
    atoms.check(remove, law)
    atoms.check(add, atoms.reverse(law))


def test_a_large_sensitivity():
    shift, points = 20_000, [0, 1, 5_000, 10_000, 19_999, 20_000]
    with ctx.workprec(atoms.PRECISION):
        law = truth(0.001, shift, points)
    pair = _core.dominating_pair("discrete_laplace", [0.001, shift])
    atoms.check(pair, law, complete=False)


def test_a_check_that_must_fail():
    for parameter, shift in [(1 + 2**-46, 2), (1.0, 3)]:
        with pytest.raises(AssertionError):
            atoms.check(
                _core.dominating_pair("discrete_laplace", [parameter, shift]), truth(1.0, 2)
            )


def test_stated_errors_are_those_of_the_page():
    """20 u of its masses and 6 u of sums; u of the largest loss, which a product leaves."""
    masses, losses = _core.dominating_pair("discrete_laplace", [0.3, 3]).law_errors()
    assert masses == 26 * 2.0**-53
    assert losses == pytest.approx(2.0**-53 * 0.9, rel=1e-9, abs=0)
