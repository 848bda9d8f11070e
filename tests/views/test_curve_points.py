# SPDX-License-Identifier: Apache-2.0
"""The curve at single losses, and the power that lies between them by convexity, in balls."""

import math
import random

import numpy as np
import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction

PRECISION = 400
HIDDEN = arb(2) ** -300
NINE_RATES = [1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9]

pytestmark = pytest.mark.bits(PRECISION)


def ends(ball):
    """Doubles next to it, in [0, 1]; what a ball of width 2^-300 hides is left out."""
    value = float(ball.mid())
    low = value if value <= ball + HIDDEN else math.nextafter(value, -math.inf)
    high = value if value >= ball - HIDDEN else math.nextafter(value, math.inf)
    return max(0.0, low), min(1.0, high)


class Law:
    """Few outcomes of which each has a P- and a Q-mass."""

    def __init__(self, rng, outcomes, spread):
        p = [arb(rng.uniform(0.01, 1)) for _ in range(outcomes)]
        q = [at * arb(-rng.gauss(0, spread)).exp() for at in p]
        masses = [(a / sum(p), b / sum(q)) for a, b in zip(p, q, strict=True)]
        self.masses = sorted(masses, key=lambda at: -float(at[0] / at[1]))

    def losses(self):
        """Of the outcomes, falling."""
        return [float((p / q).log()) for p, q in self.masses]

    def curve(self, alpha):
        """The hockey-stick curve."""
        return sum((max(p - alpha * q, arb(0), key=float) for p, q in self.masses), arb(0))

    def delta(self, loss):
        """What a point at that loss is made of: of the reverse, at negative losses."""
        alpha = arb(loss).exp()
        return self.curve(alpha) if loss >= 0 else (self.curve(alpha) - 1) / alpha + 1

    def power(self, fpr):
        """As Neyman and Pearson have it."""
        left, total = arb(fpr), arb(0)
        for p, q in self.masses:
            if q > left:
                return total + left * p / q
            left, total = left - q, total + p
        return arb(1)


def loosened(rng, low, high, by):
    return max(0.0, low - by * rng.random()), min(1.0, high + by * rng.random())


@pytest.mark.parametrize("seed", range(40))
def test_a_point_encloses_the_curve(seed):
    rng = random.Random(seed)
    law = Law(rng, rng.choice((2, 3, 8)), 10 ** rng.uniform(-3, 1))
    for _ in range(25):
        loss = rng.choice((rng.uniform(-2, 2), rng.choice(law.losses()), rng.uniform(-30, 30)))
        alpha_low, alpha_high, low, high = _core.parts.curve_point(loss, *ends(law.delta(loss)))
        alpha = arb(loss).exp()
        assert alpha_low < alpha < alpha_high
        assert alpha_high - alpha_low < 1e-14 * alpha_high
        assert low - HIDDEN <= law.curve(alpha) <= high + HIDDEN
        assert high - low <= 1e-14


def check_power(rng, law, losses, by):
    points = [(at, *loosened(rng, *ends(law.delta(at)), by)) for at in sorted(set(losses))]
    for fpr in (rng.random(), 10 ** rng.uniform(-9, 0), 1 - 10 ** rng.uniform(-9, 0)):
        low, high = _core.parts.power_between(points, fpr, rng.randrange(len(points)))
        assert 0 <= low <= high <= 1
        assert low - HIDDEN <= law.power(fpr) <= high + HIDDEN
    return high - low


@pytest.mark.parametrize("seed", range(60))
def test_power_lies_between_points(seed):
    """Of few points or many, well known or not: two of a straight part tell all of it."""
    rng = random.Random(seed)
    for _ in range(25):
        law = Law(rng, rng.choice((2, 3, 8)), 10 ** rng.uniform(-2, 1))
        middle = rng.choice(law.losses())
        losses = [
            middle + rng.gauss(0, 10 ** rng.uniform(-5, 0))
            for _ in range(rng.choice((1, 3, 6, 20)))
        ]
        check_power(rng, law, losses, rng.choice((0.0, 0.0, 1e-12, 1e-3, 0.1)))


def test_many_points_leave_little():
    rng = random.Random(1)
    law = Law(rng, 40, 0.3)
    for _ in range(20):
        assert check_power(rng, law, [k / 100 for k in range(-200, 200)], 0.0) < 3e-3


def test_no_points_say_nothing():
    assert _core.parts.power_between([], 0.1, 0) == (0, 1)


def test_below_all_points_the_power_is_at_least_the_curve_there():
    """At rates near 1 the least sum lies at small alphas, left of points that are closed above."""
    rng = random.Random(2)
    for _ in range(30):
        law = Law(rng, 8, 1.0)
        points = [(at, *ends(law.delta(at))) for at in (0.0, 2.0, 5.0)]
        fpr = rng.uniform(0.9, 0.999)
        low, high = _core.parts.power_between(points, fpr, 0)
        assert low - HIDDEN <= law.power(fpr) <= high + HIDDEN
        assert low >= 0.99 * points[0][1]


def test_between_points_far_apart_the_power_is_at_least_the_curve_at_the_next():
    rng = random.Random(3)
    for _ in range(30):
        law = Law(rng, 8, 1.0)
        points = [(at, *ends(law.delta(at))) for at in (-600.0, -300.0, 0.0)]
        fpr = rng.uniform(0.01, 0.99)
        low, high = _core.parts.power_between(points, fpr, 0)
        assert low - HIDDEN <= law.power(fpr) <= high + HIDDEN
        assert low >= (1 - 1e-14) * min(points[-1][1], fpr)


def test_above_all_points_the_power_is_at_least_the_rate_times_the_last_alpha():
    law = Law(random.Random(4), 8, 1.0)
    for loss in (-5.0, -1.0):
        low, _ = _core.parts.power_between([(loss, *ends(law.delta(loss)))], 0.5, 0)
        assert 0.499 * math.exp(loss) <= low <= law.power(0.5) + HIDDEN


LAPLACE = hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.1)
LAPLACES = [[(LAPLACE.dominating_pair(way), 60)] for way in (Direction.REMOVE, Direction.ADD)]
QUESTIONS = [
    (_core.power_bounds, 1e-3),
    (_core.gdp_bounds, 1e-3),
    (_core.loss_tail_bounds, 0.5),
    (_core.loss_quantile_bounds, 0.9),
]
every_question = pytest.mark.parametrize(
    ("ask", "at"), QUESTIONS, ids=[ask.__name__ for ask, _ in QUESTIONS]
)


def asked(ask, at, tolerance, memory_limit=2**28):
    (answer,) = ask(LAPLACES, np.array([at]), tolerance=tolerance, memory_limit=memory_limit)
    return answer


def test_points_take_the_ends_of_their_neighbours():
    """The curve falls: the ends are those of the envelope, and hold the truth."""
    rng = random.Random(3)
    for _ in range(100):
        truth = sorted((rng.random() for _ in range(20)), reverse=True)
        wide = [(k / 4, t * rng.uniform(0.5, 1), t + rng.random() / 4) for k, t in enumerate(truth)]
        found = _core.parts.curve_points(rng.sample(wide, len(wide)))
        for k, (loss, low, high) in enumerate(found):
            assert (loss, low) == (k / 4, max(each[1] for each in wide[k:]))
            assert high == min(each[2] for each in wide[: k + 1])
            assert low <= truth[k] <= high


@every_question
def test_tighter_answers_overlap_looser_ones(ask, at):
    answers = [asked(ask, at, tolerance) for tolerance in (0.1, 1e-2, 1e-3)]
    assert all(answer.converged and not answer.limited_by for answer in answers)
    assert max(a.lower for a in answers) <= min(a.upper for a in answers)
    assert answers[2].upper - answers[2].lower < answers[0].upper - answers[0].lower


@every_question
def test_what_the_memory_does_not_allow_is_refused_and_enclosed(ask, at):
    truth, refused = asked(ask, at, 1e-3), asked(ask, at, 1e-7, memory_limit=2**20)
    assert not refused.converged
    assert refused.limited_by in {"memory_limit", "passes"}
    assert refused.lower <= truth.upper
    assert truth.lower <= refused.upper


@pytest.mark.parametrize(
    ("count", "noise", "rate", "ask"),
    [
        (47, 0.691, 1.611e-5, lambda run: run.true_positive_rate_bounds(NINE_RATES)),
        (275, 0.6115, 5.835e-5, lambda run: run.gdp_mu_bounds()),
        (3, 1.215, 2.227e-3, lambda run: run.probabilistic_delta_bounds(1.0)),
    ],
)
def test_deltas_are_no_closer_than_the_answer_needs(count, noise, rate, ask):
    """They took 4.2e8, 1.2e8 and 3.7e8: each alone, and relative to deltas that hardly matter."""
    before = _core.work.taken()
    ask(count * hs.Gaussian(noise).poisson_sampled(rate))
    assert _core.work.taken() - before < 2e7


@pytest.mark.parametrize(
    "step",
    [hs.Gaussian(2.0).poisson_sampled(0.2), hs.DiscreteGaussian(sigma=2.0), hs.Laplace(3.0)],
    ids=repr,
)
@pytest.mark.parametrize(
    ("ask", "points"),
    [(_core.power_bounds, [1e-3, 0.3, 0.8, 0.99]), (_core.loss_quantile_bounds, [0.05])],
)
def test_answers_by_one_direction_are_those_by_both(ask, points, step):
    """The curve at negative losses is what the reverse tells, given or known by the pairs."""
    ahead, behind = (
        [[(step.dominating_pair(way), 20)]] for way in (Direction.REMOVE, Direction.ADD)
    )
    limits = {"tolerance": 1e-3, "memory_limit": 2**28}
    alone = list(ask(ahead, np.array(points), **limits))
    known = list(ask(ahead, np.array(points), reverses=behind, **limits))
    for one, other in zip(alone, known, strict=True):
        assert one.converged
        assert max(one.lower, other.lower) <= min(one.upper, other.upper)
