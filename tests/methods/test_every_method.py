# SPDX-License-Identifier: Apache-2.0
"""Each method of the table answers each question that it can, as every other and the oracle do."""

from functools import cache

import pytest
from flint import arb

import hockeystick as hs
from exact.one_step import gaussian_delta
from hockeystick import _core
from hockeystick.adjacency import Adjacency

MEMORY = 1 << 28
# A run and what its oracle, another method or a formula, must agree with at each question.
BOTH = Adjacency.ADD_OR_REMOVE_ONE
RUNS = {
    "gaussians": 7 * hs.Gaussian(noise_multiplier=3.0),
    "sampled gaussian": 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01),
    "one sampled gaussian": 1 * hs.Gaussian(noise_multiplier=0.7).poisson_sampled(0.1),
    "little noise": 20 * hs.Gaussian(noise_multiplier=0.04).poisson_sampled(0.01),
    "rarely sampled": 1000 * hs.Gaussian(noise_multiplier=0.7).poisson_sampled(1e-6),
    "laplace": 20 * hs.Laplace(noise_multiplier=10.0),
    "one laplace": 1 * hs.Laplace(noise_multiplier=2.0),
    "sampled laplace": 300 * hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.01),
    "very many": 10**7 * hs.Laplace(noise_multiplier=20.0).poisson_sampled(1e-4),
    "discrete": 10 * hs.DiscreteGaussian(sigma=5.0, sensitivity=1),
    "two atoms": 54 * hs.ApproximateDP(epsilon=0.1, delta=0.0),
    "infinite losses": 9 * hs.ApproximateDP(epsilon=0.3, delta=1e-3),
    "mixed": 5 * hs.Gaussian(noise_multiplier=4.0)
    + 3 * hs.DiscreteLaplace(parameter=0.2, sensitivity=1)
    + 8 * hs.Laplace(noise_multiplier=20.0).poisson_sampled(0.3),
}
QUESTIONS = [
    *(("epsilon", delta) for delta in (0.9, 0.1, 1e-5, 1e-12, 1e-100, 1e-300)),
    *(("delta", epsilon) for epsilon in (0.0, 0.1, 1.0, 4.0, 30.0)),
]
METHODS = _core.methods()
LIMITS = {"tolerance": 1e-3, "memory_limit": MEMORY}


@cache
def answers(name, wanted, method):
    """The answers to all questions of a kind, each direction and value by itself."""
    ask = {"epsilon": _core.epsilon_bounds, "delta": _core.delta_bounds}[wanted]
    return {
        (way, at): ask([terms], [at], method=method, **LIMITS)[0]
        for way, terms in enumerate(RUNS[name]._directions(BOTH))
        for quantity, at in QUESTIONS
        if quantity == wanted
    }


@pytest.mark.parametrize("wanted", ["epsilon", "delta"])
@pytest.mark.parametrize("name", RUNS)
def test_all_methods_and_the_choice_agree(name, wanted):
    """Certified or not tight, the intervals of all have a point in common."""
    tables = {method: answers(name, wanted, method) for method in ("", *METHODS)}
    for key, chosen in tables.pop("").items():
        found = {method: table[key] for method, table in tables.items()}
        every = [chosen, *found.values()]
        assert max(each.lower for each in every) <= min(each.upper for each in every), key
        for method, one in found.items():
            assert one.lower <= one.upper, (key, method)
            assert one.method in ("", method), key
            assert one.converged or one.limited_by, (key, method)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_tight_somewhere(method):
    tables = [answers(name, wanted, method) for name in RUNS for wanted in ("epsilon", "delta")]
    found = [answer for table in tables for answer in table.values()]
    assert any(a.converged and a.method == method for a in found)


@pytest.mark.bits(400)
def test_plain_gaussians_are_a_difference_of_normal_tails():
    """The oracle of the formula is in ball arithmetic."""
    mu = arb(7).sqrt() / 3
    for epsilon in (0.0, 0.1, 1.0, 4.0):
        truth = gaussian_delta(mu, arb(epsilon))
        for method in METHODS:
            found = answers("gaussians", "delta", method)[0, epsilon]
            assert not (arb(found.lower) > truth), method
            assert not (arb(found.upper) < truth), method


@pytest.mark.parametrize("name", RUNS)
def test_an_explanation_names_the_method_that_answers(name):
    for wanted, at in (("epsilon", 1e-5), ("delta", 1.0)):
        asked = {"delta": at} if wanted == "epsilon" else {"epsilon": at}
        tables = RUNS[name].explain(**asked).directions
        for way, reports in enumerate(tables):
            assert [report.method for report in reports] == METHODS
            best = answers(name, wanted, "")[way, at]
            assert [r.method for r in reports if r.verdict == "chosen"] == [best.method]
            assert all(r.verdict and (r.attempts == 0) == (r.seconds == 0) for r in reports)


def test_an_explanation_is_a_table():
    lines = str(RUNS["sampled gaussian"].explain(delta=1e-5)).splitlines()
    assert lines[0] == "a record is removed:"
    assert lines[1].split() == ["method", "forecast", "width", "took", "verdict"]
    assert "a record is added:" in lines
    assert any("contour_integral" in line and line.endswith("chosen") for line in lines)
    with pytest.raises(TypeError, match="one of delta and epsilon"):
        RUNS["laplace"].explain()
