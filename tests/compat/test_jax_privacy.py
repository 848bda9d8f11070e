# SPDX-License-Identifier: Apache-2.0
"""Strategies of JAX Privacy: what they do is what the run says, by their names and fields alone."""

import dataclasses
import enum
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.compat.jax_privacy import _RUNS, correlated_run, selected_run
from rare_runs import batches

STEP = hs.Gaussian(noise_multiplier=1.0)
FREE = hs.Composition()
Split = enum.Enum("Split", ["INDEPENDENT", "EQUAL_SPLIT"])


def made_up(name, **fields):
    """A strategy of that name with these fields."""
    return type(name, (SimpleNamespace,), {})(**fields)


def cyclic(**changes):
    fields = {
        "sampling_prob": 0.1,
        "iterations": 60,
        "truncated_batch_size": None,
        "cycle_length": 1,
        "partition_type": Split.EQUAL_SPLIT,
    }
    return made_up("CyclicPoissonSampling", **{**fields, **changes})


def run(strategy, size=None):
    return selected_run(strategy, noise_multiplier=1.0, dataset_size=size)


def bins(iterations, cycle):
    return made_up("BallsInBinsSampling", iterations=iterations, cycle_length=cycle)


def allocated(iterations, times):
    name = "RandomAllocationSampling"
    return made_up(name, iterations=iterations, total_participations=times)


def fixed(batch, *, replace):
    return made_up("FixedBatchSampling", batch_size=batch, iterations=60, replace=replace)


def separated(rate, apart):
    fields = {"sampling_prob": rate, "iterations": 9, "min_sep": apart, "warm_start": True}
    return made_up("BMinSepSampling", **fields)


def cut(size):
    return batches(1.0, 0.1, 20, size)


USERS = made_up("UserSelectionStrategy", base_strategy=cyclic(), examples_per_user_per_batch=2)
APART = cyclic(sampling_prob=1, cycle_length=20, partition_type=Split.INDEPENDENT)
TENTH, BATCH = STEP.poisson_sampled(0.1), {"batch_size": 5, "dataset_size": 100}
CASES = [
    (cyclic(), None, 60 * TENTH),
    (cyclic(iterations=0), None, FREE),
    (cyclic(cycle_length=7), None, 9 * TENTH),
    (cyclic(sampling_prob=1), None, 60 * STEP),
    (cyclic(sampling_prob=1, cycle_length=20), None, 1 * STEP.shuffled(batches=20, epochs=3)),
    (APART, None, 1 * STEP.random_allocation(steps=20, epochs=3)),
    (cyclic(truncated_batch_size=20), 100, 60 * cut(100)),
    (cyclic(truncated_batch_size=20, cycle_length=6), 606, 10 * cut(101)),
    (cyclic(truncated_batch_size=0), 100, FREE),
    (bins(60, 20), None, 1 * STEP.random_allocation(steps=20, epochs=3)),
    (bins(61, 20), None, 1 * STEP.random_allocation(steps=20, epochs=4)),
    (bins(6, 1), None, 6 * STEP),
    (bins(0, 9), None, FREE),
    (allocated(60, 1), None, 1 * STEP.random_allocation(steps=60)),
    (allocated(60, 3), None, 1 * STEP.random_allocation(steps=60, selected=3)),
    (allocated(0, 0), None, FREE),
    (fixed(5, replace=False), 100, 60 * STEP.fixed_size_sampled(**BATCH)),
    (fixed(5, replace=True), 100, 60 * STEP.fixed_size_sampled(**BATCH, replacement=True)),
    (fixed(0, replace=False), 100, FREE),
    (separated(0.1, 1), None, 9 * TENTH),
    (separated(1, 3), None, 1 * STEP.random_allocation(steps=3, epochs=3)),
    (USERS, None, 60 * TENTH),
]


@pytest.mark.parametrize(("strategy", "size", "expected"), CASES)
def test_a_strategy_makes_the_run_that_it_says(strategy, size, expected):
    assert run(strategy, size) == expected


MIXED = cyclic(truncated_batch_size=20, cycle_length=3, partition_type=Split.INDEPENDENT)


@pytest.mark.parametrize(
    ("strategy", "size", "message"),
    [
        (separated(0.1, 3), None, "Monte Carlo"),
        (cyclic(truncated_batch_size=20), None, "^dataset_size must be given"),
        (MIXED, 100, "^partition_type must be EQUAL_SPLIT"),
        (cyclic(sampling_prob=1.5), None, "^sampling_prob must be in"),
        (cyclic(cycle_length=0), None, "^cycle_length must be a whole number"),
        (cyclic(iterations=-1), None, "^iterations must be a whole number"),
        (fixed(5, replace=False), 4, "^batch_size"),
        (allocated(6, 7), None, "^total_participations must be at most"),
    ],
)
def test_what_does_not_fit_is_named(strategy, size, message):
    with pytest.raises(ValueError, match=message):
        run(strategy, size)


@pytest.mark.parametrize("strategy", [None, "BallsInBinsSampling", object()])
def test_what_is_no_strategy_is_refused(strategy):
    with pytest.raises(TypeError, match="^strategy must be one of CyclicPoissonSampling, "):
        run(strategy)


def test_their_own_strategies_are_known():
    theirs = pytest.importorskip("jax_privacy.batch_selection", reason="not installed")
    strategies = [getattr(theirs, name) for name in _RUNS if hasattr(theirs, name)]
    assert len(strategies) >= 5
    given = {
        "sampling_prob": 0.5,
        "min_sep": 1,
        "base_strategy": cyclic(),
        "total_participations": 2,
    }
    for kind in strategies:
        required = [f.name for f in dataclasses.fields(kind) if f.default is dataclasses.MISSING]
        made = kind(**{name: given.get(name, 6) for name in required})
        assert run(made, 100).epsilon(1e-5, adjacency=_defined(run(made, 100))) > 0
    batches = theirs.BallsInBinsSampling(iterations=6, cycle_length=3).batch_iterator(50, rng=1)
    seen = np.zeros((6, 50), dtype=int)
    for row, batch in zip(seen, batches, strict=True):
        row[batch] = 1
    assert np.all(seen.sum(axis=0) == 2)
    assert np.array_equal(seen[:3], seen[3:])


def _defined(composed):
    for adjacency in ("add-or-remove-one", "replace-special"):
        try:
            composed.epsilon(0.5, adjacency=adjacency)
        except ValueError:
            continue
        return adjacency
    raise AssertionError(composed)


def test_strategies_of_matrix_factorization_are_recognised():
    noise = {"noise_multiplier": 9.0, "min_sep": 4, "max_participations": 3}
    own = {"noise_multiplier": 9.0, "min_separation": 4, "max_participations": 3}
    coefficients = np.array([1.0, 0.5, 0.375], dtype=np.float32)
    toeplitz = correlated_run(coefficients, iterations=20, **noise)
    assert toeplitz == hs.MatrixMechanism.toeplitz([1.0, 0.5, 0.375], steps=20, **own)
    blt = made_up(
        "BufferedToeplitz", buf_decay=np.array([0.9, 0.5]), output_scale=np.array([0.2, 0.3])
    )
    buffered = correlated_run(blt, iterations=20, **noise)
    assert buffered == hs.MatrixMechanism.buffered([0.2, 0.3], [0.9, 0.5], steps=20, **own)
    matrix = np.tril(np.ones((5, 5), dtype=np.float32))
    banded = made_up("ColumnNormalizedBanded", materialize=lambda: matrix)
    assert correlated_run(banded, **noise) == hs.MatrixMechanism(matrix, **own)
    assert correlated_run(matrix, **noise) == hs.MatrixMechanism(matrix, **own)


def test_the_buffers_are_those_that_the_strategy_multiplies_by():
    """As it reads and updates them, step by step: its first column."""
    decays, scales = np.array([0.9, 0.5]), np.array([0.2, 0.3])
    buffers, column = np.zeros(2), []
    for t in range(12):
        x = float(t == 0)
        column.append(x + scales @ buffers)
        buffers = decays * buffers + x
    blt = made_up("BufferedToeplitz", buf_decay=decays, output_scale=scales)
    found = correlated_run(blt, noise_multiplier=3.0, iterations=12).sensitivity_bounds()
    known = hs.MatrixMechanism.toeplitz(column, steps=12, noise_multiplier=3.0)
    assert found == pytest.approx(known.sensitivity_bounds(), rel=1e-14)


def test_events_of_amplified_runs_are_what_amplified_says():
    dp_accounting = pytest.importorskip("dp_accounting")
    run = hs.MatrixMechanism.toeplitz(
        [1.0, 0.5], steps=40, noise_multiplier=2.0, min_separation=4
    ).amplified(0.1)
    ((step, count),) = run.terms
    event = dp_accounting.SelfComposedDpEvent(
        dp_accounting.PoissonSampledDpEvent(
            0.1, dp_accounting.GaussianDpEvent(step.mechanism.noise_multiplier)
        ),
        count,
    )
    assert hs.Composition.from_dp_event(event) == run


def test_single_precision_falls_short_of_the_sensitivity():
    """As JAX sums by default; the truth is above what it says."""
    steps = 4096
    column = np.ones(steps)
    for t in range(1, steps):
        column[t] = column[t - 1] * (2 * t - 1) / (2 * t)
    single = np.cumsum(column.astype(np.float32).reshape(-1, 64), axis=0, dtype=np.float32).ravel()
    exact = hs.MatrixMechanism.toeplitz(
        column, steps=steps, noise_multiplier=500.0, min_separation=64
    ).sensitivity_bounds()
    assert abs(float(single @ single) / exact.lower**2 - 1) > 1e-9
    assert exact.upper <= exact.lower * (1 + 1e-14)


def test_a_sensitivity_that_is_too_small_is_answered_by_how_much():
    """2048 steps of JAX Privacy 2.0.0: 20.13677978515625 is the square that it finds."""
    column = np.ones(2048, dtype=np.float32)
    for t in range(1, 2048):
        column[t] = column[t - 1] * np.float32((2 * t - 1) / (2 * t))
    given = {"noise_multiplier": 4.0, "iterations": 2048, "min_sep": 512}
    run = correlated_run(column, **given)
    truth = run.sensitivity_bounds()
    with pytest.warns(UserWarning, match=r"is below the least .* is 1.00e-07 of itself too small"):
        assert correlated_run(column, sensitivity=truth.lower / (1 + 1e-7), **given) == run
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for enough in (truth.lower, truth.upper, np.float32(truth.upper * (1 + 1e-7))):
            assert correlated_run(column, sensitivity=enough, **given) == run
    for none in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="^sensitivity must be finite"):
            correlated_run(column, sensitivity=none, **given)


def test_their_own_factorizations_and_events_are_known():
    """Of the installed package, in its single precision: what is missed of the truth is said."""
    for_noise = "jax_privacy.matrix_factorization."
    banded, blt, toeplitz = (
        pytest.importorskip(for_noise + name, reason="not installed")
        for name in ("banded", "buffered_toeplitz", "toeplitz")
    )
    column = toeplitz.optimal_max_error_strategy_coefs(2048)
    bands = banded.ColumnNormalizedBanded.default(64, 8)
    buffers = blt.BufferedToeplitz.build([0.9, 0.5], [0.2, 0.3], dtype=column.dtype)
    found = (
        (column, toeplitz.minsep_sensitivity_squared(column, 512, 4), 2048, 512, 4),
        (bands, banded.minsep_sensitivity_squared(bands, 8, 4), None, 8, 4),
        (buffers, np.sum(np.square(buffers.toeplitz_coefs(500))), 500, 1, 1),
    )
    for strategy, square, iterations, *schedule in found:
        given = dict(zip(("min_sep", "max_participations"), schedule, strict=True))
        given |= {"noise_multiplier": 4.0, "iterations": iterations}
        truth = correlated_run(strategy, **given).sensitivity_bounds()
        assert abs(float(square) / truth.lower**2 - 1) < 1e-6
        if float(square) ** 0.5 < truth.lower:
            with pytest.warns(UserWarning, match=r"is \d\.\d\de-0[78] of itself too small"):
                correlated_run(strategy, sensitivity=float(square) ** 0.5, **given)
    events = pytest.importorskip("jax_privacy.experimental.accounting", reason="not installed")
    amplified = events.amplified_bandmf_event(2.0, 103, num_bands=4, sampling_prob=0.1)
    assert hs.Composition.from_dp_event(amplified) == 26 * hs.Gaussian(2.0).poisson_sampled(0.1)
    sizes = {"largest_group_size": 100, "truncated_batch_size": 20}
    cut_off = events.truncated_amplified_bandmf_event(
        1.0, 100, num_bands=4, sampling_prob=0.1, **sizes
    )
    assert hs.Composition.from_dp_event(cut_off) == 25 * cut(100)


@pytest.mark.parametrize(
    ("strategy", "error", "message"),
    [
        ("toeplitz", TypeError, "strategy must be a BufferedToeplitz"),
        (np.ones((2, 2, 2)), TypeError, "strategy must be a BufferedToeplitz"),
        (np.ones(3), ValueError, "iterations must be given"),
    ],
)
def test_other_correlations_are_refused(strategy, error, message):
    with pytest.raises(error, match=f"^{message}"):
        correlated_run(strategy, noise_multiplier=1.0)
