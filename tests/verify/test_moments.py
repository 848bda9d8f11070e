# SPDX-License-Identifier: Apache-2.0
"""Moments by trapezoid and Gauss-Legendre rules, against Arb's own integrator.

It encloses integrals by bounds of its own on the integrand, and shares no theorem with the rules,
nor with the core. What lies beyond its ends is below e^-100 of the moment.
"""

from itertools import islice, pairwise

import pytest
from flint import acb, arb, ctx

import hockeystick as hs
from hockeystick import Direction
from hockeystick.verify.laws import Logistic, Mixed, MixedLaplace, law
from hockeystick.verify.moments import Line, along, moment

NATS, BITS = 60.0, 200
NORMAL = hs.Gaussian(noise_multiplier=1.3)
MIXTURE = hs.GaussianMixture(
    standard_deviation=2.0, sensitivities=(0.0, 1.0, 3.0), probabilities=(0.5, 0.3, 0.2)
)
PAIRS = [
    (NORMAL.poisson_sampled(0.01), Direction.REMOVE),
    (NORMAL.poisson_sampled(0.01), Direction.ADD),
    (NORMAL.poisson_sampled(0.3), Direction.REPLACE),
    (MIXTURE, Direction.REMOVE),
    (MIXTURE, Direction.ADD),
    (hs.Laplace(noise_multiplier=1.5).poisson_sampled(0.2), Direction.REMOVE),
    (hs.Laplace(noise_multiplier=1.5).poisson_sampled(0.2), Direction.ADD),
]
with ctx.workprec(BITS):
    CASES = [law(mechanism, way)[0][1] for mechanism, way in PAIRS] + [Logistic(arb(0.8))]


def log_normals(parts, x, analytic):
    total = sum((p * (s * x - s * s / 2).exp() for p, s in parts), acb(0))
    return total.log(analytic=analytic)


def log_density(pair, x, analytic):
    """log P's density, and the loss."""
    if isinstance(pair, Mixed):
        p, q = (log_normals(one, x, analytic) for one in (pair.p, pair.q))
        return p - x * x / 2 - (2 * arb.pi()).log() / 2, p - q
    e, f = ((1 + (shift - x).exp()).log(analytic=analytic) for shift in (pair.m, arb(0)))
    return pair.m - x - 2 * e, pair.m - 2 * (e - f)


def integral(pair, z, ends):
    """M(z) piece by piece, so that none is much larger than its neighbours."""

    def inside(x, analytic):
        own, loss = log_density(pair, x, analytic)
        return (own + z * loss).exp()

    small = {"rel_tol": arb(2) ** -110, "abs_tol": arb(2) ** -130}
    return sum((acb.integral(inside, a, b, **small) for a, b in pairwise(ends)), acb(0))


def of_laplace(pair, z):
    """Two atoms, and the losses between: u is that of the two Laplace laws that are mixed."""
    m, rate = pair.m, pair.rate

    def term(u, mass, analytic):
        weight = 1 + rate * (u.exp() - 1)
        log = weight.log(analytic=analytic)
        return mass * weight * (z * log).exp() if pair.removes else mass * (-z * log).exp()

    def inside(u, analytic):
        return term(u, (-(u + m) / 2).exp() / 4, analytic)

    atoms = term(acb(-m), arb(0.5), False) + term(acb(m), (-m).exp() / 2, False)
    return atoms + acb.integral(inside, -m, m, rel_tol=arb(2) ** -110)


def exact(pair, z):
    if isinstance(pair, MixedLaplace):
        return of_laplace(pair, z)
    far = 120 if isinstance(pair, Logistic) else 40
    return integral(pair, z, range(-far, far + 1, 4))


@pytest.mark.every(3)
@pytest.mark.parametrize("t", [-0.4, 0.5, 3.0, 9.0])
@pytest.mark.parametrize("pair", CASES, ids=lambda pair: type(pair).__name__)
def test_real_moments_are_integrals(pair, t):
    with ctx.workprec(BITS):
        found, truth = moment(((arb(1), pair),), arb(t), NATS), exact(pair, acb(t)).real
        assert found.overlaps(truth)
        assert max(found.rad(), truth.rad()) < truth * arb(10) ** -23


@pytest.mark.every(3)
@pytest.mark.parametrize("c", [0.7, 4.0])
@pytest.mark.parametrize("pair", CASES, ids=lambda pair: type(pair).__name__)
def test_moments_along_a_line_are_integrals_and_below_their_bound(pair, c):
    with ctx.workprec(BITS):
        whole = ((arb(1), pair),)
        size = moment(whole, arb(c), NATS).upper()
        line = Line(arb(c), arb(0.8), arb(20))
        found = along(whole, line, NATS, 100)
        for k, value in enumerate(islice(found.values(), 12)):
            if k % 4 != 1:
                continue
            truth = exact(pair, acb(c, k * arb(0.8)))
            assert value.overlaps(truth)
            assert abs(value - truth).upper() < size * arb(10) ** -20
            assert abs(truth).lower() <= found.beyond(k * arb(0.8)).upper()
