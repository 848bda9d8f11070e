# SPDX-License-Identifier: Apache-2.0
"""Discrete Gaussian noise of many integers lies between two Gaussians: the proof's inequalities."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx

import c_library as library
import hockeystick as hs
from hockeystick import _core

ETA = arb("9e-10")


def far(r2):
    """How far, relatively, sums of e^(-(k - c)^2 / (2 r^2)) over integers are from their mean."""
    first = (-2 * arb.pi() ** 2 * r2).exp()
    return 2 * first / (1 - first)


def gain(mu, largest):
    """What log delta gains at least where log mu grows, at epsilon >= 0."""
    tail = mu * (-(largest**2) / 8).exp() / (2 * arb.pi()).sqrt()
    return tail if tail < 1 else arb(1)


def is_proved(sigma, moved):
    """Whether the noise leaves room for the proof's r^2 and its factors."""
    least, most = map(arb, _core.gaussians_about(sigma, moved))
    exact = arb(sigma)
    inner = exact**2 - (least * moved / (1 - ETA)) ** 2
    outer = (most * moved / (1 + ETA) ** 2) ** 2 - exact**2
    if not (inner > 0 and outer > 0):
        return False
    b = arb("2.1") * (far(inner) + far(outer / (1 + outer / exact**2)))
    log_kept = arb("1.01") * b  # at least -log(1 - b), as b is far below 0.01
    for t in (moved, 2 * moved):
        above = t / (exact**2 - inner).sqrt()
        below = t / (exact**2 + outer).sqrt()
        if not log_kept <= ETA * gain(above, above / (1 - ETA)):
            return False
        lost = below / (1 + ETA)
        if not log_kept <= (1 + ETA).log() * gain(lost / (1 + ETA), lost):
            return False
        if not arb("2.1") * b <= below * (below - lost) / 2:
            return False
    return True


def test_the_inequalities_of_the_proof():
    draw, before = random.Random(4), ctx.prec
    ctx.prec = 300
    try:
        for _ in range(300):
            sigma = 10 ** draw.uniform(math.log10(2e4), draw.choice((5.5, math.log10(9e11))))
            moved = min(round(10 ** draw.uniform(0, 6)), 10**6)
            assert is_proved(sigma, moved), (sigma, moved)
        assert is_proved(2e4, 1)
        assert is_proved(2e4, 10**6)
        assert is_proved(9e11, 1)
    finally:
        ctx.prec = before


@pytest.mark.parametrize(("sigma", "moved"), [(60_000.0, 1), (1e5, 70_000)])
def test_sums_of_masses_lie_between(sigma, moved):
    """The deltas at which a half-line is the best set, by sums over all integers that matter."""
    far_out = int(39 * sigma)
    masses = np.exp(-(np.arange(-far_out, far_out + 1) ** 2) / (2 * sigma**2))
    total = masses.sum()
    for tests in (-0.5, 0.0, 1.0, 3.0):
        edge = moved // 2 - int(tests * sigma)  # lost is what is at least moved - edge
        epsilon = (moved**2 - 2 * moved * edge) / (2 * sigma**2)
        if epsilon < 0:
            continue
        inside = masses[: far_out + edge + 1].sum()
        other = masses[: far_out + edge - moved + 1].sum()
        truth = (inside - math.exp(epsilon) * other) / total
        bounds = hs.DiscreteGaussian(sigma, sensitivity=moved).delta_bounds(epsilon, tolerance=1e-6)
        assert bounds.lower <= truth * (1 + 1e-8) + 1e-13
        assert truth * (1 - 1e-8) - 1e-13 <= bounds.upper


def test_it_composes_and_is_refused_where_no_pair_is_known():
    noise = hs.DiscreteGaussian(1e6, sensitivity=50_000)
    normal = (100 * hs.Gaussian(20.0)).epsilon_bounds(1e-6)
    for adjacency in ("add-or-remove-one", "replace-one"):
        found = (100 * noise).epsilon_bounds(1e-6, adjacency=adjacency)
        normal = (100 * hs.Gaussian(20.0)).epsilon_bounds(1e-6, adjacency=adjacency)
        assert max(found.lower, normal.lower) <= min(found.upper, normal.upper) * (1 + 1e-8)
        assert found.width <= 1e-3 * found.upper
    run = library.Run().add("discrete_gaussian", 100, sigma=1e6, sensitivity=50_000)
    bounds = (100 * noise).epsilon_bounds(1e-6)
    assert run.ask("epsilon", [1e-6])[1] == [(bounds.lower, bounds.upper)]
    assert hs.Accountant.from_json(hs.Accountant().compose(noise).to_json()).ledger == ((noise, 1),)
    assert (3 * noise).zcdp() == pytest.approx(3 / 800, rel=1e-7)
    for refused in (
        noise.poisson_sampled(0.1).epsilon,
        lambda delta: hs.RandomAllocation(noise, steps=4).epsilon(delta),
    ):
        with pytest.raises(
            ValueError, match="between two Gaussians|GaussianBetween|one pair is asked for"
        ):
            refused(1e-6)
    with pytest.raises(ValueError, match=r"^sigma must be in \[0.001, 9e\+11\], got 9500"):
        hs.DiscreteGaussian(9.5e11)
