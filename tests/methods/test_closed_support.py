# SPDX-License-Identifier: Apache-2.0
"""Rare huge losses are cut above all that a question knows of: answers hold, and take little."""

import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core
from hockeystick.adjacency import Direction
from questions import core_answer
from rare_runs import sampled

# sigma, q, count, delta: epsilon near 0, one big jump; bounded by infima and by Chernoff
QUESTIONS = [
    (0.436, 2.6e-6, 5, 2.2e-6),
    (0.536, 1.35e-5, 6684, 5e-6),
    (0.404, 4.3e-6, 120_350, 6.6e-10),
    (2.6797, 1.28594e-6, 16, 6.025778e-9),
    (0.7209, 1.06e-4, 307, 1.0115e-10),
    (10.18, 7e-4, 6, 6.39e-5),
    (1.0043, 2.3229e-5, 31_433, 5.49e-9),
]


def asked(terms, query, value, tolerance=1e-3):
    pairs = [(sampled(s, q).dominating_pair(Direction.REMOVE), n) for s, q, n in terms]
    return core_answer([pairs], query, value, tolerance=tolerance, method="fft_composition")


@pytest.mark.parametrize("question", QUESTIONS)
def test_transforms_are_short(question):
    """Many steps that lose next to nothing need finer grids, since cells are cut half way."""
    found = asked([question[:3]], "epsilon", question[3])
    assert found.converged
    assert found.size <= 1 << (21 if question[2] > 30_000 and question[0] > 1 else 19)


@pytest.mark.parametrize("question", QUESTIONS)
def test_delta_at_the_answer_is_the_one_asked_for(question):
    found = asked([question[:3]], "epsilon", question[3])
    assert asked([question[:3]], "delta", found.lower).upper >= question[3]
    assert asked([question[:3]], "delta", found.upper).lower <= question[3]


# sigma, q, count, (top, least, tilt): closed where no question is; the last are bounded by Chernoff
CLOSED = [
    (0.5, 1e-3, 1, (2.0, 0.0, 0.0)),
    (0.5, 1e-3, 3, (2.0, 0.0, 0.0)),
    (0.5, 1e-3, 200, (2.0, -0.1, 10.0)),
    (0.5, 1e-2, 50, (3.0, 0.2, 8.0)),
    (0.5, 1e-2, 50, (3.0, 0.5, 2.0)),
]


@pytest.mark.parametrize("by_contour", [False, True])
@pytest.mark.parametrize("closed", CLOSED, ids=str)
def test_steps_closed_below_a_question_are_not_believed(closed, by_contour):
    """Whatever a plan closes, delta lies within; beyond the reach of the split from above alone."""
    sigma, q, count, closing = closed
    step = hs.Gaussian(noise_multiplier=sigma).poisson_sampled(q)
    terms = [(step.dominating_pair(Direction.REMOVE), count)]
    top = closing[0]
    epsilons = [0.25 * top * i for i in range(9)] + [top + shift for shift in (-0.05, 0.05, 0.15)]
    truths = [
        (known.lower, known.upper)
        for known in _core.delta_bounds([terms], epsilons, tolerance=1e-6, memory_limit=1 << 28)
    ]
    deltas = [low for low, _ in truths]
    found = _core.plan.closed_composition(
        terms,
        planned_for=0.5 * top,
        closing=closing,
        interval=1e-4,
        epsilons=epsilons,
        deltas=deltas,
        by_contour=by_contour,
    )
    for epsilon, (low, high), (lower, upper) in zip(epsilons, truths, found, strict=False):
        assert lower <= high, epsilon
        assert upper >= low, epsilon
    for epsilon, (lower, upper) in zip(epsilons, found[len(epsilons) :], strict=True):
        assert lower <= epsilon + 1e-6
        assert upper >= epsilon - 1e-5
    assert found[2][0] > 0.9 * truths[2][0] or closing[2] > 0


def growth(sigma, q, count, closing):
    """n P(L > top) M(-t)^n e^(t other), the least over the tilts that are tried."""
    top, other, tilt = closing
    s, rate, step = arb(sigma), arb(q), arb(1) / 32
    cut = s * ((arb(top).exp() - 1 + rate) / rate).log() + 1 / (2 * s)  # where the loss is the top
    mass = (1 - rate) * normal_tail(cut) + rate * normal_tail(cut - 1 / s)

    def moment(t):
        """The trapezoid rule, which leaves next to nothing of an entire function."""
        total = arb(0)
        for k in range(-12 * 32, 20 * 32):
            x = k * step
            ratio = 1 - rate + rate * (x / s - 1 / (2 * s * s)).exp()
            total += (-x * x / 2).exp() * ratio ** (1 - t)
        return (total * step / (2 * arb.pi()).sqrt()).max(arb(1))

    tilts = [arb(tilt * 0.7**k) for k in range(6) if tilt * 0.7**k >= 1]
    terms = [count * mass * moment(t) ** count * (t * arb(other)).exp() for t in tilts]
    return min(terms, key=float)


@pytest.mark.parametrize(
    "closing", [(3.0, 0.5, 2.0), (3.0, 0.2, 8.0), (3.0, 1.0, 1.0), (2.5, 0.1, 4.0)]
)
def test_what_closing_adds_is_chernoffs_bound(closing):
    """Taken from delta, or added to what epsilon is asked; here about half of delta."""
    sigma, q, count = 0.5, 1e-2, 50
    step = hs.Gaussian(sigma).poisson_sampled(q)
    terms = [(step.dominating_pair(hs.Direction.REMOVE), count)]
    at, limits = 1.5, {"tolerance": 1e-7, "memory_limit": 1 << 28}
    (truth,) = _core.delta_bounds([terms], [at], **limits)
    with ctx.workprec(100):
        formula = float(growth(sigma, q, count, closing).mid())
    (lower, _), (epsilon, _) = _core.plan.closed_composition(
        terms,
        planned_for=at,
        closing=closing,
        interval=1e-4,
        epsilons=[at],
        deltas=[truth.lower - formula],
        by_contour=False,
    )
    assert truth.lower - lower == pytest.approx(formula, rel=1e-3)
    assert epsilon == pytest.approx(at, rel=1e-3)
