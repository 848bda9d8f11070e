# SPDX-License-Identifier: Apache-2.0
"""Moments of a mean by its central moments, in ball arithmetic."""

import pytest
from flint import acb, arb, ctx

import hockeystick as hs
from hockeystick import _core

sampling = _core.sampling


def of_mean(mu, steps):
    """Bounds of the logarithms of central moments of a mean."""
    return sampling.log_moments_of_mean(sampling.log_central_moments(mu), steps)


def central(mu, steps, last):
    """E (R - 1)^k of a mean of log-normal variables: binomial sums, and the power of a series."""
    q = (arb(mu) ** 2).exp()
    single = [
        sum(
            (
                arb(-1) ** (k - i) * arb(k).bin(i) * q ** (arb(i * (i - 1)) / 2)
                for i in range(k + 1)
            ),
            arb(0),
        )
        / arb(k).fac()
        for k in range(last + 1)
    ]
    powers = [arb(1)] + [arb(0)] * last
    base, left = single, steps
    while left:
        if left % 2:
            powers = [
                sum((powers[i] * base[k - i] for i in range(k + 1)), arb(0))
                for k in range(last + 1)
            ]
        base = [sum((base[i] * base[k - i] for i in range(k + 1)), arb(0)) for k in range(last + 1)]
        left //= 2
    return [powers[k] * arb(k).fac() / arb(steps) ** k for k in range(last + 1)]


@pytest.mark.parametrize("steps", [0, 1, 2, 7, 1000])
@pytest.mark.parametrize("mu", [1e-4, 0.05, 1.0, 3.0])
def test_central_moments(mu, steps):
    found = of_mean(mu, steps) if steps else sampling.log_central_moments(mu)
    with ctx.workprec(6000):
        for k, truth in enumerate(central(mu, max(steps, 1), 24)):
            if k == 1:
                continue
            low, high = found[k]
            assert arb(low) <= truth.log() <= arb(high)
            assert high - low < 1e-8


@pytest.mark.parametrize("order", [1.0001, 1.5, 2.0, 2.5, 3.75, 4.25, 5.0, 17.5, 64.0])
@pytest.mark.parametrize("mu", [1e-4, 0.02, 0.2, 1.0])
def test_powers_of_one_variable(mu, order):
    low, high = sampling.log_moment_by_central(sampling.log_central_moments(mu), order - 1)
    with ctx.workprec(200):
        assert arb(low) <= arb(order - 1) * (arb(order - 1) + 1) * arb(mu) ** 2 / 2 <= arb(high)
    if mu < 0.01 or order % 1 == 0:
        assert high - low < 1e-6 * high


@pytest.mark.parametrize("order", [1.25, 2.5, 3.5, 6.75])
@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_powers_by_few_moments(mu, order):
    """With a handful of moments the rest is what is booked."""
    moments = sampling.log_central_moments(mu)
    with ctx.workprec(200):
        truth = arb(order) * (arb(order) - 1) * arb(mu) ** 2 / 2
    for size in range(5, 14):
        low, high = sampling.log_moment_by_central(moments[:size], order - 1)
        assert arb(low) <= truth <= arb(high)


def test_powers_of_a_mean_of_two():
    """E ((Y1 + Y2) / 2)^a by a quadrature."""
    mu, order = arb("0.3"), arb("2.5")
    with ctx.workprec(160):
        whole = (
            sum(
                (
                    acb.integral(
                        lambda b, _: (
                            (-(b**2) / 2).exp()
                            * (order * (mu * b / arb(2).sqrt()).cosh().log()).exp()
                        ),
                        k,
                        k + 2,
                    )
                    for k in range(-14, 14, 2)
                ),
                acb(0),
            ).real
            / (2 * arb.pi()).sqrt()
        )
        truth = -order * mu**2 / 2 + order**2 * mu**2 / 4 + whole.log()
        low, high = sampling.log_moment_by_central(of_mean(0.3, 2), 1.5)
        assert arb(low) <= truth + arb(0, 1e-15)
        assert truth - arb(0, 1e-15) <= arb(high)
        assert high - low < 2e-3 * high


@pytest.mark.parametrize("noise", [2.0, 40.0, 5000.0])
@pytest.mark.parametrize("steps", [20, 4000])
@pytest.mark.parametrize("order", [1.0002, 1.7, 2.0, 3.3, 64.0])
def test_divergences_of_removed_records_are_answered(noise, steps, order):
    run = hs.Gaussian(noise).random_allocation(steps=steps)
    found = run.renyi_divergence_bounds(order, adjacency="remove-one")
    assert found.upper - found.lower <= 1e-3 * found.upper
