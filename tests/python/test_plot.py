# SPDX-License-Identifier: Apache-2.0
"""The pictures show what is certified, from both sides, with units, and touch nothing else."""

import re
import sys
from typing import get_args

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hockeystick as hs
from hockeystick import baselines, plot
from hockeystick.plot._methods import BASELINES, ESTIMATORS, BaselineName, EstimatorName
from hockeystick.views.distribution import _ESTIMATORS

plt.switch_backend("Agg")

GAUSSIAN = hs.Gaussian(noise_multiplier=2.0)
STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05)
RUN = 50 * STEP
EPSILONS = np.linspace(0, 2, 9)

PICTURES = {
    "hockey_stick": lambda run, **more: plot.hockey_stick(run, epsilon=EPSILONS, **more),
    "epsilon_by_count": lambda run, **more: plot.epsilon_by_count(run, [1, 3], **more),
    "tradeoff": lambda run, **more: plot.tradeoff(run, fpr=[0.0, 0.1, 0.5, 1.0], **more),
    "loss_distribution": plot.loss_distribution,
    "loss_against_probability": lambda run, **more: plot.loss_against_probability(
        run, epsilon=1.0, **more
    ),
}
every_picture = pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)


@pytest.fixture
def ax():
    """Axes that pyplot knows nothing of."""
    return Figure().subplots()


def line(ax, label):
    """The data of the line with a label."""
    found = [line for line in ax.lines if line.get_label() == label]
    assert len(found) == 1, [line.get_label() for line in ax.lines]
    return np.asarray(found[0].get_xydata()).T


@every_picture
def test_axes_are_labelled_and_explained(draw, ax):
    assert draw(RUN, ax=ax) is ax
    horizontal, vertical = ax.get_xlabel(), ax.get_ylabel()
    assert re.search(r"nats|probability|number", horizontal)
    assert re.search(r"nats|probability|exp", vertical)
    assert "50 * PoissonSampled" in ax.get_title() or "PoissonSampled" in ax.get_title()
    ax.figure.draw_without_rendering()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    texts.append(ax.get_legend().get_title().get_text())
    assert any("upper" in text for text in texts)
    assert any("lower" in text for text in texts)


@every_picture
def test_without_axes_a_figure_of_pyplot_is_made(draw):
    before = dict(plt.rcParams)
    result = draw(GAUSSIAN)
    assert isinstance(result, Axes)
    assert plt.gcf() is result.figure
    assert dict(plt.rcParams) == before
    plt.close(result.figure)


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


def test_the_default_range_ends_where_delta_is_small(ax):
    plot.hockey_stick(GAUSSIAN, ax=ax)
    epsilon, delta = line(ax, "upper bound")
    assert epsilon[0] == 0
    assert 1e-9 < delta[-1] <= 1.01e-8


def test_the_best_bounds_are_drawn_where_the_tolerance_is_out_of_reach(ax):
    limits = {"tolerance": 2e-12, "memory_limit": 10**6}
    with pytest.raises(hs.CertificationError):
        RUN.delta_bounds(EPSILONS, **limits)
    plot.hockey_stick(RUN, epsilon=EPSILONS, **limits, ax=ax)
    truth = RUN.delta_bounds(EPSILONS, tolerance=1e-6)
    lower, upper = line(ax, "lower bound")[1], line(ax, "upper bound")[1]
    assert (lower <= truth.upper).all()
    assert (truth.lower <= upper).all()
    assert (lower < upper).all()


def test_curves_share_axes(ax):
    plot.hockey_stick(GAUSSIAN, epsilon=EPSILONS, label="one", ax=ax)
    plot.hockey_stick(2 * GAUSSIAN, epsilon=EPSILONS, label="two", ax=ax)
    assert (line(ax, "two: lower bound")[1] > line(ax, "one: upper bound")[1]).all()
    assert ax.get_title() == ""
    colors = {line.get_color() for line in ax.lines}
    assert len(colors) == 4


@pytest.mark.parametrize("run", [hs.Composition(), 0 * STEP])
def test_what_costs_nothing_can_be_drawn(run, ax):
    plot.hockey_stick(run, yscale="linear", ax=ax)
    assert (line(ax, "upper bound")[1] == 0).all()
    assert line(ax, "upper bound")[0][-1] > 0


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_zero_has_no_logarithm(scale, ax):
    """A warning would be an error here."""
    plot.hockey_stick(0 * STEP, yscale=scale, ax=ax)
    assert ax.get_yscale() == "linear"
    other = ax.figure.add_subplot()
    plot.epsilon_by_count(GAUSSIAN.poisson_sampled(0.0), [1, 2], scale=scale, ax=other)
    assert (other.get_xscale(), other.get_yscale()) == (scale, "linear")
    ax.figure.draw_without_rendering()


def test_epsilon_by_count(ax):
    counts = [40, 1, 10]
    plot.epsilon_by_count(
        STEP,
        counts,
        delta=1e-6,
        estimators=list(ESTIMATORS),
        baselines=list(BASELINES),
        discretization_interval=1e-2,
        ax=ax,
    )
    n, upper = line(ax, "certified")
    lower = line(ax, "_certified from below")[1]
    assert {1, 10, 40} <= set(n)
    truth = [(int(k) * STEP).epsilon_bounds(1e-6, tolerance=1e-6) for k in n]
    assert all(lower <= [t.upper for t in truth])
    assert all([t.lower for t in truth] <= upper)
    asked = np.isin(n, counts)
    for name in ("connect the dots", "privacy buckets"):
        assert all(line(ax, name)[1] >= lower[asked])
        assert all(line(ax, f"_{name}")[1] <= upper[asked])
    assert all(line(ax, "Algorithm 2")[1] <= upper[asked])
    assert line(ax, "privacy buckets")[1][-1] > line(ax, "connect the dots")[1][-1]
    classical = {name: line(ax, way.label)[1] for name, way in BASELINES.items()}
    n = line(ax, BASELINES["clt"].label)[0]
    for name, values in classical.items():
        assert np.isfinite(values).all()
        floor = [(int(k) * STEP).epsilon_bounds(1e-6).lower for k in n]
        assert name == "clt" or all(values >= floor), name
    assert all(classical["rdp"] < classical["zcdp"])
    assert all(classical["optimal"] <= classical["advanced"])
    assert list(classical["clt"]) == [baselines.clt_epsilon(int(k) * STEP, 1e-6) for k in n]


@pytest.mark.every(3)
@pytest.mark.parametrize("step", [STEP, GAUSSIAN, hs.Laplace(noise_multiplier=9.0)], ids=repr)
@pytest.mark.parametrize("counts", [[1, 1000], [1, 63, 125, 500], [7, 9], [3, 40, 10_000]], ids=str)
def test_the_certified_lines_hold_at_every_count(step, counts, ax):
    """Epsilon is above its chords in the number of steps: few points, joined, would be too low."""
    plot.epsilon_by_count(step, counts, ax=ax)
    n, upper = line(ax, "certified")
    _, lower = line(ax, "_certified from below")
    assert (np.diff(n) >= 0).all()
    between = np.unique(np.geomspace(counts[0], counts[-1], 57).round())
    at = np.union1d(between, np.unique(n)[::9] + 1).clip(counts[0], counts[-1])
    for count in at:
        truth = (int(count) * step).epsilon_bounds(1e-5, tolerance=1e-5)
        assert np.interp(count, n, upper) >= truth.lower
        assert np.interp(count, n, lower) <= truth.upper
    assert (upper - lower < 0.1 * upper[-1]).all()


def test_a_support_keeps_gaussians_apart(ax):
    plot.epsilon_by_count(
        hs.Gaussian(noise_multiplier=20.0),
        [100, 200],
        estimators=["privacy_buckets"],
        discretization_interval=0.02,
        support=[0.02 * k for k in range(-30, 31)],
        ax=ax,
    )
    n, upper = line(ax, "certified")
    excess = line(ax, "privacy buckets")[1] - upper[np.isin(n, [100, 200])]
    np.testing.assert_allclose(excess, [1.0, 2.0], rtol=0.1)  # half an interval a step


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("baselines", "yscale"), [(["rdp"], "linear"), (["basic", "optimal"], "log")]
)
def test_the_certified_curve_can_be_read_beside_large_baselines(baselines, yscale):
    ax = plot.epsilon_by_count(STEP, [1, 500, 5000], baselines=baselines, ax=plot.detached())
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", yscale)
    curve = ax.transData.transform(line(ax, "certified").T)[:, 1]
    assert np.ptp(curve) > 0.2 * ax.bbox.height
    as_asked = plot.epsilon_by_count(
        STEP, [1, 500, 5000], baselines=baselines, scale="linear", ax=plot.detached()
    )
    assert as_asked.get_yscale() == "linear"


@every_picture
def test_titles_are_of_the_simplest_form(draw, ax):
    draw(GAUSSIAN.poisson_sampled(1.0), ax=ax)
    title = ax.get_title().replace("\n", " ")
    assert title.startswith("Gaussian(noise_multiplier=2.0)")


def test_every_estimator_and_baseline_has_a_line():
    assert set(ESTIMATORS) == set(get_args(EstimatorName)) == set(_ESTIMATORS)
    assert set(BASELINES) == set(get_args(BaselineName))


def test_lines_differ_by_more_than_colour(ax):
    plot.epsilon_by_count(
        GAUSSIAN,
        [1, 2],
        estimators=list(ESTIMATORS),
        baselines=list(BASELINES),
        ax=ax,
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


@pytest.mark.parametrize("epsilon", [0.0, 0.7, 2.5])
@pytest.mark.parametrize("run", [RUN, GAUSSIAN], ids=["sampled", "gaussian"])
def test_the_area_is_delta(run, epsilon, ax):
    plot.loss_against_probability(run, epsilon=epsilon, ax=ax)
    truth = run.delta_bounds(epsilon, tolerance=1e-6)
    areas = []
    for curve in ax.lines[:2]:
        x, y = curve.get_xydata().T
        assert (np.diff(x) >= 0).all()
        assert (np.diff(y) <= 0).all()
        areas.append(np.diff(x) @ np.maximum(y[:-1], 0))
    upper, lower = areas
    assert truth.lower * (1 - 1e-9) <= upper <= truth.upper * 1.02
    assert truth.lower * 0.98 <= lower <= truth.upper * (1 + 1e-9)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    shown = [float(re.search(r"delta [<>]= ([-+.e0-9]+)", label)[1]) for label in labels]
    assert shown[1] <= truth.upper
    assert shown[0] >= truth.lower
    assert shown == pytest.approx(areas, rel=2e-3)


def test_the_width_is_the_probabilistic_delta(ax):
    """Sensitivity 1, variance 3, epsilon log 3: delta is 0.0106, P(loss > epsilon) 0.0532."""
    run = hs.Gaussian(noise_multiplier=3**0.5)
    plot.loss_against_probability(run, epsilon=np.log(3), ax=ax)
    label = ax.get_legend().get_texts()[0].get_text()
    assert float(label.rsplit(" ", 1)[1]) == pytest.approx(0.05324, rel=5e-3)


def test_the_worse_direction_is_shown(ax):
    plot.loss_against_probability(RUN, epsilon=1.0, ax=ax)
    assert "(remove-one)" in ax.get_title().replace("\n", " ")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plot.hockey_stick(1), TypeError, "run must be a Composable, got 1"),
        (lambda: plot.hockey_stick(RUN, epsilon=1.0), ValueError, "epsilon must be at least two"),
        (lambda: plot.hockey_stick(RUN, epsilon=[-1, 2]), ValueError, "epsilon must be in"),
        (lambda: plot.hockey_stick(RUN, yscale="cubic"), ValueError, "yscale must be one of"),
        (lambda: plot.hockey_stick(RUN, ax=1), TypeError, "ax must be an Axes, got 1"),
        (lambda: plot.hockey_stick(RUN, tolerance=2), ValueError, "tolerance must be in"),
        (lambda: plot.tradeoff(None), TypeError, "run must be a Composable, got None"),
        (lambda: plot.tradeoff(RUN, fpr=[0, 2]), ValueError, "fpr must be in"),
        (lambda: plot.tradeoff(RUN, scale=1), TypeError, "scale must be one of"),
        (lambda: plot.epsilon_by_count(RUN, [1]), ValueError, "counts must be at least two"),
        (lambda: plot.epsilon_by_count(RUN, [0, 1]), ValueError, "each of counts must be a whole"),
        (lambda: plot.epsilon_by_count(RUN, [1, 2.5]), TypeError, "each of counts must be a whole"),
        (lambda: plot.epsilon_by_count(RUN, [1, 2], delta=0), ValueError, "delta must be in"),
        (
            lambda: plot.epsilon_by_count(RUN, [1, 2], estimators=["best"]),
            ValueError,
            "each of estimators must be one of",
        ),
        (
            lambda: plot.epsilon_by_count(RUN, [1, 2], estimators="connect_dots"),
            TypeError,
            "estimators must be a sequence of some of",
        ),
        (
            lambda: plot.epsilon_by_count(
                RUN, [1, 2], baselines=["clt"], adjacency=hs.Adjacency.REMOVE_ONE
            ),
            ValueError,
            "adjacency must be ADD_OR_REMOVE_ONE with baseline 'clt'",
        ),
        (lambda: plot.loss_distribution("pld"), TypeError, "run must be a Composable"),
        (
            lambda: plot.loss_distribution(RUN, discretization_interval=0),
            ValueError,
            "discretization_interval must be",
        ),
        (
            lambda: plot.loss_against_probability(RUN, epsilon=[1.0]),
            TypeError,
            "epsilon must be a real number that is in",
        ),
        (
            lambda: plot.loss_against_probability(RUN, epsilon=float("nan")),
            ValueError,
            "epsilon must be in",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
    assert plt.get_fignums() == []


@every_picture
def test_without_matplotlib_the_message_says_what_to_install(draw, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'pip install "hockeystick\[plot\]"'):
        draw(RUN)
    with pytest.raises(ImportError, match=r'pip install "hockeystick\[plot\]"'):
        plot.detached()
