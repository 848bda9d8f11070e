# SPDX-License-Identifier: Apache-2.0
"""What is verified where theory leaves a gap: the curve that is proved, and those attained."""

import math
import random

import pytest
from flint import arb, ctx
from mpmath import mp

import hockeystick as hs
from hockeystick.adjacency import Direction
from hockeystick.mechanisms._enclosed import Accuracy
from hockeystick.verify.ends import _opposite, ends

REPLACES = (
    Direction.REPLACE,
    Direction.REPLACE_BACK,
    Direction.SPECIAL_REMOVE,
    Direction.SPECIAL_ADD,
)


def noise(multiplier):
    return hs.Gaussian(noise_multiplier=multiplier)


ALPHA = [math.exp(0.2 * k) for k in range(-20, 21)]
RESPONSE = [max((3 - a) / 4, 1 - a, 0.0) for a in ALPHA]
EXAMPLES = [
    noise(1.0).fixed_size_sampled(batch_size=100, dataset_size=10**4),
    noise(0.5).fixed_size_sampled(batch_size=1, dataset_size=3),
    noise(30.0).fixed_size_sampled(batch_size=999, dataset_size=1000),
    noise(2.0).fixed_size_sampled(batch_size=50, dataset_size=1000, replacement=True),
    noise(3.0).fixed_size_sampled(batch_size=40, dataset_size=20, replacement=True),
    noise(1.0).shuffled(batches=1000),
    noise(4.0).shuffled(batches=7, epochs=3),
    hs.HockeyStickCurve(
        alpha=ALPHA,
        lower=[0.999 * v for v in RESPONSE],
        upper=[min(1.0, 1.001 * v + 1e-6) for v in RESPONSE],
    ),
]


@pytest.mark.every(5)
@pytest.mark.parametrize("way", REPLACES, ids=lambda way: way.value)
@pytest.mark.parametrize("mechanism", EXAMPLES, ids=lambda one: repr(one)[:70])
def test_pairs_lie_beyond_both_ends(mechanism, way):
    """The fast pair above is above what is proved, those below are below what is attained.

    Of a shuffled epoch the fast accountant attains more than the adversary here: its lower pair is
    held to the proved bound.
    """
    rng = random.Random(0)
    with ctx.workprec(150):
        sides = ends(mechanism, way, 12)
        above = mechanism.pair_above(way, Accuracy())
        belows = mechanism.pairs_below(way, Accuracy())
        for _ in range(4):
            epsilon = rng.uniform(-0.4, 0.8)
            at = arb(epsilon)
            proved, attained = sides.proved(at), max(one(at).mid() for one in sides.attained)
            assert attained <= proved + arb(10) ** -12
            least = attained if isinstance(mechanism, hs.Shuffled) else proved.lower()
            assert above.delta_above(epsilon).item() * (1 + 2**-50) >= least
            most = proved.upper() if isinstance(mechanism, hs.Shuffled) else attained
            for below in belows:
                assert below.delta_above(epsilon).item() <= most * (1 + arb(10) ** -9) + 1e-13


def test_one_batch_without_replacement_closes():
    result = hs.verify(EXAMPLES[0], delta=1e-6, adjacency="replace-one", digits=10)
    assert result.known
    assert result.digits >= 10


@pytest.mark.parametrize(("m", "alpha", "w"), [(0.5, 1.0, 30.0), (2.0, 1.5, 0.1), (0.01, 1.001, 9)])
def test_opposite_normals_are_an_integral(m, alpha, w):
    """E (N(2 m) - w N(0) - alpha N(m))_+ by its density."""
    with mp.workdps(30), ctx.workprec(120):

        def density(x, mean):
            return mp.exp(-((x - mean) ** 2) / 2) / mp.sqrt(2 * mp.pi)

        def inside(x):
            return density(x, 2 * mp.mpf(m)) - w * density(x, 0) - alpha * density(x, mp.mpf(m))

        log_ratio = mp.log((alpha + mp.sqrt(alpha**2 + 4 * w)) / 2) / m
        root = mp.findroot(lambda x: inside(x) / density(x, 2 * mp.mpf(m)), log_ratio + m)
        truth = mp.quad(inside, mp.linspace(root, root + 12, 25))
        found = _opposite(arb(m), arb(alpha), arb(w))
        assert abs(mp.mpf(found.mid().str(30, radius=False)) - truth) < mp.mpf(10) ** -15
