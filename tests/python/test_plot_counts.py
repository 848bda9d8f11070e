# SPDX-License-Identifier: Apache-2.0
"""Epsilon by the number of steps: what is certified holds at every count, not only those asked."""

import numpy as np
import pytest

import hockeystick as hs
from drawn import line
from hockeystick import baselines, plot
from hockeystick.plot._methods import BASELINES, ESTIMATORS

GAUSSIAN = hs.Gaussian(noise_multiplier=2.0)
STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05)


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
    lower = line(ax, "_certified: lower bound")[1]
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


@pytest.mark.parametrize(("step", "delta"), [(hs.ApproximateDP(0.1, 1e-6), 1e-5), (STEP, 0)])
def test_where_epsilon_is_infinite_is_shaded(step, delta, ax):
    """Ten guarantees of delta 1e-6 are within 1e-5, and no Gaussian is within 0."""
    plot.epsilon_by_count(step, [1, 100], delta=delta, ax=ax)
    finite = 10 if delta else 0
    assert f"infinite from {finite + 1} on" in ax.get_legend_handles_labels()[1]
    n, upper = line(ax, "certified")
    assert max(n[np.isfinite(upper)], default=0) == finite
    assert ax.get_xlim()[1] >= 100


@pytest.mark.every(3)
@pytest.mark.parametrize("step", [STEP, GAUSSIAN, hs.Laplace(noise_multiplier=9.0)], ids=repr)
@pytest.mark.parametrize("counts", [[1, 1000], [1, 63, 125, 500], [7, 9], [3, 40, 10_000]], ids=str)
def test_the_certified_lines_hold_at_every_count(step, counts, ax):
    """Epsilon is above its chords in the number of steps: few points, joined, would be too low."""
    plot.epsilon_by_count(step, counts, ax=ax)
    n, upper = line(ax, "certified")
    _, lower = line(ax, "_certified: lower bound")
    assert (np.diff(n) >= 0).all()
    between = np.unique(np.geomspace(counts[0], counts[-1], 57).round())
    at = np.union1d(between, np.unique(n)[::9] + 1).clip(counts[0], counts[-1])
    for count in at:
        truth = (int(count) * step).epsilon_bounds(1e-5, tolerance=1e-5)
        assert np.interp(count, n, upper) >= truth.lower
        assert np.interp(count, n, lower) <= truth.upper
    assert (upper - lower < 0.1 * upper[-1]).all()


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("baselines", "yscale"), [(["rdp"], "linear"), (["basic", "optimal"], "log")]
)
def test_the_certified_curve_can_be_read_beside_large_baselines(baselines, yscale):
    ax = plot.epsilon_by_count(STEP, [1, 500, 5000], baselines=baselines, ax=plot.detached())
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", yscale)
    assert ax.get_xlabel() == "number of steps"
    whole = plot.epsilon_by_count(5 * STEP, [1, 2], ax=plot.detached())
    assert whole.get_xlabel() == "number of runs"
    curve = ax.transData.transform(line(ax, "certified").T)[:, 1]
    assert np.ptp(curve) > 0.2 * ax.bbox.height
    as_asked = plot.epsilon_by_count(
        STEP, [1, 500, 5000], baselines=baselines, scale="linear", ax=plot.detached()
    )
    assert as_asked.get_yscale() == "linear"
