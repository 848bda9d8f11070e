# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows: tables, well formed, escaped, without scripts, and rounded outward."""

from decimal import Decimal
from html.parser import HTMLParser

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _html
from hockeystick._decimals import rounded

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
RUN = 1000 * STEP + 3 * hs.Laplace(noise_multiplier=10.0)


class Table(HTMLParser):
    """The cells of a table, row by row; refuses what is not closed, and tags that are not known."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):  # noqa: D102
        assert tag in {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
        assert set(dict(attributes)) <= {"style", "colspan"}
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):  # noqa: D102
        assert self.open.pop() == tag

    def handle_data(self, data):  # noqa: D102
        if self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        elif data.strip():
            self.texts.append(data)


def test_texts_are_escaped():
    text = '<script>alert("&")</script>'
    table = Table(_html.table([text], [[text]], caption=text, note=text))
    assert table.rows == [[text], [text]]
    assert table.texts == [text, text]


def test_a_composition():
    assert Table(RUN._repr_html_()).rows == [
        ["mechanism", "count"],
        *([repr(mechanism), f"{count:,}"] for mechanism, count in RUN.terms),
    ]
    assert Table(hs.Composition()._repr_html_()).rows == [["mechanism", "count"]]


def test_bounds_are_rounded_outward():
    bounds = RUN.epsilon_bounds(1e-5)
    head, row = Table(bounds._repr_html_()).rows
    assert head == ["lower", "upper", "gap"]
    lower, upper, gap = map(Decimal, row)
    assert lower <= Decimal(bounds.lower) <= Decimal(bounds.upper) <= upper
    assert gap >= bounds.gap


@pytest.mark.parametrize("shape", [(0,), (2,), (2, 1)])
def test_bounds_of_arrays(shape):
    bounds = RUN.epsilon_bounds(np.full(shape, 1e-5))
    head, *rows = Table(bounds._repr_html_()).rows
    assert head == ["index", "lower", "upper", "gap"]
    assert [row[0] for row in rows] == [", ".join(map(str, each)) for each in np.ndindex(shape)]
    _, *budget = Table(bounds.error_budget._repr_html_()).rows
    assert len(budget) == len(rows)


@pytest.mark.parametrize("ends", [(0.0, np.inf), (1.0, 1.0), (0.0, 0.0), (5e-324, 1.7e308)])
def test_extreme_bounds(ends):
    _, row = Table(hs.Bounds(*ends)._repr_html_()).rows
    assert float(row[0]) <= ends[0]
    assert float(row[1]) >= ends[1]


def test_records():
    def bounds(sigma, name):
        return hs.Gaussian(noise_multiplier=sigma).epsilon_bounds(1e-5)._asdict() | {"is": name}

    records = hs.sweep(bounds, {"sigma": [1.0, 1 / 3], "name": ["<b>"]})
    head, *rows = Table(records._repr_html_()).rows
    assert head == ["sigma", "name", "lower", "upper", "is"]
    assert [row[0] for row in rows] == ["1", "0.333333"]
    for row, record in zip(rows, records, strict=True):
        assert row[1] == row[4] == "<b>"
        assert float(row[2]) <= record["lower"] <= record["upper"] <= float(row[3])
    assert Table(hs.Records()._repr_html_()).rows == [[]]


def test_ledgers_and_their_reports():
    account = hs.Accountant().compose(RUN, label="<b>P1</b> table").compose(STEP, 500)
    for shown in (account, account.report(1e-6, budget=3)):
        assert Table(shown._repr_html_()).rows[1][0] == "<b>P1</b> table"


@pytest.mark.parametrize("value", [0.0, 1.0, 1 / 3, -1 / 3, 1e-300, 123456789.0, 5e-324])
def test_rounding_is_away_from_the_truth(value):
    lower, upper = (Decimal(rounded(value, side)) for side in ("lower", "upper"))
    assert lower <= Decimal(value) <= upper
    assert upper - lower <= abs(Decimal(value)) * Decimal("1e-4")
