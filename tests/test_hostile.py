# SPDX-License-Identifier: Apache-2.0
"""Whatever is passed is answered or refused as documented, soon, and within the memory allowed."""

import io
import json
import time
from contextlib import redirect_stderr, redirect_stdout, suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick import baselines
from hockeystick.cli import main
from hostile import (
    REFUSALS,
    calls,
    constructions,
    counts,
    hostile,
    mechanisms,
    mostly,
    powers,
    rates,
)

CASES = 40 if settings.default.max_examples < 100 else 10_000  # of each test
LONGEST = 5.0  # seconds of work that a case may take; most take some milliseconds

many = settings(
    max_examples=CASES,
    derandomize=CASES < 100,  # the same cases every time, unless many are drawn
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

adjacencies = mostly(st.sampled_from(hs.Adjacency))
limits = {
    "adjacency": adjacencies,
    "tolerance": mostly(powers(-6, 0)),
    "memory_limit": mostly(st.integers(1, 2**26)),
}


def ask(called, /, **arguments):
    """The result, or None if it was refused as documented; fails if that took too long."""
    limit = arguments.get("memory_limit")
    if isinstance(limit, int) and 2**26 < limit < 2**63:  # would be taken at its word, hours too
        arguments["memory_limit"] = 2**26
    start = time.process_time()
    try:
        return called(**arguments)
    except REFUSALS:
        return None
    finally:
        assert time.process_time() - start < LONGEST, (called, arguments)


def is_enclosed(bounds):
    lower, upper = map(np.asarray, bounds[:2])
    return bool(np.all(lower <= upper))


@many
@given(constructions)
def test_mechanisms(call):
    function, arguments = call
    mechanism = ask(function, **arguments)
    assume(mechanism is not None)
    assert isinstance(mechanism, hs.Mechanism)
    assert mechanism == function(**mechanism.arguments)


@many
@given(mechanisms, mechanisms, hostile | counts, hostile)
def test_compositions(first, second, count, other):
    assume(first is not None)
    for combine in (lambda: count * first, lambda: first + other, lambda: second + count * first):
        result = ask(combine)
        assert result is None or isinstance(result, hs.Composition | np.ndarray)
    if hasattr(first, "poisson_sampled"):
        ask(lambda: first.poisson_sampled(other))
    acct = hs.Accountant()
    if ask(lambda: acct.compose(first, count)) is None:
        assert acct.ledger == ()


QUESTIONS = {
    "epsilon_bounds": {"delta": rates},
    "delta_bounds": {"epsilon": powers(-3, 3)},
    "advantage_bounds": {},
    "true_positive_rate_bounds": {"fpr": rates},
    "tradeoff_bounds": {"fpr": rates},
    "bayes_risk_bounds": {"prior": rates},
    "gdp_mu_bounds": {"smallest_rate": rates},
    "probabilistic_delta_bounds": {"epsilon": powers(-3, 3)},
    "loss_quantile_bounds": {"level": rates},
    "loss_mean_bounds": {},
    "loss_variance_bounds": {},
    "renyi_divergence_bounds": {"order": powers(0, 2)},
    "zcdp_bounds": {"largest_order": powers(0, 2)},
}


WIDTHS = {"loss_quantile_bounds": "deviations"}  # the keywords that are no tolerance


def options_of(name):
    return {WIDTHS.get(name, key) if key == "tolerance" else key: v for key, v in limits.items()}


questions = st.one_of(*(calls(name, what | options_of(name)) for name, what in QUESTIONS.items()))


@many
@given(mechanisms, counts, questions)
def test_questions(mechanism, count, question):
    assume(mechanism is not None)
    name, arguments = question
    bounds = ask(getattr(count * mechanism, name), **arguments)
    assert bounds is None or is_enclosed(bounds)


distributions = calls(
    "pld",
    {
        "discretization_interval": powers(-4, 0),
        "side": st.sampled_from(["upper", "lower"]),
        "estimator": st.sampled_from(["connect_dots", "algorithm_2", "privacy_buckets"]),
        "support": st.none() | st.lists(st.integers(-60, 60).map(lambda k: k / 10), max_size=9),
        "tail_mass": rates,
        "adjacency": adjacencies,
        "memory_limit": st.integers(1, 2**22),
    },
)
VIEWS = (
    "delta",
    "epsilon",
    "true_positive_rate",
    "tradeoff",
    "renyi_divergence",
    "bayes_risk",
    "estimated_probabilistic_delta",
    "estimated_loss_quantile",
)


@many
@given(
    mechanisms,
    st.integers(0, 1000),
    distributions,
    st.sampled_from(VIEWS),
    mostly(rates | powers(-2, 2)),
    hostile,
)
def test_distributions(mechanism, count, question, view, point, other):
    assume(mechanism is not None)
    pld = ask((count * mechanism).pld, **({"memory_limit": 2**22} | question[1]))
    assume(pld is not None)
    ask(lambda: getattr(pld, view)(point))
    ask(lambda: (pld.losses, pld.probabilities, pld.slack, pld.reflected(), pld.advantage()))
    ask(lambda: pld.delta_composed(pld, point))
    ask(lambda: pld.delta_composed(other, point))


def several(values):
    return values | st.lists(mostly(values), max_size=3)


runs = calls(
    hs.dpsgd_epsilon_bounds,
    {
        "noise_multiplier": several(powers(-1, 3)),
        "sampling_probability": several(rates),
        "steps": several(counts),
        "delta": several(rates),
    }
    | limits,
)


@many
@given(runs)
def test_dpsgd(run):
    bounds = ask(run[0], **run[1])
    assert bounds is None or is_enclosed(bounds)


FAMILIES = (
    lambda x: 100 * hs.Gaussian(noise_multiplier=x),
    lambda x: 10 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(x),
    lambda x: x * hs.Laplace(noise_multiplier=5.0),
    lambda x: x,
    lambda _: hs.Composition(),
    abs,
)
family = {
    "make": st.sampled_from(FAMILIES),
    "bounds": st.none() | st.tuples(powers(-2, 0), powers(0, 3)),
    "integer": st.none() | st.booleans(),
}
targets = (
    {"epsilon": powers(-2, 2), "delta": rates},
    {"advantage": rates},
    {"tpr": rates, "fpr": rates},
    {"epsilon": powers(-2, 2), "fpr": rates},
)
goals = st.one_of(*(calls(hs.calibrate, family | target | limits) for target in targets))


@settings(many, max_examples=CASES // 4)
@given(goals)
def test_calibration(goal):
    ask(goal[0], **goal[1])


SWEPT = (lambda **cell: len(cell), lambda x: 1 / x, lambda x, y: x + y)
sweeps = calls(
    hs.sweep,
    {
        "function": st.sampled_from(SWEPT),
        "grid": st.dictionaries(st.sampled_from(["x", "y"]), st.lists(hostile, max_size=2)),
        "executor": st.none(),
        "progress": st.sampled_from([None, False]),
    },
)


@many
@given(sweeps)
def test_sweeps(sweep):
    ask(sweep[0], **sweep[1])


accountants = calls(hs.Accountant, {name: limits[name] for name in ("adjacency", "tolerance")})
admissions = calls(
    "would_exceed",
    {
        "count": counts,
        "epsilon": powers(-2, 2),
        "delta": rates,
        "memory_limit": st.integers(1, 2**26),
    },
)


@many
@given(accountants, mechanisms, mostly(counts), admissions)
def test_accountants(accountant, mechanism, count, admission):
    acct = ask(accountant[0], **accountant[1])
    assume(acct is not None and mechanism is not None)
    ask(acct.compose, mechanism=mechanism, count=count)
    before = acct.ledger
    assert ask(acct.would_exceed, mechanism=mechanism, **admission[1]) in (None, True, False)
    assert acct.ledger == before
    text = ask(acct.to_json)
    assert text is None or hs.Accountant.from_json(text).ledger == before


GUARANTEES = {"epsilon": powers(-6, 3), "delta": rates, "count": counts}
of_guarantees = {
    baselines.basic_composition: {},
    baselines.advanced_composition: {"delta_slack": rates},
    baselines.simplified_optimal_composition: {"delta_slack": rates},
    baselines.optimal_composition_delta: {"target_epsilon": powers(-3, 2)},
    baselines.optimal_composition_epsilon: {"target_delta": rates},
}
of_runs = {
    baselines.clt_delta: {"epsilon": powers(-3, 2)},
    baselines.clt_epsilon: {"delta": rates},
    baselines.clt_mu: {},
    baselines.rdp: {"orders": st.lists(powers(0, 2), max_size=3)},
    baselines.rdp_delta: {"epsilon": powers(-3, 2)},
    baselines.rdp_epsilon: {"delta": rates},
    baselines.zcdp_rho: {"adjacency": adjacencies},
}
of_rho = {
    baselines.zcdp_delta: {"rho": powers(-6, 3), "epsilon": powers(-3, 2)},
    baselines.zcdp_epsilon: {"rho": powers(-6, 3), "delta": rates},
}
others = [calls(f, GUARANTEES | what) for f, what in of_guarantees.items()]
others += [calls(f, what) for f, what in of_rho.items()]
others += [calls(f, {"composition": mechanisms} | what) for f, what in of_runs.items()]


@many
@given(st.one_of(others))
def test_baselines(call):
    ask(call[0], **call[1])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def _places(value, path=()):
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from _places(inner, (*path, key))


def _changed(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = _changed(value[path[0]], path[1:], new)
    return copy


@many
@given(
    st.lists(mechanisms, max_size=3),
    counts,
    st.booleans(),
    st.integers(0),
    json_values,
    st.none() | st.tuples(st.integers(0), st.integers(0, 20), st.text(max_size=4)),
)
def test_documents(ledger, count, sealed, place, value, cut):
    acct = hs.Accountant()
    for mechanism in ledger:
        if not isinstance(mechanism, hs.AdditiveNoise | None):
            ask(acct.compose, mechanism=mechanism, count=count)
    document = json.loads(acct.to_json())
    if not sealed:
        del document["sha256"]
    places = list(_places(document))
    text = json.dumps(_changed(document, places[place % len(places)], value))
    if cut:
        start = cut[0] % len(text)
        text = text[:start] + cut[2] + text[start + cut[1] :]
    start = time.process_time()
    with suppress(ValueError):
        hs.Accountant.from_json(text)
    assert time.process_time() - start < 1


@many
@given(st.text() | st.text('{}[]",:0123456789eE+-.ntf \\', max_size=60))
def test_texts(text):
    with pytest.raises(ValueError, match="."):
        hs.Accountant.from_json(text)


def word(values):
    return mostly(values).filter(lambda value: not isinstance(value, np.ndarray)).map(str)


OPTIONS = {
    "--noise-multiplier": word(powers(-1, 3)),
    "--sampling-probability": word(rates),
    "--steps": word(st.integers(0, 10**5)),
    "--delta": word(rates),
    "--epsilon": word(powers(-2, 2)),
    "--adjacency": word(st.sampled_from([adjacency.value for adjacency in hs.Adjacency])),
    "--tolerance": word(powers(-4, -1)),
    "--memory-limit": word(st.integers(1, 2**26)),
}
COMMANDS = {"epsilon": "--epsilon", "delta": "--delta", "calibrate": "--noise-multiplier"}
commands = st.one_of(
    *(
        st.tuples(
            st.just(command),
            st.fixed_dictionaries({name: OPTIONS[name] for name in OPTIONS if name != answer}),
        )
        for command, answer in COMMANDS.items()
    )
)


@many
@given(commands, st.sampled_from([[], ["--json"], ["--nonsense"], ["x"], [""]]))
def test_command_line(command, extra):
    words = [command[0], *(word for option in command[1].items() for word in option), *extra]
    start = time.process_time()
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(words)
    assert time.process_time() - start < LONGEST
    assert ended.value.code in (0, 2)
    assert (err.getvalue().count("\n") == 1) == (ended.value.code == 2)
    if ended.value.code == 0 and extra == ["--json"]:
        answer = json.loads(out.getvalue())
        assert answer["lower"] <= answer["upper"]
