# SPDX-License-Identifier: Apache-2.0
"""What the oracles account for: runs of Gaussian and Poisson-sampled Gaussian steps.

A direction names the pair (P, Q) of one step, in units of the noise, with m = 1 / sigma:

    remove    P = (1-q) N(0) + q N(m),    Q = N(0)
    add       P = N(0),                   Q = (1-q) N(0) + q N(m)
    replace   P = (1-q) N(0) + q N(-m),   Q = (1-q) N(0) + q N(m)

`add_remove` is the worse of the first two. Parameters are doubles, taken at their exact value.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from flint import arb

Direction = Literal["remove", "add", "replace", "add_remove"]
DIRECTIONS: tuple[Direction, ...] = ("add_remove", "remove", "add", "replace")


@dataclass(frozen=True, slots=True)
class Step:
    """One release of a Gaussian with noise multiplier `sigma` on a Poisson sample of rate `q`."""

    sigma: float
    q: float | arb = 1.0


Run = tuple[tuple[Step, int], ...]  # (step, how often)


def merged(run: Iterable[tuple[Step, int]]) -> Run:
    """The same run with equal steps counted together and free ones (q = 0) left out."""
    counts: dict[Step, int] = {}
    for step, count in run:
        if step.q > 0 and count > 0:
            counts[step] = counts.get(step, 0) + count
    return tuple(counts.items())


def gaussian_mu(run: Run, direction: Direction) -> arb:
    """mu of the one Gaussian, N(mu) against N(0), that equals a run of unsampled Gaussians."""
    assert all(step.q == 1 for step, _ in run)
    square = sum((arb(count) / arb(step.sigma) ** 2 for step, count in run), arb(0))
    return square.sqrt() * (2 if direction == "replace" else 1)
