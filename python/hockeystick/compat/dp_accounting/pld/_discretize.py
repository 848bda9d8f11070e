# SPDX-License-Identifier: Apache-2.0
"""From a mechanism's privacy loss to probabilities on a grid, by the core."""

import math

import numpy as np

from hockeystick import _checks, _core
from hockeystick.compat.dp_accounting.pld import _integer_grid, pld_pmf
from hockeystick.compat.dp_accounting.pld._losses.loss import MonotonePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.mixture import MixtureGaussianPrivacyLoss

_MOST_OUTCOMES = 4 * 10**6
_ON_GRID = 1e-9  # of an interval: a shift that the core accounts for


def create_pmf(
    loss: MonotonePrivacyLoss, *, interval: float, pessimistic: bool, connect_dots: bool
) -> pld_pmf.PLDPmf:
    """The pmf of a loss by connecting the dots or by privacy buckets, from either side."""
    if isinstance(interval, int) and isinstance(loss, MixtureGaussianPrivacyLoss):
        pmf = create_pmf(
            loss, interval=float(interval), pessimistic=pessimistic, connect_dots=connect_dots
        )
        probs = _integer_grid.shown(
            loss, interval, pessimistic=pessimistic, connect_dots=connect_dots
        )
        return pmf.showing(probs)
    pair = loss.pair()
    interval = _checks.discretization_interval(interval, "value_discretization_interval")
    if connect_dots:
        index = (_outcome_support if loss.is_discrete else _uniform_support)(loss, interval)
        step = _core.step_pmf(
            pair,
            interval=interval,
            offset=0.0,
            index=index,
            estimator="upper" if pessimistic else "balanced",
        )
    else:
        low, high = _extent(loss)
        step = _core.truncated_buckets(
            pair, interval=interval, low=low, high=high, side="upper" if pessimistic else "lower"
        )
    return pld_pmf.create_pmf_of_step(step)


def _extent(loss: MonotonePrivacyLoss) -> tuple[float, float]:
    """The smallest and largest loss that is not truncated."""
    bounds = loss.connect_dots_bounds()
    if bounds.epsilon_lower is not None and bounds.epsilon_upper is not None:
        return bounds.epsilon_lower, bounds.epsilon_upper
    assert bounds.lower_x is not None and bounds.upper_x is not None  # noqa: PT018
    return loss.privacy_loss(bounds.upper_x), loss.privacy_loss(bounds.lower_x)


def _uniform_support(loss: MonotonePrivacyLoss, interval: float) -> list[int]:
    low, high = _extent(loss)
    first, last = math.floor(low / interval), math.ceil(high / interval)
    return list(range(first, max(last, first + 1) + 1))


def _outcome_support(loss: MonotonePrivacyLoss, interval: float) -> list[int]:
    """The neighbours on the grid of every outcome's loss."""
    bounds = loss.connect_dots_bounds()
    assert bounds.lower_x is not None and bounds.upper_x is not None  # noqa: PT018
    if bounds.upper_x - bounds.lower_x > _MOST_OUTCOMES:
        raise ValueError(f"more than {_MOST_OUTCOMES} outcomes")
    outcomes = range(bounds.lower_x, bounds.upper_x + 1)
    scaled = np.array([loss.privacy_loss(x) for x in outcomes]) / interval
    nearest = np.rint(scaled)
    on_grid = np.abs(scaled - nearest) <= _ON_GRID
    index = np.unique(np.where(on_grid, nearest, [np.floor(scaled), np.ceil(scaled)]))
    return [int(k) for k in index] if index.size > 1 else [int(index[0]), int(index[0]) + 1]
