# SPDX-License-Identifier: Apache-2.0
"""Budgets in files that people write."""

import pytest

import hockeystick as hs
from hockeystick.filters.files import read

SAVED = [
    hs.GaussianFilter(mu="0.5"),
    hs.RenyiFilter(order=8, budget=1),
    hs.ZCDPFilter(rho="1/3", delta="1e-6"),
    hs.PureFilter(epsilon=1, delta=1e-6, adjacency="replace-one"),
]


@pytest.mark.parametrize("saved", SAVED)
def test_a_saved_filter_is_read_as_what_it_is(tmp_path, saved):
    saved.run(hs.ZCDP(1e-6) if isinstance(saved, hs.ZCDPFilter) else hs.Laplace(100.0))
    saved.save(tmp_path / "saved.json")
    found = read(tmp_path / "saved.json")
    assert repr(found) == repr(saved)
    assert found.ledger == saved.ledger


def test_what_has_a_default_may_be_left_out(tmp_path):
    path = tmp_path / "budget.toml"
    path.write_text(
        'schema = "hockeystick.ZCDPFilter"\nrho = "0.5"\n'
        '[[ledger]]\nmechanism = {type = "Gaussian", noise_multiplier = 10}\n'
    )
    found = read(path)
    assert (found.runs_left(hs.Gaussian(10)), found.remaining) == (99, 0.495)
    with hs.GaussianFilter.locked(tmp_path / "new.json", mu=1):
        pass
    by_hand = tmp_path / "hand.json"
    by_hand.write_text('{"schema": "hockeystick.GaussianFilter", "mu": 1}')
    with hs.GaussianFilter.locked(by_hand) as held:
        assert held.runs_left(hs.Gaussian(10)) == 100
