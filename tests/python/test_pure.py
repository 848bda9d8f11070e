# SPDX-License-Identifier: Apache-2.0
"""Pure differential privacy: a delta of 0 wherever one is asked for."""

import json
import math

import pytest

import hockeystick as hs
from hockeystick import baselines, cli

SAMPLED = hs.Gaussian(1.0).poisson_sampled(0.01)


def test_budgets_are_kept_to_the_last_step():
    account = hs.Accountant()
    step = hs.Laplace(2.0)
    assert [account.admit(step, epsilon=2, delta=0) for _ in range(5)] == [True] * 4 + [False]
    assert account.epsilon_bounds(delta=0) == (2, 2)
    assert account.would_exceed(step, epsilon="2.4", delta="0")
    assert not account.would_exceed(step, epsilon=2.5, delta=0)
    assert not account.admit(hs.Gaussian(50.0), epsilon=100, delta=0)
    assert account.admit(hs.Gaussian(50.0), epsilon=100, delta=1e-6)
    assert account.epsilon(delta=0) == math.inf


def test_a_budget_of_training_after_others():
    """What answered a positive delta is kept, and tells nothing of 0."""
    account = hs.Accountant()
    for delta in (1e-5, 1e-6, 1e-5):
        assert account.admit(SAMPLED, epsilon=1, delta=delta)
    assert not account.admit(SAMPLED, epsilon=1, delta=0)
    assert account.epsilon_bounds(0) == (math.inf, math.inf)
    only_added = hs.Accountant(adjacency="add-one")
    for _ in range(3):
        assert only_added.admit(SAMPLED, epsilon=1, delta=1e-5)
    assert only_added.epsilon(0) == pytest.approx(-3 * math.log1p(-0.01), rel=1e-14)


def test_reports_and_ledgers():
    account = hs.Accountant()
    account.compose(hs.Laplace(2.0), count=3)
    assert "epsilon = 1.5" in str(account.report(delta=0))
    assert hs.Accountant.from_json(account.to_json()).epsilon(0) == 1.5


def test_meters():
    meter = hs.EpsilonMeter(hs.Laplace(2.0), delta=0, budget=2.0)
    while not meter.should_stop:
        meter.update()
    assert (meter.steps, meter.remaining_steps, meter.epsilon) == (4, 0, 2.0)
    never = hs.EpsilonMeter(SAMPLED, delta=0, budget=2.0)
    never.update()
    assert never.epsilon == math.inf
    assert never.remaining_steps == 0


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 30.0])
def test_calibration(epsilon):
    scale = hs.calibrate(hs.Laplace, epsilon=epsilon, delta=0)
    assert 0.999 * epsilon <= hs.Laplace(scale).epsilon(0) <= epsilon
    assert hs.calibrate(lambda n: n * hs.Laplace(2.0), epsilon=epsilon, delta=0) == epsilon // 0.5
    rate = hs.calibrate(
        lambda q: 10 * hs.Laplace(epsilon=1.0).poisson_sampled(q), epsilon=min(epsilon, 5), delta=0
    )
    exact = math.expm1(min(epsilon, 5) / 10) / math.expm1(1)
    assert (1 - 1e-3) * exact <= rate <= exact * (1 + 1e-12)


def test_training():
    run = {"noise_multiplier": 1.0, "sampling_probability": 0.01, "steps": 100}
    assert hs.dpsgd_epsilon(**run, delta=0) == math.inf
    answers = hs.dpsgd_epsilon_bounds(**run, delta=[0, 1e-5], adjacency="add-one")
    assert answers.upper[0] == pytest.approx(-100 * math.log1p(-0.01), rel=1e-14)
    assert answers.upper[1] < answers.lower[0]
    assert hs.DPSGD(**run).epsilon(0) == math.inf


def test_command_line(capsys):
    asked = ["--noise-multiplier", "1", "--sampling-probability", "0.1", "--steps", "10"]
    asked += ["--adjacency", "add-one"]
    for delta in ("0", "0/5"):
        with pytest.raises(SystemExit) as exited:
            cli.main(["epsilon", *asked, "--delta", delta, "--json"])
        answer = json.loads(capsys.readouterr().out)
        assert not exited.value.code
        assert answer["epsilon"] == pytest.approx(-10 * math.log1p(-0.1), rel=1e-14)


def test_baselines():
    gaussian = 3 * hs.Gaussian(1.0)
    assert baselines.zcdp_epsilon(0.5, 0) == baselines.rdp_epsilon(gaussian, 0) == math.inf
    assert baselines.clt_epsilon(gaussian, 0) == math.inf
    assert baselines.zcdp_epsilon(0.0, 0) == baselines.clt_epsilon(hs.Composition(), 0) == 0
    known = {"epsilon": 0.5, "target_delta": 0}
    assert baselines.optimal_composition_epsilon(**known, count=2000) == 1000
    assert baselines.optimal_composition_epsilon(**known, count=3, delta=1e-9) == math.inf
