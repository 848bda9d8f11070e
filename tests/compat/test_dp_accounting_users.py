# SPDX-License-Identifier: Apache-2.0
"""Libraries that account by dp_accounting, unmodified, on this one: equal answers, sooner.

They install with the extra dp-accounting-users, which pins their versions.
"""

from __future__ import annotations

import time

import pytest

dp_accounting = pytest.importorskip(
    "dp_accounting", reason="the extra dp-accounting is not installed"
)

from hockeystick.compat.dp_accounting import patched  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
MISSING = "the extra dp-accounting-users is not installed"


def both(run):
    """The answers without and with this library, and how much sooner the second came."""
    start = time.perf_counter()
    theirs = run()
    slow = time.perf_counter() - start
    with patched():
        run()
        start = time.perf_counter()
        ours = run()
        return theirs, ours, slow / (time.perf_counter() - start)


def test_riskcal():
    accountants = pytest.importorskip("riskcal.accountants", reason=MISSING)

    def run():
        accountant = accountants.CTDAccountant()
        accountant.history = [(1.0, 0.01, 1000)]
        return accountant.get_epsilon(delta=1e-5), accountant.get_advantage()

    theirs, ours, speedup = both(run)
    assert ours == pytest.approx(theirs, rel=1e-6)
    assert speedup > 2  # measured: 8


def test_pipeline_dp():
    budget = pytest.importorskip("pipeline_dp.budget_accounting", reason=MISSING)
    kinds = pytest.importorskip("pipeline_dp.aggregate_params", reason=MISSING).MechanismType

    def run():
        accountant = budget.PLDBudgetAccountant(total_epsilon=1.0, total_delta=1e-6)
        asked = [accountant.request_budget(k) for k in (kinds.GAUSSIAN, kinds.LAPLACE)]
        accountant.compute_budgets()
        return [spec.noise_standard_deviation for spec in asked]

    theirs, ours, speedup = both(run)
    assert ours == pytest.approx(theirs, rel=1e-4)
    assert speedup > 1.2  # measured: 2.7


def test_jax_privacy():
    accounting = pytest.importorskip("jax_privacy.experimental.accounting", reason=MISSING)

    def run():
        event = accounting.dpsgd_event(3.0, 512, sampling_prob=0.1)
        return dp_accounting.pld.PLDAccountant().compose(event).get_epsilon(1e-6)

    theirs, ours, speedup = both(run)
    assert ours == pytest.approx(theirs, rel=1e-5)
    assert speedup > 2  # measured: 10
