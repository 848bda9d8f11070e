# SPDX-License-Identifier: Apache-2.0
"""True positive rates and mu under dp_accounting's names, against closed forms."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from flint import arb

from exact.attack import gaussian_power, laplace_power
from hockeystick.compat.dp_accounting.pld import privacy_loss_distribution as distributions

PLD = distributions.PrivacyLossDistribution
RATES = [1e-12, 1e-5, 0.01, 0.3, 0.5, 0.9]


def sides(make):
    """The distributions of a mechanism from below and from above."""
    return make(pessimistic_estimate=False), make(pessimistic_estimate=True)


@pytest.mark.parametrize("rate", RATES)
def test_true_positive_rates_of_gaussians_enclose(rate):
    below, above = sides(lambda **side: distributions.from_gaussian_mechanism(6.0, **side))
    lower, upper = (one.self_compose(9).get_true_positive_rates(rate) for one in (below, above))
    assert arb(lower) <= gaussian_power(arb(0.5), rate) <= arb(upper)
    assert 0 < upper - lower <= 1e-4 * upper


@pytest.mark.parametrize("rate", RATES)
def test_true_positive_rates_of_laplace_noise_enclose(rate):
    below, above = sides(lambda **side: distributions.from_laplace_mechanism(2.0, **side))
    lower, upper = (one.get_true_positive_rates(rate) for one in (below, above))
    assert arb(lower) <= laplace_power(2.0, rate) <= arb(upper)
    assert upper - lower <= 1e-4 * upper


@pytest.mark.parametrize("pessimistic", [True, False])
def test_true_positive_rates_of_given_masses(pessimistic):
    """Masses of 7/8 and their densities by hand, and those of a second, lesser direction."""
    interval, kept = 0.25, {-1: 0.25, 2: 0.5}
    one = PLD.create_from_rounded_probability(kept, 0.125, interval, pessimistic)
    density = [(0.5, math.exp(0.5)), (0.25, math.exp(-0.25))]
    rates = np.array([0.0, 0.1, 0.5 / math.exp(0.5), 0.4, 1.0])
    expected = []
    for rate in rates:
        power, left = 0.125, rate
        for mass, ratio in density:
            power += min(mass, left * ratio)
            left = max(left - mass / ratio, 0)
        expected.append(power)
    found = one.get_true_positive_rates(rates)
    assert found == pytest.approx(expected, rel=1e-6)
    outward = found - np.array(expected)
    assert np.all((outward if pessimistic else -outward) >= -1e-15)
    both = PLD.create_from_rounded_probability(
        kept, 0.125, interval, pessimistic, {0: 0.9375}, 0.0625, symmetric=False
    )
    assert both.get_true_positive_rates(rates) == pytest.approx(
        np.maximum(expected, np.minimum(0.0625 + rates, 1.0)), rel=1e-6
    )


def test_the_shape_is_that_of_the_rates():
    one = distributions.from_gaussian_mechanism(1.0)
    assert isinstance(one.get_true_positive_rates(0.1), float)
    many = one.get_true_positive_rates(np.array([[0.1, 0.2], [0.3, 0.4]]))
    assert many.shape == (2, 2)
    assert np.all(np.diff(many.ravel()) > 0)
    assert one.get_true_positive_rates(0.1, deltas=np.array([0.5])) == many[0, 0]


@pytest.mark.parametrize("mu", [0.125, 1.0, 4.0])
def test_mu_of_gaussians(mu):
    once = distributions.from_gaussian_mechanism(4.0, mu).self_compose(16)
    assert once.get_gdp_parameter_estimate() == pytest.approx(mu, rel=1e-4)
    alone = once.get_gdp_parameter_estimate(false_positive_rates=np.array([0.01, 0.7]))
    assert alone == pytest.approx(mu, rel=1e-4)


def test_mu_of_infinite_losses():
    """Infinite where they are likelier than the rates that count, and else what the rest costs."""
    leaky = PLD.create_from_rounded_probability({0: 0.99}, 0.01, 1e-4)
    assert leaky.get_gdp_parameter_estimate() == math.inf
    quantile = NormalDist().inv_cdf
    found = leaky.get_gdp_parameter_estimate(false_positive_rates=np.array([0.1, 0.05]))
    assert found == pytest.approx(quantile(0.06) - quantile(0.05), rel=1e-4)
    assert distributions.identity().get_gdp_parameter_estimate() == pytest.approx(0, abs=1e-9)
