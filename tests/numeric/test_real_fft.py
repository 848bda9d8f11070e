# SPDX-License-Identifier: Apache-2.0
"""The real transform against ball arithmetic: its error bound holds and is tight."""

import numpy as np
import pytest
from flint import acb, arb

from hockeystick import _core

numeric = _core.numeric
SIZES = sorted(odd * 2**a for odd in (1, 3, 5) for a in range(1, 12 if odd == 1 else 10))
KERNELS = _core.numeric.available_kernels()


pytestmark = pytest.mark.bits(160)


def exact_rfft(values):
    return acb.dft([acb(float(v)) for v in values])[: len(values) // 2 + 1]


def worst(computed, exact):
    """An upper bound of the largest modulus of a difference."""
    return max(
        float((acb(complex(c)) - e).abs_upper()) for c, e in zip(computed, exact, strict=True)
    )


def vectors(size, seed):
    """Gaussian noise, a probability vector, and a sequence of 600 orders of magnitude."""
    rng = np.random.default_rng(seed)
    yield rng.standard_normal(size)
    yield rng.dirichlet(np.ones(size))
    yield rng.choice([-1.0, 1.0], size) * 10.0 ** rng.uniform(-300, 300, size)


@pytest.mark.every(3)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", SIZES)
def test_forward_encloses(size, kernel, request):
    for seed in range(20 if request.config.getoption("--samples") > 1 else 1):
        for x in vectors(size, [size, seed]):
            error = worst(numeric.rfft(x, kernel), exact_rfft(x))
            assert (
                error
                <= numeric.fft_error_constant(size) * np.abs(x).sum() * (1 + 1e-12)
                + 64 * size * 2.0**-1074
            )


@pytest.mark.every(3)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", SIZES)
def test_inverse_encloses(size, kernel):
    rng = np.random.default_rng(size)
    half = rng.standard_normal(size // 2 + 1) + 1j * rng.standard_normal(size // 2 + 1)
    half[[0, -1]] = half[[0, -1]].real
    spectrum = np.concatenate([half, half[-2:0:-1].conj()])
    exact = acb.dft([acb(complex(v)) for v in spectrum], inverse=True)
    error = worst(numeric.irfft(half, kernel), exact)
    assert error <= numeric.fft_error_constant(size) * np.abs(spectrum).mean() * (1 + 1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [2, 16, 24, 40, 256, 2048, 2560, 3072])
def test_every_butterfly_is_accurate(size, kernel):
    """The error of noise is a few u in the 2-norm: a wrong bit in a constant would show."""
    x = np.random.default_rng(size).standard_normal(size)
    error = worst(numeric.rfft(x, kernel), exact_rfft(x))
    assert error <= (2 + np.log2(size)) * numeric.unit_roundoff * np.linalg.norm(x)


@pytest.mark.every(3)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [256, 1536, 2560])
def test_bound_is_tight(size, kernel):
    """An impulse meets the roundings of one path; the bound is within 200 times of them."""
    measured = 0.0
    for at in range(1, size, size // 16):
        x = np.zeros(size)
        x[at] = 1 / 3
        measured = max(measured, worst(numeric.rfft(x, kernel), exact_rfft(x)))
    assert numeric.fft_error_constant(size) / 3 <= 200 * measured


@pytest.mark.parametrize("order", [1, 2, 3, 6, 8, 10, 24, 256, 1280, 1536, 2**13])
def test_roots_of_unity(order):
    """Within 0.78 u, as fft.hpp assumes; the axes are exact."""
    roots = numeric.roots_of_unity(order)
    exact = [acb.exp_pi_i(acb(arb(-2 * k) / order)) for k in range(order)]
    error = worst(roots, exact)
    assert error <= 0.78 * numeric.unit_roundoff
    assert roots[0] == 1
    if order % 4 == 0:
        assert roots[order // 4] == -1j


def error_constant(size):
    """B, from the table of fft.hpp, written a second time."""
    product = 3.02
    odd = next(p for p in (5, 3, 1) if size % p == 0)

    def power_of_two(points):
        if points < 16:
            return sum(1 + product for _ in range(points.bit_length() - 1))
        if points == 16:
            return 2 + product + 2
        return (
            1 + product + power_of_two(16)
            if points == 32
            else 2 + product + power_of_two(points // 4)
        )

    first = {1: 0, 3: 4.3 + product, 5: 8.3 + product}[odd]
    paths, sums, n = [], 0, size
    while n > 2 * odd:
        paths.append(sums + 1 + product + first + power_of_two(n // 4 // odd))
        sums, n = sums + 1, n // 2
    total = (max([*paths, sums + (1 if odd == 1 else 2 * odd + 1)]) + 2) * numeric.unit_roundoff
    return total / (1 - total)


@pytest.mark.parametrize("size", [*SIZES, 2**15, 2**20, 3 * 2**18, 5 * 2**17])
def test_error_constant(size):
    constant = numeric.fft_error_constant(size)
    assert error_constant(size) * (1 - 1e-15) <= constant <= error_constant(size) * (1 + 1e-11)


@pytest.mark.parametrize("kernel", KERNELS)
def test_plans_work_in_place(kernel):
    plan = numeric.RealFft(96, kernel)
    x = np.random.default_rng(0).dirichlet(np.ones(96))
    work = x.copy()
    plan.forward(work)
    assert np.sort(np.abs(work))[-1] == work[0] == pytest.approx(1)
    plan.inverse(work)
    assert np.abs(work - x).max() <= 50 * numeric.unit_roundoff
    assert plan.power(work, 3) == pytest.approx(numeric.cyclic_power(x, 3, kernel)[1], rel=1e-12)
    with pytest.raises(ValueError, match="sequence must have 96 entries, got 95"):
        plan.forward(work[:95].copy())
    with pytest.raises(TypeError):
        plan.inverse(work.astype(np.float32))


def test_subnormal_input():
    x = np.full(64, 5e-324)
    error = worst(numeric.rfft(x), exact_rfft(x))
    assert error <= numeric.fft_error_constant(64) * 64 * 5e-324 + 64 * 64 * 2.0**-1074


def test_good_size():
    supported = sorted(odd * 2**a for odd in (1, 3, 5) for a in range(1, 14))
    for at_least in range(1, 4097):
        assert numeric.good_size(at_least) == next(s for s in supported if s >= at_least)
    assert numeric.good_size(0) == 2
    assert numeric.good_size(2**31) == 2**31
    with pytest.raises(ValueError, match="at most 2"):
        numeric.good_size(2**31 + 1)


@pytest.mark.parametrize("size", [0, 1, 3, 5, 7, 14, 15, 18, 30, 100, 2**12 + 2, 7 * 2**10])
def test_refuses_other_sizes(size):
    with pytest.raises(ValueError, match="size must be"):
        numeric.rfft(np.zeros(size))
    with pytest.raises(ValueError, match="size must be"):
        numeric.fft_bytes(size)
