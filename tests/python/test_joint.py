# SPDX-License-Identifier: Apache-2.0
"""Releases from the same records, and groups of records, as users write them."""

import json

import pytest

import hockeystick as hs
from hockeystick.cli import main

STEP = hs.Gaussian(0.8).poisson_sampled(0.001)


def test_gaussians_are_one_gaussian():
    assert hs.joint(hs.Gaussian(3)) == hs.Gaussian(3)
    both = hs.joint(hs.Gaussian(4), 2 * hs.Gaussian(3))
    assert both == hs.JointGaussian((3.0, 4.0), counts=(2, 1))
    assert hs.joint(both, hs.Gaussian(4)) == hs.JointGaussian((3.0, 4.0), counts=(2, 2))
    assert eval(repr(both), vars(hs)) == both  # noqa: S307
    sampled = both.poisson_sampled(0.1)
    assert eval(repr(sampled), vars(hs)) == sampled  # noqa: S307


def test_others_are_their_composition_and_are_sampled_as_a_whole():
    release = hs.joint(hs.Laplace(3), hs.Gaussian(4))
    assert release == hs.Laplace(3) + hs.Gaussian(4)
    assert release.poisson_sampled(0.1) == hs.PoissonSampledRun(release, sampling_probability=0.1)
    together = (hs.Laplace(3) + hs.Gaussian(4)).poisson_sampled_together(0.1)
    assert together == release.poisson_sampled(0.1)


def test_an_infinite_loss_in_one_part_stays():
    release = hs.joint(hs.ApproximateDP(0.1, 1e-3), hs.Laplace(5)).poisson_sampled(0.5)
    assert release.delta(50.0) >= 0.5e-3


def test_adaptive_clipping_is_one_noise():
    step = hs.adaptive_clipping(noise_multiplier=1.5, quantile_noise=20.0)
    same = hs.Gaussian(1.498946423563771)
    for adjacency in ("add-or-remove-one", "replace-one"):
        found, known = (
            (100 * one.poisson_sampled(0.1)).epsilon(1e-6, adjacency=adjacency)
            for one in (step, same)
        )
        assert found == pytest.approx(known, rel=1e-9)
    unshifted = hs.adaptive_clipping(noise_multiplier=1.5, quantile_noise=20.0, shifted=False)
    assert unshifted == hs.joint(hs.Gaussian(1.5), hs.Gaussian(20.0))


@pytest.mark.parametrize("inner", [hs.Gaussian(2.0), hs.joint(hs.Gaussian(2), hs.Gaussian(4))])
def test_replaced_groups_cost_at_least_what_removed_ones_do(inner):
    """Others may replace them that add nothing."""
    group = (100 * inner.poisson_sampled(0.01)).group(4)
    lower, upper = group.epsilon_bounds(1e-6, adjacency="replace-one")
    one = (100 * inner.poisson_sampled(0.01)).epsilon_bounds(1e-6, adjacency="replace-one")
    removed = group.epsilon_bounds(1e-6)
    assert one.lower < removed.lower * (1 - 1e-3) <= lower <= upper
    orders = group.renyi_divergence_bounds(4.0, adjacency="replace-one")
    assert group.renyi_divergence_bounds(4.0).lower * (1 - 1e-3) <= orders.lower <= orders.upper


def test_groups_of_steps():
    users = (10_000 * STEP).group(8)
    bounds = users.epsilon_bounds(1e-6, tolerance=1e-5)
    assert 8.9416 < bounds.lower < bounds.upper < 8.9419
    assert hs.Gaussian(6.0).group(3).epsilon_bounds(1e-5).lower <= 1.9930914044151196
    assert STEP.group(2).group(4) == STEP.group(8)
    assert (5 * STEP).group(1) == 5 * STEP
    assert hs.Gaussian(2.0).group(3).poisson_sampled(0.1) == hs.JointGaussian(
        [2.0], counts=[9]
    ).poisson_sampled(0.1)


def test_all_questions_are_answered_of_exact_groups():
    run = (1000 * hs.Gaussian(1.0).poisson_sampled(0.01)).group(4)
    how = {"adjacency": "add-or-remove-one"}
    assert run.loss_quantile_bounds(0.9, **how).upper < 3.6
    assert run.renyi_divergence(4.0, **how) > 1
    assert run.gdp_mu_bounds(**how).lower > 1
    assert run.pld(discretization_interval=1e-2).epsilon(1e-6) > 10


def test_explain_says_what_is_exact():
    assert "group(8): exact" in str((10 * STEP).group(8).explain(delta=1e-6))
    there = STEP.group(8).explain(delta=1e-6, adjacency="replace-one")
    assert there.notes[0].endswith(": a bound")
    assert (10 * STEP).explain(delta=1e-6).notes == ()
    best = hs.best_of(STEP, runs="poisson", mean=2)
    assert "attained" in best.explain(delta=1e-6).notes[0]


def typed(capsys, command):
    with pytest.raises(SystemExit) as exited:
        main(command.split())
    out, err = capsys.readouterr()
    return exited.value.code, out, err


def test_the_command_line_groups(capsys):
    run = "epsilon -s 0.8 -p 0.001 --steps 10000 --delta 1e-6 --tolerance 1e-5 --group-size"
    code, out, _ = typed(capsys, f"{run} 8")
    assert code == 0
    assert "epsilon = 8.941" in out
    assert "groups of 8" in out
    _, out, _ = typed(capsys, f"{run} 8 --json")
    assert json.loads(out)["question"]["group_size"] == 8
    code, _, err = typed(capsys, f"{run} 0")
    assert code != 0
    assert "size must" in err


def test_groups_of_records_that_join_some_steps():
    """By the curve of the blocks together; a group costs more than a record."""
    step = hs.Gaussian(2.0)
    scheme = step.random_allocation(steps=100, selected=3)
    one, two = scheme.epsilon_bounds(1e-5), scheme.group(2).epsilon_bounds(1e-5)
    assert one.lower * (1 - 1e-6) <= two.lower <= two.upper
    assert one.upper < two.upper < (3 * step.group(2)).epsilon(1e-5)
    assert scheme.group(1).epsilon(1e-5) == one.upper
    assert (2 * scheme + hs.Laplace(9.0)).group(2).epsilon(1e-5) > two.upper
    assert (
        scheme.group(2).renyi_divergence(2.0) <= (3 * step.group(2)).renyi_divergence(2.0) * 1.001
    )


def test_groups_of_correlated_noise_are_exact():
    tree = hs.MatrixMechanism.tree(leaves=8, noise_multiplier=20.0)
    bounds = tree.group(3).epsilon_bounds(1e-5)
    alone = hs.Gaussian(10 / 3).epsilon_bounds(1e-5)
    assert bounds.lower <= alone.upper
    assert alone.lower <= bounds.upper <= bounds.lower * (1 + 1e-6)
    with pytest.raises(ValueError, match="^size must be at most noise"):
        hs.MatrixMechanism.tree(leaves=8, noise_multiplier=0.01).group(100)
