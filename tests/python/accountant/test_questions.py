# SPDX-License-Identifier: Apache-2.0
"""A ledger answers whatever a run answers, under the neighbours that it is about."""

import inspect
import threading

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.views import Views

NORMAL = hs.DiscreteGaussian(sigma=5.0)
RUN = 10 * NORMAL + 3 * hs.Gaussian(noise_multiplier=4.0)
QUESTIONS = sorted(name for name in dir(Views) if not name.startswith("_") and name != "terms")

# What is asked of those that take something.
AT = {
    "epsilon": (1e-6,),
    "delta": (1.0,),
    "explain": (),
    "pld": (),
    "tradeoff": (0.1,),
    "true_positive_rate": ([1e-3, 0.1],),
    "reconstruction_risk": ([1e-3, 0.1],),
    "probabilistic_delta": (1.0,),
    "loss_quantile": (0.5,),
    "renyi_divergence": ([2.0, 10.0],),
}
OPTIONS = {
    "explain": {"delta": 1e-5},
    "pld": {"discretization_interval": 0.01},
    "gdp_mu": {"smallest_rate": 1e-3},
    "zcdp": {"largest_order": [32.0, np.inf]},
    "bayes_risk": {"prior": 0.3},
}


def asked(run, name, **options):
    question = name.removesuffix("_bounds")
    at, given = AT.get(question, ()), OPTIONS.get(question, {})
    return getattr(run, name)(*at, **given | options)


def ledger(adjacency, **options):
    return hs.Accountant(adjacency=adjacency, **options).compose(RUN)


def told(answer):
    """What can be compared."""
    if isinstance(answer, hs.PrivacyLossDistribution):
        return [answer.losses, answer.probabilities, answer.infinity_mass]
    if hasattr(answer, "directions"):
        return [row.verdict for table in answer.directions for row in table]
    return list(answer) if isinstance(answer, tuple) else [answer]


def same(one, other):
    return all(map(np.array_equal, told(one), told(other)))


@pytest.mark.parametrize("adjacency", list(hs.Adjacency), ids=str)
@pytest.mark.parametrize("name", QUESTIONS)
def test_it_answers_as_its_composition_does_under_its_adjacency(name, adjacency):
    taken = inspect.signature(getattr(hs.Composition, name)).parameters
    own = {"tolerance": 1e-4} if "tolerance" in taken else {}
    if "probabilistic" in name:
        own = {}  # which is 1e-2
    answer = asked(ledger(adjacency, tolerance=1e-4), name)
    assert same(answer, asked(RUN, name, adjacency=adjacency, **own))


def test_there_are_all_the_questions_of_the_table():
    table = {"true_positive_rate_bounds", "zcdp", "gdp_mu_bounds", "advantage", "loss_mean", "pld"}
    assert table <= set(QUESTIONS)
    for name in QUESTIONS:
        assert inspect.getdoc(getattr(hs.Accountant, name))


@pytest.mark.parametrize("name", [name for name in QUESTIONS if name not in ("pld", "explain")])
def test_replacing_costs_more_than_removing(name):
    """What was said of a composition that had forgotten its neighbours was too little."""
    replaced, forgotten = (asked(run, name) for run in (ledger("replace-one"), RUN))
    if name.endswith("_bounds"):
        replaced, forgotten = (np.asarray(each[1]) for each in (replaced, forgotten))
    falls = name.startswith(("tradeoff", "bayes_risk"))
    assert np.all(np.asarray(replaced) < forgotten if falls else np.asarray(replaced) > forgotten)


def test_the_numbers_that_were_too_small():
    """Of ten tables under replace-one the composition says 2.92 and 0.2."""
    acct = hs.Accountant(adjacency="replace-one").compose(NORMAL, 10)
    assert 6.39 < acct.epsilon(1e-6) < 6.41
    assert acct.zcdp() == pytest.approx(0.8, rel=1e-12)
    assert acct.composition.zcdp() == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize("name", QUESTIONS)
def test_another_adjacency_is_refused_and_its_own_is_not(name):
    acct = ledger("replace-one")
    with pytest.raises(ValueError, match="^adjacency must be that of the accountant, replace-one"):
        asked(acct, name, adjacency="add-or-remove-one")
    with pytest.raises(ValueError, match="^adjacency must be one of "):
        asked(acct, name, adjacency="next-door")
    assert same(asked(acct, name, adjacency="REPLACE_ONE"), asked(acct, name))


@pytest.mark.parametrize("name", QUESTIONS)
def test_help_shows_what_may_be_given(name):
    """And no adjacency or tolerance by default, which are the accountant's."""
    shown = inspect.signature(getattr(hs.Accountant, name)).parameters
    assert not {"adjacency", "tolerance", "options", "at"} & set(shown)
    assert "memory_limit" in shown
    with pytest.raises(TypeError, match="unexpected keyword argument 'sample_rate'"):
        asked(ledger("replace-one"), name, sample_rate=0.1)


def test_a_finer_tolerance_may_be_given():
    acct = ledger("replace-one", tolerance=0.1)
    for name in ("epsilon_bounds", "delta_bounds", "true_positive_rate_bounds", "zcdp_bounds"):
        fine = asked(acct, name, tolerance=1e-5)
        assert np.all(fine.upper - fine.lower <= 1e-5 * np.asarray(fine.upper))


def test_the_nothing_of_a_new_ledger():
    acct = hs.Accountant(adjacency="replace-one")
    assert (acct.zcdp(), acct.advantage(), acct.gdp_mu(), acct.terms) == (0.0, 0.0, 0.0, ())
    assert acct.tradeoff(0.25) == pytest.approx(0.75)


def test_bounds_explain_the_state_that_was_asked():
    acct = ledger("replace-one")
    bounds = acct.epsilon_bounds(1e-5)
    before = bounds.explain().directions
    acct.compose(hs.Laplace(noise_multiplier=1.0))
    assert [row.method for row in bounds.explain().directions[0]] == [
        row.method for row in before[0]
    ]


def test_an_answer_is_of_one_state(monkeypatch):
    """Whatever another thread enters meanwhile."""
    acct = ledger("replace-one")
    expected = acct.zcdp()
    found = hs.Composition.zcdp

    def slow(run, **options):
        thread = threading.Thread(target=lambda: acct.compose(hs.Gaussian(1.0)))
        thread.start()
        thread.join()
        return found(run, **options)

    monkeypatch.setattr(hs.Composition, "zcdp", slow)
    assert acct.zcdp() == expected
    assert acct.composition == RUN + hs.Gaussian(1.0)
