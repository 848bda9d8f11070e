# SPDX-License-Identifier: Apache-2.0
"""What is asked of curves costs few of them."""

from importlib import import_module

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick.verify import questions
from hockeystick.verify.balls import digits_of
from hockeystick.verify.contour import Points
from hockeystick.verify.errors import NotKnownError

MIXED = hs.GaussianMixture(  # its parameters, as balls, tell fewer digits than are asked for
    standard_deviation=0.7107643437652634,
    sensitivities=(
        1.1795580034838273,
        2.5678782225928036,
        0.27946035488187887,
        0.34801267499356536,
    ),
    probabilities=(
        0.48856745189703915,
        0.07180390621357756,
        0.17765105084561816,
        0.26197759104376517,
    ),
)
RATES = [
    (2 * hs.Gaussian(26.43827849399557).poisson_sampled(0.0407875893808759), 0.0118, "remove", 10),
    (666 * MIXED.poisson_sampled(0.00025821876111545896), 0.3460555652865153, "add", 30),
]


@pytest.mark.parametrize(("run", "rate", "way", "digits"), RATES, ids=["alike", "mixed"])
def test_a_rate_takes_few_contours(run, rate, way, digits, monkeypatch):
    """The second took 17 and was not known after 14 seconds."""
    made, original = [], Points.__init__

    def counted(self, *arguments):
        made.append(self)
        original(self, *arguments)

    monkeypatch.setattr(Points, "__init__", counted)
    found = hs.verify(run, false_positive_rate=rate, adjacency=f"{way}-one", digits=digits)
    assert found.known
    assert found.digits >= digits
    assert found.enclosed
    assert len(made) <= 4


def test_the_epsilon_of_few_rare_steps_is_known():
    """Chernoff's bound of epsilon is a hundred times it; that of each step alone three times."""
    run = 9 * hs.Gaussian(4.25).poisson_sampled(1.09e-4)
    found = hs.verify(run, delta=1e-6, digits=10)
    assert found.digits >= 10
    assert found.enclosed


def test_rare_distinct_steps_are_known_in_the_direction_that_matters(monkeypatch):
    """Moments of added records fall slowly, and all of them far above the answer."""
    asked = []
    original = questions._epsilon
    monkeypatch.setattr(
        questions, "_epsilon", lambda one, *rest: asked.append(one) or original(one, *rest)
    )
    steps = (hs.Gaussian(1 + k / 25).poisson_sampled(0.01) for k in range(25))
    found = hs.verify(sum(steps, hs.Composition()), delta=1e-5, digits=10)
    assert found.digits >= 10
    assert found.enclosed
    assert len({id(one.contour.tilts) for one in asked}) == 1


def test_the_least_value_of_a_convex_function_has_the_digits_of_its_values():
    """Chords that all but meet at the middle: places are told from the points between them."""
    with ctx.workprec(200):
        apart = arb(10) ** -19
        points = [1 + k * apart for k in range(-2, 3)]
        values = [1 + ((x - 1) ** 2 + arb(0, 1e-42)) for x in points]
        assert digits_of(questions._least(points, values)) > 37


def test_digits_of_an_earlier_round_are_kept():
    """Where more of them are not affordable, or not known."""
    answer = import_module("hockeystick.verify.answer")
    rounds = []

    def direct(_runs, _adjacency, _point, _digits):
        rounds.append(ctx.prec)
        if len(rounds) > 1:
            raise NotKnownError("it takes more work than is allowed")
        return arb(1, 1e-9), "by hand"

    question = answer.QUESTIONS["order"]._replace(direct=direct)
    found = answer._ball(question, answer.Kept((), hs.Adjacency.REMOVE_ONE), 2.0, 30)
    assert 8 < digits_of(found.ball) < 10
    assert len(rounds) == 2
    assert rounds[1] > rounds[0]
