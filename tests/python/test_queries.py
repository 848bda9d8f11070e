# SPDX-License-Identifier: Apache-2.0
"""Every question of the table has its methods, and they say in help() what they take."""

import inspect
import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.queries import QUERIES

RUN = 10 * hs.Gaussian(noise_multiplier=3.0).poisson_sampled(0.25)
UPPER, LOWER = (RUN.pld(discretization_interval=1e-2, side=side) for side in ("upper", "lower"))
POINTS = {"order": 2.0, "largest_order": 2.0, "power": 2.0}
BY_KEYWORD = {"largest_order", "smallest_rate"}


def arguments_of(query):
    value = POINTS.get(query.argument, 0.3)
    if query.argument == "power":
        return (), {}
    return ((), {query.argument: value}) if query.argument in BY_KEYWORD else ((value,), {})


@pytest.mark.parametrize(("name", "query"), QUERIES.items())
def test_compositions_answer_with_bounds_and_with_the_safe_end(name, query):
    positional, named = arguments_of(query)
    bounds = getattr(RUN, f"{name}_bounds")(*positional, **named)
    assert getattr(RUN, name)(*positional, **named) == getattr(bounds, query.safe)
    assert bounds.lower <= bounds.upper
    assert len(bounds.error_budget) == 4


@pytest.mark.parametrize(("name", "query"), QUERIES.items())
def test_distributions_answer_from_their_side_or_call_it_an_estimate(name, query):
    positional, named = arguments_of(query)
    estimate = getattr(UPPER, f"estimated_{name}", None)
    if estimate is not None:
        assert "no bound" in inspect.getdoc(estimate)
        return
    bounds = getattr(RUN, f"{name}_bounds")(*positional, **named)
    upper, lower = (getattr(side, name)(*positional, **named) for side in (UPPER, LOWER))
    if query.safe == "lower":
        upper, lower = lower, upper
    assert upper >= bounds.lower
    assert lower <= bounds.upper


def asked(of, name):
    """The method of a run or a distribution that answers a question, and how the point is given."""
    query = QUERIES[name]
    ask = getattr(of, f"estimated_{name}", None) or getattr(of, name)
    by_keyword = query.argument in BY_KEYWORD
    return lambda at: ask(**{query.argument: at}) if by_keyword else ask(at)


AT_POINTS = [name for name, query in QUERIES.items() if query.argument != "power"]
at_points = pytest.mark.parametrize("name", AT_POINTS)
of_both = pytest.mark.parametrize("of", [RUN, UPPER], ids=["run", "distribution"])


@of_both
@at_points
def test_answers_have_the_shape_of_the_points(name, of):
    ask, at = asked(of, name), POINTS.get(QUERIES[name].argument, 0.3)
    assert type(ask(at)) is float
    assert ask(np.full((1, 3), at)).shape == (1, 3)
    assert ask(np.zeros((0, 2))).shape == (0, 2)
    np.testing.assert_allclose(ask([[at], [at]]), [[ask(at)]] * 2, rtol=2 * QUERIES[name].tolerance)


NAN, INF = math.nan, math.inf
OUT_OF_RANGE = {
    "delta": (r"in \[0, 1\)", [-1e-9, 1.0, INF, NAN, [0.1, NAN]]),
    "epsilon": (r"in \[0, 10000\]", [-1.0, 10_001, INF, NAN, [0.0, -1.0]]),
    "fpr": (r"in \[0, 1\]", [-0.1, 1.1, INF, NAN, [0.5, 2.0]]),
    "largest_order": (r"in \(1, 10000\] or inf", [1.0, 0.5, 1e5, -INF, NAN]),
    "level": (r"in \(0, 1\)", [0.0, 1.0, NAN]),
    "order": (r"in \[1, 10000\]", [0.5, 0.0, -1.0, 1e5, INF, NAN]),
    "prior": (r"in \(0, 1\)", [0.0, 1.0, -1.0, NAN]),
    "smallest_rate": (r"in \[1e-20, 0.5\)", [0.0, 1e-21, 0.5, 1.0, NAN]),
}


@of_both
@at_points
def test_points_out_of_range_or_of_a_wrong_type_are_named(name, of):
    argument = QUERIES[name].argument
    range_of, bad = OUT_OF_RANGE[argument]
    for value in bad:
        with pytest.raises(ValueError, match=f"^{argument} must be {range_of}, got "):
            asked(of, name)(value)
    for value in ("0.5", None, True):
        with pytest.raises(TypeError, match=f"^{argument} must be "):
            asked(of, name)(value)


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        *(("adjacency", "both", ValueError), ("adjacency", None, TypeError)),
        *(("memory_limit", 0, ValueError), ("memory_limit", 1.5, TypeError)),
        *(("width", x, ValueError) for x in (0.0, 1.0, math.nan)),
        *(("width", x, TypeError) for x in (None, "1e-3")),
    ],
)
@pytest.mark.parametrize("name", QUERIES)
def test_bad_options_are_named(name, option, value, error):
    option = QUERIES[name].width if option == "width" else option
    positional, named = arguments_of(QUERIES[name])
    with pytest.raises(error, match=f"^{option} must be "):
        getattr(RUN, name)(*positional, **named, **{option: value})


@pytest.mark.parametrize(("name", "query"), QUERIES.items())
def test_help_names_the_options(name, query):
    for method in (getattr(hs.Composition, name), getattr(hs.Mechanism, f"{name}_bounds")):
        parameters = inspect.signature(method).parameters
        assert {"adjacency", "memory_limit", query.width} <= set(parameters)
        assert parameters[query.width].default == query.tolerance
        assert inspect.getdoc(method)


def test_help_is_short():
    """Also where the arguments are those of a generic dict."""
    for call in (hs.calibrate, hs.dpsgd_epsilon, hs.dpsgd_noise_multiplier, hs.plot.hockey_stick):
        assert "numpy._" not in str(inspect.signature(call))
