# SPDX-License-Identifier: Apache-2.0
"""Groups of records, in balls."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from flint import arb

from hockeystick import mechanisms as known
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.verify.balls import ZERO, Curve, both_ways, double_below
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import (
    Gaussian,
    Laplace,
    Law,
    Pair,
    laws,
    moved,
    square_of,
    undefined,
)


@laws.register
def _(mechanism: known.SampledGroup, direction: Direction) -> Pair | Law:
    rates = [arb(q) for q in mechanism.sampling_probabilities]
    if direction.replaces:
        raise undefined(mechanism, direction)
    return _drawn(1 / arb(mechanism.mechanism.noise_multiplier), rates, direction)


DISCRETE = (known.DiscreteGaussian, known.DiscreteLaplace)


def is_bounded(mechanism: Mechanism, direction: Direction) -> bool:
    """Whether it is a group of which bounds are known, and no law."""
    if not isinstance(mechanism, known.Grouped):
        return False
    inner = mechanism.mechanism
    if isinstance(inner, known.PoissonSampled):
        plain = isinstance(inner.mechanism, known.Gaussian | known.JointGaussian)
        return direction.replaces or not plain
    return not isinstance(inner, (known.Gaussian, known.JointGaussian, known.Laplace, *DISCRETE))


def chained(size: int, forth: Curve, back: Curve) -> Curve:
    """Above groups of `size`, by neighbours in a row that each lose as much.

    P(S) <= a M(S) + h(a) for any two neighbours, h their curve in that direction, so that
    h(a) (1 + a + ... + a^(size - 1)) is the sum for a^size. Below alpha = 1 by the reverse, `back`.
    """

    def above(one: Curve, epsilon: arb) -> arb:
        a = (epsilon / size).exp()
        return (one(epsilon / size) * sum((a**i for i in range(size)), ZERO)).min(arb(1))

    return both_ways(partial(above, forth), partial(above, back))


def any_for_all(mechanism: known.Grouped) -> Mechanism:
    """What costs no more: an output that shows one record where any of the group is sampled."""
    inner = mechanism.mechanism
    if not isinstance(inner, known.PoissonSampled):
        return inner
    seen = double_below(1 - (1 - arb(inner.sampling_probability)) ** mechanism.size)
    return known.PoissonSampled(inner.mechanism, sampling_probability=max(seen, 0.0))


@laws.register
def _(mechanism: known.Grouped, direction: Direction) -> Pair | Law:
    inner, size = mechanism.mechanism, mechanism.size
    far = size * (2 if direction.replaces else 1)
    if isinstance(inner, known.Gaussian):
        return Gaussian((far / arb(inner.noise_multiplier)) ** 2)
    if isinstance(inner, known.JointGaussian):
        return Gaussian(far**2 * square_of(inner))
    if isinstance(inner, known.Laplace):
        return Laplace(far / arb(inner.noise_multiplier))
    if isinstance(inner, DISCRETE):
        return laws(replace(inner, sensitivity=size * inner.sensitivity), direction)
    if isinstance(inner, known.PoissonSampled) and not direction.replaces:
        rates = [arb(inner.sampling_probability)] * size
        if isinstance(inner.mechanism, known.Gaussian):
            return _drawn(1 / arb(inner.mechanism.noise_multiplier), rates, direction)
        if isinstance(inner.mechanism, known.JointGaussian):
            return _drawn(square_of(inner.mechanism).sqrt(), rates, direction)
    raise NotKnownError(f"of {mechanism!r} a bound is known, and no law")


def _drawn(mu: arb, rates: Sequence[arb], direction: Direction) -> Pair:
    """N(j mu), j the number of records drawn, against N(0)."""
    masses = [arb(1)]
    for rate in rates:
        more = [ZERO, *(rate * mass for mass in masses)]
        rest = [*((1 - rate) * mass for mass in masses), ZERO]
        masses = [a + b for a, b in zip(more, rest, strict=True)]
    up = tuple((mass, j * mu) for j, mass in enumerate(masses) if not mass.is_zero())
    return moved(up, direction)
