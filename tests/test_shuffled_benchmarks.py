# SPDX-License-Identifier: Apache-2.0
"""The table of how far the bounds of shuffled epochs are apart is what its command writes."""

import math

import pytest

import shuffled


@pytest.mark.parametrize(("noise", "batches", "epochs"), [(8.0, 10, 1), (4.0, 100, 10)])
def test_the_page_has_these_numbers(noise, batches, epochs):
    assert shuffled.row(noise, batches, epochs) in shuffled.PAGE.read_text().splitlines()


def test_the_page_has_all_lines():
    lines = [line for line in shuffled.PAGE.read_text().splitlines() if line.startswith("| ")]
    kinds = len(shuffled.NOISES) * len(shuffled.BATCHES) * len(shuffled.EPOCHS)
    assert len(lines) == kinds + 1


def test_ends_are_rounded_outwards():
    assert shuffled.digits(0.0123456, math.floor) == "0.0123"
    assert shuffled.digits(0.0123456, math.ceil) == "0.0124"
    assert shuffled.digits(12.3456, math.ceil) == "12.4"
