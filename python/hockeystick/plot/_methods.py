# SPDX-License-Identifier: Apache-2.0
"""The other ways to an epsilon or a delta that pictures can show, and how they are drawn."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hockeystick import baselines
from hockeystick._checks import FloatArray
from hockeystick.adjacency import AdjacencyLike
from hockeystick.composition import Composable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EstimatorName = Literal["connect_dots", "privacy_buckets", "algorithm_2"]
BaselineName = Literal["rdp", "zcdp", "basic", "advanced", "optimal", "clt"]
CurveBaselineName = Literal["rdp", "zcdp", "clt"]
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


def _rdp_curve(run: Composable, epsilon: FloatArray, adjacency: AdjacencyLike) -> FloatArray:
    return np.asarray(baselines.rdp_delta(run, epsilon, adjacency=adjacency))


def _zcdp_curve(run: Composable, epsilon: FloatArray, adjacency: AdjacencyLike) -> FloatArray:
    rho = baselines.zcdp_rho(run, adjacency=adjacency)
    return np.asarray(baselines.zcdp_delta(rho=rho, epsilon=epsilon))


def _clt_curve(run: Composable, epsilon: FloatArray, _: AdjacencyLike) -> FloatArray:
    if not _has_limit(run):
        return np.full_like(epsilon, np.nan)
    return np.asarray(baselines.clt_delta(run, epsilon))


def _has_limit(run: Composable) -> bool:
    """Whether a central limit is known for all that runs."""
    try:
        baselines.clt_mu(run)
    except TypeError:
        return False
    return True


CURVES: dict[str, Callable[[Composable, FloatArray, AdjacencyLike], FloatArray]] = {
    "rdp": _rdp_curve,
    "zcdp": _zcdp_curve,
    "clt": _clt_curve,
}
"""Deltas of the baselines that have one at each epsilon."""


def _rdp(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    return baselines.rdp_epsilon(count * step, delta, adjacency=adjacency)


def _zcdp(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    rho = baselines.zcdp_rho(count * step, adjacency=adjacency)
    return baselines.zcdp_epsilon(rho=rho, delta=delta)


def _clt(step: Composable, count: int, delta: float, _: AdjacencyLike) -> float:
    return baselines.clt_epsilon(count * step, delta) if _has_limit(step) else math.nan


def _basic(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    each = step.epsilon(delta / count, adjacency=adjacency)
    if each == math.inf:
        return each
    return baselines.basic_composition(epsilon=each, count=count).epsilon


def _advanced(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    if delta == 0:  # it fails with some probability
        return math.inf
    each = step.epsilon(delta / (2 * count), adjacency=adjacency)
    return baselines.advanced_composition(epsilon=each, count=count, delta_slack=delta / 2).epsilon


def _optimal(step: Composable, count: int, delta: float, adjacency: AdjacencyLike) -> float:
    share = delta / (2 * count)
    each = step.epsilon(share, adjacency=adjacency)
    if each == math.inf:
        return each
    return baselines.optimal_composition_epsilon(
        epsilon=each, delta=share, count=count, target_delta=delta
    )


ESTIMATORS: dict[str, Estimator] = {
    "connect_dots": Estimator("connect the dots", ("upper", "lower"), "o", "C1"),
    "privacy_buckets": Estimator("privacy buckets", ("upper", "lower"), "s", "C4"),
    "algorithm_2": Estimator("Algorithm 2", ("lower",), "D", "C2"),
}

BASELINES: dict[str, Baseline] = {
    "rdp": Baseline("Renyi DP", _rdp, "-.", "C3"),
    "zcdp": Baseline("zero-concentrated DP", _zcdp, (0, (3, 1, 1, 1)), "C9"),
    "basic": Baseline("basic composition", _basic, (0, (2, 1)), "C7"),
    "advanced": Baseline("advanced composition", _advanced, (0, (6, 2, 1, 2, 1, 2)), "C8"),
    "optimal": Baseline("optimal composition", _optimal, (0, (4, 1, 1, 1, 1, 1)), "C5"),
    "clt": Baseline("central limit (no bound)", _clt, ":", "C6"),
}

_LINES: dict[Side, dict[str, Any]] = {
    "upper": {"linestyle": "-", "linewidth": 1.6},
    "lower": {"linestyle": "--", "linewidth": 1.2},
}


def draw_estimator(
    ax: "Axes", x: npt.ArrayLike, method: Estimator, sides: dict[Side, Any], **style: Any
) -> None:
    """Both sides in one colour with one marker; the legend names the first."""
    for label, (side, values) in zip(
        (method.label, f"_{method.label}"), sides.items(), strict=False
    ):
        given = {"marker": method.marker, "markersize": 4, **_LINES[side], **style}
        ax.plot(
            x,
            np.where(np.isfinite(values), values, np.nan),
            label=label,
            color=method.color,
            **given,
        )


def draw_baseline(ax: "Axes", x: npt.ArrayLike, method: Baseline, values: npt.ArrayLike) -> None:
    """A line of its own colour and dashes; the legend says where the method knows nothing."""
    label = f"{method.label}: not known" if np.isnan(values).all() else method.label
    ax.plot(x, values, label=label, linestyle=method.linestyle, color=method.color)
