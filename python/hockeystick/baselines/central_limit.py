# SPDX-License-Identifier: Apache-2.0
"""The central limit approximation: many runs look like one Gaussian mechanism.

An approximation, not a bound: it errs on either side, and often understates what is spent.
"""

import math
from collections.abc import Callable
from functools import partial, singledispatch

from hockeystick import _checks, _core
from hockeystick._search import crossing
from hockeystick._words import spoken
from hockeystick.baselines.elementwise import elementwise
from hockeystick.bounds import Array, Value
from hockeystick.composition import Composable, Mechanism
from hockeystick.mechanisms import Gaussian, PoissonSampled

_NEGLIGIBLE, _CERTAIN = 1e-300, 2e3  # delta is below half of mu; is 1 up to the largest epsilon


@singledispatch
def limit_variance(mechanism: Mechanism) -> float:
    """The part of mu^2 that one run of `mechanism` adds in the limit of many runs.

    Dispatches on the type of the mechanism; for one of your own, register a function with
    ``limit_variance.register``.

    Raises:
        TypeError: No limit is known for mechanisms of this type.
    """
    raise _unknown(mechanism)


@limit_variance.register
def _(mechanism: Gaussian) -> float:
    """Dong, Roth & Su (2022), Theorem 1: exact for any number of runs."""
    return mechanism.noise_multiplier**-2


@limit_variance.register
def _(mechanism: PoissonSampled) -> float:
    """Bu, Dong, Long & Su (2020), Section 3.2; of a Gaussian only."""
    if not isinstance(mechanism.mechanism, Gaussian):
        raise _unknown(mechanism)
    try:
        chi_square = math.expm1(mechanism.mechanism.noise_multiplier**-2)
    except OverflowError:
        chi_square = math.inf
    return mechanism.sampling_probability**2 * chi_square


@spoken
def clt_mu(composition: Composable) -> float:
    """The mu of the Gaussian mechanism that a composition tends to: NOT a bound.

    Exact for Gaussians without sampling. With sampling it is a limit, for sampling probabilities
    that fall like 1/sqrt(steps); nothing says how far a given composition is from it, and it
    often understates.

    Args:
        composition: Of Gaussians and Poisson-sampled Gaussians, or of mechanisms that
            ``limit_variance`` knows.

    Returns:
        mu >= 0: the root of the sum of ``1/s^2`` for each Gaussian of noise multiplier s, and
        ``q^2 (e^(1/s^2) - 1)`` for each that is sampled with probability q. inf if that overflows.

    Raises:
        TypeError: The argument has the wrong type, or no limit is known for a mechanism.

    Source: Bu, Dong, Long & Su (2020), Section 3.2: ``q sqrt(steps (e^(1/s^2) - 1))``.

    >>> import hockeystick as hs
    >>> round(clt_mu(10_000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)), 6)
    1.310832
    """
    _checks.instance("composition", composition, Composable)
    return math.sqrt(sum((n * limit_variance(one) for one, n in composition.terms), 0.0))


@spoken
def clt_epsilon(composition: Composable, delta: Value | Array) -> Value:
    """Epsilon of the Gaussian mechanism that a composition tends to: NOT a bound.

    Args:
        composition: As for ``clt_mu``; when a record is added or removed.
        delta: In [0, 1), scalar or any shape; at 0 the answer is inf, unless nothing is spent.

    Returns:
        An approximation, which may understate: a float, or an array shaped like `delta`, in nats.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type, or no limit is known for a mechanism.

    Source: as ``clt_mu``; Balle & Wang (2018), Theorem 8.

    >>> import hockeystick as hs
    >>> run = 10_000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    >>> clt_epsilon(run, 1e-5) < run.epsilon_bounds(1e-5).lower  # it understates
    True
    """
    targets = _checks.delta_array(delta)
    mu = clt_mu(composition)
    result: Value = elementwise(partial(_epsilon, mu, _curve(mu)), targets)
    return result


@spoken
def clt_delta(composition: Composable, epsilon: Value | Array) -> Value:
    """Delta of the Gaussian mechanism that a composition tends to: NOT a bound.

    Arguments, errors and source as of ``clt_epsilon``; `epsilon` in [0, 1e4] nats, scalar or any
    shape.

    Returns:
        An approximation, which may understate: a float, or an array shaped like `epsilon`.
    """
    targets = _checks.epsilon_array(epsilon)
    mu = clt_mu(composition)
    result: Value = elementwise(_curve(mu), targets)
    return result


def _epsilon(mu: float, curve: Callable[[float], float], delta: float) -> float:
    if mu in (0.0, math.inf) or curve(0.0) <= delta:
        return mu if mu == math.inf else 0.0
    if delta == 0:  # a Gaussian has losses of any size
        return math.inf
    # delta < P(N(0, 1) > x) <= e^(-x^2 / 2) at x = epsilon / mu - mu / 2.
    high = mu * (math.sqrt(-2 * math.log(delta)) + mu / 2)
    return crossing(lambda epsilon: curve(epsilon) <= delta, 0.0, high)


def _curve(mu: float) -> Callable[[float], float]:
    """Delta of the Gaussian mechanism of this mu at an epsilon, to rounding."""
    if not _NEGLIGIBLE < mu < math.inf:
        return lambda _: 1.0 if mu > 1 else 0.0
    if mu > _CERTAIN:
        return lambda _: 1.0
    pair = _core.dominating_pair("gaussian", [1 / mu])
    return lambda epsilon: pair.delta_above([epsilon]).item()


def _unknown(mechanism: Mechanism) -> TypeError:
    return TypeError(f"composition must hold mechanisms with a known limit, got {mechanism!r}")
