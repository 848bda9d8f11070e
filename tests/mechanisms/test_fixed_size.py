# SPDX-License-Identifier: Apache-2.0
"""Batches of fixed size: the curves above against their closed forms, and against other records."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core
from hockeystick.mechanisms._enclosed import Accuracy

BY, OF = hs.Direction.SPECIAL_REMOVE, hs.Direction.SPECIAL_ADD
FINE = Accuracy(10_000, 1e-30)
U = 2.0**-53


def batch(noise, drawn, size=1000, **arguments):
    step = hs.Gaussian(noise_multiplier=noise)
    return step.fixed_size_sampled(batch_size=drawn, dataset_size=size, **arguments)


def gaussian(mu, alpha):
    p, q = tails_of_one(mu, alpha)[0]
    return p - q


def tails_of_one(mu, alpha):
    """Of N(mu) and alpha N(0) beyond the best point, and the size of arguments there."""
    x = alpha.log() / mu
    return (normal_tail(x - mu / 2), alpha * normal_tail(x + mu / 2)), x + mu


def opposite(mu, gamma, alpha):
    """Of (1 - gamma) N(-mu) + gamma N(mu) against (1 - gamma) N(-mu) + gamma N(0), alpha >= 1."""
    p, q, r = tails_of_three(mu, gamma, alpha)[0]
    return gamma * (p - q - r)


def tails_of_three(mu, gamma, alpha):
    """Of N(mu), alpha N(0) and the rest of N(-mu), and the size of arguments there."""
    w = (alpha - 1) * (1 - gamma) / gamma
    b = alpha * (mu * mu / 2).exp()
    z = ((b + (b * b + 4 * w).sqrt()) / 2).log() / mu
    return (normal_tail(z - mu), alpha * normal_tail(z), w * normal_tail(z + mu)), z + 2 * mu


@pytest.mark.parametrize("noise", [1e4, 1e6])
@pytest.mark.parametrize("k", [0, 1, 50, 150])
def test_tails_are_off_by_their_own_error_and_that_of_their_arguments(noise, k):
    """All else is less where tails all but cancel: normal_error, and 16 u or 64 u of arguments."""
    drawn, cells = 500, 100.0
    above = {way: batch(noise, drawn).pair_above(way, Accuracy(cells, 1e-300)) for way in (BY, OF)}
    with ctx.workprec(300):
        mu, gamma = 1 / arb(noise), arb(drawn) / 1000
        alpha = 1 + gamma * ((k * arb(float(mu) / cells)).exp() - 1)
        known = {
            BY: (*tails_of_three(mu, gamma, alpha), 64),
            OF: (*tails_of_one(mu, 1 + (alpha - 1) / gamma), 16),
        }
        for way, (parts, size, units) in known.items():
            rounding = _core.numeric.normal_error + units * U * (1 + size * (size + 1))
            booked = gamma * rounding * sum(parts)
            truth = gamma * (parts[0] - sum(parts[1:]))
            found = arb(above[way].delta_above([float(alpha.log())])[0]) - truth
            assert abs(found / booked - 1) < 0.05


@pytest.mark.every(2)
@pytest.mark.parametrize("drawn", [1, 10, 500, 999])
@pytest.mark.parametrize("noise", [0.03, 0.7, 5.0, 1e4])
def test_curves_of_special_records_in_balls(noise, drawn):
    batched = batch(noise, drawn)
    above = {way: batched.pair_above(way, FINE) for way in (BY, OF)}
    with ctx.workprec(300):
        mu, gamma = 1 / arb(noise), arb(drawn) / 1000
        for epsilon in (0.0, 1e-6, 1e-3, 0.03, 0.4, 2.0, 9.0, 40.0):
            alpha = arb(epsilon).exp()
            truths = {
                BY: opposite(mu, gamma, alpha),
                OF: gamma * gaussian(mu, 1 + (alpha - 1) / gamma),
            }
            for way, truth in truths.items():
                found = above[way].delta_above([epsilon])[0]
                assert found >= truth
                assert found <= float(truth) * (1 + 1e-5) + 1e-14


@pytest.mark.parametrize("drawn", [1, 200, 999])
@pytest.mark.parametrize("noise", [0.01, 0.3, 1.0, 5.0, 1e6, 1e12])
def test_opposite_records_are_cut_into_cells(noise, drawn):
    """Below the curve of the opposite records, and close to it."""
    below, back = (
        _core.dominating_pair(f"fixed_size_special_below{way}", (noise, drawn, 1000, 0, 1e-16))
        for way in ("", "_back")
    )
    for epsilon in (0.0, 0.1, 1.0, 4.0):
        with ctx.workprec(200):
            truth = opposite(1 / arb(noise), arb(drawn) / 1000, arb(epsilon).exp())
        found = below.delta_above([epsilon])[0]  # above this law's, by rounding
        assert found <= float(truth) * (1 + 1e-9) + 1e-13
        if noise < 1e6:
            assert found >= 0.95 * float(truth) - 1e-9
        assert (
            back.delta_above([epsilon])[0]
            <= batch(noise, drawn).pair_above(OF, Accuracy(100, 1e-15)).delta_above([epsilon])[0]
            * (1 + 1e-9)
            + 1e-13
        )


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("drawn", "size"), [(1, 2), (3, 3), (100, 10_000), (50, 50), (10**9, 10**9)]
)
@pytest.mark.parametrize("noise", [0.3, 1.0, 6.0])
def test_opposite_records_drawn_again(noise, drawn, size):
    pair = _core.dominating_pair("fixed_size_special_below", (noise, drawn, size, 1, 1e-15))
    line = np.linspace(-12, 50 / noise + 12, 400_001)
    p, q, weight = 0.0, 0.0, math.exp(drawn * math.log1p(-1 / size))
    for times in range(min(drawn, 25) + 1):
        p = p + weight * np.exp(-((line - 2 * times / noise) ** 2) / 2)
        q = q + weight * np.exp(-((line - times / noise) ** 2) / 2)
        weight *= (drawn - times) / (times + 1) / (size - 1)
    for epsilon in (0.0, 0.2, 1.0, 3.0):
        gain = np.maximum(p - math.exp(epsilon) * q, 0).sum()
        truth = gain * (line[1] - line[0]) / math.sqrt(2 * math.pi)
        found = pair.delta_above([epsilon])[0]
        assert found <= truth * (1 + 1e-6) + 1e-10
        assert found >= 0.97 * truth - 1e-9


@pytest.mark.parametrize(("drawn", "size"), [(2, 2), (30, 1000), (5, 4)])
@pytest.mark.parametrize("noise", [0.5, 2.0, 30.0])
def test_the_curve_above_is_nearly_that_of_other_records_alike(noise, drawn, size):
    """With replacement: of the mixture of all j at once, not of each j by itself."""
    batched = batch(noise, drawn, size, replacement=True)
    most = min(drawn, 40)
    weights = [
        math.comb(drawn, j) * (1 / size) ** j * (1 - 1 / size) ** (drawn - j)
        for j in range(most + 1)
    ]
    kept = [(j, w) for j, w in enumerate(weights) if w > 1e-15]
    total = math.fsum(w for _, w in kept)
    for way, unit in ((hs.Direction.REPLACE, 2.0), (OF, 1.0)):
        above = batched.pair_above(way, Accuracy(100, 1e-13))
        mixture = hs.GaussianMixture(
            standard_deviation=noise,
            sensitivities=[unit * j for j, _ in kept],
            probabilities=[w / total for _, w in kept],
        )
        for epsilon in (0.0, 0.05, 0.5, 2.0):
            truth = mixture.delta_bounds(epsilon, adjacency="remove-one")
            found = above.delta_above([epsilon])[0]
            assert found >= truth.lower * (1 - 1e-9) - 1e-13
            if drawn < size:  # else what the worst others gain from one place is lost in another
                assert found <= truth.upper * 1.02 + 1e-11


OFTEN = [(1.0, 100, 10_000, 1000), (0.5, 1, 2, 3), (50.0, 10**8, 10**12, 10**6)]


@pytest.mark.parametrize("adjacency", ["replace-one", "replace-special"])
@pytest.mark.parametrize(
    ("noise", "drawn", "size", "count", "replacement"),
    [
        *((*run, replacement) for run in OFTEN for replacement in (False, True)),
        (3.0, 300, 200, 5, True),  # more draws than records
    ],
)
def test_intervals_are_not_empty(noise, drawn, size, count, adjacency, replacement):
    run = count * batch(noise, drawn, size, replacement=replacement)
    bounds = run.epsilon_bounds(1e-6, adjacency=adjacency)
    assert 0 < bounds.lower <= bounds.upper < math.inf
    assert run.delta_bounds(bounds.upper, adjacency=adjacency).upper <= 1.01e-6


def test_a_thousand_steps_with_special_records():
    """The interval is a hundredth wide; a Poisson sample would cost a sixth of it."""
    bounds = (1000 * batch(1.0, 10)).epsilon_bounds(1e-5, adjacency="replace-special")
    assert 10.36 < bounds.lower < 10.37
    assert 10.49 < bounds.upper < 10.51
    assert bounds.limited_by == "theory"


def test_records_drawn_twice_count_twice():
    """Lower bounds know of them: at (1, 100 of 10^4) they make epsilon larger by a quarter."""
    once, again = (
        (1000 * batch(1.0, 10, replacement=r)).epsilon_bounds(1e-5, adjacency="replace-one").lower
        for r in (False, True)
    )
    assert again > 1.2 * once
    bounds = (1000 * batch(1.0, 10, replacement=True)).epsilon_bounds(
        1e-5, adjacency="replace-special"
    )
    assert 12.1 < bounds.lower < bounds.upper < 13.0


def losses_of(noise, drawn, tail, deviations):
    """The pair above of each comparison, with losses so many deviations from the mean."""
    batched = batch(noise, drawn)
    for way, unit in ((hs.Direction.REPLACE, 2), (OF, 1), (BY, 1)):
        with ctx.workprec(3000):
            mu = unit / arb(noise)
        above = batched.pair_above(way, Accuracy(400, tail))
        for sigmas in deviations:
            yield way, mu, above, float((mu * mu / 2 + sigmas * mu).mid())


@pytest.mark.parametrize("noise", [0.01, 0.03, 0.06])
@pytest.mark.parametrize("drawn", [1, 300, 999])
def test_curves_beyond_600_nats_in_balls(noise, drawn):
    for way, mu, above, epsilon in losses_of(noise, drawn, 1e-30, (-1.0, 0.0, 3.0, 6.0)):
        if not 620 < epsilon < 1e5:
            continue
        with ctx.workprec(400):
            alpha, gamma = arb(epsilon).exp(), arb(drawn) / 1000
            truth = gamma * gaussian(mu, alpha if way is BY else 1 + (alpha - 1) / gamma)
            found = above.delta_above([epsilon])[0]
            assert truth <= arb(found)
            assert found <= float(truth) * 1.02 + 1e-12


@pytest.mark.parametrize("noise", [0.15, 0.5, 1.0])
@pytest.mark.parametrize("drawn", [1, 10, 900])
def test_curves_whose_tails_underflow_in_balls(noise, drawn):
    """Tails of Q underflow where those of P do not: alpha times their rounding is much."""
    for way, mu, above, epsilon in losses_of(noise, drawn, 1e-300, (28.0, 33.0, 34.5, 36.0)):
        if epsilon > 600:
            continue
        with ctx.workprec(3000):
            alpha, gamma = arb(epsilon).exp(), arb(drawn) / 1000
            if way is BY:
                truth = opposite(mu, gamma, alpha)
            else:
                truth = gamma * gaussian(mu, 1 + (alpha - 1) / gamma)
            found = above.deltas_above([epsilon])[0]
            assert truth <= arb(found)
            assert found <= float(truth) * 1.02 + 1e-299


def test_a_record_drawn_again_at_little_noise_costs_something_finite():
    bounds = batch(0.05, 600, 6000, replacement=True).epsilon_bounds(
        1e-9, adjacency="replace-special"
    )
    assert 5000 < bounds.lower < bounds.upper < 8000


def reached(noise, drawn, size, alpha):
    """The curve of N(j / noise), j ~ Binomial(drawn, 1 / size), against N(0)."""
    mu, none = 1 / arb(noise), 1 - 1 / arb(size)
    weights = [math.comb(drawn, j) * none ** (drawn - j) / arb(size) ** j for j in range(drawn + 1)]

    def ratio(x):
        moved = ((j * mu * x - (j * mu) ** 2 / 2).exp() for j in range(drawn + 1))
        return sum((w * m for w, m in zip(weights, moved, strict=True)), arb(0))

    low, high = arb(-1), arb(1)
    while ratio(high) < alpha:
        high *= 2
    for _ in range(60):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if ratio(middle) < alpha else (low, middle)
    shares = (w * normal_tail(low - j * mu) for j, w in enumerate(weights))
    return sum(shares, arb(0)) - alpha * normal_tail(low)


@pytest.mark.parametrize(("noise", "drawn", "size"), [(1.0, 3, 1000), (2.0, 5, 2000)])
@pytest.mark.parametrize("left_out", [1e-30, 1e-4])
def test_draws_with_replacement_in_balls(noise, drawn, size, left_out):
    """Where one event is the best of all, points of the grid are on the curve of a special one."""
    cells = 40
    batched = batch(noise, drawn, size, replacement=True)
    above = batched.pair_above(OF, Accuracy(cells, left_out))
    step = min(max(1, drawn / size) / noise / cells, 0.25)
    with ctx.workprec(200):
        gamma = 1 - (1 - 1 / arb(size)) ** drawn
        for k in (20, 30):
            alpha = 1 + gamma * ((k * arb(step)).exp() - 1)
            found, truth = (
                above.delta_above([float(alpha.log())])[0],
                reached(noise, drawn, size, alpha),
            )
            assert truth * (1 - arb("1e-12")) < found
            assert found < truth * (1 + arb("1e-7")) + left_out * 1e-4


def same_events(noise, rate, adjacency):
    """Rates between which other records have one best event, either way, and h(1), in balls."""
    distance, least = (2, 0) if adjacency == "replace-one" else (1, -1)
    mu = distance / arb(noise)
    held, away = rate * normal_tail(mu / 2), (arb("0.5") - least) * mu
    forth = held + (1 - rate) * normal_tail(away), held + (1 - rate) * normal_tail(-mu / 2)
    back = held + (1 - rate) * normal_tail(mu / 2), held + (1 - rate) * normal_tail(-away)
    return forth, back, rate * (1 - 2 * normal_tail(mu / 2))


def power_alone(noise, adjacency, fpr):
    """Of a batch that holds the record with probability 1/2, in the better direction."""
    distance, least = (2, 0) if adjacency == "replace-one" else (1, -1)
    return max(
        _core.sampling.power_of_same_events(distance / noise, 0.5, least, back=back, fpr=fpr)
        for back in (False, True)
    )


@pytest.mark.parametrize("adjacency", ["replace-one", "replace-special"])
@pytest.mark.parametrize("noise", [0.3, 1.0, 4.0])
def test_between_the_rates_of_both_ends_the_power_is_h_of_1_more(noise, adjacency):
    """Rounded down by 64 u of h(1), and 2 u."""
    with ctx.workprec(120):
        forth, back, gain = same_events(noise, arb("0.5"), adjacency)
        least, most = min(forth[0], back[0], key=float), max(forth[1], back[1], key=float)
        for part in (0.1, 0.5, 0.9):
            fpr = float(least + (most - least) * part)
            off = (fpr + gain - arb(power_alone(noise, adjacency, fpr))) / U
            assert 58 * gain < off < 70 * gain + 4


@pytest.mark.parametrize("noise", [0.5, 1.0])
def test_next_to_the_ends_of_these_rates_nothing_is_known_of_them(noise):
    """Within 64 u of both, by rates for which a few u can be told."""
    with ctx.workprec(120):
        forth, back, _ = same_events(noise, arb("0.5"), "replace-special")
        ends = min(forth[0], back[0], key=float), max(forth[1], back[1], key=float)
        for end, inward in zip(ends, (1, -1), strict=True):
            at = [
                power_alone(noise, "replace-special", float(end + inward * k * U)) for k in (48, 80)
            ]
            assert at[0] == 0 < at[1]


def test_the_power_of_a_batch_is_known_where_no_other_records_do_all_their_worst():
    """It was [0.68269, 0.69134]."""
    step = hs.Gaussian(0.5).fixed_size_sampled(batch_size=2, dataset_size=4)
    found = step.true_positive_rate_bounds(0.35, adjacency="replace-special")
    with ctx.workprec(120):
        truth = arb("0.35") + (1 - 2 * normal_tail(arb(1))) / 2
        assert truth - arb("1e-9") < arb(found.lower) <= truth + arb("1e-15")
        assert truth - arb("1e-15") <= arb(found.upper)
