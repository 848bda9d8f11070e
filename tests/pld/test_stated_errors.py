# SPDX-License-Identifier: Apache-2.0
"""What queries state to be off by, against balls over the doubles that they are asked of."""

import random

import numpy as np
import pytest
from flint import arb, arb_poly, ctx

from hockeystick import _core
from pld import stored
from pld.stored import SIDES, U

parts = _core.parts


def one_point(rng, side):
    """A single point, exponents of up to 1e6 nats; its exact loss and untilted mass."""
    interval, offset, k = stored.place(rng)
    loss = offset + interval * k
    tilt = stored.coarse(rng) * 2.0 ** rng.randint(-2, 20) / (abs(loss) + abs(offset))
    scale = (tilt * loss + rng.uniform(-5, 5), rng.uniform(-1, 1) * 1e-13)
    mass = stored.spread(rng, 250)
    at = {"interval": interval, "offset": offset, "first": k, "tilt": tilt, "log_scale": scale}
    pmf = parts.loss_pmf(mass=[mass], side=side, **at)
    exact = arb(offset) + arb(interval) * k
    return pmf, exact, arb(mass) * (arb(scale[0]) + arb(scale[1]) - arb(tilt) * exact).exp()


@pytest.mark.parametrize("side", SIDES)
def test_rounding_of_an_untilted_mass_is_counted(side):
    """Far below the loss the curve is the mass itself."""
    rng = random.Random(11)
    with ctx.workprec(300):
        for _ in range(600):
            pmf, loss, mass = one_point(rng, side)
            if not 1e-290 < mass < 0.5:
                continue
            value = arb(parts.delta_terms(pmf, float(loss) - 0.9 * pmf.interval)[0])
            truth = mass * -(arb(float(loss) - 0.9 * pmf.interval) - loss).expm1()
            assert value >= truth if side == "upper" else value <= truth


@pytest.mark.parametrize("by_blocks", [False, True])
@pytest.mark.parametrize("tilt", [0.0, 0.7, 30.0, -0.5])
def test_rounding_of_long_sums_is_counted(tilt, by_blocks):
    """All mass at the far end, so that it passes every point."""
    rng = random.Random(12)
    for points in (64, 1000, 4160):
        for _ in range(8):
            interval = stored.coarse(rng) * 2.0 ** -rng.randint(7, 14)
            mass = np.zeros(points)
            mass[-1] = stored.coarse(rng)
            mass[: -1 : rng.randint(1, 99)] = 1e-3
            got = parts.suffix_sums(mass, tilt, interval, by_blocks)
            curve, steps, curve_distance, steps_distance, error = got
            with ctx.workprec(200):
                rho, sigma = (-arb(tilt) * interval).exp(), (-arb(interval)).exp()
                at = [(arb(mass[j]) * rho**j, sigma**j) for j in np.flatnonzero(mass).tolist()]
                assert (
                    abs(arb(steps) - sum((m * s for m, s in at), arb(0))) <= error * steps_distance
                )
                truth = sum((m * (1 - s) for m, s in at), arb(0))
                assert abs(arb(curve) - truth) <= error * curve_distance


def drawn_steps(rng, side, kinds=2, points=6):
    """Steps on one grid, masses over 30 decades, each with an offset of its own; their tilt."""
    interval = stored.coarse(rng) * 2.0 ** -rng.randint(2, 8)
    tilt = stored.coarse(rng) * rng.choice((0.5, 3.0))
    terms = []
    for _ in range(kinds):
        index = sorted(rng.sample(range(-9, 10), points))
        mass = [stored.spread(rng, 30) / points for _ in index]
        offset = rng.uniform(-1, 1) * interval
        step = stored.step(index, mass, interval=interval, offset=offset, side=side)
        moment = sum(
            m * np.exp(tilt * (offset + interval * k)) for m, k in zip(mass, index, strict=True)
        )
        terms.append(
            (step, rng.choice((1, 2, 3, 7)), float(np.log(moment)) + rng.uniform(-0.1, 0.1))
        )
    return terms, tilt


def composed(terms, tilt, *, scaled=False):
    """All powers of masses e^(tilt loss), over their moments if scaled; the first index."""
    product, least = arb_poly([1]), 0
    for step, count, log_moment in terms:
        first, scale = step.index[0], arb(log_moment if scaled else 0)
        coefficients = [arb(0)] * (step.index[-1] - first + 1)
        for k, mass, loss in zip(step.index, step.mass, stored.losses(step), strict=True):
            coefficients[k - first] = arb(mass) * (arb(tilt) * loss - scale).exp()
        product *= arb_poly(coefficients) ** count
        least += count * first
    return product, least


@pytest.mark.parametrize("side", SIDES)
def test_each_composed_mass_and_every_tail_is_counted(side):
    rng = random.Random(13)
    size = 64
    with ctx.workprec(400):
        for _ in range(12):
            terms, tilt = drawn_steps(rng, side)
            product, least = composed(terms, tilt, scaled=True)
            last = least + product.degree()
            first = least + (last - least) // 3
            length = min(40, last - first - 3)
            pmf = parts.compose(
                terms,
                tilt=tilt,
                size=size,
                window=(first, length),
                chernoff=(0.5, -tilt - 2, 0.4, -0.4),
            )
            fields = parts.fields(pmf)
            got, error = fields["tilted_mass"], arb(fields["point_error"])
            of_p, _ = composed(terms, 0)
            of_q, _ = composed(terms, -1)
            p = {least + k: of_p[k] for k in range(of_p.length())}
            q = {least + k: of_q[k] for k in range(of_q.length())}
            for k in range(length):
                exact = product[first + k - least]
                if side == "upper":
                    assert arb(got[k]) + error >= exact
                else:
                    assert arb(got[k]) - error <= exact + arb(fields["wrapped"])
            if side == "lower":
                continue
            above = [k for k in p if k >= first + length]
            below = [k for k in p if k < first]
            assert arb(fields["tail_above"]) >= sum((p[k] for k in above), arb(0)).min(arb(1))
            assert arb(fields["q_above"]) >= sum((q[k] for k in above), arb(0)).min(arb(1))
            assert arb(fields["p_below"]) >= sum((p[k] for k in below), arb(0)).min(arb(1))
            assert arb(fields["tail_below"]) >= sum((q[k] for k in below), arb(0)).min(arb(1))


def test_scales_are_exact():
    """Counts of up to 1e9 times log moments of opposite signs."""
    rng = random.Random(14)
    with ctx.workprec(300):
        for _ in range(50):
            terms = []
            for _ in range(rng.randint(1, 5)):
                step = stored.step([0, 1], [0.5, 0.5], interval=0.1, side="upper")
                terms.append((step, rng.randint(1, 10**9), rng.uniform(-50, 50)))
            pmf = parts.compose(terms, tilt=0.3, size=16, window=(0, 4), chernoff=(0, 0, 0, 0))
            high, low = parts.fields(pmf)["log_scale"]
            truth = sum((count * arb(k) for _, count, k in terms), arb(0))
            assert abs(arb(high) + arb(low) - truth) <= 8 * U * abs(low) + 1e-300


def test_what_a_reversed_lower_curve_gives_up_is_enough():
    """Q-mass that all but sums to 1, or P-mass that does, composed a billion times."""
    rng = random.Random(15)
    with ctx.workprec(300):
        for _ in range(60):
            interval, offset = stored.coarse(rng) * 2.0**-3, rng.uniform(-0.1, 0.1)
            index = sorted(rng.sample(range(-40, 40), 12))
            fall = np.exp(-(offset + interval * np.array(index)))
            mass = np.array([rng.random() for _ in index])
            mass /= rng.choice(((mass * fall).sum(), mass.sum()))
            count = 10 ** rng.randint(0, 9)
            at = {"interval": interval, "offset": offset, "side": "lower"}
            step = stored.step(index, mass, **at)
            pmf = parts.compose(
                [(step, count, 0.0)], tilt=0.0, size=128, window=(0, 8), chernoff=(0, 0, 0, 0)
            )
            fields = parts.fields(pmf)
            p = sum((arb(m) for m in step.mass), arb(0)) ** count
            q = sum(
                (arb(m) * (-x).exp() for m, x in zip(step.mass, stored.losses(step), strict=True)),
                arb(0),
            )
            assert not arb(fields["reverse_deficit"]) < 1 - p
            # What the losses may be off by is in it.
            truth = q**count * (arb(pmf.loss_error)).exp() - 1
            assert not arb(fields["reverse_excess"]) < truth


def test_chords_are_rounded_outwards():
    """To both sides, of a curve whose tangent meets alpha = 0 between delta and 1."""
    rng = random.Random(16)
    with ctx.workprec(200):
        for _ in range(1000):
            epsilon, away = rng.uniform(-5, 30), 2.0 ** rng.uniform(-20, 2)
            delta = stored.spread(rng, 12)
            left, right = epsilon - away, epsilon + away
            r, tail = np.exp(left - epsilon), delta + (1 - delta) * rng.random()
            value = float(r * delta + (1 - r) * tail)
            got = parts.loss_tail([left, left + away / 2], [value, 2.0], delta, epsilon)[1]
            ratio = (arb(left) - arb(epsilon)).exp()
            assert arb(got) >= ((arb(value) - ratio * arb(delta)) / (1 - ratio)).min(arb(1))
            r = np.exp(epsilon - right)
            tail = delta * (1 + rng.random() * r / (1 - r))
            value = float(max(0.0, (delta - (1 - r) * tail) / r))
            got = parts.loss_tail([right], [value], delta, epsilon)[0]
            ratio = (arb(epsilon) - arb(right)).exp()
            chord = (arb(delta) - ratio * arb(value)) / (1 - ratio)
            assert arb(got) <= chord.max(arb(delta))


def test_delta_next_to_zero_is_rounded_down():
    """By its largest slope, where little is left of delta(0) and where most is."""
    rng = random.Random(17)
    with ctx.workprec(200):
        for k in range(1000):
            epsilon = 2.0 ** rng.uniform(-1000, -1)
            left = 2.0 ** rng.uniform(0, 60) if k % 2 else 1 + 2.0 ** rng.uniform(-30, -10)
            at_zero = min(float(np.expm1(epsilon)) * left, 1.0)
            low, high = parts.delta_from_zero(at_zero, 1.0, epsilon)
            assert arb(low) <= (arb(at_zero) - arb(epsilon).expm1()).max(arb(0))
            assert low >= at_zero - np.expm1(epsilon) * (1 + 2.0**-48) - at_zero * 2.0**-52
            assert high == 1.0


def test_chords_of_subnormal_curves_are_rounded_outwards():
    rng = random.Random(18)
    with ctx.workprec(1400):
        for _ in range(1000):
            away = rng.uniform(0.05, 3)
            delta, value = (5e-324 * rng.randint(0, 20) for _ in range(2))
            ratio = (-arb(away)).exp()
            got = parts.loss_tail([-away, -away / 2], [value, 2.0], delta, 0.0)[1]
            assert not arb(got) < ((arb(value) - ratio * arb(delta)) / (1 - ratio))
            got = parts.loss_tail([away], [value], delta, 0.0)[0]
            chord = (arb(delta) - ratio * arb(value)) / (1 - ratio)
            assert not arb(got) > chord.max(arb(delta))


def test_mass_at_infinity_of_lower_steps_is_counted():
    """Of finite masses that do or do not all but sum to 1, or none, composed a billion times."""
    rng = random.Random(17)
    with ctx.workprec(300):
        for _ in range(200):
            terms = []
            for _ in range(rng.randint(1, 3)):
                leak, count = stored.spread(rng, 12) / 3, rng.choice((1, 7, 10**6, 10**9))
                mass = np.array([rng.random() for _ in range(4)])
                mass *= (1 - leak) * rng.choice((0, 1e-305, 1 - 0.5 / count, 1)) / mass.sum()
                at = {"interval": 0.1, "side": "lower", "infinity_mass": leak}
                terms.append((stored.step(range(4), mass, **at), count, 0.0))
            pmf = parts.compose(terms, tilt=0.0, size=32, window=(0, 8), chernoff=(0, 0, 0, 0))
            none = arb(1)
            for step, count, _ in terms:
                none *= (1 - arb(step.infinity_mass)) ** count
            assert (1 - none) * (1 - 1e-12) <= arb(pmf.infinity_mass) <= 1 - none


@pytest.mark.parametrize("side", SIDES)
def test_losses_that_are_all_off_one_way_are_counted_reversed(side):
    """By as much as they may be, so that all the reversed masses are larger, or smaller."""
    rng, outward = random.Random(19), 1 if side == "upper" else -1
    with ctx.workprec(200):
        for _ in range(20):
            off, interval = 10.0 ** rng.uniform(-9, -3), stored.coarse(rng) * 2.0**-3
            index = sorted(rng.sample(range(-9, 10), 5))
            mass = np.array([rng.random() for _ in index])
            mass /= 1.01 * max(mass.sum(), (mass * np.exp(-interval * np.array(index))).sum())
            step = stored.step(index, mass, interval=interval, side=side, loss_error=off)
            at = {"tilt": 0.0, "size": 64, "window": (-9, 19), "chernoff": (0.5, -2, 0.4, -0.4)}
            back = parts.compose([(step, 1, 0.0)], **at).reflected()
            for k in index:
                epsilon = -interval * (k + 0.5)
                truth = arb(0)
                for m, loss in zip(step.mass, stored.losses(step), strict=True):
                    reversed_mass = arb(m) * (outward * arb(off) - loss).exp()
                    truth += (reversed_mass - arb(m) * arb(epsilon).exp()).max(arb(0))
                value = arb(back.delta(np.array([epsilon]))[0])
                assert outward * (value - truth) >= 0
