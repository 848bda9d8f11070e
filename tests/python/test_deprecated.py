# SPDX-License-Identifier: Apache-2.0
"""Names and keywords of version 0.1.0 are still taken, with a warning that names the new ones."""

import math
import pickle

import pytest

import hockeystick as hs

STEP = hs.Gaussian(noise_multiplier=2.0)
PLD = STEP.pld(discretization_interval=1e-2)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("probabilistic_delta", (0.5,)), ("loss_quantile", (0.3,)), ("loss_variance", ())],
)
def test_estimates_of_a_distribution_under_their_old_names(name, arguments):
    with pytest.warns(DeprecationWarning, match=f"^{name} is called estimated_{name} now$") as seen:
        old = getattr(PLD, name)(*arguments)
    assert seen[0].filename == __file__
    assert old == getattr(PLD, f"estimated_{name}")(*arguments)


def test_the_old_budget_of_a_distribution():
    with pytest.warns(DeprecationWarning, match="slack and loss_error"):
        budget = PLD.error_budget
    assert (budget.slack, budget.loss_error) == (PLD.slack, PLD.loss_error)


def test_what_never_was_is_missed():
    with pytest.raises(AttributeError, match="'PrivacyLossDistribution' object has no attribute"):
        PLD.nothing  # noqa: B018


@pytest.mark.parametrize("name", ["loss_quantile", "loss_quantile_bounds"])
def test_the_tolerance_of_a_quantile(name):
    with pytest.warns(DeprecationWarning, match="^tolerance is called deviations now$") as seen:
        old = getattr(STEP, name)(0.3, tolerance=1e-4)
    assert seen[0].filename == __file__
    assert old == getattr(STEP, name)(0.3, deviations=1e-4)


def test_what_limited_an_error():
    error = hs.CertificationError("message", hs.Bounds(0.0, math.inf), "rounding")
    with pytest.warns(DeprecationWarning, match="^obstacle is called limited_by now$"):
        assert error.obstacle == error.limited_by == "rounding"
    assert pickle.loads(pickle.dumps(error)).limited_by == "rounding"  # noqa: S301
