# SPDX-License-Identifier: Apache-2.0
"""The pairs of two given distributions in ball arithmetic."""

import random

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction
from mechanisms import atoms

PAIRS = [
    ([0.5, 0.5], [0.25, 0.75]),
    ([0.5, 0.5, 0.0], [0.25, 0.5, 0.25]),
    ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
    ([0.3, 0.0, 0.7], [0.3, 0.0, 0.7]),
    ([0.1] * 10, [0.1 * (1 + 1e-9), 0.1 * (1 - 1e-9)] * 5),
    ([1 - 1e-12, 1e-12], [1e-300, 1 - 1e-300]),
    ([1.0, 5e-324, 1e-310], [1e-310, 1.0, 5e-324]),
    ([3, 0, 4], [1000003, 7, 2**40]),
    ([2**53 - 1, 1], [1, 2**53 - 1]),
]


def truth(p, q):
    def normalised(weights):
        exact = atoms.balls(weights)
        total = sum(exact, arb(0))
        return [weight / total for weight in exact]

    return atoms.law(normalised(p), normalised(q))


def check(p, q, rate=None, error=atoms.LOSS_ERROR):
    with ctx.workprec(atoms.PRECISION):
        law = truth(p, q)
        law = law if rate is None else atoms.sampled(law, rate)
    sampling, end = ("", []) if rate is None else ("poisson_", [rate])
    names = (
        ("discrete_pair", "discrete_pair_back")
        if rate is None
        else ("discrete_pair_remove", "discrete_pair_add")
    )
    there, back = (_core.dominating_pair(sampling + name, [*p, *q, *end]) for name in names)
    atoms.check(there, law, loss_error=error)
    atoms.check(back, atoms.reverse(law), loss_error=error)
    atoms.check(there.reverse(), atoms.reverse(law), loss_error=error)
    atoms.check(back.reverse(), law, loss_error=error)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("rate", [None, 1e-9, 0.3, 1 - 1e-9])
def test_every_atom(pair, rate):
    counts = isinstance(pair[0][0], int)
    check(*pair, rate, 1e-13 if counts else atoms.LOSS_ERROR)


def test_masses_that_are_cut_are_counted_in_full():
    check([1.0, 9e-306], [0.5, 0.5])


weights = st.floats(-300, 0).map(lambda exponent: 10.0**exponent)
histograms = st.lists(st.tuples(weights, weights), min_size=1, max_size=6)


@given(histograms, st.sampled_from([None, 1e-9, 0.01, 0.9, 1 - 2**-53]))
def test_every_atom_anywhere(pairs, rate):
    """Where p / q is far from 1 and the sums take that away again, its error stays."""
    p, q = zip(*pairs, strict=True)
    check(list(p), list(q), rate, 3e-12)


def test_losses_next_to_zero_are_relatively_exact():
    p, q = [0.1] * 10, [0.1 * (1 + 1e-9), 0.1 * (1 - 1e-9)] * 5
    pair = _core.dominating_pair("discrete_pair", [*p, *q])
    assert pair.integrate([-1.0, 1.0]).loss_error < 1e-23


def test_a_long_histogram_of_few_losses():
    """Many atoms of one loss are summed without losing digits."""
    source = random.Random(1)
    p = [source.choice((1, 2, 3)) for _ in range(100_000)]
    q = [4 - w for w in p]
    pair = _core.dominating_pair("discrete_pair", [*p, *q])
    p_sum, q_sum = arb(sum(p)), arb(sum(q))
    law = [atoms.Atom(p.count(w) * w / p_sum, p.count(w) * (4 - w) / q_sum) for w in (1, 2, 3)]
    atoms.check(pair, law)


def test_losses_below_the_normal_range_are_off_by_what_their_rounding_takes():
    """Sampled at 1e-310, of which doubles keep few digits."""
    rate, p, q = 1.3923953359556e-310, [78, 5, 69], [81, 75, 77]
    step = hs.DiscretePair(p=p, q=q).poisson_sampled(rate)
    found = (2 * step).loss_quantile_bounds(8.6e-210, adjacency="add-one")
    with ctx.workprec(atoms.PRECISION):
        mixed, plain = zip(*((a.p, a.q) for a in atoms.sampled(truth(p, q), rate)), strict=True)
        least = 2 * min(
            ((b / a).log() for a, b in zip(mixed, plain, strict=True)), key=lambda x: x.mid()
        )
        assert arb(found.lower) <= least <= arb(found.upper)
    stated = step.dominating_pair(hs.Direction.ADD).integrate([-1.0, 1.0]).loss_error
    assert 0 < stated < 1e-320


@pytest.mark.parametrize("mass", [0.25, 0.5, 0.75])
def test_infinite_losses_are_off_by_what_masses_are(mass):
    pair = hs.DiscretePair(p=(1 - mass, mass), q=(1.0, 0.0)).dominating_pair(Direction.REMOVE)
    (lower, upper), (error, _) = pair.infinity_mass, pair.law_errors()
    assert error > 8 * 2.0**-53
    assert 0.85 * error < upper / mass - 1 < 1.15 * error
    assert 0.85 * error < 1 - lower / mass < 1.15 * error
