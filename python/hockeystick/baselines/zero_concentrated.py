# SPDX-License-Identifier: Apache-2.0
"""Zero-concentrated DP: rho-zCDP bounds the Renyi divergence of every order a by a rho."""

import math
from collections.abc import Callable
from functools import singledispatch

import numpy as np

from hockeystick import _checks
from hockeystick._search import crossing
from hockeystick._words import spoken
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.baselines.elementwise import elementwise
from hockeystick.baselines.renyi import renyi_curve
from hockeystick.bounds import Array, Value
from hockeystick.composition import Composable, Mechanism
from hockeystick.errors import best_bounds
from hockeystick.mechanisms import DiscreteGaussian, Gaussian, PoissonSampled

# Logarithms of a - 1, between which the best order a lies: ends of the range of binary64.
_LOWEST, _HIGHEST = -740.0, 709.0
# Relative to the terms of a formula: twice the excess of the core, which adds its own bound.
_ROUNDING = 2.0**-48


@singledispatch
def concentration(mechanism: Mechanism, adjacency: Adjacency) -> float:
    """A rho such that one run of `mechanism` is rho-zCDP.

    Dispatches on the type of the mechanism: closed forms where there are, else what
    ``Composition.zcdp_bounds`` certifies. For a rho of your own, register a function with
    ``concentration.register``.

    Args:
        mechanism: In its simplest form.
        adjacency: Which datasets are neighbours; the worst direction counts.

    Returns:
        In nats; inf where no rho is known.

    Raises:
        ValueError: `mechanism` has no dominating pair for `adjacency`.
    """
    return float(best_bounds(mechanism.zcdp_bounds, adjacency=adjacency).upper)


@concentration.register(Gaussian)
@concentration.register(DiscreteGaussian)
def _(mechanism: Gaussian | DiscreteGaussian, adjacency: Adjacency) -> float:
    """The bound by the Renyi curve, a straight line, at any order."""
    return float(renyi_curve(mechanism, np.array([2.0]), adjacency)[0]) / 2


@concentration.register
def _(mechanism: PoissonSampled, adjacency: Adjacency) -> float:
    """The rho of the mechanism without sampling.

    The divergences are quasi-convex, so sampling cannot raise them. Nor does it lower the rho of a
    Gaussian: at large orders its divergence approaches a rho whatever the probability.
    """
    return concentration(mechanism.mechanism, adjacency)


@spoken
def zcdp_rho(
    composition: Composable, *, adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE
) -> float:
    """The rho of a composition: the sum over its mechanisms.

    Poisson sampling does not help in zCDP: a sampled mechanism costs as much as the mechanism.

    Args:
        composition: What is accounted for.
        adjacency: Which datasets are neighbours; the worst direction counts.

    Returns:
        rho >= 0 in nats, inf where none is known; evaluated in binary64, rounding not counted.

    Raises:
        ValueError: A mechanism has no dominating pair for `adjacency`.
        TypeError: An argument has the wrong type.

    Source: Bun & Steinke (2016), Lemma 1.7 and Proposition 1.6; Canonne, Kamath & Steinke (2020),
    Theorem 4, for discrete Gaussians.

    >>> import hockeystick as hs
    >>> zcdp_rho(100 * hs.Gaussian(noise_multiplier=10.0))
    0.5
    """
    _checks.instance("composition", composition, Composable)
    worst = adjacency_of(adjacency)
    return sum((n * concentration(one, worst) for one, n in composition.terms), 0.0)


@spoken
def zcdp_epsilon(rho: float, delta: Value | Array) -> Value:
    """Upper bound on epsilon of whatever is rho-zCDP.

    Args:
        rho: In nats, >= 0; inf tells nothing.
        delta: In [0, 1), scalar or any shape; at 0 the answer is inf, unless nothing is spent.

    Returns:
        The least of ``a rho + log(1 - 1/a) - log(a delta) / (a - 1)`` over all real orders a > 1,
        not below 0: a float, or an array shaped like `delta`, in nats. Rounded up, so that no
        certified epsilon of mechanisms known by their rho is above.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Source: Canonne, Kamath & Steinke (2020), Proposition 12 with the best order.

    >>> round(zcdp_epsilon(rho=0.5, delta=1e-6), 6)
    5.221534
    """
    spent = _checks.not_negative("rho", rho)
    targets = _checks.delta_array(delta)

    def epsilon(target: float) -> float:
        if target == 0:  # a Gaussian of this rho has losses of any size
            return math.inf
        # With b = a - 1, the derivative vanishes where rho b^2 + log(1 + b) = log(1/delta).
        b = _order(lambda b: spent * b * b + math.log1p(b) >= -math.log(target))
        terms = spent * (1 + b), -math.log1p(1 / b), -math.log(target) / b, -math.log1p(b) / b
        return max(sum(terms) + _ROUNDING * sum(map(abs, terms)), 0.0)

    result: Value = elementwise(epsilon if 0 < spent < math.inf else lambda _: spent, targets)
    return result


@spoken
def zcdp_delta(*, rho: float, epsilon: Value | Array) -> Value:
    """Upper bound on delta of whatever is rho-zCDP.

    Arguments and errors as of ``zcdp_epsilon``; `epsilon` in [0, 1e4] nats, scalar or any shape.

    Returns:
        The least of ``e^((a - 1) (a rho - epsilon)) (1 - 1/a)^a / (a - 1)`` over all real orders
        a > 1, at most 1: a float, or an array shaped like `epsilon`. Rounded up, so that no
        certified delta above 1e-299 of mechanisms known by their rho is above.

    Source: Canonne, Kamath & Steinke (2020), Corollary 13.

    >>> round(1e6 * zcdp_delta(rho=0.5, epsilon=5.0), 6)
    2.896123
    """
    spent = _checks.not_negative("rho", rho)
    targets = _checks.epsilon_array(epsilon)

    def delta(target: float) -> float:
        # With b = a - 1, the derivative of the logarithm vanishes where
        # rho (2 b + 1) - log(1 + 1/b) = epsilon.
        b = _order(lambda b: spent * (2 * b + 1) - math.log1p(1 / b) >= target)
        slope, lost = (1 + b) * spent, (1 + b) * math.log1p(1 / b)
        logarithm = b * (slope - target) - lost - math.log(b)
        if logarithm < _LOWEST:
            return 0.0
        rounding = _ROUNDING * (b * (slope + target) + lost + abs(math.log(b)))
        return math.exp(min(logarithm + rounding, 0.0))

    result: Value = elementwise(
        delta if 0 < spent < math.inf else lambda _: min(spent, 1.0), targets
    )
    return result


def _order(is_past: Callable[[float], bool]) -> float:
    """The b > 0 from which on `is_past` holds."""
    return math.exp(crossing(lambda log_b: is_past(math.exp(log_b)), _LOWEST, _HIGHEST))
