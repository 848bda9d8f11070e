# SPDX-License-Identifier: Apache-2.0
"""Labels of a ledger: kept in order, through files, and in the way of nothing."""

import json
import pickle

import pytest

import hockeystick as hs
from hockeystick import Accountant

A, B = hs.Gaussian(noise_multiplier=2.0), hs.Laplace(noise_multiplier=5.0)
BUDGET = {"epsilon": 1.0, "delta": 1e-6}
LONGEST = "x" * 1000


def labelled():
    acct = Accountant().compose(A, label="one").compose(A, 2, label="one").compose(A)
    return acct.compose(2 * B + A, 3, label="two | <b>é</b>")


def test_what_has_another_label_is_another_entry():
    acct = labelled()
    assert acct.entries == (
        *((A, 3, "one"), (A, 1, ""), (A, 3, "two | <b>é</b>"), (B, 6, "two | <b>é</b>")),
    )
    assert acct.entries[0].label == "one"
    assert acct.ledger == ((A, 3), (A, 1), (A, 3), (B, 6))
    assert acct.composition == 7 * A + 6 * B


def test_labels_go_through_files_and_pickles(tmp_path):
    acct = labelled()
    acct.save(tmp_path / "ledger.json")
    copies = Accountant.load(tmp_path / "ledger.json"), pickle.loads(pickle.dumps(acct))  # noqa: S301
    for copy in copies:
        assert copy.entries == acct.entries
        assert copy.composition == acct.composition
        assert copy.to_json() == acct.to_json()
    with Accountant.locked(tmp_path / "ledger.json") as ledger:
        ledger.compose(B, label="three")
    assert Accountant.load(tmp_path / "ledger.json").entries == (*acct.entries, (B, 1, "three"))


def test_what_is_admitted_is_labelled():
    acct = Accountant()
    assert acct.admit(B, label="query", **BUDGET)
    assert acct.admit(B, 2, label="query", **BUDGET)
    assert not acct.admit(B, 10, label="large", **BUDGET)
    assert acct.entries == ((B, 3, "query"),)


@pytest.mark.parametrize(
    ("label", "error"),
    [
        (None, TypeError),
        (1, TypeError),
        ("a\nb", ValueError),
        ("\x1b[31m", ValueError),
        ("\ud800", ValueError),
        (LONGEST + "x", ValueError),
    ],
)
def test_what_is_no_line_of_text_is_refused(label, error):
    acct = Accountant().compose(A)
    for enter in (acct.compose, acct.admit):
        budget = {} if enter == acct.compose else BUDGET | {"epsilon": 1e-9}
        with pytest.raises(error, match="label must be a line of printable text"):
            enter(A, label=label, **budget)
    text = json.loads(acct.to_json())
    text["ledger"][0]["label"] = label
    del text["sha256"]
    with pytest.raises(ValueError, match=r"\$\.ledger\[0\]: label must be a line"):
        Accountant.from_json(json.dumps(text))
    assert acct.entries == ((A, 1, ""),)
