# SPDX-License-Identifier: Apache-2.0
"""A budget of zero-concentrated differential privacy."""

from typing import ClassVar

from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.composition import Composable, Mechanism
from hockeystick.filters.costs import rho
from hockeystick.filters.exact import Amount, double_below
from hockeystick.filters.filter import Cost, Filter
from hockeystick.mechanisms import ZCDP, ApproximateDP
from hockeystick.outward import double_above


class ZCDPFilter(Filter):
    """A budget of rho-zero-concentrated DP for steps chosen by looking at all earlier outputs.

    **Theorem.** Let each step, given the past, have Renyi divergences of all orders a > 1 of at
    most rho_i a, in both directions, but for a failure of probability delta_i. If the sum of rho_i
    is at most rho on every path, and the sum of delta_i at most delta, then the whole is rho-zCDP
    but for a failure of probability delta. So it keeps the curve of ``ZCDP(rho)``, at all deltas at
    once, with `delta` added.

    What a step costs: ``ZCDP`` its rho; Gaussians and discrete Gaussians 1 / (2 noise^2), exactly
    (four times that where records are replaced); what is epsilon-DP at most epsilon^2 / 2, and less
    where its own divergences say so; (epsilon, delta)-DP epsilon^2 / 2, and a failure of
    probability delta; a menu its dearest option. Sampled steps cost what their largest order says,
    as much as without sampling: for these take ``RenyiFilter``.

    Args:
        rho: The budget, in (0, 90000], at its exact value: a number, or a ``Fraction``, ``Decimal``
            or string such as "0.7".
        delta: The probability of failures that steps may have in all, in [0, 1), likewise.
        adjacency: Which datasets are neighbours; one of both directions.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Source: Feldman & Zrnic (2021), Individual privacy accounting via a Renyi filter, at all orders;
    Whitehouse et al. (2023), Fully-adaptive composition in differential privacy.

    >>> import hockeystick as hs
    >>> budget = hs.ZCDPFilter(rho="0.5")
    >>> budget.runs_left(hs.Gaussian(10)), budget.runs_left(hs.ZCDP(0.125))
    (100, 4)
    >>> budget.run(hs.ZCDP(0.125), label="P1").remaining
    0.375
    >>> budget.guarantee
    ZCDP(0.5)
    """

    _measures: ClassVar[tuple[str, ...]] = ("rho", "delta")
    _schema: ClassVar[str] = "hockeystick.ZCDPFilter"
    _intervals: ClassVar[dict[str, str]] = {"rho": "[1e-18, 90000]", "delta": "[0, 1)"}

    def __init__(
        self,
        rho: Amount,
        *,
        delta: Amount = 0,
        adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
    ) -> None:
        super().__init__(adjacency, rho=rho, delta=delta)

    @property
    def rho(self) -> float:
        """The budget, rounded down."""
        return double_below(self._exact["rho"])

    @property
    def guarantee(self) -> Composable:
        """``ZCDP`` of the budget, whatever ran and whenever it ended, and failures beside it.

        Its rho is rounded up to a double, and so is delta.
        """
        keeps = ZCDP(double_above(self._exact["rho"]))
        fails = self._exact["delta"]
        return keeps + ApproximateDP(0, double_above(fails)) if fails else keeps

    @property
    def _budget(self) -> Cost:
        return self._exact["rho"], self._exact["delta"]

    def _cost_of(self, mechanism: Mechanism) -> Cost:
        cost = rho(mechanism, self._adjacency)
        if cost is None:
            raise ValueError(
                f"step must have a rho of zero-concentrated DP, got {mechanism!r}, whose Renyi "
                "divergences are infinite"
            )
        return cost
