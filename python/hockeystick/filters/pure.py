# SPDX-License-Identifier: Apache-2.0
"""A budget of epsilon and delta for steps that keep pure differential privacy."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from hockeystick._search import crossing
from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.composition import Composable, Mechanism
from hockeystick.errors import best_bounds
from hockeystick.filters.costs import pure_loss
from hockeystick.filters.exact import Amount, double_below
from hockeystick.filters.filter import Cost, Filter
from hockeystick.mechanisms import ZCDP, ApproximateDP
from hockeystick.outward import double_above

_LOOSEST = 0.999
_LEAST_RHO = 1e-18


class PureFilter(Filter):
    """A budget of (epsilon, delta) for epsilon_i-DP steps chosen by looking at earlier outputs.

    With ``delta=0`` the sum of epsilon_i is held to epsilon. Else the sum of epsilon_i^2 / 2 is
    held to the largest rho, found once, at which ``ZCDP(rho)`` is (epsilon, delta - failures)-DP:
    what is epsilon_i-DP is epsilon_i^2 / 2-zCDP, and rhos add up whatever was chosen (see
    ``ZCDPFilter``). That suits many small steps; for a few large ones take ``delta=0``, or
    ``GaussianFilter``. Which rule holds is fixed as the filter is made, as it must be.

    The closed form of fully-adaptive composition, sqrt(2 log(1/delta) sum epsilon_i^2) + sum
    epsilon_i^2 / 2 <= epsilon, is the same rule with a coarser conversion and never allows more.

    Steps that may fail, (epsilon_i, delta_i)-DP, are taken as long as the sum of delta_i is at most
    `failures`, a part of `delta` that is set aside for them.

    Args:
        epsilon: In (0, 10000] nats, at its exact value: a number, or a ``Fraction``, ``Decimal`` or
            string such as "0.7".
        delta: In [0, 1), likewise.
        failures: In [0, delta], likewise.
        adjacency: Which datasets are neighbours; one of both directions.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Cost: some ten milliseconds once, for the rho; rational arithmetic then.
    Source: Whitehouse, Ramdas, Rogers & Wu (2023), Fully-adaptive composition in differential
    privacy; Bun & Steinke (2016), Proposition 1.4; Canonne, Kamath & Steinke (2020), Corollary 13.

    >>> import hockeystick as hs
    >>> budget = hs.PureFilter(epsilon=1, delta=1e-6)
    >>> budget.runs_left(hs.Laplace(100))
    487
    >>> hs.PureFilter(epsilon=1).runs_left(hs.Laplace(100))
    100
    """

    _measures: ClassVar[tuple[str, ...]] = ("epsilon", "failures")
    _schema: ClassVar[str] = "hockeystick.PureFilter"
    _intervals: ClassVar[dict[str, str]] = {
        "epsilon": "[1e-9, 10000]",
        "delta": "[0, 1)",
        "failures": "[0, 1)",
    }

    def __init__(
        self,
        epsilon: Amount,
        *,
        delta: Amount = 0,
        failures: Amount = 0,
        adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
    ) -> None:
        super().__init__(adjacency, epsilon=epsilon, delta=delta, failures=failures)
        exact = self._exact
        if exact["failures"] > exact["delta"]:
            raise ValueError(
                f"failures must be in [0, delta] with delta = {delta!r}, got {failures!r}"
            )
        at = double_below(exact["delta"] - exact["failures"])
        self._rho = Fraction(_largest_rho(double_below(exact["epsilon"]), at)) if at else None
        if self._rho is not None:
            self._measures = ("epsilon^2 / 2", "failures")  # type: ignore[misc]

    @property
    def guarantee(self) -> Composable:
        """The guarantee of the whole: pure DP, or ``ZCDP``, and a failure beside it."""
        exact = self._exact
        if self._rho is None:
            return ApproximateDP(double_above(exact["epsilon"]), double_above(exact["failures"]))
        keeps = ZCDP(float(self._rho))
        fails = exact["failures"]
        return keeps + ApproximateDP(0, double_above(fails)) if fails else keeps

    @property
    def _budget(self) -> Cost:
        most = self._exact["epsilon"] if self._rho is None else self._rho
        return most, self._exact["failures"]

    def _cost_of(self, mechanism: Mechanism) -> Cost:
        fails = Fraction(0)
        if isinstance(mechanism, ApproximateDP):
            loss: Fraction | None = Fraction(mechanism.guaranteed_epsilon)
            fails = Fraction(mechanism.guaranteed_delta)
        else:
            loss = pure_loss(mechanism, self._adjacency)
        if loss is None:
            raise ValueError(
                f"step must be epsilon-DP, or ApproximateDP, got {mechanism!r}, whose largest loss "
                "is infinite; GaussianFilter, RenyiFilter and ZCDPFilter take more"
            )
        return (loss if self._rho is None else loss**2 / 2), fails


@lru_cache(maxsize=64)
def _largest_rho(epsilon: float, delta: float) -> float:
    """The largest rho found at which whatever is rho-zCDP is certified to keep both."""

    def keeps(rho: float) -> bool:
        # The upper end is the formula's at any tolerance; only lower ends follow it.
        found = best_bounds(ZCDP(rho).epsilon_bounds, delta, tolerance=_LOOSEST)
        return bool(found.upper <= epsilon)

    low, high = _LEAST_RHO, min(epsilon, 9e4)  # rho = epsilon exceeds epsilon at delta < 1 / 2
    if keeps(high):
        return high
    if not keeps(low):
        raise ValueError(f"epsilon must be larger for steps at delta = {delta!r}, got {epsilon!r}")
    least, most = (math.log(1 / rho) for rho in (high, low))
    return math.exp(-crossing(lambda x: keeps(math.exp(-x)), least, most))
