# SPDX-License-Identifier: Apache-2.0
"""The search of calibrations, of costs that are formulas."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from hockeystick import _core


class Found(NamedTuple):
    """As bounds of a run."""

    lower: float
    upper: float


class Theory(Found):
    """Bounds with a gap of theory."""

    limited_by = "theory"


class Close(Found):
    """Others."""

    limited_by = ""


@dataclass
class Line:
    """All positive numbers, a goal, and what was asked."""

    cost: object
    target: float = 1.0
    integer: bool = False
    start: float = 1.0
    low: float = 1e-300
    high: float = 1e300
    name: str = "cost"
    tolerance: float = 1e-3
    coarse: float = 1e-2
    scale: str = "logarithm"
    gap: bool = False
    asked: list = field(default_factory=list)

    def at(self, value):
        """What is nearest in the domain, twice: a run is its parameter."""
        value = min(max(value, self.low), self.high)
        return value, value

    def accepts(self, value):
        """Whether it is in the domain."""
        return self.low <= value <= self.high

    def ask(self, value, width):
        """The cost, as wide as asked."""
        self.asked.append((value, width))
        cost = self.cost(value)
        if self.gap:
            return Theory(0.5 * cost, cost)
        return Close(*sorted((cost * (1 - width / 3), cost * (1 + width / 3))))

    hasty = ask

    def advantage(self, value):
        """The order of the parameters."""
        return Close(value, value)

    def found(self, before=None, **options):
        """The parameter."""
        return _core.Search(self, self, before, **options).run()


COSTS = {
    "falls": lambda x: 7 / x,
    "steeply": lambda x: x**-6 + 1e-3,
    "rises": lambda x: 1e-3 * x**0.5,
    "bends": lambda x: math.expm1(0.01 / x),
    "far": lambda x: 1e40 * x,
}


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("target", [1e-2, 1.0, 30.0])
@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
def test_the_target_is_met_and_nearly_all_of_it_spent(cost, target, tolerance):
    line = Line(cost, target, tolerance=tolerance)
    found = line.found()
    assert (found, tolerance) in line.asked
    assert (1 - tolerance) * target < cost(found) <= target
    assert len(line.asked) <= 16


def test_where_less_is_worse_the_cost_is_at_least_the_target():
    line = Line(lambda x: 0.5 - 0.4 / (1 + x), target=0.3, scale="falling", high=1e6)
    found = line.found()
    assert 0.3 <= line.cost(found) < 0.3003


def test_a_whole_number_has_a_neighbour_that_misses():
    line = Line(lambda n: 0.01 * n, integer=True, low=0, high=10**6, start=1, tolerance=1e-6)
    assert line.found() == 99
    assert type(line.found()) is int


def wobbling(x):
    """It falls, but for 0.9 % here and there."""
    return (1 + 0.0045 * math.sin(1e6 * x)) / x


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 1.1])
def test_an_upper_end_above_a_gap_of_theory_may_move_of_itself(share):
    """What it says of the order of two costs is what is certified: the gap is far wider."""
    line = Line(wobbling, target=share, gap=True)
    assert 0.98 * share < wobbling(line.found()) <= share


def test_a_jump_of_an_upper_end_above_a_gap_of_theory_is_no_jump_of_the_cost():
    """Narrowed down to a quarter of the tolerance, as each step takes long; others to 1e-9."""
    real, of_theory = (Line(lambda x: 2 if x < 0.4 else 0.5, gap=gap) for gap in (False, True))
    assert 0.4 <= real.found() <= 0.4 * (1 + 1e-9)
    assert 0.4 <= of_theory.found() <= 0.4 * (1 + 0.25 * of_theory.tolerance)
    assert len(of_theory.asked) < len(real.asked) - 10


@pytest.mark.parametrize("gap", [False, True])
def test_a_family_that_is_certified_not_to_be_monotone_is_refused(gap):
    line = Line(lambda x: 3 if 1.5 < x < 7 else 0.1 / x + 0.5, target=1e-2, gap=gap)
    with pytest.raises(ValueError, match="^make must be monotone in its parameter; cost is betw"):
        line.found()


def test_what_was_found_before_helps():
    first = Line(COSTS["bends"])
    search = _core.Search(first, first)
    search.run()
    alone, after, other = (Line(COSTS["bends"], target=1.1) for _ in range(3))
    expected = alone.found()
    assert after.found(search, alike=True) == pytest.approx(expected, rel=1e-3)
    assert other.found(search) == pytest.approx(expected, rel=1e-3)
    assert len(after.asked) < len(other.asked) + 2 <= len(alone.asked) + 2
    assert len(after.asked) <= 3


def test_what_a_question_raises_arrives():
    def fails(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Line(fails).found()
