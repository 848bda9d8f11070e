# SPDX-License-Identifier: Apache-2.0
"""The picture of a privacy loss distribution."""

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hockeystick import _checks
from hockeystick._checks import FloatArray
from hockeystick._words import spoken
from hockeystick.accountant import Accountant
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.adjacency import AdjacencyLike, adjacency_of
from hockeystick.composition import Composable
from hockeystick.limits import DEFAULT_MEMORY_LIMIT
from hockeystick.pld import PrivacyLossDistribution
from hockeystick.plot._axes import SCALES, axes_or_new, check_axes, darker, leave_room, titled
from hockeystick.plot._sides import both_sides

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 120
_CUT = {"linear": 1e-5, "log": 1e-12}  # mass beyond each end of the picture
_NONE = 1e-15  # finite mass that is none: what truncation may cut from each end


@spoken
def loss_distribution(
    run: Composable | Accountant | PrivacyLossDistribution,
    *,
    discretization_interval: float | None = None,
    yscale: Literal["linear", "log"] = "linear",
    adjacency: AdjacencyLike | None = None,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the privacy loss distribution: the upper and the lower estimate, in the same bins.

    The two enclose the hockey-stick curve, not each other's bars: queries of the upper one are
    never below the truth, of the lower one never above it. Where an adjacency has two directions,
    the first is shown: the dataset with the record against the one without.

    Args:
        run: A mechanism, a composition, an accountant or a distribution, which is then drawn alone.
        discretization_interval: Spacing of the losses [nats], > 0; None: fine enough for the eye.
            A distribution has its own.
        yscale: "linear", or "log" with longer tails.
        adjacency: Which datasets are neighbours, by default those of an accountant. A
            distribution has its own.
        memory_limit: Bytes the computation may take, > 0.
        ax: Axes to draw on; None: those of a new figure.

    Returns:
        The axes: privacy loss in nats to the right, probability in a bin upwards. The mass at an
        infinite loss is in the legend; where that is all, the picture is empty and says so.

    Raises:
        ValueError, TypeError, CertificationError: As ``run.pld`` and ``run.epsilon``.
        ImportError: matplotlib is not installed.

    Source: Sommer, Meiser & Mohammadi (2019).
    """
    check_axes(ax)
    _checks.choice("yscale", yscale, SCALES)
    if isinstance(run, PrivacyLossDistribution):
        plds = [run]
    else:
        run, adjacency = run_and_adjacency("run", run, adjacency)
        plds = both_sides(run, discretization_interval, adjacency, memory_limit)
    bins = _Bins.showing(plds, _CUT[yscale])
    ax = axes_or_new(ax)
    if isinstance(run, Composable):
        first, *others = adjacency_of(adjacency).directions
        titled(ax, run, f" ({first.value})" if others else "")
    interval = plds[0].discretization_interval
    for pld in plds:
        _draw(ax, bins.edges * interval, bins.masses(pld), pld)
    if any(map(_is_finite, plds)):
        ax.set_yscale(yscale)
        leave_room(ax, 0.2)  # for the legend
    else:
        _say_that_it_is_empty(ax)
    ax.set_xlabel("privacy loss [nats]")
    ax.set_ylabel(f"probability in a bin of {bins.width * interval:.3g} nats")
    ax.grid(visible=True, alpha=0.3)
    ax.legend(loc="upper right", fontsize="small")
    return ax


class _Bins(NamedTuple):
    """Bins of the same number of grid points; all numbers are in units of the interval."""

    first: int
    width: int
    number: int

    @classmethod
    def showing(cls, plds: list[PrivacyLossDistribution], cut: float) -> "_Bins":
        """The bins of all losses but a mass of `cut` at each end, or a quarter of it if less.

        One bin at zero where no loss is finite.
        """
        low, high = [], []
        for pld in filter(_is_finite, plds):
            index, mass = _index(pld), pld.probabilities
            least = min(cut, float(mass.sum()) / 4)
            low.append(index[np.searchsorted(np.cumsum(mass), least)])
            high.append(index[::-1][np.searchsorted(np.cumsum(mass[::-1]), least)])
        first, last = int(min(low, default=0)), int(max(high, default=0))
        width = -(-(last - first + 1) // _BINS)
        return cls(first, width, -(-(last - first + 1) // width))

    @property
    def edges(self) -> FloatArray:
        """Half way between grid points."""
        return self.first - 0.5 + self.width * np.arange(self.number + 1, dtype=np.float64)

    def masses(self, pld: PrivacyLossDistribution) -> FloatArray:
        """The mass in each bin; what is beyond the last one is not shown."""
        bin_of = (_index(pld) - self.first) // self.width
        shown = (bin_of >= 0) & (bin_of < self.number)
        masses = np.zeros(self.number)
        np.add.at(masses, bin_of[shown], pld.probabilities[shown])
        return masses


def _index(pld: PrivacyLossDistribution) -> npt.NDArray[np.int64]:
    return np.rint(pld.losses / pld.discretization_interval).astype(np.int64)


def _is_finite(pld: PrivacyLossDistribution) -> bool:
    """Whether any mass to speak of is at finite losses."""
    return float(pld.probabilities.sum()) > _NONE


def _say_that_it_is_empty(ax: "Axes") -> None:
    ax.text(0.5, 0.5, "no loss is finite", transform=ax.transAxes, ha="center", va="center")
    ax.set_ylim(0, 1)


def _draw(ax: "Axes", edges: FloatArray, masses: FloatArray, pld: PrivacyLossDistribution) -> None:
    label = f"{pld.side} estimate, P(loss = inf) = {pld.infinity_mass:.2g}"
    if pld.side == "upper":
        ax.stairs(masses, edges, fill=True, color="C0", alpha=0.35, label=label)
        ax.stairs(masses, edges, color="C0", linewidth=1.8)
    else:
        ax.stairs(masses, edges, color=darker("C0"), linewidth=1.2, linestyle="--", label=label)
