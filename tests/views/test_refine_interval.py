# SPDX-License-Identifier: Apache-2.0
"""The loop of questions to the whole curve ends tight, or with bounds and a reason."""

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction

STEP = hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.1)
RUN = [[(STEP.dominating_pair(way), 60)] for way in (Direction.REMOVE, Direction.ADD)]
QUESTIONS = [
    (_core.power_bounds, 1e-3),
    (_core.gdp_bounds, 1e-3),
    (_core.loss_tail_bounds, 0.5),
    (_core.loss_quantile_bounds, 0.9),
]
every_question = pytest.mark.parametrize(
    ("ask", "at"), QUESTIONS, ids=[ask.__name__ for ask, _ in QUESTIONS]
)


def asked(ask, at, tolerance, memory_limit=2**28):
    (answer,) = ask(RUN, np.array([at]), tolerance=tolerance, memory_limit=memory_limit)
    return answer


@every_question
def test_tighter_answers_overlap_looser_ones(ask, at):
    answers = [asked(ask, at, tolerance) for tolerance in (0.1, 1e-2, 1e-3)]
    assert all(answer.converged and not answer.limited_by for answer in answers)
    assert max(a.lower for a in answers) <= min(a.upper for a in answers)
    assert answers[2].upper - answers[2].lower < answers[0].upper - answers[0].lower


@every_question
def test_what_the_memory_does_not_allow_is_said_and_enclosed(ask, at):
    truth, refused = asked(ask, at, 1e-3), asked(ask, at, 1e-7, memory_limit=2**20)
    assert not refused.converged
    assert refused.limited_by == "memory_limit"
    assert refused.required_bytes > 2**20
    assert refused.lower <= truth.upper
    assert truth.lower <= refused.upper
