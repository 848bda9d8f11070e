# SPDX-License-Identifier: Apache-2.0
"""Flower accounts by this library: its protocol, configuration and events."""

import inspect
import json
from fractions import Fraction

import pytest

import exact
import hockeystick as hs
from questions import encloses

serverapp = pytest.importorskip("flwr.serverapp", reason="the extra flower is not installed")

from hockeystick.compat.flower import HockeystickAccountant  # noqa: E402

ADD_REMOVE = serverapp.NeighboringRelation.ADD_OR_REMOVE_ONE
POISSON = serverapp.SamplingMethod.POISSON
REPLACE = serverapp.NeighboringRelation.REPLACE_ONE
WITHOUT = serverapp.SamplingMethod.WITHOUT_REPLACEMENT
NONE = serverapp.SamplingMethod.NO_AMPLIFICATION
DELTA, CLIENTS = 1e-5, 1000
EVENT = serverapp.GaussianPrivacyEvent(1.0, 30, CLIENTS)


def config(sampling=POISSON, max_epsilon=None):
    return serverapp.PrivacyConfig(DELTA, CLIENTS, ADD_REMOVE, sampling, max_epsilon)


def spent(*counts, sampling=POISSON, max_epsilon=None, event=EVENT):
    accountant = HockeystickAccountant(config(sampling, max_epsilon))
    for count in counts:
        accountant.compose(event, count)
    return accountant


def test_the_protocol_is_kept():
    for name, member in inspect.getmembers(serverapp.PrivacyAccountant):
        if name.startswith("_"):
            continue
        ours = inspect.getattr_static(HockeystickAccountant, name)
        assert type(ours) is type(inspect.getattr_static(serverapp.PrivacyAccountant, name))
        if inspect.isfunction(member):
            theirs = inspect.signature(member).parameters.values()
            assert [(p.name, p.kind, p.default) for p in theirs] == [
                (p.name, p.kind, p.default) for p in inspect.signature(ours).parameters.values()
            ]


@pytest.mark.parametrize("sampling", [POISSON, NONE])
def test_bounds_are_above_the_truth_by_little(sampling):
    q = EVENT.sample_size / CLIENTS if sampling is POISSON else 1.0
    run = ((exact.Step(EVENT.noise_multiplier, q), 1),)
    once = spent(1, sampling=sampling)
    epsilon, delta = once.get_epsilon(DELTA), once.get_delta(0.5)
    assert encloses(hs.Bounds(epsilon * 0.999, epsilon), exact.epsilon(run, DELTA))
    assert encloses(hs.Bounds(delta * 0.999, delta), exact.delta(run, 0.5))
    step = hs.Gaussian(noise_multiplier=EVENT.noise_multiplier).poisson_sampled(q)
    five = spent(2, 3, sampling=sampling).get_epsilon(DELTA)
    assert five == pytest.approx((5 * step).epsilon(DELTA), rel=1e-12)


def test_sampling_probabilities_are_rounded_up():
    ((mechanism, count),) = spent(1)._account.ledger
    assert count == 1
    assert Fraction(mechanism.sampling_probability) > Fraction(EVENT.sample_size, CLIENTS)
    assert mechanism.sampling_probability <= 0.03 * (1 + 2**-52)


def test_their_accountant_is_above():
    pytest.importorskip("dp_accounting", reason="the extra dp-accounting is not installed")
    theirs = serverapp.RdpAccountant(config())
    theirs.compose(EVENT, 500)
    ours = spent(500)
    assert ours.num_releases == theirs.num_releases == 500
    report, other = ours.get_privacy_spent(), theirs.get_privacy_spent()
    assert 1.05 * report.epsilon < other.epsilon < 1.5 * report.epsilon
    assert (report.delta, report.num_releases) == (other.delta, other.num_releases)
    assert report.accounting_method == "hockeystick"
    assert report.epsilon == ours.get_epsilon(DELTA)
    assert ours.get_privacy_spent(1e-3).epsilon == ours.get_epsilon(1e-3) < report.epsilon
    assert ours.get_delta(2.0) < theirs.get_delta(2.0)


def test_admission():
    accountant = spent(100, max_epsilon=4.0)
    step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.03)
    fits = hs.calibrate(lambda steps: steps * step, epsilon=4.0, delta=DELTA) - 100
    assert fits > 1
    assert not accountant.would_exceed(EVENT, count=fits)
    assert accountant.would_exceed(EVENT, count=fits + 1)
    assert not accountant.would_exceed(EVENT, 5.0, fits + 1)
    assert accountant.num_releases == 100
    with pytest.raises(ValueError, match="max_epsilon must be given"):
        spent(1).would_exceed(EVENT)
    with pytest.raises(ValueError, match="max_epsilon must be"):
        accountant.would_exceed(EVENT, 0.0)


def test_state_survives_json():
    accountant = spent(3, 4, max_epsilon=2.0)
    state = json.loads(json.dumps(accountant.state_dict()))
    restored = spent(1, max_epsilon=2.0)
    restored.load_state_dict(state)
    assert restored.state_dict() == accountant.state_dict()
    assert restored.get_epsilon(DELTA) == accountant.get_epsilon(DELTA)
    assert restored.num_releases == 7
    restored.compose(EVENT)
    assert accountant.num_releases == 7


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": 2},
        {"backend": "rdp"},
        {"config": {}},
        {"compositions": None},
        {"compositions": [{}]},
        {"compositions": [7]},
        {"compositions": [{"event": {"noise_multiplier": 1.0}, "count": 1}]},
        {"compositions": [{"event": vars(EVENT), "count": 0}]},
    ],
)
def test_bad_states_change_nothing(change):
    accountant = spent(3)
    before = accountant.state_dict()
    with pytest.raises(ValueError, match="state"):
        accountant.load_state_dict(before | change)
    missing = {name: value for name, value in before.items() if name not in change}
    with pytest.raises(ValueError, match="state"):
        accountant.load_state_dict(missing)
    assert accountant.state_dict() == before


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda a: a.compose(EVENT, 0), ValueError, "count must be"),
        (lambda a: a.compose(EVENT, True), TypeError, "count must be"),
        (lambda a: a.compose(1.0), TypeError, "event must be"),
        (
            lambda a: a.compose(serverapp.GaussianPrivacyEvent(1.0, 30, 999)),
            ValueError,
            "population_size",
        ),
        (lambda a: a.get_epsilon(0.0), ValueError, "delta must be"),
        (lambda a: a.get_delta(-1.0), ValueError, "epsilon must be"),
        (lambda _: HockeystickAccountant(None), TypeError, "config must be"),
    ],
)
def test_bad_input_changes_nothing(ask, error, message):
    accountant = spent(3)
    with pytest.raises(error, match=message):
        ask(accountant)
    assert accountant.num_releases == 3
    assert accountant.get_epsilon(DELTA) == spent(3).get_epsilon(DELTA)


def without_replacement(relation=REPLACE):
    return serverapp.PrivacyConfig(DELTA, CLIENTS, relation, WITHOUT, 4.0)


def test_sampling_without_replacement():
    accountant = HockeystickAccountant(without_replacement())
    accountant.compose(EVENT, 20)
    step = hs.Gaussian(noise_multiplier=1.0).fixed_size_sampled(batch_size=30, dataset_size=CLIENTS)
    bounds = (20 * step).epsilon_bounds(DELTA, adjacency="replace-one")
    assert bounds.limited_by == "theory"
    assert bounds.lower < accountant.get_epsilon(DELTA) <= bounds.upper * (1 + 1e-3)
    assert not accountant.would_exceed(EVENT, 2 * bounds.upper)
    assert accountant.would_exceed(EVENT, bounds.lower)
    restored = HockeystickAccountant(without_replacement())
    restored.load_state_dict(json.loads(json.dumps(accountant.state_dict())))
    assert restored.get_epsilon(DELTA) == accountant.get_epsilon(DELTA)


def test_their_noise_multiplier_is_of_a_replaced_client():
    pytest.importorskip("dp_accounting", reason="the extra dp-accounting is not installed")
    theirs = serverapp.RdpAccountant(without_replacement())
    theirs.compose(EVENT, 100)
    ours = HockeystickAccountant(without_replacement())
    ours.compose(serverapp.GaussianPrivacyEvent(2.0, 30, CLIENTS), 100)
    assert ours.get_epsilon(DELTA) < theirs.get_epsilon(DELTA)
    same = HockeystickAccountant(without_replacement())
    same.compose(EVENT, 100)
    assert same.get_epsilon(DELTA) > theirs.get_epsilon(DELTA)


def test_sampling_without_replacement_of_clients_added_is_refused():
    unchecked = without_replacement()  # Flower itself refuses this one
    object.__setattr__(unchecked, "neighboring_relation", ADD_REMOVE)
    with pytest.raises(ValueError, match="must be REPLACE_ONE for WITHOUT_REPLACEMENT"):
        HockeystickAccountant(unchecked)
