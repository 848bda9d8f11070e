# SPDX-License-Identifier: Apache-2.0
"""The theorems of shuffled epochs, evaluated a second time."""

import math

import numpy as np
import pytest
from flint import arb

import hockeystick as hs
from hockeystick.verify.shuffles import ALLOWED, FINE, Bound, Epoch, epoch_of
from hockeystick.verify.work import bounded


def epoch(noise, others, *, left_out=False, replaces=False, small=0.0, less=0.0):
    return Epoch(1 / arb(noise), others, replaces, left_out, arb(small), arb(less))


def normals(mu, number):
    """e^(mu g - mu^2 / 2) on a grid of g, and weights of the trapezoid rule."""
    g = np.linspace(-9, 9, number)
    weight = np.exp(-g * g / 2) * (g[1] - g[0]) / math.sqrt(2 * math.pi)
    return np.exp(mu * g - mu * mu / 2), np.exp(-mu * g - mu * mu / 2), weight


def terms(mu, alpha, number, *, back, replaces=False):
    """Values of a term of one batch and their weights: g from above, and its mirror from below."""
    y, z, weight = normals(mu, number)
    k = math.exp(-mu * mu)
    gains = y - alpha if back or replaces else k * y * y - alpha * y
    losses = alpha * k * z * z - z if back and not replaces else alpha * z - 1
    return np.maximum(gains, 0) - np.maximum(losses, 0), weight


@pytest.mark.every(3)
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize(("noise", "epsilon"), [(1.0, 1.0), (2.0, 0.3), (4.0, 0.5)])
def test_two_batches_are_a_quadrature(noise, epsilon, replaces, back):
    """Of a term and of the last batch's output."""
    alpha, nu = math.exp(epsilon), 1 / noise
    c, weight = terms(2 * nu if replaces else nu, alpha, 4001, back=back, replaces=replaces)
    p, q, of_g = normals(nu, 151)
    gain = p if replaces or not back else np.ones_like(p)
    loss = q if replaces or back else np.ones_like(q)
    truth = 0.0
    for k in range(len(p)):
        moved = np.where(c > 0, p[k] * c, q[k] * c) + gain[k] - alpha * loss[k]
        truth += of_g[k] * (weight * np.maximum(moved, 0)).sum() / 2
    bound = Bound(epoch(noise, 1, replaces=replaces), FINE, truth * 1e-4)
    assert truth * (1 - 1e-4) <= bound.at(alpha, back=back) <= truth * 1.2


@pytest.mark.parametrize("back", [False, True])
def test_two_batches_and_a_record_left_out_are_a_quadrature(back):
    noise, alpha, less = 2.0, math.exp(0.4), 0.25
    c, weight = terms(1 / noise, alpha, 1001, back=back)
    over = np.maximum(c[:, None] + c[None, :] - less * (alpha - 1), 0)
    truth = float(weight @ over @ weight) / (2 + less)
    bound = Bound(epoch(noise, 2, left_out=True, less=less), FINE, truth * 1e-4)
    assert truth * (1 - 1e-3) <= bound.at(alpha, back=back) <= truth * 1.01


@pytest.mark.parametrize(("small", "others"), [(1e-9, 1), (1 - 1e-9, 2)])
def test_a_smaller_batch_goes_from_none_to_a_whole_one(small, others):
    def at(shape):
        return Bound(shape, FINE, 1e-8).at(math.exp(0.5), back=False)

    assert at(epoch(2.0, 1, small=small)) == pytest.approx(at(epoch(2.0, others)), rel=0.01)


def test_epochs_are_read_from_the_mechanism():
    step = hs.Gaussian(2.0)
    out = epoch_of(step.shuffled(batches=5, left_out=3, batch_size=12))
    assert (out.others, out.left_out, out.less) == (5, True, arb(0.25))
    last = epoch_of(step.shuffled(batches=5, batch_size=12, last_batch=3, epochs=4))
    assert (last.others, last.small, last.nu) == (3, arb(0.25), arb(1))
    assert epoch_of(step.shuffled(batches=1)) is None


@pytest.mark.parametrize(
    ("noise", "batches", "question"),
    [
        pytest.param(
            *(0.5623114998134695, 2, {"false_positive_rate": 5.852260064217326e-12}),
            marks=pytest.mark.deep,
        ),
        (0.7, 7, {"delta": 1e-3}),
        (0.7, 2000, {"delta": 1e-6}),
    ],
)
def test_a_bound_that_says_nothing_is_no_error(noise, batches, question):
    """Of little noise, whose rough bound is far above 1, or beyond doubles."""
    epoch = hs.Gaussian(noise).shuffled(batches=batches)
    result = hs.verify(epoch, fast=False, adjacency="replace-one", digits=8, **question)
    assert 0 < result.lower <= result.upper < float("inf")


def test_work_on_the_theorem_leaves_some_for_what_is_attained():
    """A rate for which the theorem is asked at many losses."""
    epoch = hs.Gaussian(26.006191891988244).shuffled(batches=33, epochs=6)
    how = {"false_positive_rate": 1e-24, "adjacency": "replace-special", "digits": 8}
    with bounded(10 * ALLOWED) as left:
        result = hs.verify(epoch, fast=False, **how)
    assert result.lower >= 1e-24
    assert left[0] > 5 * ALLOWED


def test_an_answer_below_what_is_attained_is_missed():
    run = hs.Gaussian(2.0).shuffled(batches=3, left_out=1)
    wrong = hs.Bounds(0.0, 0.5)
    result = hs.verify(run, delta=1e-3, adjacency="replace-special", digits=8, fast=wrong)
    assert result.enclosed is False


@pytest.mark.every(5)
@pytest.mark.parametrize("last_batch", [1, 3, 9])
def test_one_whole_batch_and_a_smaller_one(last_batch):
    """No batch but the pivot is whole then."""
    epoch = hs.Gaussian(2.0).shuffled(batches=2, batch_size=10, last_batch=last_batch)
    found = hs.verify(epoch, delta=1e-5, adjacency="replace-special")
    fast = epoch.epsilon_bounds(1e-5, adjacency="replace-special")
    assert fast.lower <= found.upper
    assert found.lower <= fast.upper
    assert found.upper < 2.0
