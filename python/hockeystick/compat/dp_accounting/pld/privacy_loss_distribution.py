# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.privacy_loss_distribution``: privacy loss distributions of mechanisms."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scipy import stats

from hockeystick.compat.dp_accounting.pld import common, pld_pmf, privacy_loss_mechanism
from hockeystick.compat.dp_accounting.pld._adjacency import NeighboringRelation, adjacency_of
from hockeystick.compat.dp_accounting.pld._discretize import create_pmf
from hockeystick.compat.dp_accounting.pld._distribution import PrivacyLossDistribution
from hockeystick.compat.dp_accounting.pld._losses.discrete_gaussian import (
    DiscreteGaussianPrivacyLoss,
)
from hockeystick.compat.dp_accounting.pld._losses.discrete_laplace import DiscreteLaplacePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.gaussian import GaussianPrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.laplace import LaplacePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.loss import AdjacencyType, MonotonePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.mixture import MixtureGaussianPrivacyLoss
from hockeystick.compat.dp_accounting.pld._rounded import rounded_log_pmfs, rounded_loss

__all__ = [
    "NeighborRel",
    "PrivacyLossDistribution",
    "create_from_cdf",
    "from_discrete_gaussian_mechanism",
    "from_discrete_laplace_mechanism",
    "from_gaussian_mechanism",
    "from_laplace_mechanism",
    "from_mixture_gaussian_mechanism",
    "from_privacy_parameters",
    "from_randomized_response",
    "from_truncated_subsampled_gaussian_mechanism",
    "from_two_probability_mass_functions",
    "identity",
    "privacy_loss_mechanism",
]

NeighborRel = NeighboringRelation


def identity(
    value_discretization_interval: float = 1e-4,
    pessimistic_estimate: bool = True,
) -> PrivacyLossDistribution:
    """The distribution of a mechanism that ignores its data: loss 0."""
    return PrivacyLossDistribution.create_from_rounded_probability(
        {0: 1}, 0, value_discretization_interval, pessimistic_estimate
    )


def from_two_probability_mass_functions(
    log_probability_mass_function_lower: Mapping[Any, float],
    log_probability_mass_function_upper: Mapping[Any, float],
    pessimistic_estimate: bool = True,
    value_discretization_interval: float = 1e-4,
    log_mass_truncation_bound: float = -math.inf,
    symmetric: bool = True,
) -> PrivacyLossDistribution:
    """Privacy buckets of two distributions given by the logarithms of their probabilities.

    Outcomes whose upper log probability is at most `log_mass_truncation_bound` count as +inf
    (pessimistic) or not at all. Not `symmetric`: the reverse direction is kept too.
    """
    lower, upper = log_probability_mass_function_lower, log_probability_mass_function_upper

    def pmf(p: Mapping[Any, float], q: Mapping[Any, float]) -> pld_pmf.PLDPmf:
        return rounded_log_pmfs(
            p,
            q,
            interval=value_discretization_interval,
            pessimistic=pessimistic_estimate,
            log_truncation=log_mass_truncation_bound,
        )

    if symmetric:
        return PrivacyLossDistribution(pmf(upper, lower))
    return PrivacyLossDistribution(pmf(upper, lower), pmf(lower, upper))


def create_from_cdf(
    cdf: Callable[[float], float],
    pessimistic_estimate: bool = True,
    value_discretization_interval: float = 1e-4,
    tail_mass_truncation: float = 1e-15,
) -> PrivacyLossDistribution:
    """Privacy buckets of a loss with the given cumulative distribution function.

    Exact for the numbers `cdf` returns. Each end is cut where half of `tail_mass_truncation` is
    left; pessimistic, all of it goes to +inf.
    """
    half, interval = tail_mass_truncation / 2, value_discretization_interval
    up = 1 if pessimistic_estimate else 0
    masses: dict[int, float] = {}
    k, at = 0, cdf(0)
    while at < 1 - half:
        beyond = cdf((k + 1) * interval)
        masses[k + up] = max(beyond - at, 0.0)
        k, at = k + 1, beyond
    k, at = 0, cdf(0)
    while at > half:
        below = cdf((k - 1) * interval)
        masses[k - 1 + up] = max(at - below, 0.0)
        k, at = k - 1, below
    return PrivacyLossDistribution.create_from_rounded_probability(
        masses,
        tail_mass_truncation if pessimistic_estimate else 0,
        interval,
        pessimistic_estimate,
    )


def from_randomized_response(
    noise_parameter: float,
    num_buckets: int,
    pessimistic_estimate: bool = True,
    value_discretization_interval: float = 1e-4,
    neighboring_relation: NeighboringRelation = NeighborRel.REPLACE_ONE,
) -> PrivacyLossDistribution:
    """Randomized response over `num_buckets` values, uniform with probability `noise_parameter`.

    Under REPLACE_SPECIAL the special value's answers are uniform.
    """
    if not 0 < noise_parameter < 1:
        raise ValueError(f"Noise parameter must be strictly between 0 and 1: {noise_parameter}")
    if not num_buckets > 1:
        raise ValueError(f"Number of buckets must be strictly greater than 1: {num_buckets}")
    special = neighboring_relation.name == "REPLACE_SPECIAL"
    if not special and neighboring_relation.name != "REPLACE_ONE":
        raise ValueError(
            f"Neighboring relation must be either REPLACE_ONE or REPLACE_SPECIAL: "
            f"{neighboring_relation}"
        )
    p, k = noise_parameter, num_buckets
    true, other, rest = math.log1p(-p * (k - 1) / k), math.log(p / k), math.log(p)
    if special:
        upper = {0: true, 1: rest + math.log1p(-1 / k)}
        lower = {0: -math.log(k), 1: math.log1p(-1 / k)}
    else:
        upper, lower = {0: true, 1: other}, {0: other, 1: true}
        if k > 2:  # noqa: PLR2004
            upper[2] = lower[2] = math.log((k - 2) / k) + rest
    return from_two_probability_mass_functions(
        lower,
        upper,
        pessimistic_estimate,
        value_discretization_interval,
        symmetric=not special,
    )


def from_laplace_mechanism(
    parameter: float,
    sensitivity: float = 1,
    pessimistic_estimate: bool = True,
    value_discretization_interval: float = 1e-4,
    sampling_prob: float = 1.0,
    use_connect_dots: bool = True,
) -> PrivacyLossDistribution:
    """The Laplace mechanism, plain or on a Poisson subsample."""
    return _of_directions(
        lambda kind: LaplacePrivacyLoss(parameter, sensitivity, sampling_prob, kind),
        symmetric=sampling_prob == 1,
        interval=value_discretization_interval,
        pessimistic=pessimistic_estimate,
        connect_dots=use_connect_dots,
    )


def from_gaussian_mechanism(
    standard_deviation: float,
    sensitivity: float = 1,
    pessimistic_estimate: bool = True,
    value_discretization_interval: float = 1e-4,
    log_mass_truncation_bound: float = -50,
    sampling_prob: float = 1.0,
    use_connect_dots: bool = True,
    neighboring_relation: NeighboringRelation = NeighborRel.ADD_OR_REMOVE_ONE,
) -> PrivacyLossDistribution:
    """The Gaussian mechanism, plain or on a Poisson subsample, under any relation."""
    replaces = adjacency_of(neighboring_relation).name == "REPLACE_ONE"
    return _of_directions(
        lambda kind: GaussianPrivacyLoss(
            standard_deviation,
            sensitivity,
            pessimistic_estimate,
            log_mass_truncation_bound,
            sampling_prob,
            AdjacencyType.REPLACE if replaces else kind,
        ),
        symmetric=replaces or sampling_prob == 1,
        interval=value_discretization_interval,
        pessimistic=pessimistic_estimate,
        connect_dots=use_connect_dots,
    )


def from_discrete_laplace_mechanism(
    parameter: float,
    sensitivity: int = 1,
    pessimistic_estimate: bool = True,
    value_discretization_interval: float = 1e-4,
    sampling_prob: float = 1.0,
    use_connect_dots: bool = False,
) -> PrivacyLossDistribution:
    """The discrete Laplace mechanism, plain or on a Poisson subsample."""
    return _of_directions(
        lambda kind: DiscreteLaplacePrivacyLoss(parameter, sensitivity, sampling_prob, kind),
        symmetric=sampling_prob == 1,
        interval=value_discretization_interval,
        pessimistic=pessimistic_estimate,
        connect_dots=use_connect_dots,
    )


def from_discrete_gaussian_mechanism(
    sigma: float,
    sensitivity: int = 1,
    truncation_bound: int | None = None,
    pessimistic_estimate: bool = True,
    value_discretization_interval: float = 1e-4,
    sampling_prob: float = 1.0,
    use_connect_dots: bool = False,
) -> PrivacyLossDistribution:
    """The discrete Gaussian mechanism with truncated noise, plain or on a Poisson subsample."""
    return _of_directions(
        lambda kind: DiscreteGaussianPrivacyLoss(
            sigma, sensitivity, truncation_bound, sampling_prob, kind
        ),
        symmetric=sampling_prob == 1,
        interval=value_discretization_interval,
        pessimistic=pessimistic_estimate,
        connect_dots=use_connect_dots,
    )


def from_mixture_gaussian_mechanism(
    standard_deviation: float,
    sensitivities: Sequence[float],
    sampling_probs: Sequence[float],
    pessimistic_estimate: bool = True,
    value_discretization_interval: float = 1e-4,
    log_mass_truncation_bound: float = -50,
    use_connect_dots: bool = True,
) -> PrivacyLossDistribution:
    """The Gaussian mechanism with a random sensitivity."""
    return _of_directions(
        lambda kind: MixtureGaussianPrivacyLoss(
            standard_deviation,
            sensitivities,
            sampling_probs,
            pessimistic_estimate,
            log_mass_truncation_bound,
            kind,
        ),
        symmetric=False,
        interval=value_discretization_interval,
        pessimistic=pessimistic_estimate,
        connect_dots=use_connect_dots,
    )


def from_truncated_subsampled_gaussian_mechanism(
    dataset_size: int,
    sampling_probability: float,
    truncated_batch_size: int,
    noise_multiplier: float,
    value_discretization_interval: float = 1e-4,
    log_mass_truncation_bound: float = -50,
    use_connect_dots: bool = True,
    neighboring_relation: NeighboringRelation = NeighborRel.ADD_OR_REMOVE_ONE,
) -> PrivacyLossDistribution:
    """The Gaussian mechanism on Poisson batches cut to a size, as a mixture: an upper estimate.

    A batch without truncation is as in ``from_gaussian_mechanism``; with truncation, a record of
    sensitivity 2 replaced by another bounds it (Google's notes, section 5.3).
    """
    size, batch, q = dataset_size, truncated_batch_size, sampling_probability
    if not (size >= 0 and batch >= 0):
        raise ValueError(f"dataset_size and batch size must be >= 0, got {size} and {batch}")

    def gaussian(
        deviation: float, probability: float, relation: NeighboringRelation
    ) -> PrivacyLossDistribution:
        return from_gaussian_mechanism(
            deviation,
            value_discretization_interval=value_discretization_interval,
            log_mass_truncation_bound=log_mass_truncation_bound,
            sampling_prob=probability,
            use_connect_dots=use_connect_dots,
            neighboring_relation=relation,
        )

    whole = gaussian(noise_multiplier, q, neighboring_relation)
    truncated = float(stats.binom.sf(batch - 1, size - 1, q))
    if truncated == 0:
        return whole
    sampled = float(stats.binom.sf(batch, size, q)) * batch / truncated / size
    cut = gaussian(noise_multiplier / 2, sampled, NeighborRel.REPLACE_ONE)
    return cut.compute_mixture(whole, truncated)


def from_privacy_parameters(
    privacy_parameters: common.DifferentialPrivacyParameters,
    value_discretization_interval: float = 1e-4,
) -> PrivacyLossDistribution:
    """Any (epsilon, delta)-private mechanism, pessimistically."""
    epsilon, delta = privacy_parameters.epsilon, privacy_parameters.delta
    interval = value_discretization_interval
    finite = 1 - delta
    masses = [(epsilon, finite / (1 + math.exp(-epsilon)))]
    shrunk = math.exp(-epsilon)
    masses.append((-epsilon, finite * shrunk / (1 + shrunk)))
    return PrivacyLossDistribution(rounded_loss(masses, delta, interval=interval, pessimistic=True))


def _of_directions(
    loss: Callable[[AdjacencyType], MonotonePrivacyLoss],
    *,
    symmetric: bool,
    interval: float,
    pessimistic: bool,
    connect_dots: bool,
) -> PrivacyLossDistribution:
    kinds = (AdjacencyType.REMOVE,) if symmetric else (AdjacencyType.REMOVE, AdjacencyType.ADD)
    pmfs = [
        create_pmf(
            loss(kind), interval=interval, pessimistic=pessimistic, connect_dots=connect_dots
        )
        for kind in kinds
    ]
    return PrivacyLossDistribution(*pmfs)
