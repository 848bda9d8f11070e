# SPDX-License-Identifier: Apache-2.0
"""The parameter that spends a privacy budget, and provably no more."""

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from hockeystick import _core
from hockeystick._array_like import ArrayLike
from hockeystick._words import spoken
from hockeystick.accountant import Accountant
from hockeystick.calibration.arrays import Sought, arrays_of, broadcast, found, named
from hockeystick.calibration.families import Family, Runs
from hockeystick.calibration.goals import goal_of
from hockeystick.composition import Composable
from hockeystick.disjoint import DisjointParts
from hockeystick.limits import Limits, Options, spelled_out

Number = TypeVar("Number")  # of one search a float, of many whatever becomes an array


class Target(Options, Generic[Number], total=False):
    """The largest cost of a parameter, and the domain in which the parameter is searched for."""

    epsilon: Number | None
    delta: Number | None
    advantage: Number | None
    tpr: Number | None
    fpr: Number | None
    reconstruction_risk: Number | None
    baseline: Number | None
    rho: Number | None
    mu: Number | None
    smallest_rate: Number | None
    bayes_risk: Number | None
    prior: Number | None
    bounds: tuple[float, float] | None
    spent: Composable | DisjointParts | Accountant | None


@overload
def calibrate(  # type: ignore[overload-overlap]
    make: Callable[[Any], Composable | DisjointParts | Accountant],
    *,
    integer: Literal[True],
    **asked: Unpack[Target[float]],
) -> int: ...
@overload
def calibrate(
    make: Callable[[Any], Composable | DisjointParts | Accountant],
    *,
    integer: Literal[False] | None = None,
    **asked: Unpack[Target[float]],
) -> float: ...
@overload
def calibrate(
    make: Callable[[Any], Composable | DisjointParts | Accountant],
    *,
    integer: bool | None = None,
    **asked: Unpack[Target[ArrayLike]],
) -> npt.NDArray[Any]: ...
@spoken
@spelled_out
def calibrate(
    make: Callable[[Any], Composable | DisjointParts | Accountant],
    *,
    integer: bool | None = None,
    **asked: Unpack[Target[ArrayLike]],
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
            in (0, 1); ``tpr`` of an attack at most, in (fpr, 1), at ``fpr`` in (0, 1);
            ``reconstruction_risk`` at most, in (baseline, 1), at ``baseline`` in (0, 1); ``mu`` of
            Gaussian DP at most, > 0, at ``smallest_rate``, as of ``gdp_mu``; and ``bayes_risk`` at
            least, > 0 and below both ``prior`` (1/2 by default) and 1 - prior.
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
        the cost jumps, and some parameter within a relative distance of 1e-9 misses it, or of
        tolerance / 4 where theory leaves a gap. So a count of 0 says that not even one run fits,
        and the end of the domain that everything does.

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
        return _core.Search(family, goal).run()
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
