# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of the Poisson-sampled Gaussian, by rigorous quadrature of their definition."""

import math

from flint import acb, arb, ctx

from exact.model import Direction, Step

BITS = 160
REACH = 25  # standard deviations past the last mode: what is cut off is below e^-300 of the rest


def divergence(order: float, step: Step, direction: Direction, digits: int = 16) -> arb:
    """log(E_Q[(dP/dQ)^a]) / (a - 1) of `order` a > 1, in direction remove or add of the model.

    The integrand is that of E_Q[r^a - 1 - a (r - 1)], r = dP/dQ, which leaves out the 1.
    """
    with ctx.workprec(BITS + 4 * int(-math.log2(step.q))):  # the excess is of the order of q^2
        a, m, q = arb(order), 1 / arb(step.sigma), arb(step.q)

        def integrand(x: acb, analytic: bool) -> acb:  # noqa: FBT001
            mixture = 1 - q + q * (m * x - m * m / 2).exp()
            if direction == "remove":
                ratio, base = mixture, acb(1)
            else:
                ratio, base = 1 / mixture, mixture
            excess = ratio.pow(acb(a), analytic) - 1 - a * (ratio - 1)
            return base * excess * (-x * x / 2).exp()

        # The modes are between 0 and a m, removal, and between -a m and 2 m, addition.
        left, right = (0, max(order, 2)) if direction == "remove" else (-order, 2)
        low, high = left / step.sigma - REACH, right / step.sigma + REACH
        integral = acb.integral(integrand, acb(low), acb(high), rel_tol=arb(10) ** -digits)
        return (integral.real / (2 * arb.pi()).sqrt()).log1p() / (a - 1)


def whole_divergence(order: int, step: Step) -> arb:
    """The same in direction remove, for a whole order: a binomial sum."""
    with ctx.workprec(BITS):
        q, square = arb(step.q), arb(step.sigma) ** 2
        total, weight = arb(0), (1 - q) ** order
        for k in range(order + 1):
            total += weight * (k * (k - 1) / (2 * square)).expm1()
            weight *= q * (order - k) / ((1 - q) * (k + 1))
        return total.log1p() / (order - 1)
