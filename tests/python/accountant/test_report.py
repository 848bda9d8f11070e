# SPDX-License-Identifier: Apache-2.0
"""A report says what each entry cost, and never less than that."""

from decimal import Decimal

import pytest

import hockeystick as hs
from hockeystick import Accountant

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
QUERY = hs.Laplace(noise_multiplier=10.0)
DELTA = 1e-6


def account(**options):
    acct = Accountant(**options).compose(QUERY, 5, label="counts | by <county>")
    return acct.compose(STEP, 1000, label="model").compose(QUERY)


@pytest.mark.parametrize("adjacency", ["add-or-remove-one", "remove-one"])
def test_the_numbers_are_those_of_the_questions(adjacency):
    acct = account(adjacency=adjacency, tolerance=1e-4)
    report = acct.report(delta=DELTA, budget="2.0")
    options = {"adjacency": adjacency, "tolerance": 1e-4}
    assert len(report.rows) == 3
    run = hs.Composition()
    for row, (mechanism, count, label) in zip(report.rows, acct.entries, strict=True):
        run += count * mechanism
        assert (row.label, row.count) == (label, count)
        assert row.epsilon == (count * mechanism).epsilon(DELTA, **options)
        assert row.total == run.epsilon(DELTA, **options)
        assert row.remaining == 2.0 - row.total
    assert report.bounds == acct.epsilon_bounds(DELTA)
    assert (report.delta, report.budget, report.adjacency.value) == (DELTA, 2.0, adjacency)
    assert all(row.remaining is None for row in acct.report(delta=DELTA).rows)


def cells(report):
    """What the Markdown says, row by row."""
    lines = [line for line in report.markdown().splitlines() if line.startswith("| ")]
    return [line[2:-2].replace("\\|", "&vert;").split(" | ") for line in lines]


def test_what_is_shown_promises_no_more_than_the_numbers():
    report = account().report(delta=DELTA, budget=3)
    head, rule, *rows = cells(report)
    assert head == ["label", "mechanism", "count", "epsilon", "total", "left"]
    assert rule == ["---", "---", "---:", "---:", "---:", "---:"]
    for row, shown in zip(report.rows, rows, strict=True):
        assert shown[2] == f"{row.count:,}"
        assert row.epsilon <= Decimal(shown[3]) <= row.epsilon * 1.0001
        assert row.total <= Decimal(shown[4]) <= row.total * 1.0001
        assert row.remaining * 0.9999 <= Decimal(shown[5]) <= row.remaining


def test_text_is_aligned_and_html_is_escaped():
    report = account().report(delta=DELTA)
    text = str(report).splitlines()
    assert text[0] == "Privacy ledger at delta = 1e-06, add-or-remove-one"
    ends = [line.rindex(" ") for line in text[2:7]]
    assert len({len(line) for line in text[2:7]}) == 1, ends
    assert text[-1].startswith("epsilon = ")
    html = report.html()
    assert "counts | by &lt;county&gt;" in html
    assert html == report._repr_html_()
    assert "<script" not in html
    assert "left" not in cells(report)[0]


def test_the_last_that_was_admitted_leaves_nothing_and_breaks_nothing():
    acct = Accountant()
    query = hs.ApproximateDP(epsilon=0.1, delta=0)
    while acct.admit(query, epsilon="1.0", delta=1e-9):
        pass
    (row,) = acct.report(delta=1e-9, budget="1.0").rows
    assert (row.count, row.total) == (10, pytest.approx(1.0, abs=2e-9))
    assert 0 <= row.remaining <= 2e-9  # log(1 - delta) below the sum of the largest losses
    report = acct.compose(query).report(delta=1e-9, budget="1.0")
    assert report.rows[0].remaining < 0
    assert "budget 1.0, nothing left" in str(report)


def test_a_tolerance_out_of_reach_is_shown_as_it_is():
    acct = account(tolerance=1e-9)
    report = acct.report(delta=DELTA, memory_limit=2**16)
    with pytest.raises(hs.CertificationError) as raised:
        acct.epsilon_bounds(DELTA, memory_limit=2**16)
    assert report.bounds == raised.value.bounds


def test_a_report_in_rho():
    acct = Accountant(adjacency="replace-one").compose(hs.Gaussian(10.0), 20, label="counts")
    acct.compose(hs.ZCDP(0.25), 2, label="contractor")
    report = acct.report(rho="1.0")
    assert [type(row).__name__ for row in report.rows] == ["RhoRow"] * 2
    assert [round(row.rho, 9) for row in report.rows] == [0.4, 0.5]
    assert [round(row.total, 9) for row in report.rows] == [0.4, 0.9]
    assert [row.remaining == 1.0 - row.total for row in report.rows] == [True, True]
    assert report.bounds == acct.zcdp_bounds()
    assert (report.measure, report.delta, report.budget) == ("rho", None, 1.0)
    head, _, *rows = cells(report)
    assert head == ["label", "mechanism", "count", "rho", "total", "left"]
    for row, shown in zip(report.rows, rows, strict=True):
        assert row.total <= Decimal(shown[4]) <= row.total * 1.0001
    text = str(report).splitlines()
    assert text[0] == "Privacy ledger in zero-concentrated DP, replace-one"
    assert text[-1].startswith("rho = 0.90")
    assert "<= rho <=" in text[-1]
    assert "<table>" in report.html()
