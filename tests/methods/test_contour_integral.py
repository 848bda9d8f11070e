# SPDX-License-Identifier: Apache-2.0
"""The contour sum against ball arithmetic."""

import numpy as np
import pytest
from flint import arb

import exact
import hockeystick as hs
from hockeystick import _core
from mechanisms import cells
from questions import core_answer

MEMORY = 1 << 30
DIRECTIONS = ("remove", "add", "replace")
RUNS = {
    "dpsgd": ((exact.Step(1.0, 0.01), 10_000),),
    "short": ((exact.Step(1.0, 0.3), 40),),
    "rare": ((exact.Step(0.6, 1e-3), 10_000),),
    "low noise": ((exact.Step(0.4, 0.9), 50),),
    "long": ((exact.Step(2.0, 1e-3), 1_000_000),),
    "much noise": ((exact.Step(60.0, 0.01), 1000),),  # saddle points at tilts of thousands
    "mixed": ((exact.Step(1.0, 0.02), 300), (exact.Step(2.0, 0.1), 500), (exact.Step(3.0, 1.0), 4)),
}


def terms(run, direction):
    return [(cells.core_pair(step, direction), count) for step, count in run]


def bounds(run, direction, value, method, tolerance=1e-3, query="epsilon"):
    return core_answer([terms(run, direction)], query, value, tolerance=tolerance, method=method)


pytestmark = pytest.mark.bits(300)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("period", "count", "log_accuracy"),
    [(24.0, 80, 36.0), (6.0, 40, 36.0), (3.0, 20, 36.0), (16.0, 6, 36.0), (16.0, 40, 10.0)],
    ids=["fine", "some aliases", "many aliases", "short", "coarse nodes"],
)
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_every_part_of_the_sum_is_counted(direction, period, count, log_accuracy):
    """Whatever the contour leaves out, the bounds hold; and they are no wider than told."""
    run = ((exact.Step(1.0, 0.02), 2000),)
    epsilons = [0.5, 3.0, 6.0, 9.0]
    rows = _core.contour.contour_deltas(
        terms(run, direction),
        tilts=(1.0, 2.2, 3.6),
        period=period,
        count=count,
        frequency=12.0,
        log_accuracy=log_accuracy,
        epsilons=epsilons,
    )
    for epsilon, (value, rounding, tail, alias) in zip(epsilons, rows, strict=True):
        truth = exact.delta(run, epsilon, direction)
        assert arb(value) - arb(rounding) - arb(tail) - arb(alias) <= truth
        assert truth <= arb(value) + arb(rounding) + arb(tail)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_far_out_all_that_is_summed_is_rounding(direction):
    """Where next to nothing is left of delta, what a million products are off by shows."""
    rows = _core.contour.contour_deltas(
        terms(RUNS["long"], direction),
        tilts=(0.5, 1.0, 8.0),
        period=75.0,
        count=250,
        frequency=22.0,
        log_accuracy=36.0,
        epsilons=np.linspace(4.5, 8.0, 20).tolist(),
    )
    for value, rounding, tail, alias in rows:
        assert value + rounding + tail >= 0
        assert value - rounding - tail - alias <= 1e-16
        assert tail + alias <= 1e-3 * rounding <= 1e-12


def test_samples_lost_in_their_errors_are_counted():
    """At frequencies far beyond those the line was made for; the tail is less than they add."""
    run, epsilons = ((exact.Step(1.0, 0.02), 200),), [3.0]
    rows = _core.contour.contour_deltas(
        terms(run, "remove"),
        tilts=(1.0, 2.2, 3.6),
        period=16.0,
        count=90,
        frequency=6.0,
        log_accuracy=36.0,
        epsilons=epsilons,
    )
    for epsilon, (value, rounding, tail, _) in zip(epsilons, rows, strict=True):
        off = abs(arb(value) - exact.delta(run, epsilon, "remove"))
        assert 2 * arb(tail) < off <= arb(rounding)


# What repeats comes from below in the first two, from above in the last.
@pytest.mark.parametrize(
    ("direction", "tilts", "epsilon"),
    [
        ("remove", (1.0, 2.2, 3.6), 5.0),
        ("add", (1.0, 2.2, 3.6), 5.0),
        ("add", (2.0, 4.0, 6.0), 3.0),
    ],
)
def test_aliases_only_add(direction, tilts, epsilon):
    """Without samples missing, too short a period is an upper bound by itself."""
    run = ((exact.Step(1.0, 0.02), 2000),)
    ((value, rounding, tail, alias),) = _core.contour.contour_deltas(
        terms(run, direction),
        tilts=tilts,
        period=4.0,
        count=60,
        frequency=90.0,
        log_accuracy=36.0,
        epsilons=[epsilon],
    )
    truth = exact.delta(run, epsilon, direction)
    excess = arb(value) - truth
    assert excess > arb(1e3) * (arb(rounding) + arb(tail))
    assert excess <= arb(alias)
    assert arb(alias) < 1e3 * excess


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", RUNS)
def test_the_planner_takes_the_contour(name, direction):
    answer = bounds(RUNS[name], direction, 1e-5, "")
    assert answer.method == "contour_integral"
    again = bounds(RUNS[name], direction, answer.upper, "", query="delta")
    assert again.method == "contour_integral"
    assert again.lower <= 1e-5 * (1 + 1e-9)


# Step, count, epsilon and delta by `exact.delta`, which takes seconds for each.
RARELY_REPLACED = [
    (exact.Step(1.2, 3e-5), 1767, 0.001, "4.62053938982961e-4"),
    (exact.Step(1.2, 3e-5), 1767, 0.03, "9.99338446460401e-18"),
    (exact.Step(0.9332236894719871, 4.067359452244405e-05), 2531, 0.02, "3.37340411658250e-8"),
    (exact.Step(0.9332236894719871, 4.067359452244405e-05), 2531, 0.1, "7.72536850640695e-14"),
    (exact.Step(1.69, 1.1e-4), 75, 0.0, "4.53712812287068e-4"),
    (exact.Step(1.69, 1.1e-4), 75, 1e-4, "4.05490671045586e-4"),
]


@pytest.mark.parametrize(("step", "count", "epsilon", "truth"), RARELY_REPLACED)
def test_rarely_replaced_records_need_no_transform(step, count, epsilon, truth):
    found = bounds(((step, count),), "replace", epsilon, "contour_integral", query="delta")
    assert found.method == "contour_integral"
    assert found.upper - found.lower <= 1e-3 * found.upper
    assert arb(found.lower) <= arb(truth) * (1 + arb("1e-14"))
    assert arb(truth) * (1 - arb("1e-14")) <= arb(found.upper)


@pytest.mark.every(2)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-40])
def test_epsilon_is_enclosed_to_any_tolerance(delta, tolerance):
    run, truth = RUNS["dpsgd"], exact.epsilon(RUNS["dpsgd"], delta, "add_remove", 14)
    answer = bounds(run, "remove", delta, "contour_integral", tolerance)
    assert answer.method == "contour_integral"
    assert arb(answer.lower) <= truth <= arb(answer.upper)
    assert answer.upper - answer.lower <= tolerance * answer.upper


def test_laplace_noise_beside_others_needs_no_transform():
    run = (
        8 * hs.Gaussian(1.5)
        + 24 * hs.Laplace(34.4)
        + 92197 * hs.Gaussian(4.5).poisson_sampled(9e-4)
    )
    directions = run._directions(hs.Adjacency.ADD_OR_REMOVE_ONE)
    contour, transform = (
        core_answer(directions, "epsilon", 1e-6, method=method)
        for method in ("", "fft_composition")
    )
    assert contour.method == "contour_integral"
    assert contour.lower <= transform.upper
    assert transform.lower <= contour.upper


@pytest.mark.parametrize("query", ["delta", "epsilon"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_many_questions_share_their_sums(query, direction):
    """Answers of one call agree with those asked one by one, whatever their order."""
    run = RUNS["dpsgd"]
    values = np.linspace(0.1, 9.0, 60) if query == "delta" else np.geomspace(0.2, 1e-14, 60)
    np.random.default_rng(5).shuffle(values)
    ask = _core.delta_bounds if query == "delta" else _core.epsilon_bounds
    together = ask([terms(run, direction)], values, tolerance=1e-3, memory_limit=MEMORY)
    for value, shared in zip(values, together, strict=True):
        alone = bounds(run, direction, value, "", query=query)
        assert shared.method == alone.method == "contour_integral"
        assert shared.lower <= alone.upper
        assert alone.lower <= shared.upper
        assert shared.upper - shared.lower <= 1e-3 * shared.upper


@pytest.mark.parametrize("sizes", [(15, 1), (16, 1), (17, 300), (200, 40)])
@pytest.mark.parametrize(("rate", "delta"), [(0.5, 0.05), (0.01, 1e-5), (0.9, 1e-9)])
@pytest.mark.parametrize("ways", [("remove", "add"), ("add", "remove")])
def test_the_worse_direction_of_many_distinct_steps_counts(sizes, rate, delta, ways):
    """Chernoff's inequality shows of few others that they lie below, and of none that does not."""
    distinct, count = sizes
    run = [
        (exact.Step(2 + k / distinct, rate / (1 + k / distinct)), count) for k in range(distinct)
    ]
    both = core_answer([terms(run, way) for way in ways], "epsilon", delta, tolerance=1e-4)
    each = [bounds(run, way, delta, "", 1e-4) for way in ways]
    assert both.lower <= max(one.upper for one in each)
    assert max(one.lower for one in each) <= both.upper
    assert both.upper - both.lower <= 1e-4 * both.upper


@pytest.mark.parametrize("epsilon", [8.0, 20.0, 30.0, 60.0, 1000.0])
def test_delta_far_below_the_smallest_double_is_shown_to_be(epsilon):
    """Also past where the mean loss jumps with the tilt, as no saddle point leads there."""
    run = 10**4 * hs.Gaussian(noise_multiplier=5.0).poisson_sampled(0.01)
    bounds = run.delta_bounds(epsilon)
    assert bounds.lower == 0
    assert bounds.upper <= 1e-300


def test_memory_is_counted_by_the_nodes_of_all_lines():
    """2000 distinct steps fit where as many lines at once would not, and give up in less."""
    steps = [
        (_core.dominating_pair("poisson_gaussian_remove", [1 + 1e-4 * k, 0.01]), 1)
        for k in range(2000)
    ]
    ask = {"tolerance": 1e-3, "method": "contour_integral"}
    (fits,) = _core.epsilon_bounds([steps], [1e-5], memory_limit=1 << 24, **ask)
    (small,) = _core.epsilon_bounds([steps], [1e-5], memory_limit=1 << 20, **ask)
    assert fits.converged
    assert not small.converged
    assert small.lower <= fits.lower <= fits.upper <= small.upper


@pytest.mark.parametrize("name", RUNS)
def test_epsilon_is_0_where_delta_of_0_is_at_most_delta(name):
    """And not where it is above."""
    at_zero = bounds(RUNS[name], "remove", 0.0, "contour_integral", 1e-6, "delta")
    delta = min(1.2 * at_zero.upper, 1 - 2**-53)
    if delta > 1.01 * at_zero.upper:  # lines left of 0 tell deltas next to 1, and no epsilon
        above = bounds(RUNS[name], "remove", delta, "contour_integral")
        assert above.method == "contour_integral"
        assert above.lower == above.upper == 0
    below = bounds(RUNS[name], "remove", at_zero.lower / 1.2, "contour_integral")
    assert 0 < below.lower <= below.upper


def test_lines_are_fine_enough_below_their_last_sample_too():
    """Made for a tenth of the frequencies, they were off by more than the tail that was left."""
    run = 245 * hs.Gaussian(1.1426819437824127).poisson_sampled(1.5835625521085287e-06)
    found = run.delta_bounds(6.75e-5, tolerance=1e-7, adjacency="remove-one")
    assert found.gap <= 1e-7 * found.upper
    for table in run.explain(epsilon=6.75e-5, tolerance=1e-7, adjacency="remove-one").directions:
        assert {row.method: row.attempts for row in table}["fft_composition"] == 0


@pytest.mark.parametrize(
    ("run", "epsilons"),
    [
        (
            13367 * hs.Gaussian(0.5498662245373046).poisson_sampled(3.4536741427983064e-05)
            + 17209 * hs.Gaussian(2.311884174350662).poisson_sampled(1.0535511139593334e-06),
            [0.1, 0.4, 1.0, 4.0],
        ),
        (
            2 * hs.Gaussian(1.3457829510860664).poisson_sampled(0.0075330881218061115)
            + 2980 * hs.Gaussian(1.75415194319133).poisson_sampled(1.9830994628064983e-05),
            [0.0227, 0.0574],
        ),
    ],
)
def test_one_large_loss_of_several_kinds_of_steps(run, epsilons):
    """Grids as fine as their small losses are long: a line leaves the largest losses out."""
    for epsilon in epsilons:
        (table,) = run.explain(epsilon=epsilon, adjacency="remove-one").directions
        (chosen,) = (row for row in table if row.verdict == "chosen")
        assert chosen.method == "contour_integral"
        rough = run.delta_bounds(epsilon, adjacency="remove-one", tolerance=0.1)
        close = run.delta_bounds(epsilon, adjacency="remove-one")
        assert rough.lower <= close.upper
        assert close.lower <= rough.upper
