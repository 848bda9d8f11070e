# SPDX-License-Identifier: Apache-2.0
"""The shuffle model: brute force over all reports, published numbers, and what is refused."""

import itertools
import math
import random
from collections import Counter
from functools import cache

import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.attack import normal_quantile
from exact.balls import normal_tail
from hockeystick import _core

HOW = {"adjacency": "replace-one"}
TRUTHS = [  # of the theorem's law above: users, epsilon0, epsilon, adaptive, delta, by exact sums
    (7, 1.0, 0.5, False, 0.04975795917649012),
    (50, 1.0, 0.2, False, 0.013077156743374879),
    (500, 1.0, 0.15, False, 7.39561691163063e-05),
    (500, 2.0, 0.5, False, 1.04825254154881e-05),
    (2000, 3.0, 0.4, False, 6.273780457703391e-05),
    (2000, 0.5, 0.02, False, 3.05301873244555e-04),
    (7, 1.0, 0.5, True, 0.08685768141893249),
    (500, 1.0, 0.15, True, 0.0003627971461907052),
]


def above(epsilon0, users, randomizer="any", choices=2.0, *, cells=400.0, tail=1e-12):
    kind = float(("any", "adaptive", "k-ary", "laplace").index(randomizer))
    values = [epsilon0, float(users), kind, float(choices), cells, tail]
    pair = _core.dominating_pair("shuffled_local_above", values)
    return lambda epsilon: float(pair.delta_above([epsilon])[0])


def below(epsilon0, users, name="third", second=3.0):
    """The larger of both directions."""
    values = [epsilon0, float(users), second, 200.0, 1e-14]
    pairs = [_core.dominating_pair(f"shuffled_{name}_below{end}", values) for end in ("", "_back")]
    return lambda epsilon: max(float(pair.delta_above([epsilon])[0]) for pair in pairs)


def histograms(rows):
    """The law of the multiset of reports of independent users, each with a law of her own."""
    law = {(): 1.0}
    for row in rows:
        spread = Counter()
        for seen, mass in law.items():
            for cell, p in enumerate(row):
                spread[tuple(sorted((*seen, cell)))] += mass * p
        law = spread
    return law


def delta_of(first, second, others, alpha):
    """Of the first user's two laws of reports, beside others' laws."""
    p, q = histograms([first, *others]), histograms([second, *others])
    return sum(max(0.0, p[key] - alpha * q.get(key, 0.0)) for key in p)


def k_ary(epsilon0, choices):
    e = math.exp(epsilon0)
    return [
        [(e if i == j else 1) / (e + choices - 1) for j in range(choices)] for i in range(choices)
    ]


def any_randomizer(rng, epsilon0, inputs):
    """Rows of an epsilon0-locally private randomizer: with each column all of its rotations."""
    e, columns = math.exp(epsilon0), []
    for _ in range(2):
        weight, column = (
            rng.random(),
            [rng.choice([1.0, e, rng.uniform(1, e)]) for _ in range(inputs)],
        )
        columns += [[weight * x for x in column[k:] + column[:k]] for k in range(inputs)]
    total = sum(column[0] for column in columns)
    return [[column[i] / total for column in columns] for i in range(inputs)]


@pytest.mark.parametrize(("users", "epsilon0", "epsilon", "adaptive", "delta"), TRUTHS)
def test_published_laws_to_their_digits(users, epsilon0, epsilon, adaptive, delta):
    found = above(epsilon0, users, "adaptive" if adaptive else "any")(epsilon)
    assert delta * (1 - 1e-12) <= found <= delta * (1 + 3e-5)
    local = hs.ShuffledLocal(epsilon0=epsilon0, users=users, adaptive=adaptive)
    bounds = local.delta_bounds(epsilon, **HOW)
    assert 0 < bounds.lower < delta <= bounds.upper * (1 + 1e-12) <= delta * 1.04
    assert bounds.limited_by == "theory"


@pytest.mark.parametrize("seed", range(12))
def test_whatever_the_shared_randomizer_and_the_others_values(seed):
    rng = random.Random(seed)
    users, epsilon0 = rng.choice([2, 3, 4]), rng.choice([0.4, 1.0, 2.0])
    rows = any_randomizer(rng, epsilon0, 3)
    bound = above(epsilon0, users)
    for others in itertools.combinations_with_replacement(range(3), users - 1):
        for share in (0.0, 0.2, 0.5, 0.8):
            alpha = math.exp(share * epsilon0)
            found = delta_of(rows[0], rows[1], [rows[i] for i in others], alpha)
            assert found <= bound(share * epsilon0) * (1 + 1e-9) + 1e-15


def in_random_order(values, randomizer_after):
    """The law of all reports, in order: each place has a randomizer chosen by those before."""
    law, orders = Counter(), list(itertools.permutations(values))
    for order in orders:
        seen = {(): 1 / len(orders)}
        for value in order:
            seen = {
                (*before, cell): mass * p
                for before, mass in seen.items()
                for cell, p in enumerate(randomizer_after(before)[value])
            }
        law.update(seen)
    return law


@pytest.mark.parametrize("seed", range(12))
def test_randomizers_of_places_lie_below_clones(seed):
    """Chosen from the reports at earlier places, and all reports are seen in order."""
    rng = random.Random(seed)
    users, epsilon0 = rng.choice([2, 3]), rng.choice([0.1, 0.5, 1.5])
    chosen = cache(lambda _before: any_randomizer(rng, epsilon0, 2))
    bound = above(epsilon0, users, "adaptive")
    for others in itertools.combinations_with_replacement(range(2), users - 1):
        p, q = (in_random_order((own, *others), chosen) for own in range(2))
        for share in (0.0, 0.3, 0.7):
            alpha = math.exp(share * epsilon0)
            found = sum(max(0.0, p[key] - alpha * q[key]) for key in p)
            assert found <= bound(share * epsilon0) * (1 + 1e-9) + 1e-15


def test_randomizers_of_users_do_not():
    """Reports that tell who sent them hide nobody."""
    users, (first, second) = 4, k_ary(1.0, 2)
    rows = [[*[0.0] * 2 * i, *first, *[0.0] * 2 * (users - 1 - i)] for i in range(users)]
    found = delta_of(rows[0], [*second, *[0.0] * 6], rows[1:], 1.0)
    assert found == pytest.approx(math.tanh(0.5))
    assert found > 1.5 * above(1.0, users, "adaptive")(0.0)


@pytest.mark.parametrize("choices", [2, 3, 5])
@pytest.mark.parametrize("users", [1, 2, 3, 4])
def test_k_ary_response_between_both_bounds(choices, users):
    for epsilon0 in (0.5, 2.0):
        rows = k_ary(epsilon0, choices)
        upper = above(epsilon0, users, "k-ary", choices)
        name, second = ("second", 0.0) if choices == 2 else ("third", float(choices))
        lower = below(epsilon0, users, name, second)
        for share in (0.0, 0.15, 0.4, 0.7, 0.95):
            worst = max(
                delta_of(rows[0], rows[1], [rows[i] for i in others], math.exp(share * epsilon0))
                for others in itertools.combinations_with_replacement(range(choices), users - 1)
            )
            assert worst <= upper(share * epsilon0) * (1 + 1e-9) + 1e-15
            assert lower(share * epsilon0) <= worst * (1 + 1e-9) + 1e-15
            if users == 1:
                assert upper(share * epsilon0) <= worst * (1 + 1e-3) + 1e-6
            if share <= 0.15:
                assert lower(share * epsilon0) >= 0.5 * worst - 1e-4


def test_the_published_pooled_form_is_no_upper_bound():
    """3-ary response, e^epsilon0 = 2, three users, the others with 0 and 2: delta is 5/128.

    The published law of three parameters gives 1/32 at epsilon = log 1.5.
    """
    rows = k_ary(math.log(2), 3)
    truth = delta_of(rows[0], rows[1], [rows[0], rows[2]], 1.5)
    assert truth == pytest.approx(5 / 128, rel=1e-12)
    assert truth > 1 / 32
    local = hs.ShuffledLocal(epsilon0=math.log(2), users=3, randomizer="k-ary", choices=3)
    assert truth * (1 - 1e-12) <= local.delta(math.log(1.5), **HOW) < 0.0395


def laplace_rows(epsilon0, values, edges):
    """The probabilities of cells of Laplace noise around each value."""

    def up_to(x):
        return 0.5 * math.exp(epsilon0 * x) if x < 0 else 1 - 0.5 * math.exp(-epsilon0 * x)

    marks = [[0.0, *(up_to(edge - value) for edge in edges), 1.0] for value in values]
    return [[b - a for a, b in itertools.pairwise(row)] for row in marks]


@pytest.mark.parametrize("epsilon0", [0.3, 1.0, 3.0])
def test_laplace_noise_between_both_bounds(epsilon0):
    edges = [0.0, 0.125, 0.5, 0.875, 1.0]
    rows = laplace_rows(epsilon0, [0.0, 1.0, 0.5], edges)
    for users in (1, 2, 3):
        upper, lower = above(epsilon0, users, "laplace"), below(epsilon0, users, "second", 1.0)
        for share in (0.0, 0.1, 0.4, 0.8):
            worst = max(
                delta_of(rows[0], rows[1], [rows[i] for i in others], math.exp(share * epsilon0))
                for others in itertools.combinations_with_replacement(range(3), users - 1)
            )
            assert worst <= upper(share * epsilon0) * (1 + 1e-9) + 1e-15
            assert lower(share * epsilon0) <= upper(share * epsilon0)
            if share <= 0.1:
                assert lower(share * epsilon0) >= 0.5 * worst - 1e-6
    assert above(epsilon0, 50, "laplace")(0.1) < above(epsilon0, 50)(0.1)


def by_numbers(epsilon0, users, ends, third, same, epsilon):
    """From below, the mean over the numbers of terms that are `third` (1 - alpha)."""
    e, a = math.exp(epsilon0), math.exp(epsilon)
    first, weights, error, *_ = _core.runs.likely_counts(users, same, 1 - same, 1e-20)
    ends, total = ends / (1 - same), 0.0
    for j, weight in enumerate(weights, int(first)):
        if j < users:
            values = (e - a, 1 - a * e, 0.0)
            chances = [ends, 1 - ends]
            offset = third * (1 - a) * j
            one = _core.runs.positive_part(users - j, chances, values, offset, 1e-20)
            total += weight * (users - j) / users * one[0]
    return total * (1 - error)


@pytest.mark.parametrize("users", [250, 1500, 100_000])  # places 3 deviations apart for the last
@pytest.mark.parametrize("tail", [1e-12, 1e-3])
def test_a_normal_variable_is_above_the_numbers(users, tail):
    """Of outputs that tell nothing; few users are asked by all numbers."""
    e, h = math.exp(2.0), math.exp(1.0)
    z = e + 3
    laws = {
        ("k-ary", 4): (2 / z, 1.0, 2 / z),
        ("laplace", 2): (2 / (h * (h + 1)), e, (h - 1) / (h**3 * (h + 1))),
    }
    for (kind, choices), (ends, third, same) in laws.items():
        bound = above(2.0, users, kind, choices, tail=tail, cells=200.0)
        for epsilon in (0.0, 0.01, 0.03) if users > 1500 else (0.0, 0.1, 0.3):
            truth = by_numbers(2.0, users, ends, third, same, epsilon)
            assert truth * (1 - 1e-9) <= bound(epsilon)
            if truth > 30 * tail:
                assert bound(epsilon) <= truth * (1.001 if users == 250 else 1.3) + 1e-15


def law(kind, epsilon0, choices, alpha):
    """Values of Z and their probabilities, but for 0, as the page has them."""
    e = arb(epsilon0).exp()
    if kind == "adaptive":
        scale = 2 * e / (1 + e)
        return [(scale * (e - alpha), 1 / (2 * e)), (scale * (1 - alpha * e), 1 / (2 * e))]
    if kind == "any":
        return [(e - alpha, 1 / (1 + e)), (1 - alpha * e, 1 / (1 + e))]
    if kind == "k-ary":
        z = e + choices - 1
        return [(e - alpha, 1 / z), (1 - alpha * e, 1 / z), (1 - alpha, (choices - 2) / z)]
    a = (1 - (-arb(epsilon0) / 2).exp()) / (e - 1)
    return [(e - alpha, a), (1 - alpha * e, a), (e * (1 - alpha), (1 - (1 + e) * a) / e)]


def mean_positive_part(values, users):
    """E (Z_1 + ... + Z_n)_+ / n, by listing how often each value comes."""
    rest = 1 - sum((w for _, w in values), arb(0))

    def listed(values, left, total, weight):
        if not values:
            return weight * rest**left * total.max(arb(0))
        (value, mass), *others = values
        return sum(
            listed(others, left - k, total + k * value, weight * math.comb(left, k) * mass**k)
            for k in range(left + 1)
        )

    return listed(values, users, arb(0), arb(1)) / users


def step_of(values, epsilon0, users, cells):
    """Between the losses of two points of the curve: a deviation of the mean of Z over cells."""
    square = 2 * float(values[0][0]) ** 2 * float(values[0][1])
    return min(epsilon0, math.sqrt(square / users)) / cells


ROUNDING = arb("1e-13")  # of masses and means of cells
ADDED = 1e-4  # to the variance, by the distance of places
KINDS = [("any", 2), ("adaptive", 2), ("k-ary", 5), ("laplace", 2)]


@pytest.mark.parametrize(("kind", "choices"), KINDS)
@pytest.mark.parametrize("epsilon0", [0.3, 2.0])
def test_points_of_the_curve_are_the_mean_of_positive_parts(kind, choices, epsilon0):
    users, cells = 12, 40.0
    with ctx.workprec(200):
        step = step_of(law(kind, epsilon0, choices, arb(1)), epsilon0, users, cells)
        bound = above(epsilon0, users, kind, choices, cells=cells)
        for k in (0, 5, 20, 39):
            formula = mean_positive_part(law(kind, epsilon0, choices, (k * arb(step)).exp()), users)
            assert abs(arb(bound(k * step)) / formula - 1) < 1e-11


def spread(part, other, third, users, tail):
    """A normal variable above the numbers of terms that tell no more, at places so far apart."""
    at, farthest = normal_quantile(part), float(normal_quantile(tail))
    deviation = arb(part) * other * arb(users).sqrt() * (2 * arb.pi()).sqrt() * (at**2 / 2).exp()
    deviation *= 1 + arb("1e-9")
    share = 6 * third * float(deviation) / users
    apart = min(max(1.0, math.sqrt(6 * ADDED) / share), farthest)
    reach = math.ceil(farthest / apart)
    places = [arb(apart) * k for k in range(-reach, reach + 1)]
    density = [(-(x**2) / 2).exp() / (2 * arb.pi()).sqrt() for x in places]
    mass = [arb(0)] * len(places)
    for i, (low, high) in enumerate(itertools.pairwise(places)):
        cell, mean = normal_tail(low) - normal_tail(high), density[i] - density[i + 1]
        off = ROUNDING * (density[i] + density[i + 1] + cell)
        mass[i] += (high * cell - mean + off) / (high - low)
        mass[i + 1] += (mean - low * cell + off) / (high - low)
    for end in (0, -1):
        mass[end] += normal_tail(places[-1])
    return deviation, list(zip(map(float, places), mass, strict=True)), density[-1]


@pytest.mark.parametrize("cut", [1e-3, 1e-8])  # of which 1e-5 may lie beyond the last place
@pytest.mark.parametrize("kind", ["k-ary", "laplace"])
def test_a_normal_variable_stands_for_numbers_at_few_places(kind, cut):
    """With what lies beyond its last place added once for each user."""
    users, epsilon0, cells, choices = 20_000, 2.0, 40.0, 4
    with ctx.workprec(120):
        ends, same = (float(w) for _, w in law(kind, epsilon0, choices, arb(1))[1:])
        ends, nothing = 2 * ends, 1 - 2 * ends - same
        third = 1.0 if kind == "k-ary" else math.exp(epsilon0)
        shares = same / (same + nothing), nothing / (same + nothing)
        deviation, places, last = spread(*shares, third, users, 1e-5 * cut)
        step = step_of(law(kind, epsilon0, choices, arb(1)), epsilon0, users, cells)
        bound = above(epsilon0, users, kind, choices, cells=cells, tail=cut)
        for k in (0, 20, 40):
            (gain, _), (loss, _), (rest, _) = law(kind, epsilon0, choices, (k * arb(step)).exp())
            less, formula = float(-rest * deviation), -rest * deviation * last / users
            values = (float(gain), float(loss), float(rest * same / (same + nothing)))
            for place, mass in places:
                chances = (ends, same + nothing)
                inner = _core.runs.positive_part(users, chances, values, less * place, 1e-5 * cut)
                formula += mass * inner[1]
            assert abs(arb(bound(k * step)) / formula - 1) < 1e-13


def test_numbers_of_the_literature():
    """epsilon0 1 of 10^4 users at 1e-6, 4 of 10^5 at 1e-8: between 3-ary response and clones."""
    for epsilon0, users, delta, lower, upper in (
        (1.0, 10**4, 1e-6, 0.03800, 0.04321),
        (4.0, 10**5, 1e-8, 0.14926, 0.15067),
    ):
        bounds = hs.ShuffledLocal(epsilon0=epsilon0, users=users).epsilon_bounds(delta, **HOW)
        assert bounds.lower == pytest.approx(lower, rel=3e-3)
        assert bounds.upper == pytest.approx(upper, rel=1e-3)


def test_corners():
    response = hs.RandomizedResponse(epsilon=1.0)
    alone = hs.ShuffledLocal(epsilon0=1.0, users=1)
    assert alone.delta(0.3, **HOW) == pytest.approx(response.delta(0.3, **HOW), rel=1e-3)
    assert alone.epsilon(0.0, **HOW) == 1.0
    local = hs.ShuffledLocal(epsilon0=1.0, users=100)
    assert local.delta(1.0, **HOW) == 0
    assert hs.ShuffledLocal(epsilon0=0.0, users=5) + local == 1 * local
    for extreme in ((50.0, 10), (1e-6, 10**6), (20.0, 10**4), (0.1, 10**9)):
        bounds = hs.ShuffledLocal(epsilon0=extreme[0], users=extreme[1]).epsilon_bounds(1e-6, **HOW)
        assert 0 <= bounds.lower <= bounds.upper <= extreme[0] * (1 + 1e-12)


def test_an_order_adds_nothing_to_what_reports_tell():
    """Where the curve counts what it leaves out as infinite losses."""
    local = hs.ShuffledLocal(epsilon0=1.0, users=1000)
    assert local.epsilon(1e-300, **HOW) <= 1
    assert local.group(2).epsilon(0.0, **HOW) <= 2 * (1 + 1e-12)
    best = hs.best_of(local, runs="geometric", mean=10)
    assert best.epsilon(0, **HOW) == 3  # as of a report alone
    assert best.zcdp(**HOW) < 0.13


@pytest.mark.parametrize("users", [3, 4])
@pytest.mark.parametrize("epsilon0", [0.5, 3.0])
def test_divergences_of_reports_in_random_order(epsilon0, users):
    rows = k_ary(epsilon0, 3)
    local = hs.ShuffledLocal(epsilon0=epsilon0, users=users, randomizer="k-ary", choices=3)
    for order in (1.25, 2.0, 30.0):
        low, high = local.renyi_divergence_bounds(order, **HOW)
        assert high <= hs.ApproximateDP(epsilon0, 0).renyi_divergence(order)
        for others in itertools.combinations_with_replacement(range(3), users - 1):
            p, q = (histograms([rows[i], *(rows[j] for j in others)]) for i in (0, 1))
            moment = sum(p[key] ** order * q[key] ** (1 - order) for key in p)
            assert math.log(moment) / (order - 1) <= high * (1 + 1e-9)
            if others == (2,) * (users - 1):
                assert math.log(moment) / (order - 1) >= low * (1 - 1e-9)


@pytest.mark.parametrize(
    ("epsilon0", "users", "rho"), [(1.0, 1000, 8.5e-4), (0.1, 100_000, 2.5e-5), (10.0, 10**5, 2.84)]
)
def test_an_order_lowers_divergences(epsilon0, users, rho):
    """The curve bounds them up to its last loss, and epsilon0 what lies beyond it."""
    low, high = hs.ShuffledLocal(epsilon0=epsilon0, users=users).zcdp_bounds(**HOW)
    assert low <= high < rho
