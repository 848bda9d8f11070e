# SPDX-License-Identifier: Apache-2.0
"""A meter answers as the composition does, stops as an admission would, and forgets nothing."""

import json
import math

import pytest

import hockeystick as hs

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
MECHANISMS = [
    STEP,
    hs.Gaussian(noise_multiplier=10.0),
    hs.Laplace(noise_multiplier=10.0),
    hs.ApproximateDP(epsilon=0.1, delta=1e-7),
    3 * STEP + hs.Laplace(noise_multiplier=50.0),
    hs.Gaussian(noise_multiplier=5.0).random_allocation(steps=100),
]


def meter(step=STEP, **options):
    return hs.EpsilonMeter(step, **{"delta": 1e-5} | options)


@pytest.mark.parametrize("step", MECHANISMS)
def test_it_answers_as_the_composition_does(step):
    mine = meter(step, adjacency="remove-one", tolerance=1e-4)
    for n in (0, 1, 2, 5):
        mine.update(n)
        run = mine.steps * step
        bounds = run.epsilon_bounds(1e-5, adjacency="remove-one", tolerance=1e-4)
        assert (mine.bounds, mine.epsilon) == (bounds, bounds.upper)
    assert mine.steps == 8
    assert mine.remaining_steps is None
    assert not mine.should_stop


@pytest.mark.parametrize("step", MECHANISMS)
@pytest.mark.parametrize("spent", [None, hs.Laplace(noise_multiplier=10.0)])
def test_what_remains_is_what_an_admission_allows(step, spent):
    mine = meter(step, budget=1.0, spent=spent)
    account = hs.Accountant()
    if spent is not None:
        account.compose(spent)
    most = mine.remaining_steps
    assert most > 0
    budget = {"epsilon": 1.0, "delta": 1e-5}
    assert not account.would_exceed(step, most, **budget)
    assert account.would_exceed(step, most + 1, **budget)
    mine.update(most - 1)
    assert (mine.remaining_steps, mine.should_stop) == (1, False)
    mine.update()
    assert (mine.remaining_steps, mine.should_stop) == (0, True)
    assert mine.composition == account.compose(step, most).composition
    mine.update(7)
    assert (mine.remaining_steps, mine.steps, mine.should_stop) == (0, most + 7, True)


def test_ends_of_what_may_remain():
    free = STEP.mechanism.poisson_sampled(0)
    assert meter(free, budget=0).remaining_steps == 10**9
    assert meter(2 * STEP, budget=1e4, spent=999_999_000 * STEP).remaining_steps == 0
    quiet = hs.Gaussian(noise_multiplier=1e12)
    assert meter(2 * quiet, budget=1, spent=quiet).remaining_steps == (10**9 - 1) // 2
    assert meter(budget=0).remaining_steps == 0


def test_an_answer_is_kept_until_the_next_step(monkeypatch):
    asked = []
    epsilon_bounds = hs.Composition.epsilon_bounds

    def counted(run, *arguments, **options):
        asked.append(run)
        return epsilon_bounds(run, *arguments, **options)

    monkeypatch.setattr(hs.Composition, "epsilon_bounds", counted)
    mine = meter()
    for _ in range(3):
        mine.update(10)
        for _ in range(5):
            assert mine.epsilon == mine.bounds.upper
    assert asked == [1 * STEP, 10 * STEP, 20 * STEP, 30 * STEP]  # the first by the constructor


def test_a_tolerance_out_of_reach_does_not_end_training():
    mine = meter(MECHANISMS[4], memory_limit=2**16, tolerance=1e-9)
    mine.update(1000)
    with pytest.raises(hs.CertificationError) as raised:
        (1000 * MECHANISMS[4]).epsilon_bounds(1e-5, memory_limit=2**16, tolerance=1e-9)
    assert mine.bounds == raised.value.bounds
    assert mine.epsilon < math.inf


def test_a_state_goes_through_json_and_on():
    first = meter(budget=2.0)
    first.update(500)
    state = json.loads(json.dumps(first.state_dict()))
    same = meter(budget=2.0)
    same.update(3)
    same.load_state_dict(state)
    assert (same.steps, same.composition) == (500, 500 * STEP)
    assert same.remaining_steps == first.remaining_steps
    same.update(5)
    first.update(5)
    assert same.epsilon == first.epsilon

    noisier = hs.Gaussian(noise_multiplier=2.0).poisson_sampled(0.01)
    other = meter(noisier)
    other.load_state_dict(state)
    other.update(10)
    assert (other.steps, other.composition) == (510, 500 * STEP + 10 * noisier)


def test_a_state_without_what_was_spent_before_is_refused():
    state = meter().state_dict()
    spent = hs.Laplace(noise_multiplier=10.0)
    mine = meter(spent=2 * spent)
    for held in (state, meter(spent=spent).state_dict()):
        with pytest.raises(ValueError, match=r"state must hold the earlier releases, 2 \* "):
            mine.load_state_dict(held)
    mine.load_state_dict(meter(spent=3 * spent).state_dict())
    assert mine.composition == 3 * spent
    again = meter(spent=3 * spent)
    again.load_state_dict(mine.state_dict())
    counted = meter()
    counted.update(3)
    with pytest.raises(ValueError, match=r"state must hold the earlier releases, 3 \* "):
        meter(spent=3 * STEP).load_state_dict(counted.state_dict())


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ({}, "keys steps and spent"),
        ({1: 2, "steps": 3}, r"keys steps and spent, got \[1, 'steps'\]$"),
        (
            {"steps": -1, "spent": hs.Accountant().to_json()},
            r"^state\['steps'\] must be .* got -1$",
        ),
        ({"steps": 1, "spent": "{}"}, "must be there"),
    ],
)
def test_another_state_is_refused(state, error):
    mine = meter()
    mine.update(2)
    with pytest.raises(ValueError, match=error):
        mine.load_state_dict(state)
    assert mine.composition == 2 * STEP


def test_what_an_accountant_spent_keeps_its_neighbours():
    """Else more than three times as many steps seem to remain."""
    ledger = hs.Accountant(adjacency="replace-one").compose(hs.DiscreteGaussian(sigma=5.0), 10)
    budget = {"epsilon": 8.0, "delta": 1e-5}
    mine = meter(budget=8.0, spent=ledger)
    assert mine.remaining_steps == ledger.remaining(STEP, **budget)
    assert 3 * mine.remaining_steps < meter(budget=8.0, spent=ledger.composition).remaining_steps
    mine.update(10)
    assert mine.epsilon == ledger.compose(STEP, 10).epsilon(1e-5)
    same = meter(budget=8.0, spent=ledger, adjacency="REPLACE_ONE")
    assert same.composition == ledger.composition
    with pytest.raises(ValueError, match="^adjacency must be that of the accountant, replace-one"):
        meter(spent=ledger, adjacency="remove-one")


@pytest.mark.parametrize("other", [each for each in hs.Adjacency if each.value != "replace-one"])
def test_a_state_of_another_adjacency_is_refused(other):
    replaced, mine = meter(adjacency="replace-one"), meter(adjacency=other)
    for each in (replaced, mine):
        each.update(100)
    with pytest.raises(ValueError, match=f"^state must be of a meter under {other.value}, got one"):
        mine.load_state_dict(replaced.state_dict())
    with pytest.raises(ValueError, match="^state must be of a meter under replace-one, got one"):
        replaced.load_state_dict(mine.state_dict())
    assert (mine.steps, mine.composition) == (100, 100 * STEP)
    again = meter(adjacency="replace-one")
    again.load_state_dict(json.loads(json.dumps(replaced.state_dict())))
    assert again.epsilon == replaced.epsilon > mine.epsilon


def test_many_remaining_steps_are_told_roughly_and_then_exactly():
    quiet = hs.Gaussian(noise_multiplier=30.0).poisson_sampled(0.01)
    mine = meter(quiet, budget=1.0)
    first = mine.remaining_steps
    exact = hs.calibrate(lambda n: n * quiet, epsilon=1.0, delta=1e-5, tolerance=1e-7)
    assert 0 <= exact - first <= first / 5000
    mine.update(first)
    assert first > 10_000
    assert mine.remaining_steps >= exact - first
    account, budget = hs.Accountant(), {"epsilon": 1.0, "delta": 1e-5}
    most = first + mine.remaining_steps
    assert not account.would_exceed(quiet, most, **budget)
    assert account.would_exceed(quiet, most + 1, **budget)


def test_a_training_is_no_step():
    """Its steps are counted: as one step, 20 of them cost 43.5 and not 8.08."""
    run = hs.DPSGD(1.0, sampling_probability=0.25, steps=20)
    mine = meter(run, budget=9.0)
    most = meter(run.step, budget=9.0).remaining_steps
    assert (mine.remaining_steps, mine.step, mine.steps_covered) == (most, run.step, 1)
    mine.update(20)
    assert mine.composition == run
    assert 8.0 < mine.epsilon == run.epsilon(1e-5) < 8.2
    again = meter(run, budget=9.0, spent=run)
    assert again.remaining_steps == mine.remaining_steps == most - 20


def test_an_epoch_that_is_begun_costs_a_whole_one():
    run = hs.DPSGD(1.0, sampling_probability=0.25, steps=8, sampling="random_allocation")
    mine = meter(run, budget=9.0)
    epochs = hs.Accountant().remaining(run.step, epsilon=9.0, delta=1e-5)
    assert mine.remaining_steps == 4 * epochs > 8
    seen = []
    for _ in range(4 * epochs):
        mine.update()
        seen.append(sum(count for _, count in mine.composition.terms))
    assert seen == [k // 4 + 1 for k in range(4 * epochs)]
    assert mine.should_stop
    assert mine.epsilon <= 9.0


@pytest.mark.parametrize("done", [0, 1, 3, 4, 6, 8])
def test_what_is_drawn_anew_costs_a_whole_epoch_again(done):
    run = hs.DPSGD(1.0, sampling_probability=0.25, steps=8, sampling="random_allocation")
    for steps in (None, 0, done):
        mine = meter(run, budget=15.0)
        most = mine.remaining_steps
        mine.update(done)
        if steps is None:
            state = mine.state_dict()
            mine = meter(run, budget=15.0)
            mine.load_state_dict(json.loads(json.dumps(state)))
        else:
            mine.begin_anew(steps)
        phase = done % 4 if steps is None else steps % 4
        left = most - 4 * -(-done // 4)
        assert mine.remaining_steps == left - phase
        mine.update()
        assert mine.composition == (-(-done // 4) + 1) * run.step
        assert mine.remaining_steps == left - phase - 1
    plain = meter(budget=2.0)
    plain.update(7)
    plain.begin_anew()
    plain.update(1)
    assert (plain.steps, plain.composition) == (8, 8 * STEP)
    with pytest.raises(ValueError, match="^count must be"):
        plain.begin_anew(-1)
