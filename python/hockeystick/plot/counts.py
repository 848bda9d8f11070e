# SPDX-License-Identifier: Apache-2.0
"""The picture of what composition costs: epsilon against the number of compositions."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hockeystick import _checks
from hockeystick._checks import FloatArray
from hockeystick._words import spoken
from hockeystick.accountant import Accountant
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.bounds import Bounds
from hockeystick.composition import Composable
from hockeystick.errors import best_bounds
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.plot import _axes, _methods
from hockeystick.plot._arguments import line, some_of
from hockeystick.wording import in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DWARFED = 10.0  # times the certified epsilon: what is higher leaves its curve flat
_FILLED = 20  # counts added at equal ratios, and as many at equal distances
_STEPS = 500  # steps of the certified lines: each is at most that part of the axis high,
_MOST_COUNTS = 1500  # unless it took more counts than these
_FEW = 5  # entries that a legend can have where matplotlib finds it a place


@spoken
def epsilon_by_count(  # noqa: PLR0913, a comparison has many sides
    step: Composable | Accountant,
    counts: Sequence[int],
    *,
    delta: float = 1e-5,
    estimators: _methods.EstimatorName | Sequence[_methods.EstimatorName] = (),
    discretization_interval: float = 5e-3,
    support: Sequence[float] | FloatArray | None = None,
    baselines: _methods.BaselineName | Sequence[_methods.BaselineName] = (),
    scale: Literal["linear", "log"] | None = None,
    label: str | None = None,
    adjacency: AdjacencyLike | None = None,
    tolerance: float = DEFAULT_TOLERANCE,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw epsilon against how often `step` runs: certified, and by other methods.

    Args:
        step: A mechanism, a composition or an accountant.
        counts: At least two numbers of runs, in [1, 1e9]: where estimates are marked. The certified
            curve and the baselines are drawn from the smallest to the largest, at many counts
            between; where counts are left out, the upper line has the value of the next count and
            the lower line that of the count before, so that they enclose epsilon at every count.
        delta: In [0, 1); at 0 epsilon is the largest privacy loss.
        estimators: Which estimates on a grid to add, each from both sides: "connect_dots",
            "privacy_buckets", "algorithm_2" (from below only).
        discretization_interval: Spacing of that grid [nats], > 0. The certified bounds choose
            their own.
        support: The losses that the estimators put a step on, as for ``run.pld``. They put every
            step on its grid and then compose, as the literature does, Gaussians too.
        baselines: Which classical bounds to add: "rdp", "zcdp", "basic", "advanced" and "optimal"
            composition (of the step's epsilon at delta / count, and for the last two at half of
            that), and "clt", no bound, which is known for Gaussians, sampled or not.
        scale: "linear" or "log", of both axes; where every epsilon is 0, its axis stays linear.
            None: linear, but for the axis of epsilon where another method ends so far above the
            certified curve that it would lie flat.
        label: A name of the certified curve for the legend, where several share the axes; None:
            "certified", and where the axes hold lines already what `step` is.
        adjacency: Which datasets are neighbours, by default those of an accountant; with the
            baseline "clt", ADD_OR_REMOVE_ONE.
        tolerance: Widest relative gap wanted between the certified bounds, in (1e-12, 1); where it
            is out of reach, the best bounds are drawn.
        memory_limit: Bytes the computation may take, > 0.
        ax: Axes to draw on; None: those of a new figure.

    Returns:
        The axes: number of steps to the right, or of runs where `step` is a run of several, epsilon
        in nats upwards. Counts at which the certified bound is infinite are shaded; infinite
        estimates are left out.

    Raises:
        ValueError, TypeError: As ``run.epsilon_bounds`` and ``run.pld``.
        ImportError: matplotlib is not installed.
    """
    _axes.check_axes(ax)
    step, adjacency = run_and_adjacency("step", step, adjacency)
    if scale is not None:
        _checks.choice("scale", scale, _axes.SCALES)
    numbers = sorted(
        {_checks.whole("each of counts", n, 1, _checks.MAX_COUNT) for n in _of(counts)}
    )
    line("counts", np.array(numbers, dtype=float))
    target = _checks.delta(delta)
    on_grids = some_of("estimators", estimators, tuple(_methods.ESTIMATORS))
    classics = some_of("baselines", baselines, tuple(_methods.BASELINES))
    if "clt" in classics and adjacency_of(adjacency) is not Adjacency.ADD_OR_REMOVE_ONE:
        raise ValueError(
            f"adjacency must be 'add-or-remove-one' with baseline 'clt', got {adjacency.value!r}"
        )
    limits: dict[str, Any] = {"adjacency": adjacency, "memory_limit": memory_limit}
    grid = {"discretization_interval": discretization_interval, "support": support, **limits}

    def certified(count: int) -> Bounds[Any]:
        return best_bounds((count * step).epsilon_bounds, target, tolerance=tolerance, **limits)

    baselines_at = _filled(numbers)
    bounds = _without_jumps({n: certified(n) for n in baselines_at}, certified)
    estimates = {name: _estimates(step, numbers, name, target, grid) for name in on_grids}
    classical = {
        name: [_methods.BASELINES[name].epsilon(step, n, target, adjacency) for n in baselines_at]
        for name in classics
    }

    ax = _axes.axes_or_new(ax)
    words = _axes.capital(in_words(step).replace(": 1 step,", ":"))
    is_alone = label is None and not ax.lines
    label = label or ("certified" if is_alone else words)
    _draw_certified(ax, bounds, label)
    if infinite := [n for n, ends in bounds.items() if ends.upper == np.inf]:
        said = f"infinite from {infinite[0]:,} on"
        ax.axvspan(infinite[0], infinite[-1], color="0.5", alpha=0.2, lw=1, label=said)
    for name, sides in estimates.items():
        _methods.draw_estimator(ax, numbers, _methods.ESTIMATORS[name], sides)
    for baseline, values in classical.items():
        _methods.draw_baseline(ax, baselines_at, _methods.BASELINES[baseline], values)
    _finish(ax, scale, label)
    is_step = sum(count for _, count in step.terms) <= 1
    ax.set_xlabel("number of steps" if is_step else "number of runs")
    note = f", grid of {discretization_interval:g} nats" if on_grids else ""
    said = f"delta = {target:g}{_axes.under(adjacency)}{note}"
    _axes.titled(ax, f"{words}, {said}" if is_alone else said)
    return ax


def _of(counts: Sequence[int]) -> list[int]:
    """The numbers of runs, if there are several."""
    try:
        return list(counts)
    except TypeError:
        shown = _checks.show(counts)
        raise TypeError(
            f"counts must be numbers of runs, such as [1, 10, 100], got {shown}"
        ) from None


def _estimates(
    step: Composable,
    counts: list[int],
    estimator: _methods.EstimatorName,
    delta: float,
    grid: dict[str, Any],
) -> dict[_methods.Side, list[float]]:
    """Epsilon at each count from each side that the estimator has."""

    def epsilon(count: int, side: _methods.Side) -> float:
        run = count * step
        pld = run.pld(estimator=estimator, side=side, merge_gaussians=False, **grid)
        return pld.epsilon(delta)

    return {
        side: [epsilon(n, side) for n in counts] for side in _methods.ESTIMATORS[estimator].sides
    }


def _filled(counts: list[int]) -> list[int]:
    """The counts, and more between the first and the last at equal ratios and distances."""
    first, last = counts[0], counts[-1]
    between = [*np.geomspace(first, last, _FILLED), *np.linspace(first, last, _FILLED)]
    return sorted({*counts, *(min(max(round(n), first), last) for n in between)})


def _without_jumps(
    known: dict[int, Bounds[Any]], ask: Callable[[int], Bounds[Any]]
) -> dict[int, Bounds[Any]]:
    """The bounds with counts in between, so that no step of a bound is visible; in order."""
    wide = [0]
    while wide and len(known) < _MOST_COUNTS:
        finite = [ends.upper for ends in known.values() if ends.upper < np.inf]
        least = max(finite, default=0.0) / _STEPS
        wide = [
            (few + many) // 2
            for few, many in pairwise(sorted(known))
            if many > few + 1 and _rise(known[few], known[many]) > least
        ]
        known |= {count: ask(count) for count in wide}
    return {count: known[count] for count in sorted(known)}


def _rise(one: Bounds[Any], other: Bounds[Any]) -> float:
    """The larger rise of the two bounds, infinite where one of them begins to be."""
    rises = (b - a for a, b in zip(one, other, strict=True) if a < np.inf)
    return max(map(float, rises), default=0.0)


def _draw_certified(ax: "Axes", bounds: dict[int, Bounds[Any]], label: str) -> None:
    """Lines that hold at every count, as epsilon grows with it: steps, too small to be seen."""
    places: list[int] = []
    lower: list[float] = []
    upper: list[float] = []
    for count, bound in bounds.items():
        if places and count > places[-1] + 1:
            places += [places[-1] + 1, count - 1]
            lower += [lower[-1]] * 2
            upper += [bound.upper] * 2
        places.append(count)
        lower.append(bound.lower)
        upper.append(bound.upper)
    _axes.draw_bounds(ax, places, lower, upper, label=label, zorder=2.5)


def _highest(ax: "Axes", label: str | None = None) -> float:
    """The largest finite epsilon drawn, or that of the lines with a label."""
    drawn = [each for each in ax.lines if label in (None, each.get_label())]
    values = np.concatenate([np.asarray(each.get_ydata(), dtype=float) for each in drawn])
    return float(np.max(values[np.isfinite(values)], initial=0.0))


def _finish(ax: "Axes", scale: str | None, label: str) -> None:
    highest = _highest(ax)
    if scale == "log":
        ax.set_xscale("log")
    if highest > 0 and (
        scale == "log" or (scale is None and highest > _DWARFED * _highest(ax, label) > 0)
    ):
        ax.set_yscale("log", nonpositive="mask")
    ax.set_ylabel("epsilon [nats]")
    ax.grid(visible=True, alpha=0.3)
    dotted = any(each.get_linestyle() == ":" for each in ax.lines)
    title = f"{_axes.HOW_TO_READ}, {_axes.NO_BOUND}" if dotted else _axes.HOW_TO_READ
    style: dict[str, Any] = {"title": title}
    entries = len(ax.get_legend_handles_labels()[1])
    if entries > _FEW:
        _axes.leave_room(ax, 0.036 * (entries + 3))
        style |= {"ncols": 2, "loc": "upper left"}
    _axes.show_legend(ax, has_names=True, **style)
