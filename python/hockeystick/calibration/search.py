# SPDX-License-Identifier: Apache-2.0
"""Search of a monotone family for the costliest parameter that a certified cost still allows.

It knows costs only through enclosures, whose width it chooses: wide ones first. Positions are
logarithms of the parameter and heights are logarithms of the cost over the target, so that the
power laws by which privacy depends on its parameters are straight lines, and secants converge in
a few steps. Where a secant is of no use, the bracket is halved or the search widened.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from hockeystick.bounds import Bounds
from hockeystick.calibration.families import Family, Parameter
from hockeystick.disjoint import AnyRun
from hockeystick.errors import CertificationError

COARSE = 1e-2
SHARE = 0.25  # of the tolerance: the part of the target that may be left unspent
NARROW = 1e-9  # relative width of a bracket in which the cost is taken to jump
_COMPARABLE = 0.05  # rise between two final samples, in widths, that says something of the slope
_FAR = math.log(8)  # a step this long that changes nothing ends the search for less cost
_PATIENCE = 4  # evaluations in which a bracket has to halve
_MOST_EVALUATIONS = 400
_REMEMBERED = 6  # samples of a search for another target


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The cost not to be exceeded, and how other costs compare with it."""

    name: str
    target: float
    at: tuple[float, ...]  # of the cost: the delta, or the false positive rate
    tolerance: float
    ask: Callable[[AnyRun, float], Bounds[float]]
    hasty: Callable[[AnyRun, float], Bounds[float]]  # the same with little memory, so soon
    advantage: Callable[[AnyRun], Bounds[float]]  # whatever the goal, it knows more cost from less
    scale: Callable[[float], float]  # increasing, from -inf to inf
    coarse: float = COARSE  # tolerance of the first evaluations


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One evaluation."""

    value: Parameter
    position: float
    lower: float
    upper: float
    height: float
    noise: float  # width of the enclosure in terms of heights
    tolerance: float  # that it was asked with
    final: bool  # that of the goal
    error: CertificationError | None


class Search:
    """One search: the family, the goal, and the latest sample at each parameter tried.

    `before`: one that is done, of a family and a goal nearby.
    """

    def __init__(self, family: Family, goal: Goal, before: "Search | None" = None) -> None:
        self.family = family
        self.goal = goal
        self._level = goal.scale(goal.target)
        self.samples: dict[Parameter, Sample] = {}
        self.sign: int = 0  # of the slope of the cost over the parameter; 0: not known yet
        self.slope: float = 0.0  # of positions over heights, about; 0: not known
        self._bracket: tuple[Sample | None, Sample | None] = (None, None)
        self._widths: list[float] = []  # of the bracket, after each evaluation
        if before is not None:
            self._learn_from(before)

    def _height(self, cost: float) -> float:
        """How far the cost is above the target."""
        return self.goal.scale(cost) - self._level

    def _learn_from(self, before: "Search") -> None:
        """The direction and steepness of the cost and, at the same delta, what it is nearby."""
        near = sorted(before.samples.values(), key=lambda sample: abs(sample.height))
        self.sign, self.slope = before.sign, before.slope
        for a, b in pairwise(near):
            if (a.height - b.height) * (a.position - b.position) * self.sign > 0:
                self.slope = (a.position - b.position) / (a.height - b.height)
                break
        if not self.sign:
            return
        if self.goal.at != before.goal.at or self.family is not before.family:
            self._measure(near[0].value, self.goal.tolerance)
            return
        # What was asked at an end may be hasty.
        known = [one for one in near if one.error is None and one.value != before.end()]
        known.sort(key=lambda sample: abs(self._height(sample.upper)))
        for one in known[:_REMEMBERED]:
            self._enter(one.value, one.lower, one.upper, one.tolerance)
        if not self.samples:
            self._measure(near[0].value, self.goal.tolerance)

    def run(self) -> Sample:
        """The sample at the parameter found, whose upper bound is at most the target.

        Raises:
            ValueError: No parameter meets the target, or the family is not monotone.
            CertificationError: The tolerance is out of reach at the parameter found, or so far out
                of reach everywhere that no two parameters can be told apart.
        """
        if not self.sign:
            self._find_sign()
        while len(self._widths) < _MOST_EVALUATIONS:
            inside, outside = self._bracket
            if inside is not None and self._is_last(inside, outside):
                # Where everything fits, how well the cost is known does not matter.
                if inside.error is not None and inside.value != self.end():
                    raise inside.error
                if inside.final:
                    return inside
                self._measure(inside.value, self.goal.tolerance)
            else:
                self._refuse_the_unreachable(inside, outside)
                self._measure(*self._next(inside, outside))
        raise ValueError(
            f"make must be monotone and {self.goal.name} certifiable around the target: after "
            f"{_MOST_EVALUATIONS} evaluations the search had not settled between "
            f"{inside and inside.value!r} and {outside and outside.value!r}"
        )

    def _find_sign(self) -> None:
        """Sample until two enclosures are apart, so that the direction is certain."""
        tolerance = max(self.goal.coarse, self.goal.tolerance)
        self._measure(self.family.start, tolerance)
        for value in self._probes():
            new = self._measure(value, tolerance)
            for old in self.samples.values():
                if old.upper < new.lower or new.upper < old.lower:
                    self.sign = 1 if (old.upper < new.lower) == (old.value < new.value) else -1
                    self._refuse_contradictions()
                    self._bracket = self._closest()
                    return
        samples = self.samples.values()
        if all(sample.upper <= self.goal.target for sample in samples):
            self.sign = self._sign_of_advantage()
            if self.sign:
                self._bracket = self._closest()
                return
        unmet = [sample.error for sample in samples if sample.error is not None]
        if unmet:  # the enclosures are too wide to tell
            raise unmet[0]
        low, high = min(self.samples), max(self.samples)
        if all(sample.lower == math.inf for sample in samples):
            raise ValueError(
                f"{self.goal.name} must be within the reach of make, got {self.goal.target!r}: it "
                f"is inf at {low!r} as at {high!r} and between"
            )
        raise ValueError(
            f"make must depend on its parameter: {self.goal.name} is "
            f"{self.samples[low].upper!r} at {low!r} as at {high!r} and between"
        )

    def _sign_of_advantage(self) -> int:
        """The direction of more cost where all parameters fit, which an epsilon of 0 hides."""
        known: dict[Parameter, Bounds[float]] = {}
        for value in self.samples:
            new = self.goal.advantage(self.family.at(value)[1])
            for other, old in known.items():
                if old.upper < new.lower or new.upper < old.lower:
                    return 1 if (old.upper < new.lower) == (other < value) else -1
            known[value] = new
        return 0

    def _probes(self) -> Iterator[Parameter]:
        """Parameters ever farther from the start, in turn on both sides.

        The first is where the target might be: of whole numbers if the cost rises with them, and of
        others, most often noise, if it falls. Only small steps are taken that might cost more.
        """
        first = next(iter(self.samples.values()))
        sign = -1 if (first.height > 0) == self.family.integer else 1
        careful = 2 if first.height < 0 and not self.family.integer else 1  # noise acts steeply
        reach = min(max(abs(first.height) / careful, math.log(2)), math.log(16))
        step = sign * (math.log(2) if first.height > 0 else reach)
        steps = [step, -step if self._takes(first.position + step) else -sign * reach]
        steps += [sign * math.log(16) * 2**k for k in range(8) for sign in (1, -1)]
        for step in steps:
            if self._takes(first.position + step):
                yield self.family.value(first.position + step)
        for step in (math.log(2), -math.log(2)):  # a narrow domain: its ends
            end = self.family.at(self.family.value(first.position + step))[0]
            if end not in self.samples:
                yield end

    def _takes(self, position: float) -> bool:
        value = self.family.value(position)
        return value not in self.samples and self.family.accepts(value)

    def _measure(self, value: Parameter, tolerance: float) -> Sample:
        value, made = self.family.at(value)
        error, (lower, upper) = None, (0.0, math.inf)
        if value == self.end():  # how well the cost is known there does not matter if it fits
            lower, upper = self.goal.hasty(made, tolerance)
        if not upper <= self.goal.target:
            try:
                lower, upper = self.goal.ask(made, tolerance)
            except CertificationError as caught:  # its bounds hold, and may be enough
                (lower, upper), error = caught.bounds, caught
        return self._enter(value, lower, upper, tolerance, error)

    def _enter(
        self,
        value: Parameter,
        lower: float,
        upper: float,
        tolerance: float,
        error: CertificationError | None = None,
    ) -> Sample:
        final = tolerance <= self.goal.tolerance
        if final:
            cost = upper
        else:  # what the upper bound will be, to judge by most finer enclosures
            cost = min(upper, (lower + (upper - lower) / 2) * (1 + 0.4 * self.goal.tolerance))
        sample = Sample(
            value=value,
            position=self.family.position(value),
            lower=lower,
            upper=upper,
            height=self._height(cost),
            noise=self.goal.scale(upper) - self.goal.scale(lower),
            tolerance=tolerance,
            final=final,
            error=error,
        )
        self.samples[value] = sample
        self._refuse_contradictions()
        self._bracket = self._closest()
        self._widths.append(_distance(*self._bracket))
        return sample

    def _ordered(self) -> list[Sample]:
        """The samples from the cheapest on."""
        return sorted(self.samples.values(), key=_position, reverse=self.sign < 0)

    def _closest(self) -> tuple[Sample | None, Sample | None]:
        """The cheapest sample that misses the target, and the costliest below that meets it."""
        inside = None
        for sample in self._ordered():
            if sample.upper <= self.goal.target:
                inside = sample
            elif sample.final or sample.lower > self.goal.target:
                return inside, sample
        return inside, None

    def end(self) -> Parameter:
        """The costliest parameter of the domain, as far as it is known."""
        return self.family.high if self.sign > 0 else self.family.low

    def _is_last(self, inside: Sample, outside: Sample | None) -> bool:
        """Whether no costlier parameter is worth looking for."""
        if inside.value == self.end():
            return True
        if self.family.integer:
            return outside is not None and abs(outside.value - inside.value) == 1
        if _distance(inside, outside) <= NARROW:
            return True
        spent = (1 - SHARE * self.goal.tolerance) * self.goal.target
        return inside.final and inside.upper >= spent

    def _next(self, inside: Sample | None, outside: Sample | None) -> tuple[Parameter, float]:
        """What to ask next, and how finely: a secant step squares the distance or so."""
        value = self.family.at(self.family.value(self._guess(inside, outside)))[0]
        if self.family.integer:
            value = self._strictly_between(value, inside, outside)
        nearest = min(abs(sample.height) for sample in self.samples.values())
        coarse = self.goal.coarse * min(1, 10 * nearest * nearest)
        # Only a finer answer can be news; where the last parameter fits, it is the answer.
        if value in self.samples or (outside is None and value == self.end()):
            coarse = 0.0
        return value, max(self.goal.tolerance, coarse)

    def _strictly_between(
        self, value: Parameter, inside: Sample | None, outside: Sample | None
    ) -> Parameter:
        for sample, towards in ((inside, self.sign), (outside, -self.sign)):
            if sample is not None and (value - sample.value) * towards <= 0:
                value = sample.value + towards
        return value

    def _guess(self, inside: Sample | None, outside: Sample | None) -> float:
        straight = self._interpolated()
        if inside is not None and outside is not None:
            ends = sorted((inside.position, outside.position))
            stuck = self._widths[-1] > 0.5 * self._widths[-1 - _PATIENCE :][0]
            # A coarse sample may meet the target where a final one is expected not to.
            fair = not inside.final and (inside.position - (straight or 0)) * self.sign >= 0
            if straight is None or stuck or not (fair or ends[0] < straight < ends[1]):
                return (ends[0] + ends[1]) / 2
            return straight
        known = inside or outside
        if known is None:  # nothing is decided yet: ask the nearest again
            return min(self.samples.values(), key=lambda sample: abs(sample.height)).position
        towards = self.sign if outside is None else -self.sign
        positions = [sample.position for sample in self.samples.values()]
        most = max(math.log(8), max(positions) - min(positions))
        if straight is None or (straight - known.position) * towards <= 0:
            return known.position + towards * most
        return known.position + towards * min(most, abs(straight - known.position))

    def _interpolated(self) -> float | None:
        """Where a curve through the samples nearest to the target meets it.

        It is the parabola, position over height, through three of them, or a line through two.
        """
        near = [sample for sample in self.samples.values() if math.isfinite(sample.height)]
        near.sort(key=lambda sample: abs(sample.height) + (0 if sample.final else sample.noise))
        spend = 1 if self.family.integer else 1 - 0.5 * SHARE * self.goal.tolerance
        aim = self._height(spend * self.goal.target)
        if not near:
            return None
        chosen, slope = near[:1], 0.0
        for other in near[1:]:
            rise, run = other.height - near[0].height, other.position - near[0].position
            if rise * run * self.sign <= 0:
                continue
            if len(chosen) == 1:
                slope = run / rise
            # Rises within the enclosures' widths may be noise, of which equal widths share most.
            trust = _COMPARABLE if near[0].final and other.final else 2.0
            if abs(rise) > trust * max(near[0].noise, other.noise):
                chosen.append(other)
        slope = slope or self.slope
        if slope == 0:
            return None
        line = near[0].position + slope * (aim - near[0].height)
        return _parabola(chosen, slope, aim, line)

    def _refuse_the_unreachable(self, inside: Sample | None, outside: Sample | None) -> None:
        if inside is not None or outside is None:
            return
        best, *others = self._ordered()
        end = best.value == (self.family.low if self.sign > 0 else self.family.high)
        second = others[0] if others else best
        flat = abs(best.position - second.position) > _FAR and best.upper >= second.lower
        if end and (best.final or best.lower > self.goal.target):
            where = f"at the most private parameter, {best.value!r},"
        elif flat and best.lower > self.goal.target:
            where = f"at {best.value!r}, hardly less than at {second.value!r},"
        else:
            return
        if best.error is not None and best.lower <= self.goal.target:
            raise best.error  # which says what would tell more
        raise ValueError(
            f"{self.goal.name} must be within the reach of make, got {self.goal.target!r}: "
            f"{where} it is between {best.lower!r} and {best.upper!r}; raise the target, or give "
            "bounds"
        ) from best.error

    def _refuse_contradictions(self) -> None:
        if not self.sign:
            return
        worst: Sample | None = None
        for sample in self._ordered():
            if worst is not None and worst.lower > sample.upper:
                raise ValueError(
                    f"make must be monotone in its parameter; {self.goal.name} is at least "
                    f"{worst.lower!r} at {worst.value!r} but at most {sample.upper!r} at "
                    f"{sample.value!r}, the other way than elsewhere"
                )
            if worst is None or sample.lower > worst.lower:
                worst = sample


_position = attrgetter("position")


def _distance(inside: Sample | None, outside: Sample | None) -> float:
    if inside is None or outside is None:
        return math.inf
    return abs(outside.position - inside.position)


def _parabola(samples: list[Sample], slope: float, aim: float, line: float) -> float:
    """The line's guess with the curvature counted, if it is known and stays a correction."""
    if len(samples) < 3 or samples[1].height == samples[2].height:  # noqa: PLR2004
        return line
    a, b, c = samples[:3]
    other = (c.position - a.position) / (c.height - a.height)
    bend = (other - slope) / (c.height - b.height) * (aim - a.height) * (aim - b.height)
    return line + bend if abs(bend) <= 0.5 * abs(line - a.position) else line
