# SPDX-License-Identifier: Apache-2.0
"""A law of a few losses, some of them large: its deltas by the number of large losses, in balls."""

import itertools
import math

from flint import arb, ctx

from hockeystick import _core

EPSILON, THRESHOLD = 1.0, 0.4
# Losses and masses: some are so low that they need not be listed, some large, one infinite.
LAW = {
    -1.3: 0.004,
    -1.2: 0.004,
    -1.1: 0.004,
    0.0: 0.518,
    0.02: 0.4,
    0.11: 0.03,
    0.45: 0.02,
    0.83: 0.0085,
    0.97: 0.004,
    1.21: 0.003,
    2.05: 0.001,
    math.inf: 0.0035,
}


def pair_of(law=None):
    """A pair with this law of the loss under P; what Q has more is where P has nothing."""
    law = LAW if law is None else law
    p = list(law.values())
    q = [mass * math.exp(-loss) for loss, mass in law.items()]
    return _core.dominating_pair("discrete_pair", [*p, 0.0, *q, sum(p) - sum(q)])


def atoms(law=None):
    """The same in balls."""
    law = LAW if law is None else law
    p = [arb(mass) for mass in law.values()]
    q = [arb(mass * math.exp(-loss)) for loss, mass in law.items()]
    rest = arb(sum(float(x) for x in p) - sum(float(x) for x in q))
    p_sum, q_sum = sum(p, arb(0)), sum(q, arb(0)) + rest
    losses = [
        arb(math.inf) if loss == math.inf else (x / p_sum * q_sum / y).log()
        for loss, x, y in zip(law, p, q, strict=True)
    ]
    return [(loss, x / p_sum) for loss, x in zip(losses, p, strict=True)]


def value(loss, epsilon=EPSILON):
    """(1 - e^(epsilon - loss))+."""
    if loss == math.inf:
        return arb(1)
    gap = arb(epsilon) - loss
    return 1 - gap.exp() if gap < 0 else arb(0)


def is_above(loss, epsilon):
    """1 where a loss exceeds epsilon."""
    return arb(1 if loss == math.inf or loss > epsilon else 0)


def enumerated(count, epsilon=EPSILON, law=None, value=value):
    """What outcomes with none, one, two or more large losses add to delta, or to the tail."""
    law = LAW if law is None else law
    found = [arb(0)] * 3
    for chosen in itertools.combinations_with_replacement(
        list(zip(law, atoms(law), strict=True)), count
    ):
        ways = math.factorial(count)
        for loss in law:
            ways //= math.factorial(sum(name == loss for name, _ in chosen))
        mass, total = arb(ways), arb(0)
        for _, (loss, p) in chosen:
            mass *= p
            total += loss
        if any(name == math.inf for name, _ in chosen):
            total = math.inf
        large = sum(name >= THRESHOLD for name, _ in chosen)
        found[min(2, large)] += mass * value(total, epsilon)
    return found


def masses():
    """P-masses of large losses, and of those lower than all cells."""
    with ctx.workprec(200):
        law = dict(zip(LAW, (p for _, p in atoms()), strict=True))
        return (sum((p for loss, p in law.items() if loss >= THRESHOLD), arb(0)), law[-1.3])
