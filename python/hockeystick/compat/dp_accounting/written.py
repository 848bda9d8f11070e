# SPDX-License-Identifier: Apache-2.0
"""The events of dp_accounting for this library's mechanisms: the reverse of ``events``."""

from collections.abc import Callable
from typing import Any

from dp_accounting import dp_event

import hockeystick as hs


def event_of(run: hs.Composition | hs.Mechanism) -> Any:  # noqa: ANN401, one of its many classes
    """The event that a run is; see ``Composition.to_dp_event``."""
    events = [
        _written(mechanism)
        if count == 1
        else dp_event.SelfComposedDpEvent(event=_written(mechanism), count=count)
        for mechanism, count in run.terms
    ]
    if len(events) == 1:
        return events[0]
    return dp_event.ComposedDpEvent(events=events) if events else dp_event.NoOpDpEvent()


def _written(mechanism: hs.Mechanism) -> Any:  # noqa: ANN401
    if type(mechanism) not in _EVENTS:
        raise TypeError(f"dp_accounting has no event for {mechanism!r}")
    name, arguments = _EVENTS[type(mechanism)]
    if isinstance(mechanism, hs.FixedSizeSampled) and mechanism.replacement:
        name = "SampledWithReplacementDpEvent"
    if not hasattr(dp_event, name):
        raise TypeError(f"the installed dp_accounting has no {name} for {mechanism!r}")
    return getattr(dp_event, name)(**arguments(mechanism))


def _same(mechanism: Any) -> dict[str, Any]:  # noqa: ANN401, of the class beside it
    return mechanism.arguments  # type: ignore[no-any-return]


def _discrete_laplace(mechanism: hs.DiscreteLaplace) -> dict[str, Any]:
    return {"noise_parameter": mechanism.parameter, "sensitivity": mechanism.sensitivity}


def _mixture(mechanism: hs.GaussianMixture) -> dict[str, Any]:
    return {
        "standard_deviation": mechanism.standard_deviation,
        "sensitivities": list(mechanism.sensitivities),
        "sampling_probs": list(mechanism.probabilities),
    }


def _sampled(mechanism: hs.PoissonSampled) -> dict[str, Any]:
    event = _written(mechanism.mechanism)
    return {"sampling_probability": mechanism.sampling_probability, "event": event}


def _fixed_size(mechanism: hs.FixedSizeSampled) -> dict[str, Any]:
    return {
        "source_dataset_size": mechanism.dataset_size,
        "sample_size": mechanism.batch_size,
        "event": _written(mechanism.mechanism),
    }


_EVENTS: dict[type[hs.Mechanism], tuple[str, Callable[[Any], dict[str, Any]]]] = {
    hs.ApproximateDP: ("EpsilonDeltaDpEvent", _same),
    hs.DiscreteLaplace: ("DiscreteLaplaceDpEvent", _discrete_laplace),
    hs.ExponentialMechanism: ("ExponentialMechanismDpEvent", _same),
    hs.FixedSizeSampled: ("SampledWithoutReplacementDpEvent", _fixed_size),
    hs.Gaussian: ("GaussianDpEvent", _same),
    hs.GaussianMixture: ("MixtureOfGaussiansDpEvent", _mixture),
    hs.Laplace: ("LaplaceDpEvent", _same),
    hs.PermuteAndFlip: ("PermuteAndFlipDpEvent", _same),
    hs.PoissonSampled: ("PoissonSampledDpEvent", _sampled),
    hs.RandomizedResponse: ("RandomizedResponseDpEvent", _same),
    hs.TruncatedPoissonGaussian: ("TruncatedSubsampledGaussianDpEvent", _same),
    hs.ZCDP: ("ZCDpEvent", _same),
}
