# SPDX-License-Identifier: Apache-2.0
"""The pictures show what is certified, from both sides, with units, and touch nothing else."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

import hockeystick as hs
from drawn import line
from hockeystick import plot
from hockeystick.plot._methods import BASELINES, ESTIMATORS

plt.switch_backend("Agg")

GAUSSIAN = hs.Gaussian(noise_multiplier=2.0)
STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05)
RUN = 50 * STEP
EPSILONS = np.linspace(0, 2, 9)

PICTURES = {
    "hockey_stick": lambda run, **more: plot.hockey_stick(run, epsilon=EPSILONS, **more),
    "epsilon_by_count": lambda run, **more: plot.epsilon_by_count(run, [1, 3], **more),
    "tradeoff": lambda run, **more: plot.tradeoff(run, fpr=[0.0, 0.1, 0.5, 1.0], **more),
    "roc": lambda run, **more: plot.roc(run, fpr=[1e-4, 0.1, 0.5, 1.0], **more),
    "loss_distribution": plot.loss_distribution,
    "loss_against_probability": lambda run, **more: plot.loss_against_probability(
        run, epsilon=1.0, **more
    ),
}
every_picture = pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)


@every_picture
def test_axes_are_labelled_and_explained(draw, ax):
    assert draw(RUN, ax=ax) is ax
    horizontal, vertical = ax.get_xlabel(), ax.get_ylabel()
    assert re.search(r"nats|probability|number|rate", horizontal)
    assert re.search(r"nats|probability|exp|rate", vertical)
    assert ax.get_title().startswith("DP-SGD: ")
    ax.figure.draw_without_rendering()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    texts.append(ax.get_legend().get_title().get_text())
    assert any("upper" in text for text in texts)
    assert any("lower" in text for text in texts)


@pytest.mark.parametrize("name", [name for name in plot.__all__ if name != "detached"])
def test_the_module_is_called_as_its_pictures_are(name):
    options = {"counts": [1, 9]} if name == "epsilon_by_count" else {}
    options |= {"epsilon": 1.0} if name == "loss_against_probability" else {}
    called = plot(RUN, name, ax=plot.detached(), **options)
    drawn = getattr(plot, name)(RUN, ax=plot.detached(), **options)
    assert called.get_title() == drawn.get_title()
    assert [line.get_label() for line in called.lines] == [one.get_label() for one in drawn.lines]


def test_the_usual_picture_is_the_hockey_stick(ax):
    assert hs.plot([RUN, 3 * STEP], ax=ax).get_ylabel() == "delta [probability]"
    assert "3 steps" in ax.get_legend().get_texts()[-1].get_text()


def test_one_baseline_is_named_as_it_is_and_asked_at_some_points(ax):
    plot.hockey_stick(RUN, baselines="zcdp", ax=ax)
    (drawn,) = (one for one in ax.lines if "zero-concentrated" in one.get_label())
    assert len(drawn.get_xdata()) == 31
    assert drawn.get_xdata()[-1] == ax.lines[0].get_xdata()[-1]


@every_picture
def test_given_axes_leave_pyplot_alone(draw, ax):
    draw(GAUSSIAN, ax=ax)
    assert plt.get_fignums() == []


@every_picture
def test_the_legend_and_the_title_stay_inside_the_picture(draw):
    ax = draw(RUN, ax=plot.detached())
    ax.figure.draw_without_rendering()
    whole = ax.figure.bbox
    for artist in (ax.get_legend(), ax.title, ax.xaxis.label, ax.yaxis.label):
        box = artist.get_window_extent()
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1
        assert whole.y0 <= box.y0 <= box.y1 <= whole.y1


@pytest.mark.parametrize("yscale", ["log", "linear"])
def test_the_hockey_stick_has_both_bounds(ax, yscale):
    plot.hockey_stick(RUN, epsilon=EPSILONS[::-1], yscale=yscale, tolerance=1e-2, ax=ax)
    truth = RUN.delta_bounds(EPSILONS, tolerance=1e-6)
    lower, upper = line(ax, "lower bound"), line(ax, "upper bound")
    np.testing.assert_array_equal(lower[0], EPSILONS)
    np.testing.assert_array_equal(upper[0], EPSILONS)
    assert (lower[1] <= truth.upper).all()
    assert (truth.lower <= upper[1]).all()
    assert (upper[1] - lower[1] <= 1e-2 * upper[1]).all()
    assert ax.get_yscale() == yscale


def test_the_best_bounds_are_drawn_where_the_tolerance_is_out_of_reach(ax):
    limits = {"tolerance": 2e-12, "memory_limit": 10**6}
    run = RUN + 40 * hs.Laplace(noise_multiplier=3.0).poisson_sampled(0.3)
    with pytest.raises(hs.CertificationError):
        run.delta_bounds(EPSILONS, **limits)
    plot.hockey_stick(run, epsilon=EPSILONS, **limits, ax=ax)
    truth = run.delta_bounds(EPSILONS, tolerance=1e-6)
    lower, upper = line(ax, "lower bound")[1], line(ax, "upper bound")[1]
    assert (lower <= truth.upper).all()
    assert (truth.lower <= upper).all()
    assert (lower < upper).all()


def test_curves_share_axes(ax):
    plot.hockey_stick(GAUSSIAN, epsilon=EPSILONS, label="one", ax=ax)
    plot.hockey_stick(2 * GAUSSIAN, epsilon=EPSILONS, label="two", ax=ax)
    assert (line(ax, "_two: lower bound")[1] > line(ax, "one")[1]).all()
    assert ax.get_title() == ""
    colors = {line.get_color() for line in ax.lines}
    assert len(colors) == 4


def test_the_axis_ends_near_the_upper_bounds(ax):
    """Where theory leaves a gap, what nobody asks for takes no half of the picture."""
    wide = hs.Gaussian(4.0).shuffled(batches=1000)
    plot.hockey_stick(wide, label="wide", adjacency="replace-special", ax=ax)
    plot.hockey_stick(hs.Gaussian(4.0), label="narrow", ax=ax)
    least = min(line(ax, label)[1].min() for label in ("wide", "narrow"))
    assert line(ax, "_wide: lower bound")[1].min() < 1e-3 * least
    bottom, top = ax.get_ylim()
    assert least / 11 < bottom < least
    assert top > line(ax, "narrow")[1].max()


@pytest.mark.parametrize("draw", [plot.hockey_stick, plot.tradeoff])
def test_runs_that_share_axes_are_named_without_being_asked(draw, ax):
    draw(RUN, ax=ax)
    assert ax.get_title() == "DP-SGD: 50 steps, noise 1, q = 0.05"
    draw(GAUSSIAN, ax=ax)
    assert ax.get_title() == ""
    legend = ax.get_legend()
    shown = {text.get_text() for text in legend.get_texts()} - {"guessing"}
    assert shown == {"DP-SGD: 50 steps, noise 1, q = 0.05", "Gaussian, noise 2"}
    assert legend.get_title().get_text() == "solid: upper, dashed: lower"
    draw(2 * GAUSSIAN, ax=ax)
    assert "2 times Gaussian, noise 2" in {text.get_text() for text in ax.get_legend().get_texts()}


def test_the_hockey_stick_has_estimators_and_baselines(ax):
    support = [0.25 * k for k in range(-40, 41)]
    plot.hockey_stick(
        3 * GAUSSIAN,
        epsilon=EPSILONS,
        estimators=list(ESTIMATORS),
        baselines=["rdp", "zcdp", "clt"],
        discretization_interval=0.25,
        support=support,
        ax=ax,
    )
    lower, upper = line(ax, "lower bound")[1], line(ax, "upper bound")[1]
    asked = np.isin(line(ax, "connect the dots")[0], EPSILONS)
    for name in ("connect the dots", "privacy buckets"):
        assert all(line(ax, name)[1][asked] >= lower)
        assert all(line(ax, f"_{name}")[1][asked] <= upper)
    assert all(line(ax, "Algorithm 2")[1][asked] <= upper)
    assert all(line(ax, "Renyi DP")[1] >= lower)
    assert all(line(ax, "zero-concentrated DP")[1] >= line(ax, "Renyi DP")[1] * (1 - 1e-6))
    assert line(ax, "central limit (no bound)")[1] == pytest.approx(upper, rel=0.01)
    plot.hockey_stick(RUN, estimators=["connect_dots"], ax=plot.detached())  # a grid of all losses
    with pytest.raises(ValueError, match="each of baselines must be"):
        plot.hockey_stick(RUN, baselines=["basic"], ax=ax)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_zero_has_no_logarithm(scale, ax):
    """A warning would be an error here."""
    plot.hockey_stick(0 * STEP, yscale=scale, ax=ax)
    assert ax.get_yscale() == "linear"
    other = ax.figure.add_subplot()
    plot.epsilon_by_count(GAUSSIAN.poisson_sampled(0.0), [1, 2], scale=scale, ax=other)
    assert (other.get_xscale(), other.get_yscale()) == (scale, "linear")
    ax.figure.draw_without_rendering()


def test_lines_differ_by_more_than_colour(ax):
    plot.epsilon_by_count(
        GAUSSIAN, [1, 2], estimators=list(ESTIMATORS), baselines=list(BASELINES), ax=ax
    )
    styles = [
        (str(line._unscaled_dash_pattern), line.get_marker(), line.get_linewidth())
        for line in ax.lines
    ]
    assert len(set(styles)) == len(styles)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_long_legend_hides_no_line(scale):
    ax = plot.epsilon_by_count(
        GAUSSIAN, [1, 9], baselines=list(BASELINES), scale=scale, ax=plot.detached()
    )
    ax.figure.draw_without_rendering()
    bottom = ax.get_legend().get_window_extent().y0
    points = [ax.transData.transform(line.get_xydata()) for line in ax.lines]
    assert max(y.max() for _, y in map(np.transpose, points)) < bottom


def test_the_tradeoff_has_both_bounds(ax):
    rates = np.array([0.0, 1e-3, 0.1, 0.5, 1.0])
    plot.tradeoff(RUN, fpr=rates, tolerance=1e-2, ax=ax)
    truth = RUN.tradeoff_bounds(rates, tolerance=1e-4)
    assert (line(ax, "lower bound")[1] <= truth.upper).all()
    assert (truth.lower <= line(ax, "upper bound")[1]).all()
    assert (line(ax, "upper bound")[1] - line(ax, "lower bound")[1] <= 1e-2).all()
    fpr, fnr = line(ax, "guessing")
    np.testing.assert_allclose(fpr + fnr, 1)


@every_picture
def test_a_picture_of_a_ledger_is_under_its_neighbours(draw):
    ledger = hs.Accountant(adjacency="replace-one").compose(STEP, 50)
    drawn, same, forgotten = (
        draw(run, ax=plot.detached(), **options)
        for run, options in (
            (ledger, {}),
            (RUN, {"adjacency": "replace-one"}),
            (ledger.composition, {}),
        )
    )
    for one, other in zip(drawn.lines, same.lines, strict=True):
        assert np.array_equal(one.get_ydata(), other.get_ydata())
    assert drawn.get_title() == same.get_title()
    assert drawn.get_title() != forgotten.get_title()
    with pytest.raises(ValueError, match="^adjacency must be that of the accountant, replace-one"):
        draw(ledger, adjacency="add-or-remove-one")
