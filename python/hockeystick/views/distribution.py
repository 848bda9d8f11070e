# SPDX-License-Identifier: Apache-2.0
"""The distribution of the privacy loss."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick._words import outspoken
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.limits import DEFAULT_MEMORY_LIMIT
from hockeystick.pld import PrivacyLossDistribution, Recipe
from hockeystick.queries import Asked

_ESTIMATORS = ("connect_dots", "algorithm_2", "privacy_buckets")


@outspoken
class DistributionView(Asked):
    """The distribution of the privacy loss, made explicit on a grid."""

    __slots__ = ()

    def pld(
        self,
        *,
        discretization_interval: float = 1e-4,
        side: Literal["upper", "lower"] = "upper",
        estimator: Literal["connect_dots", "algorithm_2", "privacy_buckets"] = "connect_dots",
        support: Sequence[float] | FloatArray | None = None,
        tail_mass: float = 1e-15,
        merge_gaussians: bool | None = None,
        adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> PrivacyLossDistribution:
        """The distribution of the privacy loss, on a grid, from the side asked for.

        Args:
            discretization_interval: Spacing of the losses [nats], in (0, 500].
            side: "upper" never understates delta, "lower" never overstates it.
            estimator: "connect_dots", whose lower form takes tangents at the middle of the cells;
                "algorithm_2", the lower estimate of Doroshenko et al. (2022); "privacy_buckets",
                which rounds losses up or down to the grid (Meiser & Mohammadi, 2018). The first
                two are off by the square of the interval; buckets by half an interval a step, and
                that in the Q-mass too, so that ``reflected()`` says little of them.
            support: The losses [nats] that one step of each distinct mechanism is put on, shape
                (n,), n >= 2, increasing, in [-500, 1e6], at most 500 apart: multiples of
                `discretization_interval`, to 1e-9 of it, so that compositions stay on that grid.
                None: all multiples of it that hold all but `tail_mass`. An upper estimate puts the
                hockey-stick divergence of the last loss at +inf, so it should reach far. A lower
                estimate says nothing on a support much coarser than the loss varies at its
                bounded end.
            tail_mass: Mass that each end may lose to truncation, in (0, 1): of the steps' supports
                and, by Chernoff's inequality, of the composition. It goes to +inf in an upper
                estimate and is dropped from a lower one.
            merge_gaussians: Whether plain Gaussians become one before it is put on the grid, which
                is exact, or each step is put on the grid and then composed, as the papers do. None:
                merged with "connect_dots" where no `support` is given.
            adjacency: Which datasets are neighbours; both directions of ADD_OR_REMOVE_ONE are kept.
            memory_limit: Bytes the computation may take, > 0.

        Raises:
            ValueError: An argument is out of range, `estimator` does not offer `side`, or the
                grid would exceed `memory_limit`.
            TypeError: An argument has the wrong type.

        Cost: O(n log n) for n losses. Source: Doroshenko et al. (2022), Algorithms 1 and 2.
        """
        interval = _checks.discretization_interval(discretization_interval)
        _checks.choice("side", side, ("upper", "lower"))
        _checks.choice("estimator", estimator, _ESTIMATORS)
        if (side, estimator) == ("upper", "algorithm_2"):
            raise ValueError("side must be 'lower' with estimator 'algorithm_2', got 'upper'")
        if side == "lower" and not all(mechanism.is_exact for mechanism, _ in self.terms):
            raise ValueError(
                "side must be 'upper' for mechanisms known by pairs above and below, got 'lower': "
                "several pairs below, and none of them all, bound them"
            )
        index = [] if support is None else _checks.support_index(support, interval)
        tail = _checks.open_unit("tail_mass", tail_mass)
        if merge_gaussians is None:
            merge_gaussians = support is None and estimator == "connect_dots"
        merge = _checks.instance("merge_gaussians", merge_gaussians, bool)
        if merge and support is not None:
            raise ValueError("merge_gaussians must be False with a support, got True")
        limit = _checks.memory_limit(memory_limit)
        worst = adjacency_of(adjacency)
        recipe = partial(
            self.pld,
            discretization_interval=interval,
            side=side,
            estimator=estimator,
            support=None if support is None else tuple(map(float, support)),
            tail_mass=tail,
            merge_gaussians=merge,
            adjacency=worst,
            memory_limit=limit,
        )
        laws: list[tuple[_core.Terms, _core.LossPmf]] = []
        for terms in self._pairs(*worst.directions):
            known = [law for pairs, law in laws if pairs == terms]
            law = (
                known[0]
                if known
                else _core.loss_pmf(
                    terms,
                    interval=interval,
                    side=side,
                    estimator=estimator,
                    tail_mass=tail,
                    merge_gaussians=merge,
                    support=index,
                    memory_limit=limit,
                )
            )
            laws.append((terms, law))
        return PrivacyLossDistribution(
            tuple(law for _, law in laws),
            worst.directions,
            Recipe(recipe),
        )
