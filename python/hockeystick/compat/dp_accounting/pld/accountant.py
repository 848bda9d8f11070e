# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.accountant``: least noise for a guarantee, and advanced composition."""

import math
from collections.abc import Callable

import numpy as np

import hockeystick as hs
from hockeystick.compat import _arguments
from hockeystick.compat.dp_accounting.pld import common, privacy_loss_distribution

_TOLERANCE = 1e-7
_LARGEST_GRID = 2**26  # bytes: a tenth of a second for each that is looked at
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
        privacy_parameters, lambda b: num_queries * hs.Laplace(noise_multiplier=b / sensitivity)
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
        lambda scale: (
            num_queries * hs.DiscreteLaplace(parameter=1 / scale, sensitivity=sensitivity)
        ),
    )


def get_smallest_gaussian_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: float = 1,
) -> float:
    """The smallest standard deviation with which all queries together meet the guarantee.

    It is searched on the points that the original looks at, to 1e-7.
    """
    if privacy_parameters.delta == 0:
        raise ValueError("delta=0 is not allowed for the Gaussian mechanism")
    target, moved = privacy_parameters, sensitivity * math.sqrt(num_queries)

    def delta(deviation: float) -> float:
        noise = deviation / moved
        if noise < _arguments.MIN_NOISE:  # is not accounted for, as if it hid nothing
            return 1.0
        return hs.Gaussian(noise_multiplier=noise).delta(target.epsilon, tolerance=_TOLERANCE)

    guess = math.sqrt(2 * math.log(1.5 / target.delta)) * moved / (target.epsilon or 1)
    search = common.BinarySearchParameters(0, math.inf, guess, _nearness(guess))
    found = common.inverse_monotone_function(delta, target.delta, search)
    assert found is not None  # some noise meets any delta
    return found


def get_smallest_subsampled_gaussian_noise(
    privacy_parameters: DifferentialPrivacyParameters,
    num_queries: int = 1,
    sensitivity: float = 1,
    sampling_prob: float = 1.0,
) -> float:
    """The smallest standard deviation on Poisson subsamples that meets the guarantee.

    It is searched on the grid and the points that the original looks at, to 1e-7, but is never less
    than what certainly meets the guarantee, and is that where the grid is too large to be made.
    """
    target = privacy_parameters
    most = get_smallest_gaussian_noise(target, num_queries, sensitivity)
    interval = min(1e-3, 0.1 * target.epsilon / num_queries)

    def run(deviation: float) -> hs.Composition:
        step = hs.Gaussian(noise_multiplier=deviation / sensitivity)
        return num_queries * step.poisson_sampled(sampling_prob)

    certain = _least_noise(target, run)

    def delta(deviation: float) -> float:
        """An estimate: that of the grid, as if its probabilities had no rounding in them."""
        if deviation < certain:
            return 1.0
        grid = run(deviation).pld(
            discretization_interval=interval, merge_gaussians=False, memory_limit=_LARGEST_GRID
        )
        exceeding = np.maximum(-np.expm1(target.epsilon - grid.losses), 0.0)
        return float(grid.probabilities @ exceeding) + grid.infinity_mass

    search = common.BinarySearchParameters(0, most, tolerance=_nearness(most))
    try:
        found = common.inverse_monotone_function(delta, target.delta, search)
    except ValueError:  # `certain` has taken all arguments
        return certain
    return most if found is None else max(found, certain)


def _nearness(deviation: float) -> float:
    """1e-7 as in the original, but four digits at least."""
    return min(1e-7, 1e-4 * deviation)


def _least_noise(
    target: DifferentialPrivacyParameters, run: Callable[[float], hs.Composition]
) -> float:
    """The least parameter that certainly meets the guarantee."""
    noise: float = hs.calibrate(
        run, epsilon=target.epsilon, delta=target.delta, tolerance=_TOLERANCE
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
