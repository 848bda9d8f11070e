# SPDX-License-Identifier: Apache-2.0
"""The classical accounting methods, to see what each of them costs.

    from hockeystick import baselines

========================================  ========================================================
``basic_composition``                     bound from each mechanism's (epsilon, delta)
``advanced_composition``                  the same, growing like the root of the count
``simplified_optimal_composition``        the same, in the closed form nearest to the best
``optimal_composition_epsilon, _delta``   the best that (epsilon, delta) of each can tell
========================================  ========================================================

Bounds are meant in exact arithmetic: unlike the rest of the package, this module does not count
rounding, and the docstrings say how large it was measured to be. ``Composition.epsilon`` is never
worse than any of the bounds by more than its tolerance.
"""

from hockeystick.baselines.closed_forms import (
    Guarantee,
    advanced_composition,
    basic_composition,
    simplified_optimal_composition,
)
from hockeystick.baselines.optimal import optimal_composition_delta, optimal_composition_epsilon

__all__ = [
    "Guarantee",
    "advanced_composition",
    "basic_composition",
    "optimal_composition_delta",
    "optimal_composition_epsilon",
    "simplified_optimal_composition",
]
