# SPDX-License-Identifier: Apache-2.0
"""Moments of losses between two edges: the formulas of the page in ball arithmetic, and pairs."""

import itertools
import math

import pytest
from flint import acb, arb, ctx

from exact.balls import normal_tail
from hockeystick import _core

parts = _core.large_loss
U = 2.0**-53
EDGES = [-0.4, -0.1, 0.02, 0.3, 0.9]
SHARES = [(0.1, 0.3), (0.4, 0.8), (0.2, 0.25), (0.05, 0.6)]  # P-masses, and shares of lower ends
CELLS = [
    (p, (1 - share) * p * -math.expm1(a - b), share * p * math.expm1(b - a))
    for (p, share), (a, b) in zip(SHARES, itertools.pairwise(EDGES), strict=True)
]
TILTS = (0.0, 0.7, 3.0, 40.0, -1.0, -2.5, -60.0)


def formula(errors, outside, tilt):
    """Both bounds of the page, as logarithms, and what of them a part in 10^9 of the slack is."""
    mass_error, share_error, share_error_p, loss_error = map(arb, errors)
    t, high, low, slack = arb(tilt), arb(0), arb(0), arb(0)
    sizes = arb(outside[1])
    for row in zip(*zip(*CELLS, strict=True), EDGES[:-1], EDGES[1:], strict=True):
        p, above, below, a, b = map(arb, row)
        growth = (b - a).exp() - 1
        share = below / (below + (1 + growth) * above)
        centre = b - (1 + below / p).log()
        ends = [(t * x).exp() - 1 for x in (a, b)]
        high += p * (share * ends[0] + (1 - share) * ends[1])
        low += p * ((t * centre).exp() - 1)
        location = loss_error + (3 * share_error + mass_error + 16 * U) * growth
        location += 3 * share_error_p + 8 * U * max(abs(a), abs(b), key=float)
        slack += abs(t) * 2 * p * location * (1 + max(ends, key=float))
        largest = max(map(abs, ends), key=float)
        slack += p * largest * (mass_error + (128 + len(CELLS)) * U)
        sizes += p * largest
    least, most = map(arb, outside)
    below, above = 1 + low - slack - most - 4 * U * sizes, 1 + high + slack - least + 4 * U * sizes
    return [(x.log(), 2e-9 * slack / x) for x in (below, above)]


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize(
    ("errors", "outside"),
    [
        ((0, 0, 0, 0), (0, 0)),
        ((0, 0, 0, 0), (0.1, 0.3)),
        ((1e-3, 0, 0, 0), (0.25, 0.25)),
        ((0, 1e-3, 0, 0), (0.25, 0.25)),
        ((0, 0, 1e-3, 0), (0.25, 0.25)),
        ((0, 0, 0, 1e-3), (0.25, 0.25)),
    ],
    ids=str,
)
def test_bounds_are_those_of_the_page(errors, outside, tilt):
    found = parts.middle_log_moment(CELLS, EDGES, errors=errors, outside=outside, tilt=tilt)
    with ctx.workprec(200):
        for end, (exact, spare) in zip(found, formula(errors, outside, tilt), strict=True):
            if math.isnan(float(exact.mid())):  # the mass is not shown to be positive
                assert end == -math.inf
            else:
                assert abs(end - exact) <= arb(1e-12) * (1 + abs(exact)) + spare


def sampled_cells(noise, rate, edges):
    """P-masses, and both parts, of cells of ((1 - q) N(0, 1) + q N(mu, 1), N(0, 1)) in balls."""
    mu, q = 1 / arb(noise), arb(rate)
    at = [((arb(e).exp() - 1 + q) / q).log() / mu + mu / 2 for e in edges]
    cells = []
    for x, y, a, b in zip(at[:-1], at[1:], edges[:-1], edges[1:], strict=True):
        null = normal_tail(x) - normal_tail(y)
        p = (1 - q) * null + q * (normal_tail(x - mu) - normal_tail(y - mu))
        cells.append((p, p - arb(a).exp() * null, arb(b).exp() * null - p))
    return cells, at


@pytest.mark.parametrize(("noise", "rate"), [(1.0, 1e-4), (0.6, 1e-2), (3.0, 0.3)])
@pytest.mark.parametrize("tilt", [0.0, 1.5, 20.0, -1.0, -30.0])
def test_moments_of_a_sampled_gaussian_are_enclosed(noise, rate, tilt):
    """An integral over the outcomes, in balls."""
    top = 4 * rate / noise
    edges = [math.log1p(-rate) * (1 - 1e-6) + k / 32 * top for k in range(33)]
    with ctx.workprec(120):
        cells, at = sampled_cells(noise, rate, edges)
        mu, q = 1 / arb(noise), arb(rate)

        def integrand(x, _):
            growth = 1 - q + q * (mu * (x - mu / 2)).exp()
            return growth ** (tilt + 1) * (-x * x / 2).exp()

        whole = acb.integral(integrand, acb(at[0]), acb(at[-1])).real
        exact = (whole / (2 * arb.pi()).sqrt()).log()
        inside = sum((p for p, _, _ in cells), arb(0))
        outside = [float((1 - inside).mid()) + sign * 1e-16 for sign in (-1, 1)]
        given = [tuple(float(x.mid()) for x in cell) for cell in cells]
        found = parts.middle_log_moment(
            given, edges, errors=(1e-15, 1e-15, 0, 1e-16), outside=outside, tilt=tilt
        )
        assert found[0] <= exact
        assert exact <= found[1]
        assert found[1] - found[0] <= 0.01 * (abs(exact) + 0.05 * rate * (1 + abs(tilt)))


def test_moments_out_of_range_are_not_known():
    found = parts.middle_log_moment(CELLS, EDGES, errors=(0,) * 4, outside=(0, 0.25), tilt=1000.0)
    assert found == (-math.inf, math.inf)


def test_chernoff_takes_the_best_tilt():
    """At each of three tilts e^(log M - tilt s), in balls."""
    rows = [(2.0, 0.5), (8.0, 3.0), (-4.0, 0.1)]
    for s in (0.1, 0.4, 1.0, 3.0, -2.0):
        with ctx.workprec(100):
            exact = min((arb(m) - arb(t) * arb(s)).exp() for t, m in rows)
            found = parts.chernoff(rows, s)
            assert exact <= found <= exact * (1 + arb(1e-13))
    assert parts.chernoff([], 1.0) == math.inf
