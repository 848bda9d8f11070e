# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of one's own."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import baselines


@dataclass(frozen=True, slots=True)
class Unknown(hs.Mechanism):
    """Known through its pair only: that of a Gaussian."""

    def dominating_pair(self, direction):
        """The pair of N(1) and N(0)."""
        return hs.Gaussian(noise_multiplier=1.0).dominating_pair(direction)


@dataclass(frozen=True, slots=True)
class Known(Unknown):
    """Registered with all of them, below."""

    cost: float = 0.25


@baselines.renyi_curve.register
def _(mechanism: Known, orders, _adjacency):
    return np.where(orders > 3, np.inf, mechanism.cost * orders)


@baselines.concentration.register
def _(mechanism: Known, _adjacency):
    return mechanism.cost


@baselines.limit_variance.register
def _(mechanism: Known):
    return 2 * mechanism.cost


def test_known_mechanisms():
    run = 8 * Known() + hs.Gaussian(noise_multiplier=1.0)
    assert baselines.rdp(run, orders=[2, 3, 4]).tolist() == [5, 7.5, math.inf]
    assert baselines.zcdp_rho(run) == 2.5
    assert baselines.clt_mu(run) == math.sqrt(5)


def test_infinite_divergences_tell_nothing():
    both, finite, infinite = (
        baselines.rdp_epsilon(Known(), 1e-5, orders=orders) for orders in ([2, 4], [2], [4])
    )
    assert both == finite < infinite == math.inf
    assert baselines.rdp_delta(Known(), 1.0, orders=[4]) == 1


def test_what_is_not_registered_is_certified_from_the_pair():
    run = 6 * Unknown()
    assert baselines.rdp(run, orders=[2, 5]) == pytest.approx([6, 15], rel=1e-3)
    assert (baselines.rdp(run, orders=[2, 5]) >= [6, 15]).all()
    assert baselines.zcdp_rho(run) == pytest.approx(3, rel=1e-3)
