# SPDX-License-Identifier: Apache-2.0
"""Reports of local randomizers in random order: the blanket's sums, term by term.

The bound that is proved and the value that is attained at alpha >= 1 are both of the form
E (Z_1 + ... + Z_n)_+ / n for independent Z,
each g or -l with probability `ends` / 2, `third` (1 - alpha) with probability `same`, and else
`rest` (1 - alpha) (Balle, Bell, Gascon & Nissim 2019; Feldman, McMillan & Talwar 2021, 2022). Both
values of a user are alike, so that each curve is its own reverse, which gives alpha < 1.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from flint import arb, ctx

from hockeystick.adjacency import Direction
from hockeystick.mechanisms import ShuffledLocal
from hockeystick.verify.atoms import Steps
from hockeystick.verify.balls import ZERO, Curve, between, both_ways
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import undefined
from hockeystick.verify.work import spend

MOST_TERMS = 40_000  # of a sum
FEW, FEW_COMPOSED = 300, 40  # users of whom two numbers are summed over
MARGIN = 80  # bits that the sums may lose
PLACES = (0.0, 0.0625, 0.125, 0.25, 0.5)  # at which outputs of Laplace noise are compared


class Blanket(NamedTuple):
    """The law of one Z, whose values are functions of alpha with these factors."""

    odds: arb
    """g = scale (odds - alpha), l = scale (alpha odds - 1)."""
    scale: arb
    ends: arb
    rest: arb
    """Z is rest (1 - alpha) if it is nothing else."""
    third: arb
    same: arb
    """The probability that Z is third (1 - alpha)."""


def check(mechanism: ShuffledLocal, direction: Direction) -> None:
    """Refuse directions in which it has no pair."""
    if not direction.replaces:
        raise undefined(mechanism, direction)


def proved(mechanism: ShuffledLocal, direction: Direction, *, composed: bool = False) -> Curve:
    """The theorem of its kind; of many users the one of any randomizer, which has fewer terms."""
    check(mechanism, direction)
    e, k, n = arb(mechanism.epsilon0).exp(), mechanism.choices, mechanism.users
    one, two = arb(1), 2 / (1 + e)
    general = Blanket(e, one, two, ZERO, ZERO, ZERO)
    if mechanism.adaptive:
        general = Blanket(e, e * two, 1 / e, ZERO, ZERO, ZERO)
    if mechanism.randomizer == "k-ary" and k and k > 2:  # noqa: PLR2004
        special = Blanket(e, one, 2 / (e + k - 1), ZERO, one, (k - 2) / (e + k - 1))
    elif mechanism.randomizer == "laplace":
        share = -(-arb(mechanism.epsilon0) / 2).expm1() / (e - 1)
        special = Blanket(e, one, 2 * share, ZERO, e, (1 - (1 + e) * share) / e)
    else:
        special = general
    few = n <= (FEW_COMPOSED if composed else FEW)
    return _curve(special if few else general, n)


def attained(mechanism: ShuffledLocal) -> list[Curve]:
    """By users who all hold a third value, other reports merged; or the other one of the two."""
    e, k, n = arb(mechanism.epsilon0).exp(), mechanism.choices or 3, mechanism.users
    if mechanism.randomizer == "laplace" or k == 2:  # noqa: PLR2004
        return [*_counted(*_two_cells(mechanism), n)]
    return [_curve(Blanket(e, arb(1), 2 / (e + k - 1), (k - 2) / (e + k - 3), ZERO, ZERO), n)]


def _curve(law: Blanket, users: int) -> Curve:
    def above(epsilon: arb) -> arb:
        alpha = epsilon.exp()
        if alpha >= law.odds:
            return ZERO
        with ctx.workprec(ctx.prec + MARGIN):
            less, total = 1 - alpha, ZERO
            for j, weight in _counts(users, law.same):
                left, part = users - j, law.ends / (1 - law.same)
                offset = less * (j * law.third)
                total += weight * _positive_part(law, alpha, left, part, offset)
            missed = law.scale * (law.odds - alpha) * arb(2) ** -ctx.prec
            return (total / users + between(ZERO, missed)).min(arb(1)).max(ZERO)

    return both_ways(above, above)


def _positive_part(law: Blanket, alpha: arb, users: int, ends: arb, offset: arb) -> arb:
    """E (i g - (m - i) l + (n - m) rest + offset)_+, m of Bin(n, ends) and i of Bin(m, 1 / 2).

    Of i >= K, E (i G + c) is T (m G / 2 + c) + b K G / 2, T and b the probabilities that i is at
    least K, and is K. From one m to the next, and to a larger K, both follow by one step.
    """
    loss = law.scale * (alpha * law.odds - 1)
    both = law.scale * (law.odds - alpha) + loss
    rest, total = law.rest * (1 - alpha), ZERO
    last, at, tail, point = -2, 0, arb(1), arb(1)
    for m, weight in _counts(users, ends):
        c = offset + (users - m) * rest - m * loss
        place = -c / both
        needed = max(math.ceil(float(place.mid())), 0)
        is_sure = place <= needed and (needed == 0 or place > needed - 1)
        slip = ZERO if is_sure else 2 * both * place.rad()  # of i = K, which is about even
        if needed > m:
            total += weight * between(ZERO, slip)
            last = -2
            continue
        if last != m - 1 or at > needed:
            tail, point = _beginning(m, needed)
        else:
            tail, point = _next(m - 1, at, tail, point)
            for k in range(at, needed):
                tail, point = tail - point, point * (m - k) / (k + 1)
        last, at = m, needed
        total += weight * (tail * (m * both / 2 + c) + point * needed * both / 2)
        total += weight * between(-slip, slip)
    return total


def _beginning(m: int, k: int) -> tuple[arb, arb]:
    """P(i >= k) and P(i = k) of Bin(m, 1 / 2)."""
    ways = arb(m + 1).lgamma() - arb(k + 1).lgamma() - arb(m - k + 1).lgamma()
    first = point = (ways - m * arb(2).log()).exp()
    tail, least = point, arb(2) ** -ctx.prec
    for i in range(k, m):
        ratio = arb(m - i) / (i + 1)
        if 2 * i > m and point < least * tail:  # all further ones are a geometric series at most
            return tail + between(ZERO, point * ratio / (1 - ratio)), first
        point = point * ratio
        tail += point
    return tail, first


def _next(m: int, k: int, tail: arb, point: arb) -> tuple[arb, arb]:
    """P(i >= k) and P(i = k) of Bin(m + 1, 1 / 2), from those of Bin(m, 1 / 2)."""
    before = point * k / (m - k + 1)  # P(i = k - 1)
    return tail + before / 2, (point + before) / 2


def _counts(number: int, rate: arb) -> Iterator[tuple[int, arb]]:
    """The likely values of Bin(number, rate), from the least on; 2^-prec in all are left out."""
    if rate.is_zero() or number == 0:
        yield 0, arb(1)
        return
    q = float(rate)
    nats = (ctx.prec + 8) * math.log(2)
    far = math.sqrt(2 * nats * number * q * (1 - q)) + 2 * nats
    first = max(0, math.floor(number * q - far))
    last = min(number, math.ceil(number * q + far))
    if last - first > MOST_TERMS:
        raise NotKnownError(f"a sum over the numbers of users has over {MOST_TERMS} terms")
    spend(10.0 * (last - first))
    ways = arb(number + 1).lgamma() - arb(first + 1).lgamma() - arb(number - first + 1).lgamma()
    weight = (ways + first * rate.log() + (number - first) * (1 - rate).log()).exp()
    for m in range(first, last + 1):
        yield m, weight
        weight = weight * (number - m) / (m + 1) * rate / (1 - rate)


def _two_cells(mechanism: ShuffledLocal) -> tuple[arb, arb]:
    """A cell of outputs: its probability at the second value, and how much more at the first."""
    epsilon0 = arb(mechanism.epsilon0)
    e = epsilon0.exp()
    if mechanism.randomizer != "laplace":
        return 1 / (1 + e), (e - 1) / (1 + e)
    found = []
    for place in PLACES:
        high = (-epsilon0 * (1 - arb(place))).exp() / 2
        moved = 1 - (-epsilon0 * arb(place)).exp() / 2 - high
        found.append((float(moved * moved / (high * (1 - high))), (high, moved)))
    return max(found, key=lambda one: one[0])[1]


def _counted(high: arb, moved: arb, users: int) -> Iterator[Curve]:
    """How many reports are in that cell, all other users holding the second value; both ways."""
    outcomes = []
    for i, q in _counts(users, high):
        # The ratio of the user's own report, in the cell or not, given that i of all are there.
        ratio = 1 + moved * (i / high - (users - i) / (1 - high)) / users
        if ratio > 0 and q > 0:
            outcomes.append((ratio.log(), q * ratio, q))
    yield Steps([(loss, p) for loss, p, _ in outcomes])
    yield Steps([(-loss, q) for loss, _, q in outcomes])
