# SPDX-License-Identifier: Apache-2.0
"""The picture of a hockey-stick curve."""

from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from hockeystick import _checks
from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.composition import Composable
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.plot._arguments import line
from hockeystick.plot._axes import SCALES, axes_or_new, check_axes, draw_bounds, titled
from hockeystick.plot._bounds import best_bounds
from hockeystick.plot._reach import reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST = {"log": 1e-8, "linear": 1e-3}  # delta at the right end
_POINTS = 121


def hockey_stick(
    run: Composable,
    *,
    epsilon: npt.ArrayLike | None = None,
    yscale: Literal["log", "linear"] = "log",
    label: str | None = None,
    adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
    tolerance: float = DEFAULT_TOLERANCE,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the hockey-stick curve: certified bounds on delta at each epsilon.

    Args:
        run: A mechanism or a composition.
        epsilon: At least two values in [0, 1e4] nats; None: from 0 to where delta is 1e-8 (with
            `yscale` "linear", 1e-3).
        yscale: "log" or "linear"; linear in any case where delta is 0 throughout.
        label: A name for the legend, where several curves share the axes; None: `run` is the title.
        adjacency: Which datasets are neighbours; the worst direction counts.
        tolerance: Widest relative gap wanted between the bounds, in (1e-12, 1); where it is out of
            reach, the best bounds are drawn.
        memory_limit: Bytes the computation may take, > 0.
        ax: Axes to draw on; None: those of a new figure.

    Returns:
        The axes: epsilon in nats to the right, delta upwards.

    Raises:
        ValueError, TypeError: As ``run.delta_bounds``.
        ImportError: matplotlib is not installed.

    Cost: 121 questions for delta.
    """
    check_axes(ax)
    _checks.instance("run", run, Composable)
    _checks.choice("yscale", yscale, SCALES)
    if epsilon is None:
        points = np.linspace(0, reach(run, _LEAST[yscale], adjacency, memory_limit), _POINTS)
    else:
        points = np.sort(line("epsilon", _checks.epsilon_array(epsilon)))
    limits = {"adjacency": adjacency, "tolerance": tolerance, "memory_limit": memory_limit}
    lower, upper = best_bounds(run.delta_bounds, points, **limits)
    ax = axes_or_new(ax)
    draw_bounds(ax, points, lower, upper, label=label)
    if yscale == "log" and np.any(np.asarray(upper) > 0):  # zero has no logarithm
        ax.set_yscale("log", nonpositive="clip")
    if label is None:
        titled(ax, run)
    ax.set_xlabel("epsilon [nats]")
    ax.set_ylabel("delta [probability]")
    ax.grid(visible=True, alpha=0.3)
    ax.legend()
    return ax
