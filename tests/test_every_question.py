# SPDX-License-Identifier: Apache-2.0
"""Forty plain random runs of each family, each asked one question of the acceptance table."""

import random

import numpy as np
import pytest

import every_question as table
import hockeystick as hs

# What takes a good part of a second today, or is refused: benchmarks/README.md has all of it.
LEFT_OUT = {
    "sampled discrete Gaussians": {"Renyi"},
    "random allocation": {"delta", "nine deltas"},
    "fixed size": {"nine deltas"},
    "truncated batches": {"quantile"},
    "allocation, then counts": {"nine deltas", "mu"},
}
# Of answers of which the docstrings say how wide they may be, relative to the upper end.
WIDTHS = {"epsilon": 1e-3, "delta": 1e-3, "nine deltas": 1e-3, "mu": 1e-3, "P(L > epsilon)": 1e-2}
SMALLEST = 1e-30


ASKED = [(family, table.adjacency_of(family)) for family in table.FAMILIES]


@pytest.mark.parametrize(("family", "adjacency"), [*ASKED, ("sampled Gaussians", "replace-one")])
def test_every_question_is_answered(family, adjacency):
    rng = random.Random(f"40 {family}")
    names = list(table.QUESTIONS)
    for k in range(40):
        run, name = table.FAMILIES[family](rng), names[k % len(names)]
        question = table.QUESTIONS[name]
        point = rng.choice(question.points)
        if name in LEFT_OUT.get(family, ()):
            continue
        found = question.ask(run, point, adjacency)
        lower, upper = np.asarray(found.lower), np.asarray(found.upper)
        assert np.all(lower <= upper), (run, name, point)
        is_exact = all(one.is_exact for one, _ in run.terms)
        if name in WIDTHS and is_exact:  # theory may leave more
            wide = (upper - lower > WIDTHS[name] * upper) & (upper > SMALLEST)
            assert not np.any(wide), (run, name, point)


def test_a_refusal_counts():
    question = table.Question((1.0,), lambda run, at, _: run.delta_bounds(at, memory_limit=1))
    asked = table.ask(50 * hs.DiscreteGaussian(sigma=3.0), "", question, 1.0)
    assert asked.refused
