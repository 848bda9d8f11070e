# SPDX-License-Identifier: Apache-2.0
"""The transform of sums of log-normal variables, and what it is off by."""

import cmath
import math

import pytest
from flint import acb, arb, ctx

from hockeystick import _core
from mechanisms.test_lognormal_hyperbola import moment

U = 2.0**-53
PARTS = [[(1.0, 1.0)], [(1.0, 1e4)], [(1.0, 3.0), (1.9, 2.0)], [(1.0, 500.0), (4.0, 3.0)]]


@pytest.mark.parametrize("mu", [0.3, 1.0])
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("off", [0.0, 1e-15])
@pytest.mark.parametrize("turned", [0.0, 0.7, 1.4, 1.9])
def test_errors_of_the_power_are_the_formula(mu, parts, off, turned):
    """Of each part: what s, its scale, the transform and rounding make of log(1 + G)."""
    deviation = math.sqrt(sum(n * a * a for a, n in parts) * math.expm1(mu * mu))
    for far in (0.01, 1.0, 6.0):
        s = far / deviation * cmath.exp(1j * turned)
        total, wrong, least = 0j, 0.0, 0.0
        for scale, count in parts:
            z = scale * s
            g, error, slope, slope_error, _ = _core.sampling.lognormal_transform(mu, z)
            moved = scale * off + (U * abs(z) if scale != 1 else 0)
            error += moved * 1.01 * (abs(slope) + slope_error)
            modulus, logarithm = abs(1 + g), complex(0, cmath.phase(1 + g))
            logarithm += (
                math.log1p(2 * g.real + abs(g) ** 2) / 2 if abs(g) < 1 else math.log(modulus)
            )
            part = error / modulus + 32 * U * min(abs(g), 2) * (1 + 1 / modulus**2)
            wrong += count * part * 1.01
            wrong += 8 * U * count * (abs(logarithm.real) + abs(logarithm.imag))
            total += count * logarithm
            least += count * math.log(modulus + error)
        log_size, turn, found, is_known = _core.sampling.lognormal_power(mu, parts, s, off)
        assert found == pytest.approx(wrong, rel=1e-6, abs=0)
        assert is_known == (wrong < 1)
        if is_known:
            assert abs(complex(log_size, turn) - total) < wrong
        else:
            assert log_size >= least


@pytest.mark.parametrize(("mu", "far"), [(0.5, 0.1), (1.0, 2.0), (1.5, 0.7)])
@pytest.mark.parametrize("turned", [0.0, 0.7, 1.9])
def test_the_power_is_that_of_the_integrals(mu, far, turned):
    s, parts = far * cmath.exp(1j * turned), [(1.0, 3.0), (1.9, 2.0)]
    log_size, turn, wrong, is_known = _core.sampling.lognormal_power(mu, parts, s, 0.0)
    assert is_known
    with ctx.workprec(90):
        truth = acb(1)
        for scale, count in parts:
            truth *= (1 + moment(mu, acb(s) * arb(scale))) ** int(count)
        assert abs(truth / acb(log_size, turn).exp() - 1) < arb(wrong) * (1 + arb(wrong))


def test_where_a_factor_is_hardly_known_its_size_is_bounded():
    log_size, _, _, is_known = _core.sampling.lognormal_power(0.3, [(1.0, 40.0)], 3 + 80j, 0.0)
    g, error = _core.sampling.lognormal_transform(0.3, 3 + 80j)[:2]
    assert not is_known
    assert log_size > 40 * math.log(abs(1 + g) + error) > 40 * math.log(abs(1 + g))
