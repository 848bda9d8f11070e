# SPDX-License-Identifier: Apache-2.0
"""Negative moments of a mean of log-normal variables, in ball arithmetic."""

import time

import pytest
from flint import acb, arb
from scipy.special import lambertw

import hockeystick as hs
from hockeystick import _core

pytestmark = pytest.mark.bits(160)

sampling = _core.sampling


def normal_mean(function, reach=14):
    """E function(x), x standard normal, of an analytic function."""
    parts = [
        acb.integral(function, k, k + 2, rel_tol=arb(2) ** -70) for k in range(-reach, reach, 2)
    ]
    return sum(parts, acb(0)).real / (2 * arb.pi()).sqrt()


def transform(mu, c):
    """log E e^(-c Y)."""
    mu, c = arb(mu), arb(c)
    scaled = float(c * mu * mu * (-(mu**2) / 2).exp())
    peak = round(-float(lambertw(scaled).real) / float(mu))  # the integrand falls from there

    def shifted(z, _):
        v = z + peak
        return (-(v**2) / 2 - c * (mu * v - mu**2 / 2).exp() + c).exp()

    return normal_mean(shifted, 20).log() - c


def of_two(mu, s):
    """log E R^-s of two copies: R = e^(mu a / 2^(1/2) - mu^2 / 2) cosh(mu b / 2^(1/2))."""
    mu, s = arb(mu), arb(s)
    turned = normal_mean(
        lambda b, _: (-(b**2) / 2).exp() * (-s * (mu * b / arb(2).sqrt()).cosh().log()).exp()
    )
    return s * mu**2 / 2 + s**2 * mu**2 / 4 + turned.log()


@pytest.mark.parametrize("c", [1e-3, 0.4, 4.5, 30.0, 1e4])
@pytest.mark.parametrize("mu", [1e-3, 0.1, 0.7, 2.0])
def test_transforms_at_any_accuracy(mu, c):
    truth = transform(mu, c)
    for nats in (1.5, 2.0, 3.0, 5.0, 40.0, 45.0):
        low, high = sampling.log_transform(mu, c, nats)
        assert arb(low) <= truth <= arb(high)
    assert high - low < 1e-11 * (1 + c)


@pytest.mark.parametrize("s", [1e-3, 0.5, 1.0, 7.0, 63.0])
@pytest.mark.parametrize("mu", [1e-3, 0.2, 1.0, 1.6])
def test_one_and_two_copies(mu, s):
    truths = {1: arb(s) * (arb(s) + 1) * arb(mu) ** 2 / 2, 2: of_two(mu, s)}
    for steps, truth in truths.items():
        for nats in (2.0, 3.0, 4.0, 6.0, 10.0, 40.0, 70.0):
            low, high = sampling.reversed_log_moment(mu, steps, s, nats)
            assert arb(low) <= truth <= arb(high), (steps, nats)
        assert high - low < 1e-6 * high + 1e-13


@pytest.mark.parametrize(
    ("mu", "s"), [(1e-3, 1e3), (0.2, 1e3), (1e-3, 1e5), (1e-3, 3e6), (0.02, 1e4)]
)
def test_large_powers_of_two_copies(mu, s):
    """Where the integrand is narrow, and few nodes do."""
    truth = of_two(mu, s)
    for nats in (2.0, 4.0, 10.0, 25.0):
        low, high = sampling.reversed_log_moment(mu, 2, s, nats)
        assert arb(low) <= truth <= arb(high), nats
    assert high - low < 1e-7 * high


def test_large_powers_take_no_more_nodes_than_small_ones():
    """By time: of the others each takes ten times that, or more, if all nodes down to 0 count."""

    def seconds(s):
        start = time.process_time()
        for _ in range(20):
            sampling.reversed_log_moment(0.01, 10_000, s, 25.0)
        return time.process_time() - start

    pairs = [(seconds(1e3), seconds(1e6)) for _ in range(5)]
    assert min(large for _, large in pairs) < 20 * min(small for small, _ in pairs)


@pytest.mark.parametrize(("steps", "s"), [(3, 2.0), (1000, 7.0)])
def test_many_copies_by_another_rule(steps, s):
    """The integral of the transform's power, by finer steps in balls."""
    mu, h = 0.8, arb(1) / 8
    total = arb(0)
    for k in range(-30 * 8, 20 * 8):
        x = (k * h).exp()
        if arb(s) * k * h < -28:
            continue
        # The argument is rounded, which moves the logarithm by as much as x.
        log_value = steps * transform(mu, float(x / steps)) * (1 + arb(0, 1e-15))
        term = (arb(s) * k * h + log_value).exp() * h
        total += term
        if k > 0 and term < total * arb(2) ** -60:
            break
    truth = (total / arb(s).gamma()).log()
    low, high = sampling.reversed_log_moment(mu, steps, s, 40.0)
    assert abs(float(truth) - (low + high) / 2) < 1e-9 * (1 + s)
    assert high - low < 1e-10


def test_where_nodes_would_be_too_many_nothing_is_known():
    assert sampling.reversed_log_moment(2.0, 3, 300.0, 40.0) == (0, float("inf"))


@pytest.mark.parametrize("noise", [0.6, 1.0, 40.0, 1500.0, 4e4])
@pytest.mark.parametrize("steps", [2, 30, 4000])
@pytest.mark.parametrize("order", [1.001, 2.0, 8.0, 64.0])
def test_divergences_of_added_records_are_answered(noise, steps, order):
    run = hs.Gaussian(noise).random_allocation(steps=steps)
    found = run.renyi_divergence_bounds(order, adjacency="add-one")
    assert 0 < found.lower <= found.upper <= order / (2 * noise**2) * (1 + 1e-12)
    assert found.upper - found.lower <= 1e-3 * found.upper


@pytest.mark.parametrize(("noise", "steps"), [(42.6, 4904), (108.0, 1109), (1336.0, 4300)])
def test_zcdp_of_added_records_is_answered_where_noise_is_much(noise, steps):
    """The slope is all but the same up to orders of a thousand times the steps."""
    run = hs.Gaussian(noise).random_allocation(steps=steps)
    found = run.zcdp_bounds(adjacency="add-one")
    slope = ((1 / arb(noise) ** 2).exp() - 1) / (2 * steps)  # of small orders
    assert found.upper - found.lower <= 1e-3 * found.upper
    assert found.lower <= slope * (1 + arb("1e-6"))
    assert slope <= found.upper
