# SPDX-License-Identifier: Apache-2.0
"""The noise of runs of DP-SGD, for whole arrays of them."""

from dataclasses import replace
from typing import Any, Generic, Unpack, overload

import numpy as np

from hockeystick import _checks
from hockeystick import sampling as schemes
from hockeystick._array_like import ArrayLike
from hockeystick._checks import FloatArray
from hockeystick._words import spoken
from hockeystick.calibration.arrays import Sought, arrays_of, broadcast, found, named
from hockeystick.calibration.families import Family
from hockeystick.calibration.goals import goal_of
from hockeystick.composition import Composition
from hockeystick.limits import Limits, Options, spelled_out

_BUDGET = ("epsilon", "delta")


class Run(schemes.Scheme[schemes.Real, schemes.Whole], Generic[schemes.Real, schemes.Whole]):
    """The keywords of a search for the noise of one run, or of an array of runs."""

    epsilon: schemes.Real
    delta: schemes.Real


@overload
def dpsgd_noise_multiplier(**run: Unpack[Run[float, int]]) -> float: ...
@overload
def dpsgd_noise_multiplier(**runs: Unpack[Run[ArrayLike, ArrayLike]]) -> FloatArray: ...
@spoken
@spelled_out
def dpsgd_noise_multiplier(  # noqa: PLR0913, two ways to say two numbers
    *,
    epsilon: ArrayLike,
    delta: ArrayLike,
    sampling_probability: ArrayLike | None = None,
    steps: ArrayLike | None = None,
    batch_size: ArrayLike | None = None,
    dataset_size: ArrayLike | None = None,
    epochs: ArrayLike | None = None,
    sampling: schemes.Sampling = "poisson",
    drop_last: bool = False,
    **options: Unpack[Options],
) -> Any:
    """The least noise multipliers at which runs of DP-SGD are certified to keep their budgets.

    The numbers broadcast like the arguments of a NumPy ufunc. Each element is what ``calibrate``
    finds for it, but for the last digits, since neighbours share their work.

    Args:
        epsilon: The most that epsilon may be, > 0 [nats].
        delta: In [0, 1); no noise of a Gaussian keeps a budget at 0.
        sampling_probability: Of each record in each step; in (0, 1].
        steps: Whole numbers in [1, 1e9].
        batch_size: With a dataset size, in place of the sampling probability.
        dataset_size: The number of records.
        epochs: In place of the steps; rounded up to whole steps.
        sampling: How batches are drawn, as of ``dpsgd_epsilon_bounds``.
        drop_last: Whether what does not fill a batch is left out, likewise.
        options: As of ``Composition.epsilon_bounds``, for each evaluation.

    Returns:
        Of the common shape, or a float if all arguments are numbers. Epsilon of the run with this
        noise has an upper bound of at most `epsilon`, within tolerance / 4 of it, or the noise is
        the least there is, 0.001.

    Raises:
        ValueError: An argument is out of range, the shapes do not broadcast, or no noise will do.
            Of arrays, the message begins with the index.
        TypeError: An argument has the wrong type.
        CertificationError: The tolerance is out of reach; likewise.

    Cost: 4 evaluations of the first run, 2 or 3 of each other.

    >>> import hockeystick as hs
    >>> noise = hs.dpsgd_noise_multiplier(
    ...     epsilon=2.0, delta=1e-5, sampling_probability=0.01, steps=[100, 1000, 10_000]
    ... )
    >>> noise.round(2)
    array([0.74, 0.96, 2.13])
    """
    limits = Limits().updated(options)
    way: dict[str, Any] = {"sampling": schemes.sampling_of(sampling), "drop_last": drop_last}
    numbers = {
        "epsilon": epsilon,
        "delta": delta,
        "sampling_probability": sampling_probability,
        "steps": steps,
        "batch_size": batch_size,
        "dataset_size": dataset_size,
        "epochs": epochs,
    }
    shape, elements = broadcast(
        arrays_of({k: x for k, x in numbers.items() if x is not None or k in _BUDGET})
    )
    families: dict[tuple[Any, ...], Family] = {}
    searches = {}
    for where, run in elements.items():
        with named(where):
            target = {name: run.pop(name) for name in _BUDGET}
            goal = goal_of(target, limits)
            key = tuple(run.values())
            if key not in families:
                families[key] = _family(run, way)
            # What is much alike comes together, and only what is the same has samples in common.
            at = (*map(float, (*schemes.rate_and_steps(**run, **way), *key)), *goal.at)
            searches[where] = Sought(families[key], replace(goal, at=at))
    noises = np.array(found(searches), dtype=np.float64).reshape(shape)
    return noises if shape else noises.item()


def _family(run: dict[str, Any], way: dict[str, Any]) -> Family:
    def make(noise: float) -> Composition:
        return schemes.sampled_run(noise_multiplier=noise, **way, **run)

    if not make(1.0).terms:  # a bad argument is named here, where the search takes it for an end
        said = ", ".join(f"{name} = {_checks.show(value)}" for name, value in run.items())
        raise ValueError(
            f"sampling_probability and steps must be above 0 for a run to cost anything; got {said}"
        )
    return Family(make, None, integer=False)
