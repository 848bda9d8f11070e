# SPDX-License-Identifier: Apache-2.0
"""One step on a support that is closed: exact from its last point on, for questions up to there."""

from dataclasses import replace

import pytest
from flint import arb, ctx

from discretize import curves

CASES = [
    replace(case, index=case.index[: round(share * len(case.index))])
    for case in (
        *(curves.uniform(step, direction, 60) for step, direction in curves.SMOOTH),
        *curves.rare_cases(),
    )
    for share in (0.5, 0.8)
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_encloses_the_exact_curve(case):
    """From below up to the last point, from above everywhere; at the last point to rounding."""
    upper, lower = case.curve("closed_upper"), case.curve("closed_lower")
    error = arb(case.pmf("closed_lower").loss_error)
    top = case.losses()[-1]
    with ctx.workprec(curves.PRECISION):
        for epsilon in curves.epsilons(case.losses()):
            truth = curves.exact_delta(case.step, case.direction, epsilon)
            assert upper(arb(epsilon) - error) >= truth, epsilon
            if epsilon <= top:
                assert lower(arb(epsilon) + error) <= truth, epsilon
        truth = curves.exact_delta(case.step, case.direction, top)
        assert lower(arb(top)) >= truth * (1 - arb(1e-6)) - arb(1e-14)
