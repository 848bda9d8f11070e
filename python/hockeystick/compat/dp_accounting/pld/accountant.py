# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.accountant``: least noise for a guarantee, and advanced composition."""

import math
from collections.abc import Callable

import numpy as np

import hockeystick as hs
from hockeystick.compat.dp_accounting.pld import common, privacy_loss_distribution

_TOLERANCE = 1e-7
DifferentialPrivacyParameters = common.DifferentialPrivacyParameters


def get_smallest_parameter(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int,
    privacy_loss_distribution_constructor: Callable[
        [float], privacy_loss_distribution.PrivacyLossDistribution
    ],
    search_parameters: common.BinarySearchParameters,
) -> float | None:
    """The smallest parameter whose distribution, composed, meets the guarantee; None if none.

    More private with every increase, as the search takes for granted.
    """

    def delta(parameter: float) -> float:
        once = privacy_loss_distribution_constructor(parameter)
        return float(
            once.self_compose(num_queries).get_delta_for_epsilon(privacy_parameters.epsilon)
        )

    return common.inverse_monotone_function(delta, privacy_parameters.delta, search_parameters)


def get_smallest_laplace_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: float = 1,
) -> float:
    """The smallest scale of Laplace noise with which all queries together meet the guarantee."""
    if privacy_parameters.delta == 0:
        return num_queries * sensitivity / privacy_parameters.epsilon
    return _least_noise(
        privacy_parameters, num_queries, lambda b: hs.Laplace(noise_multiplier=b / sensitivity)
    )


def get_smallest_discrete_laplace_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: int = 1,
) -> float:
    """The largest parameter, hence least noise, with which all queries meet the guarantee."""
    if privacy_parameters.delta == 0:
        return privacy_parameters.epsilon / (num_queries * sensitivity)
    return 1 / _least_noise(
        privacy_parameters,
        num_queries,
        lambda scale: hs.DiscreteLaplace(parameter=1 / scale, sensitivity=sensitivity),
    )


def get_smallest_gaussian_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: float = 1,
) -> float:
    """The smallest standard deviation with which all queries together meet the guarantee."""
    return get_smallest_subsampled_gaussian_noise(privacy_parameters, num_queries, sensitivity)


def get_smallest_subsampled_gaussian_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: float = 1,
    sampling_prob: float = 1.0,
) -> float:
    """The smallest standard deviation on Poisson subsamples that meets the guarantee."""
    if privacy_parameters.delta == 0:
        raise ValueError("delta=0 is not allowed for the Gaussian mechanism")
    return _least_noise(
        privacy_parameters,
        num_queries,
        lambda sigma: hs.Gaussian(noise_multiplier=sigma / sensitivity).poisson_sampled(
            sampling_prob
        ),
    )


def _least_noise(
    target: DifferentialPrivacyParameters, count: int, make: Callable[[float], hs.Mechanism]
) -> float:
    noise: float = hs.calibrate(
        lambda parameter: count * make(parameter),
        epsilon=target.epsilon,
        delta=target.delta,
        tolerance=_TOLERANCE,
    )
    return noise


def advanced_composition(
    privacy_parameters: DifferentialPrivacyParameters, num_queries: int, total_delta: float
) -> float | None:
    """Epsilon of `num_queries` mechanisms with this guarantee; None if `total_delta` is too small.

    The least multiple of it that is proved. Source: Kairouz, Oh & Viswanath (2015), Theorem 3.3.
    """
    epsilon, k = privacy_parameters.epsilon, num_queries
    run = k * hs.ApproximateDP(epsilon=epsilon, delta=privacy_parameters.delta)
    at = epsilon * np.arange(k % 2, k + 1, 2)
    enough = run.delta(at, tolerance=_TOLERANCE) <= total_delta
    return float(at[np.argmax(enough)]) if enough.any() else None


def get_smallest_epsilon_from_advanced_composition(
    total_privacy_parameters: DifferentialPrivacyParameters, num_queries: int, delta: float = 0
) -> float | None:
    """The largest epsilon each mechanism may have; None if `delta` alone is too much."""
    total = total_privacy_parameters
    if 1 - (1 - delta) ** num_queries > total.delta:
        return None

    def composed(epsilon: float) -> float:
        each = DifferentialPrivacyParameters(epsilon, delta)
        result = advanced_composition(each, num_queries, total.delta)
        return math.inf if result is None else result

    search = common.BinarySearchParameters(total.epsilon / num_queries, total.epsilon)
    return common.inverse_monotone_function(composed, total.epsilon, search, increasing=True)
