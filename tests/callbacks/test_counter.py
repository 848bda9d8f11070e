# SPDX-License-Identifier: Apache-2.0
"""Steps of a trainer become steps, or epochs, of a meter: never fewer than were drawn."""

import itertools

import pytest

import hockeystick as hs
from hockeystick.callbacks._counter import Counter

DELTA = 1e-5
EPOCH = hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=4)
SCHEMES = ("poisson", "random_allocation", "shuffled", "fixed_size", "cyclic")


def training(sampling, **options):
    sizes = {"batch_size": 4, "dataset_size": 16, "epochs": 5}
    adjacency = {"poisson": "remove-one", "random_allocation": "remove-one"}
    known = {"adjacency": adjacency.get(sampling, "replace-special")}
    run = hs.DPSGD(1.0, **sizes, sampling=sampling)
    return run, hs.EpsilonMeter(run, delta=DELTA, **known, **options), known


@pytest.mark.parametrize("sampling", SCHEMES)
def test_a_training_is_counted_by_its_steps(sampling):
    """As one step, 20 of them cost five trainings each."""
    run, meter, known = training(sampling)
    counter = Counter(meter)
    counter.begin(0)
    for total in range(1, run.steps + 1):
        if total % 4 == 1:
            counter.begin_epoch()
        counter.follow(total)
        runs = total if sampling in ("poisson", "fixed_size") else -(-total // 4)
        assert (meter.steps, meter.composition) == (total, runs * run.step)
    assert meter.composition == run
    assert meter.epsilon == run.epsilon_bounds(DELTA, **known).upper


@pytest.mark.parametrize("sampling", SCHEMES)
def test_what_remains_ends_with_an_epoch(sampling):
    run, meter, _ = training(sampling, budget=12.0)
    most = meter.remaining_steps
    assert most > 4
    if sampling in ("poisson", "fixed_size"):
        meter.update(most)
    else:
        assert most % 4 == 0
        for k in range(most):
            assert meter.remaining_steps == most - k
            meter.update()
            assert meter.epsilon <= 12.0
    assert meter.should_stop
    meter.update()
    assert meter.epsilon > 12.0 * 0.999
    assert run.step in dict(meter.composition.terms)


def test_an_epoch_is_not_a_batch():
    """Of a meter that counts epochs, one is charged for four batches."""
    meter = hs.EpsilonMeter(EPOCH, delta=DELTA, budget=(3 * EPOCH).epsilon(DELTA))
    counter = Counter(meter)
    counter.begin(0)
    for total in range(1, 13):
        assert not counter.lacks()
        counter.follow(total)
        assert meter.steps == -(-total // 4)
        assert counter.lacks(13 - total)
        assert not counter.lacks(12 - total)
    with pytest.raises(RuntimeError, match="no room for 1 more after 3 steps"):
        counter.refuse()


@pytest.mark.parametrize("step", [EPOCH, training("random_allocation")[0]], ids=["epoch", "run"])
@pytest.mark.parametrize(
    "lengths", list(itertools.product((1, 3, 4, 5), repeat=3)), ids=lambda x: "-".join(map(str, x))
)
def test_epochs_that_end_early_or_late_are_charged_whole(step, lengths):
    """The trainer draws anew as each begins; a fifth batch would be that of another."""
    meter = hs.EpsilonMeter(step, delta=DELTA)
    counter = Counter(meter)
    counter.begin(0)
    total = 0
    for length in lengths:
        counter.begin_epoch()
        for _ in range(length):
            total += 1
            counter.follow(total)
    assert meter.composition == sum(-(-length // 4) for length in lengths) * EPOCH


@pytest.mark.parametrize("done", range(10))
def test_a_run_that_is_resumed_charges_its_epoch_again(done):
    run, meter, _ = training("random_allocation")
    other = hs.EpsilonMeter(run, delta=DELTA)
    counter = Counter(other)
    meter.update(done)
    before = -(-done // 4)
    other = hs.EpsilonMeter(run, delta=DELTA, adjacency="remove-one")
    other.load_state_dict(meter.state_dict())
    counter = Counter(other)
    counter.begin(done)
    assert other.composition == before * EPOCH
    for more in range(1, 9):
        counter.follow(done + more)
        assert other.composition == (before + -(-(more + done % 4) // 4)) * EPOCH


def test_steps_before_the_callback_are_counted_by_the_epoch():
    for step, steps in ((EPOCH, 3), (training("random_allocation")[0], 9)):
        meter = hs.EpsilonMeter(step, delta=DELTA)
        Counter(meter).begin(9)
        assert (meter.steps, meter.composition) == (steps, 3 * EPOCH)


def test_a_meter_is_wanted():
    with pytest.raises(TypeError, match="must be an EpsilonMeter"):
        Counter(EPOCH)
