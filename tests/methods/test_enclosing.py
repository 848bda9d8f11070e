# SPDX-License-Identifier: Apache-2.0
"""Ends from pairs above and below: refined while that helps, and what keeps them apart is named."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core


def answers(epsilon):
    """Those of one Gaussian whose epsilon at 1e-5 is next to that."""
    noise = hs.calibrate(hs.Gaussian, epsilon=epsilon, delta=1e-5)
    step = hs.Gaussian(noise).dominating_pair(hs.Direction.REMOVE)
    at, limits = np.array([1e-5]), {"tolerance": 1e-9, "memory_limit": 2**30}
    return _core.epsilon_bounds([[(step, 1)]], at, **limits)


WIDE, NARROW, LOW = answers(2.0), answers(1.002), answers(1.0)


def enclosed(above, below, **changes):
    """The ends of one answer, why, and the accuracies that were asked for."""
    asked = []

    def of(sides):
        left = list(sides)

        def ask(cells, tail):
            asked.append((cells, tail))
            return left.pop(0) if len(left) > 1 else left[0]

        return ask

    of_question = {"rises": True, "of_rates": False, "closes": True, "smallest": 1e-5, "runs": 1}
    of_question |= {"tolerance": 1e-3, "known": None} | changes
    ends, limited_by = _core.enclosed(of(above), of(below), **of_question)
    return (ends[0].item(), ends[1].item()), limited_by, asked


def test_what_is_tight_at_once_is_asked_once():
    ends, why, asked = enclosed([LOW], [LOW])
    assert (len(asked), why) == (2, "")
    assert ends[0] <= ends[1]


def test_pairs_that_close_are_asked_more_finely():
    ends, why, asked = enclosed([WIDE, NARROW, LOW], [LOW])
    assert why == ""
    assert len(asked) == 6
    assert asked[0][0] < asked[2][0] < asked[4][0]
    assert asked[0][1] > asked[2][1] > asked[4][1]
    assert ends[1] <= ends[0] * (1 + 1e-3)


def test_what_does_not_help_is_not_repeated():
    _, why, asked = enclosed([WIDE], [LOW])
    assert (len(asked), why) == (4, "passes")


def test_theory_is_asked_once():
    ends, why, asked = enclosed([WIDE], [LOW], closes=False)
    assert (len(asked), why) == (2, "theory")
    assert ends == pytest.approx((1, 2), rel=0.01)


def test_what_falls_with_the_curve_changes_sides():
    ends, why, _ = enclosed([LOW], [WIDE], closes=False, rises=False)
    assert why == "theory"
    assert ends == pytest.approx((1, 2), rel=0.01)


def test_known_ends_count():
    known = (np.array([1.5]), np.array([math.inf]))
    ends, _, _ = enclosed([WIDE], [LOW], closes=False, known=known)
    assert ends == pytest.approx((1.5, 2), rel=0.01)
    tight = (np.array([1.5]), np.array([1.5001]))
    assert enclosed([WIDE], [LOW], known=tight)[1:] == ("", [])


def test_ends_that_contradict_each_other_are_a_mistake():
    with pytest.raises(_core.InternalError, match="above upper"):
        enclosed([LOW], [WIDE])
