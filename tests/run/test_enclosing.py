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


WIDE, NARROW, LOW = answers(2.0), answers(1.002), answers(1.0)


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


def test_what_is_tight_at_once_is_asked_once():
    ends, why, asked = enclosed([LOW], [LOW])
    assert (len(asked), why) == (2, "")
    assert ends[0] <= ends[1]


def test_pairs_that_close_are_asked_more_finely():
    ends, why, asked = enclosed([WIDE, NARROW, LOW], [LOW])
    assert why == ""
    assert len(asked) == 6
    assert asked[0][0] < asked[2][0] < asked[4][0]
    assert asked[0][1] > asked[2][1] == asked[4][1]
    assert ends[1] <= ends[0] * (1 + 1e-3)


def test_less_is_left_out_where_cells_tell_too_little():
    _, _, asked = enclosed([WIDE, answers(1.5), LOW], [LOW])
    assert asked[0][1] > asked[2][1] > asked[4][1]


def test_what_does_not_help_is_not_repeated():
    _, why, asked = enclosed([WIDE], [LOW])
    assert (len(asked), why) == (4, "passes")


def test_theory_is_asked_once():
    ends, why, asked = enclosed([WIDE], [LOW], closes=False)
    assert (len(asked), why) == (2, "theory")
    assert ends == pytest.approx((1, 2), rel=0.01)


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


def test_what_is_left_out_follows_the_least_that_is_told():
    tails = [enclosed([LOW], [LOW], *of)[2][0][1] for of in TOLD]
    assert tails == sorted(tails, reverse=True)
    assert tails[-1] == pytest.approx(1e-11 * tails[0])


TOLD = [("epsilon_bounds", 1e-9), ("bayes_risk_bounds", 0.5), ("power_bounds", 1e-20)]


def deltas(epsilon):
    """Of 1e-9 where epsilon is 1, and much less where it is 3."""
    noise = hs.calibrate(hs.Gaussian, epsilon=1.0, delta=1e-9)
    step = hs.Gaussian(noise).dominating_pair(hs.Direction.REMOVE)
    limits = {"tolerance": 1e-9, "memory_limit": 2**30}
    return _core.delta_bounds([[(step, 1)]], np.array([epsilon]), **limits)


@pytest.mark.parametrize("closes", [False, True])
def test_deltas_below_what_is_left_out_are_asked_again(closes):
    small, smaller = deltas(3.0), deltas(3.1)
    (lower, _), _, asked = enclosed([small], [smaller], "delta_bounds", 3.0, closes=closes)
    (cells, tail), (more, less) = asked[0], asked[2]
    rare = -math.log(lower)
    assert more == pytest.approx(cells * math.sqrt((rare - 5) / 19), rel=0.05)
    assert less == pytest.approx(tail * lower / 1e-9)
    large, larger = deltas(0.1), deltas(0.05)
    asked = enclosed([larger], [large], "delta_bounds", 0.1, closes=False)[2]
    assert len(asked) == 2


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


STEP_VIEWS = {
    "epsilon_bounds": (1e-2, 1e-6, 1e-12),
    "delta_bounds": (0.0, 1.0, 20.0),
    "true_positive_rate_bounds": (1e-3, 0.2),
    "tradeoff_bounds": (0.1,),
    "gdp_mu_bounds": (),
    "bayes_risk_bounds": (0.4,),
    "renyi_divergence_bounds": (3.0,),
    "advantage_bounds": (),
    "zcdp_bounds": (),
}
SAFE_BELOW = {"tradeoff_bounds", "bayes_risk_bounds"}
UNSEEN = 1e-9  # false negative rates are sought to within 1e-3 of 1e-6 and of themselves


def schemes(noise, adjacency):
    """Runs, and the same as if nothing were sampled."""
    step = hs.Gaussian(noise_multiplier=noise)
    if adjacency == "add-or-remove-one":
        for steps in (2, 50):
            yield step.random_allocation(steps=steps), step
            yield 3 * step.random_allocation(steps=steps, epochs=4), 12 * step
        yield step.random_allocation(steps=7, selected=3), 3 * step
        laplace = hs.Laplace(noise_multiplier=noise)
        yield laplace.random_allocation(steps=3), laplace
    else:
        for drawn, size in ((999, 1000), (1, 2), (24378186, 24378187), (10, 10_000)):
            batch = step.fixed_size_sampled(batch_size=drawn, dataset_size=size)
            yield batch, step
            yield 2 * batch, 2 * step
        yield step.shuffled(batches=9), step


@pytest.mark.parametrize("noise", [0.055, 0.3, 1.4, 20.0])
@pytest.mark.parametrize("adjacency", ["add-or-remove-one", "replace-one", "replace-special"])
@pytest.mark.parametrize("view", STEP_VIEWS)
def test_no_scheme_costs_more_than_its_steps_without_sampling(noise, adjacency, view):
    for run, steps in schemes(noise, adjacency):
        for at in [(point,) for point in STEP_VIEWS[view]] or [()]:
            if noise < 0.1 and view in {"gdp_mu_bounds", "true_positive_rate_bounds"}:
                continue  # which take seconds
            ends = []
            for each in (run, steps):
                try:
                    ends.append(getattr(each, view)(*at, adjacency=adjacency))
                except hs.CertificationError as error:
                    ends.append(error.bounds)
            if view in SAFE_BELOW:
                slack = 1e-12 * ends[1].lower + UNSEEN * (view == "tradeoff_bounds")
                assert ends[0].lower >= ends[1].lower - slack, (run, at)
            else:
                assert ends[0].upper <= ends[1].upper * (1 + 1e-12) + 1e-30, (run, at)


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
