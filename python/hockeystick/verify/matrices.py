# SPDX-License-Identifier: Apache-2.0
"""Correlated noise: the squared sensitivity of a matrix, by all sets of steps that are allowed.

A Toeplitz matrix whose first column is not negative and does not rise needs no list: the steps 0,
b, 2 b and so on of separation b move the output most (Kalinin & Lampert 2024, theorem 2), by the
sum of their columns.

A record of step j adds the column c_j times a vector g_j of norm 1 at most. With the Gram matrix
G of the columns, the steps S move the output by the root of sum G_ij <g_i, g_j> over i, j in S:
at most by the sum of abs(G_ij), and with equal vectors by the sum of G_ij, which is the same where
no G_ij is negative.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from flint import arb, arb_mat

from hockeystick import mechanisms as known
from hockeystick.verify.balls import ZERO, maximum
from hockeystick.verify.errors import NotKnownError

if TYPE_CHECKING:
    from hockeystick.mechanisms._correlated_noise import CorrelatedNoise

KINDS = (
    known.MatrixMechanism,
    known.ToeplitzMechanism,
    known.BufferedMechanism,
    known.TreeMechanism,
)
MOST_SETS = 20_000
MOST_ENTRIES = 10**5
MOST_TERMS = 10**6


def squares(mechanism: "CorrelatedNoise") -> tuple[arb, arb]:
    """What the squared sensitivity is at least, and at most."""
    if isinstance(mechanism, known.TreeMechanism):  # a step is in a node of each height at most
        whole = arb(mechanism.restarts * mechanism.leaves.bit_length())
        return whole, whole
    apart, size = mechanism.min_separation, mechanism.participations
    first = _falling_column(mechanism, size)
    if first is not None:
        rows = (sum(first[t % apart : t + 1 : apart][-size:], ZERO) for t in range(len(first)))
        whole = sum((row * row for row in rows), ZERO)
        return whole, whole
    columns = _columns(mechanism)
    number = len(columns)
    places = [number - (k - 1) * (apart - 1) for k in range(1, size + 1)]
    if sum(math.comb(n, k) for k, n in enumerate(places, 1) if n > 0) > MOST_SETS:
        raise NotKnownError("the sets of steps that a record may be in are too many to list")
    matrix = arb_mat(columns)
    gram = matrix * matrix.transpose()
    low = high = ZERO
    for steps in _sets(number, apart, size):
        pairs = [gram[i, j] for i in steps for j in steps]
        low = maximum(low, sum(pairs, ZERO))
        high = maximum(high, sum(map(abs, pairs), ZERO))
    return low, high


def _columns(mechanism: "CorrelatedNoise") -> list[list[arb]]:
    if isinstance(mechanism, known.MatrixMechanism):
        rows = mechanism.strategy
        if len(rows) * len(rows[0]) > MOST_ENTRIES:
            raise NotKnownError("the matrix is too large")
        return [[arb(row[j]) for row in rows] for j in range(len(rows[0]))]
    if not isinstance(mechanism, known.ToeplitzMechanism | known.BufferedMechanism):
        raise NotKnownError(f"no rigorous law is written for {type(mechanism).__name__}")
    steps = mechanism.steps
    if steps * steps > MOST_ENTRIES:
        raise NotKnownError("the matrix is too large")
    first = _first_column(mechanism)
    return [[ZERO] * j + first[: steps - j] for j in range(steps)]


def _falling_column(mechanism: "CorrelatedNoise", size: int) -> list[arb] | None:
    """The first column of a Toeplitz matrix, if it is known to be >= 0 and never to rise."""
    if isinstance(mechanism, known.ToeplitzMechanism):
        used = mechanism.coefficients[: mechanism.steps]
        falls = min(used) >= 0 and all(a >= b for a, b in pairwise(used))
    elif isinstance(mechanism, known.BufferedMechanism):
        falls = min(mechanism.scales) >= 0 and sum(map(Fraction, mechanism.scales)) <= 1
    else:
        return None
    falls = falls and mechanism.steps * size <= MOST_TERMS
    return _first_column(mechanism) if falls else None


def _first_column(mechanism: known.ToeplitzMechanism | known.BufferedMechanism) -> list[arb]:
    steps = mechanism.steps
    if isinstance(mechanism, known.ToeplitzMechanism):
        first = [arb(c) for c in mechanism.coefficients[:steps]]
    else:
        buffers = list(zip(map(arb, mechanism.scales), map(arb, mechanism.decays), strict=True))
        later = (sum((a * d**t for a, d in buffers), ZERO) for t in range(steps - 1))
        first = [arb(1), *later]
    return [*first, *[ZERO] * (steps - len(first))]


def _sets(number: int, apart: int, size: int, first: int = 0) -> Iterator[Sequence[int]]:
    """Steps that are `apart` or more from one another, one or more, at most `size`."""
    for step in range(first, number):
        yield (step,)
        if size > 1:
            for rest in _sets(number, apart, size - 1, step + apart):
                yield (step, *rest)
