# SPDX-License-Identifier: Apache-2.0
"""What the events of dp_accounting are in this library's words: a registry.

``translated(event, relation)`` is a function of its class. To support another event, register one
more; events of versions that lack them are left out.
"""

from enum import Enum
from functools import singledispatch
from typing import Any, NoReturn

from dp_accounting import dp_event

import hockeystick as hs

Made = hs.Mechanism | hs.Composition

NOTHING = hs.Composition()
EVERYTHING = hs.ApproximateDP(epsilon=0, delta=1)
"""What tells all: delta is 1 at every epsilon."""

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


def _refuse(event: object, message: str) -> NoReturn:
    raise UnsupportedError(event, message)


def _require(event: object, relation: Enum, names: tuple[str, ...], what: str = "") -> None:
    if relation.name not in names:
        allowed = " or ".join(f"`{name}`" for name in names)
        of_what = what or f"`{type(event).__name__}`"
        message = f"neighboring_relation must be {allowed} for {of_what}. Found {relation}."
        _refuse(event, message)


@translated.register
def _(event: dp_event.NoOpDpEvent, relation: Enum) -> Made:  # noqa: ARG001
    return NOTHING


@translated.register
def _(event: dp_event.NonPrivateDpEvent, relation: Enum) -> Made:  # noqa: ARG001
    return EVERYTHING


@translated.register
def _(event: dp_event.SelfComposedDpEvent, relation: Enum) -> Made:
    made: Made = event.count * translated(event.event, relation)
    return made


@translated.register
def _(event: dp_event.ComposedDpEvent, relation: Enum) -> Made:
    return sum((translated(part, relation) for part in event.events), NOTHING)


@translated.register
def _(event: dp_event.GaussianDpEvent, relation: Enum) -> Made:  # noqa: ARG001
    noise = event.noise_multiplier
    return hs.Gaussian(noise_multiplier=noise) if noise != 0 else EVERYTHING


@translated.register
def _(event: dp_event.LaplaceDpEvent, relation: Enum) -> Made:
    _require(event, relation, _ADD_REMOVE)
    noise = event.noise_multiplier
    return hs.Laplace(noise_multiplier=noise) if noise != 0 else EVERYTHING


@translated.register
def _(event: dp_event.DiscreteLaplaceDpEvent, relation: Enum) -> Made:
    _require(event, relation, _ADD_REMOVE)
    if event.noise_parameter == 0:
        return EVERYTHING
    return hs.DiscreteLaplace(parameter=event.noise_parameter, sensitivity=event.sensitivity)


@translated.register
def _(event: dp_event.RandomizedResponseDpEvent, relation: Enum) -> Made:
    _require(event, relation, _REPLACE)
    if event.noise_parameter == 0 and event.num_buckets != 1:
        return EVERYTHING
    return hs.RandomizedResponse(
        noise_parameter=event.noise_parameter, num_buckets=event.num_buckets
    )


@translated.register
def _(event: dp_event.MixtureOfGaussiansDpEvent, relation: Enum) -> Made:
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


@translated.register
def _(event: dp_event.PoissonSampledDpEvent, relation: Enum) -> Made:
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


@translated.register(dp_event.SampledWithoutReplacementDpEvent)
@translated.register(dp_event.SampledWithReplacementDpEvent)
def _(event: Any, relation: Enum) -> Made:  # noqa: ANN401
    _require(event, relation, _REPLACE)
    gaussian = _gaussian(event, relation)
    if not isinstance(gaussian, hs.Gaussian) or event.sample_size == 0:
        return NOTHING if event.sample_size == 0 else gaussian
    return gaussian.fixed_size_sampled(
        batch_size=event.sample_size,
        dataset_size=event.source_dataset_size,
        replacement=isinstance(event, dp_event.SampledWithReplacementDpEvent),
    )


def _gaussian(event: Any, relation: Enum) -> Made:  # noqa: ANN401
    """What a sampled Gaussian event samples."""
    if not isinstance(event.event, dp_event.GaussianDpEvent):
        what = f"`{type(event).__name__}`"
        _refuse(event, f"Subevent of {what} must be a `GaussianDpEvent`. Found {event.event}.")
    return translated(event.event, relation)


def _random_allocation(event: Any, relation: Enum) -> Made:  # noqa: ANN401
    """Of several steps for each record the upper end is what theory proves."""
    _require(event, relation, _ADD_REMOVE)
    gaussian = _gaussian(event, relation)
    if event.num_selected == 0:
        return NOTHING
    if isinstance(gaussian, hs.Gaussian):
        return gaussian.random_allocation(steps=event.num_steps, selected=event.num_selected)
    return gaussian


def _truncated(event: Any, relation: Enum) -> Made:  # noqa: ANN401, ARG001
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


def _epsilon_delta(event: Any, relation: Enum) -> Made:  # noqa: ANN401, ARG001
    return hs.ApproximateDP(epsilon=event.epsilon, delta=event.delta)


def _exponential(event: Any, relation: Enum) -> Made:  # noqa: ANN401, ARG001
    return hs.ExponentialMechanism(epsilon=event.epsilon)


def _permute_and_flip(event: Any, relation: Enum) -> Made:  # noqa: ANN401
    _require(event, relation, _ADD_REMOVE)
    return hs.PermuteAndFlip(epsilon=event.epsilon)


def _discrete_gaussian(event: Any, relation: Enum) -> Made:  # noqa: ANN401, ARG001
    """Of one dimension: in more, or unknown ones, no pair is known to dominate."""
    if event.dimension != 1 or event.sensitivity != int(event.sensitivity):
        message = "`DiscreteGaussianDpEvent` needs dimension 1 and a whole sensitivity."
        _refuse(event, message)
    if event.sigma == 0:
        return EVERYTHING
    return hs.DiscreteGaussian(sigma=event.sigma, sensitivity=int(event.sensitivity))


_BY_NAME = {
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "EpsilonDeltaDpEvent": _epsilon_delta,
    "ExponentialMechanismDpEvent": _exponential,
    "PermuteAndFlipDpEvent": _permute_and_flip,
    "DiscreteGaussianDpEvent": _discrete_gaussian,
    "RandomAllocationDpEvent": _random_allocation,
}
for _name, _function in _BY_NAME.items():
    if hasattr(dp_event, _name):  # not in every version
        translated.register(getattr(dp_event, _name), _function)
