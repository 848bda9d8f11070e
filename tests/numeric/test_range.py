# SPDX-License-Identifier: Apache-2.0
"""The core holds what users give to the ranges that it states, whoever asks."""

import math

import pytest

import hockeystick as hs
from hockeystick import _core

GAUSSIAN = _core.dominating_pair("gaussian", [1.0])
RUN = [[(GAUSSIAN, 10)]]
LIMITS = {"tolerance": 1e-3, "memory_limit": 2**30}
NAN, INF = math.nan, math.inf

VALUES = {
    "epsilon_bounds": ("delta", [1.0, -1e-9, NAN, INF]),
    "delta_bounds": ("epsilon", [-1e-9, 1.1e4, NAN, INF]),
    "bayes_risk_bounds": ("prior", [0.0, 1.0, NAN]),
    "power_bounds": ("fpr", [-0.1, 1.1, NAN]),
    "gdp_bounds": ("smallest_rate", [0.0, 0.5, NAN]),
    "loss_tail_bounds": ("epsilon", [-1.0, INF, NAN]),
    "loss_quantile_bounds": ("level", [0.0, 1.0, NAN]),
    "renyi_bounds": ("order", [0.9, 1.1e4, NAN]),
    "zcdp_bounds": ("largest_order", [1.0, NAN]),
}


@pytest.mark.parametrize(
    ("question", "name", "value"),
    [(question, name, x) for question, (name, values) in VALUES.items() for x in values],
)
def test_no_question_is_asked_at_a_value_out_of_range(question, name, value):
    with pytest.raises(ValueError, match=f"{name} must be in .*, got "):
        getattr(_core, question)(RUN, [0.25 if name != "order" else 2.0, value], **LIMITS)


@pytest.mark.parametrize("question", VALUES)
@pytest.mark.parametrize(
    ("run", "limits", "message"),
    [
        ([[(GAUSSIAN, -1)]], {}, r"count must be a whole number in \[0, 1e\+09\], got -1"),
        ([[(GAUSSIAN, 10**9 + 1)]], {}, "count must be a whole number"),
        (RUN, {"tolerance": 0.0}, r"tolerance must be in \(0, 1\), got 0"),
        (RUN, {"tolerance": NAN}, "tolerance must be"),
        (RUN, {"tolerance": 1.0}, "tolerance must be"),
        (RUN, {"memory_limit": 0}, "memory_limit must be"),
    ],
)
def test_no_question_is_asked_of_a_run_or_within_limits_out_of_range(
    question, run, limits, message
):
    inside = {"renyi_bounds": 2.0, "zcdp_bounds": 2.0}.get(question, 0.25)
    with pytest.raises(ValueError, match=message):
        getattr(_core, question)(run, [inside], **{**LIMITS, **limits})


@pytest.mark.parametrize(
    ("place", "bad", "name"),
    [
        *((0, x, "noise_multiplier") for x in (0.0, -1.0, NAN, INF, 1e-4)),
        *((1, x, "sampling_probability") for x in (-0.5, 1.5, NAN)),
        *((2, x, "steps") for x in (-5, 10**9 + 1)),
        *((3, x, "delta") for x in (-1e-9, 1.0, 2.0, NAN)),
    ],
)
def test_runs_of_dpsgd_are_refused_out_of_range(place, bad, name):
    good = [[1.0], [0.01], [10], [1e-5]]
    good[place] = [bad]
    with pytest.raises(ValueError, match=f"{name} must be .*, got "):
        _core.dpsgd_epsilon_bounds(*good, adjacency=1, **LIMITS)


@pytest.mark.parametrize("quantity", ["epsilon", "delta"])
@pytest.mark.parametrize("at", [NAN, -1.0, INF])
def test_what_is_explained_is_a_question(quantity, at):
    with pytest.raises(ValueError, match=f"{'delta' if quantity == 'epsilon' else 'epsilon'} must"):
        _core.explain(RUN, quantity, at, **LIMITS)


@pytest.mark.parametrize(
    ("bad", "name"),
    [({"interval": 0.0}, "discretization_interval"), ({"tail_mass": NAN}, "tail_mass")],
)
def test_distributions_are_refused_out_of_range(bad, name):
    asked = {"interval": 0.1, "side": "upper", "estimator": "connect_dots", "tail_mass": 1e-9}
    with pytest.raises(ValueError, match=f"{name} must be in .*, got "):
        _core.loss_pmf(RUN[0], **{**asked, **bad}, memory_limit=2**30)


def test_python_states_the_ranges_of_the_core():
    for name, make in [
        ("noise_multiplier", lambda x: hs.Gaussian(noise_multiplier=x)),
        ("pure_epsilon", lambda x: hs.DiscreteLaplace(parameter=x)),
        ("epsilon", lambda x: hs.ApproximateDP(epsilon=x, delta=0.0)),
    ]:
        low, high = _core.ranges()[name]
        make(low), make(high)
        for x in (math.nextafter(low, -INF), math.nextafter(high, INF)):
            with pytest.raises(ValueError, match=" must be "):
                make(x)
    _, most = _core.ranges()["count"]
    hs.Gaussian(noise_multiplier=1.0) * int(most)
    with pytest.raises(ValueError, match="count must be"):
        hs.Gaussian(noise_multiplier=1.0) * (int(most) + 1)
