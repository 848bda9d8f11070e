# SPDX-License-Identifier: Apache-2.0
"""A budget of Renyi differential privacy at one order."""

from fractions import Fraction
from typing import ClassVar

from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.composition import Mechanism
from hockeystick.filters.costs import renyi
from hockeystick.filters.exact import Amount, double_below
from hockeystick.filters.filter import Cost, Filter
from hockeystick.mechanisms import RenyiDP
from hockeystick.outward import double_above


class RenyiFilter(Filter):
    """A budget of Renyi DP at one order, for steps chosen by looking at all earlier outputs.

    The filter for sampled steps, whose divergences of moderate orders are small.

    **Theorem.** Fix one order a > 1. Let each step, given the past, have a Renyi divergence of
    order a of at most r_i, in both directions. If the sum of r_i is at most the budget on every
    path, then so is the divergence of the whole. The order is fixed in advance: to keep several
    budgets and stop when the last of them is used up, with the whole delta for each, is not proved,
    and is not offered. A good order for (epsilon, delta) is about 1 + 2 log(1 / delta) / epsilon.

    What a step costs: Gaussians, joint ones, discrete Gaussians and ``ZCDP`` their rho times
    the order, exactly; ``RenyiDP`` of at least that order its divergence; a menu its dearest
    option; all others their certified ``renyi_divergence``, rounded up.

    Args:
        order: In [1.0001, 10000], at its exact value: a number, or a ``Fraction``, ``Decimal`` or
            string.
        budget: The most that the divergences may add up to, in (0, 10000] nats, likewise.
        adjacency: Which datasets are neighbours; one of both directions.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Cost: one question for each distinct step.
    Source: Feldman & Zrnic (2021), Individual privacy accounting via a Renyi filter.

    >>> import hockeystick as hs
    >>> budget = hs.RenyiFilter(order=8, budget=1)
    >>> budget.runs_left(hs.Gaussian(10))
    25
    >>> budget.runs_left(hs.Gaussian(1).poisson_sampled(0.01)) > 1000
    True
    >>> budget.guarantee
    RenyiDP(order=8.0, divergence=1.0)
    """

    _measures: ClassVar[tuple[str, ...]] = ("divergence",)
    _schema: ClassVar[str] = "hockeystick.RenyiFilter"
    _intervals: ClassVar[dict[str, str]] = {"order": "[1.0001, 10000]", "budget": "[1e-9, 10000]"}

    def __init__(
        self,
        order: Amount,
        budget: Amount,
        *,
        adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
    ) -> None:
        super().__init__(adjacency, order=order, budget=budget)
        # Divergences grow with the order: of a decimal one, that of the double above is asked for,
        # and that of the double below is the guarantee.

    @property
    def guarantee(self) -> RenyiDP:
        """Renyi DP of that order with the whole budget, whatever ran and whenever it ended."""
        exact = self._exact
        return RenyiDP(order=double_below(exact["order"]), divergence=double_above(exact["budget"]))

    @property
    def _budget(self) -> Cost:
        return (self._exact["budget"],)

    def _cost_of(self, mechanism: Mechanism) -> Cost:
        order = Fraction(double_above(self._exact["order"]))
        cost = renyi(mechanism, order, self._adjacency)
        if cost is None:
            raise ValueError(
                f"step must have a finite Renyi divergence of order {float(order):g}, got "
                f"{mechanism!r}"
            )
        return (cost,)
