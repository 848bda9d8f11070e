# SPDX-License-Identifier: Apache-2.0
"""Where steps are closed: above all that an epsilon asks for."""

import math

import pytest

import hockeystick as hs
from hockeystick import _core
from plan.plans import terms

STEP = hs.DiscreteGaussian(sigma=0.6).poisson_sampled(1e-3)


def test_few_steps_are_bounded_by_their_least_losses():
    top, least, tilt = _core.plan.closing_at(terms(STEP, 5), 0.5, -30.0)
    assert tilt == 0
    assert least == pytest.approx(5 * math.log1p(-1e-3))
    assert 0.5 - least <= top <= 1.05 * (0.5 - least)


def test_many_steps_are_bounded_by_chernoffs_inequality():
    """Their least losses are far below what they ever add up to."""
    top, least, tilt = _core.plan.closing_at(terms(STEP, 10**5), 0.5, -30.0)
    assert tilt >= 1
    assert 1e5 * math.log1p(-1e-3) < least < 0
    assert top >= 0.5 - least
    moment = _core.plan.Saddlepoint(terms(STEP, 10**5)).cumulants(-tilt)[0]
    assert moment + tilt * least <= -30
