# SPDX-License-Identifier: Apache-2.0
"""This library's mechanisms as distributions on a grid: a registry."""

from functools import singledispatch

from hockeystick.adjacency import Adjacency
from hockeystick.compat._quotient import around
from hockeystick.compat.dp_accounting.pld import privacy_loss_distribution as pld
from hockeystick.compat.dp_accounting.pld._adjacency import NeighboringRelation
from hockeystick.compat.dp_accounting.pld.common import DifferentialPrivacyParameters
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms import (
    ApproximateDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    GaussianMixture,
    Laplace,
    PermuteAndFlip,
    PoissonSampled,
    RandomizedResponse,
    TruncatedPoissonGaussian,
)


def distribution(
    composition: Composition, adjacency: Adjacency, interval: float
) -> pld.PrivacyLossDistribution:
    """The composition of the mechanisms' pessimistic distributions on one grid."""
    composed = pld.identity(interval)
    for mechanism, count in composition.terms:
        once = of_mechanism(mechanism, NeighboringRelation[adjacency.name], interval)
        composed = composed.compose(once.self_compose(count))
    return composed


@singledispatch
def of_mechanism(
    mechanism: Mechanism,
    relation: NeighboringRelation,  # noqa: ARG001
    interval: float,  # noqa: ARG001
) -> pld.PrivacyLossDistribution:
    """The pessimistic distribution of one run.

    Raises:
        TypeError: None is registered.
    """
    raise TypeError(f"no distribution on a grid is known for {mechanism!r}")


@of_mechanism.register
def _(
    mechanism: Gaussian, relation: NeighboringRelation, interval: float
) -> pld.PrivacyLossDistribution:
    return pld.from_gaussian_mechanism(
        mechanism.noise_multiplier,
        value_discretization_interval=interval,
        neighboring_relation=relation,
    )


@of_mechanism.register
def _(
    mechanism: Laplace,
    relation: NeighboringRelation,  # noqa: ARG001
    interval: float,
) -> pld.PrivacyLossDistribution:
    return pld.from_laplace_mechanism(
        mechanism.noise_multiplier, value_discretization_interval=interval
    )


@of_mechanism.register
def _(
    mechanism: PoissonSampled, relation: NeighboringRelation, interval: float
) -> pld.PrivacyLossDistribution:
    inner, q = mechanism.mechanism, mechanism.sampling_probability
    if isinstance(inner, Laplace):
        return pld.from_laplace_mechanism(
            inner.noise_multiplier, value_discretization_interval=interval, sampling_prob=q
        )
    if isinstance(inner, Gaussian):
        return pld.from_gaussian_mechanism(
            inner.noise_multiplier,
            value_discretization_interval=interval,
            sampling_prob=q,
            neighboring_relation=relation,
        )
    raise TypeError(f"no distribution on a grid is known for {mechanism!r}")


@of_mechanism.register
def _(
    mechanism: DiscreteLaplace,
    relation: NeighboringRelation,  # noqa: ARG001
    interval: float,
) -> pld.PrivacyLossDistribution:
    return pld.from_discrete_laplace_mechanism(
        mechanism.parameter,
        mechanism.sensitivity,
        value_discretization_interval=interval,
        use_connect_dots=True,
    )


@of_mechanism.register
def _(
    mechanism: DiscreteGaussian,
    relation: NeighboringRelation,
    interval: float,
) -> pld.PrivacyLossDistribution:
    replaced = relation.name == "REPLACE_ONE"
    return pld.from_discrete_gaussian_mechanism(
        mechanism.sigma,
        mechanism.sensitivity * (2 if replaced else 1),
        mechanism.truncation,
        value_discretization_interval=interval,
        use_connect_dots=True,
    )


@of_mechanism.register
def _(
    mechanism: RandomizedResponse, relation: NeighboringRelation, interval: float
) -> pld.PrivacyLossDistribution:
    return pld.from_randomized_response(
        mechanism.noise_parameter,
        mechanism.num_buckets,
        value_discretization_interval=interval,
        neighboring_relation=relation,
    )


@of_mechanism.register
def _(
    mechanism: ApproximateDP,
    relation: NeighboringRelation,  # noqa: ARG001
    interval: float,
) -> pld.PrivacyLossDistribution:
    guarantee = DifferentialPrivacyParameters(
        mechanism.guaranteed_epsilon, mechanism.guaranteed_delta
    )
    return pld.from_privacy_parameters(guarantee, interval)


@of_mechanism.register
def _(
    mechanism: ExponentialMechanism,
    relation: NeighboringRelation,  # noqa: ARG001
    interval: float,
) -> pld.PrivacyLossDistribution:
    guarantee = DifferentialPrivacyParameters(mechanism.guaranteed_epsilon)
    return pld.from_privacy_parameters(guarantee, interval)


@of_mechanism.register
def _(
    mechanism: PermuteAndFlip,
    relation: NeighboringRelation,  # noqa: ARG001
    interval: float,
) -> pld.PrivacyLossDistribution:
    """Laplace noise of scale 1 / epsilon, or the less that is a binary64 number."""
    noise, _ = around(1.0, mechanism.guaranteed_epsilon)
    return pld.from_laplace_mechanism(noise, value_discretization_interval=interval)


@of_mechanism.register
def _(
    mechanism: GaussianMixture,
    relation: NeighboringRelation,  # noqa: ARG001
    interval: float,
) -> pld.PrivacyLossDistribution:
    return pld.from_mixture_gaussian_mechanism(
        mechanism.standard_deviation,
        mechanism.sensitivities,
        mechanism.probabilities,
        value_discretization_interval=interval,
    )


@of_mechanism.register
def _(
    mechanism: TruncatedPoissonGaussian, relation: NeighboringRelation, interval: float
) -> pld.PrivacyLossDistribution:
    return pld.from_truncated_subsampled_gaussian_mechanism(
        mechanism.dataset_size,
        mechanism.sampling_probability,
        mechanism.truncated_batch_size,
        mechanism.noise_multiplier,
        value_discretization_interval=interval,
        neighboring_relation=relation,
    )
