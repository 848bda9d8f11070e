# SPDX-License-Identifier: Apache-2.0
"""Runs that grow: what is kept answers as what is made from the start does."""

import math
import random

import pytest
from flint import arb, ctx

from exact.one_step import gaussian_delta
from hockeystick import _core
from questions import core_answer

MEMORY = 1 << 30
DELTA = 1e-5
FORMS = {"add-or-remove": ("remove", "add"), "add": ("add",), "replace": ("replace",)}


def kept_run(directions, quantity="epsilon", at=DELTA, tolerance=1e-3, memory_limit=MEMORY):
    return _core.KeptRun.of(
        directions, quantity, at, tolerance=tolerance, memory_limit=memory_limit
    )


def answer(run, quantity="epsilon", at=DELTA, tolerance=1e-3, memory_limit=MEMORY):
    found = run.answers(quantity, at, tolerance=tolerance, memory_limit=memory_limit)
    return None if found is None else found[0]


def anew(directions, quantity, at, tolerance, method=""):
    return core_answer(directions, quantity, at, tolerance=tolerance, method=method)


def steps(rng, forms, most):
    """A kind of step, plain ones among them, and how often it runs: the pair of each direction."""
    noise, q = 2 ** rng.uniform(-0.5, 3), 10 ** rng.uniform(-3.5, -1)
    count = rng.choice((1, 1, 2, rng.randrange(1, most)))
    if rng.random() < 0.1:
        pair = _core.dominating_pair("gaussian", [100 * noise])
        return [[(pair, count)] for _ in forms]
    return [
        [(_core.dominating_pair(f"poisson_gaussian_{form}", [noise, q]), count)] for form in forms
    ]


def overlap(a, b):
    return max(a.lower, b.lower) <= min(a.upper, b.upper)


@pytest.mark.parametrize("forms", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_a_grown_run_answers_as_one_made_anew(seed, forms):
    rng = random.Random(seed)
    quantity = rng.choice(("epsilon", "delta"))
    at, tolerance = (DELTA, 1e-3) if quantity == "epsilon" else (rng.uniform(0.3, 1.5), 1e-4)
    run, all_terms, renewed = None, [[] for _ in forms], 0
    for k in range(60):
        more = steps(rng, forms, 40)
        for terms, added in zip(all_terms, more, strict=True):
            terms.extend(added)
        if run is not None:
            run = run.grown(more)
        found = None if run is None else answer(run, quantity, at, tolerance)
        if found is None:
            run, renewed = kept_run(all_terms, quantity, at, tolerance), renewed + 1
            found = None if run is None else answer(run, quantity, at, tolerance)
        if found is None:
            continue
        assert found.converged
        assert found.upper - found.lower <= tolerance * found.upper
        if k % 7 == 6:
            assert overlap(found, anew(all_terms, quantity, at, 1e-5)), (k, found.lower)
    assert found is not None
    assert renewed < 40


def test_the_rounding_of_each_merging_of_plain_gaussians_counts():
    """Each adds 0.9 u to the square of mu, which rounding loses each time."""
    run = kept_run([[(_core.dominating_pair("gaussian", [1.0]), 1)]])
    little = [[(_core.dominating_pair("gaussian", [1e8]), 1)]]
    growths = 4000
    for _ in range(growths):
        run = run.grown(little)
    found = answer(run)
    with ctx.workprec(200):
        mu = (1 + growths * arb(10) ** -16).sqrt()
        deltas = [gaussian_delta(mu, arb(end)) for end in (found.upper, found.lower)]
        assert deltas[0] <= arb(DELTA) <= deltas[1]


def test_plain_gaussians_do_not_grow_by_others():
    run = kept_run([[(_core.dominating_pair("gaussian", [9.0]), 3)]])
    assert answer(run).method == "closed_form"
    assert run.grown([[(_core.dominating_pair("poisson_gaussian_remove", [9.0, 0.1]), 1)]]) is None


def test_what_has_no_moments_on_a_line_is_not_kept():
    laplace = _core.dominating_pair("poisson_laplace_remove", [30.0, 0.3])
    assert kept_run([[(laplace, 1000)]]) is None
    step = _core.dominating_pair("poisson_gaussian_remove", [1.0, 0.01])
    assert kept_run([[(step, 1000)]]).grown([[(laplace, 1)]]) is None


def test_an_answer_beyond_what_is_kept_is_none():
    step = _core.dominating_pair("poisson_gaussian_remove", [1.0, 0.01])
    run = kept_run([[(step, 1000)]])
    assert answer(run) is not None
    assert answer(run.grown([[(step, 10**7)]])) is None
    assert answer(run, at=1e-200) is None
    assert answer(run, memory_limit=100) is None
    assert kept_run([[(step, 1000)]], memory_limit=1000) is None


def test_of_far_too_many_steps_nothing_is_known():
    """Where all that is left is rounding, nothing is answered, and nothing wrong."""
    rng = random.Random(0)
    step = _core.dominating_pair("poisson_gaussian_remove", [0.5, 0.01])
    run = kept_run([[(step, 100)]])
    for _ in range(40):
        run = run.grown([[(step, rng.randrange(1, 10**6))]])
        found = answer(run)
        assert found is None or math.isfinite(found.upper)


def test_directions_are_as_many():
    step = _core.dominating_pair("poisson_gaussian_remove", [1.0, 0.01])
    with pytest.raises(ValueError, match="more must have the directions of the run"):
        kept_run([[(step, 1000)]]).grown([[(step, 1)], [(step, 1)]])


@pytest.mark.parametrize("count", [40, 181, 300])
def test_a_run_whose_largest_losses_are_cut_is_kept_for_both_directions(count):
    """Lines that end at the losses that matter are made for fewer frequencies than samples."""
    kinds = [(1 + 0.5 * i / 1000, 0.01 / (1 + i / 1000)) for i in range(count)]
    forms = FORMS["add-or-remove"]
    directions = [
        [(_core.dominating_pair(f"poisson_gaussian_{form}", list(kind)), 1) for kind in kinds]
        for form in forms
    ]
    run = kept_run(directions)
    assert run is not None
    assert overlap(answer(run), anew(directions, "epsilon", DELTA, 1e-3))
