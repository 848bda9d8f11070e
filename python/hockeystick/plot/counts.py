# SPDX-License-Identifier: Apache-2.0
"""The picture of what composition costs: epsilon against the number of compositions."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hockeystick import _checks
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.composition import Composable
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.plot._arguments import line, some_of
from hockeystick.plot._axes import (
    HOW_TO_READ,
    SCALES,
    axes_or_new,
    check_axes,
    darker,
    draw_bounds,
    leave_room,
    titled,
)
from hockeystick.plot._bounds import best_bounds
from hockeystick.plot._methods import (
    BASELINES,
    ESTIMATORS,
    BaselineName,
    Estimator,
    EstimatorName,
    Side,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DWARFED = 10.0  # times the certified epsilon: what is higher leaves its curve flat
_CERTIFIED, _CLASSICAL = 100, 20  # counts added at equal ratios, and as many at equal distances
_FEW = 5  # entries that a legend can have where matplotlib finds it a place
_SIDES: dict[Side, dict[str, Any]] = {
    "upper": {"linestyle": "-", "linewidth": 1.6},
    "lower": {"linestyle": "--", "linewidth": 1.2},
}


def epsilon_by_count(  # noqa: PLR0913, a comparison has many sides
    step: Composable,
    counts: Sequence[int],
    *,
    delta: float = 1e-5,
    estimators: Sequence[EstimatorName] = (),
    discretization_interval: float = 5e-3,
    support: Sequence[float] | FloatArray | None = None,
    baselines: Sequence[BaselineName] = (),
    scale: Literal["linear", "log"] | None = None,
    adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
    tolerance: float = DEFAULT_TOLERANCE,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw epsilon against how often `step` runs: certified, and by other methods.

    Args:
        step: A mechanism or a composition.
        counts: At least two numbers of runs, in [1, 1e9]: where estimates are marked. The certified
            curve and the baselines are drawn from the smallest to the largest, at many counts
            between; where counts are left out, the upper line has the value of the next count and
            the lower line that of the count before, so that they enclose epsilon at every count.
        delta: In (0, 1).
        estimators: Which estimates on a grid to add, each from both sides: "connect_dots",
            "privacy_buckets", "algorithm_2" (from below only).
        discretization_interval: Spacing of that grid [nats], > 0. The certified bounds choose
            their own.
        support: The losses that the estimators put a step on, as for ``run.pld``. They put every
            step on its grid and then compose, as the literature does, Gaussians too.
        baselines: Which classical bounds to add: "rdp", "zcdp", "basic", "advanced" and "optimal"
            composition (of the step's epsilon at delta / count, and for the last two at half of
            that), and "clt", no bound.
        scale: "linear" or "log", of both axes; where every epsilon is 0, its axis stays linear.
            None: linear, but for the axis of epsilon where another method ends so far above the
            certified curve that it would lie flat.
        adjacency: Which datasets are neighbours; with the baseline "clt", ADD_OR_REMOVE_ONE.
        tolerance: Widest relative gap wanted between the certified bounds, in (1e-12, 1); where it
            is out of reach, the best bounds are drawn.
        memory_limit: Bytes the computation may take, > 0.
        ax: Axes to draw on; None: those of a new figure.

    Returns:
        The axes: number of compositions to the right, epsilon in nats upwards. Infinite estimates
        are left out.

    Raises:
        ValueError: As ``run.epsilon_bounds`` and ``run.pld``.
        TypeError: So too, or a baseline does not know a mechanism.
        ImportError: matplotlib is not installed.
    """
    check_axes(ax)
    _checks.instance("step", step, Composable)
    if scale is not None:
        _checks.choice("scale", scale, SCALES)
    numbers = sorted({_checks.whole("each of counts", n, 1, _checks.MAX_COUNT) for n in counts})
    line("counts", np.array(numbers, dtype=float))
    target = _checks.open_unit("delta", delta)
    some_of("estimators", estimators, tuple(ESTIMATORS))
    some_of("baselines", baselines, tuple(BASELINES))
    if "clt" in baselines and adjacency_of(adjacency) is not Adjacency.ADD_OR_REMOVE_ONE:
        raise ValueError(
            f"adjacency must be ADD_OR_REMOVE_ONE with baseline 'clt', got {adjacency}"
        )
    limits: dict[str, Any] = {"adjacency": adjacency, "memory_limit": memory_limit}
    grid = {"discretization_interval": discretization_interval, "support": support, **limits}

    certified_at, baselines_at = (_filled(numbers, extra) for extra in (_CERTIFIED, _CLASSICAL))
    bounds = [
        best_bounds((n * step).epsilon_bounds, target, tolerance=tolerance, **limits)
        for n in certified_at
    ]
    estimates = {name: _estimates(step, numbers, name, target, grid) for name in estimators}
    classical = {
        name: [BASELINES[name].epsilon(step, n, target, adjacency) for n in baselines_at]
        for name in baselines
    }

    ax = axes_or_new(ax)
    _draw_certified(ax, certified_at, bounds)
    for name, sides in estimates.items():
        _draw_estimator(ax, numbers, ESTIMATORS[name], sides)
    for baseline, values in classical.items():
        way = BASELINES[baseline]
        ax.plot(baselines_at, values, label=way.label, linestyle=way.linestyle, color=way.color)
    _finish(ax, scale)
    note = f", grid of {discretization_interval:g} nats" if estimators else ""
    titled(ax, step, f", delta = {target:g}{note}")
    return ax


def _estimates(
    step: Composable,
    counts: list[int],
    estimator: EstimatorName,
    delta: float,
    grid: dict[str, Any],
) -> dict[Side, list[float]]:
    """Epsilon at each count from each side that the estimator has."""

    def epsilon(count: int, side: Side) -> float:
        run = count * step
        pld = run.pld(estimator=estimator, side=side, merge_gaussians=False, **grid)
        return pld.epsilon(delta)

    return {side: [epsilon(n, side) for n in counts] for side in ESTIMATORS[estimator].sides}


def _filled(counts: list[int], extra: int) -> list[int]:
    """The counts, and `extra` more between the first and the last at equal ratios and distances."""
    first, last = counts[0], counts[-1]
    between = [*np.geomspace(first, last, extra), *np.linspace(first, last, extra)]
    return sorted({*counts, *(min(max(round(n), first), last) for n in between)})


def _draw_certified(ax: "Axes", counts: list[int], bounds: list[Any]) -> None:
    """Lines that hold at every count: epsilon grows with it, and lies above its chords."""
    places, lower, upper = [counts[0]], [bounds[0].lower], [bounds[0].upper]
    for (count, bound), (following, ahead) in pairwise(zip(counts, bounds, strict=True)):
        if following > count + 1:
            places += [count + 1, following - 1]
            lower += [bound.lower] * 2
            upper += [ahead.upper] * 2
        places.append(following)
        lower.append(ahead.lower)
        upper.append(ahead.upper)
    above, below = draw_bounds(ax, places, lower, upper, color="0.75", linewidth=7, zorder=1)
    above.set_label("certified")
    below.set_label("_certified from below")


def _draw_estimator(
    ax: "Axes", counts: list[int], way: Estimator, sides: dict[Side, list[float]]
) -> None:
    """Both sides in one colour with one marker; the legend names the first."""
    for label, (side, values) in zip((way.label, f"_{way.label}"), sides.items(), strict=False):
        ax.plot(
            counts,
            np.where(np.isfinite(values), values, np.nan),
            label=label,
            color=way.color if side == "upper" else darker(way.color),
            marker=way.marker,
            markersize=4,
            **_SIDES[side],
        )


def _highest(ax: "Axes", label: str | None = None) -> float:
    """The largest finite epsilon drawn, or that of the lines with a label."""
    drawn = [each for each in ax.lines if label in (None, each.get_label())]
    values = np.concatenate([np.asarray(each.get_ydata(), dtype=float) for each in drawn])
    return float(np.max(values[np.isfinite(values)], initial=0.0))


def _finish(ax: "Axes", scale: str | None) -> None:
    highest = _highest(ax)
    if scale == "log":
        ax.set_xscale("log")
    if highest > 0 and (
        scale == "log" or (scale is None and highest > _DWARFED * _highest(ax, "certified") > 0)
    ):
        ax.set_yscale("log", nonpositive="mask")
    ax.set_xlabel("number of compositions")
    ax.set_ylabel("epsilon [nats]")
    ax.grid(visible=True, alpha=0.3)
    style: dict[str, Any] = {"title": HOW_TO_READ, "fontsize": "small", "title_fontsize": "small"}
    entries = len(ax.get_legend_handles_labels()[1])
    if entries > _FEW:
        leave_room(ax, 0.036 * (entries + 3))
        style |= {"ncols": 2, "loc": "upper left"}
    ax.legend(**style)
