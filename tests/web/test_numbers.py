# SPDX-License-Identifier: Apache-2.0
"""Numbers are typed in the calculator as on the command line, and bounds are rounded outwards."""

import random
import struct
from decimal import Decimal

import pytest

from hockeystick._decimals import outward
from hockeystick.cli._numbers import NUMBER, WHOLE
from web_tools import node

TYPED = [
    *("0.01", " 1e-5 ", "10,000", "1%", "0.1%", "2.5e1%", "256/60000", "1/3", "1,000/60,000", "-5"),
    *("1E4", ".5", "5.", "1e-320", "0.3%", "7/10", "1,234,567.5"),
    *("0", "0.0", "0%", "0/5", "0e-400"),
]
REFUSED = ["", "abc", "1,00", "0x10", "1//2", "1/2/3", "1/0", "%", "nan", "inf", "1e", "--5", "1 2"]
REFUSED += ["1e-400", "1e-330%", "1e-300/1e300"]


def packed(x):
    return struct.pack(">d", x).hex()


@pytest.fixture(scope="module")
def bounds():
    chosen = random.Random(7)
    lows = [10 ** chosen.uniform(-300, 300) for _ in range(300)]
    lows += [10 ** chosen.uniform(-12, 4) for _ in range(300)]
    gaps = [0, 2**-52, 1e-12, 1e-6, 1e-3, 0.5]
    pairs = [(low, low * (1 + gap)) for low in lows for gap in gaps]
    edges = [
        (0.0, 0.0),
        (0.0, 5e-324),
        (5e-324, 5e-324),
        (0.0, 0.25),
        (1.0, 1.0),
        (999.99995, 1000.0),
    ]
    return edges + pairs


@pytest.fixture(scope="module")
def written(bounds):
    given = {"typed": TYPED + REFUSED, "whole": ["1e4", "10,000", "2.5", "60000", "1e300"]}
    return node("numbers.mjs", given={**given, "bounds": [[*map(packed, b)] for b in bounds]})


def test_numbers_are_read_as_on_the_command_line(written):
    assert written["typed"][: len(TYPED)] == [NUMBER.convert(text, None, None) for text in TYPED]
    for text, answer in zip(REFUSED, written["typed"][len(TYPED) :], strict=True):
        assert str(answer).startswith("number must be "), text


def test_whole_numbers(written):
    assert written["whole"][:2] == [WHOLE.convert(text, None, None) for text in ("1e4", "10,000")]
    assert written["whole"][3] == 60000
    for answer in (written["whole"][2], written["whole"][4]):
        assert answer.startswith("number must be a whole number")


def test_bounds_are_rounded_outwards(bounds, written):
    for (lower, upper), (low, high) in zip(bounds, written["outward"], strict=True):
        assert Decimal(low) <= Decimal(lower)
        assert Decimal(upper) <= Decimal(high)


def test_bounds_are_rounded_as_on_the_command_line(bounds, written):
    for pair, shown in zip(bounds, written["outward"], strict=True):
        assert [*map(Decimal, shown)] == [*map(Decimal, outward(*pair))]


def test_few_digits_are_rounded_outwards_and_close(bounds, written):
    for (lower, upper), (low, high) in zip(bounds, written["rounded"], strict=True):
        assert Decimal(lower) * Decimal("0.99") <= Decimal(low) <= Decimal(lower)
        assert Decimal(upper) <= Decimal(high)
        assert upper < 1e-320 or Decimal(high) <= Decimal(upper) * Decimal("1.01")
