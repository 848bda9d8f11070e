# SPDX-License-Identifier: Apache-2.0
"""delta by the number of large losses: the page in ball arithmetic, and true deltas."""

import bisect
import math

import pytest
from flint import arb

import hockeystick as hs
from exact.large_losses import EPSILON, LAW, THRESHOLD, atoms, enumerated, is_above, masses, pair_of
from exact.model import Step
from exact.two_steps import delta_of_two
from hockeystick import _core
from questions import core_answer

pytestmark = pytest.mark.bits(200)

parts = _core.large_loss
RARE = 0.01  # the lowest atom is not listed then


def split_of(
    terms, rare=RARE, tolerance=1e-3, epsilon=EPSILON, rate=3.0, fineness=2, *, tail=False
):
    return parts.Split(
        terms,
        epsilon,
        threshold=THRESHOLD,
        centre=0.01,
        deviation=0.1,
        rate=rate,
        tolerance=tolerance,
        fineness=fineness,
        rare=rare,
        tail=tail,
    )


@pytest.mark.every(3)
@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.9, 1.0, 1.1])
@pytest.mark.parametrize("rare", [0.0, RARE])
@pytest.mark.parametrize("tolerance", [1e-1, 1e-3])
@pytest.mark.parametrize("asked", [{"rate": 1.0}, {"rate": 8.0}, {"tail": True}], ids=str)
def test_each_number_of_large_losses_is_enclosed(count, epsilon, rare, tolerance, asked):
    """Of delta, weighted by two rates, and of the tail."""
    split = split_of([(pair_of(), count)], rare, tolerance, epsilon, **asked)
    value = {"value": is_above} if "tail" in asked else {}
    none, one, more = enumerated(count, epsilon, **value)
    assert none <= split.none()
    assert more <= split.more()
    assert split.one()[0] <= one
    assert one <= split.one()[1]
    lower, upper = split.all()
    assert lower <= one
    assert none + one + more <= upper
    if "rate" in asked:
        assert upper >= (split.none() + split.one()[1] + split.more()) * (1 - 1e-15)


def test_an_atom_at_epsilon_is_on_either_side():
    """No step but one has another loss than 0, and that one's is epsilon, but for rounding."""
    law = {0.0: 0.9, 0.97: 0.05, 1.5: 0.03, math.inf: 0.02}
    loss = float(atoms(law)[1][0].mid()) + float(atoms(law)[0][0].mid())
    for away in (0.0, 2.0**-52, -(2.0**-52), 1e-9, -1e-9):
        split = split_of([(pair_of(law), 2)], 0.0, 1e-3, loss + away, tail=True)
        _, one, _ = enumerated(2, loss + away, law, is_above)
        assert split.one()[0] <= one
        assert one <= split.one()[1]


@pytest.mark.parametrize("count", [1, 4, 30])
def test_unlisted_losses_are_made_up_for(count):
    large, lowest = masses()
    exact = count * lowest / (1 - large - lowest)
    found = split_of([(pair_of(), count)]).log_spared()
    assert exact <= found <= exact * (1 + arb(1e-12))
    twice = split_of([(pair_of(), count), (pair_of(), 2 * count)]).log_spared()
    assert 3 * exact <= twice <= 3 * exact * (1 + arb(1e-12))
    assert split_of([(pair_of(), count)], 0.0).log_spared() <= 1e-290


@pytest.mark.parametrize("count", [3, 20])
def test_tables_are_of_the_moments_of_all_steps(count):
    split = split_of([(pair_of(), count), (pair_of(), 1)])
    assert len(split.above()) > 3
    assert len(split.below()) > 3
    listed = [at for at, loss in zip(atoms(), LAW, strict=True) if -1.3 < loss < THRESHOLD]
    rows = [row for row in [*split.above(), *split.below()] if abs(row[0]) < 100]
    assert len(rows) > 6
    for tilt, log_moment in rows:
        moment = sum((p * (arb(tilt) * loss).exp() for loss, p in listed), arb(0)).log()
        exact = (count + 1) * max(moment, arb(0), key=float)
        assert exact <= log_moment
        assert log_moment <= exact * (1 + arb(1e-4)) + arb(1e-9)


@pytest.mark.parametrize("count", [3, 20])
@pytest.mark.parametrize("rare", [0.0, RARE])
def test_none_is_chernoffs_inequality(count, rare):
    split = split_of([(pair_of(), count)], rare)
    exact = min(
        (arb(m) - arb(t) * EPSILON + arb(split.log_spared())).exp() for t, m in split.above()
    )
    assert exact * (1 - arb(1e-13)) <= split.none()
    assert split.none() <= max(exact * (1 + arb(1e-9)), arb(0))


def two_within(needed, knots, cells):
    """Half the expected pairs of one step each, in cells that may reach what is needed."""
    total = arb(0)
    for i, mass in enumerate(cells):
        rest = needed - knots[i + 1] if i + 1 < len(knots) else 0.0
        first = max(0, bisect.bisect_right(knots, rest) - 1)
        total += mass * sum(cells[first:], arb(0))
    return total / 2


@pytest.mark.parametrize("counts", [(3,), (20,), (1, 2), (1, 1), (1,)])
@pytest.mark.parametrize("epsilon", [1.0, 1.6])
def test_more_is_that_of_the_page(counts, epsilon):
    """Each of the steps may lose much beside each of the others."""
    split = split_of([(pair_of(), count) for count in counts], epsilon=epsilon)
    knots = parts.large_losses(
        epsilon, threshold=THRESHOLD, centre=0.01, deviation=0.1, rate=3.0, tolerance=1e-3
    )
    cells = [arb(0)] * len(knots)
    for loss, (_, p) in zip(LAW, atoms(), strict=True):
        if loss >= THRESHOLD:
            cells[bisect.bisect_right(knots, loss) - 1] += p
    large, steps = masses()[0], sum(counts)
    spared = arb(split.log_spared()).exp()
    ordered = steps * (steps - 1)
    pairs, s = ordered * large**2 / 2, 0.01 * epsilon
    best = pairs
    while s < epsilon - THRESHOLD:
        small = min((arb(m) - arb(t) * s).exp() for t, m in split.above()) * spared
        found = ordered * two_within(epsilon - s, knots, cells) + pairs * small
        best = min(best, found, key=float)
        s *= 1.6
    exact = min(best + pairs * steps * large / 3, arb(1), key=float)
    assert exact * (1 - arb(1e-12)) <= split.more() <= exact * (1 + arb(1e-9))


def test_losses_are_off_as_those_of_all_steps():
    terms = [(_core.dominating_pair("poisson_gaussian_remove", (1.0, 0.01)), 10), (pair_of(), 7)]
    large = parts.large_losses(
        EPSILON, threshold=THRESHOLD, centre=0.01, deviation=0.1, rate=3.0, tolerance=1e-3
    )
    total = 0.0
    for k, (pair, count) in enumerate(terms):
        small = parts.small_losses(pair, threshold=THRESHOLD, rare=1e-9, fineness=2)
        own = pair.integrate([*small, *large[1:]]).loss_error
        assert own > 0
        total += count * own
        found = split_of(terms[: k + 1], rare=1e-9).loss_error()
        assert total <= found <= total * (1 + 1e-12)


@pytest.mark.parametrize(("count", "others"), [(2, 0), (3, 0), (5, 0), (2, 4), (1, 3)])
@pytest.mark.parametrize("epsilon", [0.75, 1.0, 1.3])
@pytest.mark.parametrize("rare", [0.0, RARE])
@pytest.mark.parametrize("rate", [1.0, 3.0])
def test_one_is_that_of_the_page(count, others, epsilon, rare, rate):
    """From moments in balls; weights and distances are those of exponentials next to the curve."""
    terms = [(pair_of(), count), (pair_of(), others)][: 2 if others else 1]
    split = split_of(terms, rare, epsilon=epsilon, rate=rate)
    knots = parts.large_losses(
        epsilon, threshold=THRESHOLD, centre=0.01, deviation=0.1, rate=rate, tolerance=1e-3
    )
    cells = pair_of().integrate(knots)
    given = parts.knots(
        list(zip(cells.p, cells.above, strict=True)),
        (cells.upper_tail_p, cells.upper_tail_above),
        errors=(cells.mass_error, cells.share_error, cells.share_error_p, cells.loss_error),
        infinite=(cells.infinity_mass_lower, cells.infinity_mass),
        losses=knots,
    )
    any_large = float(masses()[0].mid())
    unit = rate / 5

    def fitted(within):
        weights, apart, _ = parts.fit(
            given, epsilon, centre=0.01, unit=unit, within=within * epsilon, at=epsilon
        )

        def size(s):
            return sum(
                abs(w) * math.exp(unit * (2 * k + 1) * (s - 0.01)) for k, w in enumerate(weights)
            )

        means = []
        for above in (True, False):
            right = size(epsilon - knots[0]) + (any_large if above else 0)
            left = size(epsilon - knots[-1])
            left += given[1][-1] + given[3][-1] + given[4][1] if above else 0
            means.append(
                parts.average_apart(
                    knots,
                    [pair[0 if above else 1] for pair in apart],
                    epsilon,
                    centre=0.01,
                    above=split.above(),
                    below=split.below(),
                    right=right,
                    left=left,
                )
            )
        return weights, means

    weights, (above, below) = min(map(fitted, (0.02, 0.05, 0.1, 0.2, 0.4)), key=lambda x: sum(x[1]))
    lowest_listed = -1.3 if rare else -2.0
    listed = [at for at, loss in zip(atoms(), LAW, strict=True) if lowest_listed < loss < THRESHOLD]
    total = arb(0)
    for k, weight in enumerate(weights):
        tilt = arb(unit) * (2 * k + 1)
        moment = sum((p * (tilt * loss).exp() for loss, p in listed), arb(0))
        total += arb(weight) * (-tilt * arb(0.01)).exp() * moment ** (count + others - 1)
    size = sum(map(abs, weights)) * 2.0 ** (count + others)
    spared = arb(split.log_spared()).exp()
    upper = (count + others) * (total + above) * spared
    lower = (count + others) * max(total - below, arb(0), key=float)
    found = split.one()
    assert abs(found[0] - lower) <= arb(1e-8) * (abs(lower) + size)
    assert abs(found[1] - upper) <= arb(1e-8) * (abs(upper) + size)


# Sampled Gaussians: noise, rate, epsilon.
PAIRS = [
    (1.0, 1e-3, 0.7),
    (1.0, 1e-4, 1.0),
    (2.44, 0.000186, 0.032),
    (0.6, 3e-6, 2.0),
    (3.0, 1e-3, 0.2),
    (0.5, 1e-6, 0.5),
]


@pytest.mark.every(2)
@pytest.mark.parametrize(("noise", "rate", "epsilon"), PAIRS)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_two_sampled_gaussians(noise, rate, epsilon, tolerance):
    terms = [(_core.dominating_pair("poisson_gaussian_remove", (noise, rate)), 2)]
    found = core_answer([terms], "delta", epsilon, tolerance=tolerance, method="one_large_loss")
    truth = delta_of_two(Step(noise, rate), Step(noise, rate), epsilon)
    assert found.lower <= truth
    assert truth <= found.upper
    if tolerance == 1e-3:
        assert found.upper - found.lower <= 1e-3 * found.upper


@pytest.mark.every(2)
@pytest.mark.parametrize(("noise", "rate", "epsilon"), PAIRS)
def test_tails_of_two_sampled_gaussians(noise, rate, epsilon):
    """By chords of true deltas, of which the derivative is delta less the tail."""
    run = 2 * hs.Gaussian(noise_multiplier=noise).poisson_sampled(rate)
    found = run.probabilistic_delta_bounds(epsilon, adjacency="remove-one", smallest=0)
    width = 1e-5 * epsilon
    step = Step(noise, rate)
    deltas = [delta_of_two(step, step, epsilon + k * width) for k in (-1, 0, 1)]
    # delta is convex in e^epsilon; the tail is delta - d delta / d log e^epsilon.
    grown = [arb(epsilon + k * width).exp() for k in (-1, 0, 1)]
    slopes = [(deltas[k + 1] - deltas[k]) / (grown[k + 1] - grown[k]) for k in (0, 1)]
    least, most = (deltas[1] - grown[1] * slope for slope in reversed(slopes))
    assert found.lower <= most
    assert least <= found.upper
    assert found.upper - found.lower <= 0.01 * found.upper


@pytest.mark.parametrize(("noise", "rate", "epsilon"), PAIRS)
def test_epsilon_of_two_sampled_gaussians(noise, rate, epsilon):
    """At true deltas, a little more or less: each epsilon is on its side of the true one."""
    terms = [(_core.dominating_pair("poisson_gaussian_remove", (noise, rate)), 2)]
    truth = float(delta_of_two(Step(noise, rate), Step(noise, rate), epsilon).mid())
    deltas = [truth * (1 + 1e-9), truth * (1 - 1e-9)]
    more, less = _core.epsilon_bounds(
        [terms], deltas, tolerance=1e-3, memory_limit=1 << 28, method="one_large_loss"
    )
    assert more.lower <= epsilon <= less.upper
    for found in (more, less):
        assert found.upper - found.lower <= 1e-3 * found.upper


@pytest.mark.parametrize("delta", [1e-18, 1e-24, 1e-30, 1e-35])
def test_epsilon_of_rare_steps_is_where_delta_is(delta):
    """No tilt isolates the tail, so that only the number of large losses tells it."""
    run = 30_000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(1e-5)
    found = run.epsilon_bounds(delta)
    assert found.upper - found.lower <= 1e-3 * found.upper
    assert run.delta_bounds(found.upper, smallest=0).lower <= delta
    assert run.delta_bounds(found.lower, smallest=0).upper >= delta
    also = 20_000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(1e-5)
    both = (
        also + 10_000 * hs.Gaussian(noise_multiplier=1.001).poisson_sampled(1e-5)
    ).epsilon_bounds(delta)
    assert both.lower <= found.upper
    assert found.lower <= 1.01 * both.upper


def test_it_bounds_no_epsilon_of_frequent_losses():
    terms = [(_core.dominating_pair("poisson_gaussian_remove", (1.0, 1e-2)), 1000)]
    found = core_answer([terms], "epsilon", 1e-6, method="one_large_loss")
    assert (found.lower, found.upper) == (0, math.inf)
    assert not found.converged
