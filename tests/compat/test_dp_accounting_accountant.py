# SPDX-License-Identifier: Apache-2.0
"""The accountant of dp_accounting's events."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

dp_accounting = pytest.importorskip(
    "dp_accounting", reason="the extra dp-accounting is not installed"
)

import attr  # noqa: E402 - it comes with dp_accounting

import hockeystick as hs  # noqa: E402
from hockeystick.compat.dp_accounting import events  # noqa: E402
from hockeystick.compat.dp_accounting.pld import PLDAccountant  # noqa: E402

event = dp_accounting.dp_event
Relation = dp_accounting.NeighboringRelation
GAUSSIAN = event.GaussianDpEvent(1.0)
SAMPLED = event.PoissonSampledDpEvent(0.01, GAUSSIAN)
STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)


def accountant(what, count=1, relation=Relation.ADD_OR_REMOVE_ONE, interval=1e-4):
    return PLDAccountant(relation, interval).compose(what, count)


@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-12, 1e-50, 1e-250])
@pytest.mark.parametrize("count", [3, 1000])
def test_epsilon_is_a_tight_upper_bound(count, delta):
    bounds = (count * STEP).epsilon_bounds(delta, tolerance=1e-4)
    epsilon = accountant(SAMPLED, count).get_epsilon(delta)
    assert bounds.lower <= epsilon <= bounds.upper * (1 + 1e-4) + 1e-12


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 8.0])
@pytest.mark.parametrize("count", [3, 1000])
def test_delta_is_a_tight_upper_bound(count, epsilon):
    bounds = (count * STEP).delta_bounds(epsilon, tolerance=1e-4)
    delta = accountant(SAMPLED, count).get_delta(epsilon)
    assert bounds.lower <= delta <= bounds.upper * (1 + 1e-3)


def test_randomized_response_counts_every_run():
    """The original composes one run, whatever the count."""
    response = event.RandomizedResponseDpEvent(0.5, 2)
    ours = accountant(response, 100, Relation.REPLACE_ONE).get_epsilon(1e-6)
    run = 100 * hs.RandomizedResponse(noise_parameter=0.5, num_buckets=2)
    bounds = run.epsilon_bounds(1e-6, adjacency=hs.Adjacency.REPLACE_ONE)
    assert bounds.lower <= ours <= bounds.upper * (1 + 1e-3)
    assert ours > 90


@pytest.mark.parametrize("relation", list(Relation))
def test_relations(relation):
    ours = accountant(SAMPLED, 200, relation).get_epsilon(1e-6)
    adjacency = hs.Adjacency[relation.name]
    bounds = (200 * STEP).epsilon_bounds(1e-6, adjacency=adjacency)
    assert bounds.lower <= ours <= bounds.upper


def of_fixed_size(kind, size=50):
    return kind(1000, size, event.GaussianDpEvent(2.0))


@pytest.mark.parametrize(
    ("kind", "replacement"),
    [(event.SampledWithoutReplacementDpEvent, False), (event.SampledWithReplacementDpEvent, True)],
)
def test_batches_of_fixed_size(kind, replacement):
    step = hs.Gaussian(noise_multiplier=2.0).fixed_size_sampled(
        batch_size=50, dataset_size=1000, replacement=replacement
    )
    made = events.translated(of_fixed_size(kind), Relation.REPLACE_ONE)
    assert made == step
    ours = accountant(of_fixed_size(kind), 100, Relation.REPLACE_ONE)
    bounds = (100 * step).epsilon_bounds(1e-5, adjacency="replace-one")
    assert bounds.lower < ours.get_epsilon(1e-5) <= bounds.upper * (1 + 1e-3)
    delta = (100 * step).delta_bounds(2.0, adjacency="replace-one")
    assert delta.lower < ours.get_delta(2.0) <= delta.upper * (1 + 1e-3)
    assert ours.get_epsilon(0.0) == math.inf
    assert accountant(of_fixed_size(kind, 0), 1, Relation.REPLACE_ONE).get_epsilon(0.0) == 0
    special = accountant(of_fixed_size(kind), 100, Relation.REPLACE_SPECIAL).get_epsilon(1e-5)
    expected = (100 * step).epsilon(1e-5, adjacency="replace-special")
    assert special == pytest.approx(expected, rel=1e-3)
    noiseless = kind(1000, 50, event.GaussianDpEvent(0.0))
    assert accountant(noiseless, 1, Relation.REPLACE_ONE).get_epsilon(1e-5) == math.inf
    with pytest.raises(ValueError, match="batch_size must be"):
        accountant(of_fixed_size(kind, -1), 1, Relation.REPLACE_ONE)
    with pytest.raises(dp_accounting.UnsupportedEventError, match="must be `REPLACE_ONE` or"):
        accountant(of_fixed_size(kind), 1, Relation.ADD_OR_REMOVE_ONE)
    with pytest.raises(dp_accounting.UnsupportedEventError, match="must be a `GaussianDpEvent`"):
        accountant(kind(1000, 50, event.LaplaceDpEvent(1.0)), 1, Relation.REPLACE_ONE)


def test_ends():
    mixed = accountant(event.LaplaceDpEvent(2.0), 3)
    assert mixed.get_epsilon(0) == pytest.approx(1.5, rel=1e-12)
    assert mixed.get_epsilon(1) == 0
    assert mixed.get_epsilon(-0.1) == math.inf
    assert accountant(GAUSSIAN).get_epsilon(0) == math.inf
    assert mixed.get_delta(math.inf) <= 1e-300
    for ask in (mixed.get_epsilon, mixed.get_delta):
        with pytest.raises(ValueError, match="must be a number"):
            ask(math.nan)
    with pytest.raises(ValueError, match="value_discretization_interval"):
        PLDAccountant(value_discretization_interval=0)


def guaranteed(relation=Relation.ADD_OR_REMOVE_ONE, **guarantees):
    """An accountant of (epsilon, delta) guarantees, whose event the wheel lacks."""
    kind = attr.make_class("Guarantee", ["epsilon", "delta"], bases=(event.DpEvent,), frozen=True)
    events.translated.register(kind, events._epsilon_delta)
    made = [kind(*values) for values in guarantees["of"]]
    return PLDAccountant(relation).compose(event.ComposedDpEvent(made))


def test_from_the_largest_finite_loss_on_only_infinite_ones_count():
    pure = guaranteed(of=[(1.0, 0.0), (2.0, 0.0)])
    assert pure.get_delta(3.0) == pure.get_delta(4.0) == 0
    assert pure.get_delta(math.nextafter(3.0, 0)) > 0
    assert pure.get_epsilon(0.0) == 3.0
    leaky = guaranteed(of=[(1.0, 0.1), (2.0, 0.2)])
    infinite = 1 - (1 - Fraction(0.1)) * (1 - Fraction(0.2))
    assert infinite <= Fraction(0.28) <= leaky.get_delta(3.0) <= 0.28 * (1 + 1e-9)
    assert leaky.get_delta(2.9) > 0.28
    assert leaky.get_epsilon(0.28) == 3.0
    assert leaky.get_epsilon(math.nextafter(0.28, 0)) == math.inf
    assert leaky.get_epsilon(0.0) == math.inf


def test_the_largest_loss_is_rounded_up():
    """0.1 + 0.2 in binary64 is above, 3 times 0.7 below."""
    sevens = guaranteed(of=[(0.7, 0.0)] * 3)
    assert Fraction(sevens.get_epsilon(0.0)) >= 3 * Fraction(0.7) > Fraction(3 * 0.7)
    response = event.RandomizedResponseDpEvent(0.3, 5)
    ours = accountant(response, 7, Relation.REPLACE_ONE).get_epsilon(0.0)
    exactly = 7 * (arb(1) / arb(0.3) * 5 - 4).log()  # (1 - p + p/k) / (p/k)
    assert exactly <= ours <= exactly * (1 + arb(1e-12))


def test_ledger_and_chaining():
    ours = PLDAccountant().compose(GAUSSIAN, 2).compose(SAMPLED, 5)
    assert isinstance(ours.ledger, event.ComposedDpEvent)
    assert ours.neighboring_relation is Relation.ADD_OR_REMOVE_ONE
    bounds = (2 * hs.Gaussian(noise_multiplier=1.0) + 5 * STEP).epsilon_bounds(1e-5)
    assert bounds.lower <= ours.get_epsilon(1e-5) <= bounds.upper * (1 + 1e-3)


@pytest.mark.parametrize(
    "unsupported",
    [
        event.UnsupportedDpEvent(),
        event.RepeatAndSelectDpEvent(GAUSSIAN, 1.0, 1.0),
        event.PoissonSampledDpEvent(0.1, event.ComposedDpEvent([GAUSSIAN])),
        event.RandomizedResponseDpEvent(0.5, 2),
    ],
)
def test_unsupported_events(unsupported):
    nested = event.SelfComposedDpEvent(event.ComposedDpEvent([GAUSSIAN, unsupported]), 3)
    ours = PLDAccountant()
    assert not ours.supports(nested)
    with pytest.raises(dp_accounting.UnsupportedEventError):
        ours.compose(nested)
    assert isinstance(ours.ledger, event.NoOpDpEvent)
    with pytest.raises(TypeError):
        ours.compose("an event")


@pytest.mark.parametrize(
    ("steps", "depth"),
    [(1, 1), (2, 2), (8, 4), (1023, 10), (1024, 11), ([3, 100, 5], 7), ([0, 1], 1), (4.0, 3)],
)
def test_trees_are_a_gaussian_a_level(steps, depth):
    tree = event.SingleEpochTreeAggregationDpEvent(4.0, steps)
    nodes = [0] * max(np.ravel(steps).astype(int).tolist())
    for level in range(len(nodes).bit_length()):  # each leaf is in the complete nodes above it
        complete = len(nodes) >> level << level
        nodes[:complete] = [n + 1 for n in nodes[:complete]]
    assert max(nodes) == depth
    made = events.translated(tree, Relation.REPLACE_SPECIAL)
    assert made == depth * hs.Gaussian(noise_multiplier=4.0)
    theirs = dp_accounting.rdp.RdpAccountant(neighboring_relation=Relation.REPLACE_SPECIAL)
    renyi = theirs.compose(tree, 3).get_epsilon(1e-5)
    assert 0.85 * renyi < accountant(tree, 3, Relation.REPLACE_SPECIAL).get_epsilon(1e-5) < renyi


def test_trees_that_are_refused_or_tell_all():
    tree = event.SingleEpochTreeAggregationDpEvent
    for relation in (Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE):
        with pytest.raises(dp_accounting.UnsupportedEventError, match="must be `REPLACE_SPECIAL`"):
            accountant(tree(1.0, 3), relation=relation)
    for steps, error in (([], ValueError), (-1, ValueError), ([3, 1.5], TypeError)):
        with pytest.raises(error, match="step_counts must be"):
            accountant(tree(1.0, steps), relation=Relation.REPLACE_SPECIAL)
    noiseless = accountant(tree(0.0, 3), relation=Relation.REPLACE_SPECIAL)
    assert noiseless.get_epsilon(1e-5) == math.inf


@pytest.mark.parametrize("relation", list(Relation))
def test_zero_concentrated_events(relation):
    zcdp = accountant(event.ZCDpEvent(0.1), 10, relation)
    bounds = (10 * hs.ZCDP(rho=0.1)).epsilon_bounds(1e-5, adjacency=relation.name)
    assert bounds.lower <= zcdp.get_epsilon(1e-5) <= bounds.upper * (1 + 1e-4)
    theirs = dp_accounting.rdp.RdpAccountant(neighboring_relation=relation)
    assert zcdp.get_epsilon(1e-5) <= theirs.compose(event.ZCDpEvent(0.1), 10).get_epsilon(1e-5)
    pure = accountant(event.ZCDpEvent(0.0, 1.0), 2, relation)
    assert pure.get_epsilon(0) == 2
    both = events.translated(event.ZCDpEvent(0.25, 0.5), relation)
    assert both == hs.ZCDP(rho=0.25) + hs.ZCDP(rho=0.5)
    assert both.zcdp() == pytest.approx(0.75, rel=1e-12)
    assert accountant(event.ZCDpEvent(0.0), 2, relation).get_epsilon(0) == 0
    for rho, xi, name in ((-0.1, 0.0, "rho"), (0.1, -0.1, "xi"), (0.1, math.nan, "xi")):
        with pytest.raises(ValueError, match=f"{name} must be"):
            accountant(event.ZCDpEvent(rho, xi), 1, relation)


def test_attacks():
    ours = accountant(GAUSSIAN, 4)
    assert ours.get_true_positive_rates(0.1) == pytest.approx(0.763759, abs=1e-5)
    assert ours.get_gdp_parameter_estimate() == pytest.approx(2, rel=1e-4)
    assert list(PLDAccountant().get_true_positive_rates(np.array([0.1]))) == [0.1]
    private = accountant(event.NonPrivateDpEvent())
    assert private.get_true_positive_rates(0.1) == 1.0
    assert list(private.get_true_positive_rates(np.array([0.1, 0.2]))) == [1.0, 1.0]
    assert private.get_gdp_parameter_estimate() == math.inf


@pytest.mark.parametrize(
    ("name", "made", "mechanism"),
    [
        (
            "EpsilonDeltaDpEvent",
            SimpleNamespace(epsilon=0.3, delta=1e-5),
            hs.ApproximateDP(epsilon=0.3, delta=1e-5),
        ),
        (
            "ExponentialMechanismDpEvent",
            SimpleNamespace(epsilon=0.3),
            hs.ExponentialMechanism(epsilon=0.3),
        ),
        ("PermuteAndFlipDpEvent", SimpleNamespace(epsilon=0.5), hs.PermuteAndFlip(epsilon=0.5)),
        (
            "DiscreteGaussianDpEvent",
            SimpleNamespace(sigma=3.0, sensitivity=2.0, dimension=1),
            hs.DiscreteGaussian(sigma=3.0, sensitivity=2),
        ),
        (
            "RandomAllocationDpEvent",
            SimpleNamespace(event=GAUSSIAN, num_selected=1, num_steps=20),
            hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=20),
        ),
        (
            "RandomAllocationDpEvent",
            SimpleNamespace(event=GAUSSIAN, num_selected=3, num_steps=100),
            hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=100, selected=3),
        ),
    ],
)
def test_events_that_the_wheel_lacks(name, made, mechanism):
    """Their classes are in the main branch only; what they hold is what is read."""
    make = events.TRANSLATIONS[name]
    assert make(made, Relation.ADD_OR_REMOVE_ONE) == mechanism
    of_the_kind = attr.make_class(name, list(vars(made)), bases=(event.DpEvent,), frozen=True)
    events.translated.register(of_the_kind, make)  # as where the version has the class
    one = of_the_kind(**vars(made))
    for count in (2,) if "Allocation" in name else (2, 100):  # on a grid, and not
        ours = accountant(event.SelfComposedDpEvent(one, count)).get_epsilon(1e-3)
        bounds = (count * mechanism).epsilon_bounds(1e-3)
        assert bounds.lower <= ours <= bounds.upper * (1 + 1e-3)


def test_noise_that_is_no_binary64_number_is_rounded_down():
    """1 / 0.3 rounds up, to more noise than the event has."""
    made = SimpleNamespace(epsilon=0.3)
    mechanism = events.TRANSLATIONS["PermuteAndFlipDpEvent"](made, Relation.ADD_OR_REMOVE_ONE)
    assert mechanism.dominating_pair(hs.adjacency.Direction.REMOVE).loss_supremum >= 0.3
    with pytest.raises(ValueError, match="epsilon must be"):
        events.TRANSLATIONS["PermuteAndFlipDpEvent"](
            SimpleNamespace(epsilon=-1.0), Relation.ADD_OR_REMOVE_ONE
        )


def test_discrete_gaussians_of_unknown_dimension_are_refused():
    made = SimpleNamespace(sigma=3.0, sensitivity=1.0, dimension=None)
    with pytest.raises(events.UnsupportedError, match="dimension 1"):
        events.TRANSLATIONS["DiscreteGaussianDpEvent"](made, Relation.REPLACE_ONE)


@pytest.mark.parametrize(
    ("change", "relation", "message"),
    [
        ({}, Relation.REPLACE_ONE, "neighboring_relation must be"),
        ({"event": SAMPLED}, Relation.ADD_OR_REMOVE_ONE, "must be a `GaussianDpEvent`"),
    ],
)
def test_random_allocations_without_a_pair_are_refused(change, relation, message):
    made = SimpleNamespace(**{"event": GAUSSIAN, "num_selected": 1, "num_steps": 10} | change)
    with pytest.raises(events.UnsupportedError, match=message):
        events.TRANSLATIONS["RandomAllocationDpEvent"](made, relation)
