# SPDX-License-Identifier: Apache-2.0
"""Exponentials and powers on vectors, with each instruction set, against ball arithmetic."""

import numpy as np
import pytest
from flint import acb, arb

from hockeystick import _core

U = 2.0**-53
RANGES = [(-708.0, 709.0), (-1.0, 1.0), (-1e-3, 1e-3), (-50.0, 0.0)]

pytestmark = pytest.mark.bits(120)


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
@pytest.mark.parametrize(("low", "high"), RANGES)
def test_every_exponential_is_within_its_bound(kernel, low, high, samples):
    rng = np.random.default_rng(7)
    x = rng.uniform(low, high, 8 * samples(250))
    got = _core.numeric.exponentials(x, kernel)
    worst = max(abs(arb(g) / arb(a).exp() - 1) for g, a in zip(got, x, strict=True))
    assert worst <= arb(4 * U)
    assert worst > arb(U / 4)  # the bound is not idle


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
def test_exponentials_less_one_are_within_their_bound(kernel, samples):
    """All sizes, both signs, and the ends of the reduced range, where powers of two change."""
    rng = np.random.default_rng(8)
    count = samples(1000)
    steps = (np.arange(-40, 41) + 0.5) * np.log(2)
    parts = [steps + k * 1e-15 for k in (-3, -1, 0, 1, 3)]
    parts += [rng.uniform(-1.2, 1.2, count), rng.uniform(-700, 709, count // 4)]
    parts += [rng.choice([-1, 1], count) * np.exp2(rng.uniform(-60, 9, count))]
    x = np.concatenate([*parts, [5e-324, -5e-324, np.log(2), -np.log(2)]])
    x = x[: x.size - x.size % 8]
    got = _core.numeric.exponentials_less_1(x, kernel)
    worst = max(abs(arb(g) / arb(a).expm1() - 1) for g, a in zip(got, x, strict=True))
    assert worst <= arb(4 * U)
    assert worst > arb(U)
    ends = np.array([0.0, -0.0, -708.0, -800, -1e300, -np.inf, -40, -50])
    assert (_core.numeric.exponentials_less_1(ends, kernel) == [0, 0, -1, -1, -1, -1, -1, -1]).all()


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
@pytest.mark.parametrize(("low", "high"), RANGES)
def test_both_exponentials_are_as_they_are_alone(kernel, low, high, samples):
    x = np.append(
        np.random.default_rng(9).uniform(low, high, 8 * samples(250) - 3), [-1e300, 0, 5e-324]
    )
    powers, less_1 = _core.numeric.exponentials_both(x, kernel)
    assert (powers == _core.numeric.exponentials(x, kernel)).all()
    assert (less_1 == _core.numeric.exponentials_less_1(x, kernel)).all()


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
def test_halves_of_log_two_and_ends(kernel):
    ends = [0.0, -708.0, 709.0, -1e300, -np.inf, *(k * np.log(2) / 2 for k in range(-30, 30))]
    x = np.array(ends + [0.0] * (-len(ends) % 8))
    got = _core.numeric.exponentials(x, kernel)
    assert got[0] == 1
    assert got[3] == got[4] == got[1] > 0
    for g, a in zip(got[5:], x[5:], strict=True):
        assert abs(arb(g) / arb(a).exp() - 1) <= arb(4 * U)


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
