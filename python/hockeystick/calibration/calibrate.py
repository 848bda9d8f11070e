# SPDX-License-Identifier: Apache-2.0
"""The parameter that spends a privacy budget, and provably no more."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hockeystick import _checks
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.calibration.families import Family
from hockeystick.calibration.search import COARSE, Goal, Search
from hockeystick.composition import Composable
from hockeystick.errors import CertificationError
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE

_LITTLE = 1 << 20  # bytes of a hasty answer
Query = Callable[..., Bounds[float]]


def calibrate(  # noqa: PLR0913, all but one by keyword
    make: Callable[[Any], Composable],
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    advantage: float | None = None,
    tpr: float | None = None,
    fpr: float | None = None,
    bounds: tuple[float, float] | None = None,
    integer: bool | None = None,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE,
    tolerance: float = DEFAULT_TOLERANCE,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Any:  # noqa: ANN401, a float or, for whole parameters, an int
    """The parameter closest to the privacy limit at which the *certified* cost still meets it.

    The smallest noise, the largest sampling probability, the largest number of steps, and so on:
    `make` may be any family whose cost is monotone, rising or falling, in one number.

    Args:
        make: Function of the parameter that returns a mechanism or a composition. A parameter for
            which it raises ValueError counts as outside its domain.
        epsilon: The most that epsilon at `delta` may be, > 0 [nats].
        delta: In (0, 1), with `epsilon`.
        advantage: In (0, 1), instead: the most that the advantage of an attack may be.
        tpr: In (fpr, 1), instead: the most that an attack's true positive rate may be at `fpr`.
        fpr: In (0, 1), with `tpr`: the false positive rate of that attack.
        bounds: Parameters to search, both ends included; by default, all positive ones that `make`
            accepts. Not needed as a bracket.
        integer: Whether the parameter is a whole number >= 0. By default, only if `make` refuses
            floats with TypeError, as counts do.
        adjacency: Which datasets are neighbours; the worst direction counts.
        tolerance: Widest relative gap of the enclosure of the cost, in (1e-12, 1).
        memory_limit: Bytes each evaluation may take, > 0.

    Returns:
        The parameter p, a float or, if whole, an int. The cost of ``make(p)``, asked with the same
        delta, adjacency, tolerance and memory limit, has an upper bound that is at most the target.
        One of these holds as well: the upper bound is at least (1 - tolerance / 4) times the
        target; p is the last parameter in its domain, whether the cost is within the tolerance
        there or not; the next whole number misses the target; or
        the cost jumps, and some parameter within a relative distance of 1e-9 misses it.

    Raises:
        ValueError: An argument is out of range, the target is out of reach, or `make` is found not
            to be monotone, or constant.
        TypeError: An argument or what `make` returns has the wrong type, or not exactly one target
            is given.
        CertificationError: The tolerance is out of reach at the parameter found, and it is not the
            last in its domain.

    Cost: 4 to 9 evaluations of a smooth family, the first ones coarse; about 40 where the cost
    jumps. Source: secant steps in logarithms, safeguarded by halving.

    >>> import hockeystick as hs
    >>> make = lambda sigma: 10_000 * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(0.01)
    >>> sigma = hs.calibrate(make, epsilon=2.0, delta=1e-5)
    >>> 1.999 < make(sigma).epsilon(delta=1e-5) <= 2.0
    True
    >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    >>> hs.calibrate(lambda steps: steps * step, advantage=0.1)
    384
    """
    _checks.instance("adjacency", adjacency, Adjacency)
    options: dict[str, Any] = {
        "adjacency": adjacency,
        "memory_limit": _checks.memory_limit(memory_limit),
    }
    width = _checks.tolerance(tolerance)
    targets = {"epsilon": epsilon, "delta": delta, "advantage": advantage, "tpr": tpr, "fpr": fpr}
    goal = _goal(targets, width, options)
    return Search(Family(make, bounds, integer), goal).run().value


def _goal(given: Mapping[str, object], tolerance: float, options: dict[str, Any]) -> Goal:
    names = {name for name, value in given.items() if value is not None}
    if names == {"epsilon", "delta"}:
        delta = _checks.open_unit("delta", given["delta"])
        return Goal(
            name="epsilon",
            target=_checks.positive("epsilon", given["epsilon"]),
            tolerance=tolerance,
            ask=lambda run, width: run.epsilon_bounds(delta, tolerance=width, **options),
            hasty=lambda run, width: _hasty(partial(run.epsilon_bounds, delta), width, options),
            advantage=lambda run: _advantage(run, options),
            scale=_log,
        )
    if names == {"advantage"}:
        return _rate_goal(
            "advantage",
            _checks.open_unit("advantage", given["advantage"]),
            tolerance,
            lambda run: run.advantage_bounds,
            options,
        )
    if names == {"tpr", "fpr"}:
        fpr = _checks.open_unit("fpr", given["fpr"])
        tpr = _checks.open_unit("tpr", given["tpr"])
        if tpr <= fpr:
            raise ValueError(
                f"tpr must be above fpr = {fpr!r}, which guessing reaches, got {tpr!r}"
            )
        return _rate_goal(
            "tpr",
            tpr,
            tolerance,
            lambda run: partial(run.true_positive_rate_bounds, fpr),
            options,
        )
    got = ", ".join(sorted(names)) or "none"
    raise TypeError(f"the target must be epsilon and delta, advantage, or tpr and fpr; got {got}")


def _rate_goal(
    name: str,
    target: float,
    tolerance: float,
    query: Callable[[Composable], Query],
    options: dict[str, Any],
) -> Goal:
    return Goal(
        name=name,
        target=target,
        tolerance=tolerance,
        ask=lambda run, width: query(run)(tolerance=width, **options),
        hasty=lambda run, width: _hasty(query(run), width, options),
        advantage=lambda run: _advantage(run, options),
        scale=_logit,
        coarse=COARSE * (1 - target),
    )


def _hasty(query: Query, tolerance: float, options: dict[str, Any]) -> Bounds[float]:
    """What little memory tells."""
    little = {**options, "memory_limit": min(options["memory_limit"], _LITTLE)}
    try:
        return query(tolerance=tolerance, **little)
    except CertificationError as error:
        return error.bounds


def _advantage(run: Composable, options: dict[str, Any]) -> Bounds[float]:
    try:
        return run.advantage_bounds(tolerance=COARSE, **options)
    except CertificationError as error:
        return error.bounds


def _log(cost: float) -> float:
    return math.log(cost) if cost > 0 else -math.inf


def _logit(rate: float) -> float:
    if not 0 < rate < 1:
        return math.copysign(math.inf, rate - 0.5)
    return math.log(rate) - math.log1p(-rate)
