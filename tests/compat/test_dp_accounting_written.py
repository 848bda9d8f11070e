# SPDX-License-Identifier: Apache-2.0
"""Runs as events of dp_accounting: read back as the same runs, and accounted alike by its own."""

import subprocess
import sys

import pytest

dp_accounting = pytest.importorskip(
    "dp_accounting", reason="the extra dp-accounting is not installed"
)

from dp_accounting import pld, rdp  # noqa: E402

import hockeystick as hs  # noqa: E402
from hockeystick.compat.dp_accounting.events import translated  # noqa: E402
from rare_runs import batches  # noqa: E402

event = dp_accounting.dp_event
Relation = dp_accounting.NeighboringRelation
ADD_REMOVE, REPLACE = Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE
G, L = hs.Gaussian(noise_multiplier=2.0), hs.Laplace(noise_multiplier=3.0)
MIXTURE = hs.GaussianMixture(
    standard_deviation=2.0, sensitivities=[0.0, 1.0, 2.0], probabilities=[0.5, 0.25, 0.25]
)
TRUNCATED = batches(2.0, 0.1, 150, 1000)
RESPONSE = hs.RandomizedResponse(noise_parameter=0.5, num_buckets=3)
KNOWN = [
    (G, ADD_REMOVE),
    (L, ADD_REMOVE),
    (hs.DiscreteLaplace(parameter=0.3, sensitivity=2), ADD_REMOVE),
    (RESPONSE, REPLACE),
    (MIXTURE, ADD_REMOVE),
    (G.poisson_sampled(0.1), REPLACE),
    (L.poisson_sampled(0.1), ADD_REMOVE),
    (TRUNCATED, ADD_REMOVE),
    (G.fixed_size_sampled(batch_size=10, dataset_size=100), REPLACE),
    (G.fixed_size_sampled(batch_size=10, dataset_size=100, replacement=True), REPLACE),
]


@pytest.mark.parametrize(("mechanism", "relation"), KNOWN, ids=repr)
def test_what_is_written_is_read_back(mechanism, relation):
    assert translated(mechanism.to_dp_event(), relation) == mechanism
    run = 3 * mechanism
    assert isinstance(run.to_dp_event(), event.SelfComposedDpEvent)
    assert translated(run.to_dp_event(), relation) == run
    both = run + 5 * hs.Gaussian(noise_multiplier=7.0)
    assert isinstance(both.to_dp_event(), event.ComposedDpEvent)
    assert translated(both.to_dp_event(), relation) == both


@pytest.mark.parametrize(("mechanism", "relation"), KNOWN, ids=repr)
def test_a_ledger_becomes_a_run(mechanism, relation):
    for run in (3 * mechanism, mechanism + 5 * hs.Gaussian(noise_multiplier=7.0)):
        accountant = pld.PLDAccountant(relation)
        if accountant.supports(run.to_dp_event()):
            ledger = accountant.compose(run.to_dp_event(), 2).ledger
            assert hs.Composition.from_dp_event(ledger, adjacency=relation.name) == 2 * run
        assert hs.Composition.from_dp_event(run.to_dp_event(), adjacency=relation.name) == run


def test_directions_of_one_adjacency_have_its_events():
    for adjacency in hs.Adjacency:
        if not adjacency.name.startswith("REPLACE"):
            assert hs.Composition.from_dp_event(L.to_dp_event(), adjacency=adjacency) == 1 * L
    assert hs.Composition.from_dp_event(event.NoOpDpEvent()) == hs.Composition()


@pytest.mark.parametrize(
    ("made", "adjacency", "error", "message"),
    [
        (L.to_dp_event(), "replace-one", ValueError, "must be one with a mechanism under 'replace"),
        (RESPONSE.to_dp_event(), "add-or-remove-one", ValueError, "RandomizedResponseDpEvent"),
        (event.UnsupportedDpEvent(), "replace-one", ValueError, "Unsupported event"),
        (
            event.ComposedDpEvent([event.UnsupportedDpEvent()]),
            "replace-one",
            ValueError,
            "got Unsu",
        ),
        (event.GaussianDpEvent(-1.0), "add-one", ValueError, "noise_multiplier must be"),
        (G, "add-one", TypeError, "event must be a DpEvent of dp_accounting, got Gaussian"),
        (G.to_dp_event(), "neighbours", ValueError, "adjacency must be one of"),
    ],
)
def test_events_that_are_no_run(made, adjacency, error, message):
    with pytest.raises(error, match=message):
        hs.Composition.from_dp_event(made, adjacency=adjacency)


ITS_OWN = [
    40 * G.poisson_sampled(0.1) + 3 * L,
    5 * hs.DiscreteLaplace(parameter=0.3, sensitivity=2) + MIXTURE,
    10 * TRUNCATED,
]


@pytest.mark.parametrize("run", ITS_OWN, ids=repr)
def test_its_own_accountant_agrees(run):
    theirs = pld.PLDAccountant(ADD_REMOVE, 1e-3).compose(run.to_dp_event())
    bounds = run.epsilon_bounds(1e-5)
    assert bounds.lower * 0.999 <= theirs.get_epsilon(1e-5) <= bounds.upper * 2.2


def test_zcdp_is_theirs():
    written = hs.ZCDP(rho=0.1).to_dp_event()
    assert (written.rho, written.xi) == (0.1, 0)
    theirs = rdp.RdpAccountant(neighboring_relation=ADD_REMOVE)
    epsilon = theirs.compose(written).get_epsilon(1e-5)
    assert hs.ZCDP(rho=0.1).epsilon_bounds(1e-5).lower <= epsilon


def test_nothing_is_no_event():
    assert hs.Composition().to_dp_event() == event.NoOpDpEvent()
    assert G.poisson_sampled(0).to_dp_event() == event.NoOpDpEvent()


@pytest.mark.parametrize(
    "mechanism", [hs.DiscreteGaussian(sigma=2.0), G.shuffled(batches=3)], ids=repr
)
def test_what_it_has_no_event_for_is_refused(mechanism):
    with pytest.raises(TypeError, match="no event for"):
        (2 * mechanism + G).to_dp_event()


def test_what_another_version_may_have(monkeypatch):
    query = hs.ApproximateDP(epsilon=0.1, delta=1e-6)
    monkeypatch.delattr(event, "EpsilonDeltaDpEvent", raising=False)
    with pytest.raises(TypeError, match="has no EpsilonDeltaDpEvent for ApproximateDP"):
        query.to_dp_event()
    monkeypatch.setattr(event, "EpsilonDeltaDpEvent", dict, raising=False)
    assert query.to_dp_event() == {"epsilon": 0.1, "delta": 1e-6}


def test_it_is_imported_only_when_asked():
    code = "import sys, hockeystick as hs; hs.Composition(); print('dp_accounting' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
