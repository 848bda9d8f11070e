# SPDX-License-Identifier: Apache-2.0
"""Connect the dots on cells that use up what they are stated to be off by."""

import random
from itertools import pairwise

import pytest
from flint import arb, ctx

from exact.curve import PRECISION, Curve
from hockeystick import _core
from pld import stored
from pld.stored import U

POINTS = 6


def cell_between(low, high, atoms):
    """P-mass, P - e^low Q and e^high Q - P of the atoms (loss, mass) in [low, high)."""
    inside = [(x, m) for x, m in atoms if low <= x < high]
    return (
        sum((m for _, m in inside), arb(0)),
        sum((m * -(low - x).expm1() for x, m in inside), arb(0)),
        sum((m * (high - x).expm1() for x, m in inside), arb(0)),
    )


def discretized(rng, interval, errors, estimator, near):
    """Atoms at, or anywhere between, edges that miss the support by as much as they may."""
    edge_error, mass_error, share_error, share_error_p = errors
    index = list(range(-2, POINTS - 2))
    offset = rng.uniform(-0.5, 0.5) * interval
    support = [arb(offset) + arb(interval) * k for k in index]
    cuts = [offset + interval * (k + rng.uniform(0.2, 0.8)) for k in index[:-1]]
    nominal = [support[0]]
    for cut, point in zip(cuts, support[1:], strict=True):
        nominal += [arb(cut), point]
    signs = [rng.choice((-1, 1)) for _ in nominal]
    edges = [e + s * arb(edge_error) for e, s in zip(nominal, signs, strict=True)]
    between = [
        (a + (b - a) * rng.choice((0.0, 1 - 1e-9) if near else (rng.random(),)), rng.random())
        for a, b in pairwise(edges)
        for _ in range(2)
    ]
    total = 1.01 * sum(m for _, m in between)
    atoms = sorted(((x, arb(m / total)) for x, m in between), key=lambda atom: float(atom[0]))
    cells = [cell_between(a, b, atoms) for a, b in pairwise(edges)]

    all_low = rng.random() < 1 / 3  # of the masses

    def off(p, above, below):
        """A cell's parts, each as far off as it may be but for its rounding."""
        mass, first, second = (rng.choice((-1, 1)) * (1 - 1e-5) for _ in range(3))
        mass = -abs(mass) if all_low else mass
        above += first * (share_error * above + share_error_p * p)
        below += second * (share_error * below + share_error_p * p)
        return p * (1 + mass * mass_error), above.max(arb(0)), below.max(arb(0))

    rounding = 2 * U
    step = _core.parts.connect_dots(
        support=(interval, offset, index),
        cuts=cuts,
        cells=[tuple(float(value) for value in off(*cell)) for cell in cells],
        tails=(0.0, 0.0, 0.0, 0.0),
        # Beside the edges' error, the rounding of support points.
        errors=(
            mass_error + rounding,
            share_error + rounding,
            share_error_p,
            edge_error + 4 * U * interval * POINTS,
            edge_error,
        ),
        estimator=estimator,
    )
    return step, Curve([x for x, _ in atoms], [m for _, m in atoms]), nominal


@pytest.mark.every(3)
@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize(
    "errors",  # of edges, masses, shares, and shares in parts of the mass
    [(0, 0, 0, 0), (1e-9, 0, 0, 0), (0, 1e-9, 0, 0), (0, 0, 1e-9, 0), (0, 0, 0, 1e-10)],
    ids=["rounding", "edges", "masses", "shares", "of_masses"],
)
@pytest.mark.parametrize("estimator", ["upper", "lower", "algorithm_2"])
def test_curves_stay_on_their_side(estimator, errors, near):
    rng = random.Random(21)
    with ctx.workprec(PRECISION):
        for _ in range(600 if estimator == "upper" else 25):  # errors of shares show in few
            interval = stored.coarse(rng) * 10.0 ** -rng.randint(1, 4)
            step, truth, edges = discretized(rng, interval, errors, estimator, near)
            curve = Curve.on_grid(
                (step.offset, step.interval), step.index, step.mass, step.infinity_mass
            )
            shift = arb(step.loss_error)
            for epsilon in (edges[0] - 40, *edges):
                if estimator == "upper":
                    assert curve(epsilon - shift) >= truth(epsilon)
                else:
                    assert curve(epsilon + shift) <= truth(epsilon)
