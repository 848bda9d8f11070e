# SPDX-License-Identifier: Apache-2.0
"""What is rho-zCDP: the curve above in balls, two outcomes that attain it, and others below."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core
from hockeystick.baselines import zcdp_delta, zcdp_epsilon
from hockeystick.mechanisms._enclosed import Accuracy

pytestmark = pytest.mark.bits(400)

REMOVE = hs.Direction.REMOVE
RHOS = (1e-12, 1e-4, 0.03, 0.5, 2.56, 40.0)


def formula(rho, epsilon, t):
    """The bound on delta by the order 1 + t."""
    a, b, c, d = terms(rho, epsilon, t)
    return (a - b - c - d).exp()


def terms(rho, epsilon, t):
    """Of its exponent."""
    rho, epsilon, t = arb(rho), arb(epsilon), arb(t)
    return rho * t * (1 + t), t * epsilon, (1 + t) * (1 + 1 / t).log(), t.log()


def best_t(rho, epsilon):
    low, high = -40.0, 45.0
    for _ in range(80):
        t = math.exp(middle := (low + high) / 2)
        late = rho * (2 * t + 1) - math.log1p(1 / t) >= epsilon
        low, high = (low, middle) if late else (middle, high)
    return math.exp(high)


@pytest.mark.parametrize("rho", RHOS)
def test_the_curve_above_is_the_best_order_s(rho):
    pair = hs.ZCDP(rho).pair_above(REMOVE, Accuracy(2000, 1e-60))
    deviation = math.sqrt(2 * rho)
    for far in (0.5, 3.0, 5.5, 9.0, 14.0):
        epsilon = rho + far * deviation
        truth = float(formula(rho, epsilon, best_t(rho, epsilon)))
        found = pair.delta_above([epsilon])[0]
        if far > 3:  # nearer, Pinsker's inequality and the hull may lie below
            assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-4)
        else:
            assert found <= truth * (1 + 1e-4)
    variation = math.sqrt(min(rho / 2, -math.expm1(-rho)))
    found = pair.delta_above([0.0])[0]
    assert found <= variation * (1 + 1e-13) + 1e-14
    if rho < 0.1:  # above, the hull of the others lies below
        assert found >= variation


def excess(p, q, s):
    """log E_P e^(s L) of two outcomes."""
    outcomes = ((p, q), (1 - p, 1 - q))
    return sum(((1 + s) * a.log() - s * b.log()).exp() for a, b in outcomes).log()


@pytest.mark.parametrize("rho", [1e-9, 1e-3, 0.07, 0.5, 2.56, 30.0, 300.0])
def test_two_outcomes_are_concentrated(rho):
    """At orders near and far from the one where they are largest, in both directions."""
    accepted = 0
    for power in np.geomspace(6, 690, 30).tolist():
        t = 2 * power / rho / (1 + math.sqrt(1 + 4 * power / rho))  # rho t (t + 1) = power
        try:
            pair = _core.dominating_pair("zero_concentrated_below", (rho, t))
        except ValueError:
            continue
        accepted += 1
        epsilon = rho * (2 * t + 1)
        p = arb(pair.integrate(np.array([epsilon / 2])).upper_tail_p)
        q = p * (-arb(epsilon)).exp()
        for near in (-0.9, -0.5, -0.1, -1e-2, -1e-4, 0, 1e-4, 0.01, 1, 9):
            for s in (abs(near) or 2.0, t * (1 + near)):
                allowed = rho * arb(s) * (arb(s) + 1)
                assert excess(p, q, arb(s)) <= allowed, (t, s)
                assert excess(q, p, arb(s)) <= allowed, (t, s)
    assert accepted > 4


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-10, 1e-30])
def test_small_deltas_are_known_from_both_sides(rho, delta):
    bounds = hs.ZCDP(rho).epsilon_bounds(delta)
    formula = zcdp_epsilon(rho=rho, delta=delta)
    assert bounds.lower <= formula * (1 + 1e-9)
    assert formula * (1 - 1e-12) <= bounds.upper <= formula * (1 + 1e-3)
    gaussian = hs.Gaussian(noise_multiplier=1 / math.sqrt(2 * rho)).epsilon_bounds(delta)
    assert gaussian.lower <= bounds.upper
    if math.sqrt(2 * rho) > delta and delta < 1e-4 and rho > 1e-3:
        assert bounds.limited_by == ""
        assert gaussian.upper < bounds.lower


@pytest.mark.parametrize("rho", [1e-3, 0.07, 0.5, 2.56, 30.0])
def test_lower_bounds_do_not_jump(rho):
    """Below the epsilons where two outcomes do their worst, those of the next known order serve."""
    far = hs.ZCDP(rho).epsilon(1e-7)
    points = np.linspace(0, far, 100)
    bounds = hs.ZCDP(rho).delta_bounds(points)
    for one, other in pairwise(bounds.lower):
        assert one >= other * (1 - 1e-3)
    first = next(k for k, low in enumerate(bounds.lower) if low > 0.9 * bounds.upper[k])
    assert bounds.lower[first - 1] > 0.7 * bounds.upper[first - 1]
    deltas = bounds.upper[first - 1 : first + 2]
    back = hs.ZCDP(rho).epsilon_bounds(deltas)
    for near, low, high in zip(points[first - 1 : first + 2], back.lower, back.upper, strict=True):
        assert 0.8 * near <= low <= high
        assert high >= near * (1 - 1e-3)


def random_pair(rng):
    count = rng.randint(2, 4)
    p = [rng.uniform(0.05, 1) for _ in range(count)]
    q = [x * math.exp(rng.gauss(0, rng.choice([0.1, 1.0]))) for x in p]
    return hs.DiscretePair(p=[x / sum(p) for x in p], q=[x / sum(q) for x in q])


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_concentrated_lies_below(seed):
    """Runs of any mechanism cost at most what their rho says, also composed and beside others."""
    rng = random.Random(seed)
    pair = random_pair(rng)
    known = hs.ZCDP(pair.zcdp())
    beside = rng.randint(0, 3) * hs.Gaussian(noise_multiplier=2.0)
    for count in (1, 20):
        run, bound = count * pair + beside, count * known + beside
        for epsilon in (0.0, 0.1, 1.0, 4.0):
            assert bound.delta(epsilon) >= run.delta_bounds(epsilon).lower * (1 - 1e-12)
        assert bound.zcdp() >= run.zcdp_bounds().lower * (1 - 1e-12)
        order = rng.uniform(1, 30)
        least = run.renyi_divergence_bounds(order).lower
        assert bound.renyi_divergence(order) >= least * (1 - 1e-12)


def test_several_are_one_with_their_sum():
    run = 100 * hs.ZCDP(0.025) + hs.ZCDP(0.06)
    whole = hs.ZCDP(2.56)
    assert run.epsilon(1e-10) == pytest.approx(whole.epsilon(1e-10), rel=1e-12)
    bounds = run.epsilon_bounds(1e-10)
    gaussian = hs.Gaussian(noise_multiplier=1 / math.sqrt(2 * 2.56)).epsilon_bounds(1e-10)
    assert bounds.limited_by == "theory"
    assert bounds.lower == pytest.approx(gaussian.lower, rel=1e-3)
    assert run.zcdp() == pytest.approx(2.56, rel=1e-13)
    for adjacency in hs.Adjacency:
        assert run.epsilon(1e-10, adjacency=adjacency) == run.epsilon(1e-10)


@pytest.mark.parametrize("run", [2 * hs.ZCDP(1.28), hs.ZCDP(1.6) + hs.ZCDP(0.96)], ids=repr)
def test_a_few_that_do_their_worst_together_cost_as_much_as_one(run):
    for delta in (1e-10, 1e-20):
        bounds = run.epsilon_bounds(delta)
        assert bounds.lower == pytest.approx(zcdp_epsilon(2.56, delta=delta), rel=1e-3)
        assert bounds.limited_by == ""
    more = (run + hs.ZCDP(0.01)).epsilon_bounds(1e-10)  # whose worst is that of a Gaussian here
    assert more.lower > 17.15
    delta = run.delta_bounds(20.0)
    assert delta.lower == pytest.approx(zcdp_delta(rho=2.56, epsilon=20.0), rel=5e-3)


def test_mu_of_rates_is_enclosed_where_all_is_told():
    """Of Gaussians alone the core tells the mu of all rates, which may be more."""
    bounds = (1000 * hs.ZCDP(0.17)).gdp_mu_bounds(smallest_rate=1e-3)
    assert bounds.lower <= 2 * 3.090232306167813 <= bounds.upper * (1 + 1e-12)
    assert bounds.upper == pytest.approx(bounds.lower, rel=1e-6)
    few = hs.ZCDP(0.5).gdp_mu_bounds(smallest_rate=1e-3)
    assert 0.99 < few.lower < few.upper < 2.5


def test_no_rho_costs_nothing():
    assert hs.ZCDP(0) + hs.ZCDP(0.0) == hs.Composition()


@pytest.mark.parametrize("rho", [400.0, 500.0, 1000.0, 7e3, 9e4])
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-30])
def test_large_rho_costs_what_its_formula_says(rho, delta):
    """Beyond the 644 nats that alpha = e^epsilon tells in doubles, alone and beside others."""
    least = hs.Gaussian(noise_multiplier=1 / math.sqrt(2 * rho)).epsilon_bounds(delta).lower
    bounds = hs.ZCDP(rho).epsilon_bounds(delta)
    assert least * (1 - 1e-3) <= bounds.lower
    assert bounds.upper <= zcdp_epsilon(rho=rho, delta=delta)
    beside = (hs.ZCDP(rho - 1.0) + hs.Laplace(noise_multiplier=1.0)).epsilon_bounds(delta)
    assert beside.upper <= zcdp_epsilon(rho=rho, delta=delta) * (1 + 1e-3) + 1


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.4, 3.0, 70.0, 600.0, 8e4])
def test_it_never_costs_more_than_the_formula(rho):
    """Of one epsilon, and of several at once; of runs whose rho is the same."""
    deviation = math.sqrt(2 * rho)
    epsilons = [min(rho + far * deviation, 1e4) for far in (0.5, 2.0, 5.0, 12.0, 30.0, 37.0)]
    for run in (hs.ZCDP(rho), 7 * hs.ZCDP(rho / 7)):
        known = zcdp_delta(rho=rho * (1 + 1e-15), epsilon=np.array(epsilons))
        assert (run.delta(np.array(epsilons)) <= known + 2e-300).all()
        for epsilon, most in zip(epsilons, known, strict=True):
            assert run.delta_bounds(epsilon).upper <= most + 2e-300
        deltas = [0.3, 1e-2, 1e-6, 1e-15, 1e-200]
        for delta in deltas:
            assert run.epsilon_bounds(delta).upper <= zcdp_epsilon(rho * (1 + 1e-15), delta)


def test_budgets_beyond_600_nats_are_used_up():
    assert hs.calibrate(
        lambda count: count * hs.ZCDP(2.56), epsilon=1000.0, delta=1e-10, integer=True
    ) == max(n for n in range(280, 300) if zcdp_epsilon(n * 2.56, 1e-10) <= 1000)
    accountant = hs.Accountant()
    for _ in range(10):
        accountant.admit(hs.ZCDP(100.0), epsilon=1300.0, delta=1e-9)
    assert accountant.composition == 10 * hs.ZCDP(100.0)


def test_a_delta_that_is_next_to_nothing_is_said_by_the_formula():
    for rho, epsilon in ((1e-6, 1.0), (1e-20, 0.1), (600.0, 2000.0)):
        assert hs.ZCDP(rho).delta_bounds(epsilon, memory_limit=1).upper <= 1e-300


def test_points_end_where_the_curve_is_next_to_nothing():
    """Values are at least 1e-300, so that an end at 1e-300 was never met."""
    pair = hs.ZCDP(1e-6).pair_above(REMOVE, Accuracy(12, 1e-300))
    assert pair.delta_above([1.0])[0] < 3e-300  # points end before; none lie at 600 nats
    assert pair.delta_above([1.0])[0] == pair.delta_above([599.0])[0]


U = 2.0**-53


@pytest.mark.parametrize("rho", [1e-9, 1e-3, 0.4, 3.0, 70.0, 8e4])
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-100])
def test_the_bound_of_epsilon_is_the_formula_rounded_up(rho, delta):
    """By 8 u of its four terms."""
    upper = hs.ZCDP(rho).epsilon_bounds(delta).upper
    t = best_t(rho, upper)
    r, t = arb(rho), arb(t)
    parts = r * (1 + t), -(1 + 1 / t).log(), -arb(delta).log() / t, -(1 + t).log() / t
    booked = 8 * U * sum(map(abs, parts))
    if upper > 0:  # else it is by the total variation
        assert 0.75 * booked < upper - sum(parts) < 1.25 * booked


@pytest.mark.parametrize("rho", [1e-9, 1e-3, 0.4, 30.0, 600.0])
@pytest.mark.parametrize("deviations", [5.0, 12.0, 20.0, 36.0])
def test_the_bound_of_delta_is_the_formula_rounded_up(rho, deviations):
    """By 16 u of the four terms of the exponent, and 8 u."""
    epsilon = rho + deviations * math.sqrt(2 * rho)
    upper = hs.ZCDP(rho).delta_bounds(epsilon, smallest=0).upper
    t = best_t(rho, epsilon)
    booked = (16 * sum(map(abs, terms(rho, epsilon, t))) + 8) * U
    found = (arb(upper) - arb("1e-300")) / formula(rho, epsilon, t) - 1
    assert 0.85 * booked < found < 1.15 * booked


@pytest.mark.parametrize("rho", [1e-9, 0.03, 1.0])
def test_the_total_variation_is_rounded_up(rho):
    """By 16 u."""
    least = (arb(rho) / 2).sqrt()
    assert 13 * U < arb(hs.ZCDP(rho).delta_bounds(0.0).upper) / least - 1 < 20 * U


@pytest.mark.parametrize(("rho", "t"), [(2.0, 3.0), (0.5, 7.0)])
def test_stated_errors_of_two_outcomes_are_those_of_the_page(rho, t):
    """8 u of masses and 6 u of sums; 8 u of the loss and both logarithms of what is left."""
    masses, losses = _core.dominating_pair("zero_concentrated_below", [rho, t]).law_errors()
    assert masses == 14 * U
    p, loss = math.exp(-rho * t * t), rho * (2 * t + 1)
    size = loss - math.log1p(-p) - math.log1p(-p * math.exp(-loss))
    assert losses == pytest.approx(8 * U * size, rel=1e-6, abs=0)
