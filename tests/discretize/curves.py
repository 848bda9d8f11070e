# SPDX-License-Identifier: Apache-2.0
"""One-step estimates and the points at which they are held against the exact curve."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from flint import arb, ctx
from hypothesis import strategies as st

import exact
from exact.curve import PRECISION, Curve
from exact.pair import Pair
from hockeystick import _core
from mechanisms.cells import core_pair, loss_at

LOWER = ("lower", "algorithm_2")
BUCKETS = ("buckets_lower", "buckets_upper")


@dataclass(frozen=True, slots=True)
class Case:
    """A pair and a support: offset + interval * index."""

    step: exact.Step
    direction: exact.Direction
    interval: float
    index: tuple[int, ...]
    offset: float = 0.0

    def __str__(self) -> str:
        size = len(self.index)
        return f"{self.direction}-{self.step.sigma}-{self.step.q}-{self.interval:.2g}-{size}"

    def pmf(self, estimator: str) -> _core.parts.StepPmf:
        """The estimate."""
        return _core.parts.step_pmf(
            core_pair(self.step, self.direction),
            interval=self.interval,
            offset=self.offset,
            index=list(self.index),
            estimator=estimator,
        )

    def curve(self, estimator: str) -> Curve:
        """The curve of the estimate's stored doubles."""
        return _curve(self.pmf(estimator))

    def losses(self) -> list[float]:
        """The support, in doubles."""
        return [self.offset + self.interval * k for k in self.index]


def _curve(pmf: _core.parts.StepPmf) -> Curve:
    return Curve.on_grid((pmf.offset, pmf.interval), pmf.index, pmf.mass, pmf.infinity_mass)


def reflected_curve(pmf: _core.parts.StepPmf) -> Curve:
    """The reversed pair's estimate."""
    return _curve(pmf).reflected(pmf.reverse_infinity_mass)


def uniform(step: exact.Step, direction: exact.Direction, points: int, reach: float = 6.0) -> Case:
    """A uniform support over `reach` deviations about all centres."""
    m = 1 / step.sigma
    ends = {"remove": (0.0, m), "add": (-m, 0.0), "replace": (-m, m)}[direction]
    low = loss_at(step, direction, ends[0] - reach)
    high = loss_at(step, direction, ends[1] + reach)
    interval = (high - low) / points
    first = math.floor(low / interval) - 1
    return Case(step, direction, interval, tuple(range(first, first + points + 3)))


def subset(case: Case, rng: np.random.Generator, share: float, offset: float = 0.0) -> Case:
    """A random subset of the support, at least two points."""
    index = np.array(case.index)
    kept = index[rng.random(index.size) < share]
    if kept.size < 2:
        kept = index[[index.size // 3, 2 * index.size // 3]]
    chosen = tuple(int(k) for k in kept)
    return Case(case.step, case.direction, case.interval, chosen, offset * case.interval)


def epsilons(losses: Sequence[float]) -> list[float]:
    """At the support points, between, a hair beside, outside, and well-known ones."""
    at = np.array(losses)
    if at.size > 16:
        at = np.unique(at[np.linspace(0, at.size - 1, 16).astype(int)])
    middle = np.array(losses)[len(losses) // 2 - 5 :][:10]  # a narrow block, if there is one
    inner = np.concatenate([at, (at[1:] + at[:-1]) / 2, at[:-1] + 0.9 * np.diff(at), middle])
    hair = [
        x + sign * (1e-15 + 4e-16 * abs(x)) for x in at[:: max(1, at.size // 3)] for sign in (-1, 1)
    ]
    span = at[-1] - at[0]
    outside = [at[0] - span, at[0] - 0.1 * span, at[-1] + 0.1 * span, at[-1] + span, -50.0, 50.0]
    return [float(x) for x in [*inner, *hair, *outside, 0.0, -1.0, 1.0, -1e-9]]


@cache
def exact_delta(step: exact.Step, direction: exact.Direction, epsilon: float) -> arb:
    """The truth, for (P, Q)."""
    with ctx.workprec(PRECISION):
        return Pair(step, direction).delta(arb(epsilon))


@cache
def exact_reverse_delta(step: exact.Step, direction: exact.Direction, epsilon: float) -> arb:
    """The truth, for (Q, P)."""
    with ctx.workprec(PRECISION):
        return Pair(step, direction).reverse_delta(arb(epsilon))


def assert_above(case: Case, estimator: str) -> None:
    """An upper estimate: nowhere below the exact curve, in either direction."""
    pmf = case.pmf(estimator)
    curve, reverse = case.curve(estimator), reflected_curve(pmf)
    points = epsilons(case.losses())
    with ctx.workprec(PRECISION):
        for epsilon in points:
            at = arb(epsilon) - arb(pmf.loss_error)
            assert curve(at) >= exact_delta(case.step, case.direction, epsilon), epsilon
        for epsilon in (-e for e in points):
            at = arb(epsilon) - arb(pmf.loss_error)
            truth = exact_reverse_delta(case.step, case.direction, epsilon)
            assert reverse(at) >= truth, epsilon


def assert_below(case: Case, estimator: str) -> None:
    """A lower estimate: nowhere above the exact curve."""
    pmf = case.pmf(estimator)
    curve = case.curve(estimator)
    assert (pmf.infinity_mass, pmf.reverse_infinity_mass) == (0, 0)
    assert min(pmf.mass) >= 0
    assert set(pmf.index) <= set(case.index)
    points = epsilons(case.losses())
    if list(pmf.mass) == [
        1.0
    ]:  # 1 - e^epsilon is below every curve; balls cannot tell what is equal
        assert pmf.interval * pmf.index[0] + pmf.offset <= 0
        return
    with ctx.workprec(PRECISION):
        assert curve.p_mass() <= 1
        for epsilon in points:
            at = arb(epsilon) + arb(pmf.loss_error)
            assert curve(at) <= exact_delta(case.step, case.direction, epsilon), epsilon


def area(case: Case, estimator: str) -> float:
    """Between the curve and the exact one, over epsilons in [-1, 3]: what composition adds up."""
    curve, total = case.curve(estimator), 0.0
    for loss in case.losses():
        for part in (0.25, 0.75) if -1 < loss < 3 else ():
            epsilon = loss + case.interval * part
            difference = curve(arb(epsilon)) - exact_delta(case.step, case.direction, epsilon)
            total += float(abs(difference).mid()) * case.interval / 2
    return total


# Pairs whose curve is smooth where most mass is.
SMOOTH: list[tuple[exact.Step, exact.Direction]] = [
    (exact.Step(1.0), "remove"),
    (exact.Step(1.0, 0.3), "remove"),
    (exact.Step(2.0, 0.2), "replace"),
    (exact.Step(0.6, 0.95), "add"),
]


STEPS = [
    exact.Step(1.0),
    exact.Step(0.1),
    exact.Step(40.0),
    exact.Step(1.0, 0.1),
    exact.Step(0.3, 0.5),
    exact.Step(5.0, 0.01),
    exact.Step(1.0, 1e-6),
    exact.Step(0.5, 1e-9),
    exact.Step(2.0, 0.99),
    exact.Step(1000.0, 0.2),
    exact.Step(1.5, 1 - 2**-53),
]


def _directions(step: exact.Step) -> tuple[exact.Direction, ...]:
    return ("remove",) if step.q == 1 else ("remove", "add", "replace")


def cases() -> list[Case]:
    """Uniform, graded, shifted and truncated supports of all pairs, from 2 to 60 points."""
    rng = np.random.default_rng(20240817)
    found = []
    for step in STEPS:
        for direction in _directions(step):
            found += [
                uniform(step, direction, 24),
                subset(uniform(step, direction, 60), rng, 0.4, rng.random()),
                subset(uniform(step, direction, 24, 1.5), rng, 0.7),
                subset(uniform(step, direction, 200, 30.0), rng, 0.15),
                subset(uniform(step, direction, 7, 0.5), rng, 0.0, 0.3),
            ]
    return found


def wide_cases() -> list[Case]:
    """Cells of nats where nearly all mass lies at one loss, and supports beside all of it."""
    steps = [exact.Step(1.0, 1e-9), exact.Step(0.2, 1e-4), exact.Step(3.0, 1e-6)]
    found = []
    for step in steps:
        for direction in _directions(step):
            found += [
                Case(step, direction, 1.0, (-3, -1, 1, 4)),
                Case(step, direction, 0.25, (-20, -1, 0, 1, 20)),
                Case(step, direction, 5.0, (-1, 0, 1)),
                Case(step, direction, 1.0, (2, 3, 5)),
            ]
    return found


def narrow_cases() -> list[Case]:
    """Cells so narrow in the middle that the estimates are off by hardly more than rounding."""
    found = []
    for step, direction in [
        *SMOOTH,
        (exact.Step(0.3, 0.5), "remove"),
        (exact.Step(30.0), "remove"),
    ]:
        middle = loss_at(step, direction, 0.5 / step.sigma)
        spread = 1 / step.sigma
        for interval in (2.0**-27, 2.0**-33):
            width = round(spread / interval / 4)
            wide = [width * k for k in range(-16, 17) if k]
            index = tuple(sorted([*wide, *range(-9, 10)]))
            found.append(Case(step, direction, interval, index, middle))
    return found


def beyond_cases() -> list[Case]:
    """Supports below or above every loss."""
    steps = [exact.Step(1.0, 1e-9), exact.Step(0.2, 1e-4), exact.Step(3.0, 1e-6)]
    index = {"remove": (-9, -7, -6), "add": (6, 7, 9)}
    return [Case(step, direction, 1.0, at) for step in steps for direction, at in index.items()]


def rare_cases() -> list[Case]:
    """Steps that move the loss by a sampling rate near 0, on grids that resolve that."""
    found = []
    for step in (exact.Step(0.7, 1.84e-7), exact.Step(1.0, 2e-6)):
        for direction, parts in itertools.product(("remove", "add"), (46, 153.3)):
            far = [-int(400 * 1.2**k) for k in range(40)]
            index = sorted({*range(-400, round(parts) + 3), *far})
            if direction == "remove":
                index = sorted(-k for k in index)
            found.append(Case(step, direction, step.q / parts, tuple(index)))
    return found


def bounded_cases() -> list[Case]:
    """Supports whose grid is shifted to the end of a bounded loss, or just past it."""
    found = []
    for step in STEPS[3:9]:
        for direction in ("remove", "add"):
            base = uniform(step, direction, 30)
            pair = core_pair(step, direction)
            end = pair.loss_infimum if direction == "remove" else pair.loss_supremum
            nudge = -1e-9 if direction == "remove" else 1e-9
            index = tuple(range(-1, 30) if direction == "remove" else range(-30, 2))
            found += [
                Case(step, direction, base.interval, index, end + shift * base.interval)
                for shift in (nudge, 0.0, 0.5)
            ]
    return found


steps = st.builds(
    exact.Step,
    st.floats(-1.0, 2.0).map(lambda exponent: 10.0**exponent),
    st.one_of(
        st.floats(-9.0, -0.01).map(lambda exponent: 10.0**exponent), st.floats(0.9, 1 - 2**-53)
    ),
)
