# SPDX-License-Identifier: Apache-2.0
"""The picture that shows delta as an area under the privacy loss."""

import math
from typing import TYPE_CHECKING

import numpy as np

from hockeystick import _checks
from hockeystick._checks import FloatArray
from hockeystick._words import spoken
from hockeystick.accountant import Accountant
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.adjacency import AdjacencyLike, adjacency_of
from hockeystick.composition import Composable
from hockeystick.limits import DEFAULT_MEMORY_LIMIT
from hockeystick.pld import PrivacyLossDistribution
from hockeystick.plot._axes import axes_or_new, check_axes, darker, outward, titled
from hockeystick.plot._sides import both_sides

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BELOW = -0.25  # where the picture begins: at losses of epsilon - log 1.25
_HIGHEST, _APART = 1.3, 0.085  # of the picture; between losses that are named
_RESOLUTION = 2000.0  # points that a line may have in the width or the height of the area
_ROUND = (1.0, 0.5, 0.25, 0.1, 0.05)  # of which named losses are multiples, the roundest first


@spoken
def loss_against_probability(
    run: Composable | Accountant,
    *,
    epsilon: float,
    discretization_interval: float | None = None,
    adjacency: AdjacencyLike | None = None,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the privacy loss in order of size against probability, with the area that is delta.

    The outputs are lined up by their loss L, the worst first, each as wide as its probability, and
    drawn at height ``1 - exp(epsilon - L)``. As ``delta = E[(1 - exp(epsilon - L))_+]``, the area
    above zero is delta; an output that gives everything away (L = inf) counts in full. The width of
    that area is the probability that the loss exceeds epsilon, the weaker "probabilistic" delta.

    Args:
        run: A mechanism, a composition or an accountant.
        epsilon: In [0, 1e4] nats.
        discretization_interval: Spacing of the losses [nats], > 0; None: fine enough for the eye.
        adjacency: Which datasets are neighbours, by default those of an accountant; of two
            directions the one with the larger delta is shown.
        memory_limit: Bytes the computation may take, > 0.
        ax: Axes to draw on; None: those of a new figure.

    Returns:
        The axes: probability to the right, ``1 - exp(epsilon - L)`` upwards, L in nats on the
        right-hand scale. The upper and the lower distribution are drawn, and the legend has the
        bounds on delta that they certify.

    Raises:
        ValueError, TypeError, CertificationError: As ``run.pld`` and ``run.epsilon``.
        ImportError: matplotlib is not installed.

    Source: Dwork & Rothblum (2016) for the loss, Sommer, Meiser & Mohammadi (2019) for delta; the
    picture follows Desfontaines, "The privacy loss random variable" (2020).
    """
    check_axes(ax)
    run, adjacency = run_and_adjacency("run", run, adjacency)
    level = _checks.within("epsilon", epsilon, 0.0, _checks.MAX_EPSILON)
    sides = both_sides(run, discretization_interval, adjacency, memory_limit)
    directions = list(zip(*(pld.directions for pld in sides), strict=True))
    worst = max(range(len(directions)), key=lambda at: directions[at][0].delta(level))
    ax = axes_or_new(ax)
    far = max(_draw(ax, pld, level) for pld in directions[worst])
    note = f" ({adjacency_of(adjacency).directions[worst].value})" if len(directions) > 1 else ""
    titled(ax, run, f", epsilon = {level:.4g}{note}")
    ax.axhline(0, color=ax.spines["left"].get_edgecolor(), linewidth=0.8)
    ax.set_xlim(0, 1.3 * far or 1)
    ax.set_ylim(_BELOW, _HIGHEST)
    ax.set_yticks(np.linspace(-0.2, 1, 7))
    ax.ticklabel_format(axis="x", scilimits=(-3, 3))
    ax.set_xlabel("probability, in order of decreasing loss")
    ax.set_ylabel("1 - exp(epsilon - loss)")
    _name_losses(ax, level)
    ax.grid(visible=True, alpha=0.3)
    ax.legend(loc="upper right", fontsize="small")
    return ax


def _draw(ax: "Axes", pld: PrivacyLossDistribution, epsilon: float) -> float:
    """Draws one side; returns the probability that the loss exceeds epsilon."""
    widths, heights = _profile(pld, epsilon)
    edges = np.concatenate(([0.0], np.cumsum(widths)))
    far = float(edges[np.count_nonzero(heights > 0)])
    x, y = _seen(np.repeat(edges, 2)[1:-1], np.repeat(heights, 2), far, pld.side == "upper")
    delta = outward(pld.delta(epsilon), pld.side)
    if pld.side == "upper":
        label = f"upper: area = delta <= {delta}, width = P(loss > epsilon) ~ {far:.3g}"
        ax.plot(x, y, color="C0", linewidth=2.5, label=label)
        ax.fill_between(x, np.maximum(y, 0), color="C0", alpha=0.3, linewidth=0)
    else:
        label = f"lower: area = delta >= {delta}"
        ax.plot(x, y, color=darker("C0"), linewidth=1.2, linestyle="--", label=label)
    return far


def _seen(x: FloatArray, y: FloatArray, far: float, above: bool) -> tuple[FloatArray, FloatArray]:  # noqa: FBT001
    """The falling line by steps above it, or below, with the points that can be seen apart."""
    places = np.round(_RESOLUTION * x / (far or 1.0)) + 1j * np.round(_RESOLUTION * y)
    kept = np.append(True, places[1:] != places[:-1])
    kept[-1] = True
    across, down = np.repeat(x[kept], 2), np.repeat(y[kept], 2)
    return (across[1:], down[:-1]) if above else (across[:-1], down[1:])


def _profile(pld: PrivacyLossDistribution, epsilon: float) -> tuple[FloatArray, FloatArray]:
    """Probabilities and heights of the losses in decreasing order, infinity first."""
    heights = -np.expm1(np.minimum(epsilon - pld.losses[::-1], 700.0))
    shown = heights >= _BELOW
    widths = pld.probabilities[::-1][shown]
    return np.append(pld.infinity_mass, widths), np.append(1.0, heights[shown])


def _name_losses(ax: "Axes", epsilon: float) -> None:
    """Names, on the right, round losses at the heights where they are drawn."""
    named = {1.0: "inf"}
    for unit in _ROUND:
        first = math.ceil((epsilon - math.log1p(-_BELOW)) / unit)
        for k in range(first, first + math.ceil(4 / unit)):
            height = -math.expm1(epsilon - k * unit)
            if all(abs(height - other) > _APART for other in named):
                named[height] = f"{k * unit:.6g}"
    right = ax.secondary_yaxis("right")
    right.set_yticks(list(named), list(named.values()))
    right.set_ylabel("privacy loss [nats]")
