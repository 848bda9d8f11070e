# SPDX-License-Identifier: Apache-2.0
"""The hockey-stick curve of one Gaussian: its closed form."""

from flint import arb

from exact.balls import at_accuracy, normal_tail


def gaussian_delta(mu: arb, epsilon: arb) -> arb:
    """N(mu) against N(0) (Balle & Wang 2018, Theorem 8), any mu > 0 and real epsilon."""

    def evaluate() -> arb:
        a = epsilon / mu - mu / 2
        return normal_tail(a) - epsilon.exp() * normal_tail(a + mu)

    return at_accuracy(evaluate)
