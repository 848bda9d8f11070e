# SPDX-License-Identifier: Apache-2.0
"""What one run costs in each measure: exact where that is rational, else from above."""

import math
from fractions import Fraction
from functools import lru_cache

from hockeystick import _core
from hockeystick.accountant.exact_costs import rational_loss, rational_rho
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms import (
    ApproximateDP,
    Gaussian,
    GaussianBetween,
    PoissonSampled,
    RandomAllocation,
)
from hockeystick.mechanisms._correlated_noise import CorrelatedNoise


def both_directions(adjacency: Adjacency) -> Adjacency:
    """The adjacency, which must hold the reverse of each direction: filters are proved for both.

    Raises:
        ValueError: It holds one direction alone.
    """
    if adjacency.symmetric is not adjacency:
        raise ValueError(
            "adjacency must be one of both directions for a filter, 'add-or-remove-one', "
            f"'replace-one' or 'replace-special', got {adjacency.value!r}"
        )
    return adjacency


@lru_cache(maxsize=1024)
def pure_loss(mechanism: Mechanism, adjacency: Adjacency) -> Fraction | None:
    """An epsilon of pure DP that it keeps: exact where that is rational; None if there is none."""
    exact = rational_loss(Composition([(mechanism, 1)]), adjacency)
    if exact is not None:
        return exact
    found = mechanism.epsilon_bounds(0.0, adjacency=adjacency).upper
    return None if math.isinf(found) else Fraction(found)


@lru_cache(maxsize=1024)
def mu_squared(mechanism: Mechanism, adjacency: Adjacency) -> Fraction | None:
    """The square of a mu of Gaussian DP at all rates, from above; None if none is known.

    Of Gaussians it is exact. A sample, or a place drawn at random, can be drawn by whoever sees the
    Gaussian itself, so that its mu holds for these, too. What is epsilon-DP tells less than
    randomized response, whose one kink lies on the curve of mu = 2 Phi^-1(e^epsilon / (1 +
    e^epsilon)).
    """
    moved = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    inner: Mechanism = mechanism
    repeats = 1
    if isinstance(mechanism, PoissonSampled):
        inner = mechanism.mechanism
    elif isinstance(mechanism, RandomAllocation):
        inner, repeats = mechanism.mechanism, mechanism.epochs
    if isinstance(inner, CorrelatedNoise | GaussianBetween):
        return (moved / Fraction(inner.least_noise)) ** 2
    if isinstance(inner, Gaussian):
        return repeats * (moved / Fraction(inner.noise_multiplier)) ** 2
    loss = pure_loss(mechanism, adjacency)
    if loss is None or loss > _LARGEST_LOSS:
        return None
    return Fraction(_core.pure_gdp_mu(math.nextafter(float(loss), math.inf))) ** 2


_LARGEST_LOSS = 600  # nats, of which the rate 1 / (1 + e^loss) is a normal double


@lru_cache(maxsize=1024)
def rho(mechanism: Mechanism, adjacency: Adjacency) -> tuple[Fraction, Fraction] | None:
    """A rho of zero-concentrated DP that it keeps but for a failure, whose probability is second.

    None if none is known.
    """
    exact = rational_rho(Composition([(mechanism, 1)]), adjacency)
    if exact is not None:
        return exact, Fraction(0)
    if isinstance(mechanism, ApproximateDP):
        loss = Fraction(mechanism.guaranteed_epsilon)
        return loss**2 / 2, Fraction(mechanism.guaranteed_delta)
    found = mechanism.zcdp_bounds(adjacency=adjacency).upper
    return None if math.isinf(found) else (Fraction(found), Fraction(0))


@lru_cache(maxsize=1024)
def renyi(mechanism: Mechanism, order: Fraction, adjacency: Adjacency) -> Fraction | None:
    """A Renyi divergence of that order that it keeps; None if none is known."""
    exact = rational_rho(Composition([(mechanism, 1)]), adjacency)
    if exact is not None:
        return order * exact
    found = mechanism.renyi_divergence_bounds(float(order), adjacency=adjacency).upper
    return None if math.isinf(found) else Fraction(found)
