# SPDX-License-Identifier: Apache-2.0
"""Normal density, tails and intervals against erfc in ball arithmetic."""

import math

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from exact.balls import at_accuracy, normal_tail
from hockeystick import _core

numeric = _core.numeric
BITS = 120
PDF_ERROR = 22 * 2.0**-53
GRID = [0.0, 5e-324, 1e-300, 1e-17, 1e-8, 0.1, 0.5, 1.0, 1.7, 4.0, 8.3, 19.0, 26.0, 33.3, 37.0]


def assert_close(computed, exact, error=numeric.normal_error):
    with ctx.workprec(2 * BITS):
        assert abs(arb(computed) - exact) <= arb(error) * exact


def tail(x):
    return at_accuracy(lambda: normal_tail(arb(x)), BITS)


def interval(a, b):
    """P(a < Z <= b) of exactly these doubles, finite or not."""
    if math.isinf(a) or math.isinf(b):
        return tail(-b) if math.isinf(a) else tail(a)
    if a < 0:
        return at_accuracy(lambda: normal_tail(arb(-b)) - normal_tail(arb(-a)), BITS)
    return at_accuracy(lambda: normal_tail(arb(a)) - normal_tail(arb(b)), BITS)


def density(x):
    return at_accuracy(lambda: (-(arb(x) ** 2) / 2).exp() / (2 * arb.pi()).sqrt(), BITS)


@pytest.mark.parametrize("x", GRID)
def test_tail_and_density_at_the_corners(x):
    assert_close(numeric.normal_tail(x), tail(x))
    assert_close(numeric.normal_tail(-x), tail(-x))
    assert_close(numeric.normal_pdf(x), density(x), PDF_ERROR)
    assert numeric.normal_pdf(-x) == numeric.normal_pdf(x)


@given(st.floats(-37.0, 37.0))
def test_tail_and_density(x):
    assert_close(numeric.normal_tail(x), tail(x))
    assert_close(numeric.normal_pdf(x), density(x), PDF_ERROR)


widths = st.one_of(
    st.sampled_from([1e-12, 1e-7, 1e-3]), st.floats(1e-12, 3.0), st.floats(3.0, 70.0)
)


@given(st.floats(-36.0, 34.0), widths)
def test_intervals_narrow_and_wide(a, width):
    b = min(a + width, 36.5)
    assert_close(numeric.normal_interval(a, b), interval(a, b))
    assert numeric.normal_interval(-b, -a) == pytest.approx(
        numeric.normal_interval(a, b), rel=2 * numeric.normal_error
    )


@pytest.mark.parametrize("x", [-37.0, -5.0, -1e-9, 0.0, 1e-9, 2.0, 37.0])
def test_infinite_ends(x):
    assert_close(numeric.normal_interval(x, math.inf), interval(x, math.inf))
    assert_close(numeric.normal_interval(-math.inf, x), interval(-math.inf, x))


def test_the_whole_line_and_empty_intervals():
    assert numeric.normal_interval(-math.inf, math.inf) == pytest.approx(
        1, rel=numeric.normal_error
    )
    for a, b in [(1.0, 1.0), (2.0, 1.0), (math.inf, math.inf), (math.inf, -math.inf)]:
        assert numeric.normal_interval(a, b) == 0
    assert math.isnan(numeric.normal_pdf(math.nan))


def mills(x):
    def evaluate():
        return normal_tail(arb(x)) * (arb(x) ** 2 / 2).exp() * (2 * arb.pi()).sqrt()

    return at_accuracy(evaluate, BITS)


@pytest.mark.parametrize("x", [0.0, 1e-300, 0.3, 1.0, 9.0, 100.0, 1e4, 1e6])
def test_mills_ratio_at_the_corners(x):
    # Beyond 1e3 the asymptotic series in 1/x^2, an enclosing alternating series, is the oracle.
    if x < 1e3:
        assert_close(numeric.mills_ratio(x), mills(x))
        return
    with ctx.workprec(2 * BITS):
        y = arb(x) ** -2
        series = (1 - y + 3 * y**2).union(1 - y + 3 * y**2 - 15 * y**3)
        assert_close(numeric.mills_ratio(x), series / arb(x))


@given(st.floats(0.0, 60.0))
def test_mills_ratio(x):
    assert_close(numeric.mills_ratio(x), mills(x))
