# SPDX-License-Identifier: Apache-2.0
"""Libraries that account by dp_accounting, unmodified, on this one: equal answers, sooner.

They install with the extra dp-accounting-users, which pins their versions.
"""

from __future__ import annotations

import time
from contextlib import nullcontext

import pytest

dp_accounting = pytest.importorskip(
    "dp_accounting", reason="the extra dp-accounting is not installed"
)

from hockeystick.compat.dp_accounting import patched  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
MISSING = "the extra dp-accounting-users is not installed"


def both(run):
    """The answers without and with this library, and how many times sooner ours came.

    In processor time, each first once, of two rounds with other parameters so that no cache
    answers; the less favourable of the two.
    """
    answers, speedups = {}, []
    for shift, order in (0.0, (False, True)), (0.01, (True, False)):
        seconds = {}
        for ours in order:
            with patched() if ours else nullcontext():
                start = time.process_time()
                answers[ours] = run(shift)
                seconds[ours] = time.process_time() - start
        speedups.append(seconds[False] / seconds[True])
    return answers[False], answers[True], min(speedups)


def test_riskcal():
    accountants = pytest.importorskip("riskcal.accountants", reason=MISSING)

    def run(shift):
        accountant = accountants.CTDAccountant()
        accountant.history = [(1.0 + shift, 0.01, 1000)]
        return accountant.get_epsilon(delta=1e-5), accountant.get_advantage()

    theirs, ours, speedup = both(run)
    assert ours == pytest.approx(theirs, rel=1e-6)
    assert speedup > 3


def test_pipeline_dp():
    budget = pytest.importorskip("pipeline_dp.budget_accounting", reason=MISSING)
    kinds = pytest.importorskip("pipeline_dp.aggregate_params", reason=MISSING).MechanismType

    def run(shift):
        accountant = budget.PLDBudgetAccountant(total_epsilon=1.0 + shift, total_delta=1e-6)
        asked = [accountant.request_budget(k) for k in (kinds.GAUSSIAN, kinds.LAPLACE)]
        accountant.compute_budgets()
        return [spec.noise_standard_deviation for spec in asked]

    theirs, ours, speedup = both(run)
    assert ours == pytest.approx(theirs, rel=1e-4)
    assert speedup > 1.2


def test_jax_privacy():
    accounting = pytest.importorskip("jax_privacy.experimental.accounting", reason=MISSING)

    def run(shift):
        event = accounting.dpsgd_event(3.0 + shift, 512, sampling_prob=0.1)
        return dp_accounting.pld.PLDAccountant().compose(event).get_epsilon(1e-6)

    theirs, ours, speedup = both(run)
    assert ours == pytest.approx(theirs, rel=1e-5)
    assert speedup > 3
