# SPDX-License-Identifier: Apache-2.0
"""The pictures of a run of equal steps, by the names they have on the command line."""

from typing import TYPE_CHECKING, Any

from hockeystick import _checks
from hockeystick.composition import Composable
from hockeystick.plot import plot

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
"""The pictures that take an argument; all take an argument that is not named here."""

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
    if picture == "epsilon-by-count":
        return plot(step, "epsilon_by_count", counts=_counts(steps), **given)
    if picture in ("hockey-stick", "loss-distribution") and "scale" in given:
        given["yscale"] = given.pop("scale")  # of one axis
    if picture == "loss-against-probability":
        asked = {key: given.pop(key) for key in ("delta", "tolerance") if key in given}
        if "epsilon" not in given:
            limits = {key: given[key] for key in ("adjacency", "memory_limit")}
            given["epsilon"] = run.epsilon(**asked, **limits)
    return plot(run, picture.replace("-", "_"), **given)


def _counts(steps: int) -> list[int]:
    if steps <= 1:
        raise ValueError(f"steps must be above 1 for a picture of epsilon-by-count, got {steps}")
    return [steps * part // _COUNTS or 1 for part in range(_COUNTS + 1)]
