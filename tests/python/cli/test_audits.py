# SPDX-License-Identifier: Apache-2.0
"""Audits on the command line."""

import json

import pytest

import hockeystick as hs

COUNTS = {
    "true_positives": 900,
    "false_negatives": 100,
    "false_positives": 50,
    "true_negatives": 950,
}
ONE = {"canaries": 1000, "guesses": 100, "correct": 95}


def typed(counts):
    return [
        each
        for name, value in counts.items()
        for each in (f"--{name.replace('_', '-')}", str(value))
    ]


def test_a_lower_bound(run):
    code, out, err = run("audit", *typed(COUNTS), "--delta", "1e-5")
    assert (code, err) == (0, "")
    assert out == "epsilon >= 2.5992 at delta = 1e-05, with confidence 0.95\n"
    _, out, _ = run("audit", *typed(ONE), "--delta", "0", "--confidence", "0.9", "--json")
    found = hs.audit.one_run_epsilon_lower(**ONE, delta=0, confidence=0.9)
    assert json.loads(out) == {
        "epsilon_lower": found,
        "refuted": None,
        "question": {**ONE, "delta": 0, "confidence": 0.9},
    }


@pytest.mark.parametrize("counts", [COUNTS, ONE])
@pytest.mark.parametrize(("noise", "is_refuted"), [("0.2", False), ("4", True)])
def test_a_claim_is_refuted_or_not(run, counts, noise, is_refuted):
    claim = ("--noise-multiplier", noise, "--steps", "1")
    code, out, err = run("audit", *typed(counts), "-d", "1e-5", *claim)
    assert code == (2 if is_refuted else 0)
    assert ("\nrefuted, with confidence 0.95: 1 step of noise" in out) is is_refuted
    assert ("\nnot refuted, with confidence 0.95" in out) is not is_refuted
    assert ("the counts refute the run that was claimed" in err) is is_refuted
    code, out, _ = run("audit", *typed(counts), "-d", "1e-5", *claim, "--json")
    assert json.loads(out)["refuted"] is is_refuted
