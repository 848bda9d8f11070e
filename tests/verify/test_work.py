# SPDX-License-Identifier: Apache-2.0
"""The work of a verification is counted, and ends."""

from importlib import import_module

import pytest
from flint import acb, arb, ctx

import hockeystick as hs
from hockeystick import Direction
from hockeystick.verify import allocation, lognormal
from hockeystick.verify.curves import composed
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.work import afford, bounded, spend


def test_work_is_counted_where_it_is_bounded():
    spend(1e300)
    with bounded(10.0) as left, ctx.workprec(100):
        spend(4)
        assert left == [6.0]
        with bounded(1.0), pytest.raises(NotKnownError, match="more work"):
            spend(2)
        with pytest.raises(NotKnownError, match="more work"):
            spend(7)


def test_work_inside_is_spent_outside_as_well():
    with bounded(10.0) as outside:
        with bounded(100.0) as inside:
            assert inside == [10.0]
            spend(3)
        assert outside == [7.0]


def test_what_is_not_afforded_is_not_begun():
    with bounded(10.0) as left:
        with pytest.raises(NotKnownError, match="more work"):
            afford(11)
        assert left == [10.0]


def test_high_precision_counts_as_more():
    with ctx.workprec(2560), bounded(100.0) as left:
        spend(3)
        assert left == [70.0]


@pytest.mark.parametrize(
    "run",
    [
        3000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01),
        20 * hs.Laplace(noise_multiplier=5.0).poisson_sampled(0.1),
        3 * hs.DiscreteGaussian(sigma=2.9).poisson_sampled(0.02),
        5569 * hs.DiscreteGaussian(sigma=16.0) + hs.Gaussian(0.4).poisson_sampled(0.04),
    ],
    ids=str,
)
def test_what_takes_more_is_not_known(run, monkeypatch):
    """An answer that says so, after no more than that."""
    module = import_module("hockeystick.verify.answer")

    monkeypatch.setattr(module, "MOST_WORK", 1e4)
    monkeypatch.setattr(module, "WORK_OF_ONE", 0.0)
    result = hs.verify(run, delta=1e-5, fast=False)
    assert not result.known
    assert "more work" in result.reason


RARE = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(1e-4)
LITTLE = hs.Gaussian(noise_multiplier=0.02).poisson_sampled(0.01)


@pytest.mark.parametrize(
    ("run", "asked"),
    [(2 * RARE, {"delta": 1e-5}), (2 * RARE, {"epsilon": 1e-3}), (3 * LITTLE, {"epsilon": 1e-3})],
    ids=str,
)
def test_what_no_contour_tells_is_soon_said_to_be_not_known(run, asked, monkeypatch):
    """Smoothed curves of few points show it, and no tilt is tried that cannot matter."""
    module = import_module("hockeystick.verify.answer")
    monkeypatch.setattr(module, "MOST_WORK", 2.2e6 if run.terms[0][0] == LITTLE else 7e5)
    monkeypatch.setattr(module, "WORK_OF_ONE", 0.0)
    result = hs.verify(run, **asked, fast=False)
    assert not result.known
    assert "more work" not in result.reason


def test_an_epsilon_of_0_is_found_where_steps_are_rare():
    """It was sought for ever, as each smaller epsilon has a delta that is small enough."""
    run = 3 * hs.Gaussian(noise_multiplier=0.5).poisson_sampled(1e-6)
    result = hs.verify(run, delta=1e-5)
    assert (result.known, result.lower, result.upper, result.enclosed) == (True, 0.0, 0.0, True)


def test_a_tiny_delta_is_above_what_is_left_out():
    """An epsilon was sought in vain among losses of which that much is left out."""
    run = hs.DiscreteGaussian(sigma=2.0).poisson_sampled(0.1) + hs.Gaussian(1.0)
    result = hs.verify(run, delta=1e-200, digits=10, fast=False)
    assert result.known
    assert result.digits > 9


def test_an_allocation_that_takes_more_is_between_simple_bounds(monkeypatch):
    """Its Gaussian's curve above; below what no pair is below."""
    monkeypatch.setattr(allocation, "MOST_WORK", 1e3)
    epoch = hs.Gaussian(noise_multiplier=0.4).random_allocation(steps=3)
    with ctx.workprec(120):
        curve = composed(epoch.terms, Direction.REMOVE, 10).delta
        gaussian = composed(hs.Gaussian(noise_multiplier=0.4).terms, Direction.REMOVE, 10).delta
        for epsilon in map(arb, (-0.5, 0.4)):
            assert curve(epsilon).contains(gaussian(epsilon).mid() * arb(0.9))
            assert curve(epsilon).upper() >= gaussian(epsilon).lower()


@pytest.mark.parametrize("direction", [Direction.REMOVE, Direction.ADD])
@pytest.mark.parametrize("epsilon", [0.05, 0.4])
def test_the_variance_bounds_an_allocation(monkeypatch, direction, epsilon):
    monkeypatch.setattr(allocation, "MOST_WORK", 1e3)
    epoch = hs.Gaussian(noise_multiplier=2.0).random_allocation(steps=50)
    with ctx.workprec(120):
        bound = composed(epoch.terms, direction, 10).delta(arb(epsilon)).upper()
        alpha, variance = arb(epsilon).exp(), ((arb(1) / 4).exp() - 1) / 50
        form = 1 / (alpha - 1) if direction == Direction.REMOVE else alpha**2 / (alpha - 1)
        assert abs(bound / (variance / 4 * form) - 1) < 1e-6
    assert bound > epoch.delta(epsilon)


def test_a_hundred_distinct_sampled_gaussians_are_within_the_work_allowed():
    """Twenty of them take less than a twentieth; the work grows with steps times points."""
    spent = []
    for number in (5, 20):
        steps = (
            (1 + k) * hs.Gaussian(noise_multiplier=0.8 + 0.01 * k).poisson_sampled(0.01 + 1e-4 * k)
            for k in range(number)
        )
        run = sum(steps, hs.Composition())
        with ctx.workprec(150), bounded(1e8) as left:
            value = composed(run.terms, Direction.REMOVE, 20).delta(arb(1))
            assert value.rad() < value * arb(10) ** -15
            spent.append(1e8 - left[0])
    assert spent[1] < 5e6


def test_what_ends_an_integral_is_raised_behind_it():
    """Arb loses what its integrand raises."""
    transform = lognormal.Transform(arb("0.5"), 0.1)
    few = bounded(5 * lognormal.VALUE)
    with ctx.workprec(100), few, pytest.raises(NotKnownError, match="more work"):
        transform(acb(3, 40), 30.0)


@pytest.mark.parametrize(
    ("sigma", "steps", "prior"),
    [(9.170414109768856, 3, 8.112176437965659e-32), (5.146, 2220169690, 0.46138426833095186)],
)
def test_deltas_far_below_all_others_take_no_such_precision(sigma, steps, prior):
    """A Bayes risk next to its prior asks a delta of e^-222000; that of the step alone is .03."""
    epoch = hs.Gaussian(sigma).random_allocation(steps=steps)
    result = hs.verify(epoch, prior=prior, adjacency="remove-one", digits=10)
    assert prior * (1 - 1e-10) <= result.lower <= prior <= result.upper * (1 + 1e-15)
    assert result.enclosed is not False
