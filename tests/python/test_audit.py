# SPDX-License-Identifier: Apache-2.0
"""Audits as users ask for them: truths, honest and dishonest programs, refusals."""

import math

import numpy as np
import pytest

import hockeystick as hs

NAMES = ("true_positives", "false_negatives", "false_positives", "true_negatives")
STEP = hs.Gaussian(1.0).poisson_sampled(0.01)


def counted(*four):
    return dict(zip(NAMES, four, strict=True))


@pytest.mark.parametrize("epsilon", [0.41, 0.5, 1.0, 700.0])
def test_guesses_far_below_what_a_claim_allows_are_no_evidence(epsilon):
    """Probabilities of fewer right guesses are 0 as doubles: they were all gone through, 1e9."""
    run = {"canaries": 10**9, "guesses": 10**9, "correct": 6 * 10**8}
    assert hs.audit.one_run_p_value(**run, epsilon=epsilon, delta=1e-9) == 1
    found = hs.audit.one_run_epsilon_lower(**run, delta=1e-9)
    assert 0.405 < found < math.log(1.5)


def test_scores_that_tell_nothing_give_nothing():
    rng = np.random.default_rng(0)
    assert hs.audit.epsilon_lower(**counted(500, 500, 500, 500), delta=0) == 0
    assert hs.audit.mu_lower(**counted(500, 500, 500, 500)) == 0
    positive = 0
    for _ in range(40):
        inside, outside = rng.normal(size=500), rng.normal(size=500)
        four = hs.audit.counts(inside, outside, threshold=0.3)
        positive += hs.audit.epsilon_lower(**four, delta=1e-5) > 0
        some = hs.audit.epsilon_lower_of_scores(
            inside, outside, thresholds=np.linspace(-2, 2, 20), delta=1e-5
        )
        positive += some > 0
    assert positive <= 6  # of 80, at 95 % each
    seen = {"canaries": 1000, "guesses": 1000, "correct": 500}
    assert hs.audit.one_run_epsilon_lower(**seen, delta=1e-5) == 0
    assert not hs.audit.one_run_refutes(hs.ApproximateDP(1e-6, 0), **seen)


def test_reversed_attacks_are_not_turned_round():
    assert hs.audit.epsilon_lower(**counted(50, 950, 900, 100), delta=1e-5) == 0
    assert hs.audit.mu_lower(**counted(50, 950, 900, 100)) == 0


def test_thresholds_named_in_advance_share_the_confidence():
    rng = np.random.default_rng(1)
    inside, outside = rng.normal(2, 1, size=1000), rng.normal(size=1000)
    one = hs.audit.epsilon_lower_of_scores(inside, outside, thresholds=[1.0], delta=0)
    four = hs.audit.counts(inside, outside, threshold=1.0)
    assert one == pytest.approx(hs.audit.epsilon_lower(**four, delta=0), rel=1e-12)
    twice = hs.audit.epsilon_lower_of_scores(inside, outside, thresholds=[1.0, 1.0], delta=0)
    assert twice == pytest.approx(
        hs.audit.epsilon_lower(**four, delta=0, confidence=0.975), rel=1e-12
    )
    assert twice < one


def test_honest_gaussians_are_not_refuted_and_quieter_claims_are():
    """Counts at the best threshold, without any noise of counting."""
    for mu in (0.5, 2.0):
        rate = 0.5 * math.erfc(-mu / 2 / math.sqrt(2))
        n = 10**6
        four = counted(round(n * rate), n - round(n * rate), n - round(n * rate), round(n * rate))
        assert not hs.audit.refutes(hs.Gaussian(1 / mu), **four)
        assert hs.audit.refutes(hs.Gaussian(1.02 / mu), **four)
        assert hs.audit.mu_lower(**four) == pytest.approx(mu, rel=0.02)
        assert hs.audit.mu_lower(**four) < mu


def test_one_run_of_independent_canaries_is_not_refuted():
    """100 Gaussian canaries of mu = 1, the 20 surest guessed: P(18, 19, 20 or more right)."""
    levels = {18: 0.492, 19: 0.237, 20: 0.060}  # by simulation
    for correct, probability in levels.items():
        seen = {"canaries": 100, "guesses": 20, "correct": correct}
        honest = hs.Gaussian(1.0)
        assert not hs.audit.one_run_refutes(honest, **seen, confidence=1 - probability)
    bounds = {18: 0.738, 19: 0.391, 20: 0.142}  # of the exact curve
    for correct, level in bounds.items():
        seen = {"canaries": 100, "guesses": 20, "correct": correct}
        assert hs.audit.one_run_refutes(hs.Gaussian(1.0), **seen, confidence=1 - level - 0.005)
        assert not hs.audit.one_run_refutes(hs.Gaussian(1.0), **seen, confidence=1 - level + 0.005)


def test_accountants_are_asked_under_their_own_adjacency():
    seen = {"canaries": 1000, "guesses": 100, "correct": 95}
    acct = hs.Accountant(adjacency="replace-one").compose(hs.Gaussian(1.0))
    assert hs.audit.one_run_refutes(hs.Gaussian(2.0), **seen)
    for noise in (0.5, 2.0, 4.0):
        replaced = hs.Accountant(adjacency="replace-one").compose(hs.Gaussian(noise))
        assert hs.audit.one_run_refutes(replaced, **seen) == hs.audit.one_run_refutes(
            hs.Gaussian(noise / 2), **seen
        )
    with pytest.raises(ValueError, match="^adjacency must be that of the accountant"):
        hs.audit.refutes(acct, **counted(9, 1, 1, 9), adjacency="add-or-remove-one")
    assert hs.audit.reconstruction_risk(acct, 0.01) == hs.Gaussian(0.5).reconstruction_risk(0.01)


def test_directions_that_differ():
    """Of a sampled Gaussian that is claimed as it is, no count that it can have is refuted."""
    run = 4 * hs.Gaussian(0.7).poisson_sampled(0.3)
    for fpr in (1e-3, 0.05, 0.3):
        best = run.true_positive_rate_bounds(fpr, adjacency="remove-one").lower
        n = 10**7
        hits, alarms = int(best * n), int(fpr * n)
        for adjacency in ("add-or-remove-one", "remove-one", "add-one", "replace-special"):
            honest = counted(hits, n - hits, alarms, n - alarms)
            assert not hs.audit.refutes(run, **honest, adjacency=adjacency)
        more = min(n, int(1.02 * best * n) + 3000)
        assert hs.audit.refutes(run, **counted(more, n - more, alarms, n - alarms))


def test_an_added_record_is_missed_no_more_often_than_claimed():
    """Right "no"s, at the rate of wrong ones: the test of the direction that is claimed."""
    run, n = 4 * hs.Gaussian(0.7).poisson_sampled(0.3), 10**7
    for missed in (1e-3, 0.05):
        best = run.true_positive_rate_bounds(missed, adjacency="add-one").lower
        misses = int(missed * n)
        for right, is_refuted in ((int(best * n), False), (int(1.02 * best * n) + 3000, True)):
            four = counted(n - misses, misses, n - right, right)
            assert hs.audit.refutes(run, **four, adjacency="add-one") == is_refuted


def test_reconstruction():
    run = 1000 * STEP
    risk = run.reconstruction_risk_bounds(1e-3)
    assert risk == run.true_positive_rate_bounds(1e-3)
    assert run.reconstruction_risk(1e-3) == risk.upper
    assert run.reconstruction_risk([1e-3, 0.1]).shape == (2,)
    noise = hs.calibrate(
        lambda s: 1000 * hs.Gaussian(s).poisson_sampled(0.01),
        reconstruction_risk=0.01,
        baseline=1e-3,
    )
    assert (
        0.0099 < (1000 * hs.Gaussian(noise).poisson_sampled(0.01)).reconstruction_risk(1e-3) <= 0.01
    )
    with pytest.raises(ValueError, match="^baseline must be in"):
        run.reconstruction_risk(1.5)
    # What is reconstructed is in the data, which the direction of an added record calls the other.
    one = hs.Gaussian(0.3).poisson_sampled(0.1)
    for adjacency in ("add-one", "remove-one", "add-or-remove-one"):
        assert 0.0848 < one.reconstruction_risk(0.006, adjacency=adjacency) < 0.0849
        rate = hs.calibrate(
            hs.Gaussian(0.3).poisson_sampled,
            reconstruction_risk=0.0849,
            baseline=0.006,
            adjacency=adjacency,
        )
        assert 0.1 < rate < 0.1002
    with pytest.raises(ValueError, match="^reconstruction_risk must be above baseline"):
        hs.calibrate(lambda n: n * STEP, reconstruction_risk=0.1, baseline=0.2)


def test_deltas_that_explain_all_hits():
    assert hs.audit.epsilon_lower(**counted(10, 90, 0, 100), delta=0.5) == 0
