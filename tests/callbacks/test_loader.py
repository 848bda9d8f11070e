# SPDX-License-Identifier: Apache-2.0
"""Loaders that draw batches otherwise than the meter takes them to be drawn are warned of."""

import warnings

import pytest

import hockeystick as hs
from hockeystick.callbacks._loader import warn_of
from rare_runs import batches

GAUSSIAN = hs.Gaussian(noise_multiplier=1.0)
SAMPLED = {
    "poisson": GAUSSIAN.poisson_sampled(0.25),
    "allocation": GAUSSIAN.random_allocation(steps=4),
    "several": GAUSSIAN.random_allocation(steps=8, selected=2),
    "fixed size": GAUSSIAN.fixed_size_sampled(batch_size=4, dataset_size=16),
    "truncated": batches(1.0, 0.25, 8, 16),
    "with more": 3 * GAUSSIAN.poisson_sampled(0.25) + hs.Laplace(noise_multiplier=50.0),
    "training": hs.DPSGD(1.0, sampling_probability=0.25, steps=8),
}
OTHERS = {
    "all": (GAUSSIAN, {}),
    "shuffled": (GAUSSIAN.shuffled(batches=4), {"adjacency": "replace-special"}),
    "fixed": (
        hs.DPSGD(1.0, sampling_probability=0.25, steps=8, sampling="cyclic"),
        {"adjacency": "replace-special"},
    ),
}


# In place of PyTorch's, of which the names are looked at.
class RandomSampler:
    """Shuffles."""


class SequentialSampler:
    """Takes the records in order."""


class SeedableRandomSampler(RandomSampler):
    """As accelerate puts it in place of PyTorch's own."""


class UniformWithReplacementSampler:
    """Opacus', which is Poisson sampling."""


class BatchSampler:
    """Cuts batches from what a sampler says."""

    def __init__(self, sampler):
        self.sampler = sampler


class Loader:
    """What a DataLoader says of itself."""

    def __init__(self, sampler=None, batch_sampler=None):
        self.sampler, self.batch_sampler = sampler, batch_sampler


class Combined:
    """Lightning's CombinedLoader."""

    def __init__(self, *loaders):
        self.flattened = list(loaders)


def cut(sampler):
    return Loader(sampler, BatchSampler(sampler))


WRONG = [
    (cut(RandomSampler()), "RandomSampler"),
    (cut(SequentialSampler()), "SequentialSampler"),
    (cut(SeedableRandomSampler()), "RandomSampler"),
    (Loader(SequentialSampler()), "SequentialSampler"),
    ([cut(UniformWithReplacementSampler()), cut(RandomSampler())], "RandomSampler"),
    ({"a": cut(RandomSampler())}, "RandomSampler"),
    (Combined(cut(RandomSampler())), "RandomSampler"),
]
# Beside a batch sampler of one's own, PyTorch names a sampler that is not asked.
RIGHT = [
    Loader(SequentialSampler(), UniformWithReplacementSampler()),
    Combined(Loader(SequentialSampler(), UniformWithReplacementSampler())),
    cut(UniformWithReplacementSampler()),
    [[1, 2], [3]],
    None,
    iter([]),
]


def meter(step, **options):
    if step == SAMPLED["fixed size"]:
        options = {"adjacency": "replace-special"}
    return hs.EpsilonMeter(step, delta=1e-5, **options)


@pytest.mark.parametrize("step", SAMPLED.values(), ids=SAMPLED)
@pytest.mark.parametrize(("loader", "name"), WRONG)
def test_what_is_no_sample_is_warned_of(step, loader, name):
    with pytest.warns(UserWarning, match=f"the loader draws batches by a {name}, but the meter is"):
        warn_of(loader, meter(step))


@pytest.mark.parametrize("step", SAMPLED.values(), ids=SAMPLED)
@pytest.mark.parametrize("loader", RIGHT, ids=range(len(RIGHT)))
def test_what_may_be_a_sample_is_not(step, loader):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of(loader, meter(step))


@pytest.mark.parametrize(("step", "options"), OTHERS.values(), ids=OTHERS)
def test_a_meter_of_no_sample_takes_any_loader(step, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for loader, _ in WRONG:
            warn_of(loader, meter(step, **options))
