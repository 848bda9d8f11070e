# SPDX-License-Identifier: Apache-2.0
"""The recipes of loaders that leave a random record out of each epoch, where their library is."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "examples"))

import leave_one_out

SHAPES = [(10, 3), (9, 3), (4, 4), (7, 1), (100, 32)]


def check(epochs, records, batch_size):
    """Equal batches, no record twice in an epoch, and others left out from epoch to epoch."""
    batches, left_out = leave_one_out.sizes(records, batch_size)
    assert left_out >= 1
    assert batches * batch_size + left_out == records
    missing = Counter()
    for epoch in epochs:
        seen = [index for batch in epoch for index in batch]
        assert [len(batch) for batch in epoch] == [batch_size] * batches
        assert len(set(seen)) == len(seen)
        missing.update(set(range(records)) - set(seen))
    return missing


@pytest.mark.parametrize(("records", "batch_size"), SHAPES)
def test_indices(records, batch_size):
    rng = np.random.default_rng(1)
    epochs = [leave_one_out.numpy_epoch(records, batch_size, rng).tolist() for _ in range(40)]
    assert len(check(epochs, records, batch_size)) > min(records, 20) // 2


def test_each_record_is_left_out_as_often_and_each_order_as_likely():
    rng = np.random.default_rng(2)
    epochs = [leave_one_out.numpy_epoch(5, 2, rng).tolist() for _ in range(6000)]
    missing = check(epochs, 5, 2)
    assert all(abs(missing[k] - 1200) < 200 for k in range(5))
    pairs = Counter(tuple(sorted(epoch[0])) for epoch in epochs)
    assert all(abs(count - 600) < 120 for count in pairs.values())
    assert len(pairs) == 10


@pytest.mark.parametrize(("records", "batch_size"), SHAPES[:2])
def test_pytorch(records, batch_size):
    torch = pytest.importorskip("torch")
    loader = leave_one_out.torch_loader(torch.arange(records), batch_size)
    epochs = [[batch.tolist() for batch in loader] for _ in range(20)]
    assert len(loader) == leave_one_out.sizes(records, batch_size)[0]
    assert len(check(epochs, records, batch_size)) > 1


@pytest.mark.parametrize(("records", "batch_size"), SHAPES[:2])
def test_jax(records, batch_size):
    jax = pytest.importorskip("jax")
    keys = jax.random.split(jax.random.PRNGKey(0), 20)
    epochs = [
        np.asarray(leave_one_out.jax_epoch(records, batch_size, key)).tolist() for key in keys
    ]
    assert len(check(epochs, records, batch_size)) > 1


@pytest.mark.parametrize(("records", "batch_size"), SHAPES[:2])
def test_tensorflow(records, batch_size):
    tensorflow = pytest.importorskip("tensorflow")
    data = tensorflow.data.Dataset.range(records)
    loader = leave_one_out.tensorflow_epochs(data, records, batch_size)
    epochs = [[batch.numpy().tolist() for batch in loader] for _ in range(20)]
    assert len(check(epochs, records, batch_size)) > 1
