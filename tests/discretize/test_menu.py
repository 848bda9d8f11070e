# SPDX-License-Identifier: Apache-2.0
"""The largest of several curves, against curves in balls at losses between those looked at."""

import random

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core

REMOVE = hs.Direction.REMOVE


def response(ratio):
    return [(ratio / (1 + ratio), 1 / (1 + ratio)), (1 / (1 + ratio), ratio / (1 + ratio))]


def delta(outcomes, epsilon):
    ratio = arb(epsilon).exp()
    return sum((max(p - ratio * q, arb(0)) for p, q in outcomes), arb(0))


@pytest.mark.parametrize("seed", range(10))
def test_the_pair_lies_above_every_curve_and_next_to_the_largest(seed):
    rng = random.Random(seed)
    epsilons = [rng.uniform(0.1, 3) for _ in range(3)]
    fails = rng.uniform(0, 0.3)
    options = [hs.ApproximateDP(e, 0) for e in epsilons] + [hs.ApproximateDP(0, fails)]
    pair = hs.any_of(*options).dominating_pair(REMOVE)
    with ctx.workprec(200):
        laws = [response(arb(e).exp()) for e in epsilons]
        laws.append([(arb(fails), arb(0)), (1 - arb(fails),) * 2, (arb(0), arb(fails))])
        for _ in range(60):
            at = rng.uniform(-4, 4)
            largest = max(delta(law, at) for law in laws)
            found = pair.delta_above(np.array([at]))[0]
            assert largest <= found
            assert found <= largest * (1 + arb(1e-4)) + arb(1e-12)


def test_few_losses_are_valid_too():
    gaussian = hs.Gaussian(1.0).dominating_pair(REMOVE)
    laplace = hs.Laplace(0.7).dominating_pair(REMOVE)
    coarse = _core.menu_pair([gaussian, laplace], np.array([-2.0, 0.0, 1.0, 4.0]))
    for at in np.linspace(-3, 5, 41):
        asked = np.array([at])
        least = max(gaussian.delta_above(asked)[0], laplace.delta_above(asked)[0])
        assert coarse.delta_above(asked)[0] >= least * (1 - 1e-12)
