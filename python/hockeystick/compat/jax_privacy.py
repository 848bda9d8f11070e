# SPDX-License-Identifier: Apache-2.0
"""Runs of DP-SGD whose batches a strategy of ``jax_privacy.batch_selection`` forms.

    from hockeystick.compat.jax_privacy import selected_run

    strategy = jax_privacy.batch_selection.BallsInBinsSampling(iterations=5000, cycle_length=500)
    run = selected_run(strategy, noise_multiplier=1.0)
    run.epsilon(delta=1e-6)

JAX Privacy accounts for Poisson sampling, and for batches of fixed size by Renyi divergences; for
the other strategies it has Monte Carlo or nothing. Strategies are known by their names and fields,
so that nothing is imported. Noise is independent from step to step there; ``correlated_run`` has
matrix factorizations.

| strategy | run |
| --- | --- |
| `CyclicPoissonSampling`, cycle_length 1 | Poisson, or truncated Poisson |
| `CyclicPoissonSampling`, longer | the steps of one group, as if it were known |
| the same with sampling_prob 1, EQUAL_SPLIT | shuffled once |
| the same with sampling_prob 1, INDEPENDENT | random allocation |
| `BallsInBinsSampling` | random allocation |
| `FixedBatchSampling` | batches of fixed size |
| `UserSelectionStrategy` | that of its base strategy; records are users |

Upper bounds hold for the strategy; so do lower ones, except of longer cycles with sampling_prob
below 1, and where iterations are no whole cycles, as the last one is completed. Groups of
EQUAL_SPLIT change with the number of records: ask of records that are replaced.
"""

from typing import Any
from warnings import warn

import numpy as np

import hockeystick as hs
from hockeystick.compat import _arguments


def selected_run(
    strategy: Any,  # noqa: ANN401 - of an optional package
    *,
    noise_multiplier: float,
    dataset_size: int | None = None,
) -> hs.Composition:
    """The run of DP-SGD that draws its batches by `strategy`.

    Args:
        strategy: Of ``jax_privacy.batch_selection``.
        noise_multiplier: Standard deviation of the noise over the clipping norm, in [0.001, 1e12].
        dataset_size: The number of records, or of users, for batches of fixed or largest size.

    Raises:
        ValueError: No bound is known for the strategy, an argument is out of range, or
            `dataset_size` is not given.
        TypeError: `strategy` is none that is known, or an argument has the wrong type.
    """
    step = hs.Gaussian(noise_multiplier=noise_multiplier)
    for kind in type(strategy).__mro__:
        if kind.__name__ in _RUNS:
            return _RUNS[kind.__name__](strategy, step, dataset_size)
    names = ", ".join(_RUNS)
    raise TypeError(f"strategy must be one of {names}, got {strategy!r}")


def _cyclic(strategy: Any, step: hs.Gaussian, size: int | None) -> hs.Composition:  # noqa: ANN401
    q = _arguments.probability("sampling_prob", strategy.sampling_prob)
    cycle = _arguments.count("cycle_length", getattr(strategy, "cycle_length", 1), 1)
    cycles = -(-_iterations(strategy) // cycle)
    partition = getattr(getattr(strategy, "partition_type", None), "name", "")
    most = getattr(strategy, "truncated_batch_size", None)
    if most is not None:
        return _truncated(step, q, most, cycle, cycles, partition, size)
    if q < 1 or cycle == 1:
        return cycles * step.poisson_sampled(q)
    if partition == "INDEPENDENT":
        return _allocated(step, cycle, cycles)
    return 1 * step.shuffled(batches=cycle, epochs=cycles) if cycles else hs.Composition()


def _truncated(
    step: hs.Gaussian,
    q: float,
    most: int,
    cycle: int,
    cycles: int,
    partition: str,
    size: int | None,
) -> hs.Composition:
    if cycle > 1 and partition != "EQUAL_SPLIT":
        raise ValueError(
            "partition_type must be EQUAL_SPLIT with truncated_batch_size, as groups of random "
            f"size are not known, got {partition or None}"
        )
    group = _size(size) // cycle
    largest = _arguments.count("truncated_batch_size", most)
    if largest == 0 or group == 0:
        return hs.Composition()
    return cycles * hs.TruncatedPoissonGaussian(
        noise_multiplier=step.noise_multiplier,
        sampling_probability=q,
        truncated_batch_size=largest,
        dataset_size=group,
    )


def _bins(strategy: Any, step: hs.Gaussian, _: int | None) -> hs.Composition:  # noqa: ANN401
    cycle = _arguments.count("cycle_length", strategy.cycle_length, 1)
    return _allocated(step, cycle, -(-_iterations(strategy) // cycle))


def _selected(strategy: Any, step: hs.Gaussian, _: int | None) -> hs.Composition:  # noqa: ANN401
    steps = _iterations(strategy)
    times = _arguments.count("total_participations", strategy.total_participations)
    if times > steps:
        raise ValueError(f"total_participations must be at most iterations = {steps}, got {times}")
    return 1 * step.random_allocation(steps=steps, selected=times) if times else hs.Composition()


def _fixed(strategy: Any, step: hs.Gaussian, size: int | None) -> hs.Composition:  # noqa: ANN401
    batch, steps = _arguments.count("batch_size", strategy.batch_size), _iterations(strategy)
    records = _size(size)
    if batch == 0 or records == 0:
        return hs.Composition()
    return steps * step.fixed_size_sampled(
        batch_size=batch, dataset_size=records, replacement=bool(strategy.replace)
    )


def _apart(strategy: Any, step: hs.Gaussian, _: int | None) -> hs.Composition:  # noqa: ANN401
    q = _arguments.probability("sampling_prob", strategy.sampling_prob)
    apart = _arguments.count("min_sep", strategy.min_sep, 1)
    if getattr(strategy, "truncated_batch_size", None) is None:
        if apart == 1:
            return _iterations(strategy) * step.poisson_sampled(q)
        if q == 1 and strategy.warm_start:
            return _allocated(step, apart, -(-_iterations(strategy) // apart))
    raise ValueError(
        "strategy must be one with a known bound: batches at least min_sep apart are known by "
        "Monte Carlo only; CyclicPoissonSampling and BallsInBinsSampling keep records as far "
        f"apart, got {strategy!r}"
    )


def _users(strategy: Any, step: hs.Gaussian, size: int | None) -> hs.Composition:  # noqa: ANN401
    return selected_run(
        strategy.base_strategy, noise_multiplier=step.noise_multiplier, dataset_size=size
    )


_RUNS = {
    "CyclicPoissonSampling": _cyclic,
    "BallsInBinsSampling": _bins,
    "RandomAllocationSampling": _selected,
    "FixedBatchSampling": _fixed,
    "BMinSepSampling": _apart,
    "UserSelectionStrategy": _users,
}


def _iterations(strategy: Any) -> int:  # noqa: ANN401
    return _arguments.count("iterations", strategy.iterations)


def _allocated(step: hs.Gaussian, cycle: int, cycles: int) -> hs.Composition:
    if cycle == 1 or cycles == 0:
        return cycles * step
    return 1 * step.random_allocation(steps=cycle, epochs=cycles)


def _size(dataset_size: int | None) -> int:
    if dataset_size is None:
        raise ValueError("dataset_size must be given for batches of fixed or largest size")
    return _arguments.count("dataset_size", dataset_size)


def correlated_run(
    strategy: Any,  # noqa: ANN401 - of an optional package, or an array
    *,
    noise_multiplier: float,
    iterations: int | None = None,
    min_sep: int = 1,
    max_participations: int | None = None,
    sensitivity: float | None = None,
) -> hs.MatrixMechanism | hs.ToeplitzMechanism | hs.BufferedMechanism:
    """The run whose noise is correlated by a strategy of ``jax_privacy.matrix_factorization``.

    A ``BufferedToeplitz``, a ``ColumnNormalizedBanded``, an array of Toeplitz coefficients or a
    strategy matrix C itself, taken at the values that they hold. JAX Privacy computes sensitivities
    in single precision by default: their squares came out up to 1.6e-7 of themselves below the
    truth (2048 steps), and are no bound. Here they are enclosed, and a `sensitivity` that is too
    small is answered by a warning that says by how much.

    The noise is that which is added to C G, relative to the clipping norm. A run whose noise was
    scaled by JAX Privacy's own sensitivity has the noise multiplier times that sensitivity.
    Amplified runs are ``MatrixMechanism.amplified``, and events of ``dp_accounting`` such as JAX
    Privacy makes of them are read by ``Composition.from_dp_event``.

    Args:
        strategy: The strategy.
        noise_multiplier: Standard deviation of the noise over the clipping norm, in [0.001, 1e12].
        iterations: How many steps there are, for what does not know it.
        min_sep: How far apart the steps of a record are, at least.
        max_participations: How many steps of a record there are, at most.
        sensitivity: What JAX Privacy found it to be, the root where that is of squares, above 0: to
            be held against the truth. It does not change the run.

    Warns:
        UserWarning: `sensitivity` is below the truth.

    Raises:
        ValueError: An argument is out of range, or `iterations` is not given where it is needed.
        TypeError: `strategy` is none that is known, or an argument has the wrong type.
    """
    run = _correlated(
        strategy,
        iterations,
        noise_multiplier=noise_multiplier,
        min_separation=min_sep,
        max_participations=max_participations,
    )
    if sensitivity is not None:
        found = _arguments.positive("sensitivity", sensitivity)
        least = run.sensitivity_bounds().lower
        if found < least:
            warn(
                f"sensitivity = {found!r} is below the least that a record can move the output, "
                f"{least!r}: noise that was scaled by it is {least / found - 1:.2e} of itself too "
                "small",
                stacklevel=2,
            )
    return run


def _correlated(
    strategy: Any,  # noqa: ANN401
    iterations: int | None,
    **schedule: Any,
) -> hs.MatrixMechanism | hs.ToeplitzMechanism | hs.BufferedMechanism:
    kinds = {kind.__name__ for kind in type(strategy).__mro__}
    if "ColumnNormalizedBanded" in kinds:
        strategy = strategy.materialize()
    is_buffered = "BufferedToeplitz" in kinds
    array: Any = None if is_buffered else np.asarray(strategy)
    if not is_buffered and (array.dtype.kind not in "fiu" or array.ndim not in (1, 2)):
        raise TypeError(
            "strategy must be a BufferedToeplitz, a ColumnNormalizedBanded, Toeplitz coefficients "
            f"or a matrix, got {strategy!r}"
        )
    if array is not None and array.ndim == 2:  # noqa: PLR2004
        return hs.MatrixMechanism(array, **schedule)
    if iterations is None:
        raise ValueError("iterations must be given for a strategy that does not know it")
    if array is not None:
        return hs.MatrixMechanism.toeplitz(array[:iterations], steps=iterations, **schedule)
    scales: Any = np.asarray(strategy.output_scale)
    decays: Any = np.asarray(strategy.buf_decay)
    return hs.MatrixMechanism.buffered(scales, decays, steps=iterations, **schedule)
