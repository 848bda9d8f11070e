# SPDX-License-Identifier: Apache-2.0
"""What dp_accounting shows of mixtures when the discretization interval is an `int`.

Its search for the outcome of a given loss then returns whole outcomes, rounded towards 0, so that
the probabilities no longer bound the mechanism's. Its tests pin them. They are shown here, for
mixtures and integer intervals alone; answers come from the distribution that does bound.
"""

import math
from collections.abc import Mapping

import numpy as np

from hockeystick.compat.dp_accounting.pld import pld_pmf
from hockeystick.compat.dp_accounting.pld._losses.loss import AdjacencyType
from hockeystick.compat.dp_accounting.pld._losses.mixture import MixtureGaussianPrivacyLoss


def shown(
    loss: MixtureGaussianPrivacyLoss,
    interval: int,
    *,
    pessimistic: bool,
    connect_dots: bool,
) -> Mapping[int, float]:
    """The probabilities by loss, in intervals."""
    if connect_dots and pessimistic:
        return _connected(loss, interval)
    return _bucketed(loss, interval, up=pessimistic)


def _connected(loss: MixtureGaussianPrivacyLoss, interval: int) -> Mapping[int, float]:
    bounds = loss.connect_dots_bounds()
    assert bounds.epsilon_lower is not None and bounds.epsilon_upper is not None  # noqa: PT018
    first = math.floor(bounds.epsilon_lower / interval)
    last = math.ceil(bounds.epsilon_upper / interval)
    deltas = [_delta(loss, k * interval) for k in range(first, last + 1)]
    curve = np.maximum.accumulate(np.array(deltas)[::-1])[::-1]
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(interval, first, last, curve)
    dense = pmf.to_dense_pmf()
    return {dense._lower_loss + k: p for k, p in enumerate(dense._probs.tolist())}


def _delta(loss: MixtureGaussianPrivacyLoss, epsilon: int) -> float:
    end = loss.end
    if loss.adjacency_type is AdjacencyType.ADD and epsilon >= -end:
        return 0.0
    if loss.adjacency_type is AdjacencyType.REMOVE and epsilon <= end:
        return -math.expm1(epsilon)
    x = float(math.trunc(loss.inverse_privacy_loss(epsilon)))
    lower = math.exp(epsilon + float(loss.mu_lower_log_cdf(x)))
    return min(1.0, max(0.0, float(loss.mu_upper_cdf(x)) - lower))


def _bucketed(loss: MixtureGaussianPrivacyLoss, interval: int, *, up: bool) -> Mapping[int, float]:
    tail = loss.privacy_loss_tail()
    low, high = tail.lower_x_truncation, tail.upper_x_truncation
    masses: dict[int, float] = {}
    for value, mass in tail.tail_probability_mass_function.items():
        if math.isfinite(value):
            masses[(math.ceil if up else math.floor)(value / interval)] = float(mass)
    several = np.unique(loss.sensitivities[loss.sensitivities > 0]).size > 1
    least = loss.privacy_loss(high)
    k, below = math.floor(loss.privacy_loss(low) / interval), float(loss.mu_upper_cdf(low))
    x = low
    while x < high:
        x = high
        if k * interval > least:
            x = loss.inverse_privacy_loss(k * interval)
            x = float(math.trunc(x)) if several else x
        cdf = float(loss.mu_upper_cdf(x))
        masses[k + up] = masses.get(k + up, 0.0) + cdf - below
        k, below = k - 1, cdf
    return masses
