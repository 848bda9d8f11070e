# SPDX-License-Identifier: Apache-2.0
"""An answer in sentences, for a paper or a report."""

from importlib.metadata import version
from typing import Any, TypedDict, Unpack

from hockeystick import _checks
from hockeystick._decimals import outward
from hockeystick.adjacency import AdjacencyLike, adjacency_of
from hockeystick.bounds import Bounds
from hockeystick.disjoint import AnyRun
from hockeystick.sampling import DPSGD
from hockeystick.wording import in_words


class Limits(TypedDict, total=False):
    """The keywords of the question that a sentence answers."""

    tolerance: float
    memory_limit: int


def sentence(
    run: AnyRun,
    *,
    delta: float | None,
    epsilon: float | None,
    adjacency: AdjacencyLike,
    **options: Unpack[Limits],
) -> str:
    """The result of ``Composable.sentence``."""
    if (delta is None) == (epsilon is None):
        raise TypeError("sentence takes one of delta and epsilon")
    own = adjacency_of(adjacency)
    limits: Any = {"adjacency": own, **options}
    if delta is not None:
        _checks.delta(delta)
        bounds = run.epsilon_bounds(delta, **limits)
        pair, sought = f"epsilon = {_upper(bounds)}, delta = {delta!r}", "Epsilon is in nats, and"
    if epsilon is not None:
        _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON)
        bounds = run.delta_bounds(epsilon, **limits)
        pair, sought = f"epsilon = {epsilon!r}, delta = {_upper(bounds)}", "Delta is"
    return (
        f"The result is ({pair})-differentially private, where neighbouring datasets differ in "
        f"that {own.in_words}. {_ran(run)} {sought} an upper bound certified by hockeystick "
        f"{version('hockeystick')}, rounding included."
    )


_DRAWN = {
    "poisson": "Poisson sampled",
    "random_allocation": "allocated at random anew in each epoch",
    "shuffled": "shuffled anew in each epoch",
    "fixed_size": "of fixed size, drawn anew for each step",
    "cyclic": "in a fixed order",
}


def _upper(bounds: Bounds[float]) -> str:
    return outward(*bounds)[1]


def _ran(run: AnyRun) -> str:
    """The mechanisms that ran, as a sentence."""
    if not isinstance(run, DPSGD):
        return f"What ran: {in_words(run, most=100)}."
    drawn = f"sampling probability {run.sampling_probability!r}"
    if run.batch_size is not None and run.dataset_size is not None:
        drawn = f"batch size {run.batch_size:,} of {run.dataset_size:,} records"
        drawn += ", records that do not fill a batch left out" if run.drop_last else ""
    steps = f"{run.steps:,} step{'' if run.steps == 1 else 's'}"
    noise = f"noise multiplier {run.noise_multiplier!r}"
    way = f"batches {_DRAWN[run.sampling]}"
    return f"The model was trained by DP-SGD with {noise}, {drawn} ({way}), {steps}."
