# SPDX-License-Identifier: Apache-2.0
"""Noise of any symmetric log-concave distribution."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism

Function = Callable[[npt.NDArray[np.float64]], Any]

LEAST_ACCURACY, MOST_ACCURACY = 1e-6, 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AdditiveNoise(Mechanism):
    """A number that a record moves by at most `sensitivity`, plus noise of a given distribution.

    The noise must be positive on the whole line, symmetric about 0 and log-concave; then its
    density moved by the sensitivity, against the density, dominates (twice as far for replacing a
    record), and the loss increases along the line.

    Certified: everything, given that for the arrays the functions are called with

    - ``log_density(x)`` is within ``accuracy * (1 + abs(log_density(x)))`` of the exact value,
    - ``distribution(x)`` is within a relative `accuracy` of it for x <= 0, or underflows: where the
      exact value is below 1e-300, anything from 0 to 1e-300 will do (it is not called for x > 0),
    - and the noise is what the first sentence says.

    Where the distribution function may have underflowed, the tail is bounded by the log density
    alone, which is concave. Noise farther out than 1e-306 of it, and probabilities below 1e-301,
    count as an infinite loss in upper bounds and not at all in lower ones.

    That the functions are finite, symmetric, concave and monotone and belong together is checked at
    some hundred points, and again what can be seen on the way; a breach raises ValueError. An
    exception in a function propagates. Such mechanisms cannot be written as JSON, and are equal
    only if their functions are.

    Args:
        log_density: Natural logarithm of the noise's density; array in, array of its shape out.
        distribution: Probability of noise up to x; likewise.
        sensitivity: How far a record moves the number, > 0, in the units of the noise.
        accuracy: See above; in [2^-53, 1e-6].
        steepest: The limit of the slope with which `log_density` falls far out, > 0, per unit of
            the noise; ``math.inf`` where it falls ever faster, as of normal noise. It is trusted,
            and says the largest loss, `sensitivity` times it, which is epsilon at delta = 0; None
            where it is not known, and then that epsilon has a lower bound alone. Of
            ``scipy.stats.norm``, ``laplace`` and ``logistic`` it need not be given.

    Cost: about 150 calls of `log_density` a query and direction, and a few of `distribution`, on
    some thousand points each.

    Source: Dong, Roth & Su (2022), Gaussian differential privacy, Appendix A (log-concave noise).

    >>> from scipy import stats
    >>> noise = AdditiveNoise(log_density=stats.norm.logpdf, distribution=stats.norm.cdf)
    >>> lower, upper = noise.delta_bounds(epsilon=1.0)  # of the Gaussian mechanism: 0.126936...
    >>> lower <= 0.126937 <= 1.001 * upper
    True
    """

    log_density: Function
    distribution: Function
    sensitivity: float = 1.0
    accuracy: float = 1e-13
    steepest: float | None = None

    def __post_init__(self) -> None:
        for name in ("log_density", "distribution"):
            if not callable(getattr(self, name)):
                raise TypeError(
                    f"{name} must be a function, got {_checks.show(getattr(self, name))}"
                )
        accuracy = _checks.within("accuracy", self.accuracy, MOST_ACCURACY, LEAST_ACCURACY)
        sensitivity = _checks.positive("sensitivity", self.sensitivity)
        _check_noise(self.log_density, self.distribution, accuracy)
        steepest = _known_limit(self.log_density) if self.steepest is None else self.steepest
        if steepest is not None and steepest != math.inf:
            steepest = _checks.positive("steepest", steepest)
            _check_limit(self.log_density, accuracy, steepest)
        _checks.keep(self, accuracy=accuracy, sensitivity=sensitivity, steepest=steepest)

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`."""
        _checks.instance("direction", direction, Direction)
        shift = self.sensitivity * (2 if direction.replaces else 1)
        return _pair(self.log_density, self.distribution, self.accuracy, shift, self.steepest)


@lru_cache(maxsize=64)
def _pair(
    log_density: Function,
    distribution: Function,
    accuracy: float,
    shift: float,
    steepest: float | None,
) -> _core.DominatingPair:
    return _core.additive_noise_pair(log_density, distribution, accuracy, shift, steepest)


_LIMITS = {"norm": math.inf, "laplace": 1.0, "logistic": 1.0}  # of scipy.stats


def _known_limit(log_density: Function) -> float | None:
    stats = sys.modules.get("scipy.stats")  # loaded by whoever has functions of it
    for name, steepest in _LIMITS.items():
        if stats and log_density == getattr(stats, name).logpdf:
            return steepest
    return None


def _check_limit(log_density: Function, accuracy: float, steepest: float) -> None:
    """Refuses a limit of the slope that is exceeded at ten deviations."""
    peak = _call("log_density", log_density, np.zeros(1))[0]
    x = np.array([9.0, 10.0]) * 0.4 * np.exp(-peak)
    near, far = _call("log_density", log_density, x)
    least = (near - far - 4 * accuracy * (2 + abs(near) + abs(far))) / (x[1] - x[0])
    if steepest < least:
        raise ValueError(
            f"steepest must be at least the slope of log_density anywhere, {least} or more, "
            f"got {steepest}"
        )


def _check_noise(log_density: Function, distribution: Function, accuracy: float) -> None:
    """Refuses what is seen to be no noise of the kind at 101 points about its middle."""
    peak = _call("log_density", log_density, np.zeros(1))[0]
    x = np.linspace(-10.0, 10.0, 101) * 0.4 * np.exp(-peak)  # normal: ten deviations
    log_f = _call("log_density", log_density, x)
    slack = 4 * accuracy * (1 + np.abs(log_f))
    if np.any(np.abs(log_f - log_f[::-1]) > slack):
        raise ValueError("log_density must be symmetric about 0, got other values at x and -x")
    if np.any(log_f[:-2] - 2 * log_f[1:-1] + log_f[2:] > 2 * slack[1:-1]):
        raise ValueError("log_density must be concave, got values above a chord")
    tail = _call("distribution", distribution, x[:51])
    if not (np.all(np.diff(tail) > 0) and np.all(tail > 0) and abs(tail[-1] - 0.5) <= accuracy):
        raise ValueError("distribution must increase from above 0 to 0.5 at 0, got " + repr(tail))
    mass, chord = np.diff(tail), np.diff(x[:51]) * (np.exp(log_f[:50]) + np.exp(log_f[1:51])) / 2
    if np.any(np.abs(np.log(mass / chord)) > TOGETHER):
        raise ValueError("distribution must be the integral of exp(log_density), got another one")


TOGETHER = 0.5  # a panel of the trapezoid rule over 1/5 of a deviation, ten deviations out


def _call(name: str, function: Function, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    returned = np.asarray(function(x))
    if returned.shape != x.shape or returned.dtype.kind != "f":
        raise TypeError(f"{name} must return an array of floats shaped as its argument")
    if not np.all(np.isfinite(returned)):
        raise ValueError(f"{name} must return finite numbers, got {_checks.show(returned)}")
    return returned.astype(np.float64)
