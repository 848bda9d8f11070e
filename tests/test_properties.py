# SPDX-License-Identifier: Apache-2.0
"""Random runs: enclosed, monotone in every parameter, and consistent with themselves.

Certified intervals of two answers may overlap, so an order is asserted between the lower bound of
the smaller truth and the upper bound of the larger one.
"""

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import exact
import hockeystick as hs
import questions
from hockeystick.verify.errors import NotKnownError

DIGITS = 10
TOLERANCE = 1e-3
NEARLY_ONE = 1 - 2**-53
FEWER = settings(max_examples=settings().max_examples // 5)  # where a case takes long


def powers(low, high):
    """Numbers between two powers of ten, with uniform exponents and the ends."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


deltas = st.one_of(powers(-12, -0.05), powers(-300, -12), st.sampled_from([0.9, 0.5, 1e-300]))
epsilons = st.one_of(powers(-3, 1.5), powers(1.5, 4), st.sampled_from([0.0, 1e-12, 1e4]))
directions = st.sampled_from(exact.DIRECTIONS)
counts = st.one_of(st.integers(1, 20), powers(1, 4).map(round), powers(4, 8.3).map(round))
sigmas = powers(-0.5, 2)
rates = st.one_of(powers(-3, -0.3), st.floats(0.5, 1.0))


@st.composite
def gaussian_runs(draw):
    """One to four Gaussians whose mu is neither negligible nor beyond an epsilon of 1e4."""
    size = draw(st.integers(1, 4))
    mus = draw(st.lists(powers(-2, 1), min_size=size, max_size=size))
    times = draw(st.lists(counts, min_size=size, max_size=size))
    return tuple((exact.Step(n**0.5 / mu), n) for mu, n in zip(mus, times, strict=True))


@st.composite
def sampled_runs(draw):
    """One or two sampled Gaussians, now and then with an unsampled one."""
    steps = st.builds(exact.Step, sigmas, rates)
    counts = powers(1, 4).map(round)
    run = draw(st.lists(st.tuples(steps, counts), min_size=1, max_size=2))
    run += draw(st.lists(st.tuples(st.builds(exact.Step, powers(0.5, 2)), st.just(1)), max_size=1))
    return tuple(run)


def truth(run, query, at, direction):
    """The oracle's ball; the few runs it cannot do are passed over."""
    oracle = exact.epsilon if query == "epsilon" else exact.delta
    try:
        return oracle(run, at, direction, DIGITS)
    except NotKnownError:
        event("no truth")
        assume(False)
        raise


def check(run, query, at, direction):
    ball = truth(run, query, at, direction)
    answer = questions.ask(run, query, at, direction, TOLERANCE)
    event(f"certified: {answer.certified}")
    questions.check(answer, ball, TOLERANCE)


@given(gaussian_runs(), deltas, directions)
def test_epsilon_of_gaussians(run, delta, direction):
    check(run, "epsilon", delta, direction)


@given(gaussian_runs(), epsilons, directions)
def test_delta_of_gaussians(run, epsilon, direction):
    check(run, "delta", epsilon, direction)


@FEWER
@given(powers(-1, 0.5), powers(1, 5).map(round), deltas, directions)
def test_epsilon_of_gaussians_that_are_nearly_always_sampled(mu, count, delta, direction):
    """No closed form is known to the library here; the oracle integrates at the same q."""
    check(((exact.Step(count**0.5 / mu, NEARLY_ONE), count),), "epsilon", delta, direction)


@FEWER
@given(sampled_runs(), deltas, directions)
def test_epsilon_of_sampled_runs(run, delta, direction):
    check(run, "epsilon", delta, direction)


@FEWER
@given(sampled_runs(), deltas, directions)
def test_delta_of_sampled_runs(run, delta, direction):
    """At the epsilon that the library gives for some delta: elsewhere delta is 0 or 1."""
    epsilon = bounds(run, "epsilon", delta, direction).upper
    check(run, "delta", min(epsilon, 1e4), direction)


@FEWER
@given(sigmas, st.one_of(rates, st.just(1.0)), deltas, directions)
def test_epsilon_of_one_step(sigma, rate, delta, direction):
    check(((exact.Step(sigma, rate), 1),), "epsilon", delta, direction)


def bounds(run, query, at, direction):
    return questions.ask(run, query, at, direction, TOLERANCE).bounds


def assert_order(less, more):
    """The truth of `less` is at most that of `more`."""
    assert less.lower <= more.upper


factors = st.sampled_from([1 + 1e-9, 1.001, 1.1, 3.0])
queries = st.one_of(
    st.tuples(st.just("epsilon"), deltas), st.tuples(st.just("delta"), powers(-2, 1.5))
)


@FEWER
@given(sampled_runs(), queries, factors, directions)
def test_monotone_in_sigma(run, question, factor, direction):
    (step, count), *rest = run
    quieter = ((exact.Step(step.sigma * factor, step.q), count), *rest)
    assert_order(bounds(quieter, *question, direction), bounds(run, *question, direction))


@FEWER
@given(sampled_runs(), queries, factors, directions)
def test_monotone_in_the_sampling_probability(run, question, factor, direction):
    (step, count), *rest = run
    rarer = ((exact.Step(step.sigma, step.q / factor), count), *rest)
    assert_order(bounds(rarer, *question, direction), bounds(run, *question, direction))


@FEWER
@given(sampled_runs(), queries, st.sampled_from([1, 10, 1000]), directions)
def test_monotone_in_the_count(run, question, more, direction):
    (step, count), *rest = run
    longer = ((step, count + more), *rest)
    assert_order(bounds(run, *question, direction), bounds(longer, *question, direction))


@FEWER
@given(sampled_runs(), queries)
def test_add_or_remove_is_the_worse_of_both(run, question):
    both = bounds(run, *question, "add_remove")
    alone = [bounds(run, *question, direction) for direction in ("remove", "add")]
    assert_order(both, hs.Bounds(0.0, max(b.upper for b in alone)))
    assert_order(hs.Bounds(max(b.lower for b in alone), 0.0), both)


@FEWER
@given(sampled_runs(), deltas, directions)
def test_delta_and_epsilon_are_inverse(run, delta, direction):
    epsilon = bounds(run, "epsilon", delta, direction)
    assume(epsilon.upper <= 1e4)
    assert bounds(run, "delta", epsilon.upper, direction).lower <= delta
    if epsilon.lower > 0:
        assert bounds(run, "delta", epsilon.lower, direction).upper >= delta
