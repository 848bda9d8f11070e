# SPDX-License-Identifier: Apache-2.0
"""What tests of elementary functions share: how far a function is from ball arithmetic."""

import math

import numpy as np
from flint import arb, ctx

U = 2.0**-53
SMALLEST = 5e-324


def furthest(function, exact, *arguments, precision=200):
    """The largest relative error [u] of a function; a subnormal result counts as 2^-1022."""
    worst = 0.0
    with ctx.workprec(precision):
        for got, *at in zip(
            function(*arguments).tolist(), *map(np.ndarray.tolist, arguments), strict=True
        ):
            truth = exact(*map(arb, at))
            if abs(truth) > 2.0**1023 * 1.99999999999999988:
                assert math.isinf(got), at
                continue
            size = max(abs(truth).mid(), arb(2.0**-1022))
            off = float((abs(arb(got) - truth) / size).upper()) / U
            assert math.isfinite(off), (at, got)
            worst = max(worst, off)
    return worst


def scattered(samples, low, high, count=2000):
    """Numbers of both signs, of exponents of 2 between these."""
    rng = np.random.default_rng(5)
    return rng.choice([-1, 1], samples(count)) * np.exp2(rng.uniform(low, high, samples(count)))


def around(points):
    """The doubles next to these, and further off."""
    points = np.asarray(points, dtype=float)
    near = [points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf)]
    return np.concatenate([*near, *(points * (1 + k * 2.0**-40) for k in (-1, 1))])
