# SPDX-License-Identifier: Apache-2.0
"""The classical accounting methods, to see what each of them costs.

    from hockeystick import baselines

========================================  ========================================================
``basic_composition``                     bound from each mechanism's (epsilon, delta)
``advanced_composition``                  the same, growing like the root of the count
``simplified_optimal_composition``        the same, in the closed form nearest to the best
``optimal_composition_epsilon, _delta``   the best that (epsilon, delta) of each can tell
``rdp_epsilon, rdp_delta``                bound from Renyi divergences (the moments accountant)
``zcdp_epsilon, zcdp_delta``              bound from zero-concentrated DP
``clt_epsilon, clt_delta``                central limit approximation: NOT a bound, may understate
========================================  ========================================================

Optimal composition is certified. Other bounds are meant in exact arithmetic: unlike the rest of the
package, they do not count rounding, and the docstrings say how large it was measured to be.
``Composition.epsilon`` is never worse than any of the bounds by more than its tolerance.
"""

import sys

from hockeystick._neighbours import Uncalled
from hockeystick.baselines.central_limit import clt_delta, clt_epsilon, clt_mu, limit_variance
from hockeystick.baselines.closed_forms import (
    Guarantee,
    advanced_composition,
    basic_composition,
    simplified_optimal_composition,
)
from hockeystick.baselines.optimal import optimal_composition_delta, optimal_composition_epsilon
from hockeystick.baselines.renyi import (
    DEFAULT_ORDERS,
    rdp,
    rdp_delta,
    rdp_epsilon,
    renyi_curve,
)
from hockeystick.baselines.zero_concentrated import (
    concentration,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_rho,
)

__all__ = [
    "DEFAULT_ORDERS",
    "Guarantee",
    "advanced_composition",
    "basic_composition",
    "clt_delta",
    "clt_epsilon",
    "clt_mu",
    "concentration",
    "limit_variance",
    "optimal_composition_delta",
    "optimal_composition_epsilon",
    "rdp",
    "rdp_delta",
    "rdp_epsilon",
    "renyi_curve",
    "simplified_optimal_composition",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_rho",
]

sys.modules[__name__].__class__ = Uncalled
