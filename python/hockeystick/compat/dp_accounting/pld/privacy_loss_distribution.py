# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.privacy_loss_distribution``: privacy loss distributions of mechanisms."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import hockeystick as hs
from hockeystick import outward
from hockeystick.adjacency import Adjacency
from hockeystick.compat.dp_accounting.pld import common, pld_pmf
from hockeystick.compat.dp_accounting.pld._compared import NeighboringRelation, adjacency_of, under
from hockeystick.compat.dp_accounting.pld._distribution import PrivacyLossDistribution
from hockeystick.compat.dp_accounting.pld._rounded import rounded_log_pmfs
from hockeystick.compat.dp_accounting.pld._run import Run

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
]

NeighborRel = NeighboringRelation
_WIDEST_INTERVAL = 500.0
_REACH = 11.6  # of discrete Gaussian noise, in units of sigma: beyond lies less than 1e-30


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
    _check_interval(value_discretization_interval)
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
    _check_interval(interval)
    most = range(int(_WIDEST_INTERVAL / interval) + 1)
    low = -bisect_left(most, True, key=lambda k: bool(not cdf(-k * interval) > half))
    high = bisect_left(most, True, key=lambda k: bool(not cdf(k * interval) < 1 - half))
    if max(-low, high) == len(most):
        reach = f"[-{_WIDEST_INTERVAL:g}, {_WIDEST_INTERVAL:g}]"
        raise ValueError(f"cdf must leave at most {half!r} on either side of {reach}")
    values = [cdf(k * interval) for k in range(low, high + 1)]
    if math.isnan(math.fsum(values)):
        raise ValueError("cdf must be in [0, 1], got nan")
    first = low + 1 if pessimistic_estimate else low
    masses = {k: max(b - a, 0.0) for k, (a, b) in enumerate(pairwise(values), first)}
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
    adjacency = adjacency_of(neighboring_relation)
    if adjacency is Adjacency.ADD_OR_REMOVE_ONE:
        raise ValueError(
            f"Neighboring relation must be either REPLACE_ONE or REPLACE_SPECIAL: "
            f"{neighboring_relation}"
        )
    mechanism = hs.RandomizedResponse(noise_parameter=noise_parameter, num_buckets=num_buckets)
    return _distribution(
        under(mechanism, adjacency), pessimistic_estimate, value_discretization_interval, False
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
    noise = _noise("Parameter", parameter, sensitivity, pessimistic_estimate)
    mechanism = _sampled(hs.Laplace(noise_multiplier=noise), sampling_prob)
    return _distribution(
        mechanism, pessimistic_estimate, value_discretization_interval, use_connect_dots
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
    noise = _noise("Standard deviation", standard_deviation, sensitivity, pessimistic_estimate)
    mechanism = _sampled(hs.Gaussian(noise_multiplier=noise), sampling_prob)
    return _distribution(
        under(mechanism, adjacency_of(neighboring_relation)),
        pessimistic_estimate,
        value_discretization_interval,
        use_connect_dots,
        log_mass_truncation_bound,
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
    mechanism = hs.DiscreteLaplace(parameter=parameter, sensitivity=_whole(sensitivity))
    return _distribution(
        _sampled(mechanism, sampling_prob),
        pessimistic_estimate,
        value_discretization_interval,
        use_connect_dots,
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
    _check_positive("Sigma", sigma)
    bound = math.ceil(_REACH * sigma) if truncation_bound is None else truncation_bound
    if 2 * bound < _whole(sensitivity):
        raise ValueError(
            f"Truncation bound ({truncation_bound}) is smaller than 0.5 * sensitivity "
            f"(0.5 * {sensitivity})"
        )
    mechanism = hs.DiscreteGaussian(sigma=sigma, sensitivity=sensitivity, truncation=bound)
    return _distribution(
        _sampled(mechanism, sampling_prob),
        pessimistic_estimate,
        value_discretization_interval,
        use_connect_dots,
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
    if len(sampling_probs) != len(sensitivities):
        raise ValueError(
            f"sensitivities and sampling_probs must have the same length. Got "
            f"{len(sensitivities)} and {len(sampling_probs)}."
        )
    weighted = [(s, p) for s, p in zip(sensitivities, sampling_probs, strict=True) if p != 0]
    if not any(s > 0 for s, _ in weighted):
        raise ValueError("Must have at least one positive sensitivity.")
    mechanism = hs.GaussianMixture(
        standard_deviation=standard_deviation,
        sensitivities=[float(s) for s, _ in weighted],
        probabilities=[float(p) for _, p in weighted],
    )
    return _distribution(
        mechanism,
        pessimistic_estimate,
        value_discretization_interval,
        use_connect_dots,
        log_mass_truncation_bound,
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
    """The Gaussian mechanism on Poisson batches cut to a size."""
    size, batch = dataset_size, truncated_batch_size
    if not (size >= 0 and batch >= 0):
        raise ValueError(f"dataset_size and batch size must be >= 0, got {size} and {batch}")
    if size == 0 or batch == 0:
        return identity(value_discretization_interval)
    mechanism = hs.TruncatedPoissonGaussian(
        noise_multiplier=noise_multiplier,
        sampling_probability=sampling_probability,
        truncated_batch_size=batch,
        dataset_size=size,
    )
    return _distribution(
        under(mechanism, adjacency_of(neighboring_relation)),
        True,
        value_discretization_interval,
        use_connect_dots,
        log_mass_truncation_bound,
    )


def from_privacy_parameters(
    privacy_parameters: common.DifferentialPrivacyParameters,
    value_discretization_interval: float = 1e-4,
) -> PrivacyLossDistribution:
    """Any (epsilon, delta)-private mechanism, pessimistically."""
    epsilon, delta = privacy_parameters.epsilon, privacy_parameters.delta
    guarantee = hs.ApproximateDP(epsilon=epsilon, delta=delta)
    return _distribution(guarantee, True, value_discretization_interval, False)


def _distribution(
    mechanism: hs.Mechanism,
    pessimistic: bool,
    interval: float,
    connect_dots: bool,
    log_tail: float = -50,
) -> PrivacyLossDistribution:
    _check_interval(interval)
    if not log_tail <= 0:
        raise ValueError(f"Log mass truncation bound is not a non-positive real number: {log_tail}")
    return PrivacyLossDistribution.of_runs(
        Run(
            1 * mechanism,
            Adjacency.ADD_OR_REMOVE_ONE,
            bool(pessimistic),
            float(interval),
            bool(connect_dots),
            math.exp(max(log_tail, -690.0)),
        )
    )


def _check_interval(interval: float) -> None:
    if not 0 < interval <= _WIDEST_INTERVAL:
        raise ValueError(
            f"value_discretization_interval must be in (0, {_WIDEST_INTERVAL:g}], got {interval!r}"
        )


def _check_positive(what: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{what} is not a positive real number: {value}")


def _sampled(
    mechanism: hs.DiscreteGaussian | hs.DiscreteLaplace | hs.Gaussian | hs.Laplace,
    probability: float,
) -> hs.Mechanism:
    if not 0 < probability <= 1:
        raise ValueError(f"Sampling probability is not in (0,1] : {probability}")
    return mechanism if probability == 1 else mechanism.poisson_sampled(probability)


def _noise(name: str, scale: float, sensitivity: float, pessimistic: bool) -> float:
    """The scale over the sensitivity, rounded to less noise if pessimistic."""
    _check_positive(name, scale)
    _check_positive("Sensitivity", sensitivity)
    return float(outward.quotient(scale, sensitivity, above=not pessimistic))


def _whole(sensitivity: object) -> int:
    if not isinstance(sensitivity, int):
        raise ValueError(f"Sensitivity is not an integer : {sensitivity}")  # noqa: TRY004, as theirs
    return sensitivity
