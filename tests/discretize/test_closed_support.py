# SPDX-License-Identifier: Apache-2.0
"""One step on a support that is closed: exact from its last point on, for questions up to there."""

from dataclasses import replace

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from discretize import curves
from hockeystick import _core

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


STATED = {"mass": (1e-6, 0, 0, 0, 0), "share": (0, 1e-6, 0, 0, 0), "share of p": (0, 0, 1e-6, 0, 0)}


@pytest.mark.parametrize("estimator", ["closed_upper", "closed_lower"])
@pytest.mark.parametrize("stated", STATED)
def test_errors_of_the_mass_above_are_parts_of_all_of_it(stated, estimator):
    """Twice those of masses and shares, once that of P's shares; from above the page of tails too.

    The law from below may have the mass at the top and at +inf. The law from above has it at +inf,
    beside the mass that is there.
    """
    pair = hs.Gaussian(1.0).dominating_pair(hs.Direction.REMOVE)

    def closed(errors):
        rough = _core.sampling.rough_pair(pair, errors=list(errors))
        return _core.parts.step_pmf(
            rough, interval=0.25, offset=0.0, index=np.arange(-20, 9), estimator=estimator
        )

    exact, rough = closed((0, 0, 0, 0, 0)), closed(STATED[stated])
    above = pair.integrate(np.array([2.0]))
    parts = {"mass": 2, "share": 2, "share of p": 1}[stated]
    booked = parts * 1e-6 * above.upper_tail_p
    if estimator == "closed_lower":
        of_mass = 1e-6 * exact.mass[-1] if stated == "mass" else 0  # that of each mass
        lost = exact.mass[-1] - rough.mass[-1]
        assert lost == pytest.approx(booked + of_mass, rel=1e-5)
        assert exact.infinity_mass - rough.infinity_mass == pytest.approx(booked, rel=1e-6)
    else:
        tails = {"mass": 1, "share": 2, "share of p": 0}[stated] * 1e-6 * above.upper_tail_above
        assert rough.infinity_mass - exact.infinity_mass == pytest.approx(booked + tails, rel=1e-6)
