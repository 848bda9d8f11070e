# SPDX-License-Identifier: Apache-2.0
"""Steps of which a record joins exactly k, drawn at random."""

import math

import numpy as np
import pytest
from flint import arb, ctx
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import norm

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core
from mechanisms.test_allocation_curve import put_of_two

WAYS = ("remove-one", "add-one")


def step(noise):
    return hs.Gaussian(noise_multiplier=noise)


def below(noise, steps, selected, way, cells=60):
    back = "_back" if way == "add-one" else ""
    name = f"selected_steps_below{back}"
    return _core.dominating_pair(name, (noise, steps, selected, 1, cells, 1e-12))


@pytest.mark.parametrize("way", WAYS)
def test_one_of_two_steps_is_below_the_integral_and_near_it(way):
    pair = below(2.0, 2, 1, way)
    for epsilon in (0.0, 0.5, 1.5):
        found = _core.delta_bounds(
            [[(pair, 1)]], np.array([epsilon]), tolerance=1e-6, memory_limit=2**28
        ).table()
        with ctx.workprec(120):
            alpha, mu = arb(epsilon).exp(), arb(1) / 2
            if way == "remove-one":
                truth = put_of_two(mu, 2 * alpha) + 1 - alpha
            else:
                truth = alpha * put_of_two(mu, 2 / alpha)
            assert truth.overlaps(arb(found[0, 0])) or arb(found[0, 0]) < truth
            assert arb(found[1, 0]) > 0.99 * truth


@pytest.mark.parametrize(("noise", "steps"), [(2.0, 2), (1.0, 100), (4.0, 10**4)])
@pytest.mark.parametrize("way", WAYS)
def test_the_sum_tells_all_of_one_step(noise, steps, way):
    """The likelihood ratio of a random allocation is a function of the sum."""
    epoch = step(noise).random_allocation(steps=steps)
    epsilon = epoch.epsilon_bounds(1e-5, adjacency=way).upper
    run = [[(below(noise, steps, 1, way), 1)]]
    found = _core.delta_bounds(run, np.array([epsilon]), tolerance=1e-4, memory_limit=2**28).table()
    known = epoch.delta_bounds(epsilon, adjacency=way)
    assert 0.98 * known.lower <= found[1, 0] <= known.upper * (1 + 1e-9)


def test_flatter_sums_tell_more_at_little_noise():
    """The sum with m = mu alone tells of 2.27 and 4.89."""
    for steps, selected, least in ((100, 4, 2.63), (400, 20, 6.4)):
        epoch = step(1.0).random_allocation(steps=steps, selected=selected)
        bounds = epoch.epsilon_bounds(1e-6, adjacency="remove-one")
        assert least < bounds.lower < 1.1 * least
        assert bounds.upper < 1.1 * bounds.lower


def test_one_step_in_each_block_is_a_composition():
    epoch = step(2.0).random_allocation(steps=10, selected=4, per_block=True)
    sizes = [step(2.0).random_allocation(steps=size) for size in (2, 3)]
    assert epoch == 2 * sizes[0] + 2 * sizes[1]
    assert eval(repr(epoch), vars(hs)) == epoch  # noqa: S307
    bounds = (3 * epoch).epsilon_bounds(1e-5)
    assert bounds.limited_by == ""
    assert bounds.upper <= 1.001 * bounds.lower
    ledger = hs.Accountant().compose(epoch, 2)
    assert hs.Accountant.from_json(ledger.to_json()).epsilon(1e-5) == (2 * epoch).epsilon(1e-5)
    chosen = step(2.0).random_allocation(steps=10, selected=4)
    assert chosen.epsilon(1e-5) == pytest.approx(epoch.epsilon(1e-5), rel=2e-3)


def test_blocks_of_one_step_are_gaussians():
    epoch = step(2.0).random_allocation(steps=10, selected=7, epochs=2, per_block=True)
    assert epoch == 8 * step(2.0) + 3 * step(2.0).random_allocation(steps=2, epochs=2)
    every = step(2.0).random_allocation(steps=10, selected=10, epochs=3)
    assert every == 30 * step(2.0)
    assert step(2.0).random_allocation(steps=1, selected=1).epsilon(1e-5) == step(2.0).epsilon(1e-5)


def test_any_mechanism_may_run_in_blocks():
    laplace = hs.Laplace(noise_multiplier=2.0)
    epoch = laplace.random_allocation(steps=20, selected=4, per_block=True)
    assert epoch == 4 * laplace.random_allocation(steps=5)
    assert laplace.random_allocation(steps=4, selected=4) == 4 * laplace
    with pytest.raises(ValueError, match="^selected must be 1 unless mechanism is a Gaussian"):
        laplace.random_allocation(steps=20, selected=4)


@pytest.mark.parametrize(("steps", "selected"), [(10, 9), (100, 99), (3, 2)])
def test_nearly_all_steps_cost_nearly_as_much_as_all(steps, selected):
    """The sum of the outputs tells nearly all there."""
    epoch = step(3.0).random_allocation(steps=steps, selected=selected)
    bounds = epoch.epsilon_bounds(1e-6, adjacency="remove-one")
    every = (steps * step(3.0)).epsilon(1e-6)
    assert bounds.upper <= every
    assert bounds.lower >= (selected / steps) * 0.95 * every


@pytest.mark.parametrize(
    ("noise", "steps", "selected"),
    [
        pytest.param(0.2, 100, 3, marks=pytest.mark.deep),
        pytest.param(0.3, 10**6, 5, marks=pytest.mark.deep),
        (1000.0, 10**12, 10**6),
        (1.0, 10**12, 2),
        pytest.param(5.0, 10**9, 10**8, marks=pytest.mark.deep),
        (1e12, 10, 2),
        (2000.0, 10**12, 10**6),
        pytest.param(0.06, 10, 2, marks=pytest.mark.deep),
    ],
)
def test_ends_of_the_range_are_answered(noise, steps, selected):
    epoch = step(noise).random_allocation(steps=steps, selected=selected)
    for way in WAYS:
        lower, upper = epoch.epsilon_bounds(1e-6, adjacency=way)
        assert 0 <= lower <= upper


@pytest.mark.parametrize("delta", [1e-12, 1e-20, 1e-60])
def test_small_deltas_are_told_as_their_epsilons_are(delta):
    run = 3 * step(2.0).random_allocation(steps=400, selected=20)
    epsilon = run.epsilon_bounds(delta).upper
    assert run.delta_bounds(epsilon, smallest=0).upper <= 1.01 * delta
    assert (
        run.true_positive_rate_bounds(delta, smallest=0).upper
        <= math.exp(epsilon) * delta + 1.01 * delta
    )


def rates(mu, k):
    """Q(S <= k), and P(S <= k), of one of two steps, in balls: trapezoid rules, flat at both ends.

    P has the density S / 2 against Q.
    """
    count, least = 1200, arb(-13)
    step = ((arb(k).log() + mu * mu / 2) / mu - least) / count
    x_sum = y_sum = arb(0)
    for i in range(1, count):
        x = least + i * step
        y = (mu * x - mu * mu / 2).exp()
        z = ((arb(k) - y).log() + mu * mu / 2) / mu
        weight = (-x * x / 2).exp() * step / (2 * arb.pi()).sqrt()
        x_sum += weight * normal_tail(-z)
        y_sum += weight * (y * normal_tail(-z) + normal_tail(mu - z)) / 2
    return x_sum, y_sum


def place_of(mu, rate):
    """About where Q(S <= k) is this."""
    x, width = np.linspace(-13, 20, 4000, retstep=True)
    y, weight = np.exp(mu * x - mu * mu / 2), norm.pdf(x) * width

    def missing(k):
        z = (np.log(np.maximum(k - y, 1e-300)) + mu * mu / 2) / mu
        return math.log((weight * ndtr(z)).sum() / rate)

    return brentq(missing, 1e-2, 40.0)


@pytest.mark.parametrize("noise", [2.0, 1.6])
def test_corners_are_the_rates_of_the_sum(noise):
    """Above the curve of both rates, on which all corners of one step are, by next to nothing."""
    x = y = arb(0)
    corners = []
    with ctx.workprec(120):
        for loss, p in _core.sampling.atoms_of(below(noise, 2, 1, "remove-one")):
            x, y = x + arb(p) * (-arb(loss)).exp(), y + p
            corners.append((x, y))
        for i in (20, 100, 300, 600):
            x, y = corners[i]
            k = place_of(1 / noise, float(x))
            at_x, at_y = rates(1 / arb(noise), k)
            above = y - at_y - arb(k) / 2 * (x - at_x)  # by the tangent, of slope k / 2
            assert 0 < above + arb("1e-17") < 1e-11


def test_stated_errors_of_a_selection_are_those_of_the_page():
    """16 u of masses and 6 u of sums; 32 u of losses, 4 u of the largest."""
    pair = below(2.0, 100, 4, "remove-one")
    masses, losses = pair.law_errors()
    largest = max(abs(loss) for loss, _ in _core.sampling.atoms_of(pair))
    assert masses == 22 * 2.0**-53
    assert losses == pytest.approx((32 + 4 * largest) * 2.0**-53, rel=1e-6)
