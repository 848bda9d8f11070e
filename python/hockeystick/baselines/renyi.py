# SPDX-License-Identifier: Apache-2.0
"""Renyi differential privacy: divergences of every order add up, and bound epsilon and delta."""

from functools import lru_cache, singledispatch

import numpy as np

from hockeystick import _checks
from hockeystick._array_like import ArrayLike
from hockeystick._checks import FloatArray
from hockeystick._words import spoken
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.baselines.elementwise import elementwise
from hockeystick.baselines.renyi_region import RenyiRegion
from hockeystick.bounds import Array, Value
from hockeystick.composition import Composable, Mechanism
from hockeystick.errors import best_bounds
from hockeystick.mechanisms import DiscreteGaussian, Gaussian, PoissonSampled

_WORST = Adjacency.ADD_OR_REMOVE_ONE
_CLOSE = 1e-4  # of the bounds that are asked for: narrower ones take longer than all the rest


def _default_orders() -> tuple[float, ...]:
    near = (1 + 0.01 * 1.05**k for k in range(142))
    far = (float(round(11 * 1.05**k)) for k in range(140))
    return tuple(dict.fromkeys((*near, *far)))


DEFAULT_ORDERS = _default_orders()
"""Orders a from 1.01 to 9699, a - 1 in steps of about 5 %, whole from 11 on.

For a run of Gaussians the best of them costs at most 0.04 % of epsilon more than the best order,
while that is in range.
"""


@singledispatch
def renyi_curve(mechanism: Mechanism, orders: FloatArray, adjacency: Adjacency) -> FloatArray:
    """Upper bounds on the Renyi divergences of one run of `mechanism`, at each order.

    Dispatches on the type of the mechanism: closed forms where there are, else what
    ``Composition.renyi_divergence_bounds`` certifies. For a curve of your own, register a function
    with ``renyi_curve.register``.

    Args:
        mechanism: In its simplest form.
        orders: Shape (k,), each > 1.
        adjacency: Which datasets are neighbours; the worst direction counts.

    Returns:
        Shape (k,), in nats; inf where no bound is known.

    Raises:
        ValueError: `mechanism` has no dominating pair for `adjacency`.
    """
    return _certified(mechanism, tuple(orders.tolist()), adjacency)


@lru_cache(maxsize=256)  # pictures ask for the same step once for each count
def _certified(mechanism: Mechanism, orders: tuple[float, ...], adjacency: Adjacency) -> FloatArray:
    ask = mechanism.renyi_divergence_bounds
    bounds = best_bounds(ask, np.array(orders), adjacency=adjacency, tolerance=_CLOSE)
    return np.asarray(bounds.upper)


@renyi_curve.register
def _(mechanism: Gaussian, orders: FloatArray, adjacency: Adjacency) -> FloatArray:
    """Mironov (2017), Corollary 3: exact."""
    return orders * (_shift(adjacency) ** 2 / (2 * mechanism.noise_multiplier**2))


@renyi_curve.register
def _(mechanism: DiscreteGaussian, orders: FloatArray, adjacency: Adjacency) -> FloatArray:
    """Canonne, Kamath & Steinke (2020), Theorem 4: that of the Gaussian is a bound."""
    if mechanism.truncation is not None:
        return np.full(orders.shape, np.inf)
    shift = mechanism.sensitivity * _shift(adjacency)
    return orders * (shift**2 / (2 * mechanism.sigma**2))


@renyi_curve.register
def _(mechanism: PoissonSampled, orders: FloatArray, adjacency: Adjacency) -> FloatArray:
    """The smaller of what is certified and of the mechanism's own divergence.

    Sampling cannot raise it: Renyi divergences are quasi-convex.
    """
    certified = renyi_curve.dispatch(Mechanism)(mechanism, orders, adjacency)
    return np.minimum(certified, renyi_curve(mechanism.mechanism, orders, adjacency))


@spoken
def rdp(
    composition: Composable,
    *,
    orders: ArrayLike = DEFAULT_ORDERS,
    adjacency: AdjacencyLike = _WORST,
) -> FloatArray:
    """Renyi divergences of a composition: it is (order, divergence)-RDP at each order.

    Rounding of closed forms is not counted; ``Composition.renyi_divergence_bounds`` encloses them.

    Args:
        composition: What is accounted for.
        orders: In (1, 1e4], shape (k,), k >= 1.
        adjacency: Which datasets are neighbours; the worst direction counts.

    Returns:
        Shape (k,), in nats; inf where no bound is known. Exact up to rounding for Gaussians; for
        others, as Poisson-sampled ones, certified upper bounds that are within 1e-4 of the
        divergence wherever the core reaches that.

    Raises:
        ValueError: An order is out of range, or a mechanism has no dominating pair for `adjacency`.
        TypeError: An argument has the wrong type.

    Cost: some 0.2 ms for each order and each sampled Gaussian, once. Source: Mironov (2017),
    Proposition 1.

    >>> import hockeystick as hs
    >>> rdp(100 * hs.Gaussian(noise_multiplier=10.0), orders=[2, 4.5])
    array([1.  , 2.25])
    """
    points = _orders(orders)
    _checks.instance("composition", composition, Composable)
    worst = adjacency_of(adjacency)
    return sum(
        (n * renyi_curve(one, points, worst) for one, n in composition.terms),
        np.zeros(points.size),
    )


@spoken
def rdp_epsilon(
    composition: Composable,
    delta: Value | Array,
    *,
    orders: ArrayLike = DEFAULT_ORDERS,
    adjacency: AdjacencyLike = _WORST,
) -> Value:
    """Upper bound on epsilon by Renyi DP.

    Args:
        composition: What is accounted for.
        delta: In [0, 1), scalar or any shape; at 0 the answer is inf, unless nothing is spent.
        orders: In (1, 1e4], shape (k,), k >= 1; all of them are used at once.
        adjacency: Which datasets are neighbours; the worst direction counts.

    Returns:
        The best epsilon that follows from the divergences: a float, or an array shaped like
        `delta`, in nats. It is at most ``rdp + log(1 - 1/a) - log(a delta) / (a - 1)`` for each
        order a. A bound up to rounding, which is not counted: see ``rdp``.

    Raises:
        ValueError: An argument is out of range, or a mechanism has no dominating pair for
            `adjacency`.
        TypeError: An argument has the wrong type.

    Cost: as ``rdp``, once, and some 50 ms for each delta. Source: Asoodeh et al. (2021) for one
    order, Riess et al. (2026) for several; the closed form is Proposition 12 of Canonne, Kamath &
    Steinke (2020), and Theorem 21 of Balle et al. (2020).

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    >>> round(rdp_epsilon(10_000 * step, 1e-5), 4)
    6.7126
    """
    targets = _checks.delta_array(delta)
    region = _region(composition, orders, adjacency)
    result: Value = elementwise(region.epsilon, targets)
    return result


@spoken
def rdp_delta(
    composition: Composable,
    epsilon: Value | Array,
    *,
    orders: ArrayLike = DEFAULT_ORDERS,
    adjacency: AdjacencyLike = _WORST,
) -> Value:
    """Upper bound on delta by Renyi DP.

    Arguments, errors, cost and source as of ``rdp_epsilon``; `epsilon` in [0, 1e4] nats, scalar or
    any shape.

    Returns:
        The best delta that follows from the divergences: a float, or an array shaped like
        `epsilon`. A bound up to rounding, as ``rdp_epsilon``; 0 where it is below 1e-300.
    """
    targets = _checks.epsilon_array(epsilon)
    region = _region(composition, orders, adjacency)
    result: Value = elementwise(region.delta, targets)
    return result


def _region(run: Composable, orders: ArrayLike, adjacency: AdjacencyLike) -> RenyiRegion:
    divergences = rdp(run, orders=orders, adjacency=adjacency)
    finite = np.isfinite(divergences)
    return RenyiRegion(_orders(orders)[finite], divergences[finite])


def _orders(values: object) -> FloatArray:
    orders = _checks.order_array(values, name="orders", largest=_checks.MAX_ORDER, above_one=True)
    if orders.ndim != 1 or orders.size == 0:
        raise ValueError(f"orders must be of one dimension and not empty, got {orders.shape}")
    return orders


def _shift(adjacency: Adjacency) -> int:
    """The largest change of a sum, in norms of a record."""
    return 2 if any(direction.replaces for direction in adjacency.directions) else 1
