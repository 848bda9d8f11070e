# SPDX-License-Identifier: Apache-2.0
"""A run of DP-SGD by the name of the way in which its batches are drawn."""

from typing import Literal, get_args

from hockeystick import _checks
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms.gaussian import Gaussian

Sampling = Literal["poisson", "random_allocation", "shuffled", "fixed_size", "cyclic"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
ADJACENCIES = {
    "shuffled": Adjacency.REPLACE_SPECIAL,
    "fixed_size": Adjacency.REPLACE_ONE,
    "cyclic": Adjacency.REPLACE_SPECIAL,
}
"""The widest relation that a scheme is known for, if it is not ADD_OR_REMOVE_ONE."""
_MOST = 1e12  # batches of an epoch, records of a batch
_WHOLE = 1e-9  # how far from a whole number a quotient of two doubles may be, relatively


def sampled_run(
    *,
    noise_multiplier: float,
    sampling_probability: float,
    steps: int,
    sampling: str = "poisson",
    dataset_size: int | None = None,
) -> Composition:
    """`steps` steps in which a record joins a batch with `sampling_probability`; see `drawn`."""
    part, count = drawn(
        noise_multiplier=noise_multiplier,
        sampling_probability=sampling_probability,
        steps=steps,
        sampling=sampling,
        dataset_size=dataset_size,
    )
    return count * part


def drawn(
    *,
    noise_multiplier: float,
    sampling_probability: float,
    steps: int,
    sampling: str = "poisson",
    dataset_size: int | None = None,
) -> tuple[Mechanism, int]:
    """What a run repeats, a step or an epoch, and how often.

    Args:
        noise_multiplier: In [0.001, 1e12], or less where a scheme says so.
        sampling_probability: In [0, 1]. An epoch of "random_allocation", "shuffled" or "cyclic" has
            1 / sampling_probability batches, a whole number up to 1e12.
        steps: In [0, 1e9]; whole epochs of these three.
        sampling: "poisson", "random_allocation" (drawn anew in each epoch), "shuffled" (anew in
            each epoch), "fixed_size" (drawn without replacement for each step) or "cyclic" (each
            record in one batch of every epoch, which may be known; one Gaussian step an epoch);
            underscore or hyphen. If cyclic batches are cut from a list, a record that is added or
            removed moves all later ones: that is not known, and not refused.
        dataset_size: For "fixed_size" alone: the batch has sampling_probability * dataset_size
            records, a whole number.

    Raises:
        ValueError: An argument is out of range, or not whole where it must be.
    """
    kind = _checks.choice("sampling", str(sampling).replace("-", "_"), SAMPLINGS)
    count = _checks.whole("steps", steps, 0, _checks.MAX_COUNT)
    step = Gaussian(noise_multiplier=noise_multiplier)
    q = _checks.probability("sampling_probability", sampling_probability)
    if (kind == "fixed_size") != (dataset_size is not None):
        raise ValueError(
            f"dataset_size must be given if sampling is 'fixed_size', and only then, "
            f"got {dataset_size!r} with {kind!r}"
        )
    if kind == "poisson" or q == 0:
        return step.poisson_sampled(q), count
    if dataset_size is not None:
        size = _checks.whole("dataset_size", dataset_size, 2, 10**12)
        batch = _whole(
            q * size, f"sampling_probability * dataset_size must be whole, got {q * size!r}"
        )
        return step.fixed_size_sampled(batch_size=batch, dataset_size=size), count
    batches = _whole(
        1 / q, f"1 / sampling_probability must be whole, up to 1e12, for {kind!r}, got {1 / q!r}"
    )
    if count % batches:
        raise ValueError(
            f"steps must be whole epochs of {batches} batches for {kind!r}, got {count}"
        )
    if kind == "cyclic":
        return step, count // batches
    if kind == "shuffled":
        return step.shuffled(batches=batches), count // batches
    return step.random_allocation(steps=batches), count // batches


def _whole(value: float, message: str) -> int:
    nearest = round(min(value, _MOST))
    if not (value <= _MOST and abs(nearest - value) <= _WHOLE * value):
        raise ValueError(message)
    return nearest
