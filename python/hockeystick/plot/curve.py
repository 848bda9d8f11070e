# SPDX-License-Identifier: Apache-2.0
"""The picture of a hockey-stick curve."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hockeystick import _checks
from hockeystick._array_like import ArrayLike
from hockeystick._checks import FloatArray
from hockeystick._words import spoken
from hockeystick.accountant import Accountant
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.adjacency import AdjacencyLike
from hockeystick.composition import Composable
from hockeystick.errors import best_bounds
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.plot import _axes, _methods
from hockeystick.plot._arguments import line, some_of
from hockeystick.plot._reach import reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES = ("epsilon", "alpha")
_LEAST = {"log": 1e-8, "linear": 1e-3}  # delta at the right end
_POINTS = 121
_POINTS_OF_BASELINES = 30
_MOST_OF_ALPHA = 700.0  # largest epsilon with a finite e^epsilon


@spoken
def hockey_stick(  # noqa: PLR0913, a comparison has many sides
    run: Composable | Accountant,
    *,
    epsilon: ArrayLike | None = None,
    yscale: Literal["log", "linear"] = "log",
    against: Literal["epsilon", "alpha"] = "epsilon",
    estimators: _methods.EstimatorName | Sequence[_methods.EstimatorName] = (),
    discretization_interval: float = 5e-3,
    support: Sequence[float] | FloatArray | None = None,
    baselines: _methods.CurveBaselineName | Sequence[_methods.CurveBaselineName] = (),
    label: str | None = None,
    adjacency: AdjacencyLike | None = None,
    tolerance: float = DEFAULT_TOLERANCE,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the hockey-stick curve: bounds on delta at each epsilon, certified and by other methods.

    Args:
        run: A mechanism, a composition or an accountant.
        epsilon: At least two values in [0, 1e4] nats; None: from 0 to where delta is 1e-8 (with
            `yscale` "linear", 1e-3).
        yscale: "log" or "linear"; linear in any case where delta is 0 throughout.
        against: "epsilon", or "alpha" for e^epsilon, over which curves are convex, and those of
            distributions on a grid are straight between its points.
        estimators: Which estimates on a grid to add, each from both sides: "connect_dots",
            "privacy_buckets", "algorithm_2" (from below only).
        discretization_interval: Spacing of that grid [nats], > 0. The certified bounds choose
            their own.
        support: The losses that the estimators put a step on, as for ``run.pld``, and where they
            are marked. They put every step on its grid and then compose, as the literature does,
            Gaussians too.
        baselines: Which classical bounds to add: "rdp", "zcdp", and "clt", no bound.
        label: A name for the legend, where several curves share the axes; None: what `run` is,
            there or, for the first curve, in the title.
        adjacency: Which datasets are neighbours, by default those of an accountant; the worst
            direction counts.
        tolerance: Widest relative gap wanted between the bounds, in (1e-12, 1); where it is out of
            reach, the best bounds are drawn.
        memory_limit: Bytes the computation may take, > 0.
        ax: Axes to draw on; None: those of a new figure.

    Returns:
        The axes: epsilon in nats (or alpha) to the right, delta upwards.

    Raises:
        ValueError, TypeError: As ``run.delta_bounds`` and ``run.pld``.
        ImportError: matplotlib is not installed.

    Cost: 121 questions for delta.
    """
    _axes.check_axes(ax)
    run, adjacency = run_and_adjacency("run", run, adjacency)
    _checks.choice("yscale", yscale, _axes.SCALES)
    _checks.choice("against", against, AXES)
    on_grids = some_of("estimators", estimators, tuple(_methods.ESTIMATORS))
    classics = some_of("baselines", baselines, tuple(_methods.CURVES))
    if epsilon is None:
        far = reach(run, _LEAST[yscale], adjacency, memory_limit)
        points = np.linspace(0, far, _POINTS)
        if against == "alpha":
            points = np.log1p(np.linspace(0, np.expm1(min(far, _MOST_OF_ALPHA)), _POINTS))
    else:
        points = np.sort(line("epsilon", _checks.epsilon_array(epsilon)))
    limits: dict[str, Any] = {"adjacency": adjacency, "memory_limit": memory_limit}
    lower, upper = best_bounds(run.delta_bounds, points, tolerance=tolerance, **limits)
    grid = {"discretization_interval": discretization_interval, "support": support, **limits}
    plds = {
        name: {
            side: run.pld(estimator=name, side=side, merge_gaussians=False, **grid)
            for side in _methods.ESTIMATORS[name].sides
        }
        for name in on_grids
    }
    at = points if support is None else _with_kinks(points, support)

    def across(losses: FloatArray) -> FloatArray:
        return losses if against == "epsilon" else np.exp(losses)

    ax = _axes.axes_or_new(ax)
    label = _axes.name_of(ax, run, label, _axes.under(adjacency))
    _axes.draw_bounds(ax, across(points), lower, upper, label=label)
    for name, sides in plds.items():
        values = {side: pld.delta(at) for side, pld in sides.items()}
        kinks = None if support is None else np.isin(at, support)
        marked = {"marker": ""} if kinks is None else {"markevery": kinks}
        _methods.draw_estimator(ax, across(at), _methods.ESTIMATORS[name], values, **marked)
    for baseline in classics:
        coarse = points[:: max(points.size // _POINTS_OF_BASELINES, 1)]  # 12 ms each by Renyi DP
        deltas = _methods.CURVES[baseline](run, coarse, adjacency)
        _methods.draw_baseline(ax, across(coarse), _methods.BASELINES[baseline], deltas)
    if yscale == "log" and np.any(np.asarray(upper) > 0):  # zero has no logarithm
        ax.set_yscale("log", nonpositive="clip")
    if label is None:
        grid_words = f", grid of {discretization_interval:g} nats" if on_grids else ""
        _axes.titled(ax, run, f"{_axes.under(adjacency)}{grid_words}")
    ax.set_xlabel("epsilon [nats]" if against == "epsilon" else "alpha = e^epsilon")
    ax.set_ylabel("delta [probability]")
    ax.grid(visible=True, alpha=0.3)
    _axes.keep_to_upper_bounds(ax)
    _axes.show_legend(ax, has_names=label is not None or bool(on_grids))
    return ax


def _with_kinks(points: FloatArray, support: Any) -> FloatArray:  # noqa: ANN401
    """The points, and the losses of the support between them."""
    losses = np.asarray(support, dtype=np.float64)
    return np.union1d(points, losses[(losses >= points[0]) & (losses <= points[-1])])
