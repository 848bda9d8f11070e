# SPDX-License-Identifier: Apache-2.0
"""Privacy random variables: one by its `cdf`, one of a known mechanism, one cut at both ends."""

import math
from typing import Any, NoReturn

import numpy as np

import hockeystick as hs
from hockeystick import given_cdf
from hockeystick.compat import _arguments
from hockeystick.given_cdf import Allowance, Enclosed


class PrivacyRandomVariable:
    """The privacy loss of a mechanism: one of this package's, or a subclass that has a `cdf`.

    A subclass needs no more. `pm_inf` may say how much of the loss is infinite; `mean`, `pdf`,
    `probability` and `rdp`, which the original may ask for, are not needed.
    """

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, ARG002, as theirs
        """P(L <= t) of the loss L [nats] where it is finite, elementwise on arrays.

        It must be that of a privacy loss, E[exp(-L)] <= 1, and its numbers are taken as true but
        for what `delta_error` allows for.
        """
        raise TypeError(f"prvs must have a cdf, got {type(self)!r}")

    @property
    def pm_inf(self) -> float:
        """P(L = inf)."""
        return 0.0

    def probability(self, a: Any, b: Any) -> Any:  # noqa: ANN401, as theirs
        """P(a < L <= b) of finite losses, elementwise."""
        return self.cdf(b) - self.cdf(a)

    def pdf(self, t: Any) -> Any:  # noqa: ANN401, ARG002, as theirs
        """The density of finite losses, where there is one."""
        self._lacks("pdf")

    def mean(self) -> float:
        """E[L] of finite losses."""
        self._lacks("mean")

    def rdp(self, alpha: float) -> float:  # noqa: ARG002
        """The Renyi divergence of order `alpha` of finite losses [nats]."""
        self._lacks("rdp")

    def _lacks(self, name: str) -> NoReturn:
        # As prv_accountant: a mechanism of the user may have no more than its cdf.
        raise NotImplementedError(f"{type(self)} has no {name}")

    def enclosed(self, allowance: Allowance) -> Enclosed:
        """The runs that replace the mechanism for a lower and for an upper bound.

        Raises:
            ValueError: `cdf` or `pm_inf` is none of a privacy loss, or takes too fine a grid.
            TypeError: A subclass has no `cdf`.
        """
        kind = type(self)
        if kind.cdf is PrivacyRandomVariable.cdf:
            raise TypeError(f"prvs must be mechanisms of this module or have a cdf, got {kind!r}")
        return with_infinite(given_cdf.enclosed(self.cdf, allowance), self.pm_inf)

    def is_known(self) -> bool:
        """Whether this library has a dominating pair, so that the `cdf` need not be asked."""
        return False


class KnownMechanism(PrivacyRandomVariable):
    """A variable for which this library has a dominating pair.

    `mean` and `rdp` are certified upper bounds; `cdf` and `pdf` are to look at, right but for
    rounding. No answer is made of them, but for a subclass with a `cdf` or `pm_inf` of its own.
    """

    _enclosed: Enclosed

    def enclosed(self, allowance: Allowance) -> Enclosed:
        """The runs that replace the mechanism; those of a known one need no allowance."""
        return self._enclosed if self.is_known() else super().enclosed(allowance)

    def is_known(self) -> bool:
        """Whether `cdf` and `pm_inf` are those of this package."""
        owners = [
            next(kind for kind in type(self).__mro__ if name in vars(kind))
            for name in ("cdf", "pm_inf")
        ]
        return all(kind.__module__.startswith("hockeystick.") for kind in owners)

    @property
    def _finite(self) -> Enclosed:
        """The runs that replace the mechanism where the loss is finite."""
        return self._enclosed

    def mean(self) -> float:
        """Certified upper bound of E[L] of finite losses."""
        return self._finite.less_private.loss_mean(adjacency=hs.Adjacency.REMOVE_ONE)

    def rdp(self, alpha: float) -> float:
        """Certified upper bound of the Renyi divergence of order `alpha`, of finite losses."""
        run = self._finite.less_private
        return float(run.renyi_divergence(alpha, adjacency=hs.Adjacency.REMOVE_ONE))


class PrivacyRandomVariableTruncated(PrivacyRandomVariable):
    """Another one where its finite losses lie in (t_min, t_max].

    Args:
        prv: The other one.
        t_min: The lower end [nats].
        t_max: The upper end [nats], > t_min.
    """

    def __init__(self, prv: PrivacyRandomVariable, t_min: float, t_max: float) -> None:
        if not -math.inf < t_min < t_max < math.inf:
            raise ValueError(f"t_max must be finite and > t_min, got {t_max!r} and {t_min!r}")
        self.prv: PrivacyRandomVariable = prv
        self.t_min: float = t_min
        self.t_max: float = t_max
        self.remaining_mass: float = float(prv.cdf(t_max) - prv.cdf(t_min))
        if not self.remaining_mass > 0:
            raise ValueError(f"prv must have losses between t_min = {t_min!r} and {t_max!r}")

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """P(L <= t) given that L is there."""
        return self.probability(self.t_min, t)

    def probability(self, a: Any, b: Any) -> Any:  # noqa: ANN401, as theirs
        """P(a < L <= b) given that L is there."""
        a, b = (np.clip(t, self.t_min, self.t_max) for t in (a, b))
        return self.prv.probability(a, b) / self.remaining_mass

    def pdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """The density given that L is there."""
        inside = (t > self.t_min) & (t <= self.t_max)
        return np.where(inside, self.prv.pdf(t) / self.remaining_mass, 0.0)

    def mean(self) -> float:
        """E[L] given that L is there, by quadrature: an estimate.

        It is the end that is nearer to 0, and what the distribution function leaves on either side.
        """
        middle = min(max(0.0, self.t_min), self.t_max)
        above = _integral(lambda t: 1 - self.cdf(t), middle, self.t_max)
        below = _integral(self.cdf, middle, self.t_min)
        return middle + above + below

    @property
    def pm_inf(self) -> float:
        """P(L = inf) of the other one."""
        return self.prv.pm_inf


def with_infinite(finite: Enclosed, *pm_inf: float) -> Enclosed:
    """The finite loss plus another one, which is 0, or infinite with this probability.

    One probability, or one below and one above it.
    """
    ends = [_arguments.probability("pm_inf", one) for one in pm_inf]
    if ends[-1] == 0:
        return finite
    less, more = (hs.ApproximateDP(epsilon=0, delta=end) for end in (ends[0], ends[-1]))
    return finite._replace(
        more_private=finite.more_private + less, less_private=finite.less_private + more
    )


def _integral(function: Any, near: float, far: float) -> float:  # noqa: ANN401
    """The integral from the end near 0, over pieces that grow from there, with 16 nodes on each."""
    if near == far:
        return 0.0
    edges = near + (far - near) * np.append(0.0, np.geomspace(1e-9, 1.0, 241))
    nodes, weights = np.polynomial.legendre.leggauss(16)
    centre, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    values = np.asarray(function(centre[:, None] + half[:, None] * nodes), dtype=np.float64)
    return float((values @ weights) @ half)
