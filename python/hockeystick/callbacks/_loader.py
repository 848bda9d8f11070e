# SPDX-License-Identifier: Apache-2.0
"""Whether a loader of PyTorch draws batches as a meter takes them to be drawn."""

import warnings
from collections.abc import Iterable, Iterator, Mapping

from hockeystick import EpsilonMeter
from hockeystick.composition import Composable
from hockeystick.mechanisms import (
    FixedSizeSampled,
    PoissonSampled,
    RandomAllocation,
    SelectedSteps,
    TruncatedPoissonGaussian,
)

_SAMPLED = (
    FixedSizeSampled,
    PoissonSampled,
    RandomAllocation,
    SelectedSteps,
    TruncatedPoissonGaussian,
)
# PyTorch's samplers that take every record in turn, shuffled or not, or batches of one size.
_OTHERS = {
    "DistributedSampler",
    "RandomSampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
}


def warn_of(loaders: object, meter: EpsilonMeter) -> None:
    """Warn if a loader, or one of several, cuts batches that the meter takes to be sampled."""
    sampled = _sampled(meter.step)
    names = dict.fromkeys(name for loader in _each(loaders) for name in _names(loader))
    found = next((name for name in names if name in _OTHERS), None)
    if sampled is None or found is None:
        return
    warnings.warn(
        f"the loader draws batches by a {found}, but the meter is of {sampled}: epsilon may be far "
        "above its value. Sample batches as the step does (batch_sampler= of a DataLoader, or "
        "Opacus' loader); or account for shuffled batches, hockeystick.DPSGD(.., "
        'sampling="shuffled"), or for a fixed order, sampling="cyclic", with '
        'adjacency="replace-special"',
        UserWarning,
        stacklevel=3,
    )


def _sampled(step: Composable) -> str | None:
    """The first mechanism that runs on a sample, as code."""
    return next((repr(one) for one, _ in step.terms if isinstance(one, _SAMPLED)), None)


def _each(loaders: object) -> Iterator[object]:
    """All loaders of the lists, tuples and dictionaries that Lightning takes."""
    if isinstance(loaders, Mapping):
        loaders = list(loaders.values())
    if isinstance(loaders, list | tuple):
        for loader in loaders:
            yield from _each(loader)
    elif hasattr(loaders, "flattened"):  # Lightning's CombinedLoader
        yield from _each(loaders.flattened)
    else:
        yield loaders


def _names(loader: object) -> Iterable[str]:
    """The names of the classes that choose the records of a batch."""
    batches = getattr(loader, "batch_sampler", None)
    if batches is not None and not hasattr(batches, "sampler"):
        return ()  # one of the user's own, beside which PyTorch names a sampler that is not asked
    sampler = getattr(loader if batches is None else batches, "sampler", None)
    return [kind.__name__ for kind in type(sampler).__mro__]
