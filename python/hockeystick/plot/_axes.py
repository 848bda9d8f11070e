# SPDX-License-Identifier: Apache-2.0
"""The common parts of pictures: axes, a pair of bounds, a title."""

import textwrap
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hockeystick import _checks
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composable
from hockeystick.errors import of_extra
from hockeystick.wording import in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

SCALES = ("linear", "log")
HOW_TO_READ = "solid: upper, dashed: lower"
NO_BOUND = "dotted: no bound"

_BOUND = "hockeystick: a bound"  # marks the lines of bounds
_BELOW = 10.0  # times less than the least upper bound is where a logarithmic axis ends
_TITLE_WIDTH, _TITLE_LINES = 66, 2  # fits 6.4 inches


def check_axes(ax: object) -> None:
    """See that there will be something to draw on, before the work begins.

    Raises:
        ImportError: matplotlib is not installed; the message names the extra.
        TypeError: `ax` is neither None nor an Axes.
    """
    with of_extra("plot"):
        from matplotlib.axes import Axes  # noqa: PLC0415, an extra
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
    with of_extra("plot"):
        from matplotlib.figure import Figure  # noqa: PLC0415
    return Figure(layout="constrained").subplots()


def darker(color: Any) -> tuple[float, ...]:  # noqa: ANN401, whatever matplotlib takes for one
    """A shade that is seen on top of `color`: towards that of the text."""
    from matplotlib import rcParams  # noqa: PLC0415
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    text = round(sum(to_rgb(rcParams["text.color"])) / 3)
    return tuple(0.4 * part + 0.6 * text for part in to_rgb(color))


def draw_bounds(
    ax: "Axes",
    x: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    **style: Any,
) -> "tuple[Line2D, Line2D]":
    """The upper bound wide and solid, the lower thin and dashed upon it, shaded between."""
    label = style.pop("label", None)
    names = ("upper bound", "lower bound") if label is None else (label, f"_{label}: lower bound")
    style = {"linewidth": 2.5, **style}
    above = ax.plot(x, upper, label=names[0], gid=_BOUND, **style)[0]
    style |= {"linewidth": 1.2, "color": darker(above.get_color())}
    below = ax.plot(x, lower, linestyle="--", label=names[1], gid=_BOUND, **style)[0]
    ax.fill_between(x, lower, upper, color=above.get_color(), alpha=0.25, linewidth=0)
    return above, below


def name_of(ax: "Axes", run: Composable, label: str | None, note: str = "") -> str | None:
    """The legend's name of `run`: its words where the axes hold other lines, which are named then.

    None where the run is alone, which the title then names.
    """
    if label is None and not ax.lines:
        return None
    alone = {line.get_label(): line for line in ax.lines if line.get_gid() == _BOUND}
    if "upper bound" in alone:  # the first, which the title named
        alone["upper bound"].set_label(ax.get_title().replace("\n", " "))
        alone["lower bound"].set_label("_lower bound")
        ax.set_title("")
    return capital(in_words(run)) + note if label is None else label


def show_legend(ax: "Axes", *, has_names: bool, **style: Any) -> None:
    """The legend; where it names runs or methods, it says how to tell bounds from each other."""
    if has_names:
        small = {"fontsize": "small", "title_fontsize": "small", "alignment": "left"}
        style = {"title": HOW_TO_READ, **small, **style}
    ax.legend(**style)


def keep_to_upper_bounds(ax: "Axes") -> None:
    """End a logarithmic axis a little below the upper bounds, however far lower bounds fall."""
    bounds = [line for line in ax.lines if line.get_gid() == _BOUND and line.get_linestyle() == "-"]
    heights = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in bounds])
    if ax.get_yscale() == "log" and (heights > 0).any():
        least = heights[heights > 0].min() / _BELOW
        ax.set_ylim(bottom=max(least, ax.get_ylim()[0]), auto=None)


def leave_room(ax: "Axes", share: float) -> None:
    """Extends the height upward by this share, above all lines drawn."""
    to_height = ax.yaxis.get_transform()
    bottom, top = to_height.transform(ax.get_ylim())
    ax.set_ylim(top=to_height.inverted().transform([top + share * (top - bottom)])[0])


def under(adjacency: Adjacency) -> str:
    """The words of a title for neighbours that are not the usual ones."""
    return "" if adjacency is Adjacency.ADD_OR_REMOVE_ONE else f", {adjacency.value}"


def titled(ax: "Axes", run: object, note: str = "") -> None:
    """Say in words above the picture what it is of, on two lines at most."""
    text = (capital(in_words(run)) if isinstance(run, Composable) else str(run)) + note
    lines = textwrap.wrap(
        text, _TITLE_WIDTH, max_lines=_TITLE_LINES, placeholder=" ...", break_on_hyphens=False
    )
    ax.set_title("\n".join(lines), fontsize="medium")


def capital(text: str) -> str:
    """The text with a capital letter."""
    return text[:1].upper() + text[1:]


def outward(bound: float, side: str) -> str:
    """A bound in four digits, rounded away from the truth."""
    rounding = ROUND_CEILING if side == "upper" else ROUND_FLOOR
    return f"{float(Context(prec=4, rounding=rounding).create_decimal_from_float(bound)):.4g}"
