# SPDX-License-Identifier: Apache-2.0
"""The library in WebAssembly encloses what the library of this machine encloses."""

import random

import pytest

import hockeystick as hs
from hockeystick import Accountant
from web_tools import node, wasm

QUESTIONS = 200
DISTRIBUTIONS = {"p": [0.5, 0.3, 0.2], "q": [0.4, 0.3, 0.3]}


def drawn(chosen):
    """A mechanism, by the name and parameters of the C library, and as Python has it."""
    noise = chosen.choice([0.7, 1.0, 2.5, 20.0])
    rate = chosen.choice([1e-4, 0.01, 0.25])
    gaussian, laplace = hs.Gaussian(noise_multiplier=noise), hs.Laplace(noise_multiplier=noise)
    of_noise = {"noise_multiplier": noise}
    of_sample = {**of_noise, "sampling_probability": rate}
    guarantee = {"epsilon": 0.1, "delta": 1e-9}
    return chosen.choice([
        ("gaussian", of_noise, gaussian),
        ("laplace", of_noise, laplace),
        ("poisson_sampled(gaussian)", of_sample, gaussian.poisson_sampled(rate)),
        ("poisson_sampled(gaussian)", of_sample, gaussian.poisson_sampled(rate)),
        ("poisson_sampled(laplace)", of_sample, laplace.poisson_sampled(rate)),
        ("discrete_laplace", {"parameter": 1 / noise}, hs.DiscreteLaplace(parameter=1 / noise)),
        ("discrete_gaussian", {"sigma": noise}, hs.DiscreteGaussian(sigma=noise)),
        ("approximate_dp", guarantee, hs.ApproximateDP(**guarantee)),
        ("exponential_mechanism", {"epsilon": 0.1}, hs.ExponentialMechanism(epsilon=0.1)),
        ("discrete_pair", DISTRIBUTIONS, hs.DiscretePair(**DISTRIBUTIONS)),
    ])  # fmt: skip


def questions():
    chosen = random.Random(11)
    for _ in range(QUESTIONS):
        parts, run = [], hs.Composition()
        for _ in range(chosen.choice([1, 1, 2, 3])):
            name, parameters, mechanism = drawn(chosen)
            count = chosen.choice([1, 10, 100, 1000])
            parts.append({"mechanism": name, "parameters": parameters, "count": count})
            run = run + count * mechanism
        adjacency = chosen.choice(["add-or-remove-one", "remove-one", "add-one", "replace-special"])
        asked = {"parts": parts, "adjacency": adjacency}
        if chosen.random() < 0.25:
            yield {**asked, "seek": "delta", "epsilon": chosen.choice([0.0, 1.0, 5.0])}, run
        else:
            yield {**asked, "seek": "epsilon", "delta": chosen.choice([1e-3, 1e-6, 1e-10])}, run


def native(asked, run):
    try:
        if asked["seek"] == "delta":
            return run.delta_bounds(asked["epsilon"], adjacency=asked["adjacency"])
        return run.epsilon_bounds(asked["delta"], adjacency=asked["adjacency"])
    except hs.CertificationError as error:  # wider than the tolerance, and certified
        return error.bounds


def overlap(answer, bounds):
    lower, upper = (float(answer[end]) for end in ("lower", "upper"))
    return lower <= bounds.upper and bounds.lower <= upper and lower <= upper


def asks(*questions):
    return node("ask.mjs", wasm(), given=list(questions))


def test_answers_overlap_native_ones():
    given = list(questions())
    answers = asks(*({"kind": "parts", "asked": asked} for asked, _ in given))
    for (asked, run), answer in zip(given, answers, strict=True):
        bounds, found = native(asked, run), answer["bounds"]
        assert overlap(found, bounds), asked
        if found["limitedBy"] is None and 1e-300 < bounds.lower < float("inf"):
            assert found["upper"] - found["lower"] <= 1e-3 * found["upper"], asked


def test_correlated_noise():
    """Closed forms: any other sensitivity than Python's shows."""
    chosen, given, runs = random.Random(5), [], []
    for _ in range(40):
        column = sorted((chosen.random() for _ in range(chosen.randint(1, 9))), reverse=True)
        steps, apart = chosen.randint(1, 60), chosen.randint(1, 9)
        of_matrix = {"coefficients": column, "steps": steps, "min_separation": apart}
        of_tree = {"leaves": chosen.randint(1, 70), "restarts": apart}
        for name, strategy in (("ToeplitzMechanism", of_matrix), ("TreeMechanism", of_tree)):
            parameters = {"noise_multiplier": 5.0, **strategy}
            mechanism = name.removesuffix("Mechanism").lower()
            part = {"mechanism": mechanism, "parameters": parameters, "count": 3}
            given.append({"seek": "epsilon", "delta": 1e-6, "adjacency": "add-one"})
            given[-1]["parts"] = [part]
            runs.append(3 * getattr(hs, name)(**parameters))
    for answer, run in zip(
        asks(*({"kind": "parts", "asked": one} for one in given)), runs, strict=True
    ):
        bounds = run.epsilon_bounds(1e-6, adjacency="add-one")
        assert overlap(answer["bounds"], bounds), run
        assert answer["bounds"]["upper"] <= (1 + 1e-9) * bounds.upper, run


def test_ledgers_and_runs_of_dpsgd():
    account = Accountant(adjacency="replace-special")
    account.compose(hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01), count=1000)
    account.compose(hs.Laplace(noise_multiplier=20.0), count=5)
    run = {"noiseMultiplier": 1.0, "samplingProbability": 0.01, "steps": 10_000, "delta": 1e-5}
    options = {"tolerance": 1e-9}
    of_ledger, of_run = asks(
        {"kind": "ledger", "ledger": account.to_json(), "deltas": [1e-5, 1e-7]},
        {"kind": "dpsgd", "run": run, "options": options},
    )
    for delta, answer in zip([1e-5, 1e-7], of_ledger, strict=True):
        assert overlap(answer, account.epsilon_bounds(delta))
    bounds = (10_000 * hs.Gaussian(1.0).poisson_sampled(0.01)).epsilon_bounds(1e-5, tolerance=1e-9)
    assert overlap(of_run, bounds)
    assert of_run["upper"] - of_run["lower"] <= 1e-9 * of_run["upper"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"delta": 2}, "delta must be in [0, 1), got 2"),
        ({"delta": None}, "delta must be in [0, 1), got nan"),
        ({"delta": 123456.75}, "delta must be in [0, 1), got 123456.75"),
        ({"delta": -1 / 3}, f"delta must be in [0, 1), got {-1 / 3:.17g}"),
        ({"delta": 1e17}, "delta must be in [0, 1), got 1e+17"),
        ({"delta": -1.7e-5}, f"delta must be in [0, 1), got {-1.7e-5:.17g}"),
        ({"mechanism": "gausian"}, "mechanism must be one of"),
        ({"parameters": {"noise_multiplier": 0}}, "noise_multiplier must be in [0.001, 1e+12]"),
        ({"parameters": {}}, "noise_multiplier must be given for gaussian"),
        ({"count": -1}, "count must be"),
        ({"count": 0.5}, "count must be a whole number, got 0.5"),
        ({"adjacency": "other"}, "adjacency must be one of"),
    ],
)  # fmt: skip
def test_refusals(changed, message):
    part = {"mechanism": "gaussian", "parameters": {"noise_multiplier": 1.0}, "count": 1}
    asked = {"seek": "epsilon", "delta": 1e-5, "adjacency": "remove-one"}
    asked |= {key: value for key, value in changed.items() if key not in part}
    asked["parts"] = [part | {key: value for key, value in changed.items() if key in part}]
    (answer,) = asks({"kind": "parts", "asked": asked})
    assert message in answer["error"]
    assert answer["status"] == -1


def test_curve_and_tradeoff():
    run = 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    part = {"mechanism": "poisson_sampled(gaussian)", "count": 1000}
    part["parameters"] = {"noise_multiplier": 1.0, "sampling_probability": 0.01}
    rates = [0.001, 0.01, 0.1, 0.5, 0.9]
    asked = {"parts": [part], "adjacency": "add-or-remove-one", "delta": 1e-5}
    (answer,) = asks({"kind": "curve", "asked": asked, "rates": rates})
    for delta, lower, upper in answer["points"][::10]:
        assert overlap({"lower": lower, "upper": upper}, run.epsilon_bounds(delta))
    for rate, missed in zip(rates, answer["tradeoff"], strict=True):
        truth = run.tradeoff_bounds(rate)
        assert truth.upper - 0.01 < missed <= truth.upper


def test_calibration_meets_its_target_and_no_less_noise_does():
    asked = {"seek": "noise", "epsilon": 2.0, "delta": 1e-5, "adjacency": "add-or-remove-one"}
    part = {"mechanism": "poisson_sampled(gaussian)", "count": 10_000}
    part["parameters"] = {"sampling_probability": 0.01}
    find = {"part": 0, "name": "noise_multiplier", "falls": True}
    steps = {**asked, "seek": "count", "find": {"part": 0, "name": "count"}}
    steps["parts"] = [
        {**part, "parameters": {"noise_multiplier": 1.0, "sampling_probability": 0.01}}
    ]
    questions = [{**asked, "parts": [part], "find": find}, steps]
    noise, count = asks(*({"kind": "parts", "asked": one} for one in questions))

    def epsilon(noise, count):
        run = count * hs.Gaussian(noise).poisson_sampled(0.01)
        return run.epsilon_bounds(1e-5, tolerance=1e-6)

    found = noise["found"]["value"]
    assert epsilon(found, 10_000).lower <= noise["bounds"]["upper"] <= 2.0
    assert epsilon(found - 2e-4, 10_000).upper > 2.0
    found = count["found"]["value"]
    assert epsilon(1.0, found).lower <= count["bounds"]["upper"] <= 2.0
    assert epsilon(1.0, found + 1).upper > 2.0 - 2e-4
