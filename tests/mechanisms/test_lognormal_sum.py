# SPDX-License-Identifier: Apache-2.0
"""Distribution functions of sums of log-normal variables, against ball arithmetic."""

import itertools
import math

import pytest
from flint import acb, arb, ctx

from hockeystick import _core


def bounds(mu, parts, to, accuracy, at):
    return _core.sampling.lognormal_sum(mu, parts, to, accuracy, at)[0]


def normal(x):
    kind = arb if isinstance(x, arb) else acb
    return (-x / kind(2).sqrt()).erfc() / 2


def up_to(mu, scale, k):
    """P(scale * Y <= k) for one log-normal Y of mean 1; k a ball with positive real part."""
    return normal((k / scale).log() / mu + mu / 2)


def truth_of_two(mu, scale, d):
    """P(Y_1 + scale * Y_2 <= 1 + scale + d); what is beyond 30 deviations is in the radius."""
    with ctx.workprec(120):
        mu, scale, k = arb(mu), arb(scale), arb(1) + arb(scale) + arb(d)
        top = k.log() / mu + mu / 2

        def integrand(x, analytic):
            rest = k - (mu * x - mu * mu / 2).exp()
            if analytic and not rest.real > 0:
                return acb("nan")
            return up_to(mu, scale, rest) * (-x * x / 2).exp()

        ends = sorted([arb(-30), arb(-6), top - 2, top - arb(2) ** -40], key=float)
        total = sum((acb.integral(integrand, a, b) for a, b in itertools.pairwise(ends)), acb(0))
        left = (30 / arb(2).sqrt()).erfc() + arb(2) ** -40
        return total.real / (2 * arb.pi()).sqrt() + arb(left / 2, left / 2)


def is_enclosed(found, truth):
    with ctx.workprec(120):
        lower, upper = map(arb, found)
        return (lower <= truth or truth.overlaps(lower)) and (
            upper >= truth or truth.overlaps(upper)
        )


@pytest.mark.parametrize("mu", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("accuracy", [0.5, 1e-3, 1e-8])
@pytest.mark.parametrize("far", [2, 20])
def test_one_variable_encloses_its_distribution(mu, accuracy, far):
    deviation = math.sqrt(math.expm1(mu * mu))
    at = [-0.5 * min(1, deviation), 0.1 * deviation, deviation, far * deviation]
    for found, d in zip(bounds(mu, [(1, 1)], far * deviation, accuracy, at), at, strict=True):
        with ctx.workprec(120):
            assert is_enclosed(found, up_to(arb(mu), arb(1), 1 + arb(d)))
        assert found[1] - found[0] < max(accuracy, 2e-3)


@pytest.mark.parametrize("mu", [0.3, 0.8, 1.0])
@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("accuracy", [0.9, 1e-2, 1e-10])
def test_two_variables_enclose_the_integral(mu, is_scaled, accuracy):
    scale = math.exp(mu * mu) if is_scaled else 1.0
    parts = [(1, 1), (scale, 1)] if is_scaled else [(1, 2)]
    deviation = math.sqrt((1 + scale * scale) * math.expm1(mu * mu))
    at = [-0.4 * min(2, deviation), 0.2 * deviation, 1.5 * deviation, 4 * deviation]
    for found, d in zip(bounds(mu, parts, 4 * deviation, accuracy, at), at, strict=True):
        assert is_enclosed(found, truth_of_two(mu, scale, d))
        assert found[1] - found[0] < max(accuracy, 1e-8)


@pytest.mark.parametrize(
    ("mu", "parts"),
    [
        (1.0, [(1, 100)]),
        (1.0, [(1, 96), (math.e, 4)]),
        (0.5, [(1, 10**9)]),
        (0.01, [(1, 30), (1.0001, 3)]),
        (1e-3, [(1, 10**12)]),
        (1.5, [(1, 7), (9.4, 5)]),
    ],
    ids=str,
)
def test_lines_agree(mu, parts):
    """Other ranges and accuracies take other lines, periods and samples."""
    spread = math.sqrt(sum(n * a * a for a, n in parts) * math.expm1(mu * mu))
    for d in (-3 * spread, -0.5 * spread, 0.0, 0.7 * spread, 3 * spread, 12 * spread):
        ranges = [(max(d, spread / 4), 1e-13), (2 * spread, 1e-6), (40 * spread, 1e-3)]
        found = [bounds(mu, parts, to, accuracy, [d])[0] for to, accuracy in ranges if d <= to]
        assert max(low for low, _ in found) <= min(high for _, high in found)
        assert found[0][1] - found[0][0] < 1e-6


def test_sums_whose_samples_leave_the_range_are_not_known():
    ((lower, upper),) = bounds(5.0, [(1, 2)], 1e6, 1e-10, [1e3])
    assert (lower, upper) == (0, 1)
