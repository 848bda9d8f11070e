# SPDX-License-Identifier: Apache-2.0
"""Pictures of a composition, with both bounds in each. Needs the extra ``hockeystick[plot]``.

    from hockeystick import plot

``plot(run)`` draws the first of these, ``plot(run, "roc")`` the one of that name, and
``plot([run, another])`` both runs in one picture:

==============================  ==================================================================
``hockey_stick``                delta against epsilon
``epsilon_by_count``            epsilon against the number of compositions; estimators, baselines
``tradeoff``                    false negative against false positive rate of the best attack
``roc``                         true positive against false positive rate, on logarithmic scales
``loss_distribution``           the privacy loss distribution
``loss_against_probability``    the privacy loss by probability, with the area that delta measures
==============================  ==================================================================

Each takes a mechanism, a composition or an accountant, whose adjacency is then that of the picture,
and keyword arguments, draws on the axes `ax`, or on those of a new figure of pyplot's, and returns
the axes. Upper bounds are drawn wide and solid, lower ones
thin and dashed, and what is between them is shaded; where the two lie on each other, the truth is
closer to both than the width of a line. Losses and epsilons are in nats.

Without a screen: ``hockey_stick(run, ax=detached()).figure.savefig("delta.png")``, for ``detached``
makes axes that pyplot knows nothing of.
"""

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hockeystick import _checks
from hockeystick._neighbours import Uncalled
from hockeystick._words import spoken
from hockeystick.accountant import Accountant
from hockeystick.composition import Composable
from hockeystick.plot._axes import detached
from hockeystick.plot.area import loss_against_probability
from hockeystick.plot.counts import epsilon_by_count
from hockeystick.plot.curve import hockey_stick
from hockeystick.plot.density import loss_distribution
from hockeystick.plot.rates import roc, tradeoff

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "detached",
    "epsilon_by_count",
    "hockey_stick",
    "loss_against_probability",
    "loss_distribution",
    "roc",
    "tradeoff",
]


@spoken
def plot(
    run: Composable | Accountant | Sequence[Composable | Accountant],
    picture: str = "hockey_stick",
    **options: Any,
) -> "Axes":
    """The picture that a call of the module draws."""
    draw = globals()[_checks.choice("picture", picture, tuple(__all__[1:]))]
    for one in run if isinstance(run, list | tuple) and run else [run]:
        options["ax"] = draw(one, **options)
    axes: Axes = options["ax"]
    return axes


class _Called(Uncalled):
    """The module, which is called as one of its pictures is."""

    def __call__(self, *run: Any, **options: Any) -> "Axes":
        """Draw a picture of a run, by default its delta against epsilon."""
        return plot(*run, **options)


for _module in [*globals().values()]:
    if isinstance(_module, ModuleType) and _module.__name__.startswith(f"{__name__}."):
        _module.__class__ = Uncalled
sys.modules[__name__].__class__ = _Called
