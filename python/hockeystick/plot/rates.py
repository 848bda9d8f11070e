# SPDX-License-Identifier: Apache-2.0
"""The pictures of an attack's rates: trade-off curve and ROC curve."""

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
from hockeystick.limits import DEFAULT_MEMORY_LIMIT
from hockeystick.plot import _axes
from hockeystick.plot._arguments import line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = {  # dense where the curve bends, at both ends
    "linear": (1 - np.cos(np.linspace(0, np.pi, 121))) / 2,
    "log": np.union1d(np.logspace(-5, 0, 81), 1 - np.logspace(-4, -1, 41)),
}


@spoken
def tradeoff(
    run: Composable | Accountant,
    *,
    fpr: ArrayLike | None = None,
    scale: Literal["linear", "log"] = "linear",
    label: str | None = None,
    adjacency: AdjacencyLike | None = None,
    tolerance: float = 1e-2,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the trade-off curve: the error rates that no attack can go below.

    Args:
        run: A mechanism, a composition or an accountant.
        fpr: At least two false positive rates in [0, 1]; None: from 0 to 1 (with `scale` "log",
            from 1e-5).
        scale: "linear" or "log", of both axes.
        label: A name for the legend, where several curves share the axes; None: what `run` is,
            there or, for the first curve, in the title.
        adjacency: Which datasets are neighbours, by default those of an accountant; the worst
            direction counts.
        tolerance: Widest gap wanted between the bounds, as for ``run.tradeoff_bounds``; where it
            is out of reach, the best bounds are drawn.
        memory_limit: Bytes the computation may take, > 0.
        ax: Axes to draw on; None: those of a new figure.

    Returns:
        The axes: false positive rate to the right, false negative rate upwards. The dotted line is
        that of guessing: no attack does better where nothing leaks.

    Raises:
        ValueError, TypeError: As ``run.tradeoff_bounds``.
        ImportError: matplotlib is not installed.

    Cost: that of ``run.tradeoff_bounds``. Source: Dong, Roth & Su (2022).
    """
    limits = {"adjacency": adjacency, "tolerance": tolerance, "memory_limit": memory_limit}
    return _drawn("tradeoff", run, fpr, scale, label, ax, limits)


@spoken
def roc(
    run: Composable | Accountant,
    *,
    fpr: ArrayLike | None = None,
    scale: Literal["linear", "log"] = "log",
    label: str | None = None,
    adjacency: AdjacencyLike | None = None,
    tolerance: float = 1e-2,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the largest true positive rate of any attack against its false positive rate.

    Arguments as of ``tradeoff``, but that `scale` is "log" if it is not given, and that `tolerance`
    is that of ``run.true_positive_rate_bounds``.

    Returns:
        The axes: false positive rate to the right, true positive rate upwards. The dotted line is
        that of guessing. What an audit of a trained model finds lies below the curve.

    Raises:
        ValueError, TypeError: As ``run.true_positive_rate_bounds``.
        ImportError: matplotlib is not installed.

    Cost: that of ``run.true_positive_rate_bounds``. Source: Kairouz, Oh & Viswanath (2015).
    """
    limits = {"adjacency": adjacency, "tolerance": tolerance, "memory_limit": memory_limit}
    return _drawn("true_positive_rate", run, fpr, scale, label, ax, limits)


_RATES = {"tradeoff": "false negative rate", "true_positive_rate": "true positive rate"}


def _drawn(
    view: str,
    run: Any,  # noqa: ANN401
    fpr: ArrayLike | None,
    scale: str,
    label: str | None,
    ax: "Axes | None",
    limits: dict[str, Any],
) -> "Axes":
    _axes.check_axes(ax)
    run, adjacency = run_and_adjacency("run", run, limits["adjacency"])
    _checks.choice("scale", scale, _axes.SCALES)
    rates = _POINTS[scale] if fpr is None else _checks.rate_array(fpr, name="fpr")
    points = np.sort(line("fpr", rates))
    limits["adjacency"] = adjacency
    bounds = best_bounds(getattr(run, f"{view}_bounds"), points, **limits)
    ax = _axes.axes_or_new(ax)
    label = _axes.name_of(ax, run, label, _axes.under(adjacency))
    _axes.draw_bounds(ax, points, *bounds, label=label)
    guessed = _POINTS[scale]
    _guess(ax, guessed, 1 - guessed if view == "tradeoff" else guessed)
    ax.set_ylabel(_RATES[view])
    ax.set_box_aspect(1)
    if scale == "log":
        ax.set_xscale("log")
        ax.set_yscale("log", nonpositive="clip")
    if label is None:
        _axes.titled(ax, run, _axes.under(adjacency))
    ax.set_xlabel("false positive rate")
    ax.grid(visible=True, alpha=0.3)
    _axes.show_legend(ax, has_names=label is not None)
    return ax


def _guess(ax: "Axes", x: FloatArray, y: FloatArray) -> None:
    """The diagonal, once."""
    name = "guessing"
    if name not in [line.get_label() for line in ax.lines]:
        ax.plot(x, y, linestyle=":", color="0.5", label=name)
