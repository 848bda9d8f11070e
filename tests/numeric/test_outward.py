# SPDX-License-Identifier: Apache-2.0
"""Single operations rounded to one side, in ball arithmetic and in fractions."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from hockeystick import _core

EXACT = {"sum": lambda a, b: a + b, "product": lambda a, b: a * b, "quotient": lambda a, b: a / b}
ENDS = [1.0, 1 + 2**-52, 1 - 2**-53, 5e-324, 2.0**-1022, 1e-300, 1e300, 1.7e308]


def pairs():
    """Of both signs: of all sizes, of one size, and the ends of the range."""
    rng = random.Random(3)
    for _ in range(2000):
        a, b = (rng.choice([-1, 1]) * 10 ** rng.uniform(-20, 20) for _ in range(2))
        yield a, b
        yield 1 + rng.random(), (1 + rng.random()) * rng.choice([-1, 1])
    for a in ENDS:
        for b in ENDS:
            yield from ((a, b), (-a, b))


@pytest.mark.parametrize("name", EXACT)
def test_the_result_is_on_its_side_and_next_to_the_exact_one(name):
    operation = getattr(_core, f"outward_{name}")
    for a, b in pairs():
        exact = EXACT[name](Fraction(a), Fraction(b))
        below, above = (operation(a, b, side) for side in (False, True))
        assert below == -math.inf or Fraction(below) <= exact
        assert above == math.inf or exact <= Fraction(above)
        if all(1e-290 < abs(x) < 1e290 for x in (a, b, exact)):
            assert above <= np.nextafter(below, math.inf)
            assert (below == above) == (Fraction(below) == exact)


FUNCTIONS = {"exp": arb.exp, "expm1": arb.expm1, "log": arb.log}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_on_its_side(name):
    rng = random.Random(5)
    at = [rng.uniform(-745, 709.7) for _ in range(2000)] + [rng.gauss(0, 1) for _ in range(4000)]
    at = np.array([*at, 1e-300, -1e-300, -744.9, 709.78, 1 + 2**-52, 1 - 2**-53])
    at = np.abs(at) if name == "log" else at
    operation = getattr(_core, f"outward_{name}")
    below, above = operation(at, False), operation(at, True)
    assert np.all(above - below <= 2.0**-48 * np.abs(above) + 3e-323)
    with ctx.workprec(1200):
        for x, low, high in zip(at, below, above, strict=True):
            exact = FUNCTIONS[name](arb(x))
            assert arb(low) <= exact <= arb(high)


def test_what_is_exact_stays_so():
    for side in (False, True):
        assert _core.outward_exp(0.0, side) == 1.0
        assert _core.outward_expm1(0.0, side) == 0.0
        assert _core.outward_log(1.0, side) == 0.0
        assert _core.outward_total([0.0, 0.3, 0.0], side) == 0.3
        assert _core.outward_total([], side) == 0.0
        assert _core.outward_quotient(1.0, 4.0, side) == 0.25
        assert _core.outward_product(0.0, 3.0, side) == 0.0
    assert _core.outward_exp(800.0, False) < math.inf == _core.outward_exp(800.0, True)
    assert _core.outward_product(1e200, 1e200, False) < math.inf


def test_a_root_is_on_its_side_and_next_to_the_exact_one():
    rng = random.Random(6)
    for x in [4.0, 2.0, 0.0, 5e-324, *(10 ** rng.uniform(-300, 300) for _ in range(2000))]:
        below, above = (_core.outward_root(x, side) for side in (False, True))
        assert Fraction(below) ** 2 <= Fraction(x) <= Fraction(above) ** 2
        if 1e-280 < x < 1e280:
            assert above <= np.nextafter(below, math.inf)
    assert _core.outward_root(9.0, True) == _core.outward_root(9.0, False) == 3.0


@pytest.mark.parametrize("count", [1, 2, 3, 10, 1000])
def test_a_total_is_on_its_side_and_next_to_the_exact_one(count):
    rng = random.Random(count)
    for _ in range(200):
        terms = [rng.choice([-1, 1]) * 10 ** rng.uniform(-37, 3) for _ in range(count)]
        terms += [-x for x in terms if rng.random() < 0.3]
        exact = sum(map(Fraction, terms))
        below, above = (_core.outward_total(terms, side) for side in (False, True))
        assert (
            Fraction(below) <= exact <= Fraction(above) <= Fraction(np.nextafter(below, math.inf))
        )
        assert (below == above) == (exact == Fraction(below))
    assert _core.outward_total([0.25, 1e-30, 0.75, -1e-30], True) == 1.0
