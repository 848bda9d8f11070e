# SPDX-License-Identifier: Apache-2.0
"""The parameter that spends a privacy budget, and provably no more."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, Unpack, overload

import numpy as np
import numpy.typing as npt

from hockeystick import _checks
from hockeystick._words import spoken
from hockeystick.accountant import Accountant
from hockeystick.bounds import Bounds
from hockeystick.calibration.arrays import Sought, arrays_of, broadcast, found, named
from hockeystick.calibration.families import Family, Runs
from hockeystick.calibration.search import COARSE, Goal, Search
from hockeystick.composition import Composable
from hockeystick.disjoint import AnyRun, DisjointParts
from hockeystick.errors import CertificationError
from hockeystick.limits import Limits, Options, spelled_out
from hockeystick.queries import QUERIES

LOOSE = 1e-2  # epsilon of shuffled epochs moves by 0.3 % where noise does by 0.04 %
_LITTLE = 1 << 20  # bytes of a hasty answer


class Target(Options, total=False):
    """What the cost of a parameter may be at most, and where the parameter is looked for."""

    epsilon: float | None
    delta: float | None
    advantage: float | None
    tpr: float | None
    fpr: float | None
    reconstruction_risk: float | None
    baseline: float | None
    rho: float | None
    bounds: tuple[float, float] | None
    spent: Composable | DisjointParts | Accountant | None


class Targets(Options, total=False):
    """The same, each target a number or an array."""

    epsilon: npt.ArrayLike | None
    delta: npt.ArrayLike | None
    advantage: npt.ArrayLike | None
    tpr: npt.ArrayLike | None
    fpr: npt.ArrayLike | None
    reconstruction_risk: npt.ArrayLike | None
    baseline: npt.ArrayLike | None
    rho: npt.ArrayLike | None
    bounds: tuple[float, float] | None
    spent: Composable | DisjointParts | Accountant | None


@overload
def calibrate(  # type: ignore[overload-overlap]
    make: Callable[[Any], Composable | DisjointParts | Accountant],
    *,
    integer: Literal[True],
    **asked: Unpack[Target],
) -> int: ...
@overload
def calibrate(
    make: Callable[[Any], Composable | DisjointParts | Accountant],
    *,
    integer: Literal[False] | None = None,
    **asked: Unpack[Target],
) -> float: ...
@overload
def calibrate(
    make: Callable[[Any], Composable | DisjointParts | Accountant],
    *,
    integer: bool | None = None,
    **asked: Unpack[Targets],
) -> npt.NDArray[Any]: ...
@spoken
@spelled_out
def calibrate(
    make: Callable[[Any], Composable | DisjointParts | Accountant],
    *,
    integer: bool | None = None,
    **asked: Unpack[Targets],
) -> Any:
    """The parameter closest to the privacy limit at which the *certified* cost still meets it.

    The smallest noise, the largest sampling probability, the largest number of steps, and so on:
    `make` may be any family whose cost is monotone, rising or falling, in one number.

    Args:
        make: Function of the parameter that returns a mechanism, a composition, what
            ``parallel`` returns, or a new ``Accountant``. A parameter for which it raises
            ValueError counts as outside its domain.
        integer: Whether the parameter is a whole number >= 0. By default, only if `make` refuses
            floats, or halves, with TypeError, as counts do.
        asked: The target, one of ``epsilon`` at most [nats], > 0, at ``delta`` in [0, 1);
            ``rho`` of zero-concentrated DP at most [nats], > 0; ``advantage`` of an attack at most,
            in (0, 1); ``tpr`` of an attack at most, in (fpr, 1), at ``fpr`` in (0, 1); and
            ``reconstruction_risk`` at most, in (baseline, 1), at ``baseline`` in (0, 1).
            Arrays of them broadcast as those of a NumPy ufunc do. ``bounds``, the parameters to
            search, both ends included; by default all positive ones that `make` accepts; not needed
            as a bracket. ``spent``, what the same data cost before, which counts for the target: a
            mechanism, a composition, what ``parallel`` returns, or an ``Accountant``. And the
            options of ``Composition.epsilon_bounds``, for each evaluation; the adjacency of an
            accountant stands in for the usual one, and no other may be given.

    Returns:
        The parameter p, a float or, if whole, an int; where a target is an array, an array of the
        broadcast shape, of float64 or, if whole, int64, with such a p for each. The cost of
        ``make(p)``, asked with the same delta, adjacency, tolerance and memory limit, has an upper
        bound that is at most the target. One of these holds as well: the upper bound is at least
        (1 - tolerance / 4) times the target; p is the last parameter in its domain, whether the
        cost is within the tolerance there or not; the next whole number misses the target; or
        the cost jumps, and some parameter within a relative distance of 1e-9 misses it. So a count
        of 0 says that not even one run fits, and the end of the domain that everything does.

    Raises:
        ValueError: An argument is out of range, the target is out of reach, or `make` is found not
            to be monotone, or constant. Of arrays, the message begins with the index.
        TypeError: An argument or what `make` returns has the wrong type, or not exactly one target
            is given.
        CertificationError: The tolerance is out of reach at the parameter found, and it is not the
            last in its domain.

    Cost: 4 to 9 evaluations of a smooth family, the first ones coarse; about 40 where the cost
    jumps. Of arrays, about 2 for each further target: what is known of one helps with the next, so
    that the last digits of an answer may depend on the others. Source: secant steps in logarithms,
    safeguarded by halving.

    >>> import hockeystick as hs
    >>> make = lambda sigma: 10_000 * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(0.01)
    >>> sigma = hs.calibrate(make, epsilon=2.0, delta=1e-5)
    >>> 1.999 < make(sigma).epsilon(delta=1e-5) <= 2.0
    True
    >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    >>> hs.calibrate(lambda steps: steps * step, advantage=0.1)
    384
    >>> hs.calibrate(lambda steps: steps * step, epsilon=[0.5, 1.0, 2.0], delta=1e-5)
    array([  28,  254, 1202])
    >>> acct = hs.Accountant(adjacency="replace-one").compose(hs.Gaussian(10.0), 30)
    >>> hs.calibrate(lambda k: k * hs.Gaussian(10.0), epsilon=8, delta=1e-6, spent=acct)
    28
    """
    given: dict[str, Any] = dict(asked)
    options = {name: given.pop(name) for name in Limits._fields if name in given}
    within, spent = given.pop("bounds", None), given.pop("spent", None)
    limits = Limits().updated(options)
    runs = Runs(make, spent, options.get("adjacency"))
    given = {name: value for name, value in given.items() if value is not None}
    arrays = arrays_of(given)
    if not any(array.ndim for array in arrays.values()):
        goal_of(given, limits)  # a bad one is refused before `make` is called
        family = Family(runs, within, integer)
        goal = goal_of(given, limits._replace(adjacency=runs.adjacency))
        return Search(family, goal).run().value
    shape, elements = broadcast(arrays)
    for where, one in elements.items():
        with named(where):
            goal_of(one, limits)
    family = Family(runs, within, integer)
    limits = limits._replace(adjacency=runs.adjacency)
    goals = {where: goal_of(one, limits) for where, one in elements.items()}
    kind = np.int64 if family.integer else np.float64
    parameters = found({where: Sought(family, goal) for where, goal in goals.items()})
    return np.array(parameters, dtype=kind).reshape(shape)


def goal_of(given: Mapping[str, object], limits: Limits) -> Goal:
    """The goal of a target: a cost that is not to be exceeded."""
    names = set(given)
    at: tuple[float, ...] = ()
    if names == {"epsilon", "delta"}:
        query, at = "epsilon_bounds", (_checks.delta(given["delta"]),)
        name, target = "epsilon", _checks.positive("epsilon", given["epsilon"])
    elif names == {"rho"}:
        query, name = "zcdp_bounds", "rho"
        target = _checks.positive(name, given[name])
    elif names == {"advantage"}:
        query, name = "advantage_bounds", "advantage"
        target = _checks.open_unit(name, given[name])
    elif names in ({"tpr", "fpr"}, {"reconstruction_risk", "baseline"}):
        name, guessing = ("tpr", "fpr") if "tpr" in names else ("reconstruction_risk", "baseline")
        rate = _checks.open_unit(guessing, given[guessing])
        query, at = "true_positive_rate_bounds", (rate,)
        target = _checks.open_unit(name, given[name])
        if target <= rate:
            raise ValueError(
                f"{name} must be above {guessing} = {rate!r}, which guessing reaches, got "
                f"{target!r}"
            )
    else:
        got = ", ".join(sorted(names)) or "none"
        wanted = (
            "epsilon and delta, rho, advantage, tpr and fpr, or reconstruction_risk and baseline"
        )
        raise TypeError(f"the target must be {wanted}; got {got}")

    points = np.array(at[0] if at else 0.0)

    def ask(run: AnyRun, width: float, memory: int = limits.memory_limit) -> Bounds[float]:
        asked = Limits(limits.adjacency, width, memory)
        if name == "epsilon":
            bounds: Bounds[float] = run._answer(QUERIES[name], points, asked)  # noqa: SLF001
        else:
            bounds = getattr(run, query)(*at, **asked.options(has_smallest=query != "zcdp_bounds"))
        if not bounds.limited_by:
            return bounds
        # Where theory leaves a gap the target is met by the safe end alone. A coarse safe end only
        # bounds the final one, so that it must not be taken for the cost.
        if width > limits.tolerance:
            return ask(run, limits.tolerance, memory)
        # It follows the parameter but for some part, as searches for what theorems are asked with
        # end here or there: [upper / (1 + LOOSE), upper] says only which cost may be compared.
        return Bounds(bounds.upper / (1 + LOOSE), bounds.upper)

    is_rate = name in ("advantage", "tpr", "reconstruction_risk")
    little = min(limits.memory_limit, _LITTLE)
    return Goal(
        name=name,
        target=target,
        at=at,
        tolerance=limits.tolerance,
        ask=ask,
        hasty=lambda run, width: _best(partial(ask, run, width, little)),
        advantage=lambda run: _best(
            partial(run.advantage_bounds, **limits._replace(tolerance=COARSE).options())
        ),
        scale=_logit if is_rate else _log,
        coarse=COARSE * (1 - target) if is_rate else COARSE,
    )


def _best(ask: Callable[[], Bounds[float]]) -> Bounds[float]:
    """The bounds found, even if they are wider than asked for."""
    try:
        return ask()
    except CertificationError as error:
        return error.bounds


def _log(cost: float) -> float:
    return math.log(cost) if cost > 0 else -math.inf


def _logit(rate: float) -> float:
    if not 0 < rate < 1:
        return math.copysign(math.inf, rate - 0.5)
    return math.log(rate) - math.log1p(-rate)
