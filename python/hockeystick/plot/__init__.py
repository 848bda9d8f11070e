# SPDX-License-Identifier: Apache-2.0
"""Pictures of a composition, with both bounds in each. Needs ``pip install "hockeystick[plot]"``.

    from hockeystick import plot

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

from typing import NoReturn

from hockeystick._neighbours import likely
from hockeystick.plot._axes import detached
from hockeystick.plot.area import loss_against_probability
from hockeystick.plot.counts import epsilon_by_count
from hockeystick.plot.curve import hockey_stick
from hockeystick.plot.density import loss_distribution
from hockeystick.plot.rates import roc, tradeoff

__all__ = [
    "detached",
    "epsilon_by_count",
    "hockey_stick",
    "loss_against_probability",
    "loss_distribution",
    "roc",
    "tradeoff",
]


def __getattr__(name: str) -> NoReturn:
    hint = likely(name, __all__) or f"; it has {', '.join(__all__)}"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
