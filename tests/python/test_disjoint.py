# SPDX-License-Identifier: Apache-2.0
"""Disjoint parts cost as the worst run that sees one record: enumerated data sets, every view."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.one_step import gaussian_delta

SPECIAL = "special"
EPSILONS = [0.0, 0.1, 0.3, 0.6, 1.0]


def response(noise, value):
    """The law of a randomized response of two values; that of the special record is uniform."""
    flip = Fraction(noise) / 2
    if value == SPECIAL:
        return [Fraction(1, 2)] * 2
    return [1 - flip if answer == value else flip for answer in (0, 1)]


def law(releases, data):
    """The exact law of all outputs, each a response about the record of one part."""
    single = [response(noise, data[part]) for part, noise in releases]
    return [math.prod(each) for each in itertools.product(*single)]


def enumerated(releases, epsilons):
    """The largest hockey-stick divergence between neighbouring data of two records in two parts.

    Neighbours have the special record in the place of one.
    """
    values = [0, 1, SPECIAL]
    largest = [0.0] * len(epsilons)
    for data in itertools.product(values, repeat=2):
        for part, value in itertools.product(range(2), values):
            other = [*data]
            other[part] = value
            if (data[part] == SPECIAL) == (value == SPECIAL):
                continue
            pairs = list(zip(law(releases, data), law(releases, other), strict=True))
            for k, epsilon in enumerate(epsilons):
                alpha = Fraction(math.exp(epsilon))
                delta = sum(max(Fraction(0), p - alpha * q) for p, q in pairs)
                largest[k] = max(largest[k], float(delta))
    return largest


def check(run, expected):
    """The library's bounds hold the truth, which exp rounds by some 1e-15."""
    bounds = run.delta_bounds(EPSILONS, adjacency="replace-special")
    for lower, upper, truth in zip(bounds.lower, bounds.upper, expected, strict=True):
        assert lower - 1e-15 <= truth <= upper + 1e-15
        assert upper - lower <= 1e-3 * upper + 1e-30


@pytest.mark.parametrize("noises", [(0.5, 0.75), (0.25, 0.25), (0.125, 0.875)])
def test_responses_of_two_parts(noises):
    a, b = (hs.RandomizedResponse(noise) for noise in noises)
    check(hs.parallel(a, b), enumerated(list(enumerate(noises)), EPSILONS))


@pytest.mark.parametrize("counts", [(3, 1), (1, 4), (2, 2)])
def test_runs_of_two_parts(counts):
    noises = (0.5, 0.75)
    a, b = (n * hs.RandomizedResponse(noise) for n, noise in zip(counts, noises, strict=True))
    releases = [(part, noises[part]) for part, n in enumerate(counts) for _ in range(n)]
    check(hs.parallel(a, b), enumerated(releases, EPSILONS))


def test_what_sees_all_data_adds_to_each_part():
    """Each part's record is also asked by what runs on all data."""
    a, b, c = (hs.RandomizedResponse(noise) for noise in (0.5, 0.75, 0.625))
    releases = [(0, 0.5), (1, 0.75), (0, 0.625), (1, 0.625)]
    for run in (hs.parallel(a, b) + c, c + hs.parallel(a, b), hs.parallel(a + c, b + c)):
        check(run, enumerated(releases, EPSILONS))


def test_repeated_divisions_may_differ():
    """Parts of two divisions meet in any way; the same division says so and costs no more."""
    a, b = hs.Laplace(2.0), hs.Gaussian(3.0)
    free, same = 2 * hs.parallel(a, b), hs.parallel(2 * a, 2 * b)
    assert free == hs.parallel(a, b) + hs.parallel(b, a) == sum([hs.parallel(a, b)] * 2)
    assert set(free.runs) == {2 * a, 2 * b, a + b}
    assert free.delta_bounds(0.5).upper >= same.delta_bounds(0.5).lower


VIEWS = [
    ("epsilon", [1e-3, 1e-6], np.maximum),
    ("delta", [0.0, 0.5], np.maximum),
    ("tradeoff", [0.01, 0.3], np.minimum),
    ("true_positive_rate", [0.01, 0.3], np.maximum),
    ("advantage", {}, np.maximum),
    ("bayes_risk", [0.2, 0.5], np.minimum),
    ("gdp_mu", {"smallest_rate": 1e-6}, np.maximum),
    ("probabilistic_delta", [0.13, 0.47], np.maximum),
    ("loss_quantile", [0.1, 0.9], np.maximum),
    ("loss_mean", {}, np.maximum),
    ("loss_variance", {}, np.maximum),
    ("renyi_divergence", [1.0, 2.0, 30.0], np.maximum),
    ("zcdp", {"largest_order": 10.0}, np.maximum),
]
# The first costs more at small epsilon, the second in the tail.
PARTS = [hs.Laplace(2.0), hs.Gaussian(3.0).poisson_sampled(0.4)]
ADJACENCIES = ["add-or-remove-one", "remove-one", "add-one", "replace-special"]


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize(("view", "points", "worse"), VIEWS, ids=[view for view, *_ in VIEWS])
def test_every_view_is_that_of_the_worst_part(view, points, worse, adjacency):
    shared = 2 * hs.Laplace(5.0)

    def ask(run, name):
        positional, named = ((), points) if isinstance(points, dict) else ((np.array(points),), {})
        return getattr(run, name)(*positional, **named, adjacency=adjacency)

    run = hs.parallel(*PARTS) + shared
    found = ask(run, f"{view}_bounds")
    lowers, uppers = zip(*(ask(part + shared, f"{view}_bounds") for part in PARTS), strict=True)
    assert np.all(found.lower <= worse(*uppers))
    assert np.all(found.upper >= worse(*lowers))
    end = found.lower if worse is np.minimum else found.upper
    assert np.all(ask(run, view) == end)


ENCLOSED = [hs.ZCDP(0.1), hs.Gaussian(1.0).random_allocation(steps=50), 3 * hs.Laplace(3.0)]


@pytest.mark.parametrize("view", ["epsilon_bounds", "delta_bounds", "tradeoff_bounds"])
def test_parts_that_are_known_by_enclosures(view):
    found = getattr(hs.parallel(*ENCLOSED), view)([0.1, 1e-3])
    each = [getattr(one, view)([0.1, 1e-3]) for one in ENCLOSED]
    worse = np.min if view == "tradeoff_bounds" else np.max
    assert found.lower.tolist() == worse([one.lower for one in each], axis=0).tolist()
    assert found.upper.tolist() == worse([one.upper for one in each], axis=0).tolist()
    assert found.limited_by == "theory"


def test_a_part_that_needs_more_memory_leaves_bounds_of_all():
    parts = hs.parallel(hs.ZCDP(0.1), 3000 * hs.Laplace(2.0).poisson_sampled(0.05))
    with pytest.raises(hs.CertificationError, match=r"^of .*memory_limit") as wide:
        parts.epsilon(1e-5, tolerance=1e-9, memory_limit=10**5)
    lower, upper = wide.value.bounds
    truth = parts.epsilon_bounds(1e-5)
    assert lower <= truth.upper
    assert truth.lower <= upper


def test_runs_that_another_contains_are_left_out():
    a, b = hs.Laplace(2.0), hs.Gaussian(3.0)
    assert hs.parallel(a, 3 * a, 2 * a, hs.Composition()) == hs.parallel(3 * a)
    assert hs.parallel(*[a] * 5000, a + b) == hs.parallel(hs.parallel(a), a + b)
    assert hs.parallel(*(n * a for n in range(3000))).runs == (2999 * a,)
    assert hs.parallel(hs.Composition()).epsilon_bounds(0.0) == (0.0, 0.0)
    assert (0 * hs.parallel(a, b)).epsilon(1e-5) == 0.0
    assert hash(hs.parallel(a, b)) == hash(hs.parallel(b, a))
    assert (10**9 * hs.parallel(b)).runs == (10**9 * b,)
    assert np.int64(2) * hs.parallel(b) == hs.parallel(b) * 2


def test_equal_objects_give_equal_bits_and_are_shown_as_code():
    a, b = hs.Laplace(2.0), hs.Gaussian(3.0)
    one, other = hs.parallel(a, b) + 2 * a, hs.parallel(b + a, 2 * a) + a
    assert one == other
    assert one.epsilon_bounds(1e-5) == other.epsilon_bounds(1e-5)
    names = {"parallel": hs.parallel, "Laplace": hs.Laplace, "Gaussian": hs.Gaussian}
    assert eval(repr(one), names) == one  # noqa: S307, of our own text


@pytest.mark.parametrize("size", [1, 2, 5])
def test_groups_within_a_part_are_those_of_each_run(size):
    run = hs.parallel(*PARTS) + hs.Laplace(5.0)
    grouped = run.group(size, same_part=True)
    assert grouped == hs.parallel(*((part + hs.Laplace(5.0)).group(size) for part in PARTS))
    each = [one.group(size).epsilon_bounds(1e-4) for one in run.runs]
    assert grouped.epsilon(1e-4) == max(bounds.upper for bounds in each)


def test_no_group_over_parts_costs_more_than_one_within():
    """In balls: random Gaussians on parts and on all data, and a group that is shared out."""
    rng = random.Random(8)
    with ctx.workprec(200):
        for _ in range(20):
            size, noises = rng.randint(2, 5), [rng.uniform(3, 30) for _ in range(3)]
            shared, epsilon = rng.uniform(5, 50), rng.uniform(0.1, 2)
            run = hs.parallel(*map(hs.Gaussian, noises)) + hs.Gaussian(shared)
            bound = run.group(size).delta(epsilon)
            drawn = [rng.randrange(3) for _ in range(size)]
            moves = [arb(drawn.count(part)) / arb(noise) for part, noise in enumerate(noises)]
            mu = sum((move * move for move in [*moves, size / arb(shared)]), arb(0)).sqrt()
            assert gaussian_delta(mu, arb(epsilon)) <= arb(bound)


def test_the_answer_in_sentences():
    run = hs.parallel(3 * hs.Laplace(10.0), hs.Gaussian(2.0)) + hs.Gaussian(8.0)
    said = run.sentence(1e-5)
    worst = max(one.sentence(1e-5) for one in run.runs).partition(")")[0]
    assert said.startswith(worst)
    assert "What ran: on disjoint parts: Gaussian, noise 2 + Gaussian, noise 8; 3 times La" in said
    assert "(epsilon = 1.0, delta = " in run.sentence(epsilon=1.0, adjacency="replace-special")
    with pytest.raises(ValueError, match="^adjacency must be one that leaves a record"):
        run.sentence(1e-5, adjacency="replace-one")
    with pytest.raises(TypeError, match="^sentence takes one of delta and epsilon"):
        run.sentence()
