# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401, PLC0415, libraries of which one is installed
"""Epochs over shuffled batches of equal size that leave at least one random record out.

Account for them with ``step.shuffled(batches=b, left_out=r)``, b and r as `sizes` has them. Which
records are left out must not be released, and a new permutation be drawn for each epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator


def sizes(records: int, batch_size: int) -> tuple[int, int]:
    """The number of batches, and of records that are left out: one at least."""
    batches = (records - 1) // batch_size
    return batches, records - batches * batch_size


def numpy_epoch(records: int, batch_size: int, rng: np.random.Generator) -> np.ndarray:
    """The indices of an epoch's records, a row for each batch."""
    batches, _ = sizes(records, batch_size)
    return rng.permutation(records)[: batches * batch_size].reshape(batches, batch_size)


def torch_loader(dataset: Any, batch_size: int) -> Any:
    """A loader of PyTorch; each pass over it is an epoch with a permutation of its own."""
    import torch  # type: ignore[import-not-found, unused-ignore]

    batches, _ = sizes(len(dataset), batch_size)

    class LeaveOneOut:
        def __iter__(self) -> Iterator[list[int]]:
            order = torch.randperm(len(dataset))[: batches * batch_size]
            yield from (batch.tolist() for batch in order.split(batch_size))

        def __len__(self) -> int:
            return batches

    return torch.utils.data.DataLoader(dataset, batch_sampler=LeaveOneOut())


def jax_epoch(records: int, batch_size: int, key: Any) -> Any:
    """As `numpy_epoch`, in JAX: ``jax.random.split`` a new key for each epoch."""
    import jax  # type: ignore[import-not-found, unused-ignore]

    batches, _ = sizes(records, batch_size)
    return jax.random.permutation(key, records)[: batches * batch_size].reshape(batches, batch_size)


def tensorflow_epochs(dataset: Any, records: int, batch_size: int) -> Any:
    """A ``tf.data.Dataset``; the buffer holds all records, or the permutation is not uniform."""
    batches, _ = sizes(records, batch_size)
    shuffled = dataset.shuffle(records, reshuffle_each_iteration=True)
    return shuffled.take(batches * batch_size).batch(batch_size, drop_remainder=True)
