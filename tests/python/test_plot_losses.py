# SPDX-License-Identifier: Apache-2.0
"""Pictures of the privacy loss: the distribution holds all mass, and the area is delta."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

import hockeystick as hs
from hockeystick import plot

plt.switch_backend("Agg")

GAUSSIAN = hs.Gaussian(noise_multiplier=2.0)
RUN = 50 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05)


@pytest.mark.parametrize("yscale", ["log", "linear"])
def test_the_distribution_holds_all_mass(yscale, ax):
    plot.loss_distribution(RUN, yscale=yscale, ax=ax)
    drawn = [patch.get_data() for patch in ax.patches]
    assert len(drawn) == 3  # the upper one filled and outlined
    for masses, edges, _ in drawn:
        assert 1 - 3e-5 <= masses.sum() <= 1 + 1e-9
        assert len(edges) == len(masses) + 1 <= 122
        middle = (masses * (edges[1:] + edges[:-1]) / 2).sum()
        assert middle == pytest.approx(expected_loss(RUN), abs=2 * (edges[1] - edges[0]))
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert all(re.fullmatch(r"(upper|lower) estimate, P\(loss = inf\) = .*", t) for t in legend)


def expected_loss(run):
    """The mean of the privacy loss, from a grid of its own."""
    pld = run.pld(discretization_interval=1e-3)
    return float(pld.losses @ pld.probabilities)


@pytest.mark.parametrize("yscale", ["linear", "log"])
@pytest.mark.parametrize(
    ("run", "adjacency"),
    [
        (hs.DiscretePair(p=[1, 0], q=[0, 1]), hs.Adjacency.ADD_OR_REMOVE_ONE),
        (hs.RandomizedResponse(noise_parameter=0, num_buckets=2), hs.Adjacency.REPLACE_ONE),
        (hs.ApproximateDP(epsilon=1, delta=1), hs.Adjacency.ADD_OR_REMOVE_ONE),
        (
            hs.DiscreteGaussian(sigma=10, truncation=1, sensitivity=3),
            hs.Adjacency.ADD_OR_REMOVE_ONE,
        ),
    ],
)
def test_a_loss_that_is_always_infinite_is_stated(run, adjacency, yscale, ax):
    plot.loss_distribution(run, adjacency=adjacency, yscale=yscale, ax=ax)
    ax.figure.draw_without_rendering()
    assert all(patch.get_data().values.max() < 1e-299 for patch in ax.patches)
    assert [text.get_text() for text in ax.texts] == ["no loss is finite"]
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == [f"{side} estimate, P(loss = inf) = 1" for side in ("upper", "lower")]


@pytest.mark.parametrize("yscale", ["linear", "log"])
@pytest.mark.parametrize("finite", [1e-6, 1.5e-5])
def test_a_loss_that_is_almost_always_infinite_is_drawn(finite, yscale, ax):
    plot.loss_distribution(hs.ApproximateDP(epsilon=1, delta=1 - finite), yscale=yscale, ax=ax)
    assert not ax.texts
    for masses, edges, _ in (patch.get_data() for patch in ax.patches):
        assert masses.sum() == pytest.approx(finite, rel=1e-3)
        np.testing.assert_allclose([edges[0], edges[-1]], [-1, 1], atol=0.05)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 1.0986, 7.3])
def test_losses_are_round(epsilon):
    ax = plot.loss_against_probability(RUN, epsilon=epsilon, ax=plot.detached())
    ax.figure.draw_without_rendering()
    (right,) = ax.child_axes
    ticks = dict(
        zip(right.get_yticks(), (t.get_text() for t in right.get_yticklabels()), strict=True)
    )
    assert ticks.pop(1.0) == "inf"
    assert len(ticks) > 4
    assert all(
        height == pytest.approx(-np.expm1(epsilon - float(loss))) for height, loss in ticks.items()
    )
    assert all(abs(20 * float(loss) - round(20 * float(loss))) < 1e-9 for loss in ticks.values())


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
