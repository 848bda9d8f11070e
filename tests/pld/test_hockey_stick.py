# SPDX-License-Identifier: Apache-2.0
"""Queries of a composed distribution: on their side, monotone, and each other's inverse."""

import numpy as np
import pytest
from flint import arb, ctx

import exact
from exact.attack import gaussian_power
from exact.curve import PRECISION
from exact.pair import Pair
from hockeystick import _core
from pld import runs, stored
from pld.runs import Run

RUNS = [
    Run(exact.Step(1.0, 0.1), 30, "remove", 0.02),
    Run(exact.Step(0.8, 0.2), 30, "add", 0.01),
    Run(exact.Step(2.0, 0.3), 50, "replace", 0.05),
    Run(exact.Step(0.5), 1, "remove", 0.1),
]
DELTAS = np.array([0.9, 0.3, 0.1, 1e-2, 1e-5, 1e-9, 1e-12])


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_delta_falls_and_is_a_probability(run, side, estimator):
    pmf = run.pmf(side, estimator)
    low, high = runs.window(pmf)
    # An upper curve is 1 below the window and its noise may make it rise by as much.
    values = pmf.delta(np.linspace(low - 1, high + 1, 700))
    assert np.all((values >= 0) & (values <= 1))
    assert np.all(np.diff(values) <= 1e-11)


def inverted(run, delta):
    """Both epsilons of a delta, each of which has no room for less, or for more."""
    upper, lower = run.pmf("upper"), run.pmf("lower")
    above, below = upper.epsilon([delta])[0], lower.epsilon([delta])[0]
    assert below <= above
    assert upper.delta([above])[0] <= delta * (1 + 1e-12)
    if above > 0:
        assert upper.delta([above * (1 - 1e-9) - 1e-12])[0] > delta
    if below > 0:
        assert lower.delta([below])[0] >= delta * (1 - 1e-12)
        assert lower.delta([below * (1 + 1e-9) + 1e-12])[0] < delta
    return below, above


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_epsilon_inverts_delta(run):
    for delta in DELTAS:
        inverted(run, delta)


@pytest.mark.every(2)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_epsilon_encloses_the_truth(run):
    for delta in (0.05, 1e-3, 1e-8):
        truth = exact.epsilon(((run.step, run.count),), delta, run.direction, 12)
        lower, upper = (run.pmf(side).epsilon([delta])[0] for side in ("lower", "upper"))
        assert arb(lower) <= truth <= arb(upper)
        assert upper - lower < 0.1 * upper


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_ends_of_epsilon(run):
    assert run.pmf("upper").epsilon([1e-100])[0] == np.inf  # below what truncation put at +inf
    assert run.pmf("upper").epsilon([1 - 1e-16])[0] == 0
    assert run.pmf("lower").epsilon([1 - 1e-16])[0] == 0
    # A lower one may stop anywhere below the truth, but not beyond its window.
    lower = run.pmf("lower")
    assert lower.epsilon([1e-100])[0] <= runs.window(lower)[1]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_epsilon_at_what_truncation_leaves(run):
    """A delta that the noise of the last cells exceeds is reached above them, not never."""
    pmf = run.pmf("upper")
    _, high = runs.window(pmf)
    left = pmf.delta([high + 1])[0]
    for delta in (left, left * (1 + 1e-15), left + 1e-18, left * 1.001):
        epsilon = pmf.epsilon([delta])[0]
        assert high / 2 < epsilon <= high + 1.01 * pmf.interval
        assert pmf.delta([epsilon])[0] <= delta
    assert pmf.epsilon([left * (1 - 1e-14)])[0] == np.inf


ONCE = [
    Run(exact.Step(1.0, 0.3), 1, "remove", 0.1),
    Run(exact.Step(0.5, 0.3), 1, "add", 0.1),
    Run(exact.Step(0.5, 0.3), 1, "replace", 0.1),
    Run(exact.Step(0.15), 1, "remove", 0.3),
]


@pytest.mark.parametrize("tail_mass", [1e-15, 1e-3])
@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("run", ONCE, ids=str)
def test_any_epsilon_is_safe(run, side, estimator, tail_mass):
    """One step at every real epsilon: inside the window, beside it and far from it."""
    run = Run(run.step, run.count, run.direction, run.interval, tail_mass)
    pmf, pair = run.pmf(side, estimator), Pair(run.step, run.direction)
    low, high = runs.window(pmf)
    d = pmf.interval
    beside = [low - d, low - d / 2, low - 1e-9, low, low + d / 2, high - d / 2, high, high + d / 2]
    far = [-40.0, low - 9, low - 2 * d, high + 50, 800.0]
    with ctx.workprec(PRECISION):
        for epsilon in [*far, *beside, *np.linspace(low, high, 30)]:
            truth = pair.delta(arb(float(epsilon)))
            value = arb(pmf.delta([epsilon])[0])
            assert value >= truth if side == "upper" else value <= truth, epsilon
    ends = pmf.delta([-1e6, 1e6])
    assert ends[0] == 1 if side == "upper" else ends[1] == 0


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_shown_masses_are_the_curve_to_the_slack(run, side, estimator):
    pmf = run.pmf(side, estimator)
    losses = pmf.interval * (pmf.first + np.arange(pmf.mass.size))
    for epsilon in (0.0, 0.5, 1.7):
        weights = np.maximum(0, -np.expm1(np.minimum(epsilon - losses, 0)))
        shown = pmf.infinity_mass + float(np.dot(weights, pmf.mass))
        value = pmf.delta([epsilon])[0]
        assert abs(value - shown) <= 1.01 * pmf.slack + 1e-13 + pmf.loss_error
    assert pmf.slack < 1e-10


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_no_mass_shown_is_negative(side):
    """Though those far out are all noise."""
    pmf = Run(exact.Step(1.0, 0.1), 2, "remove", 0.05, 1e-70).pmf(side)
    assert np.min(pmf.mass) == 0


def explicit(index, mass, interval, side):
    return stored.alone(stored.step(index, mass, interval=interval, side=side))


@pytest.mark.parametrize("interval", [1e-4, 1.1e-4])
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_long_sums(side, interval):
    """Over many equal masses, in closed form."""
    size, mass = 2**16, 2.0**-18
    value = explicit(np.arange(size), np.full(size, mass), interval, side).delta([0.0])[0]
    with ctx.workprec(200):
        d = arb(interval)
        truth = mass * (size - (-(-size * d).expm1()) / (-(-d).expm1()))
        assert arb(value) >= truth if side == "upper" else arb(value) <= truth
        assert abs(arb(value) / truth - 1) < 1e-9


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_rounding_of_a_position_is_counted(side):
    """Right below a large loss that is no double."""
    for index in range(99_990, 100_010):
        pmf = explicit([index], [0.5], 0.1, side)
        epsilon = float(np.nextafter(0.1 * index, 0)) - 1e-9
        value = arb(pmf.delta([epsilon])[0])
        with ctx.workprec(200):
            truth = -(arb(epsilon) - arb(0.1) * index).expm1() / 2
            assert value >= truth if side == "upper" else value <= truth
            assert abs(value - truth) < 1e-10


@pytest.mark.parametrize("moved", [-2e-11, 2e-11])
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_losses_that_are_off_the_grid_by_little_are_counted(side, moved):
    """So close that they are taken to be on it: asked between the two."""
    epsilon = 0.5 + moved
    pmf = _core.loss_pmf(
        [(_core.dominating_pair("approximate_dp", [epsilon, 0.0]), 1)],
        interval=0.5,
        side=side,
        estimator="connect_dots",
        tail_mass=1e-15,
        memory_limit=runs.MEMORY,
        support=[-2, -1, 0, 1, 2],
    )
    assert pmf.loss_error > abs(moved)
    with ctx.workprec(PRECISION):
        for asked in (0.5 + moved / 2, 0.5 - 1e-10):
            truth = max(-(arb(asked) - arb(epsilon)).expm1(), arb(0)) / (1 + (-arb(epsilon)).exp())
            value = arb(pmf.delta([asked])[0])
            assert value >= truth if side == "upper" else value <= truth
            assert abs(value - truth) < 1e-10
        delta = 1e-12
        truth = arb(epsilon) + (-arb(delta) * (1 + (-arb(epsilon)).exp())).log1p()
        value = arb(pmf.epsilon([delta])[0])
        assert value >= truth if side == "upper" else value <= truth
        assert abs(value - truth) < 2e-10


def test_rounding_of_powers_is_counted():
    """Of 1/2 at a small loss: e^loss times the rate, to where that reaches 1/2."""
    for k in range(1, 40):
        interval = 0.001 * k
        rates = np.linspace(0.01, 0.45, 12)
        values = explicit([1], [0.5], interval, "upper").power(rates)
        with ctx.workprec(200):
            for rate, value in zip(rates, values, strict=True):
                truth = arb(interval).exp() * arb(float(rate))
                assert truth <= arb(value) <= truth * (1 + arb(1e-14))


def test_rounding_of_mu_is_counted():
    """As above, where the power e^loss x is 1 - x: 2 Phi^-1(1 - x), of which half is wanted."""
    for k in range(1, 40):
        interval = 0.001 * k
        mu = _core.pld_gdp_mu(explicit([1], [0.5], interval, "upper"), [1e-3])[0]
        with ctx.workprec(200):
            got = (1 + (arb(float(mu)) / 2 / arb(2).sqrt()).erf()) / 2
            truth = 1 / (1 + (-arb(interval)).exp())
            assert truth <= got <= truth * (1 + arb(2e-14))


def test_nothing_is_known_of_the_power_below_the_window():
    pmf = _core.loss_pmf(
        [(_core.dominating_pair("gaussian", [1.0]), 1)],
        interval=0.1,
        side="lower",
        estimator="connect_dots",
        tail_mass=1e-15,
        memory_limit=runs.MEMORY,
        support=list(range(80)),
    )
    rates = [0.01, 0.5, 0.9, 0.99]
    for rate, value in zip(rates, pmf.power(rates), strict=True):
        with ctx.workprec(200):
            assert arb(value) <= gaussian_power(arb(1), rate)
        assert value >= 0.99 * rate


def composed(mass, count, *, side="upper", interval=0.1, tilt=0.0, size=64, points=None):
    """A step of these masses from loss 0 on, composed on a circle, and what is stored."""
    step = stored.step(range(len(mass)), mass, interval=interval, side=side)
    window = (0, points or min(size, (len(mass) - 1) * count + 1))
    pmf = _core.parts.compose(
        [(step, count, 0.0)], tilt=tilt, size=size, window=window, chernoff=(1.0, -2.0, 1.0, -2.0)
    )
    return pmf, _core.parts.fields(pmf)


SLACKS = {  # the term that is the largest
    "transform": composed([0.25, 0.5, 0.25], 7, tilt=3.0),
    "wrapped": composed([0.25, 0.5, 0.25], 100, side="lower", tilt=0.5),
    "rounding": composed([0.5, 0.0, 0.5], 1, interval=100.0, tilt=1.0),
    "tail": composed([0.25, 0.5, 0.25], 7, points=9),
}


@pytest.mark.parametrize("largest", SLACKS)
def test_slack_is_the_sum_of_its_terms(largest):
    pmf, known = SLACKS[largest]
    with ctx.workprec(200):
        tilt, masses = arb(known["tilt"]), [abs(arb(x)) for x in known["tilted_mass"]]
        scale = sum(map(arb, known["log_scale"]), arb(0))
        losses = [arb(known["offset"]) + arb(pmf.interval) * k for k in range(len(masses))]
        factors = [(scale - tilt * loss).exp() for loss in losses]
        total = sum((m * f for m, f in zip(masses, factors, strict=True)), arb(0))
        reach = abs(losses[0]) + arb(pmf.interval) * len(masses)
        terms = {
            "transform": sum(factors, arb(0)) * known["point_error"],
            "wrapped": known["wrapped"] * factors[0].max(factors[-1]),
            "rounding": (24 + 2 * abs(tilt) * reach) * stored.U * total,
            "tail": arb(known["tail_above"]),
        }
        assert max(terms, key=lambda name: float(terms[name])) == largest
        formula = sum(terms.values(), arb(0))
        assert abs(arb(pmf.slack) - formula) < 1e-6 * formula
