# SPDX-License-Identifier: Apache-2.0
"""Powers and sums on vectors, with each instruction set, against ball arithmetic."""

import numpy as np
import pytest
from flint import acb, arb

from hockeystick import _core

U = 2.0**-53

pytestmark = pytest.mark.bits(120)


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
@pytest.mark.parametrize("power", [1, 2, 3, 10, 1000, 10**6 + 7, 2**40])
def test_every_power_is_within_its_bound(kernel, power):
    rng = np.random.default_rng(3)
    modulus = np.exp(-rng.uniform(0, 300, 64) / power)
    z = modulus * np.exp(1j * rng.uniform(-np.pi, np.pi, 64))
    got = _core.numeric.powers(z, power, kernel)
    worst = arb(0)
    for g, a in zip(got, z, strict=True):
        exact = acb(a.real, a.imag) ** power
        worst = max(worst, abs((acb(g.real, g.imag) - exact) / exact).upper())
    assert worst <= arb(4 * U) * power
    assert power < 3 or worst > arb(U / 50)


@pytest.mark.parametrize("power", [0, -1])
def test_powers_start_at_one(power):
    with pytest.raises(ValueError, match="power"):
        _core.numeric.powers(np.ones(8, dtype=complex), power)


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
@pytest.mark.parametrize("angle", [0.0, 1e-3, -2.5, 40.0])
@pytest.mark.parametrize("count", [8, 40, 64, 72, 512, 1000])
def test_turned_sums_are_as_stated(kernel, angle, count):
    """64 terms at a time are summed apart."""
    rng = np.random.default_rng(11)
    weights = rng.normal(size=count) + 1j * rng.normal(size=count)
    value, across, along = _core.numeric.turned_sums(weights, angle, kernel)
    terms = [
        acb(w.real, w.imag) * acb(0, arb(angle) * k).exp() for k, w in enumerate(weights.tolist())
    ]
    size = float(np.abs(weights).sum())
    turned = float((np.abs(weights) * np.arange(count)).sum())
    error = (8 + 2 * abs(angle)) * U * turned + (min(count, 64) + count // 64 + 8) * U * size
    total = sum(terms, acb(0))
    assert abs(total - acb(value, across)) <= arb(error)
    exact = sum((k * term.imag for k, term in enumerate(terms)), arb(0))
    assert abs(exact - along) <= arb(count * error)


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
@pytest.mark.parametrize("farthest", [0.0, 1.0, 2.0**17])
def test_turned_masses_are_as_stated(kernel, farthest):
    rng = np.random.default_rng(5)
    masses, angles = rng.random(36), farthest * rng.uniform(-1, 1, 36)
    angles[-1] = farthest
    got = _core.numeric.turned_masses(masses, angles, 200, kernel)
    for k in (0, 1, 7, 8, 63, 199):
        turned = (
            arb(m) * acb(0, arb(x) * (k + 1)).exp() for m, x in zip(masses, angles, strict=True)
        )
        each = 12 * k + 9 + 8 * np.abs(angles) + len(masses)
        assert abs(sum(turned, acb(0)) - acb(got[0][k], got[1][k])) <= arb(U * float(masses @ each))


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
@pytest.mark.parametrize("tilt", [0.0, 0.3, 40.0])
@pytest.mark.parametrize("count", [8, 40, 4096])
def test_tilted_masses_and_their_sums_are_as_stated(kernel, tilt, count):
    """Masses within the exponents' rounding; the sum of the masses as they are rounds once."""
    rng = np.random.default_rng(12)
    base, loss = -(rng.normal(size=count) ** 2) * 20, rng.normal(size=count)
    base[-2:] = -1e300  # counts as e^-708
    off, by_tilt = rng.uniform(0, 1e-14, (2, count))
    largest, masses, total, error = _core.numeric.tilted_masses(
        base, loss, off, by_tilt, tilt, kernel
    )
    exponents = [arb(b) + arb(tilt) * x for b, x in zip(base.tolist(), loss.tolist(), strict=True)]
    size = np.abs(base) + tilt * np.abs(loss)
    top = max(float(e.mid()) for e in exponents)
    assert abs(largest - top) <= 3 * U * size[:-2].max()
    for exact, mass, of in list(zip(exponents, masses.tolist(), size.tolist(), strict=True))[:-2]:
        ratio = arb(mass) / (exact - largest).exp()
        assert abs(ratio - 1) <= arb(U) * (3 + 4 * (of + abs(largest)))
    assert (masses[-2:] > 0).all()
    assert (masses[-2:] < 1e-307).all()
    exact = sum(map(arb, masses.tolist()), arb(0))
    assert abs(total - exact) <= arb(1.1 * U) * exact
    below = np.minimum(largest - (base + tilt * loss), 708)
    assert error == pytest.approx(float(masses @ (off + tilt * by_tilt + U * below)), rel=1e-12)
