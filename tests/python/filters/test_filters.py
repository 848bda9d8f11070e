# SPDX-License-Identifier: Apache-2.0
"""What all filters have in common: exact budgets, ledgers, files, locks, reports, refusals."""

import copy
import json
import math
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick.accountant import parts

NOISE = hs.Gaussian(10)
MADE = {
    "GaussianFilter": (lambda: hs.GaussianFilter(mu=1), 100),
    "RenyiFilter": (lambda: hs.RenyiFilter(order=8, budget=1), 25),
    "ZCDPFilter": (lambda: hs.ZCDPFilter(rho="0.5"), 100),
}
every_filter = pytest.mark.parametrize(("make", "count"), MADE.values(), ids=MADE)


@every_filter
def test_what_outputs_chose_counts_as_the_guarantee_wherever_a_filter_is_taken(make, count):
    """And not as the composition of what ran, which says too little of adaptive steps."""
    budget = make().run(NOISE, count // 5)
    meter = hs.EpsilonMeter(NOISE, 1e-5, spent=budget)
    assert meter.epsilon == budget.epsilon(1e-5) > 1.5 * budget.composition.epsilon(1e-5)
    target = budget.epsilon(1e-5) + 1
    found = hs.calibrate(hs.Gaussian, epsilon=target, delta=1e-5, spent=budget)
    both = (budget.guarantee + hs.Gaussian(found)).epsilon(1e-5)
    assert both == pytest.approx(target, rel=1e-3)
    with pytest.raises(ValueError, match="make must depend on its parameter"):
        hs.calibrate(lambda n: make().run(NOISE, min(int(n), count)), epsilon=100, delta=1e-5)
    upper = hs.plot(budget, ax=hs.plot.detached()).lines[0].get_ydata()[0]
    assert upper == pytest.approx(budget.guarantee.delta(0.0), rel=1e-3)


@pytest.mark.parametrize("adjacency", ["add-or-remove-one", "replace-one", "replace-special"])
@pytest.mark.parametrize(
    ("kind", "budget"), [("GaussianFilter", {"mu": "0.1"}), ("ZCDPFilter", {"rho": "0.1"})]
)
def test_a_guarantee_is_the_same_however_it_is_asked(kind, budget, adjacency):
    """Under replace-one it counted a replaced record twice where it was taken as spent."""
    whole = getattr(hs, kind)(**budget, adjacency=adjacency)
    expected = pytest.approx(whole.epsilon(1e-5), rel=1e-9)
    assert hs.EpsilonMeter(NOISE, 1e-5, spent=whole).epsilon == expected
    assert hs.verify(whole, delta=1e-5).fast.upper == expected


def test_a_filter_in_a_file_is_no_run(tmp_path):
    path = tmp_path / "filter.json"
    hs.GaussianFilter(mu=1).run(NOISE).save(path)
    with pytest.raises(ValueError, match="schema is that of a filter, which `hockeystick filter`"):
        parts.read(path)


@every_filter
def test_the_last_that_fits_runs_and_the_next_does_not(make, count):
    """One by one, where a sum of rounded numbers would refuse the last."""
    budget = make()
    for _ in range(count):
        assert budget.may_run(NOISE)
        budget.run(NOISE)
    assert not budget.may_run(NOISE)
    before = budget.ledger
    with pytest.raises(hs.BudgetExceeded, match="more than .* = 0 that is left"):
        budget.run(NOISE)
    assert budget.ledger == before == ((NOISE, count),)
    assert (budget.remaining, budget.runs_left(NOISE)) == (0, 0)


@every_filter
def test_counts_and_compositions_are_taken_as_a_whole(make, count):
    budget = make()
    assert budget.may_run(NOISE, count)
    assert not budget.may_run(NOISE, count + 1)
    assert budget.may_run((count - 1) * NOISE + hs.Gaussian(10.0))
    budget.run((count - 1) * NOISE, label="many")
    with pytest.raises(hs.BudgetExceeded):
        budget.run(2 * NOISE)
    assert budget.run(NOISE, label="one").spent > 0
    assert [entry.label for entry in budget.entries] == ["many", "one"]


def test_budgets_are_taken_exactly():
    tenth = hs.ZCDPFilter(rho="0.3")
    assert tenth.runs_left(hs.ZCDP(0.1)) == 2  # the double 0.1 is above a tenth
    for exact in ("1/2", Fraction(1, 2), Decimal("0.5"), 0.5):
        budget = hs.GaussianFilter(mu=exact)
        assert budget.guarantee == hs.Gaussian(2.0)
        assert budget.runs_left(hs.Gaussian(4.0)) == 4


@every_filter
def test_many_threads_enter_no_more_than_fits(make, count):
    budget = make()
    barrier = threading.Barrier(8)

    def enter(_):
        barrier.wait()
        entered = 0
        for _ in range(count):
            try:
                budget.run(NOISE)
            except hs.BudgetExceeded:
                continue
            entered += 1
        return entered

    with ThreadPoolExecutor(8) as executor:
        assert sum(executor.map(enter, range(8))) == count


@every_filter
def test_it_goes_to_files_and_back(make, count, tmp_path):
    budget = make().run(NOISE, count - 1, label="some")
    path = tmp_path / "filter.json"
    budget.save(path)
    again = type(budget).load(path)
    assert (again.entries, again.remaining) == (budget.entries, budget.remaining)
    assert again.to_json() == budget.to_json()
    assert again.runs_left(NOISE) == 1
    with pytest.raises(hs.StaleLedgerError):
        make().save(path)
    with pytest.raises(ValueError, match=r"\$\.schema must be 'hockeystick.Accountant'|known are"):
        hs.Accountant.load(path)
    for copied in (copy.deepcopy(budget), pickle.loads(pickle.dumps(budget))):  # noqa: S301
        copied.run(NOISE)
        assert budget.runs_left(NOISE) == 1


@every_filter
def test_a_file_that_exceeds_its_budget_is_refused(make, count):
    text = json.loads(make().run(NOISE, count).to_json())
    text["ledger"][0]["count"] += 1
    del text["sha256"]
    with pytest.raises(ValueError, match=r"^\$\.ledger must keep the budget"):
        type(make()).from_json(json.dumps(text))


def test_processes_share_a_file(tmp_path):
    path = tmp_path / "filter.json"
    for _ in range(4):
        with hs.GaussianFilter.locked(path, mu="0.2") as budget:
            budget.run(NOISE)
    with hs.GaussianFilter.locked(path) as budget:
        assert budget.runs_left(NOISE) == 0
    with (
        pytest.raises(ValueError, match="^mu must be that of the ledger"),
        hs.GaussianFilter.locked(path, mu=1),
    ):
        pass
    with pytest.raises(hs.BudgetExceeded), hs.GaussianFilter.locked(path) as budget:
        budget.run(NOISE)
    assert hs.GaussianFilter.load(path).ledger == ((NOISE, 4),)


@every_filter
def test_the_report_rounds_outwards(make, count):
    budget = make().run(NOISE, 3, label="first").run(hs.Gaussian(30), label="second")
    report = budget.report()
    assert [row.label for row in report.rows] == ["first", "second"]
    assert report.rows[-1].remaining + report.rows[-1].total == report.budget
    assert report.rows[0].cost + report.rows[1].cost == report.rows[1].total
    shown = report.markdown().splitlines()[-3].split("|")
    assert Fraction(shown[-3].strip()) >= report.rows[-1].total
    assert Fraction(shown[-2].strip()) <= report.rows[-1].remaining
    for text in (str(report), report.markdown(), report.page(), report.latex()):
        assert "second" in text
        assert "Gaussian, noise 30" in text
    assert count > 3


@pytest.mark.parametrize(
    ("kind", "budget", "other"),
    [
        (hs.GaussianFilter, {"mu": "1/3"}, {"mu": 2}),
        (hs.RenyiFilter, {"order": 8, "budget": 4}, {"budget": 5}),
        (hs.ZCDPFilter, {"rho": "0.5", "delta": "1e-6"}, {"delta": 0}),
        (hs.PureFilter, {"epsilon": 1, "delta": 1e-6}, {"epsilon": 2}),
    ],
)
def test_a_file_is_opened_again_by_its_budget_and_by_no_other(tmp_path, kind, budget, other):
    """Twice with all of it: three kinds knew no attribute, or compared methods, the second time."""
    path = tmp_path / "budget.json"
    step = hs.Laplace(1000.0)
    for count in (1, 2):
        with kind.locked(path, **budget) as held:
            assert held.run(step).composition == count * step
    with (
        pytest.raises(ValueError, match=f"^{next(iter(other))} must be that of the ledger in"),
        kind.locked(path, **budget | other),
    ):
        pass
    loaders = {hs.GaussianFilter, hs.RenyiFilter, hs.ZCDPFilter, hs.PureFilter} - {kind}
    for wrong in loaders:
        with pytest.raises(ValueError, match="must"):
            wrong.load(path)


@pytest.mark.parametrize(("clock", "epsilon"), [(1.0, 3.0), (1.0, 0.0), (0.01, 0.5), (9.0, 30.0)])
def test_a_loss_is_rarely_ever_above(clock, epsilon):
    """The first passage of a Brownian motion with drift, in ball arithmetic."""
    with ctx.workprec(200):
        mu, at = arb(clock).sqrt(), arb(epsilon)
        truth = normal_tail(at / mu - mu / 2) + at.exp() * normal_tail(at / mu + mu / 2)
        found = hs.GaussianFilter(mu=math.sqrt(clock)).loss_ever_above(epsilon)
        assert truth.lower() <= arb(found) * (1 + 1e-15)
        assert arb(found) <= truth * (1 + arb(10) ** -3)
    if (clock, epsilon) == (1.0, 3.0):
        assert found == pytest.approx(0.010882145282151316, rel=1e-9)


def test_losses_at_all_times_are_of_gaussians():
    budget = hs.GaussianFilter(mu=1).run(hs.joint(hs.Gaussian(9.0), hs.Gaussian(8.0)))
    assert 0 < budget.loss_ever_above(4.0) < 1
    with pytest.raises(ValueError, match="^steps must be Gaussians"):
        budget.run(hs.Laplace(50.0)).loss_ever_above(4.0)
    for bad in (-1.0, math.nan, math.inf, 1e9):
        with pytest.raises(ValueError, match="^epsilon must be"):
            hs.GaussianFilter(mu=1).loss_ever_above(bad)


def test_an_odometer_reads_the_least_level_in_use():
    levels = [(Fraction(3, 10), 1e-7), ("0.6", 2e-7), (1, 1e-6)]
    budget = hs.GaussianFilter(mu=1)
    for runs, mu, delta in ((0, 0.3, 1e-7), (9, 0.3, 1e-7), (10, 0.6, 2e-7), (100, 1.0, 1e-6)):
        more = runs - sum(count for _, count in budget.ledger)
        reading = (budget.run(hs.Gaussian(10), more) if more else budget).reading(levels)
        assert reading == (mu, pytest.approx(hs.Gaussian(1 / mu).epsilon(delta)), delta)
