# SPDX-License-Identifier: Apache-2.0
"""Binomial probabilities against exact ones."""

from decimal import Decimal, getcontext, localcontext

import numpy as np
import pytest
from flint import arb, ctx

from hockeystick.baselines.binomial import BinomialAtoms


def exact(j, n, log_odds):
    with ctx.workprec(300):
        odds = arb(log_odds).exp()
        return arb.bin_uiui(n, j) * odds**j / (1 + odds) ** n


@pytest.mark.parametrize("n", [1, 2, 17, 999, 1000, 1001, 5000])
@pytest.mark.parametrize("log_odds", [0.0, 1e-3, 1.0, 30.0])
def test_all_points(n, log_odds):
    atoms = BinomialAtoms.above(0, n, log_odds)
    assert atoms.complete
    assert atoms.sum(np.ones_like(atoms.weights)) == pytest.approx(1, rel=1e-14)
    for index in range(0, atoms.weights.size, 1 + atoms.weights.size // 7):
        point = atoms.sum((np.arange(atoms.weights.size) == index).astype(float))
        truth = exact(atoms.start + index, n, log_odds)
        assert abs(arb(point) - truth) <= 1e-13 * truth or truth < 1e-300


@pytest.mark.parametrize(("first", "n"), [(700, 1000), (1000, 1000), (600_000, 10**6)])
def test_a_tail_starts_where_it_should(first, n):
    atoms = BinomialAtoms.above(first, n, 0.01)
    assert atoms.start == first
    assert not atoms.complete
    assert atoms.weights[0] == 1
    truth = exact(first, n, 0.01)
    with ctx.workprec(300), localcontext(prec=60):
        ratio = arb(str(atoms.scale)) / truth
        assert abs(ratio - 1) < 1e-35
        assert float(Decimal(str(ratio.mid().str(40, radius=False)))) == 1


def test_the_caller_s_decimal_context_does_not_matter():
    expected = BinomialAtoms.above(0, 2000, 0.3).scale
    with localcontext(prec=3):
        got = BinomialAtoms.above(0, 2000, 0.3)
        assert got.scale == expected
        assert getcontext().prec == 3
        assert got.sum(np.ones_like(got.weights)) == pytest.approx(1, rel=1e-14)
