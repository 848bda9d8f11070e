# SPDX-License-Identifier: Apache-2.0
"""The second accountant: its answers against closed forms, itself and the fast accountant."""

import math
from importlib import import_module
from types import SimpleNamespace

import pytest
from mpmath import mp

import hockeystick as hs
from hockeystick import Adjacency
from hockeystick.verify import Verified
from rare_runs import batches

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
SAMPLED = hs.DiscreteGaussian(sigma=1.0, truncation=8).poisson_sampled(0.1)


RUNS = [
    (100 * hs.Gaussian(noise_multiplier=10.0), Adjacency.ADD_OR_REMOVE_ONE, 1e-5),
    (3 * hs.Gaussian(noise_multiplier=1.0), Adjacency.REPLACE_ONE, 1e-9),
    (7 * hs.Laplace(noise_multiplier=2.0), Adjacency.REPLACE_ONE, 1e-3),
    (7 * hs.Laplace(noise_multiplier=4.0) + 2 * hs.PermuteAndFlip(epsilon=0.25), None, 1e-6),
    (STEP, Adjacency.REMOVE_ONE, 1e-6),
    (STEP, Adjacency.ADD_ONE, 1e-6),
    (STEP, Adjacency.REPLACE_ONE, 1e-6),
    (1000 * STEP, Adjacency.ADD_OR_REMOVE_ONE, 1e-5),
    (500 * STEP + hs.ApproximateDP(epsilon=0.3, delta=1e-7), Adjacency.ADD_OR_REMOVE_ONE, 1e-5),
    (300 * STEP, Adjacency.REPLACE_ONE, 1e-8),
    (hs.Laplace(noise_multiplier=5.0).poisson_sampled(0.1), Adjacency.ADD_OR_REMOVE_ONE, 1e-3),
    (20 * hs.ApproximateDP(epsilon=0.3, delta=1e-8), Adjacency.ADD_OR_REMOVE_ONE, 1e-5),
    (20 * hs.ExponentialMechanism(epsilon=0.3), Adjacency.ADD_OR_REMOVE_ONE, 1e-5),
    (9 * hs.RandomizedResponse(noise_parameter=0.5, num_buckets=4), Adjacency.REPLACE_ONE, 1e-4),
    (
        9 * hs.RandomizedResponse(noise_parameter=0.5, num_buckets=4),
        Adjacency.REPLACE_SPECIAL,
        1e-4,
    ),
    (50 * hs.DiscreteLaplace(parameter=0.2, sensitivity=3), Adjacency.REPLACE_ONE, 1e-6),
    (20 * hs.DiscreteGaussian(sigma=3.0), Adjacency.ADD_OR_REMOVE_ONE, 1e-6),
    (2 * SAMPLED, Adjacency.ADD_OR_REMOVE_ONE, 1e-4),
    (4 * hs.DiscretePair(p=(0.1, 0.4, 0.5), q=(0.2, 0.5, 0.3)), Adjacency.REMOVE_ONE, 1e-2),
    (
        40
        * hs.GaussianMixture(
            standard_deviation=2.0, sensitivities=(0.0, 1.0, 2.0), probabilities=(0.5, 0.3, 0.2)
        ),
        Adjacency.ADD_OR_REMOVE_ONE,
        1e-5,
    ),
    (30 * batches(1.0, 0.1, 30, 200), Adjacency.ADD_OR_REMOVE_ONE, 1e-5),
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("run", "adjacency", "delta"), RUNS)
def test_epsilon_and_delta_are_known_and_agree_with_the_fast_accountant(run, adjacency, delta):
    adjacency = adjacency or Adjacency.ADD_OR_REMOVE_ONE
    result = hs.verify(run, delta=delta, adjacency=adjacency, digits=20)
    assert result.known
    assert result.digits >= 20
    assert result.enclosed is True
    back = hs.verify(run, epsilon=result.upper, adjacency=adjacency, digits=20)
    assert back.enclosed is True
    assert abs(back.upper / delta - 1) < 1e-9


def test_delta_of_gaussians_is_that_of_mpmath():
    with mp.workdps(40):
        mu = mp.sqrt(5) / 2
        tail = mp.ncdf(mu / 2 - 1 / mu) - mp.e * mp.ncdf(-mu / 2 - 1 / mu)
        result = hs.verify(5 * hs.Gaussian(noise_multiplier=2.0), epsilon=1.0, digits=30)
        assert abs(mp.mpf(result.middle) - tail) <= mp.mpf(result.radius) + mp.mpf(10) ** -38


FEW_DIGITS = [
    20 * hs.Laplace(noise_multiplier=5.0).poisson_sampled(0.1),
    hs.Laplace(noise_multiplier=5.0).poisson_sampled(0.5) + 3 * hs.Laplace(noise_multiplier=3.0),
]


@pytest.mark.every(3)
@pytest.mark.parametrize("run", FEW_DIGITS, ids=str)
def test_where_moments_hardly_fall_smoothed_curves_still_enclose(run, monkeypatch):
    """Fewer digits than asked for, and the ball says how many; few points, to be fast."""
    monkeypatch.setattr(import_module("hockeystick.verify.smoothed"), "MOST_POINTS", 6000)
    result = hs.verify(run, epsilon=0.3, digits=20, adjacency=Adjacency.REMOVE_ONE)
    assert result.known
    assert 2 < result.digits < 20
    assert result.enclosed is not False


def test_smoothed_curves_hold_what_sums_give(monkeypatch):
    """All sums of two atoms, against the curves that need no sums."""
    monkeypatch.setattr(import_module("hockeystick.verify.smoothed"), "MOST_POINTS", 6000)
    from flint import arb, ctx  # noqa: PLC0415

    from hockeystick.adjacency import Direction  # noqa: PLC0415
    from hockeystick.verify.curves import composed  # noqa: PLC0415
    from hockeystick.verify.laws import law  # noqa: PLC0415
    from hockeystick.verify.smoothed import Smoothed  # noqa: PLC0415
    from hockeystick.verify.tilts import Tilts  # noqa: PLC0415

    run = 30 * hs.DiscretePair(p=(0.25, 0.75), q=(0.375, 0.625))
    with ctx.workprec(200):
        exact = composed(run.terms, Direction.REMOVE, 30).delta(arb(0.7))
        laws = [(law(mechanism, Direction.REMOVE), n) for mechanism, n in run.terms]
        smooth = Smoothed(laws, Tilts(laws), 0.7)(arb(0.7))
        assert smooth.contains(exact)
        assert smooth.rad() < exact * arb(1e-2)


def test_no_curve_of_few_points_is_kept_where_all_of_them_were_refused(monkeypatch):
    from flint import arb, ctx  # noqa: PLC0415

    from hockeystick.adjacency import Direction  # noqa: PLC0415
    from hockeystick.verify import contour  # noqa: PLC0415
    from hockeystick.verify.errors import NotKnownError  # noqa: PLC0415
    from hockeystick.verify.laws import law  # noqa: PLC0415
    from hockeystick.verify.tilts import Tilts  # noqa: PLC0415

    def smoothed(*args):
        if args[-1] == 1:  # the share of the points
            raise NotKnownError("too far")
        return SimpleNamespace(is_rough=True)

    monkeypatch.setattr(contour, "Smoothed", smoothed)
    run = 2 * hs.Gaussian(1.0).poisson_sampled(1e-4)
    with ctx.workprec(200):
        laws = [(law(mechanism, Direction.REMOVE), n) for mechanism, n in run.terms]
        curve = contour.Contour(laws, 10, Tilts(laws))
        for _ in range(2):
            with pytest.raises(NotKnownError, match="too far"):
                curve(arb(0.5))


def test_epsilon_at_the_probability_of_an_infinite_loss():
    run = hs.ApproximateDP(epsilon=0.5, delta=1e-6)
    assert hs.verify(run, delta=1e-6).middle.startswith("0.5")
    assert hs.verify(run, delta=9e-7).upper == math.inf


def test_a_wrong_interval_is_seen():
    run = hs.Gaussian(noise_multiplier=1.0)
    lower, upper = run.epsilon_bounds(1e-5)
    beside = hs.Bounds(upper * (1 + 1e-9), upper * (1 + 2e-9))
    result = hs.verify(run, delta=1e-5, fast=beside)
    assert result.enclosed is False
    assert "MISSES" in repr(result)
    assert hs.verify(run, delta=1e-5, fast=hs.Bounds(lower, upper)).enclosed is True


def test_what_is_not_known_is_said():
    noise = hs.AdditiveNoise(
        log_density=lambda x: -abs(x) - math.log(2), distribution=lambda x: (x <= 0) * _half(x)
    )
    result = hs.verify(noise, epsilon=0.5)
    assert isinstance(result, Verified)
    assert not result.known
    assert "functions" in result.reason
    assert (result.lower, result.upper, result.enclosed) == (0.0, 1.0, None)


def _half(x):
    import numpy as np  # noqa: PLC0415

    return np.exp(np.minimum(x, 0.0)) / 2


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "question",
    [{"false_positive_rate": 0.01}, {"prior": 0.2}, {"order": 3.0}, {"order": 1.0}],
    ids=str,
)
@pytest.mark.parametrize("k", [0, 2, 7, 10, 15, 18])
def test_other_questions_agree_with_the_fast_accountant(k, question):
    run, adjacency, _ = RUNS[k]
    result = hs.verify(run, adjacency=adjacency, digits=12, **question)
    assert result.known
    assert result.digits >= 12
    assert result.enclosed is not False


def test_a_ledger_is_verified_under_its_neighbours():
    run = 10 * hs.DiscreteGaussian(sigma=5.0)
    ledger = hs.Accountant(adjacency="replace-one").compose(run)
    result, same = (
        hs.verify(ledger, delta=1e-6),
        hs.verify(run, delta=1e-6, adjacency="replace-one"),
    )
    assert (result.middle, result.enclosed) == (same.middle, True)
    assert float(result.middle) > 2 * float(hs.verify(run, delta=1e-6).middle)
    with pytest.raises(ValueError, match="^adjacency must be that of the accountant, replace-one"):
        hs.verify(ledger, delta=1e-6, adjacency="add-one")
