# SPDX-License-Identifier: Apache-2.0
"""What can be asked of the curves of all directions, in balls."""

import math
from collections.abc import Callable, Sequence

from flint import arb, ctx

from hockeystick.verify.allocation import Allocated
from hockeystick.verify.atoms import Steps
from hockeystick.verify.balls import (
    ZERO,
    Curve,
    between,
    falling_root,
    maximum,
    proposed,
)
from hockeystick.verify.curves import Composed
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.shuffles import Above, Joined
from hockeystick.verify.work import bounded

FARTHEST = 2.0**40  # nats: no epsilon asked for is as large
ROUGH_DIGITS, ROUGH_BITS = 12, 120
ROUGH_WORK = 1e6  # of a search, for each distinct step; answers that are found take less
SELDOM = 0.5  # of Chernoff's epsilon, below which a search begins at the normal one
MARGIN = 1e-3  # of an epsilon known to few digits
NEARBY, NEAR = 4, 0.7  # points below an epsilon that is too large, and the share of it that each is


def delta(directions: Sequence[Composed], epsilon: float, _: int) -> arb:
    """The largest."""
    at = arb(epsilon)
    found: list[arb] = []
    for one in _likeliest_first(directions, lambda one: _least_delta(one, at)):
        if not any(_least_delta(one, at) <= other for other in found):
            found.append(one.delta(at))
    return maximum(*found)


def bayes_risk(directions: Sequence[Composed], prior: float, _: int) -> arb:
    """prior (1 - delta(log odds against it)), delta at any real epsilon."""
    odds = ((1 - arb(prior)) / arb(prior)).log()
    return arb(prior) * (1 - maximum(*(one.delta(odds) for one in directions)))


def epsilon(directions: Sequence[Composed], target: float, digits: int) -> arb:
    """The largest. A direction whose delta is at most the target there for certain has none."""
    goal = arb(target)
    found: list[arb] = []
    for one in _likeliest_first(directions, lambda one: _least_epsilon(one, goal)):
        if not any(_least_delta(one, other.lower()) <= goal for other in found if other > 0):
            found.append(_epsilon(one, goal, digits))
    return maximum(*found)


def _likeliest_first(
    directions: Sequence[Composed], most: Callable[[Composed], arb | float]
) -> list[Composed]:
    """By what may be the largest at most: others may then need no contour, or have none."""
    return sorted(directions, key=lambda one: -float(most(one)))


def _least_delta(one: Composed, epsilon: arb) -> arb:
    """What delta is at most for certain, by Chernoff's inequality; 1 without moments."""
    if one.contour is None:
        return arb(1)
    return (one.contour.tilts.least(epsilon) + one.infinite + one.slack).min(arb(1))


def _least_epsilon(one: Composed, target: arb) -> float:
    """A double near the epsilon that Chernoff's inequality tells; inf without moments."""
    rest = target - one.infinite - one.slack
    if one.contour is None or not rest > 0:
        return math.inf
    return one.contour.tilts.epsilon(float(rest.log()))


def _epsilon(one: Composed, target: arb, digits: int) -> arb:
    if isinstance(one.finite, Above):
        return one.finite.epsilon(target)
    if one.infinite > target:
        return arb("inf")
    if not one.infinite < target:
        exact = one.infinite.is_exact() and one.slack.is_zero()
        if exact and one.supremum is not None:
            return maximum(ZERO, one.supremum)
        raise NotKnownError("delta is within rounding of the probability of an infinite loss")
    high = _beyond(one, target)
    if high.is_zero():
        return ZERO
    low, high = _near(one, target, high) or _bracket(one, target, high)
    bits = int(digits * 3.33) + 20
    return falling_root(one.delta, target, low, high, bits) if high > 0 else ZERO


def _near(one: Composed, target: arb, high: arb) -> tuple[arb, arb] | None:
    """Epsilons next to each other with the answer between them, sought from below.

    Where large losses are rare, Chernoff's bounds are far above, and moments fall slowest there.
    """
    rest = target - one.infinite - one.slack
    if one.contour is None or not rest > 0:
        return None
    low = arb(one.contour.tilts.quantile(float(rest.log())))
    if not 0 < low < high * SELDOM:
        return None
    try:
        with ctx.workprec(ROUGH_BITS), bounded(ROUGH_WORK * one.contour.number):
            rough, top = one.contour.rough(ROUGH_DIGITS), low
            while rough(top) > rest and top < high:
                low, top = top, (top / SELDOM).min(high).mid()
            middle = proposed(rough, rest, low, top, ROUGH_BITS // 4)
    except NotKnownError:
        return None
    low, high = ((middle * (1 + sign * MARGIN)).mid() for sign in (-1, 1))
    return (low, high) if one.delta(low) > target and one.delta(high) <= target else None


def _bracket(one: Composed, target: arb, high: arb) -> tuple[arb, arb]:
    """Epsilons whose deltas are above and at most the target, near each other; zeros at delta(0).

    What a contour keeps serves epsilons near the one it was made for, so that 0 is asked last.
    """
    for _ in range(NEARBY):
        low = (NEAR * high).mid()
        value = one.delta(low)
        if value > target:
            return low, high
        if not value <= target:
            break
        high = low
    return ZERO, ZERO if one.delta(ZERO) <= target else high


def _beyond(one: Composed, target: arb) -> arb:
    """An epsilon whose delta is at most the target for certain."""
    if isinstance(one.finite, Allocated | Joined):
        return one.finite.beyond(target)
    high = 1.0
    rest = target - one.infinite - one.slack
    if one.contour is not None and rest > 0:
        high = max(one.contour.tilts.epsilon(float(rest.log())) * 1.0001, 1e-300)
        if one.contour.tilts.least(arb(high)) <= rest:
            return one.contour.nearer(arb(high), rest)
    if one.supremum is not None and one.slack.is_zero():
        return one.supremum
    if not rest > 0:
        raise NotKnownError("outcomes that are left out are as likely as delta")
    while high < FARTHEST:
        if one.delta(arb(high)) <= target:
            return arb(high)
        high *= 2
    raise NotKnownError("no epsilon is found whose delta is certainly below the target")


def power(directions: Sequence[Composed], rate: float, digits: int) -> arb:
    """The largest true positive rate of a test at a false positive rate."""
    return maximum(*(_power(one, arb(rate), digits) for one in directions))


def _power(one: Composed, rate: arb, digits: int) -> arb:
    """The smallest value of h(alpha) + alpha x over alpha >= 0, h(alpha) = delta(log alpha).

    (Dong, Roth & Su 2022, Proposition 6.) It is convex. So between two points, where it falls to
    the left one and grows from the right one, it is above both chords from beyond, prolonged.
    """
    if rate.is_zero():
        return one.infinite + between(ZERO, one.slack)
    if rate == 1:
        return arb(1)

    if isinstance(one.finite, Above):
        return one.finite.power(rate)
    if isinstance(one.finite, Steps):
        return one.finite.power(rate, one.delta, one.infinite)

    def total(x: arb) -> arb:
        alpha = x.exp()
        return one.delta(x) + alpha * rate

    centre = _turning(one, rate)
    close = (abs(centre).mid() + arb(10) ** -6) * arb(10) ** -(digits // 2 + 2)
    for widening in (10**k for k in range(0, digits // 2 + 2, 3)):
        points = [(centre + k * widening * close).mid() for k in range(-2, 3)]
        values = [total(x) for x in points]
        if values[2] <= values[1] and values[2] <= values[3]:
            return _least([x.exp() for x in points], values)
    raise NotKnownError("the turning point of the trade-off curve is not bracketed")


def _least(x: Sequence[arb], f: Sequence[arb]) -> arb:
    """The least value of a convex function, from five points, at the middle one the smallest.

    Then it is least between the neighbours of that. From point k to k + 1 it lies above two
    chords prolonged, those on either side. Where they fall and grow, their largest is least where
    they meet; where both fall or grow, at an end. Where the balls do not tell the chords apart,
    each is followed to the other end of its part.
    """
    floor = f[2]
    for k in (1, 2):
        left = (f[k] - f[k - 1]) / (x[k] - x[k - 1])
        right = (f[k + 2] - f[k + 1]) / (x[k + 2] - x[k + 1])
        width = x[k + 1] - x[k]
        if not right > left:
            from_left = f[k] + (left * width).min(ZERO)
            from_right = f[k + 1] - (right * width).max(ZERO)
            floor = floor.min(from_left.max(from_right))
            continue
        meeting = (f[k + 1] - f[k] - right * width) / (left - right)  # from point k on
        floor = floor.min(f[k] + left * meeting).min(f[k]).min(f[k + 1])
    return between(floor, f[2])


def _turning(one: Composed, rate: arb) -> arb:
    """About where the false positive rate of losses beyond x falls to `rate`.

    A rough contour goes there first, so that the one of all digits is made for that place alone.
    """
    if one.contour is None:
        start = arb(1)
        if isinstance(one.finite, Allocated | Joined):
            start = arb(one.finite.about(float(rate.log())))
        return _crossing(one.delta, rate, start, start / 4)
    start = arb(one.contour.tilts.quantile(float(rate.log())))
    with ctx.workprec(ROUGH_BITS), bounded(ROUGH_WORK * one.contour.number):
        centre = _crossing(one.contour.rough(ROUGH_DIGITS), rate, start, start / 4)
    return _crossing(one.delta, rate, centre, (abs(centre) + arb(10) ** -6) * arb(2) ** -12)


def _crossing(curve: Curve, rate: arb, start: arb, step: arb) -> arb:
    """The false positive rate is -h'(e^x): a central difference of h has half of the digits."""

    def beyond(x: arb) -> arb:
        near = (abs(x) + arb(10) ** -6).mid() * arb(2) ** (-ctx.prec // 4)
        low, high = (x - near).mid(), (x + near).mid()
        return ((curve(low) - curve(high)) / (high.exp() - low.exp())).mid()

    high = low = start.mid()
    while beyond(high) > rate and high < FARTHEST:
        low, high, step = high, (high + step).mid(), 2 * step
    while beyond(low) <= rate and low > -FARTHEST:
        low, high, step = (low - step).mid(), low, 2 * step
    return proposed(beyond, rate, low, high, ctx.prec // 3).mid()
