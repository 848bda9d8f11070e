# SPDX-License-Identifier: Apache-2.0
"""Two sampled Gaussians: an integral of the density of one times the other's delta, in balls."""

import itertools
from functools import cache

from flint import acb, arb, ctx

from exact.balls import normal_tail
from exact.model import Step

FARTHEST = 14  # below -14 all losses are negative


class Mixture:
    """The removed record's side of a step: (1 - q) N(0) + q N(mu)."""

    def __init__(self, step: Step) -> None:
        self.mu, self.q = 1 / arb(step.sigma), arb(step.q)

    def ratio(self, x: acb) -> acb:
        """e^loss."""
        return 1 - self.q + self.q * (self.mu * (x - self.mu / 2)).exp()

    def edge(self, ratio: arb) -> arb:
        """Where e^loss is that."""
        return ((ratio - 1) / self.q + 1).log() / self.mu + self.mu / 2

    def above(self, x: arb) -> arb:
        """The mass above."""
        return (1 - self.q) * normal_tail(x) + self.q * normal_tail(x - self.mu)

    def density(self, x: acb) -> acb:
        """At x."""
        parts = [(-(at**2) / 2).exp() for at in (x, x - self.mu)]
        return ((1 - self.q) * parts[0] + self.q * parts[1]) / acb(2 * arb.pi()).sqrt()

    def delta(self, ratio: arb) -> arb:
        """At e^epsilon = ratio, above 1 - q."""
        x = self.edge(ratio)
        return self.above(x) - ratio * normal_tail(x)


@cache
def delta_of_two(first: Step, second: Step, epsilon: float) -> arb:
    """delta of one run of each when a record is removed."""
    with ctx.workprec(300):
        one, other, alpha = Mixture(first), Mixture(second), arb(epsilon).exp()
        # Beyond the kink the other's delta is 1 - e^(epsilon - loss).
        kink = one.edge(alpha / (1 - other.q))
        near = [kink - arb(2) ** -k for k in range(0, 120, 2)]
        cuts = [arb(k) for k in range(-FARTHEST, int(float(near[0].mid())), 2)] + near
        total = one.above(kink) - alpha * normal_tail(kink)
        for a, b in itertools.pairwise(cuts):
            total += acb.integral(
                lambda x, _: one.density(x) * other.delta(alpha / one.ratio(x)),
                *(acb(a), acb(b)),
                abs_tol=1e-120,
            ).real
        # Farther down losses are negative; next to the kink delta is at most q.
        low = normal_tail(arb(FARTHEST)) * other.delta(alpha)
        gap = other.q * (kink - near[-1]) * 2 * one.density(acb(near[-1])).real
        return total + arb(0, 1) * (low + gap)
