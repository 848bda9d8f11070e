# SPDX-License-Identifier: Apache-2.0
"""Smoothed contour sums of discretized steps: one-sided, tight, and as good as transforms."""

import bisect
import functools
import math
import operator

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.curve import Curve
from exact.responses import Responses
from hockeystick import Adjacency, _core
from pld import stored
from questions import core_answer
from rare_runs import batches, mixture

INTERVAL = 0.0625
MASS = [0.25, 0.5, 0.125, 0.0625, 0.03125, 0.03125]
TIMES = 40
CONTOUR = {"tilts": (0.0, 2.0, 6.0), "period": 9.0, "count": 2000}
SIDES = ("upper", "lower")

pytestmark = pytest.mark.bits(300)


def step(side):
    return stored.step(range(-2, len(MASS) - 2), MASS, interval=INTERVAL, side=side)


TRUTH = Curve.on_grid((0.0, INTERVAL), range(-2, len(MASS) - 2), MASS, 0.0).composed(TIMES)


@pytest.mark.parametrize("deviation", [0.5, 0.05, 0.005])
@pytest.mark.parametrize("side", SIDES)
def test_each_side_stays_on_its_side(side, deviation):
    """On the lattice of losses, where the curve has its kinks, and between."""
    epsilons = [0.0, 0.5, 0.53, 1.0, 1.031, 2.0]
    rows = _core.contour.smoothed_deltas(
        step(side), TIMES, deviation=deviation, epsilons=epsilons, **CONTOUR
    )
    for epsilon, (value, rounding, tail, alias) in zip(epsilons, rows, strict=True):
        truth = TRUTH(arb(epsilon))
        if side == "upper":
            assert truth <= arb(value) + arb(rounding) + arb(tail)
        else:
            assert arb(value) - arb(rounding) - arb(tail) - arb(alias) <= truth


@pytest.mark.parametrize("side", SIDES)
def test_below_all_losses_smoothing_changes_nothing(side):
    """There the curve is linear in e^epsilon."""
    epsilons = [-1.0, -0.8, -0.6]
    rows = _core.contour.smoothed_deltas(
        *(step(side), 1),
        deviation=0.05,
        epsilons=epsilons,
        tilts=(0.0, 0.5, 4.5),
        period=100.0,
        count=20_000,
    )
    for epsilon, (value, rounding, tail, _) in zip(epsilons, rows, strict=True):
        truth = sum(
            (-m * (epsilon - arb(INTERVAL) * (k - 2)).expm1() for k, m in enumerate(MASS)), arb(0)
        )
        assert abs(arb(value) - truth) <= arb(rounding) + arb(tail)
        assert rounding + tail < 1e-11


@pytest.mark.parametrize("side", SIDES)
def test_far_out_all_that_is_summed_is_rounding(side):
    """Two losses, a million times: next to nothing is left of delta so far out."""
    high = 1 / (1 + math.exp(-1e-3))
    pair = stored.step([-1, 1], [1 - high, high], interval=1e-3, side=side)
    epsilons = np.linspace(20, 24, 9).tolist()
    rows = _core.contour.smoothed_deltas(
        *(pair, 10**6),
        deviation=1.0,
        epsilons=epsilons,
        tilts=(0.0, 1.0, 8.0),
        period=600.0,
        count=30_000,
    )
    for value, rounding, tail, _ in rows:
        assert -rounding - tail <= value <= rounding + tail
        assert rounding + tail < 1e-14


@pytest.mark.parametrize("count", [20, 60, 200])
@pytest.mark.parametrize("side", SIDES)
def test_few_samples_leave_a_tail_that_is_counted(side, count):
    contour = CONTOUR | {"count": count}
    ((value, rounding, tail, _),) = _core.contour.smoothed_deltas(
        step(side), TIMES, deviation=0.05, epsilons=[0.5], **contour
    )
    ((fine, _, rest, _),) = _core.contour.smoothed_deltas(
        step(side), TIMES, deviation=0.05, epsilons=[0.5], **CONTOUR
    )
    assert abs(value - fine) <= tail + rest + rounding


RUNS = {
    "many samples": 10**8 * hs.Laplace(noise_multiplier=10_000.0).poisson_sampled(0.5),
    "sampled laplace": 10**7 * hs.Laplace(noise_multiplier=1.0).poisson_sampled(1e-3),
    "pair": 10**6 * hs.DiscretePair(p=[0.2, 0.3, 0.5], q=[0.2001, 0.3001, 0.4998]),
    "discrete": 10**6 * hs.DiscreteGaussian(sigma=2.0).poisson_sampled(1e-3),
    "with mass at infinity": 10**8 * hs.Laplace(noise_multiplier=10_000.0).poisson_sampled(0.5)
    + 1000 * hs.ApproximateDP(epsilon=0.01, delta=1e-12),
}


def bounds(run, delta, method, tolerance=1e-3):
    directions = run._directions(Adjacency.ADD_OR_REMOVE_ONE)
    return core_answer(directions, "epsilon", delta, tolerance=tolerance, method=method)


REACHABLE = [
    (name, delta)
    for name in RUNS
    for delta in (1e-2, 1e-6, 1e-30)
    if delta > 1e-9 or name != "with mass at infinity"
]


@pytest.mark.parametrize(("name", "delta"), REACHABLE)
def test_long_runs_need_no_long_transform(name, delta):
    answer = bounds(RUNS[name], delta, "")
    assert answer.method == "discretized_contour"
    assert answer.converged
    assert answer.upper - answer.lower <= 1e-3 * answer.upper


@pytest.mark.parametrize("name", ["pair", "sampled laplace"])
def test_the_memory_limit_holds_for_contours_too(name):
    directions = RUNS[name]._directions(Adjacency.ADD_OR_REMOVE_ONE)
    (answer,) = _core.epsilon_bounds(directions, [1e-6], tolerance=1e-3, memory_limit=64)
    assert (answer.converged, answer.limited_by) == (False, "memory_limit")
    assert answer.method in ("", "trivial_bounds")  # none if the tables of the pairs alone are more


@pytest.mark.parametrize("delta", [1e-3, 1e-8])
def test_a_binomial_truth_is_enclosed(delta):
    """Two losses: 10^6 runs of randomized response, in closed form."""
    count, epsilon = 10**6, 1e-3
    run = count * hs.ApproximateDP(epsilon=epsilon, delta=0.0)
    answer = bounds(run, delta, "")
    truth = Responses(epsilon, 0.0, count)
    assert truth.curve(answer.upper) <= delta <= truth.curve(answer.lower)


def test_the_contour_of_steps_knows_gaussians():
    """Forced through coarse steps by a mechanism with atoms that costs next to nothing."""
    run = 10**6 * hs.Gaussian(noise_multiplier=2.0).poisson_sampled(1e-3)
    answer = bounds(run + hs.ApproximateDP(epsilon=1e-9, delta=0.0), 1e-5, "")
    truth = exact.epsilon(((exact.Step(2.0, 1e-3), 10**6),), 1e-5, "add_remove", 12)
    assert answer.lower - 2e-9 <= float(truth) <= answer.upper + 1e-12


def test_epsilon_is_0_where_the_root_is_all_but_0():
    """delta(0) is half of delta, and what rounding leaves of the root is no epsilon."""
    run = 64 * hs.DiscreteGaussian(sigma=0.39).poisson_sampled(1.1e-6)
    assert run.delta_bounds(0.0).upper < 2e-5
    assert run.epsilon_bounds(3.8e-5) == (0, 0)


def delta_of_three(sigmas, epsilon):
    """By all sums of two losses, and sums over the tail of the third: within 1e-20 of itself."""
    laws = []
    for sigma in sigmas:
        far, square = math.ceil(14 * sigma), 2 * arb(sigma) ** 2
        total = arb(sigma) * (2 * arb.pi()).sqrt()  # but for e^-1900
        xs = range(-far, far + 1)
        laws.append([((1 - 2 * x) / square, (-(x * x) / square).exp() / total) for x in xs])
    first, second, third = laws
    losses, p, q = [float(loss) for loss, _ in reversed(third)], [arb(0)], [arb(0)]
    for loss, mass in third:
        p.append(p[-1] + mass), q.append(q[-1] + mass * (-loss).exp())
    result = arb(0)
    for a, mass_a in first:
        for b, mass_b in second:
            goal = epsilon - a - b
            beyond = len(losses) - bisect.bisect(losses, float(goal))
            if beyond:
                result += mass_a * mass_b * (p[beyond] - goal.exp() * q[beyond])
    return result


@pytest.mark.parametrize("tolerance", [1e-8, 1e-9])
def test_sums_of_discrete_gaussians_that_no_grid_fits(tolerance):
    sigmas = (10.0, 10.5, 11.0)
    answer = bounds(
        functools.reduce(operator.add, map(hs.DiscreteGaussian, sigmas)), 1e-10, "", tolerance
    )
    assert answer.method == "discretized_contour"
    assert answer.converged
    with ctx.workprec(150):
        assert delta_of_three(sigmas, arb(answer.lower)) >= 1e-10
        assert delta_of_three(sigmas, arb(answer.upper)) <= 1e-10


def test_more_discrete_gaussians_than_can_be_listed():
    run = functools.reduce(operator.add, (hs.DiscreteGaussian(sigma) for sigma in range(10, 70, 7)))
    fine, rough = (bounds(run, 1e-10, *how) for how in (("", 1e-9), ("fft_composition", 1e-6)))
    assert fine.converged
    assert rough.lower <= fine.lower <= fine.upper <= rough.upper
    assert fine.upper - fine.lower <= 1e-9 * fine.upper


CONTOURS = {"tolerance": 1e-3, "memory_limit": 1 << 28, "method": "discretized_contour"}


def test_mass_at_infinity_of_all_steps_is_added():
    """It is nearly all of delta, of steps that are not all made of atoms."""
    steps = ((hs.Laplace(2.0), 20), (hs.ApproximateDP(epsilon=0.1, delta=0.05), 3))
    terms = [(step.dominating_pair(hs.Direction.REMOVE), count) for step, count in steps]
    (found,) = _core.delta_bounds([terms], [8.0], **CONTOURS)
    infinite = 1 - (1 - arb(0.05)) ** 3
    assert infinite < arb(found.lower) <= arb(found.upper) < infinite + 0.01


def test_errors_of_losses_add_up_to_those_of_epsilon():
    """As of the same steps without, asked that much lower and higher."""
    exact, count, epsilon = hs.Laplace(2.0).dominating_pair(hs.Direction.REMOVE), 50, 8.0
    rough = _core.sampling.rough_pair(exact, errors=(0.0, 0.0, 0.0, 1e-3, 0.0))
    (found,) = _core.delta_bounds([[(rough, count)]], [epsilon], **CONTOURS)
    moved = 1.01 * count * 1e-3
    lower, upper = _core.delta_bounds(
        [[(exact, count)]], [epsilon + moved, epsilon - moved], **CONTOURS
    )
    assert found.lower == pytest.approx(lower.lower, rel=2e-3)
    assert found.upper == pytest.approx(upper.upper, rel=2e-3)
    assert upper.upper > 1.04 * lower.lower


@pytest.mark.parametrize("epsilon", [0.00031, 0.05, 0.1, 0.13, 0.23])
def test_a_contour_that_missed_too_much_is_planned_to_miss_less(epsilon):
    """Aliases, tails and what was left out exceeded their forecasts, in seven attempts alike."""
    run = 247 * hs.DiscreteGaussian(sigma=0.998).poisson_sampled(0.00109)
    for table in run.explain(epsilon=epsilon, tolerance=0.0016).directions:
        attempts = {row.method: row.attempts for row in table}
        assert attempts["discretized_contour"] <= 4
        assert attempts["fft_composition"] == 0


RARE = {
    "one jump": (45_685, hs.Gaussian(0.9132269).poisson_sampled(3.3538e-6), 8.16e-12),
    "a mixture": (272_725, mixture(0.60438, (0.9384439, 2.39e-6)), 4.767e-7),
    "rounding ruled": (153_307, mixture(0.487459, (0.7405, 1.0069e-6)), 4.12e-11),
    "batches of one": (2_166_634, batches(0.604468, 1.1444e-6, 1, 37_649), 5.46e-5),
    "batches of two": (91_363, batches(1.361093, 5.8336e-6, 2, 22_315), 9.4994e-10),
}


SIZES = {"batches of one": 4000}
"""Of points, where they are not 240."""


@pytest.mark.parametrize("name", RARE)
def test_rare_large_losses_decide_where_they_are_closed(name):
    """Closed above what the question knows of. One is asked without a name: a sum of it is lost."""
    count, step, delta = RARE[name]
    method = "" if name == "rounding ruled" else "discretized_contour"
    directions = (count * step)._directions(Adjacency.ADD_OR_REMOVE_ONE)[:1]
    limits = {"tolerance": 1e-3, "memory_limit": 1 << 28}
    (answer,) = _core.epsilon_bounds(directions, [delta], **limits, method=method)
    assert answer.converged
    assert not method or answer.method == method
    assert not method or answer.size < SIZES.get(name, 240)
    limits["tolerance"] = 1e-2
    (other,) = _core.epsilon_bounds(directions, [delta], **limits, method="fft_composition")
    assert max(answer.lower, other.lower) <= min(answer.upper, other.upper)
    assert other.upper - other.lower < math.inf


def test_a_grid_that_is_as_wide_as_the_bulk_of_a_step_is_made_finer_at_once():
    """Widths of its answers hardly tell of it."""
    run = 902 * batches(0.9421574700829157, 0.0002099918818070591, 13, 32_229)
    lower, upper = run.epsilon_bounds(5.965427850452729e-09, tolerance=1e-3)
    assert upper - lower <= 1e-3 * upper
