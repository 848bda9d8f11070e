# SPDX-License-Identifier: Apache-2.0
"""What every pair's cell integrals are held to, shared by the tests of the pairs."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from flint import arb, ctx

import exact
from exact.pair import Cells, Pair
from hockeystick import _core

PRECISION = 2500
FARTHEST = 37.0  # deviations: beyond, densities come near the smallest double
UNDERFLOW = 1e-290
WIDTHS = (1e-7, 1e-4, 0.02, 0.5, 5.0)  # [nats]


def core_pair(step: exact.Step, direction: exact.Direction) -> _core.DominatingPair:
    """The pair under test."""
    if step.q == 1:
        return _core.dominating_pair("gaussian", [step.sigma])
    return _core.dominating_pair(f"poisson_gaussian_{direction}", [step.sigma, step.q])


def _log_mixture(q: float, t: float) -> float:
    if q == 1:
        return t
    return float(np.logaddexp(math.log1p(-q), math.log(q) + t))


def loss_at(step: exact.Step, direction: exact.Direction, x: float) -> float:
    """The loss at x deviations, in doubles: to choose edges by."""
    m, q = 1 / step.sigma, step.q
    right, left = _log_mixture(q, m * x - m * m / 2), _log_mixture(q, -m * x - m * m / 2)
    return {"remove": right, "add": -left, "replace": right - left}[direction]


def edges_for(step: exact.Step, direction: exact.Direction) -> list[float]:
    """Increasing losses from tail to tail, cells of all WIDTHS, edges outside the range of L."""
    m = 1 / step.sigma
    centres = {"remove": (0.0, m), "add": (-m, 0.0), "replace": (-m, m)}[direction]
    # P's own far tails: beyond FARTHEST from its last centre a mass underflows.
    low = -FARTHEST if direction != "add" else -FARTHEST + 1
    high = FARTHEST + (centres[1] if step.q > 1e-3 else 0.0) - 1
    anchors = [low, -30.0, -8.0, -1.0, 0.0, 0.4, m / 2, m, m + 3, 20.0, high]
    edges = set()
    for k, x in enumerate(sorted(a for a in anchors if low <= a <= high)):
        loss = loss_at(step, direction, x)
        edges |= {loss, loss + WIDTHS[k % len(WIDTHS)]}
    pair = core_pair(step, direction)
    for bound in (pair.loss_infimum, pair.loss_supremum):
        if math.isfinite(bound):
            edges |= {bound - 2.0, bound - 1e-9, bound + 1e-9, bound + 2.0}
    ordered = sorted(edges)
    wide_enough = [ordered[0]]
    for edge in ordered[1:]:
        if edge - wide_enough[-1] >= 9e-8:
            wide_enough.append(edge)
    return wide_enough


def _between(computed: float, low: arb, high: arb, relative: float, absolute: float = 0.0) -> None:
    assert arb(computed) >= low * (1 - relative) - absolute - UNDERFLOW, (computed, low.str(20))
    assert arb(computed) <= high * (1 + relative) + absolute + UNDERFLOW, (computed, high.str(20))


Integral = Callable[[arb, arb], arb]


def _shift(cells: _core.PairCells) -> arb:
    """By how much edges may be off; an oracle may count an atom on an edge to either cell."""
    return arb(max(cells.loss_error, 1e-30))


def check_cells(
    truth: Pair, edges: Sequence[float], cells: _core.PairCells, ends: tuple[float, float]
) -> None:
    """What is computed lies between the integrals over a smaller and a larger cell.

    p, above and below all grow with the cell; what the edges' errors leave is within the others.
    """
    with ctx.workprec(PRECISION):
        shift = _shift(cells)
        for i, (a, b) in enumerate(zip(map(arb, edges), map(arb, edges[1:]), strict=False)):
            p = float(cells.p[i])
            whole = ends[0] <= edges[i] and edges[i + 1] <= ends[1]
            # Where an edge lies outside the range of L, errors are relative to the largest value.
            scale = 0.0 if whole else cells.share_error * p
            widest = 0.0 if whole else math.expm1(edges[i + 1] - edges[i])
            absolute = cells.share_error_p * p * (1 + 1e-9)
            integrals: list[tuple[float, Integral, float, float]] = [
                (cells.p[i], truth.p, cells.mass_error, 0.0),
                (cells.above[i], truth.above, cells.share_error, absolute + scale),
                (cells.below[i], truth.below, cells.share_error, absolute + scale * widest),
            ]
            for computed, integral, relative, extra in integrals:
                inner = (a + shift, b - shift)
                low = integral(*inner) if inner[0] < inner[1] else arb(0)
                _between(computed, low, integral(a - shift, b + shift), relative, extra)


def check_tails(truth: Pair, edges: Sequence[float], cells: _core.PairCells) -> None:
    """The same for what lies beyond the edges."""
    with ctx.workprec(PRECISION):
        shift, first, last = _shift(cells), arb(edges[0]), arb(edges[-1])
        below = truth.p_below(first - shift), truth.p_below(first + shift)
        _between(cells.lower_tail_p, *below, cells.mass_error)
        above = truth.p_above(last + shift), truth.p_above(last - shift)
        _between(cells.upper_tail_p, *above, cells.mass_error)
        divergence = truth.delta(last + shift), truth.delta(last - shift)
        extra = cells.share_error_p * cells.upper_tail_p * (1 + 1e-9)
        _between(cells.upper_tail_above, *divergence, cells.share_error, extra)
        # An upper bound, and a tight one.
        assert arb(cells.lower_tail_q) >= truth.q_below(first - shift) - UNDERFLOW
        loosest = truth.q_below(first + shift) * (1 + 1e-13) + UNDERFLOW
        assert arb(cells.lower_tail_q) <= loosest
        assert cells.infinity_mass <= UNDERFLOW


def check_invariants(edges: Sequence[float], cells: _core.PairCells) -> None:
    """below + e^d above = (e^d - 1) p, and all P-mass is somewhere."""
    with ctx.workprec(PRECISION):
        error = 2 * cells.share_error + cells.mass_error
        for i, (a, b) in enumerate(pairwise(edges)):
            grow = (arb(b) - arb(a)).expm1()
            p, above, below = (arb(x[i]) for x in (cells.p, cells.above, cells.below))
            scale = grow * p
            moved = 2 * cells.loss_error * (grow + 1) * (p + 1e-300)
            difference = abs(below + (grow + 1) * above - scale)
            slack = 2 * cells.share_error_p * (grow + 1) * p
            assert difference <= error * scale + slack + moved + (grow + 1) * UNDERFLOW
            assert min(cells.p[i], cells.above[i], cells.below[i]) >= 0
    total = math.fsum([cells.lower_tail_p, *cells.p, cells.upper_tail_p])
    assert abs(total - 1) <= 1.1 * cells.mass_error


def check(pair: _core.DominatingPair, truth: Cells, edges: Sequence[float]) -> _core.PairCells:
    """All of the above at these edges, and the cells."""
    cells = pair.integrate(edges)
    check_cells(truth, edges, cells, (pair.loss_infimum, pair.loss_supremum))
    check_tails(truth, edges, cells)
    check_invariants(edges, cells)
    return cells


def check_step(step: exact.Step, direction: exact.Direction, edges: Sequence[float]) -> None:
    """The same of one sampled Gaussian."""
    check(core_pair(step, direction), Pair(step, direction), edges)


# Cells wide enough that an error of their edges hardly counts.
REVERSE_EDGES = (-1.1, -0.4, -0.05, 0.02, 0.06, 0.5, 1.5)


def check_reflection(there: _core.DominatingPair, back: _core.DominatingPair) -> None:
    """`back` is (Q, P) if `there` is (P, Q): a cell's e^-low above is the mirrored cell's below."""
    edges = np.array(REVERSE_EDGES)
    forward, backward = there.integrate(edges), back.integrate(-edges[::-1])
    close = {"rtol": 1e-11, "atol": 1e-18}
    np.testing.assert_allclose(
        forward.above * np.exp(-edges[:-1]), backward.below[::-1], **close, strict=True
    )
    np.testing.assert_allclose(
        forward.below * np.exp(-edges[1:]), backward.above[::-1], **close, strict=True
    )


@cache
def tightness(step: exact.Step, direction: exact.Direction) -> tuple[float, float]:
    """The stated errors: of the masses, relative, and of the losses over 1 + |loss| + mu^2."""
    edges = edges_for(step, direction)
    cells = core_pair(step, direction).integrate(edges)
    scale = 1 + max(abs(edges[0]), abs(edges[-1])) + step.sigma**-2 + abs(math.log(step.q))
    return max(cells.mass_error, cells.share_error), cells.loss_error / scale
