# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.accountant``: least noise for a guarantee, and advanced composition."""

import math
from collections.abc import Callable

from hockeystick.compat.dp_accounting.pld import common, privacy_loss_distribution

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
    pure = num_queries * sensitivity / privacy_parameters.epsilon
    found = get_smallest_parameter(
        privacy_parameters,
        num_queries,
        lambda parameter: privacy_loss_distribution.from_laplace_mechanism(
            parameter,
            sensitivity=sensitivity,
            value_discretization_interval=0.1 * privacy_parameters.epsilon / num_queries,
        ),
        common.BinarySearchParameters(0, pure),
    )
    return pure if found is None else found


def get_smallest_discrete_laplace_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: int = 1,
) -> float:
    """The largest parameter, hence least noise, with which all queries meet the guarantee."""
    inverse = num_queries * sensitivity / privacy_parameters.epsilon
    found = get_smallest_parameter(
        privacy_parameters,
        num_queries,
        lambda scale: privacy_loss_distribution.from_discrete_laplace_mechanism(
            1 / scale,
            sensitivity=sensitivity,
            value_discretization_interval=1 / scale,  # all losses are multiples of it
        ),
        common.BinarySearchParameters(0, inverse),
    )
    return 1 / (inverse if found is None else found)


def get_smallest_gaussian_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: float = 1,
) -> float:
    """The smallest standard deviation with which all queries together meet the guarantee."""
    epsilon, delta = privacy_parameters.epsilon, privacy_parameters.delta
    if delta == 0:
        raise ValueError("delta=0 is not allowed for the Gaussian mechanism")
    guess = math.sqrt(2 * math.log(1.5 / delta) * num_queries) * sensitivity / epsilon
    found = get_smallest_parameter(
        privacy_parameters,
        num_queries,
        lambda deviation: privacy_loss_distribution.from_gaussian_mechanism(deviation, sensitivity),
        common.BinarySearchParameters(0, math.inf, initial_guess=guess),  # Dwork & Roth (2014), A.1
    )
    assert found is not None
    return found


def get_smallest_subsampled_gaussian_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: int = 1,
    sampling_prob: float = 1.0,
) -> float:
    """The smallest standard deviation on Poisson subsamples that meets the guarantee."""
    unsampled = get_smallest_gaussian_noise(privacy_parameters, num_queries, sensitivity)
    interval = min(1e-3, 0.1 * privacy_parameters.epsilon / num_queries)
    found = get_smallest_parameter(
        privacy_parameters,
        num_queries,
        lambda deviation: privacy_loss_distribution.from_gaussian_mechanism(
            deviation,
            sensitivity=sensitivity,
            value_discretization_interval=interval,
            sampling_prob=sampling_prob,
        ),
        common.BinarySearchParameters(0, unsampled),
    )
    return unsampled if found is None else found


def advanced_composition(
    privacy_parameters: DifferentialPrivacyParameters, num_queries: int, total_delta: float
) -> float | None:
    """Epsilon of `num_queries` mechanisms with this guarantee; None if `total_delta` is too small.

    The least multiple of it that is proved. Source: Kairouz, Oh & Viswanath (2015), Theorem 3.3.
    """
    epsilon, delta, k = privacy_parameters.epsilon, privacy_parameters.delta, num_queries
    log_scale = k * math.log1p(math.exp(-epsilon)) + k * epsilon  # of (1 + e^epsilon)^k
    for i in range(k // 2, -1, -1):
        delta_i = math.fsum(
            math.exp(math.log(math.comb(k, j)) + epsilon * (k - j) - log_scale)
            * -math.expm1(epsilon * 2 * (j - i))
            for j in range(i)
        )
        if 1 - (1 - delta) ** k * (1 - delta_i) <= total_delta:
            return epsilon * (k - 2 * i)
    return None


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
