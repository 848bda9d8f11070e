# SPDX-License-Identifier: Apache-2.0
"""Ends from pairs above and below: refined while that helps, and what keeps them apart is named."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.errors import best_bounds


def answers(epsilon):
    """Those of one Gaussian whose epsilon at 1e-5 is next to that."""
    noise = hs.calibrate(hs.Gaussian, epsilon=epsilon, delta=1e-5)
    step = hs.Gaussian(noise).dominating_pair(hs.Direction.REMOVE)
    at, limits = np.array([1e-5]), {"tolerance": 1e-9, "memory_limit": 2**30}
    return _core.epsilon_bounds([[(step, 1)]], at, **limits)


WIDE, LOW = answers(2.0), answers(1.0)


def enclosed(above, below, question="epsilon_bounds", at=1e-5, **changes):
    """The ends of one answer, why, and the accuracies that were asked for."""
    asked = []

    def of(sides):
        left = list(sides)

        def ask(cells, tail, told, points):
            assert (told, points) == ("curve", [at])
            asked.append((cells, tail))
            return left.pop(0) if len(left) > 1 else left[0]

        return ask

    of_question = {"closes": True, "runs": 1, "tolerance": 1e-3, "known": None} | changes
    (found,) = _core.parts.enclosed(question, np.array([at]), of(above), of(below), **of_question)
    return (found.lower, found.upper), found.limited_by, asked


def test_what_does_not_help_is_not_repeated():
    _, why, asked = enclosed([WIDE], [LOW])
    assert (len(asked), why) == (6, "passes")  # smaller tails alone, then more cells


def test_theory_is_asked_once():
    ends, why, asked = enclosed([WIDE], [LOW], closes=False)
    assert (len(asked), why) == (2, "theory")
    assert ends == pytest.approx((1, 2), rel=0.01)


@pytest.mark.parametrize(
    ("smallest", "closes", "times"), [(3.0, False, 0), (1.5, False, 1), (3.0, True, 1)]
)
def test_what_is_too_small_to_matter_is_not_asked_from_below(smallest, closes, times):
    asked = []

    def below(*question):
        asked.append(question)
        return LOW

    of_question = {"closes": closes, "runs": 1, "tolerance": 1e-3, "known": None}
    (found,) = _core.parts.enclosed(
        "delta_bounds", np.array([1e-5]), lambda *_: WIDE, below, smallest=smallest, **of_question
    )
    assert len(asked) == times
    assert found.upper == WIDE[0].upper


def test_what_falls_with_the_curve_changes_sides():
    ends, why, _ = enclosed([LOW], [WIDE], "bayes_risk_bounds", closes=False)
    assert why == "theory"
    assert ends == pytest.approx((1, 2), rel=0.01)


def test_known_ends_count():
    known = (np.array([1.5]), np.array([math.inf]))
    ends, _, _ = enclosed([WIDE], [LOW], closes=False, known=known)
    assert ends == pytest.approx((1.5, 2), rel=0.01)
    tight = (np.array([1.5]), np.array([1.5001]))
    assert enclosed([WIDE], [LOW], known=tight)[1:] == ("", [])


def test_a_side_that_lacks_memory_says_so():
    step = hs.Laplace(3.0).dominating_pair(hs.Direction.REMOVE)
    at = np.array([1e-5])
    starved = _core.epsilon_bounds([[(step, 90)]], at, tolerance=1e-9, memory_limit=10_000)
    assert starved[0].limited_by == "memory_limit"
    for closes in (False, True):
        assert enclosed([starved], [LOW], closes=closes)[1] == "memory_limit"
    run = 3 * hs.Gaussian(2.0).random_allocation(steps=400, selected=20)
    with pytest.raises(hs.CertificationError, match="more than memory_limit") as refused:
        run.delta_bounds(1.0, memory_limit=10_000)
    assert refused.value.limited_by == "memory_limit"


def test_ends_that_contradict_each_other_are_a_mistake():
    with pytest.raises(_core.InternalError, match="above upper"):
        enclosed([LOW], [WIDE])


GRID = np.linspace(0, 1, 50)


def allocated(kind):
    step = {"gaussian": hs.Gaussian(1.0), "laplace": hs.Laplace(1.0)}.get(kind)
    if kind == "mixed":
        return allocated("gaussian") + 10 * hs.Gaussian(1.0).poisson_sampled(0.01)
    if kind == "selected":
        return hs.Gaussian(1.0).random_allocation(steps=100, selected=3)
    return (step or hs.DiscreteGaussian(sigma=1.0)).random_allocation(steps=100)


@pytest.mark.parametrize("kind", ["gaussian", "laplace", "discrete", "mixed", "selected"])
@pytest.mark.parametrize("adjacency", ["remove-one", "add-one", "add-or-remove-one"])
def test_rates_from_none_to_all(kind, adjacency):
    run = allocated(kind)
    found = run.true_positive_rate_bounds(GRID, adjacency=adjacency)
    assert found.lower[0] == 0
    assert found.upper[0] < 1e-300
    assert np.all(np.diff(found.upper) >= 0)
    assert run.tradeoff_bounds(GRID, adjacency=adjacency).upper[0] == 1


def test_rates_that_many_errors_decide_need_no_grid():
    """The reverses of the sides' pairs tell their curves at negative losses."""
    run = 300 * hs.Gaussian(1.3).fixed_size_sampled(batch_size=34, dataset_size=1000)
    at, adjacency = np.array([0.3, 0.5, 0.9]), "replace-special"
    found = run.tradeoff_bounds(at, adjacency=adjacency, memory_limit=2**20)
    above = run.tradeoff_bounds(at, adjacency=adjacency, tolerance=1e-2)
    assert np.all((found.lower < above.upper) & (above.lower < found.upper))
    assert np.all(found.upper - found.lower < 1.05 * (above.upper - above.lower))


@pytest.mark.parametrize("step", [hs.Gaussian(7.4), hs.Gaussian(1.85)])
def test_sides_are_asked_for_less_than_the_width_that_they_share(step):
    run = step.random_allocation(steps=3)
    for count in (1, 35, 204):
        found = (count * run).gdp_mu_bounds()
        assert found.upper - found.lower <= 1e-3 * found.upper


@pytest.mark.parametrize("direction", ["remove-one", "add-one"])
def test_rate_zero_of_what_may_be_certain(direction):
    run = hs.ApproximateDP(epsilon=1.0, delta=0.125).random_allocation(steps=3)
    truth = 0.125 if direction == "remove-one" else 0.125**3
    found = run.true_positive_rate_bounds(0.0, adjacency=direction)
    assert found.lower <= truth <= found.upper


@pytest.mark.parametrize("direction", ["remove-one", "add-one"])
@pytest.mark.parametrize("kind", ["gaussian", "laplace", "mixed"])
def test_deltas_of_all_sizes_are_answered_as_if_alone(kind, direction):
    run = allocated(kind)
    alone = {}
    for epsilon in (0.1, 0.4, 1.0, 2.0, 5.0, 10.0, 11.0):
        try:
            alone[epsilon] = run.delta_bounds(epsilon, adjacency=direction)
        except hs.CertificationError:
            continue
    together = run.delta_bounds(list(alone), adjacency=direction)
    assert len(alone) > 1
    for k, one in enumerate(alone.values()):
        assert together.lower[k] <= one.upper
        assert one.lower <= together.upper[k]


def test_the_worst_that_may_be_drawn_bounds_moments():
    for often, ways in ((False, (2, 1)), (True, (20, 10))):
        step = hs.Gaussian(1.0).fixed_size_sampled(
            batch_size=10, dataset_size=1000, replacement=often
        )
        for shift, way in zip(ways, ("replace-one", "replace-special"), strict=True):
            for order in (1, 1.5, 16.0):
                found = step.renyi_divergence_bounds(order, adjacency=way)
                assert found.upper == pytest.approx(order * shift**2 / 2)
                assert found.limited_by == "theory"


def test_points_of_an_array_are_within_the_tolerance_or_declined():
    """What a coarse pass tells widely of the hardest points does not count as told."""
    run = 10 * hs.Laplace(1.0).random_allocation(steps=100)
    try:
        found = run.delta_bounds(np.linspace(0, 20, 9), adjacency="remove-one", tolerance=1e-3)
    except hs.CertificationError:
        return
    counts = found.upper > 1e-30
    assert np.all(found.upper[counts] - found.lower[counts] <= 1e-3 * found.upper[counts])


def test_an_array_of_deltas_takes_no_more_than_its_points():
    """The least of them made the pairs of all of them large: nine took twenty times their sum."""
    run = 28 * hs.Gaussian(1.2414564330195144).fixed_size_sampled(batch_size=18, dataset_size=81424)
    points = [0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0]

    def work(at):
        before = _core.work.taken()
        found = run.delta_bounds(at, adjacency="replace-special")
        return found, _core.work.taken() - before

    alone = [work(at) for at in points]
    together, taken = work(points)
    assert taken <= sum(each for _, each in alone)
    for k, (one, _) in enumerate(alone):
        assert together.lower[k] <= one.upper
        assert one.lower <= together.upper[k]


def test_sides_are_asked_as_closely_as_the_gap_of_theory_needs():
    """One side rounds: asked within the tolerance it took all the work and answered nothing."""
    run = 89 * hs.Gaussian(2.3101089351640285).shuffled(batches=6858)
    before = _core.work.taken()
    found = run.delta_bounds([0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 4.0], adjacency="replace-special")
    assert found.limited_by == "theory"
    assert np.all(found.lower[:4] > 0)
    assert _core.work.taken() - before < 1e9  # it took 4e9


@pytest.mark.every(2)
@pytest.mark.parametrize("adjacency", ["replace-one", "replace-special"])
@pytest.mark.parametrize(("batch", "size"), [(10, 1000), (863, 151871), (10**6, 10**8)])
def test_moments_of_batches_with_replacement_are_finite_at_any_noise(batch, size, adjacency):
    """All draws may be of the record: at most as many Gaussians squared, together."""
    step = hs.Gaussian(0.004)
    drawn = step.fixed_size_sampled(batch_size=batch, dataset_size=size, replacement=True)
    distance = 2 if adjacency == "replace-one" else 1
    most = (distance * batch / 0.004) ** 2 / 2
    assert best_bounds(drawn.zcdp_bounds, adjacency=adjacency).upper <= most * (1 + 1e-9)
    upper = best_bounds(drawn.renyi_divergence_bounds, 2.0, adjacency=adjacency).upper
    assert upper <= 2 * most * (1 + 1e-9)


def test_an_allocation_and_counts_compose_on_one_lattice():
    """Points of the curve lie on the lattice of the counts' losses: elsewhere they are refused."""
    counts, step = hs.DiscreteGaussian(sigma=0.55), hs.Gaussian(2.1)
    run = counts + 20 * step.random_allocation(steps=300)
    bounds = run.tradeoff_bounds([1e-4, 1e-3, 0.01, 0.1])
    assert np.all(bounds.upper - bounds.lower <= 1e-3 * bounds.upper)


def test_deltas_of_an_allocation_share_the_pairs_of_the_smallest():
    """All are as close as asked, from 1e-3 to 1e-30."""
    run = 8 * hs.Gaussian(0.94).random_allocation(steps=6186)
    bounds = run.delta_bounds([0.1, 0.4, 1.0, 2.0, 4.0])
    assert np.all(bounds.upper - bounds.lower <= 1e-3 * bounds.upper)
    assert bounds.upper[-1] < 1e-29


@pytest.mark.parametrize("prior", [0.01, 0.3, 0.5])
def test_risks_that_hardly_anything_is_left_of_are_told(prior):
    """Of the risk little is left, so that sides are asked for deltas ever more closely."""
    run = 284 * hs.Gaussian(0.8688).random_allocation(steps=5)
    risk = run.bayes_risk_bounds(prior)
    loose = run.bayes_risk_bounds(prior, tolerance=0.01)
    counted = max(risk.upper, 1e-6 * prior)  # smaller risks count as this part of the prior
    assert risk.upper - risk.lower <= 1e-3 * counted
    assert loose.upper - loose.lower <= 0.01 * counted
    assert max(risk.lower, loose.lower) <= min(risk.upper, loose.upper)
