# SPDX-License-Identifier: Apache-2.0
"""Plans by what comes of them: one pass that is narrow enough, and no longer than it has to be.

A wrong plan costs width or time, never a bound.
"""

import math
import random

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick import _core
from questions import core_answer
from rare_runs import batches, mixture, sampled, terms

parts = _core.large_loss
GAUSSIAN = sampled(1.0, 0.01)
LATTICE = hs.DiscreteGaussian(sigma=4.0)


def answer(directions, tolerance=1e-3, method="", delta=1e-6):
    return core_answer([directions], "epsilon", delta, tolerance=tolerance, method=method)


def of_steps(steps, count=1, method=""):
    pairs = [(_core.dominating_pair("poisson_gaussian_remove", step), count) for step in steps]
    return answer(pairs, method=method)


def test_a_contour_is_taken_where_it_costs_less_than_a_transform():
    contour, transform = (
        answer(terms(GAUSSIAN, 1000), method=method) for method in ("", "fft_composition")
    )
    assert contour.method == "contour_integral"
    assert contour.cost < transform.cost
    assert answer(terms(LATTICE, 5)).method != "contour_integral"


RARE = {
    "huge losses": (95, mixture(1.7576, (0.4027, 2.269e-4), (0.9843, 1.094e-4)), 6.04e-8),
    "cut batches": (20, batches(4.04, 3.2786e-3, 444, 102_667), 7.14e-12),
    "tiny losses": (1_995_826, batches(68.18, 3.43e-5, 1, 1183), 2.72e-4),
    "far from nodes": (60, mixture(27.26, (0.9209, 7.978e-5)), 1e-6),
    "no room for a last panel": (
        237,
        mixture(
            0.53474, (0.1317, 6.97e-6), (0.8825, 4.74e-6), (0.2952, 8.61e-6), (0.4298, 4.75e-7)
        ),
        4.717e-11,
    ),
    "next to 0": (46, batches(2.449, 1.4363e-5, 6, 82_319), 1.65491e-5),
    "a transform is dear": (11_977, batches(1.05185, 4.47465e-5, 48, 477_170), 1.52945e-11),
    "epsilon is 0": (5523, batches(2.195, 7.279e-6, 4, 66_527), 8.39e-4),
}


@pytest.mark.parametrize("name", RARE)
def test_rare_large_losses_do_not_keep_contours_away(name):
    """Of the first two a transform takes as long: there the contour is asked for by name, too.

    The number of large losses may answer after a contour was too wide.
    """
    count, step, delta = RARE[name]
    by_name = "contour_integral" if name in {"huge losses", "cut batches"} else ""
    alone = name == "no room for a last panel"
    for method in {"", by_name}:
        found = answer(terms(step, count), method=method, delta=delta)
        cheap = {"contour_integral", "one_large_loss"} - ({"one_large_loss"} if method else set())
        assert alone or method != by_name or found.method in cheap
        assert found.upper - found.lower <= 1e-3 * found.upper


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_a_transform_on_the_interval_forecast_is_tight_at_once(tolerance):
    (found,) = _core.delta_bounds(
        [terms(GAUSSIAN, 1000)],
        [1.0],
        tolerance=tolerance,
        memory_limit=1 << 30,
        method="fft_composition",
    )
    assert found.converged
    assert found.passes == 1


@pytest.mark.parametrize("number", [128, 129, 1000])
def test_alike_steps_cost_as_much_as_equal_ones_between_which_they_lie(number):
    found = of_steps([(1 + 1e-3 * k / number, 0.02) for k in range(number)])
    assert (found.method, found.passes) == ("contour_integral", 1)
    dearest, cheapest = of_steps([(1.0, 0.02)], number), of_steps([(1.001, 0.02)], number)
    assert cheapest.lower <= found.upper
    assert found.lower <= dearest.upper


def test_steps_of_all_kinds_are_planned_at_once():
    rng = random.Random(5)
    steps = [(10 ** rng.uniform(-0.2, 1), 10 ** rng.uniform(-3, -1)) for _ in range(600)]
    found = of_steps(steps)
    assert (found.method, found.passes, found.converged) == ("contour_integral", 1, True)
    assert of_steps(steps[:400]).lower <= found.upper


@pytest.mark.parametrize("number", [1000, 2000, 10_000])
def test_steps_drawn_at_random_are_planned_at_once(number):
    """The few whose large losses weigh most beyond the saddle point stand for themselves."""
    rng = random.Random(1)
    found = of_steps([(rng.uniform(0.8, 2), rng.uniform(0.001, 0.02)) for _ in range(number)])
    assert (found.method, found.passes, found.converged) == ("contour_integral", 1, True)


def test_a_dear_step_among_many_cheap_ones_is_counted():
    cheap = [(2 + 1e-3 * k, 0.01) for k in range(300)]
    dear = (0.5, 0.1)
    with_it, alone = of_steps([*cheap, dear]), of_steps([dear], method="single_step")
    assert with_it.converged
    assert with_it.upper >= alone.lower > of_steps(cheap).upper


@pytest.mark.parametrize("epsilon", [29.75169362641035, 20.0])
def test_intervals_far_below_the_spacing_of_atoms_are_planned_soon(epsilon):
    """Two lattices that no grid serves: not every divisor of a spacing is tried."""
    answers = hs.RandomizedResponse(noise_parameter=0.8559623733492494, num_buckets=69)
    pair = hs.DiscretePair(
        p=[0.7067339816192144, 0.025453933628101954, 0.2678120847526836],
        q=[0.7845189170027582, 0.016280461684472117, 0.1992006213127697],
    )
    run = answers + 62 * pair
    bounds = run.delta_bounds(epsilon, adjacency=hs.Adjacency.REPLACE_ONE, memory_limit=1 << 26)
    assert 0 < bounds.lower <= bounds.upper < 1
    assert bounds.gap <= 1e-3 * bounds.upper


def test_losses_that_underflow_are_planned_soon():
    """The deviation of the loss underflows, and with it the interval: no multiple of 0 serves."""
    step = hs.ApproximateDP(epsilon=3.5e-6, delta=3e-7).poisson_sampled(1e-320)
    with pytest.raises(hs.CertificationError) as refused, hs.time_limit(60):
        (1000 * step).gdp_mu(smallest_rate=1e-12, adjacency=hs.Adjacency.REPLACE_SPECIAL)
    assert refused.value.bounds.lower >= 0


@pytest.mark.parametrize("rate", [3e-313, 1e-315, 5e-324])
@pytest.mark.parametrize(
    "mechanism", [hs.DiscretePair((1, 2, 3), (2, 1, 3)), hs.Laplace(3.0), hs.ApproximateDP(1.0, 0)]
)
def test_losses_that_underflow_ask_for_no_grid_of_their_own(mechanism, rate):
    """Of spacings below 1e-312 an interval is more multiples than there are numbers."""
    noise = hs.Gaussian(noise_multiplier=0.2848831284384913)
    truth = noise.delta_bounds(5.27)
    found = (noise + 10_000 * mechanism.poisson_sampled(rate)).delta_bounds(5.27)
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper


def test_far_below_the_mean_searches_end_at_numbers():
    """Where normal tails overflow; a grid's interval of NaN, which came from it, was refused."""
    response = hs.RandomizedResponse(noise_parameter=2.2860384974005755e-267, num_buckets=1000)
    run, delta = 7 * response, math.nextafter(1, 0)
    for memory in (1 << 20, 1 << 22, 1 << 30):
        with pytest.raises(hs.CertificationError) as refused:
            run.epsilon_bounds(
                delta, adjacency="replace-special", tolerance=0.1, memory_limit=memory
            )
        assert refused.value.bounds.upper < 7 * 615


def test_tilts_far_beyond_the_deviation_leave_tolerances_numbers():
    """Of sampling at 1e-166 the moved part deviates by 1e166 times as much as the whole."""
    step = sampled(0.13757132137143807, 1.509e-166)
    bounds = step.tradeoff_bounds(8.26e-303, adjacency="replace-one", tolerance=0.5, smallest=0)
    assert 0.5 < bounds.lower <= bounds.upper <= 1


@pytest.mark.parametrize(
    ("noise", "rate", "count", "epsilon"),
    [(1.0, 1e-6, 100, 1.0), (1.0, 1e-4, 504, 1.0), (2.9, 4e-4, 2, 0.1), (0.6, 3e-6, 47, 4.0)],
)
def test_one_large_loss_is_forecast_next_to_the_answers(noise, rate, count, epsilon):
    run = terms(sampled(noise, rate), count)
    threshold, _, deviation, fall, delta, missed = parts.plan(run, epsilon)
    found = [
        _core.delta_bounds([run], [at], tolerance=1e-3, memory_limit=1 << 28)[0].upper
        for at in (epsilon, epsilon * 1.001)
    ]
    assert delta == pytest.approx(found[0], rel=0.02)
    assert found[1] / found[0] == pytest.approx(1 - 0.001 * epsilon * fall, abs=2e-3)
    assert threshold < epsilon
    assert fall * deviation < 0.2
    assert missed < 1e-5


@pytest.mark.parametrize(
    ("step", "count"),
    [(hs.Gaussian(noise_multiplier=1.0), 30), (sampled(1.0, 0.1), 3000), (hs.Laplace(3.0), 5)],
    ids=str,
)
def test_where_many_losses_decide_no_large_one_is_looked_for(step, count):
    assert parts.plan(terms(step, count), 1.0) is None


@pytest.mark.parametrize("number", [20, 200])
def test_atoms_that_are_too_low_to_count_lie_on_no_grid(number):
    """The window leaves them out; where the grid had them, they wrapped into the window."""
    edges = np.linspace(-4, 4, number)
    p, q = (np.diff(stats.norm.cdf(edges, mean)) for mean in (1.0, -1.0))
    run = hs.Composition() + hs.DiscretePair(p / p.sum(), q / q.sum()) + 3 * hs.Laplace(7.0)
    for rows in run.explain(epsilon=2.0).directions:
        assert {row.method: row.attempts for row in rows}["fft_composition"] == 1


def test_a_loss_far_beyond_epsilon_leaves_tilts_that_begin_above_zero():
    """delta does not fall there: tilts that began at a rate of 0 were doubled without end."""
    q = 1e-9 * 2.718281828459045**-200
    far = [(_core.dominating_pair("discrete_pair", (1 - 1e-9, 1e-9, 1 - q, q)), 9)]
    for epsilon in (1.0, 50.0):
        threshold, _, _, rate, delta, _ = parts.plan(far, epsilon)
        assert rate * epsilon >= 0.099
        assert threshold < epsilon
        assert delta == pytest.approx(9e-9, rel=1e-6)
        lower, upper = parts.tail(far, epsilon)
        assert lower <= -math.expm1(9 * math.log1p(-1e-9)) <= upper


@pytest.mark.parametrize("tail", [False, True])
def test_what_knots_cost_is_forecast_and_kept_to(tail):
    run = terms(sampled(1.0, 1e-4), 504)
    coarse, fine = (parts.cost(run, 1.0, tolerance=at, tail=tail) for at in (1e-3, 1e-6))
    assert fine > 5 * coarse
    if tail:
        assert fine > 100 * coarse  # a tail needs knots by the tolerance, not by its root
        before = _core.work.taken()
        assert _core.work.within(coarse / 2, lambda: parts.tail(run, 1.0)) == (0.0, 1.0)
        assert _core.work.taken() - before < coarse / 2  # what a look at one edge takes
        lower, upper = _core.work.within(20 * coarse, lambda: parts.tail(run, 1.0))
        assert 0 < lower <= upper < 1.01 * lower
