# SPDX-License-Identifier: Apache-2.0
"""A registry of dp_accounting's events, with the mechanisms of this library that they mean.

``translated(event, relation)`` is a function of its class. To support another event, register one
more, by its name: the installed version may lack the class.
"""

from collections.abc import Callable
from enum import Enum
from functools import singledispatch
from typing import Any, NoReturn

import numpy as np
from dp_accounting import dp_event

import hockeystick as hs
from hockeystick.compat import _arguments

Made = hs.Mechanism | hs.Composition

NOTHING = hs.Composition()
EVERYTHING = hs.ApproximateDP(epsilon=0, delta=1)
"""A mechanism that reveals everything: delta is 1 at every epsilon."""

_ADD_REMOVE = ("ADD_OR_REMOVE_ONE", "REPLACE_SPECIAL")
_REPLACE = ("REPLACE_ONE", "REPLACE_SPECIAL")


class UnsupportedError(Exception):
    """An event has no mechanism under the neighbouring relation; says which and why."""

    def __init__(self, event: object, message: str) -> None:
        super().__init__(event, message)
        self.event: object = event
        self.message: str = message


@singledispatch
def translated(event: Any, relation: Enum) -> Made:  # noqa: ANN401, ARG001
    """The mechanism of `event`.

    Raises:
        UnsupportedError: There is none under `relation`.
        ValueError: Its parameters are out of range.
    """
    return _refuse(event, "Unsupported event.")


Translation = Callable[[Any, Enum], Made]
TRANSLATIONS: dict[str, Translation] = {}
"""The translations by the name of the event's class, in any version."""


def _event(name: str) -> Callable[[Translation], Translation]:
    """Registers a function for the event of this name, where the installed version has it."""

    def registered(function: Translation) -> Translation:
        TRANSLATIONS[name] = function
        if hasattr(dp_event, name):
            translated.register(getattr(dp_event, name), function)
        return function

    return registered


def run_of(event: dp_event.DpEvent, adjacency: hs.Adjacency) -> hs.Composition:
    """The run that an event is; see ``Composition.from_dp_event``."""
    if not isinstance(event, dp_event.DpEvent):
        raise TypeError(f"event must be a DpEvent of dp_accounting, got {event!r}")
    one_way = hs.Adjacency.ADD_ONE, hs.Adjacency.REMOVE_ONE
    relation = hs.Adjacency.ADD_OR_REMOVE_ONE if adjacency in one_way else adjacency
    try:
        return NOTHING + translated(event, relation)
    except UnsupportedError as error:
        raise ValueError(
            f"event must be one with a mechanism under {adjacency.value!r}, got {error.event!r}: "
            f"{error.message}"
        ) from None


def _refuse(event: object, message: str) -> NoReturn:
    raise UnsupportedError(event, message)


def _require(event: object, relation: Enum, names: tuple[str, ...], what: str = "") -> None:
    if relation.name not in names:
        allowed = " or ".join(f"`{name}`" for name in names)
        of_what = what or f"`{type(event).__name__}`"
        message = f"neighboring_relation must be {allowed} for {of_what}. Found {relation}."
        _refuse(event, message)


@_event("NoOpDpEvent")
def _nothing(event: dp_event.DpEvent, relation: Enum) -> Made:  # noqa: ARG001
    return NOTHING


@_event("NonPrivateDpEvent")
def _everything(event: dp_event.DpEvent, relation: Enum) -> Made:  # noqa: ARG001
    return EVERYTHING


@_event("SelfComposedDpEvent")
def _repeated(event: dp_event.DpEvent, relation: Enum) -> Made:
    made: Made = event.count * translated(event.event, relation)
    return made


@_event("ComposedDpEvent")
def _composed(event: dp_event.DpEvent, relation: Enum) -> Made:
    return sum((translated(part, relation) for part in event.events), NOTHING)


@_event("GaussianDpEvent")
def _gaussian(event: dp_event.DpEvent, relation: Enum) -> Made:  # noqa: ARG001
    noise = event.noise_multiplier
    return hs.Gaussian(noise_multiplier=noise) if noise != 0 else EVERYTHING


@_event("LaplaceDpEvent")
def _laplace(event: dp_event.DpEvent, relation: Enum) -> Made:
    _require(event, relation, _ADD_REMOVE)
    noise = event.noise_multiplier
    return hs.Laplace(noise_multiplier=noise) if noise != 0 else EVERYTHING


@_event("DiscreteLaplaceDpEvent")
def _discrete_laplace(event: dp_event.DpEvent, relation: Enum) -> Made:
    _require(event, relation, _ADD_REMOVE)
    if event.noise_parameter == 0:
        return EVERYTHING
    return hs.DiscreteLaplace(parameter=event.noise_parameter, sensitivity=event.sensitivity)


@_event("RandomizedResponseDpEvent")
def _randomized_response(event: dp_event.DpEvent, relation: Enum) -> Made:
    _require(event, relation, _REPLACE)
    if event.noise_parameter == 0 and event.num_buckets != 1:
        return EVERYTHING
    return hs.RandomizedResponse(
        noise_parameter=event.noise_parameter, num_buckets=event.num_buckets
    )


@_event("MixtureOfGaussiansDpEvent")
def _mixture(event: dp_event.DpEvent, relation: Enum) -> Made:
    _require(event, relation, _ADD_REMOVE)
    pairs = zip(event.sensitivities, event.sampling_probs, strict=True)
    weighted = [(float(s), float(p)) for s, p in pairs if p != 0]
    if not any(s for s, _ in weighted):
        return NOTHING
    if event.standard_deviation == 0:
        return EVERYTHING
    return hs.GaussianMixture(
        standard_deviation=event.standard_deviation,
        sensitivities=tuple(s for s, _ in weighted),
        probabilities=tuple(p for _, p in weighted),
    )


@_event("PoissonSampledDpEvent")
def _poisson_sampled(event: dp_event.DpEvent, relation: Enum) -> Made:
    inner, q = event.event, event.sampling_probability
    if isinstance(inner, dp_event.LaplaceDpEvent):
        _require(event, relation, _ADD_REMOVE, "`PoissonSampledDpEvent` of a `LaplaceDpEvent`")
    elif not isinstance(inner, dp_event.GaussianDpEvent):
        message = (
            f"Subevent of `PoissonSampledEvent` must be either `GaussianDpEvent` or "
            f"`LaplaceDpEvent`. Found {inner}."
        )
        _refuse(event, message)
    mechanism = NOTHING if q == 0 else translated(inner, relation)
    if isinstance(mechanism, hs.Gaussian | hs.Laplace):
        return mechanism.poisson_sampled(q)
    return mechanism


@_event("SampledWithoutReplacementDpEvent")
def _without_replacement(event: dp_event.DpEvent, relation: Enum) -> Made:
    return _fixed_size(event, relation, replacement=False)


@_event("SampledWithReplacementDpEvent")
def _with_replacement(event: dp_event.DpEvent, relation: Enum) -> Made:
    return _fixed_size(event, relation, replacement=True)


def _fixed_size(event: dp_event.DpEvent, relation: Enum, *, replacement: bool) -> Made:
    _require(event, relation, _REPLACE)
    gaussian = _sampled_gaussian(event, relation)
    if not isinstance(gaussian, hs.Gaussian) or event.sample_size == 0:
        return NOTHING if event.sample_size == 0 else gaussian
    return gaussian.fixed_size_sampled(
        batch_size=event.sample_size,
        dataset_size=event.source_dataset_size,
        replacement=replacement,
    )


def _sampled_gaussian(event: dp_event.DpEvent, relation: Enum) -> Made:
    """The mechanism of a sampled Gaussian event."""
    if not isinstance(event.event, dp_event.GaussianDpEvent):
        what = f"`{type(event).__name__}`"
        _refuse(event, f"Subevent of {what} must be a `GaussianDpEvent`. Found {event.event}.")
    return translated(event.event, relation)


@_event("SingleEpochTreeAggregationDpEvent")
def _tree(event: dp_event.DpEvent, relation: Enum) -> Made:
    """A Gaussian for each level of the deepest tree.

    A record is in one leaf of one tree. The first leaf of n is in bit_length(n) of the nodes that
    are complete, no leaf is in more, and each of these nodes has noise of its own.
    """
    _require(event, relation, ("REPLACE_SPECIAL",))
    steps = [_arguments.count("step_counts", n) for n in np.ravel(event.step_counts)]
    if not steps:
        raise ValueError(f"step_counts must be at least one number, got {event.step_counts!r}")
    return max(steps).bit_length() * translated(
        dp_event.GaussianDpEvent(event.noise_multiplier), relation
    )


@_event("ZCDpEvent")
def _zero_concentrated(event: dp_event.DpEvent, relation: Enum) -> Made:  # noqa: ARG001
    """At orders a > 1, xi + rho a <= (xi + rho) a; where rho is 0, xi is pure DP."""
    if not event.xi >= 0:
        raise ValueError(f"xi must be >= 0, got {event.xi!r}")
    if event.rho == 0:
        return hs.ApproximateDP(epsilon=event.xi, delta=0) if event.xi else NOTHING
    return hs.ZCDP(rho=event.rho) + hs.ZCDP(rho=event.xi)


@_event("TruncatedSubsampledGaussianDpEvent")
def _truncated(event: dp_event.DpEvent, relation: Enum) -> Made:  # noqa: ARG001
    if 0 in (event.sampling_probability, event.truncated_batch_size, event.dataset_size):
        return NOTHING
    if event.noise_multiplier == 0:
        return EVERYTHING
    return hs.TruncatedPoissonGaussian(
        noise_multiplier=event.noise_multiplier,
        sampling_probability=event.sampling_probability,
        dataset_size=event.dataset_size,
        truncated_batch_size=event.truncated_batch_size,
    )


# What follows is in dp_accounting's main branch, and in no version up to 0.6.0.


@_event("RandomAllocationDpEvent")
def _random_allocation(event: dp_event.DpEvent, relation: Enum) -> Made:
    """Allocation to random steps; if each record joins several, from above by theory."""
    _require(event, relation, _ADD_REMOVE)
    gaussian = _sampled_gaussian(event, relation)
    if event.num_selected == 0:
        return NOTHING
    if isinstance(gaussian, hs.Gaussian):
        return gaussian.random_allocation(steps=event.num_steps, selected=event.num_selected)
    return gaussian


@_event("EpsilonDeltaDpEvent")
def _epsilon_delta(event: dp_event.DpEvent, relation: Enum) -> Made:  # noqa: ARG001
    return hs.ApproximateDP(epsilon=event.epsilon, delta=event.delta)


@_event("ExponentialMechanismDpEvent")
def _exponential(event: dp_event.DpEvent, relation: Enum) -> Made:  # noqa: ARG001
    return hs.ExponentialMechanism(epsilon=event.epsilon)


@_event("PermuteAndFlipDpEvent")
def _permute_and_flip(event: dp_event.DpEvent, relation: Enum) -> Made:
    _require(event, relation, _ADD_REMOVE)
    return hs.PermuteAndFlip(epsilon=event.epsilon)


@_event("DiscreteGaussianDpEvent")
def _discrete_gaussian(event: dp_event.DpEvent, relation: Enum) -> Made:  # noqa: ARG001
    """A discrete Gaussian of one dimension; for others no dominating pair is known."""
    if event.dimension != 1 or event.sensitivity != int(event.sensitivity):
        message = "`DiscreteGaussianDpEvent` needs dimension 1 and a whole sensitivity."
        _refuse(event, message)
    if event.sigma == 0:
        return EVERYTHING
    return hs.DiscreteGaussian(sigma=event.sigma, sensitivity=int(event.sensitivity))
