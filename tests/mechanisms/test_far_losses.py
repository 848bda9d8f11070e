# SPDX-License-Identifier: Apache-2.0
"""Moments of random allocations: by multinomials, and of few steps by listing all outcomes."""

import math
from itertools import product

import numpy as np
import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core
from questions import told

pytestmark = pytest.mark.bits(300)

LIMITS = {"tolerance": 1e-6, "memory_limit": 2**30}
WAYS = {"remove-one": hs.Direction.REMOVE, "add-one": hs.Direction.ADD}


def step(sigma, way="remove-one"):
    return hs.DiscreteGaussian(sigma=sigma).dominating_pair(WAYS[way])


def listed(sigma, steps, order, way):
    """The divergence of that order, of all but less than 1e-25 of the moment."""
    most = math.ceil(12 * sigma) + 14  # orders up to 12 shift the noise by as much
    weight = {x: (-(arb(x) ** 2) / (2 * arb(sigma) ** 2)).exp() for x in range(-most, most + 2)}
    total = sum(weight.values(), arb(0))
    reach = range(-most, most + 2)
    ratio = {x: (arb(2 * x - 1) / (2 * arb(sigma) ** 2)).exp() for x in reach}
    moment = arb(0)
    for xs in product(reach, repeat=steps):
        q = arb(1)
        for x in xs:
            q *= weight[x] / total
        r = sum((ratio[x] for x in xs), arb(0)) / steps
        p = q * r
        if way == "add-one":
            p, q, r = q, p, 1 / r
        moment += p * r.log() if order == 1 else p * (r.log() * (arb(order) - 1)).exp()
    return moment if order == 1 else moment.log() / (arb(order) - 1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0])
def test_moments_of_two_steps(sigma, way):
    run = hs.DiscreteGaussian(sigma=sigma).random_allocation(steps=2)
    for order in (1, 1.5, 2, 3.25, 6):
        truth = listed(sigma, 2, order, way)
        lower, upper = run.renyi_divergence_bounds(order, adjacency=way, tolerance=3e-3)
        assert arb(lower) <= truth * (1 + arb(1e-20))
        assert truth * (1 - arb(1e-20)) <= arb(upper)
        assert upper - lower <= 3e-3 * upper


def whole_moment(sigma, steps, k):
    """log E R_t^k by the definition, over all ways to share k among the steps."""
    single = [(arb(j * (j - 1)) / (2 * arb(sigma) ** 2)).exp() / arb(j).fac() for j in range(k + 1)]
    coefficients = [arb(1)] + [arb(0)] * k
    for _ in range(steps):
        coefficients = [
            sum((coefficients[i] * single[j - i] for i in range(j + 1)), arb(0))
            for j in range(k + 1)
        ]
    return (coefficients[k] * arb(k).fac() / arb(steps) ** k).log()


@pytest.mark.every(3)
@pytest.mark.parametrize("steps", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("sigma", [0.07, 0.4, 1.0, 30.0, 1000.0])
def test_whole_moments(sigma, steps):
    gaussian = hs.Gaussian(sigma).dominating_pair(hs.Direction.REMOVE)
    pair = _core.parts.allocated_moments(gaussian, steps, back=False)
    for k in (2, 3, 4, 5, 8, 13, 32, 126):
        (found,) = _core.renyi_bounds([[(pair, 1)]], np.array([float(k)]), **LIMITS)
        truth = whole_moment(sigma, steps, k) / (k - 1)
        assert arb(found.lower) <= truth <= arb(found.upper)
        assert found.upper - found.lower <= 1e-6 * found.upper + 1e-9


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("sigma", [0.07, 0.4, 1.0])
@pytest.mark.parametrize("k", [200, 257])
def test_orders_beyond_whole_moments_are_nearly_those_of_one_step(sigma, steps, k):
    gaussian = hs.Gaussian(sigma).dominating_pair(hs.Direction.REMOVE)
    pair = _core.parts.allocated_moments(gaussian, steps, back=False)
    found = divergence(pair, float(k))
    truth = whole_moment(sigma, steps, k) / (k - 1)
    assert arb(found.lower) <= truth <= arb(found.upper)
    assert found.upper - found.lower <= 1e-9 * found.upper  # all others are nothing beside it
    between = divergence(pair, k + 0.5)
    assert found.lower < between.lower <= between.upper <= divergence(pair, k + 1.0).upper


def far_bound(sigma, steps, order, of_mean):
    """By how many ratios of a product are not of one step, and the most that all others are."""

    def of_step(k):
        return arb(k * (k - 1)) / (2 * arb(sigma) ** 2)

    last = min(len(of_mean), order // 2) - 1
    total = (of_step(order - last - 1) + of_step(last + 1)).exp()
    choices = arb(1)
    for j in range(last + 1):
        moment = (of_step(order - j) + of_mean[j]).exp()
        total += choices * moment * arb(steps) ** (j + 1 - order)
        choices *= arb(order - j) / (j + 1)
    return total.log().min(of_step(order))


@pytest.mark.parametrize("sigma", [1.0, 3.0, 5.0])
@pytest.mark.parametrize("steps", [2, 50, 10**4])
def test_far_orders_in_balls(sigma, steps):
    gaussian = hs.Gaussian(sigma).dominating_pair(hs.Direction.REMOVE)
    pair = _core.parts.allocated_moments(gaussian, steps, back=False)
    of_one = [2 * (j * (j - 1) / (2 * sigma**2),) for j in range(129)]
    known = _core.sampling.log_moments_of_mean(of_one, steps)
    of_mean = [arb(0), arb(0)] + [arb(upper) for _, upper in known[2:]]
    while len(of_mean) < 2 * math.log(steps) * sigma**2:
        of_mean.append(far_bound(sigma, steps, len(of_mean), of_mean))
    for order in (129, 150, 151, 300, 1000):
        bound = far_bound(sigma, steps, order, of_mean)
        found = arb(pair.log_moment_bounds(order - 1.0)[1])
        assert abs(found / bound - 1) < arb("1e-11")


def divergence(pair, order):
    (found,) = _core.renyi_bounds([[(pair, 1)]], np.array([order]), **LIMITS)
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sigma", [0.6, 1.0])
def test_between_whole_moments_and_of_the_reverse(sigma, way):
    pair = _core.parts.allocated_moments(step(sigma, way), 2, back=way == "add-one")
    for order in (1.01, 1.5, 2.5, 3.25, 4.75):
        truth, found = listed(sigma, 2, order, way), divergence(pair, order)
        assert arb(found.lower) <= truth * (1 + arb(1e-20))
        assert truth * (1 - arb(1e-20)) <= arb(found.upper)
        assert math.isfinite(found.upper)


@pytest.mark.every(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("tail", [0.9, 0.3, 1e-2, 1e-6])
@pytest.mark.parametrize("sigma", [0.6, 1.0])
def test_what_a_curve_leaves_out_is_counted(sigma, tail, way):
    of_step, back = step(sigma, way), way == "add-one"
    above = _core.parts.allocated_pair(of_step, 2, 40, tail, above=True, back=back)
    assert divergence(above, 2.0).upper == math.inf
    far = _core.parts.with_far_losses(above, of_step, 2, back=back)
    for order in (1.0, 1.5, 2.0, 3.25, 6.0, 12.0):
        truth, found = listed(sigma, 2, order, way), divergence(far, order)
        assert truth * (1 - arb(1e-20)) <= arb(found.upper)
        assert math.isfinite(found.upper)


@pytest.mark.every(3)
@pytest.mark.parametrize("steps", [2, 10, 1000])
@pytest.mark.parametrize("sigma", [0.5, 1.0, 10.0])
def test_slopes_of_all_orders(sigma, steps):
    run = hs.Gaussian(sigma).random_allocation(steps=steps)
    removed = run.zcdp_bounds(adjacency="remove-one")
    assert removed.lower <= 1 / (2 * sigma**2) <= removed.upper  # of large orders
    added = told(run.zcdp_bounds, adjacency="add-one")
    assert added.upper < removed.upper
    for order in (1, 1.5, 4, 16, 100.0, 1000.0):
        found = told(run.renyi_divergence_bounds, order, adjacency="add-one")
        assert found.lower / order <= added.upper
        assert found.upper / order >= 1 / (2 * sigma**2 * steps)  # to which it falls


@pytest.mark.parametrize(
    ("sigma", "steps", "scale"),
    [(0.67, 2, 1.76), (0.87, 11, 6.9), (1.3, 4, 1.08), (2.33, 516, 4.46), (4.0, 4000, 8.4)],
)
@pytest.mark.parametrize("adjacency", ["add-one", "remove-one", "replace-special"])
def test_zcdp_of_allocations_beside_others(sigma, steps, scale, adjacency):
    """The largest slope of the divergences, at a finite order or far out."""
    run = hs.Gaussian(sigma).random_allocation(steps=steps) + 3 * hs.Laplace(scale)
    lower, upper = run.zcdp_bounds(adjacency=adjacency)
    assert 0 < upper - lower <= 1e-3 * upper
    slopes = [0.0 if adjacency == "add-one" else 1 / (2 * sigma**2)]  # of large orders
    for order in (1.01, 2, 4, 8, 1000)[: 4 if adjacency == "add-one" else 5]:
        found = told(run.renyi_divergence_bounds, order, adjacency=adjacency)
        assert found.lower / order <= upper
        slopes.append(found.upper / order)
    assert lower <= 1.02 * max(slopes)


@pytest.mark.parametrize("direction", WAYS.values())
def test_mass_at_infinity(direction):
    inner = hs.ApproximateDP(epsilon=1.0, delta=0.125).dominating_pair(direction)
    for back in (False, True):
        pair = _core.parts.allocated_moments(inner, 3, back=back)
        (found,) = _core.power_bounds([[(pair, 1)]], np.array([0.0]), reverses=[], **LIMITS)
        assert found.lower <= (0.125**3 if back else 0.125) <= found.upper
        assert found.upper <= 0.125 * (1 + 1e-12)


SHUFFLES = [
    hs.Gaussian(5.0).shuffled(batches=20),
    hs.Gaussian(4.0).shuffled(batches=1000, left_out=1),
    hs.Gaussian(2.0).shuffled(batches=100, left_out=1),
    hs.Gaussian(2.0).shuffled(batches=7, epochs=2),
    hs.Gaussian(0.7).shuffled(batches=30, left_out=3, batch_size=5),
]


@pytest.mark.parametrize("way", ["replace-special", "replace-one"])
@pytest.mark.parametrize("epoch", SHUFFLES, ids=repr)
def test_shuffled_epochs(epoch, way):
    """Between what is attained, where others add nothing, and what the record's own step tells."""
    attained = hs.Gaussian(epoch.mechanism.noise_multiplier).random_allocation(
        steps=epoch.batches, epochs=1
    )
    for order in (1.0, 1.5, 4.0, 20.0):
        lower, upper = epoch.renyi_divergence_bounds(order, adjacency=way)
        assert 0 < lower <= upper
        own = (epoch.epochs * epoch.mechanism).renyi_divergence_bounds(order, adjacency=way)
        assert upper <= own.upper * (1 + 1e-9)
        if not epoch.left_out and epoch.epochs == 1:
            assert attained.renyi_divergence_bounds(order).lower <= upper


def test_shuffling_hides_at_moderate_orders():
    epoch = hs.Gaussian(4.0).shuffled(batches=1000, left_out=1)
    lower, upper = epoch.renyi_divergence_bounds(4.0, adjacency="replace-special")
    assert upper < 1.5 * lower < 0.003 * hs.Gaussian(4.0).renyi_divergence(4.0)
    whole = (3 * epoch).renyi_divergence(4.0, adjacency="replace-special")
    assert whole == pytest.approx(3 * upper, rel=1e-3)


def test_refusals():
    gaussian = hs.Gaussian(1.0).dominating_pair(hs.Direction.REMOVE)
    for steps in (0.0, math.nan, 1.5, 1e13):
        with pytest.raises(ValueError, match="steps"):
            _core.parts.allocated_moments(gaussian, steps, back=False)
        with pytest.raises(ValueError, match="steps"):
            _core.parts.with_far_losses(gaussian, gaussian, steps, back=False)


U = 2.0**-53


@pytest.mark.parametrize("steps", [7, 100, 1000])
@pytest.mark.parametrize("k", [3, 8, 40])
def test_whole_moments_are_raised_by_the_rounding_of_their_products(steps, k):
    """At noise so large that next to nothing else is raised: k log t is the largest logarithm."""
    of_one = [2 * (j * (j - 1) / 2e10,) for j in range(k + 1)]
    _, upper = _core.sampling.log_moments_of_mean(of_one, steps)[k]
    factorial = arb(k).fac().log()
    size = (k * arb(steps).log()).max(factorial)
    doublings = (arb(steps).log() / arb(2).log()) + 2
    booked = 2 * k * U * (doublings * (8 * size + k + 40) + 2 * k * (factorial + 1))
    found = arb(upper) - whole_moment(1e5, steps, k)
    assert 0.9 * booked < found < 1.1 * booked


def chords(whole, part):
    """From below and above at a part of the way from a whole order to the next."""
    before, left, right, after = whole
    lower = max(
        left[0] + part * (left[0] - before[1]), right[0] - (1 - part) * (after[1] - right[0])
    )
    return lower, (1 - part) * left[1] + part * right[1]


@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.0])
@pytest.mark.parametrize("part", [0.25, 0.5, 0.9])
def test_between_whole_orders_moments_are_those_of_chords(sigma, part):
    pair = _core.parts.allocated_moments(step(sigma), 9, back=False)
    for k in (2, 3, 7, 20):
        t = k - 1 + part
        found = pair.log_moment_bounds(t)
        lower, upper = chords([pair.log_moment_bounds(j - 1.0) for j in range(k - 1, k + 3)], part)
        alone = step(sigma).log_moment_bounds(t)[0] - t * math.log(9)
        assert found == pytest.approx((max(lower, alone), upper), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("steps", [2, 9, 1000])
def test_the_reverse_is_bounded_by_the_geometric_mean(steps):
    """Moments at s are t times those of the step at s / t, and slopes alike."""
    sigma = 0.35  # so little noise that the transform is not asked
    gaussian = hs.Gaussian(sigma).dominating_pair(hs.Direction.ADD)
    pair = _core.parts.allocated_moments(gaussian, steps, back=True)
    for s in (0.5, 3.0, 40.0):
        at = arb(s) / steps
        formula = steps * at * (at + 1) / (2 * arb(sigma) ** 2)
        assert abs(arb(pair.log_moment_bounds(s)[1]) / formula - 1) < 2e-12
    for order in (1.5, 4.0, 100.0):
        formula = (arb(1) / steps + (1 - arb(1) / steps) / order) / (2 * arb(sigma) ** 2)
        assert abs(arb(pair.renyi_slope_bound(order)) / formula - 1) < 1e-12


def unlisted(above, t, log_beyond):
    """The tangent's slope at the last loss for what the curve has at +inf, and what lies beyond."""
    top = _core.sampling.atoms_of(above)[-1][0]
    logs = [arb(0)]
    for k in range(12):
        d = 0.25**k
        cells = above.integrate([top - d])
        if d > 1e-7 and cells.loss_error < 1e-4 * d:
            mass = arb(cells.upper_tail_above) + cells.infinity_mass
            logs.append((arb("1.01") * mass / (1 - (-arb(d)).exp())).log())
    known = arb(above.infinity_mass[1]) * (1 + t) * (arb(t) * top).exp()
    return known + log_beyond(min(logs, key=float)).exp()


@pytest.mark.parametrize("tail", [0.3, 1e-2, 1e-6])
@pytest.mark.parametrize("t", [0.5, 2.0, 11.0])
def test_far_losses_are_bounded_by_hoelders_inequality(tail, t):
    of_step = step(0.6)
    above = _core.parts.allocated_pair(of_step, 2, 40, tail, above=True, back=False)
    moments = _core.parts.allocated_moments(of_step, 2, back=False)
    far = _core.parts.with_far_losses(above, of_step, 2, back=False)

    def least(log_far):
        shares = [0.8**k for k in range(73)]
        terms = [x * arb(moments.log_moment_bounds(t / x)[1]) + (1 - x) * log_far for x in shares]
        return min(terms, key=float)

    assert abs(arb(far.unlisted_moment_bound(t)) / unlisted(above, t, least) - 1) < 1e-6


@pytest.mark.parametrize("t", [0.5, 2.0, 11.0])
def test_far_losses_are_bounded_by_the_largest_loss_of_a_step(t):
    of_step = _core.dominating_pair("approximate_dp", [3.0, 0.0])
    above = _core.dominating_pair("shuffled_local_above", [3.0, 1000, 0.0, 2.0, 8.0, 1e-6])
    far = _core.parts.with_far_losses(above, of_step, 1, back=False)
    formula = unlisted(above, t, lambda log_far: arb(3) * t + log_far)
    assert abs(arb(far.unlisted_moment_bound(t)) / formula - 1) < 1e-6
