# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of sampled discrete Gaussians beyond the outcomes that binary64 lists."""

import math

import pytest
from flint import arb, ctx

import hockeystick as hs


def divergence(sigma, rate, order):
    """From E_Q[(1 - q + q r)^a], up to 50 deviations beyond where r^a moves Q."""
    a, q, double = arb(order), arb(rate), 2 * arb(sigma) ** 2
    reach = math.ceil(50 * sigma)
    total = sum(((-arb(x * x) / double).exp() for x in range(-reach, reach + 1)), arb(0))
    moment = sum(
        (
            (-arb(x * x) / double).exp() * (1 - q + q * ((2 * arb(x) - 1) / double).exp()) ** a
            for x in range(-reach, math.ceil(order) + reach)
        ),
        arb(0),
    )
    return (moment / total).log() / (a - 1)


@pytest.mark.parametrize(
    ("sigma", "rate", "order"),
    [
        (1.1150906293509362, 1.78792844197223e-05, 64.0),  # nearly all of it is not listed
        (0.71321297807344, 0.006939483586059797, 64.0),
        (1.885325420305387, 0.0012433078856442395, 64.0),
        (1.7580599205534453, 0.18635226313334702, 64.0),
        (2.112407230133998, 0.027056873743038074, 64.0),
        (0.5, 0.3, 200.5),
        (3.0, 1e-3, 113.875),  # next to the last outcome listed
        (1.0, 0.2, 38.5),
        (4.0, 0.9, 153.0),
        (1.0, 1e-6, 30.25),
        (9.0, 0.05, 400.0),
        (2.0, 0.1, 1.5),
    ],
)
def test_renyi_divergences_are_enclosed_closely(sigma, rate, order):
    run = 7 * hs.DiscreteGaussian(sigma=sigma).poisson_sampled(rate)
    bounds = run.renyi_divergence_bounds(order, adjacency="remove-one", tolerance=1e-5)
    with ctx.workprec(200):
        truth = 7 * divergence(sigma, rate, order)
        assert arb(bounds.lower) <= truth
        assert truth <= arb(bounds.upper)
    assert bounds.gap <= 1e-5 * bounds.upper
