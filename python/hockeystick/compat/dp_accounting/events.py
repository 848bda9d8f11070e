# SPDX-License-Identifier: Apache-2.0
"""What the events of dp_accounting are in this library's words: a registry.

``translated(event, relation)`` is a function of its class. To support another event, register one
more; events of versions that lack them are left out.
"""

from collections.abc import Callable
from enum import Enum
from functools import singledispatch
from typing import Any, NoReturn

from dp_accounting import dp_event

import hockeystick as hs

Make = Callable[[], hs.Mechanism | hs.Composition]
"""Makes the mechanism of an event; raises ValueError if its parameters are out of range."""

NOTHING = hs.Composition()
EVERYTHING = hs.ApproximateDP(epsilon=0, delta=1)
"""What tells all: delta is 1 at every epsilon."""

_ADD_REMOVE = ("ADD_OR_REMOVE_ONE", "REPLACE_SPECIAL")
_REPLACE = ("REPLACE_ONE", "REPLACE_SPECIAL")


class UnsupportedError(Exception):
    """An event has no mechanism under the neighbouring relation; says which and why."""

    def __init__(self, event: object, message: str) -> None:
        super().__init__(event, message)
        self.event, self.message = event, message


@singledispatch
def translated(event: Any, relation: Enum) -> Make:  # noqa: ANN401, ARG001
    """How to make the mechanism of `event`.

    Raises:
        UnsupportedError: There is none under `relation`.
    """
    return _refuse(event, "Unsupported event.")


def _refuse(event: object, message: str) -> NoReturn:
    raise UnsupportedError(event, message)


def _require(event: object, relation: Enum, names: tuple[str, ...], what: str = "") -> None:
    if relation.name not in names:
        first, second = names
        of_what = what or f"`{type(event).__name__}`"
        message = (
            f"neighboring_relation must be `{first}` or `{second}` for {of_what}. Found {relation}."
        )
        _refuse(event, message)


def _unless(private: bool, make: Make) -> Make:
    """`make`, or what tells all where there is no noise."""
    return make if private else lambda: EVERYTHING


@translated.register
def _(event: dp_event.NoOpDpEvent, relation: Enum) -> Make:  # noqa: ARG001
    return lambda: NOTHING


@translated.register
def _(event: dp_event.NonPrivateDpEvent, relation: Enum) -> Make:  # noqa: ARG001
    return lambda: EVERYTHING


@translated.register
def _(event: dp_event.SelfComposedDpEvent, relation: Enum) -> Make:
    make = translated(event.event, relation)
    return lambda: event.count * make()


@translated.register
def _(event: dp_event.ComposedDpEvent, relation: Enum) -> Make:
    makes = [translated(part, relation) for part in event.events]
    return lambda: sum((make() for make in makes), NOTHING)


@translated.register
def _(event: dp_event.GaussianDpEvent, relation: Enum) -> Make:  # noqa: ARG001
    noise = event.noise_multiplier
    return _unless(noise != 0, lambda: hs.Gaussian(noise_multiplier=noise))


@translated.register
def _(event: dp_event.LaplaceDpEvent, relation: Enum) -> Make:
    _require(event, relation, _ADD_REMOVE)
    noise = event.noise_multiplier
    return _unless(noise != 0, lambda: hs.Laplace(noise_multiplier=noise))


@translated.register
def _(event: dp_event.DiscreteLaplaceDpEvent, relation: Enum) -> Make:
    _require(event, relation, _ADD_REMOVE)
    parameter, sensitivity = event.noise_parameter, event.sensitivity
    make = lambda: hs.DiscreteLaplace(parameter=parameter, sensitivity=sensitivity)  # noqa: E731
    return _unless(parameter != 0, make)


@translated.register
def _(event: dp_event.RandomizedResponseDpEvent, relation: Enum) -> Make:
    _require(event, relation, _REPLACE)
    noise, buckets = event.noise_parameter, event.num_buckets
    make = lambda: hs.RandomizedResponse(noise_parameter=noise, num_buckets=buckets)  # noqa: E731
    return _unless(noise != 0 or buckets == 1, make)


@translated.register
def _(event: dp_event.MixtureOfGaussiansDpEvent, relation: Enum) -> Make:
    _require(event, relation, _ADD_REMOVE)
    weighted = [
        (float(s), float(p))
        for s, p in zip(event.sensitivities, event.sampling_probs, strict=True)
        if p != 0
    ]
    if not any(s for s, _ in weighted):
        return lambda: NOTHING
    return _unless(
        event.standard_deviation != 0,
        lambda: hs.GaussianMixture(
            standard_deviation=event.standard_deviation,
            sensitivities=tuple(s for s, _ in weighted),
            probabilities=tuple(p for _, p in weighted),
        ),
    )


@translated.register
def _(event: dp_event.PoissonSampledDpEvent, relation: Enum) -> Make:
    inner, q = event.event, event.sampling_probability
    if isinstance(inner, dp_event.LaplaceDpEvent):
        _require(event, relation, _ADD_REMOVE, "`PoissonSampledDpEvent` of a `LaplaceDpEvent`")
        mechanism: type[hs.Gaussian | hs.Laplace] = hs.Laplace
    elif isinstance(inner, dp_event.GaussianDpEvent):
        mechanism = hs.Gaussian
    else:
        message = (
            f"Subevent of `PoissonSampledEvent` must be either `GaussianDpEvent` or "
            f"`LaplaceDpEvent`. Found {inner}."
        )
        _refuse(event, message)
    if q == 0:
        return lambda: NOTHING
    noise = inner.noise_multiplier
    return _unless(noise != 0, lambda: mechanism(noise_multiplier=noise).poisson_sampled(q))


def _truncated(event: Any, relation: Enum) -> Make:  # noqa: ANN401, ARG001
    if 0 in (event.sampling_probability, event.truncated_batch_size, event.dataset_size):
        return lambda: NOTHING
    return _unless(
        event.noise_multiplier != 0,
        lambda: hs.TruncatedPoissonGaussian(
            noise_multiplier=event.noise_multiplier,
            sampling_probability=event.sampling_probability,
            dataset_size=event.dataset_size,
            truncated_batch_size=event.truncated_batch_size,
        ),
    )


def _epsilon_delta(event: Any, relation: Enum) -> Make:  # noqa: ANN401, ARG001
    return lambda: hs.ApproximateDP(epsilon=event.epsilon, delta=event.delta)


def _exponential(event: Any, relation: Enum) -> Make:  # noqa: ANN401, ARG001
    return lambda: hs.ExponentialMechanism(epsilon=event.epsilon)


def _permute_and_flip(event: Any, relation: Enum) -> Make:  # noqa: ANN401
    _require(event, relation, _ADD_REMOVE)
    return lambda: hs.PermuteAndFlip(epsilon=event.epsilon)


def _discrete_gaussian(event: Any, relation: Enum) -> Make:  # noqa: ANN401, ARG001
    """Of one dimension: in more, or unknown ones, no pair is known to dominate."""
    if event.dimension != 1 or event.sensitivity != int(event.sensitivity):
        message = "`DiscreteGaussianDpEvent` needs dimension 1 and a whole sensitivity."
        _refuse(event, message)
    make = lambda: hs.DiscreteGaussian(  # noqa: E731
        sigma=event.sigma, sensitivity=int(event.sensitivity)
    )
    return _unless(event.sigma != 0, make)


_BY_NAME = {
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "EpsilonDeltaDpEvent": _epsilon_delta,
    "ExponentialMechanismDpEvent": _exponential,
    "PermuteAndFlipDpEvent": _permute_and_flip,
    "DiscreteGaussianDpEvent": _discrete_gaussian,
}
for _name, _function in _BY_NAME.items():
    if hasattr(dp_event, _name):  # not in every version
        translated.register(getattr(dp_event, _name), _function)
