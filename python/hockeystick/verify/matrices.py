# SPDX-License-Identifier: Apache-2.0
"""Correlated noise: the squared sensitivity of a matrix, by all sets of steps that are allowed.

A record of step j adds the column c_j times a vector g_j of norm 1 at most. With the Gram matrix
G of the columns, the steps S move the output by the root of sum G_ij <g_i, g_j> over i, j in S:
at most by the sum of abs(G_ij), and with equal vectors by the sum of G_ij, which is the same where
no G_ij is negative.
"""

import math
from collections.abc import Iterator, Sequence
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


def squares(mechanism: "CorrelatedNoise") -> tuple[arb, arb]:
    """What the squared sensitivity is at least, and at most."""
    if isinstance(mechanism, known.TreeMechanism):  # a step is in a node of each height at most
        whole = arb(mechanism.restarts * mechanism.leaves.bit_length())
        return whole, whole
    columns = _columns(mechanism)
    number, apart = len(columns), mechanism.min_separation
    size = mechanism.participations
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
    if isinstance(mechanism, known.ToeplitzMechanism):
        first = [arb(c) for c in mechanism.coefficients[:steps]]
    else:
        buffers = list(zip(map(arb, mechanism.scales), map(arb, mechanism.decays), strict=True))
        later = (sum((a * d**t for a, d in buffers), ZERO) for t in range(steps - 1))
        first = [arb(1), *later]
    first += [ZERO] * (steps - len(first))
    return [[ZERO] * j + first[: steps - j] for j in range(steps)]


def _sets(number: int, apart: int, size: int, first: int = 0) -> Iterator[Sequence[int]]:
    """Steps that are `apart` or more from one another, one or more, at most `size`."""
    for step in range(first, number):
        yield (step,)
        if size > 1:
            for rest in _sets(number, apart, size - 1, step + apart):
                yield (step, *rest)
