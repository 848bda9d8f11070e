# SPDX-License-Identifier: Apache-2.0
"""Answers in sentences."""

import pytest

import hockeystick as hs

TRAINING = hs.DPSGD(1.0, batch_size=256, dataset_size=60_000, epochs=10)


def test_a_training_is_said_as_it_was_configured():
    said = TRAINING.sentence(1e-5)
    bounds = TRAINING.epsilon_bounds(1e-5)
    pair, _, rest = said.removeprefix("The result is (epsilon = ").partition(", delta = 1e-05)")
    assert bounds.upper <= float(pair) <= bounds.upper * (1 + 1e-4)
    assert "differ in that a record is added or removed." in rest
    assert (
        "The model was trained by DP-SGD with noise multiplier 1.0, batch size 256 of 60,000 "
        "records (batches Poisson sampled), 2,344 steps. Epsilon is in nats, and an upper bound "
        f"certified by hockeystick {hs.__version__}, rounding included."
    ) in rest


def test_delta_may_be_sought_and_others_run():
    run = 5 * hs.Laplace(10.0) + hs.Gaussian(2.0)
    said = run.sentence(epsilon=1.0, adjacency="replace-one")
    assert "(epsilon = 1.0, delta = " in said
    assert "a record is replaced by any other. What ran: 5 times Laplace, noise 10 + Gau" in said
    assert "Delta is an upper bound" in said
    with pytest.raises(TypeError, match="^sentence takes one of delta and epsilon"):
        run.sentence()
    with pytest.raises(ValueError, match=r"^delta must be in \[0, 1\)"):
        run.sentence(2.0)


def test_a_ledger_is_said_under_its_own_neighbours():
    account = hs.Accountant("replace-one").compose(hs.Laplace(10.0), 5)
    assert account.sentence(1e-5) == account.composition.sentence(1e-5, adjacency="replace-one")
    with pytest.raises(ValueError, match="^adjacency must be that of the accountant, replace-one"):
        account.sentence(1e-5, adjacency="add-or-remove-one")
