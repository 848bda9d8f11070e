# SPDX-License-Identifier: Apache-2.0
"""Laplace mechanisms of several noises, by residues and by integrals over the losses of one."""

from itertools import pairwise

import pytest
from flint import acb, arb, ctx

import hockeystick as hs
from hockeystick.verify.laplace import laplace_delta


def by_integrals(first, second, epsilon):
    """The second's delta over the losses of the first, with masses 1/2 and e^-m / 2 at the ends."""

    def delta(at, where):  # analytic between -second and second, whose sign tells where `at` lies
        if where >= second:
            return acb(0)
        return 1 - at.exp() if where <= -second else 1 - ((at - second) / 2).exp()

    total = delta(acb(epsilon - first), epsilon - first) / 2
    total += (-first).exp() / 2 * delta(acb(epsilon + first), epsilon + first)
    kinks = sorted(
        [-first, first, *(x for x in (epsilon - second, epsilon + second) if abs(x) < first)]
    )
    for low, high in pairwise(kinks):
        middle = (low + high) / 2
        total += acb.integral(
            lambda x, _, at=middle: ((x - first) / 2).exp() / 4 * delta(epsilon - x, epsilon - at),
            acb(low),
            acb(high),
        )
    return total.real


@pytest.mark.parametrize("epsilon", [-3.25, -0.5, 0.0, 0.25, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("noises", [(1.0, 2.0), (0.5, 4.0)])
def test_two_noises_are_the_integral(noises, epsilon):
    first, second = (1 / arb(noise) for noise in noises)
    with ctx.workprec(120):
        found = laplace_delta([(first, 1), (second, 1)], arb(epsilon))
        truth = by_integrals(first, second, arb(epsilon))
        assert found.overlaps(truth)
        assert max(found.rad(), truth.rad()) < 1e-20


@pytest.mark.parametrize("counts", [(1, 2), (3, 4), (2, 2, 5)])
def test_equal_noises_are_counted_together(counts):
    m = arb(1) / 4
    for epsilon in (-0.75, 0.0, 0.5, 1.0):
        apart = laplace_delta([(m, count) for count in counts], arb(epsilon))
        together = laplace_delta([(m, sum(counts))], arb(epsilon))
        assert apart.overlaps(together)
        assert apart.rad() < 1e-12


def test_ten_noises_are_known_to_all_digits():
    run = sum((hs.Laplace(2.0 + k / 3) for k in range(10)), hs.Composition())
    checked = hs.verify(run, delta=1e-6)
    assert checked.enclosed
    assert float(checked.radius) < 1e-25
