# SPDX-License-Identifier: Apache-2.0
"""The pictures of a run of equal steps, by the names they have on the command line."""

from typing import TYPE_CHECKING, Any

from hockeystick import _checks
from hockeystick.composition import Composable
from hockeystick.plot.area import loss_against_probability
from hockeystick.plot.counts import epsilon_by_count
from hockeystick.plot.curve import hockey_stick
from hockeystick.plot.density import loss_distribution
from hockeystick.plot.rates import roc, tradeoff

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = (
    "hockey-stick",
    "epsilon-by-count",
    "tradeoff",
    "roc",
    "loss-distribution",
    "loss-against-probability",
)

TAKEN_BY = {
    "delta": ("epsilon-by-count", "loss-against-probability"),
    "epsilon": ("loss-against-probability",),
    "scale": PICTURES[:5],
    "baselines": PICTURES[:2],
    "estimators": PICTURES[:2],
    "discretization_interval": (*PICTURES[:2], *PICTURES[4:]),
    "tolerance": (*PICTURES[:4], "loss-against-probability"),
}
"""Which pictures take an argument; all take those that are not named here."""

_COUNTS = 16  # numbers of steps in epsilon-by-count


def draw(picture: str, step: Composable, steps: int, **options: Any) -> "Axes":
    """Draw `picture`; of the other arguments it is given those that it takes and are not None.

    Raises:
        ValueError: As the picture, and if its epsilon-by-count would have one count only.
    """
    given = {
        key: value
        for key, value in options.items()
        if value is not None and picture in TAKEN_BY.get(key, PICTURES)
    }
    run = _checks.whole("steps", steps, 0, _checks.MAX_COUNT) * step
    match picture:
        case "hockey-stick":
            return hockey_stick(run, **_vertical(given))
        case "epsilon-by-count":
            return epsilon_by_count(step, _counts(steps), **given)
        case "tradeoff":
            return tradeoff(run, **given)
        case "roc":
            return roc(run, **given)
        case "loss-distribution":
            return loss_distribution(run, **_vertical(given))
    asked = {key: given.pop(key) for key in ("delta", "tolerance") if key in given}
    if "epsilon" not in given:
        limits = {key: given[key] for key in ("adjacency", "memory_limit")}
        given["epsilon"] = run.epsilon(**asked, **limits)
    return loss_against_probability(run, **given)


def _vertical(given: dict[str, Any]) -> dict[str, Any]:
    """With the name that `scale` has where it is of one axis."""
    return {"yscale" if key == "scale" else key: value for key, value in given.items()}


def _counts(steps: int) -> list[int]:
    if steps <= 1:
        raise ValueError(f"steps must be above 1 for a picture of epsilon-by-count, got {steps}")
    return [steps * part // _COUNTS or 1 for part in range(_COUNTS + 1)]
