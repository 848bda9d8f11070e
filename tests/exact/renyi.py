# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of the Poisson-sampled Gaussian of whole orders, which may be large."""

from flint import arb, ctx

from exact.model import Step

BITS = 160


def whole_divergence(order: int, step: Step) -> arb:
    """log(E_Q[(dP/dQ)^a]) / (a - 1), where a record is removed: a binomial sum."""
    with ctx.workprec(BITS):
        q, square = arb(step.q), arb(step.sigma) ** 2
        total, weight = arb(0), (1 - q) ** order
        for k in range(order + 1):
            total += weight * (k * (k - 1) / (2 * square)).expm1()
            weight *= q * (order - k) / ((1 - q) * (k + 1))
        return total.log1p() / (order - 1)
