# SPDX-License-Identifier: Apache-2.0
"""The reader of JSON refuses what Python's strict reader refuses, and takes little memory."""

import json

import pytest

from c_library import BAD_ARGUMENT, Refused, Run

ENTRY = '{"mechanism": {"type": "Gaussian", "noise_multiplier": %s}, "count": 1}'
LEDGER = (
    '{"schema": "hockeystick.Accountant", "version": 1, "adjacency": "remove-one", '
    '"tolerance": 1e-3, "ledger": [%s]}'
)


def with_number(digits):
    return LEDGER % (ENTRY % digits)


@pytest.mark.parametrize(
    "digits", ["1", "1.5", "1e0", "1E+2", "100e-2", "0.5", "12345678901234567"]
)
def test_numbers_are_read(digits):
    if float(digits) < 1e12:
        Run().add_json(with_number(digits))


@pytest.mark.parametrize("space", [" ", "\n", "\t\r\n "])
def test_spaces_are_read(space):
    Run().add_json(space + with_number("1").replace(":", space + ":") + space)


BAD_NUMBERS = ["01", "+1", "1.", ".5", "1e", "1e+", "--1", "0x1", "NaN", "Infinity", "-Infinity"]
BAD_NUMBERS += ["1e999", "1" + "0" * 400, "1" * 2000, "1_0", "1 0", "tru", "nul", "1,5"]


@pytest.mark.parametrize("digits", BAD_NUMBERS, ids=lambda digits: digits[:12])
def test_what_is_no_number_is_refused(digits):
    with pytest.raises(Refused) as refusal:
        Run().add_json(with_number(digits))
    assert refusal.value.status == BAD_ARGUMENT


BAD_TEXTS = {
    "empty": "",
    "space": "  ",
    "open": '{"a": [1, 2',
    "after": with_number("1") + "x",
    "comma": with_number("1")[:-1] + ",}",
    "repeated": with_number("1")[:-1] + ', "version": 1}',
    "deep list": "[" * 10**6,
    "deep object": '{"a":' * 10**6,
    "string": '"abc',
    "control": '"a\nb"',
    "escape": r'"\x"',
    "unit": r'"\u12g4"',
    "many": "[" + "[]," * 2_100_000 + "[]]",
    "mixed": '[1, "a"]',
    "zero byte": with_number("1") + "\0",
    "long": " " * (2**26 + 1),
}


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(Refused, match="text must be") as refusal:
        Run().add_json(text)
    assert refusal.value.status == BAD_ARGUMENT


def test_lists_of_numbers_are_read():
    weights = [1 / 2**k for k in range(1, 40)] + [2.0**-39]
    pair = {"type": "DiscretePair", "p": weights, "q": weights[::-1]}
    Run().add_json(LEDGER % json.dumps({"mechanism": pair, "count": 1}))
