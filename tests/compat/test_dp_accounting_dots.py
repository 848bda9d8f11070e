# SPDX-License-Identifier: Apache-2.0
"""Pmfs that connect given deltas under dp_accounting's names are above the truth, and close."""

import math

import numpy as np
import pytest
from flint import arb

from exact.one_step import gaussian_delta
from hockeystick.compat.dp_accounting.pld import pld_pmf
from hockeystick.compat.dp_accounting.pld import privacy_loss_distribution as distributions

INTERVAL, REACH = 0.05, 160


def outward(value):
    """A double that is no less than the ball."""
    return math.nextafter(float(value.upper()), math.inf)


DELTAS = [outward(gaussian_delta(arb(1), arb(k * INTERVAL))) for k in range(-REACH, REACH + 1)]


def connected():
    at = np.arange(-REACH, REACH + 1)
    return pld_pmf.create_pmf_pessimistic_connect_dots(INTERVAL, at, DELTAS)


@pytest.mark.parametrize("count", [1, 4, 25])
@pytest.mark.parametrize("epsilon", [-2.0, 0.0, 0.33, 1.0, 6.0])
def test_deltas_enclose(count, epsilon):
    truth = gaussian_delta(arb(count).sqrt(), arb(epsilon))
    found = connected().self_compose(count).get_delta_for_epsilon(epsilon)
    assert truth <= arb(found)
    assert found <= float(truth) * 1.01 + 1e-6


def test_both_ways_to_say_the_points_agree():
    fixed = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(INTERVAL, -REACH, REACH, DELTAS)
    assert fixed.get_epsilon_for_delta(1e-5) == connected().get_epsilon_for_delta(1e-5)


def test_dots_compose_with_mechanisms():
    once = distributions.PrivacyLossDistribution(connected())
    known = distributions.from_gaussian_mechanism(4.0, 3.0, value_discretization_interval=INTERVAL)
    truth = gaussian_delta(arb(1.25), arb(2))
    found = once.compose(known).get_delta_for_epsilon(2.0)
    assert truth <= arb(found) <= truth * arb(1.01)


def test_one_dot():
    """Loss 0.5, or infinite with probability 0.1."""
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots(0.25, [2], [0.1])
    assert pmf.get_delta_for_epsilon(0.5) == pytest.approx(0.1, abs=1e-12)
    assert pmf.get_delta_for_epsilon(0.5) >= 0.1
    expected = 0.1 - 0.9 * math.expm1(-0.5)
    assert pmf.get_delta_for_epsilon(0.0) == pytest.approx(expected, rel=1e-6)
    assert pmf.get_epsilon_for_delta(0.1 * (1 + 1e-9)) == pytest.approx(0.5, rel=1e-6)


def test_few_masses_are_sparse_and_compose_sparse():
    few, many = (
        pld_pmf.create_pmf(dict.fromkeys(range(n), 1 / n), 0.5, 0.0, True) for n in (20, 1001)
    )
    assert isinstance(few, pld_pmf.SparsePLDPmf)
    assert isinstance(many, pld_pmf.DensePLDPmf)
    twice = pld_pmf.compose_pmfs(few, few)
    assert isinstance(twice, pld_pmf.SparsePLDPmf)
    assert twice.size == 39
    assert twice.get_delta_for_epsilon(0.7) == few.compose(few).get_delta_for_epsilon(0.7)
    assert isinstance(pld_pmf.compose_pmfs(few, many), pld_pmf.DensePLDPmf)


@pytest.mark.parametrize("pessimistic", [True, False])
def test_what_is_cut_moves_outward(pessimistic):
    """Of the masses that are looked at; answers lose nothing."""
    pmf = pld_pmf.create_pmf({-1: 0.1, 0: 0.6, 1: 0.3}, 0.5, 0.0, pessimistic)
    twice = pmf.compose(pmf, tail_mass_truncation=0.3)
    # 0.01, 0.12, 0.42, 0.36, 0.09, of which the ends weigh 0.13 and 0.09
    assert twice._lower_loss == 0
    shown = [0.55, 0.36] if pessimistic else [0.42, 0.45]
    assert twice._probs == pytest.approx(shown)
    assert twice._infinity_mass == pytest.approx(0.09 if pessimistic else 0.0)
    assert twice.get_delta_for_epsilon(0.2) == pmf.compose(pmf).get_delta_for_epsilon(0.2)
