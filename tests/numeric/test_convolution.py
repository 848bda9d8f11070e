# SPDX-License-Identifier: Apache-2.0
"""Products of powers against integers and closed forms: enclosed, tight, never silently wrong."""

from math import comb, inf

import numpy as np
import pytest
from flint import acb, arb, fmpz, fmpz_poly

from hockeystick import _core

numeric = _core.numeric
KERNELS = _core.numeric.available_kernels()
SCALE = 2**70  # the sequences of this file are multiples of 1 / SCALE


pytestmark = pytest.mark.bits(256)


def integers(x):
    """Multiples of 1 / SCALE, as integers, exactly."""
    result = []
    for value in x:
        top, bottom = float(value).as_integer_ratio()
        assert SCALE % bottom == 0
        result.append(top * (SCALE // bottom))
    return result


def exact_product(factors):
    """The cyclic product as arb, from integer polynomials reduced mod t^N - 1 after every step."""
    size = len(factors[0][0])

    def fold(a):
        coefficients = a.coeffs()
        return fmpz_poly(
            [sum(coefficients[j::size], fmpz(0)) for j in range(min(size, len(coefficients)))]
        )

    result, scale = fmpz_poly([1]), 1
    for x, power in factors:
        base, acc = fmpz_poly(integers(x)), fmpz_poly([1])
        for bit in f"{power:b}":
            acc = fold(acc * acc)
            if bit == "1":
                acc = fold(acc * base)
        result, scale = fold(result * acc), scale * SCALE**power
    coefficients = [*result.coeffs(), *[fmpz(0)] * (size - len(result.coeffs()))]
    return [arb(c) / arb(fmpz(scale)) for c in coefficients]


def worst(computed, exact):
    return max(float(abs(arb(float(c)) - e).upper()) for c, e in zip(computed, exact, strict=True))


def on_grid(x):
    return np.round(np.asarray(x) * 2.0**60) / 2.0**60


def probabilities(size, seed, decay=20):
    rng = np.random.default_rng(seed)
    return on_grid(rng.dirichlet(np.ones(size)) * np.exp(-decay * rng.random(size)))


CASES = {
    "one": [(64, 1)],
    "square": [(64, 2)],
    "cube": [(96, 3)],
    "seventh": [(80, 7)],
    "hundred": [(32, 100)],
    "thousand": [(16, 1000)],
    "mixed": [(128, 1), (128, 3), (128, 12)],
    "smallest": [(2, 5), (2, 1)],
    "ten": [(10, 4), (10, 9)],
}


@pytest.mark.every(3)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("signed", [False, True])
def test_encloses_integer_arithmetic(name, signed, kernel, request):
    for seed in range(10 if request.config.getoption("--samples") > 1 else 2):
        factors = []
        for i, (size, power) in enumerate(CASES[name]):
            x = probabilities(size, [seed, i])
            if signed:
                x = x * np.random.default_rng([seed, i, 1]).choice([-1.0, 1.0], size)
            factors.append((x, power))
        result, bound = numeric.cyclic_power_product(factors, kernel)
        assert worst(result, exact_product(factors)) <= bound


@pytest.mark.parametrize("name", ["one", "square", "seventh", "mixed"])
def test_is_tight(name):
    """The bound is about (sum of powers + 2) B times the peak, and the error not far below."""
    rng = np.random.default_rng(0)
    factors = [(on_grid(rng.dirichlet(np.ones(size))), power) for size, power in CASES[name]]
    result, bound = numeric.cyclic_power_product(factors)
    assert 0 < bound <= 1000 * worst(result, exact_product(factors))
    total = sum(power for _, power in factors)
    assert bound <= 8 * (total + 2) * numeric.fft_error_constant(len(result)) * result.max()


def binomial_folded(size, n, p):
    """P(binomial(n, p) = j mod size): the terms within 40 standard deviations, and a tail ball."""
    p = arb(p)
    mean = n * float(p.mid())
    spread = 40 * (float(mean) * (1 - float(p.mid()))) ** 0.5 + 40
    low, high = max(0, int(mean - spread)), min(n, int(mean + spread))
    term = (
        arb(fmpz(comb(n, low))) * p**low * (1 - p) ** (n - low)
        if n < 10**5
        else log_term(n, low, p).exp()
    )
    sums = [
        arb(0, 1e-200) for _ in range(size)
    ]  # the tails: Hoeffding, exp(-2 * 40^2 * p (1 - p)) < 1e-200
    ratio = p / (1 - p)
    for k in range(low, high + 1):
        sums[k % size] += term
        term = term * (n - k) / (k + 1) * ratio
    return sums


def log_term(n, k, p):
    lgamma = [arb(m + 1).lgamma() for m in (n, k, n - k)]
    return lgamma[0] - lgamma[1] - lgamma[2] + k * p.log() + (n - k) * (1 - p).log()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("size", "n"), [(256, 200), (3 * 256, 10_000), (5 * 512, 100_000), (2**13, 1_000_000)]
)
def test_encloses_binomial(size, n, kernel):
    """A two-point distribution to the power n, 1 - p exact in binary."""
    p = round(0.3 * 2**50) / 2**50
    x = np.zeros(size)
    x[:2] = 1 - p, p
    result, bound = numeric.cyclic_power_product([(x, n)], kernel)
    error = worst(result, binomial_folded(size, n, p))
    assert error <= bound <= 1.5 * (n + 2) * numeric.fft_error_constant(size) * result.max()


def test_billionth_power():
    """Exact by characters, y_j = (1/N) sum_k (q + p w^k)^n w^(-jk), in balls."""
    size, n, p = 64, 10**9, 2.0**-26
    x = np.zeros(size)
    x[:2] = 1 - p, p
    result, bound = numeric.cyclic_power_product([(x, n)])
    roots = [acb.exp_pi_i(acb(arb(-2 * k) / size)) for k in range(size)]
    spectrum = [((1 - arb(p)) + arb(p) * w) ** n for w in roots]
    exact = [
        (sum((s * roots[-j * k % size] for k, s in enumerate(spectrum)), acb(0)) / size).real
        for j in range(size)
    ]
    error = worst(result, exact)
    assert error <= bound <= 1.5 * (n + 2) * numeric.fft_error_constant(size) * result.max()
    assert result.max() > 0.09


def test_shift_is_exact_enough():
    """A unit impulse at 1 to the power p is an impulse at p mod N: no coefficient is negligible."""
    for size, p in [(16, 5), (48, 1000), (80, 10**6 + 1), (256, 10**9)]:
        x = np.zeros(size)
        x[1] = 1
        result, bound = numeric.cyclic_power_product([(x, p)])
        exact = np.zeros(size)
        exact[p % size] = 1
        assert (
            np.abs(result - exact).max() <= bound <= 2 * (p + 2) * numeric.fft_error_constant(size)
        )


@pytest.mark.parametrize("size", [256, 768, 1280])
@pytest.mark.parametrize("powers", [[1], [2], [1000], [1, 1], [7, 5], [3, 1, 10**6], [10**9]])
def test_every_term_of_the_bound_is_booked(size, powers):
    """Impulses have |X_k| = 1, hence a bound of (sum p) B for the factors and B for the inverse."""
    impulse = np.zeros(size)
    impulse[1] = 1
    _, bound = numeric.cyclic_power_product([(impulse, power) for power in powers])
    least = (sum(powers) + 1) * numeric.fft_error_constant(size)
    assert least <= bound <= 1.25 * least
    if len(powers) == 1:
        assert least <= numeric.cyclic_power(impulse, powers[0])[1] <= 1.25 * least


@pytest.mark.parametrize("power", [2, 3, 50, 1000])
@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200])
def test_scales_never_lie(scale, power):
    """Under- and overflow: the bound covers it or is infinite."""
    x = np.zeros(16)
    x[:2] = 0.75 * scale, 0.25 * scale
    result, bound = numeric.cyclic_power_product([(x, power)])
    assert np.isfinite(result).all()
    top = (arb(x[0]) + arb(x[1])) ** power
    if top > arb(2) ** 1022:
        assert bound == inf
    elif bound < inf:
        exact = [arb(0)] * 16
        for k in range(power + 1):
            exact[k % 16] += arb(fmpz(comb(power, k))) * arb(x[1]) ** k * arb(x[0]) ** (power - k)
        assert all(abs(arb(float(c)) - e) <= arb(bound) for c, e in zip(result, exact, strict=True))


@pytest.mark.parametrize("bad", [np.nan, inf, -inf])
def test_input_that_is_not_finite_gives_an_infinite_bound(bad):
    x = np.full(8, 0.125)
    x[3] = bad
    assert numeric.cyclic_power_product([(x, 2)])[1] == inf
    assert numeric.cyclic_power(x, 2)[1] == inf


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("size", "power"), [(2, 3), (10, 7), (64, 1), (96, 12), (512, 1000), (1024, 10**9)]
)
def test_single_factor_in_place_is_the_same(size, power, kernel):
    x = probabilities(size, size, decay=40)
    x /= x.sum()
    result, bound = numeric.cyclic_power(x, power, kernel)
    expected, expected_bound = numeric.cyclic_power_product([(x, power)], kernel)
    assert np.array_equal(result, expected)
    assert bound == pytest.approx(expected_bound, rel=1e-12)


POWERS = [2, 3, 7, 10, 1000, 10_000, 10**9 + 7]
MODULI = (1, 0.999, 0.9, 0.5, 0.1, 1e-3, 1e-9, 1e-12, 1e-15, 0)


def coefficients(count, seed, power=1):
    """Of all moduli up to 1, in all directions, the axes and diagonals included."""
    rng = np.random.default_rng(seed)
    angle = np.where(rng.random(count) < 0.3, rng.integers(0, 8, count) / 8, rng.random(count))
    modulus = rng.choice(MODULI, count) * np.exp2(-64 * rng.random(count) / power)
    return modulus * np.exp(2j * np.pi * angle)


@pytest.mark.every(3)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("count", [1, 3, 37, 64])
def test_powers_of_coefficients_are_enclosed(power, count, kernel):
    """Against balls, the exact coefficient being off by e0 in any of four directions."""
    norm, e0 = 1 + 1 / power, 40 * numeric.unit_roundoff
    given = coefficients(count, [power, count], power)
    raised, bounds, *_ = numeric.raise_coefficients(given, power, norm, e0, kernel)
    for z, y, bound in zip(given, raised, bounds, strict=True):
        for off in (0, e0, -e0, e0 * 1j, -e0 * 1j):
            exact = (acb(complex(z)) + acb(complex(off))) ** power
            if exact.abs_upper() <= norm**power:
                assert (acb(complex(y)) - exact).abs_upper() <= bound


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("power", POWERS)
def test_bounds_of_powers_are_tight(power, kernel):
    """Of large coefficients the input's error and 2.25 u a product, and a sixth on top."""
    u = numeric.unit_roundoff
    given, e0 = coefficients(203, power, power), 40 * u
    raised, bounds, errors, moduli = numeric.raise_coefficients(given, power, 1.0, e0, kernel)
    large = np.abs(given) > max(2 ** (-100 / power), 1e-11)
    assert large.any()
    least = np.abs(raised[large]) * power * (e0 / np.abs(given[large]) + 2.2 * u)
    assert (least * (1 - 1e-9) <= bounds[large]).all()
    assert (bounds[large] <= 7 / 6 * 1.02 * least + bounds.min()).all()
    assert (bounds <= 7 / 6 * 1.02 * (power + 1) * 43 * u).all()
    assert errors == pytest.approx(bounds.sum(), rel=1e-12)
    assert np.abs(raised).sum() <= moduli <= 1.0825 * np.abs(raised).sum() + 1e-30


@pytest.mark.parametrize("kernel", KERNELS)
def test_small_coefficients_are_cut(kernel):
    """Their powers, below 2^-110 of the largest, are not computed; the bound says so."""
    given = np.array([2.0**-12] * 40 + [0.0, 2.0**-12 * 1j, 0.9])
    raised, bounds, *_ = numeric.raise_coefficients(given, 10, 1.0, 2.0**-48, kernel)
    assert (raised[:-1] == 0).all()
    assert raised[-1].real == pytest.approx(0.9**10, rel=1e-14)
    assert (bounds[:-1] >= 2.0**-120).all()
    assert (bounds[:-1] <= 2.0**-109).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("count", [1, 3, 37])
def test_products_of_coefficients_are_enclosed(count, kernel):
    """Both factors off by their errors, in several directions; the bound is near the worst."""
    rng = np.random.default_rng(count)
    a, b = coefficients(count, [count, 1]), coefficients(count, [count, 2])
    e, f = np.exp2(-rng.uniform(1, 60, (2, count)))
    products, bounds = numeric.fold_coefficients(a, e, b, f, kernel)
    for k in range(count):
        for s, t in [(1, 1), (1, -1), (1j, 1), (-1, 1j), (0, 0)]:
            exact = (acb(complex(a[k])) + s * acb(e[k])) * (acb(complex(b[k])) + t * acb(f[k]))
            assert (acb(complex(products[k])) - exact).abs_upper() <= bounds[k]
    size, by_size = np.abs(a), np.abs(b)
    worst_case = by_size * e + (size + e) * f + 2.25 * numeric.unit_roundoff * size * by_size
    assert (worst_case * (1 - 1e-12) <= bounds).all()
    assert (bounds <= 1.09 * worst_case + 2.0**-499).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_bounds_do_not_compound(kernel):
    """Over 200 factors, moduli that were off by 8 % each time would show: by 10^6."""
    size = 64
    impulse = np.zeros(size)
    impulse[1] = 1
    _, bound = numeric.cyclic_power_product([(impulse, 1)] * 200, kernel)
    assert bound <= 1.5 * 201 * numeric.fft_error_constant(size)


@pytest.mark.parametrize("power", [0, -1, 2**62 + 1])
def test_refuses_powers(power):
    with pytest.raises(ValueError, match="power must be in"):
        numeric.cyclic_power_product([(np.ones(8), power)])
    with pytest.raises(ValueError, match="power must be in"):
        numeric.cyclic_power(np.ones(8), power)


def test_refuses_lengths():
    with pytest.raises(ValueError, match="sequence must have 8 entries, got 16"):
        numeric.cyclic_power_product([(np.ones(8), 1), (np.ones(16), 1)])
    with pytest.raises(ValueError, match="size must be"):
        numeric.cyclic_power_product([(np.ones(7), 1)])
