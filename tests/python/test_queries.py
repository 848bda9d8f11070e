# SPDX-License-Identifier: Apache-2.0
"""Every question of the table has its methods, and they say in help() what they take."""

import inspect

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.queries import QUERIES

RUN = 10 * hs.Gaussian(noise_multiplier=3.0).poisson_sampled(0.25)
UPPER, LOWER = (RUN.pld(discretization_interval=1e-2, side=side) for side in ("upper", "lower"))
POINTS = {"order": 2.0, "largest_order": 2.0, "power": 2.0}
BY_KEYWORD = {"largest_order", "smallest_rate"}


def arguments_of(query, at=None):
    value = POINTS.get(query.argument, 0.3) if at is None else at
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
def test_lists_are_taken_as_arrays(name, query):
    if query.argument == "power":
        return
    at = POINTS.get(query.argument, 0.3)
    positional, named = arguments_of(query, [[at], [at]])
    once = getattr(RUN, name)(*arguments_of(query)[0], **arguments_of(query)[1])
    many = getattr(RUN, name)(*positional, **named)
    assert many.shape == (2, 1)
    np.testing.assert_allclose(many, once, rtol=2 * query.tolerance)


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


@pytest.mark.parametrize(("name", "query"), QUERIES.items())
def test_help_names_the_options(name, query):
    for method in (getattr(hs.Composition, name), getattr(hs.Mechanism, f"{name}_bounds")):
        parameters = inspect.signature(method).parameters
        assert {"adjacency", "memory_limit", query.width} <= set(parameters)
        assert parameters[query.width].default == query.tolerance
        assert inspect.getdoc(method)


def test_unknown_options_are_named():
    with pytest.raises(TypeError, match="unexpected keyword argument 'tolerence'"):
        RUN.epsilon(1e-5, tolerence=1e-3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'tolerence'"):
        hs.dpsgd_epsilon(
            noise_multiplier=1.0, sampling_probability=0.1, steps=1, delta=0.1, tolerence=1e-3
        )
    with pytest.raises(TypeError, match="'epsilons'; did you mean epsilon"):
        hs.calibrate(lambda sigma: hs.Gaussian(noise_multiplier=sigma), epsilons=1.0)
