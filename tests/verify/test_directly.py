# SPDX-License-Identifier: Apache-2.0
"""The second accountant against sums over all outcomes, and a noise by name against its form."""

import itertools
import math
from fractions import Fraction

import pytest
from mpmath import mp
from scipy import stats

import hockeystick as hs

PAIRS = [
    (2, (0.25, 0.75), (0.625, 0.375)),
    (3, (0.5, 0.25, 0.25, 0.0), (0.125, 0.375, 0.25, 0.25)),
    (1, (0.5, 0.375, 0.125), (0.75, 0.25, 0.0)),
]


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.5, 4.0])
def test_different_finite_laws_are_what_all_their_outcomes_sum_to(epsilon):
    laws = [list(zip(p, q, strict=True)) for n, p, q in PAIRS for _ in range(n)]
    run = sum((n * hs.DiscretePair(p=p, q=q) for n, p, q in PAIRS), hs.Composition())
    with mp.workdps(50):
        truth, odds = mp.mpf(0), mp.exp(epsilon)
        for outcome in itertools.product(*laws):
            p, q = (math.prod((Fraction(x[k]) for x in outcome), start=Fraction(1)) for k in (0, 1))
            p, q = (mp.mpf(x.numerator) / x.denominator for x in (p, q))
            truth += max(mp.mpf(0), p - odds * q)
        result = hs.verify(
            run, epsilon=epsilon, adjacency=hs.Adjacency.REMOVE_ONE, digits=25, fast=False
        )
        assert result.digits >= 25
        assert abs(mp.mpf(result.middle) - truth) <= mp.mpf(result.radius) + mp.mpf(10) ** -45


@pytest.mark.parametrize("name", ["norm", "laplace", "logistic"])
def test_noise_known_by_name_is_its_closed_form(name):
    """One release of sensitivity 1 / 2, at epsilon = 1 / 4."""
    noise = getattr(stats, name)
    run = 1 * hs.AdditiveNoise(log_density=noise.logpdf, distribution=noise.cdf, sensitivity=0.5)
    with mp.workdps(40):
        m, e = mp.mpf(1) / 2, mp.mpf(1) / 4
        root = mp.exp((m - e) / 2)
        v = (root - 1) / (mp.exp(m) - root)
        truth = {
            "norm": mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m),
            "laplace": 1 - mp.exp((e - m) / 2),
            "logistic": mp.exp(m) * v / (1 + mp.exp(m) * v) - mp.exp(e) * v / (1 + v),
        }[name]
        result = hs.verify(run, epsilon=0.25, digits=25, fast=False)
        assert result.digits >= 25
        assert abs(mp.mpf(result.middle) - truth) <= mp.mpf(result.radius) + mp.mpf(10) ** -35
