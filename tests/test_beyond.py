# SPDX-License-Identifier: Apache-2.0
"""What `reference/beyond.json` knows of joint releases, groups, audits and matrices.

Ball arithmetic or fractions made it, in code that shares none with the package.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import hockeystick as hs

TRUTHS = json.loads((Path(__file__).parent / "reference" / "beyond.json").read_text())
DOUBLE = 1e-12  # relative: truths are doubles, rounded once or twice


def of(kind):
    return pytest.mark.parametrize("truth", TRUTHS[kind], ids=str)


def held(bounds, truth, width=1e-3):
    lower, upper = bounds
    assert lower <= truth * (1 + DOUBLE)
    assert truth * (1 - DOUBLE) <= upper <= truth * (1 + width)
    assert lower >= truth * (1 - width)


@of("joint")
def test_joint_releases(truth):
    run = hs.joint(*map(hs.Gaussian, truth["noise_multipliers"]))
    held(run.epsilon_bounds(truth["delta"]), truth["epsilon"])


@of("group_gaussian")
def test_groups(truth):
    group = hs.Gaussian(truth["noise_multiplier"]).group(truth["size"])
    held(group.epsilon_bounds(truth["delta"]), truth["epsilon"])


@of("group_sampled")
def test_sampled_groups(truth):
    step = hs.Gaussian(truth["noise_multiplier"]).poisson_sampled(truth["sampling_probability"])
    held(step.group(truth["size"]).delta_bounds(truth["epsilon"]), truth["delta"], 1e-9)


@of("group_rates")
def test_groups_of_rates(truth):
    group = hs.Gaussian(truth["noise_multiplier"]).sampled_group(truth["sampling_probabilities"])
    held(group.delta_bounds(truth["epsilon"]), truth["delta"])


@of("audit")
def test_audits(truth):
    counts = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    given = {name: truth[name] for name in (*counts, "delta", "confidence")}
    found = hs.audit.epsilon_lower(**given)
    assert found <= truth["epsilon_lower"] * (1 + DOUBLE)
    assert found == pytest.approx(truth["epsilon_lower"], rel=1e-11)


@of("one_run")
def test_audits_of_one_run(truth):
    given = {name: value for name, value in truth.items() if name != "epsilon_lower"}
    found, known = hs.audit.one_run_epsilon_lower(**given), truth["epsilon_lower"]
    assert found <= known * (1 + 1e-11)
    assert found == pytest.approx(known, rel=1e-11)
    level = 1 - given.pop("confidence")
    assert hs.audit.one_run_p_value(**given, epsilon=known) == pytest.approx(level, rel=1e-9)


@of("matrix")
def test_matrix_mechanisms(truth):
    schedule = {name: truth[name] for name in ("min_separation", "max_participations")}
    run = hs.MatrixMechanism(truth["strategy"], noise_multiplier=1.0, **schedule)
    square = Fraction(*truth["sensitivity_squared"])
    runs = [run]
    if truth["kind"].startswith("toeplitz"):
        column = [row[0] for row in truth["strategy"]]
        how = {"steps": len(column), "noise_multiplier": 1.0}
        runs.append(hs.MatrixMechanism.toeplitz(column, **how, **schedule))
    for one in runs:
        lower, upper = map(Fraction, one.sensitivity_bounds())
        assert lower**2 <= square <= upper**2 <= square * Fraction(1.000000000001)


@of("selection")
def test_selection(truth):
    base = hs.Gaussian(truth["noise_multiplier"])
    best = hs.best_of(base, runs=truth["runs"], mean=truth["mean"])
    lower, upper = best.delta_bounds(truth["epsilon"])
    assert truth["delta_attained"] * (1 - 1e-2) <= lower <= upper <= 1.4 * lower
    assert best.epsilon(1e-6) < truth["published_epsilon_at_1e_minus_6"]


@of("first_passage")
def test_first_passage(truth):
    found = hs.GaussianFilter(mu=truth["clock"] ** 0.5).loss_ever_above(truth["epsilon"])
    assert truth["probability"] * (1 - DOUBLE) <= found <= truth["probability"] * (1 + 1e-9)
