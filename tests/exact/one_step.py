# SPDX-License-Identifier: Apache-2.0
"""The hockey-stick curve of one step: closed forms through the inverse privacy loss.

L is monotone in x in each direction, so {L > eps} is a half line that ends at the x* with
L(x*) = eps, and delta(eps) = P(L > eps) - e^eps Q(L > eps) is a sum of normal tails.
"""

from flint import arb

from exact.balls import at_accuracy, normal_tail
from exact.model import Direction, Step


def gaussian_delta(mu: arb, epsilon: arb) -> arb:
    """N(mu) against N(0) (Balle & Wang 2018, Theorem 8), any mu > 0 and real epsilon."""

    def evaluate() -> arb:
        a = epsilon / mu - mu / 2
        return normal_tail(a) - epsilon.exp() * normal_tail(a + mu)

    return at_accuracy(evaluate)


def _remove(m: arb, q: arb, alpha: arb) -> arb:
    """{L > eps} = {x > x*}: (1-q) + q e^(m x - m^2/2) > alpha."""
    x = ((alpha - 1 + q) / q).log() / m + m / 2
    return (1 - q) * normal_tail(x) + q * normal_tail(x - m) - alpha * normal_tail(x)


def _add(m: arb, q: arb, alpha: arb) -> arb:
    """{L > eps} = {x < x*}: (1-q) + q e^(m x - m^2/2) < 1/alpha; empty when 1/alpha <= 1-q."""
    rest = 1 / alpha - 1 + q
    if rest <= 0:
        return arb(0)
    x = (rest / q).log() / m + m / 2
    return normal_tail(-x) - alpha * ((1 - q) * normal_tail(-x) + q * normal_tail(m - x))


def _replace(m: arb, q: arb, alpha: arb) -> arb:
    """{L > eps} = {x < x*}, x* = log(t) / m.

    With b = q e^(-m^2/2), t is the positive root of alpha b t^2 + (alpha - 1)(1 - q) t - b.
    """
    b = q * (-m * m / 2).exp()
    linear = (alpha - 1) * (1 - q)
    t = 2 * b / (linear + (linear * linear + 4 * alpha * b * b).sqrt())
    x = t.log() / m
    p_mass = (1 - q) * normal_tail(-x) + q * normal_tail(-x - m)
    q_mass = (1 - q) * normal_tail(-x) + q * normal_tail(m - x)
    return p_mass - alpha * q_mass


_CURVES = {"remove": _remove, "add": _add, "replace": _replace}


def step_delta(step: Step, epsilon: arb, direction: Direction) -> arb:
    """delta(epsilon) of one step in one direction, epsilon >= 0."""

    def evaluate() -> arb:
        curve = _CURVES[direction]
        return curve(1 / arb(step.sigma), arb(step.q), epsilon.exp())

    return at_accuracy(evaluate)
