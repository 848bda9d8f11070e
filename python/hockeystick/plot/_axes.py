# SPDX-License-Identifier: Apache-2.0
"""What the pictures share: axes, a pair of bounds, a title."""

import textwrap
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from hockeystick import _checks
from hockeystick.composition import Mechanism

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

SCALES = ("linear", "log")
HOW_TO_READ = "solid: upper, dashed: lower"

_TITLE_WIDTH, _TITLE_LINES = 84, 2  # fits 6.4 inches in the small font
_MISSING = 'pictures need matplotlib: pip install "hockeystick[plot]"'


def check_axes(ax: object) -> None:
    """See that there will be something to draw on, before the work begins.

    Raises:
        ImportError: matplotlib is not installed; the message says how to get it.
        TypeError: `ax` is neither None nor an Axes.
    """
    try:
        from matplotlib.axes import Axes  # noqa: PLC0415, an extra
    except ImportError as error:
        raise ImportError(_MISSING) from error
    if ax is not None:
        _checks.instance("ax", ax, Axes)


def axes_or_new(ax: "Axes | None") -> "Axes":
    """`ax`, or the axes of a new figure of pyplot's, which is not touched otherwise."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt  # noqa: PLC0415

    return plt.subplots(layout="constrained")[1]


def detached() -> "Axes":
    """The axes of a new figure that pyplot knows nothing of."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(_MISSING) from error
    return Figure(layout="constrained").subplots()


def darker(color: Any) -> tuple[float, ...]:  # noqa: ANN401, whatever matplotlib takes for one
    """A shade that is seen on top of `color`."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    return tuple(0.4 * part for part in to_rgb(color))


def draw_bounds(
    ax: "Axes",
    x: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    **style: Any,
) -> "tuple[Line2D, Line2D]":
    """The upper bound wide and solid, the lower thin and dashed upon it, shaded between."""
    label = style.pop("label", None)
    style = {"linewidth": 2.5, **style}
    above = ax.plot(x, upper, label=_named(label, "upper bound"), **style)[0]
    style |= {"linewidth": 1.2, "color": darker(above.get_color())}
    below = ax.plot(x, lower, linestyle="--", label=_named(label, "lower bound"), **style)[0]
    ax.fill_between(x, lower, upper, color=above.get_color(), alpha=0.25, linewidth=0)
    return above, below


def _named(label: str | None, part: str) -> str:
    return part if label is None else f"{label}: {part}"


def leave_room(ax: "Axes", share: float) -> None:
    """That share of the height so far on top of it, above whatever is drawn."""
    to_height = ax.yaxis.get_transform()
    bottom, top = to_height.transform(ax.get_ylim())
    ax.set_ylim(top=to_height.inverted().transform([top + share * (top - bottom)])[0])


def titled(ax: "Axes", run: object, note: str = "") -> None:
    """Say above the picture what it is of, in its simplest form, on two lines at most."""
    shown = (run.simplified() or run) if isinstance(run, Mechanism) else run
    text = f"{shown!r}{note}"
    lines = textwrap.wrap(text, _TITLE_WIDTH, max_lines=_TITLE_LINES, placeholder=" ...")
    ax.set_title("\n".join(lines), fontsize="small")


def outward(bound: float, side: str) -> str:
    """A bound in four digits, rounded away from the truth."""
    rounding = ROUND_CEILING if side == "upper" else ROUND_FLOOR
    return f"{float(Context(prec=4, rounding=rounding).create_decimal_from_float(bound)):.4g}"
