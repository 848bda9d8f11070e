# SPDX-License-Identifier: Apache-2.0
"""The pairs of the discrete Laplace mechanism in ball arithmetic, beside their corners."""

import pytest
from flint import ctx

from exact.mechanisms import release
from hockeystick import _core
from mechanisms import atoms


def law(parameter, sensitivity):
    """The oracle's atoms, where a record is removed."""
    arguments = {"parameter": parameter, "sensitivity": sensitivity}
    with ctx.workprec(atoms.PRECISION):
        return atoms.outcomes(release("DiscreteLaplace", arguments, "remove"))


def test_a_large_sensitivity():
    pair = _core.dominating_pair("discrete_laplace", [0.001, 20_000])
    atoms.check(pair, law(0.001, 20_000)[::4_000], complete=False)


def test_a_check_that_must_fail():
    for given in [(1 + 2**-46, 2), (1.0, 3)]:
        with pytest.raises(AssertionError):
            atoms.check(_core.dominating_pair("discrete_laplace", given), law(1.0, 2))


def test_stated_errors_are_those_of_the_page():
    """20 u of its masses and 6 u of sums; u of the largest loss, which a product leaves."""
    masses, losses = _core.dominating_pair("discrete_laplace", [0.3, 3]).law_errors()
    assert masses == 26 * 2.0**-53
    assert losses == pytest.approx(2.0**-53 * 0.9, rel=1e-9, abs=0)
