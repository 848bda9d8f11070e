# SPDX-License-Identifier: Apache-2.0
"""Masses of the outcomes of mechanisms that have finitely many, or many that matter, in balls."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flint import arb, ctx

from hockeystick import mechanisms as known
from hockeystick.composition import Mechanism
from hockeystick.verify.balls import ZERO, between
from hockeystick.verify.errors import NotKnownError

MOST_OUTCOMES = 10**6
Masses = list[tuple[arb, arb]]  # of P and of Q


def outcomes(inner: Mechanism) -> tuple[Masses, arb]:
    """Masses where a record is added or removed, and P's mass of outcomes not listed."""
    match inner:
        case known.DiscreteLaplace():
            return discrete_laplace(inner, 1).pairs, ZERO
        case known.DiscreteGaussian():
            listed = discrete_gaussian(inner, 1)
            return listed.pairs, listed.slack
        case known.DiscretePair():
            return given(inner), ZERO
        case known.ExponentialMechanism() | known.ApproximateDP():
            return guarantee(inner), ZERO
    raise NotKnownError(f"no rigorous law of samples is written for {inner!r}")


def guarantee(mechanism: known.ExponentialMechanism | known.ApproximateDP) -> Masses:
    """The worst mechanism of an (epsilon, delta) guarantee."""
    odds, lost = arb(mechanism.guaranteed_epsilon).exp(), ZERO
    if isinstance(mechanism, known.ApproximateDP):
        lost = arb(mechanism.guaranteed_delta)
    likely, other = (1 - lost) * odds / (1 + odds), (1 - lost) / (1 + odds)
    return [(likely, other), (other, likely), (lost, ZERO), (ZERO, lost)]


class Listed(NamedTuple):
    """Outcomes by falling loss, `gap` times `places`; the mass of P, or Q, that is not listed."""

    pairs: Masses
    gap: arb
    places: range
    slack: arb = ZERO


def discrete_laplace(mechanism: known.DiscreteLaplace, distance: int) -> Listed:
    """The noise moved by s against not moved; both tails are one outcome each."""
    a, s = arb(mechanism.parameter), mechanism.sensitivity * distance
    if s > MOST_OUTCOMES:
        raise NotKnownError(f"{s} outcomes are more than {MOST_OUTCOMES}")
    scale = (a / 2).tanh()
    end, drop = scale / (1 - (-a).exp()), (-a * s).exp()
    pairs = [(end, drop * end)]
    pairs += [(scale * (-a * (s - x)).exp(), scale * (-a * x).exp()) for x in range(s - 1, 0, -1)]
    pairs += [(drop * end, end)]
    return Listed(pairs, a, range(s, -s - 1, -2))


def discrete_gaussian(mechanism: known.DiscreteGaussian, distance: int) -> Listed:
    """The noise moved by s against not moved; all noise within `reach` is listed, and s more."""
    s, variance = mechanism.sensitivity * distance, arb(mechanism.sigma) ** 2
    reach = math.ceil(math.sqrt(2 * ctx.prec) * mechanism.sigma) + 1
    cut = mechanism.truncation is None or reach + s < mechanism.truncation
    most = reach + s if cut else int(mechanism.truncation or 0)
    if most > MOST_OUTCOMES:
        raise NotKnownError(f"{2 * most + 1} outcomes are more than {2 * MOST_OUTCOMES}")
    weights = [(-arb(x * x) / (2 * variance)).exp() for x in range(most + 1)]
    total = 2 * sum(weights[1:], ZERO) + 1

    def beyond(x: int) -> arb:
        """At least the sum of the weights on one side beyond x: they fall geometrically."""
        return weights[x] / (1 - (-(x + arb(0.5)) / variance).exp())

    if cut:
        total += 2 * between(ZERO, beyond(most))

    def mass(x: int) -> arb:
        return weights[abs(x)] / total if abs(x) <= most else ZERO

    span = range(most, -most + s - 1, -1) if cut else range(most + s, -most - 1, -1)
    pairs = [(mass(x - s), mass(x)) for x in span]
    index = range(2 * span[0] - s, 2 * span[-1] - s - 1, -2)
    return Listed(pairs, s / (2 * variance), index, 2 * beyond(reach) if cut else ZERO)


def given(mechanism: known.DiscretePair) -> Masses:
    """Both are divided by their sums."""
    sums = [sum(map(arb, masses), ZERO) for masses in (mechanism.p, mechanism.q)]
    pairs = zip(mechanism.p, mechanism.q, strict=True)
    return [(arb(p) / sums[0], arb(q) / sums[1]) for p, q in pairs]


def multinomial(outcomes: Sequence[tuple[arb, arb]], count: int) -> Iterator[tuple[arb, arb]]:
    """The sums of `count` draws, by how often each loss is drawn; equal sums are not merged."""
    if not outcomes:
        return
    weights = [[arb(1)] for _ in outcomes]  # p^k / k!
    for (_, p), powers in zip(outcomes, weights, strict=True):
        for k in range(1, count + 1):
            powers.append(powers[-1] * p / k)

    last = len(outcomes) - 1

    def chosen(j: int, left: int, loss: arb, mass: arb) -> Iterator[tuple[arb, arb]]:
        if left == 0:
            yield loss, mass
            return
        for i in range(j, last):
            for k in range(1, left + 1):
                yield from chosen(i + 1, left - k, loss + k * outcomes[i][0], mass * weights[i][k])
        yield loss + left * outcomes[last][0], mass * weights[last][left]

    yield from chosen(0, count, ZERO, arb(count).gamma() * count)
