# SPDX-License-Identifier: Apache-2.0
"""The curve of a random allocation against integrals in ball arithmetic."""

import math

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core
from mechanisms.test_lognormal_series import put_of_two


@pytest.mark.parametrize("noise", [2.0, 5.0])
def test_points_of_the_curve_enclose_the_integral(noise):
    """Over all blocks of K, and for every mu within 4 u."""
    interval, mu = 0.02, 1 / noise
    alpha, lower, upper = _core.sampling.allocation_curve(mu, 2, interval, 1e-9)
    for k in range(3, len(alpha), len(alpha) // 12):
        for off in (-(2.0**-52), 2.0**-52):
            with ctx.workprec(200):
                put = put_of_two(arb(mu) * (1 + arb(off)), 2 * arb(alpha[k]))
                assert arb(lower[k]) < put + 1 - arb(alpha[k]) < arb(upper[k])
        assert upper[k] - lower[k] < 1e-9
    assert upper[-1] < 1e-8
    # Kinks lie on one lattice.
    for kinks, spacing in ((alpha[::4], interval), (alpha[::2], interval / 2)):
        losses = [math.log(a) / spacing for a in kinks]
        assert max(abs(x - round(x)) for x in losses) < 1e-9


@pytest.mark.parametrize(("noise", "steps"), [(1000.0, 2), (100.0, 33), (30.0, 5)])
@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
def test_much_noise_and_few_steps_are_answered(noise, steps, adjacency):
    """The loss is nearly that of a Gaussian of noise sqrt(steps) times as large."""
    epoch = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=steps)
    wide = hs.Gaussian(noise_multiplier=noise * steps**0.5)
    bounds = epoch.epsilon_bounds(1e-6, adjacency=adjacency)
    assert abs(bounds.lower / wide.epsilon(1e-6) - 1) < 5 / noise


U = 2.0**-53


def test_points_below_the_mean_are_moved_outward():
    """By 2 u of mu, and 8 u of K / t - 1."""
    mu, t, interval, tail = 1.0, 4.0, 0.02, 1e-9
    alpha, lower, upper = _core.sampling.allocation_curve(mu, t, interval, tail)
    spread = math.sqrt(math.expm1(mu * mu) / t)
    ends = (-min(spread, 0.5) * t, 0.0)
    places = [k for k, a in enumerate(alpha) if 0.51 < a < 0.6]
    at = [t * (alpha[k] - 1) for k in places]
    found = _core.sampling.lognormal_series(mu, [(1, t)], True, ends, tail / 64 * t, at)[0]
    for k, (least, most) in zip(places, found, strict=True):
        low, high = least / t, most / t
        with ctx.workprec(120):
            line = 1 - arb(alpha[k])
            margin = 2 * U * mu + 8 * U * (line + 1e-4)
            assert 0.7 * margin < arb(upper[k]) - high - line < 1.3 * margin
            assert 0.7 * margin < arb(low) + line - arb(lower[k]) < 1.3 * margin
