# SPDX-License-Identifier: Apache-2.0
"""The other ways to an epsilon that ``epsilon_by_count`` can draw, and how they are drawn."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from hockeystick import baselines
from hockeystick.adjacency import AdjacencyLike
from hockeystick.composition import Composable

EstimatorName = Literal["connect_dots", "privacy_buckets", "algorithm_2"]
BaselineName = Literal["rdp", "zcdp", "basic", "advanced", "optimal", "clt"]
Side = Literal["upper", "lower"]


class Estimator(NamedTuple):
    """An estimate on a grid."""

    label: str
    sides: tuple[Side, ...]
    marker: str
    color: str


class Baseline(NamedTuple):
    """A classical method, of a step that runs `count` times."""

    label: str
    epsilon: Callable[[Composable, int, float, AdjacencyLike], float]
    linestyle: Any
    color: str


def _rdp(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    return baselines.rdp_epsilon(count * step, delta, adjacency=adjacency)


def _zcdp(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    rho = baselines.zcdp_rho(count * step, adjacency=adjacency)
    return baselines.zcdp_epsilon(rho=rho, delta=delta)


def _clt(step: Composable, count: int, delta: float, _: AdjacencyLike) -> float:
    return baselines.clt_epsilon(count * step, delta)


def _basic(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    each = step.epsilon(delta / count, adjacency=adjacency)
    return baselines.basic_composition(epsilon=each, count=count).epsilon


def _advanced(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    each = step.epsilon(delta / (2 * count), adjacency=adjacency)
    return baselines.advanced_composition(epsilon=each, count=count, delta_slack=delta / 2).epsilon


def _optimal(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    share = delta / (2 * count)
    each = step.epsilon(share, adjacency=adjacency)
    return baselines.optimal_composition_epsilon(
        epsilon=each, delta=share, count=count, target_delta=delta
    )


ESTIMATORS: dict[str, Estimator] = {
    "connect_dots": Estimator("connect the dots", ("upper", "lower"), "o", "C0"),
    "privacy_buckets": Estimator("privacy buckets", ("upper", "lower"), "s", "C1"),
    "algorithm_2": Estimator("Algorithm 2", ("lower",), "D", "C2"),
}

BASELINES: dict[str, Baseline] = {
    "rdp": Baseline("Renyi DP", _rdp, "-.", "C3"),
    "zcdp": Baseline("zero-concentrated DP", _zcdp, ":", "C4"),
    "basic": Baseline("basic composition", _basic, (0, (1, 3)), "C5"),
    "advanced": Baseline("advanced composition", _advanced, (0, (6, 2, 1, 2, 1, 2)), "C8"),
    "optimal": Baseline("optimal composition", _optimal, (0, (4, 1, 1, 1, 1, 1)), "C9"),
    "clt": Baseline("central limit (no bound)", _clt, (0, (8, 4)), "C6"),
}
