# SPDX-License-Identifier: Apache-2.0
"""Curves above and below what is made from others: menus, shared samples, the best of runs."""

from collections.abc import Callable
from itertools import pairwise

from flint import arb, ctx, fmpq

from hockeystick import mechanisms as known
from hockeystick.adjacency import Direction
from hockeystick.composition import Composable
from hockeystick.verify.atoms import Steps
from hockeystick.verify.balls import ZERO, Curve, ball_of, both_ways, falling_root, maximum
from hockeystick.verify.closed import sampled
from hockeystick.verify.curves import Composed
from hockeystick.verify.ends import Between, lower_hull
from hockeystick.verify.groups import any_for_all, chained
from hockeystick.verify.knots import Knots, exactly, farthest
from hockeystick.verify.laws import undefined

MADE = (known.AnyOf, known.PoissonSampledRun, known.BestOf)
RANKS = 500  # places of a ranking at which the theorem is taken
DECADES = 14  # of these places
FINE = 1000  # knots of the run
Made = known.AnyOf | known.PoissonSampledRun | known.BestOf | known.Grouped


Of = Callable[[Composable, Direction], Between[Composed]]


class Number:
    """The law of the number of runs: f, the mean of s^K."""

    def __init__(self, best: known.BestOf) -> None:
        self._mean: arb = arb(best.mean)
        self.most = self._trials = int(best.mean) if best.runs == "fixed" else best.trials
        self._shape = {"geometric": arb(1), "logarithmic": ZERO}.get(best.runs)
        if best.shape is not None:
            self._shape = arb(best.shape)
        self._rate = arb(1)
        if self._shape is not None and best.mean > 1:
            start = arb(2) ** -200
            self._rate = falling_root(self._mean_at, self._mean, start, arb(1), ctx.prec)

    def _mean_at(self, rate: arb) -> arb:
        """The mean of a truncated negative binomial number, which falls in its rate."""
        if rate == 1:
            return arb(1)
        shape = self._shape or ZERO
        if shape.is_zero():
            return (1 - rate) / rate / -rate.log()
        return shape * (1 - rate) / (rate * -(shape * rate.log()).expm1())

    def of(self, s: arb) -> arb:
        """f(s)."""
        if self._trials is not None:
            return (1 + self._mean / self._trials * (s - 1)) ** self._trials
        if self._shape is None:
            return (self._mean * (s - 1)).exp()
        rest = (1 - (1 - self._rate) * s).log()
        if self._rate == 1:
            return s
        if self._shape.is_zero():
            return rest / self._rate.log()
        return (-self._shape * rest).expm1() / (-self._shape * self._rate.log()).expm1()

    def slope(self, s: arb) -> arb:
        """f'(s)."""
        if self._trials is not None:
            return self._mean * (1 + self._mean / self._trials * (s - 1)) ** (self._trials - 1)
        if self._shape is None or self._rate == 1:
            return self._mean * (self.of(s) if self._shape is None else arb(1))
        left = 1 - (1 - self._rate) * s
        if self._shape.is_zero():
            return (self._rate - 1) / (left * self._rate.log())
        scale = self._shape * (1 - self._rate) / (-self._shape * self._rate.log()).expm1()
        return scale * (-(self._shape + 1) * left.log()).exp()


def best_above(number: Number, forth: Knots, behind: Knots) -> Curve:
    """E_Q phi(dP / dQ) + P(K = 0) (1 - a)_+, phi(r) the largest of D(x) r - a D(g(x)) and of 0.

    D(x) = f'(1 - x) falls, and g(x) = sup {Q(S): P(S) <= x} does not: between two places of a
    ranking the line of D at the first and of g at the second lies above. The hull of these lines
    has kinks at a t, and E_Q (dP / dQ - a t)_+ = h(a t).
    """
    above = forth.above()
    whole = Steps(above.outcomes)
    ranks = [10 ** (-k * DECADES / RANKS) for k in range(RANKS, -1, -1)]
    slopes = [number.slope(1 - arb(x)).upper() for x in (0.0, *ranks[:-1])]
    costs = [number.slope(1 - behind.power(x)).lower() for x in ranks]
    lines = dict(sorted(zip(map(exactly, slopes), map(exactly, costs), strict=True), reverse=True))
    hull = lower_hull([(fmpq(0), fmpq(0)), *sorted(lines.items())])
    kinks = [(ball_of(b - a), ball_of((w - v) / (b - a))) for (a, v), (b, w) in pairwise(hull)]
    none = number.of(ZERO)

    def curve(epsilon: arb) -> arb:
        total = none * (-epsilon.expm1()).max(ZERO)
        for jump, place in kinks:
            at = epsilon + place.log() if place > 0 else None
            total += jump * (arb(1) if at is None else above.infinite + whole(at))
        return total.min(arb(1))

    return curve


def best_below(number: Number, knots: Knots) -> Curve:
    """Scores put the largest losses first, or last: the event that the best is one of these."""
    law = knots.below()
    sums = [(law.infinite, ZERO)]
    for loss, p in law.outcomes[::-1]:
        sums.append((sums[-1][0] + p, sums[-1][1] + p * (-loss).exp()))

    def some(x: arb) -> arb:
        return 1 - number.of(1 - x)

    events = [(some(p), some(q)) for p, q in sums]
    events += [(number.of(p.min(arb(1))), number.of(q.min(arb(1)))) for p, q in sums]

    def at(epsilon: arb) -> arb:
        alpha = epsilon.exp()
        return maximum(ZERO, 1 - alpha, *(p - alpha * q for p, q in events))

    return at


def ends_of_made(mechanism: Made, direction: Direction, curves: Of) -> Between[Curve]:
    """The curves above and below one release; `curves` has those of a run in a direction."""
    if isinstance(mechanism, known.AnyOf):
        every = [curves(1 * one, direction) for one in mechanism.options]
        proved = [one.proved.delta for one in every]
        attained = tuple(one.delta for sides in every for one in sides.attained)
        return Between(lambda epsilon: maximum(*(one(epsilon) for one in proved)), attained)
    if isinstance(mechanism, known.Grouped):
        return _of_group(mechanism, direction, curves)
    forward = direction.reversed if direction.backward else direction
    if isinstance(mechanism, known.PoissonSampledRun):
        if direction.replaces:
            raise undefined(mechanism, direction)
        rate, back, run = arb(mechanism.sampling_probability), direction.backward, mechanism.run
        both = curves(run, forward)
        above, *below = (
            sampled(rate, one.delta, back=back) for one in (both.proved, *both.attained)
        )
        return Between(above, tuple(below))
    return _of_best(mechanism, direction, curves)


def _of_group(group: known.Grouped, direction: Direction, curves: Of) -> Between[Curve]:
    """Chains of neighbours above, and what sees any of a sampled group below."""
    one = 1 * group.mechanism
    forth, back = (curves(one, way).proved.delta for way in (direction, direction.reversed))
    below = curves(1 * any_for_all(group), direction).attained
    return Between(chained(group.size, forth, back), tuple(side.delta for side in below))


def _of_best(best: known.BestOf, direction: Direction, curves: Of) -> Between[Curve]:
    """The theorem on ranks; the best is a function of the number and of as many runs as it has."""
    number = Number(best)
    forth, behind = (curves(best.run, way) for way in (direction, direction.reversed))
    above = forth.proved.delta, behind.proved.delta  # each keeps its digits above 0
    ahead, back = both_ways(*above), both_ways(*above[::-1])
    ends = farthest(ahead), farthest(back)
    knots = Knots(ahead, forth.proved.infinite, FINE, ends)
    proved = [best_above(number, knots, Knots(back, None, FINE, ends[::-1]))]
    if number.most is not None:
        proved.append(curves(number.most * best.run, direction).proved.delta)

    def least(epsilon: arb) -> arb:
        return -maximum(*(-one(epsilon) for one in proved))

    attained = (
        knots if one is forth.proved else Knots(one.delta, one.infinite, FINE, ends)
        for one in forth.attained
    )
    return Between(least, tuple(best_below(number, one) for one in attained))
