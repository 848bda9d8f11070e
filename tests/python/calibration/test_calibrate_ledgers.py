# SPDX-License-Identifier: Apache-2.0
"""Calibration beside what an accountant has spent, and of accountants."""

import pytest

import hockeystick as hs


def test_what_an_accountant_spent_counts_under_its_neighbours():
    step = hs.Gaussian(noise_multiplier=10.0)
    ledger = hs.Accountant(adjacency="replace-one").compose(step, 30)
    target = {"epsilon": 8.0, "delta": 1e-6}
    most = hs.calibrate(lambda n: n * step, spent=ledger, **target)
    assert most == ledger.remaining(step, **target) > 0
    assert most == hs.calibrate(
        lambda n: ledger.composition + n * step, adjacency="replace-one", **target
    )
    assert hs.calibrate(lambda n: n * step, spent=ledger.composition, **target) > 5 * most
    assert ledger.ledger == ((step, 30),)
    many = hs.calibrate(lambda n: n * step, spent=ledger, epsilon=[7.0, 8.0], delta=1e-6)
    assert many.tolist()[1] == most > many.tolist()[0]
    target |= {"spent": ledger}
    assert hs.calibrate(lambda n: n * step, adjacency="REPLACE_ONE", **target) == most
    with pytest.raises(ValueError, match="^adjacency must be that of the accountant, replace-one"):
        hs.calibrate(lambda n: n * step, adjacency="add-one", **target)


def test_make_may_return_new_accountants():
    def make(sigma):
        step = hs.Gaussian(noise_multiplier=sigma)
        return hs.Accountant(adjacency="replace-one").compose(step, 30)

    target = {"epsilon": 8.0, "delta": 1e-6}
    sigma = hs.calibrate(make, **target)
    assert make(sigma).epsilon(1e-6) <= 8.0 < make(sigma * 0.999).epsilon(1e-6)
    twice = hs.calibrate(make, spent=make(sigma), **(target | {"epsilon": 16.0}))
    assert sigma * 0.5 < twice < sigma


def test_a_ledger_that_a_calibration_charges_is_refused():
    """At the second evaluation."""
    ledger, step = hs.Accountant(), hs.Gaussian(noise_multiplier=10.0)
    with pytest.raises(TypeError, match=r"a new accountant .* the same one again, .* spent="):
        hs.calibrate(lambda n: ledger.compose(step, n), epsilon=8.0, delta=1e-6, integer=True)
    assert len(ledger.ledger) == 1


def test_accountants_of_several_adjacencies_are_refused():
    def make(sigma):
        adjacency = "replace-one" if sigma == 1 else "add-one"
        return hs.Accountant(adjacency=adjacency).compose(hs.Gaussian(noise_multiplier=sigma))

    for options in ({}, {"adjacency": "add-one"}):
        with pytest.raises(TypeError, match="make must return accountants of one adjacency"):
            hs.calibrate(make, epsilon=1.0, delta=1e-5, **options)
