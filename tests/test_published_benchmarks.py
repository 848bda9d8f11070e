# SPDX-License-Identifier: Apache-2.0
"""The comparisons that others published, measured anew and drawn."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import figures
import measure
import published
import report
from measure import Status

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def comparison(name):
    return next(each for each in published.COMPARISONS if each.name == name)


@pytest.mark.parametrize("name", ["gaussian", "sampled-gaussian", "sampled-laplace"])
@pytest.mark.parametrize("method", [published.certified, published.connect_dots])
def test_our_answers_to_published_comparisons(name, method):
    asked = comparison(name)
    for count in asked.counts[:3]:
        verdict = measure.judge(method(asked, count)(), published.truths()[name, count], 0.25)
        assert verdict.status is Status.CERTIFIED


def test_a_step_is_put_on_the_grid_before_it_is_composed():
    """A thousand Gaussians merged into one would be almost exact on this grid."""
    upper = published.connect_dots(comparison("gaussian"), 1000)().upper
    truth = published.truths()["gaussian", 1000].value
    assert 0.01 < (Fraction(upper) - truth) / truth < 0.02


def test_published_truths_agree_with_wider_ones():
    """The bounds that stand in for an oracle, against a second grid."""
    asked = comparison("sampled-laplace")
    value, error = published.truths()["sampled-laplace", 1000]
    run = 1000 * asked.step
    for side, sign in (("lower", 1), ("upper", -1)):
        estimate = run.pld(discretization_interval=1e-5, side=side).epsilon(published.DELTA)
        assert sign * (value - Fraction(estimate)) >= -error
        assert estimate == pytest.approx(float(value), rel=2e-4)


@pytest.mark.deep
def test_the_figures_are_drawn(tmp_path, monkeypatch):
    asked = replace(comparison("gaussian"), counts=(100, 250))
    ours = {"certified": published.certified, "connect the dots": published.connect_dots}
    monkeypatch.setattr(figures, "methods", lambda _: ours)
    outcomes = figures.measure(asked, rounds=2, cap=2.0)
    assert {count: set(by_name) for count, by_name in outcomes.items()} == {
        count: set(ours) for count in asked.counts
    }
    above, below = figures.errors_of(
        {n: by_name["connect the dots"] for n, by_name in outcomes.items()}
    )
    assert set(above) == set(below) == set(asked.counts)
    assert all(0 < error < 0.1 for error in [*above.values(), *below.values()])
    figures.draw_hockey_sticks(tmp_path)
    figures.draw_estimates(asked, tmp_path)
    figures.draw_race(asked, outcomes, tmp_path)
    names = {"hockey-sticks.png", "gaussian.png", "gaussian-race.png"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert all(3_000 < path.stat().st_size < 60_000 for path in tmp_path.iterdir())
    assert "250 steps" in figures.block(asked, outcomes, "here")


def test_the_page_shows_every_figure():
    page = (BENCHMARKS / "README.md").read_text()
    for each in published.COMPARISONS:
        assert "new text" in report.replaced(page, f"published {each.name}", "new text\n")
    shown = set(re.findall(r"\]\(figures/(.*?)\)", page))
    kept = {path.name for path in (BENCHMARKS / "figures").iterdir()}
    assert shown == kept
    assert all(path.stat().st_size < 60_000 for path in (BENCHMARKS / "figures").iterdir())
