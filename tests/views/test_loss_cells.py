# SPDX-License-Identifier: Apache-2.0
"""Log moments from a pair cut into cells, against balls."""

import random

from flint import arb, ctx

from hockeystick import _core
from pld import stored


def test_rounding_of_exponents_is_counted():
    """Two losses, so that nothing else is wrong; exponents of up to 1e7."""
    rng = random.Random(31)
    with ctx.workprec(300):
        for _ in range(60):
            loss, t = rng.uniform(0.5, 2), stored.coarse(rng) * 10.0 ** rng.uniform(2, 7)
            pair = _core.dominating_pair("approximate_dp", [loss, 0.0])
            lower, upper = _core.parts.log_moment_by_cells(pair, 8, t)
            rise = arb(t) * arb(loss)
            likely = 1 / (1 + (-arb(loss)).exp())
            truth = rise + (likely + (1 - likely) * (-2 * rise).exp()).log()
            assert arb(lower) <= truth <= arb(upper)
            assert upper - lower <= 1e-13 * float(rise) + 1e-13
