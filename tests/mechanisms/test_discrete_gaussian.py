# SPDX-License-Identifier: Apache-2.0
"""The pairs of the discrete Gaussian mechanism in ball arithmetic."""

import math
from bisect import bisect

import pytest
from flint import arb, ctx

from hockeystick import _core
from mechanisms import atoms

BITS = 4000


def weight(sigma, x):
    return (-(arb(x) ** 2) / (2 * arb(sigma) ** 2)).exp()


def normaliser(sigma, bound):
    """Sum of the weights: directly, or untruncated by Poisson summation."""
    if math.isfinite(bound) or sigma < 1:
        last = int(min(bound, math.ceil(60 * sigma) + 10))
        rest = arb(0, weight(sigma, last + 1).upper() * 4) if bound > last else arb(0)
        return 1 + 2 * sum((weight(sigma, x) for x in range(1, last + 1)), arb(0)) + rest
    decay = 2 * (arb.pi() * arb(sigma)) ** 2
    images = sum(((-decay * k * k).exp() for k in range(1, 20)), arb(0))
    rest = arb(0, (-decay * 400).exp().upper() * 4)
    return arb(sigma) * (2 * arb.pi()).sqrt() * (1 + 2 * images + rest)


def truth(sigma, shift, bound, points=None):
    """The law at some integers, or at all within 45 sigma: beyond, masses are below 1e-400."""
    last = int(min(bound, math.ceil(45 * sigma) + 1))
    with ctx.workprec(BITS):
        z = normaliser(sigma, bound)

        def mass(x):
            return weight(sigma, x) / z if abs(x) <= bound else arb(0)

        where = range(-last, last + shift + 1) if points is None else points
        return atoms.law([mass(x) for x in where], [mass(x - shift) for x in where])


@pytest.mark.parametrize("bound", [math.inf, 10**9])  # so far out, a truncation is not seen
def test_atoms_of_a_wide_noise(bound):
    points = [-20_000, -9_999, -1, 0, 1, 2, 5_000, 19_999]
    pair = _core.dominating_pair("discrete_gaussian", [1e4, 3, bound])
    atoms.check(pair, truth(1e4, 3, math.inf, points), complete=False)


def test_atoms_of_a_wide_noise_cut_short():
    pair = _core.dominating_pair("discrete_gaussian", [1e4, 3, 2000])
    atoms.check(pair, truth(1e4, 3, 2000, [-1997, -5, 0, 1, 999, 2000]), complete=False)


def test_noises_that_never_meet():
    """Farther apart than both reach: all loss is infinite."""
    cells = _core.dominating_pair("discrete_gaussian", [1.0, 10, 4]).integrate([-1.0, 1.0])
    assert cells.infinity_mass_lower >= 1 - 1e-14
    assert cells.infinity_mass >= 1


def test_what_is_cut_is_booked():
    """Untruncated, both tails; truncated far out, the same; truncated near, nothing."""
    far = _core.dominating_pair("discrete_gaussian", [1.0, 1, math.inf]).integrate([-1.0, 1.0])
    assert 0 < far.infinity_mass < 1e-300
    assert far.infinity_mass_lower == 0
    near = _core.dominating_pair("poisson_discrete_gaussian_add", [1.0, 1, 8, 0.1])
    assert near.integrate([-1.0, 1.0]).infinity_mass == 0
    assert near.loss_supremum < 0.2


def test_stated_errors_are_those_of_the_page():
    """18 u of its masses and 6 u of sums; 2.01 u of the largest loss, at 76 + 1 from 0."""
    masses, losses = _core.dominating_pair("discrete_gaussian", [2.0, 1.0, math.inf]).law_errors()
    assert masses == 24 * 2.0**-53
    assert losses == pytest.approx(2.01 * 2.0**-53 * (1 + 2 * 76) / 8, rel=1e-9, abs=0)


@pytest.mark.parametrize("rate", [None, 1e-300, 1e-5, 0.3, 1 - 2**-53])
@pytest.mark.parametrize("sigma", [0.5, 3.7, 80.0])
def test_losses_are_within_their_rounding(sigma, rate):
    name = "discrete_gaussian" if rate is None else "poisson_discrete_gaussian_remove"
    pair = _core.dominating_pair(name, [sigma, 1.0, math.inf, *([] if rate is None else [rate])])
    assert pair.loss_rounding < 2000 * 2.0**-53
    listed = [loss for loss, _ in _core.sampling.atoms_of(pair)]
    with ctx.workprec(2000):
        last = math.ceil(38 * sigma) + 1
        truths = [(2 * x - 1) / (2 * arb(sigma) ** 2) for x in range(-last, last + 2)]
        if rate is not None:
            truths = [(arb(rate) * (loss.exp() - 1) + 1).log() for loss in truths]
        floats = [float(truth) for truth in truths]
        for loss in listed[:: max(1, len(listed) // 200)]:
            k = bisect(floats, loss)
            off = min(abs(truth - arb(loss)) for truth in truths[max(k - 1, 0) : k + 1])
            assert off <= pair.loss_rounding * abs(arb(loss)) + arb("1e-300")


def theta(sigma, a):
    """The sum over all integers y of e^(-(y - a)^2 / (2 sigma^2)), from 60 deviations around a."""
    first, reach = math.floor(a), math.ceil(60 * sigma) + 2
    terms = (
        (-((arb(y) - arb(a)) ** 2) / (2 * arb(sigma) ** 2)).exp()
        for y in range(first - reach, first + reach + 1)
    )
    return sum(terms, arb(0))


@pytest.mark.parametrize("shift", [1, 3])
@pytest.mark.parametrize("sigma", [0.05, 0.3, 0.7, 0.999, 1.0, 1.3, 4.0, 30.0])
def test_moments_are_the_formula(sigma, shift):
    """Of all outcomes: e^(t (t + 1) s^2 / (2 sigma^2)) theta(t s) / theta(0), to rounding."""
    pair = _core.dominating_pair("discrete_gaussian", [sigma, shift, math.inf])
    with ctx.workprec(400):
        for t in (1e-6, 1e-3, 0.3, 0.5, 1.0, 1.7, 2.5, 30.25, 1e3 + 1 / 3):
            exponent = arb(t) * (arb(t) + 1) * (arb(shift) / arb(sigma)) ** 2 / 2
            truth = exponent + (theta(sigma, t * shift) / theta(sigma, 0.0)).log()
            low, high = pair.log_moment_bounds(t)
            off = arb(2.0**-44) * (1 + exponent)
            if sigma >= 1:  # what Poisson summation leaves is bounded by twice its first term
                off += 10 * (-arb(19.7) * arb(sigma) ** 2).exp()
            assert truth - off <= arb(low) <= truth <= arb(high) <= truth + off
