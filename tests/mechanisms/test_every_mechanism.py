# SPDX-License-Identifier: Apache-2.0
"""What is asked of every mechanism, found by its oracle in tests/exact/mechanisms.

A new mechanism is held to all of this by its class and its oracle alone; what only its pair can get
wrong is for a test of its own.
"""

import dataclasses
import json
import math
import pickle
import random
import re

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
import random_runs
from exact.mechanisms import oracles, release
from hockeystick import _core
from hockeystick._json import mechanism_from_json, mechanism_to_json
from hockeystick.adjacency import Direction
from hockeystick.verify.curves import composed
from mechanisms import atoms
from mechanisms.cells import UNDERFLOW, check_reflection
from questions import told
from random_runs import DIRECTIONS, KINDS, Term, is_defined

EDGES = np.array([-3.1, -1.3, -0.4, -0.05, 0.01, 0.06, 0.5, 1.5, 4.2])
WAYS = {
    way: name
    for adjacency, names in DIRECTIONS.items()
    for way, name in zip(adjacency.directions, names, strict=True)
}
WIDEST = 0.05  # of an answer that the memory limit of random runs leaves open
BAD = (math.nan, math.inf, -math.inf, 10**400, "1", 1j, True, [1.0], np.array([1.0]), object())


def terms(name, *, sampled, number=2):
    """Random terms of a kind, on a Poisson subsample or not."""
    rng = random.Random(f"{name} {sampled}")
    for _ in range(number):
        parameters = {**KINDS[name].draw(rng), "rate": min(10 ** rng.uniform(-3, 0), 0.999)}
        if not sampled:
            parameters.pop("rate")
        yield Term(name, parameters, 1)


def can_be_sampled(name):
    return hasattr(random_runs.mechanism(next(terms(name, sampled=False))), "poisson_sampled")


CASES = [(name, False) for name in KINDS] + [(name, True) for name in KINDS if can_be_sampled(name)]
every_mechanism = pytest.mark.parametrize(
    "found",
    [list(terms(name, sampled=sampled)) for name, sampled in CASES],
    ids=[f"{name}, sampled" if sampled else name for name, sampled in CASES],
)


def mechanisms(found):
    return [random_runs.mechanism(term) for term in found]


def defined_adjacencies(mechanism):
    return [a for a in hs.Adjacency if all(is_defined(mechanism, way) for way in a.directions)]


def classes(base=hs.Mechanism):
    """All mechanisms of the package; what others derive from is none."""
    for kind in base.__subclasses__():
        yield from classes(kind)
        public = re.fullmatch(r"hockeystick\.mechanisms\.[a-z]\w*", kind.__module__)
        if public and kind.is_exact and dataclasses.is_dataclass(kind):
            yield kind.__name__


def test_every_mechanism_is_exported_and_has_an_oracle():
    exact = {name for name in hs.mechanisms.__all__ if getattr(hs, name).is_exact}
    assert set(classes()) == exact == set(oracles()) | {"PoissonSampled"}


def test_every_pair_of_the_core_belongs_to_a_mechanism(monkeypatch):
    asked, make = set(), _core.dominating_pair

    def recorded(name, parameters):
        asked.add(name)
        return make(name, parameters)

    def described(*of):
        asked.add(_core.parts.described_pair_name(*of))
        return described_pair(*of)

    described_pair = _core.described_pair
    monkeypatch.setattr(_core, "dominating_pair", recorded)
    monkeypatch.setattr(_core, "described_pair", described)
    for name, sampled in CASES:
        for mechanism in mechanisms(terms(name, sampled=sampled)):
            for way in Direction:
                is_defined(mechanism, way)
    # The core has the reverses and samples of all that has finitely many outcomes.
    own = {name for name in _core.parts.pair_names() if f"{name}_back" not in asked}
    kinds = ("_above", "_below", "_moments")  # of curves, and of moments alone
    own = {name for name in own if not any(kind in name for kind in kinds)}
    assert asked <= set(_core.parts.pair_names())
    assert {n for n in own - asked if not n.endswith("_back")} == set()


@every_mechanism
def test_they_are_values(found):
    for mechanism in mechanisms(found):
        assert dataclasses.replace(mechanism) == mechanism
        kept = {
            field.name: getattr(mechanism, field.name) for field in dataclasses.fields(mechanism)
        }
        for name, value in (mechanism.arguments | kept).items():
            assert dataclasses.replace(mechanism, **{name: value}) == mechanism
        assert type(mechanism)(**mechanism.arguments) == mechanism
        again = type(mechanism)(**mechanism.arguments)
        assert hash(again) == hash(mechanism)
        for way in Direction:
            if is_defined(mechanism, way):
                assert again.dominating_pair(way) is mechanism.dominating_pair(way)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(mechanism, *kept.popitem())
        if any(map(callable, mechanism.arguments.values())):
            continue
        assert pickle.loads(pickle.dumps(mechanism)) == mechanism  # noqa: S301
        assert eval(repr(mechanism), vars(hs)) == mechanism  # noqa: S307


@pytest.mark.parametrize("name", [name for name in KINDS if can_be_sampled(name)])
def test_the_extremes_of_sampling(name):
    for term in terms(name, sampled=False):
        mechanism = random_runs.mechanism(term)
        assert mechanism.poisson_sampled(0).terms == ()
        assert mechanism.poisson_sampled(1).terms == mechanism.terms


@every_mechanism
def test_they_go_through_json(found):
    for mechanism in mechanisms(found):
        if any(map(callable, mechanism.arguments.values())):
            with pytest.raises(TypeError, match="^mechanism must not hold functions"):
                mechanism_to_json(mechanism)
            continue
        text = json.dumps(mechanism_to_json(mechanism))
        assert mechanism_from_json(json.loads(text), "$") == mechanism


@every_mechanism
def test_bad_parameters_are_named(found):
    mechanism = mechanisms(found)[0]
    for name, value in mechanism.arguments.items():
        for bad in BAD:
            if name == "steepest" and bad == math.inf:  # as of the normal density
                continue
            changed = (bad, *value[1:]) if isinstance(value, tuple) else bad
            with pytest.raises((ValueError, TypeError), match=f"^{name}\\b.* must .*, got "):
                type(mechanism)(**{**mechanism.arguments, name: changed})


@every_mechanism
def test_a_direction_without_a_pair_is_refused_by_name(found):
    for mechanism in mechanisms(found):
        assert defined_adjacencies(mechanism)
        for way in Direction:
            if not is_defined(mechanism, way):
                with pytest.raises(ValueError, match="^adjacency must be one that .* defined for"):
                    mechanism.dominating_pair(way)


@every_mechanism
def test_reverse_directions_reflect_each_other(found):
    for mechanism in mechanisms(found):
        for adjacency in defined_adjacencies(mechanism):
            if len(adjacency.directions) > 1:
                there, back = map(mechanism.dominating_pair, adjacency.directions)
                check_reflection(there, back)


def curve_of_cells(cells, i):
    """h at an edge, from the integrals over the cells above it."""
    p = np.array([*cells.p, cells.upper_tail_p])[i:]
    above = np.array([*cells.above, cells.upper_tail_above])[i:]
    return math.fsum(p - np.exp(EDGES[i] - EDGES[i:]) * (p - above)) + cells.infinity_mass


def check_atoms(pair, term, way, bits=900):
    with ctx.workprec(bits):
        law = atoms.outcomes(release(term.name, term.parameters, WAYS[way], bits))
    atoms.check(pair, law)


CORNERS = [
    (Term(name, parameters, 1), oracle.BITS)
    for name, oracle in oracles().items()
    for parameters in getattr(oracle, "CORNERS", ())
]


@pytest.mark.every(4)
@pytest.mark.parametrize(("term", "bits"), CORNERS, ids=lambda given: str(given)[:80])
def test_atoms_at_the_ends_of_the_range_are_those_of_the_oracle(term, bits):
    """Masses of e^-7000 and less, and some that differ from 1 by as little."""
    mechanism = random_runs.mechanism(term)
    for way in filter(lambda way: is_defined(mechanism, way), Direction):
        check_atoms(mechanism.dominating_pair(way), term, way, bits)


@every_mechanism
def test_cells_agree_with_the_oracle(found):
    """Each atom, where outcomes are finitely many, and else the hockey-stick curve."""
    for term, mechanism in zip(found, mechanisms(found), strict=True):
        for way in filter(lambda way: is_defined(mechanism, way), Direction):
            pair = mechanism.dominating_pair(way)
            if hasattr(oracles().get(term.name), "release"):
                check_atoms(pair, term, way)
                continue
            with ctx.workprec(200):
                known = random_runs.known_form(1 * mechanism).terms
                truth, cells = composed(known, way, 15), pair.integrate(EDGES)
                moved = 4 * (cells.loss_error + cells.share_error_p) + UNDERFLOW
                for i, edge in enumerate(EDGES.tolist()):
                    expected = float(truth.delta(arb(edge)).mid())
                    assert curve_of_cells(cells, i) == pytest.approx(expected, rel=1e-9, abs=moved)


# Why verify may know no truth: of noise of one's own, and of a mechanism that is new.
UNKNOWN = ("functions in doubles", "no rigorous law")


def hold(terms, adjacency, question, at):
    """The library's answer is narrow, and does not miss the truth; that, if it is known."""
    run = sum((term.count * random_runs.mechanism(term) for term in terms), hs.Composition())
    ask = run.delta_bounds if question == "epsilon" else run.epsilon_bounds
    bounds = told(ask, at, adjacency=adjacency, memory_limit=1 << 26)
    if bounds.lower < bounds.upper:
        assert bounds.upper - bounds.lower <= WIDEST * bounds.upper < math.inf
    run = random_runs.known_form(run)
    result = hs.verify(run, adjacency=adjacency, digits=12, fast=bounds, **{question: at})
    assert result.enclosed is not False, result
    return bounds, result


@every_mechanism
def test_a_release_with_others_encloses_the_truth(found):
    """Two atoms, by which the oracle shifts its closed form."""
    beside = Term("ApproximateDP", {"epsilon": 0.25, "delta": 1e-9}, 1)
    for term, mechanism in zip(found, mechanisms(found), strict=True):
        for adjacency in defined_adjacencies(mechanism):
            bounds, result = hold((term, beside), adjacency, "delta", 1e-6)
            assert result.enclosed or any(why in result.reason for why in UNKNOWN)
            if bounds.upper < math.inf:
                hold((term, beside), adjacency, "epsilon", 0.6 * bounds.upper)


@every_mechanism
def test_releases_enclose_the_truth(found):
    """Where it is known."""
    adjacency = defined_adjacencies(mechanisms(found)[0])[0]
    hold((found[0]._replace(count=2),), adjacency, "delta", 1e-4)


@every_mechanism
def test_calibration_finds_a_count_that_meets_the_target(found):
    for mechanism in mechanisms(found):
        how = {"adjacency": defined_adjacencies(mechanism)[0], "delta": 1e-4}
        target = 1.01 * (3 * mechanism).epsilon(**how)
        if 0 < target < math.inf:
            runs = {"epsilon": target, "bounds": (1, 9), "integer": True}
            count = hs.calibrate(lambda n, m=mechanism: n * m, **runs, **how)
            assert 3 <= count <= 9
            assert (count * mechanism).epsilon(**how) <= target


@every_mechanism
def test_verify_agrees_or_says_that_it_does_not_know(found):
    for mechanism in mechanisms(found):
        for adjacency in defined_adjacencies(mechanism):
            result = hs.verify(mechanism, epsilon=0.3, adjacency=adjacency, digits=8)
            assert result.enclosed is not False if result.known else result.reason
