# SPDX-License-Identifier: Apache-2.0
"""Laws above and below means of independent variables, against all sums, in ball arithmetic."""

import itertools
import math
import random
from itertools import combinations_with_replacement

import pytest
from flint import arb

from hockeystick import _core

pytestmark = pytest.mark.bits(160)

ORIGIN = 0.5


def drawn(rng, atoms):
    """A law of R on a grid, scaled so that neither mass nor mean is above 1; most are sparse."""
    spacing = rng.choice([2**-2, 2**-5, 0.013, 2**-22])
    first = -rng.randrange(1, 40)
    mass = [0.0] * rng.randrange(atoms, 8 * atoms)
    for at in rng.sample(range(len(mass)), atoms):
        mass[at] = 10 ** rng.uniform(-rng.choice([1, 30, 280]), 0)
    zero, beyond = rng.choice([0.0, rng.random() / 2]), rng.choice([0.0, 1e-3])
    values = [math.exp(ORIGIN + (first + k) * spacing) for k in range(len(mass))]
    total = sum(m / math.sqrt(v) for m, v in zip(mass, values, strict=True))
    mean = sum(m * math.sqrt(v) for m, v in zip(mass, values, strict=True))
    scale = (1 - max(zero, beyond)) / max(total, mean)
    return spacing, first, [m * scale for m in mass], zero, beyond


def exact(spacing, first, mass, zero):
    """Values and Q-masses, the doubles taken as they are."""
    atoms = [(arb(0), arb(zero))]
    for k, m in enumerate(mass):
        value = (arb(ORIGIN) + (first + k) * arb(spacing)).exp()
        atoms.append((value, arb(m) / value.sqrt()))
    return [(value, q) for value, q in atoms if q > 0]


def means(atoms, steps):
    """Values and masses of the mean of `steps` copies."""
    for chosen in combinations_with_replacement(range(len(atoms)), steps):
        ways, q, value = arb(math.factorial(steps)), arb(1), arb(0)
        for one in set(chosen):
            ways /= math.factorial(chosen.count(one))
        for one in chosen:
            q, value = q * atoms[one][1], value + atoms[one][0]
        yield value / steps, ways * q


def one(_):
    """The mass."""
    return arb(1)


def functions(rng):
    """Convex functions >= 0 that increase (1) or decrease (-1), and their slope at infinity."""
    yield one, 1, 0
    yield lambda x: x, 1, 1
    for _ in range(3):
        a = arb(math.exp(rng.gauss(0.3, 0.8)))
        yield lambda x, a=a: max(x - a, arb(0), key=float), 1, 1
        yield lambda x, a=a: max(1 - x / a, arb(0), key=float), -1, 0


def expectation(law, above, f, grows, slope):
    """The bound that a law states."""
    sign = (1 if above else -1) * grows
    error = (arb(law["value_error"]) * sign).exp()
    total = arb(law["zero"]) * f(arb(0)) + arb(law["beyond"]) * slope * error
    for k, m in enumerate(law["mass"]):
        if m > 0:
            grid = (arb(law["origin"]) + (law["first"] + k) * arb(law["spacing"])).exp()
            value = grid if above else grid * arb(law["moment"][k]) / arb(m)
            total += arb(m) / grid.sqrt() * f(error * value)
    return total * (1 + arb(law["mass_error"]) * (1 if above else -1))


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 6, 7, 11])
@pytest.mark.parametrize("above", [True, False])
def test_expectations_lie_on_their_sides(steps, above):
    rng = random.Random(f"{steps} {above}")
    for _ in range(60 if steps < 6 else 8):
        given = spacing, first, mass, zero, beyond = drawn(rng, rng.choice([1, 2, 3]))
        cells, cut = rng.choice([1, 20]), rng.choice([0.0, 1e-9, 1e-2])
        law = _core.sampling.mean_law(above, ORIGIN, *given, steps, 1.0, cells, cut)
        truth = list(means(exact(spacing, first, mass, zero), steps))
        # If a law has mass M, the law of the mean of t copies has mass M^t, and M^(t-1) times the
        # mass beyond the law counts.
        rest = sum((q for _, q in exact(spacing, first, mass, zero)), arb(0)) ** (steps - 1)
        for f, grows, slope in functions(rng):
            value = sum((q * f(x) for x, q in truth), arb(0)) + beyond * slope * rest
            bound = expectation(law, above, f, grows, slope)
            # What `beyond` is multiplied by is left out of the law: at most 1.
            if above:
                assert not bound < value
            elif beyond == 0 or slope == 0:
                assert not bound > value


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("steps", [2, 37, 1000, 10**6 + 1])
def test_masses_and_means_are_kept(above, steps):
    """But for rounding: what is lost or gained is within the stated errors, and not far less."""
    rng = random.Random(f"{above} {steps}")
    for _ in range(5):
        spacing, first, mass, _, _ = drawn(rng, rng.choice([1, 3]))
        total = float(sum((q for _, q in exact(spacing, first, mass, 0)), arb(0)))
        mass = [m / total for m in mass]
        law = _core.sampling.mean_law(
            above, ORIGIN, spacing, first, mass, 0.0, 0.0, steps, 1.0, 8, 1e-15
        )
        atoms = exact(spacing, first, mass, 0)
        total = sum((q for _, q in atoms), arb(0))
        mean = sum((q * x for x, q in atoms), arb(0)) * total ** (steps - 1)
        for f, truth in ((one, total**steps), (lambda x: x, mean)):
            off = (expectation(law, above, f, 1, 1) / truth - 1) * (1 if above else -1)
            assert 0 < off < 1e-13 * steps + 1e-11


U = 2.0**-53

STATED = [  # origin, spacing, first, values: which term is the largest
    (0.0, 2**-19, 1, 1),  # constants
    (0.0, 2**-19, 600 * 2**19, 1),  # a logarithm
    (600.0, 2**-19, 0, 1),  # the origin
    (0.0, 2**-19, 1, 40_000),  # windows of two diagonals, and values
]


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize(("origin", "spacing", "first", "values"), STATED)
def test_stated_errors_are_those_of_the_page(above, origin, spacing, first, values):
    """Of one sum, its cut ends, its weights and the last factor, added up."""
    mass = [0.5 / values] * values
    law = _core.sampling.mean_law(above, origin, spacing, first, mass, 0.0, 0.0, 2, 1.0, 1, 1e-200)
    far = abs(arb(origin) + arb(spacing) * first)
    sums = 64 + 4 * far + (8 + arb(3 * values) / 32 if values > 1 else arb(1) / 8)
    last = 16 + 2 * abs(arb(origin)) + 4 * arb(2).log()
    ends = 2 * (abs(arb(origin)) + far)
    masses = sums + 16 + ends + last
    places = 64 + 8 + 32 + ends + last + 3 * sums
    for found, page in ((law["mass_error"], masses), (law["value_error"], places)):
        assert page < arb(found) / U < 1.04 * page


@pytest.mark.parametrize("above", [True, False])
def test_errors_of_both_terms_of_a_sum_add_up(above):
    """Of masses about twice those of fewer copies, and once more what one sum takes."""
    errors = [
        _core.sampling.mean_law(above, 600.0, 2**-20, 0, [0.5], 0.0, 0.0, steps, 1.0, 1, 1e-200)[
            "mass_error"
        ]
        for steps in (2, 4, 8)
    ]
    for fewer, more in itertools.pairwise(errors):
        assert 1.8 < (more - errors[0]) / fewer < 2.01


@pytest.mark.parametrize("above", [True, False])
def test_means_with_0_that_share_a_place_are_not_rounded_one_by_one(above):
    """Of 20,000 equal ones the roundings are alike: plain sums were off by 124 u."""
    rng = random.Random("equal")
    zero, values, spacing = 0.5, 20_000, 2.0**-30
    for _ in range(8):
        x = rng.uniform(0.2, 0.5) / values
        law = _core.sampling.mean_law(
            above, 0.0, spacing, 0, [x] * values, zero, 0.0, 2, 1.0, 1, 0.0
        )
        q = sum((arb(x) * (-arb(spacing) * k / 2).exp() for k in range(values)), arb(0))
        found = arb(law["zero"])
        for k, m in enumerate(law["mass"]):
            place = arb(law["origin"]) + arb(law["spacing"]) * (law["first"] + k)
            found += arb(m) * (-place / 2).exp()
        assert abs(found / (q + zero) ** 2 - 1) < 16 * U
