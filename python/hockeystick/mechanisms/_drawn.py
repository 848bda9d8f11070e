# SPDX-License-Identifier: Apache-2.0
"""Groups on a Poisson subsample, by groups of those that are drawn."""

from functools import lru_cache
from math import comb
from typing import Any

from hockeystick import _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms._enclosed import Accuracy
from hockeystick.mechanisms._whole_run import above, alone, attained
from hockeystick.mechanisms.discrete_gaussian import DiscreteGaussian
from hockeystick.mechanisms.discrete_laplace import DiscreteLaplace
from hockeystick.mechanisms.hockey_stick_curve import PoissonSampledCurve
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.poisson_sampled import PoissonSampled
from hockeystick.mechanisms.poisson_sampled_run import PoissonSampledRun

SAMPLED = (PoissonSampled, PoissonSampledCurve, PoissonSampledRun)
MOST_DRAWN = 16  # records of a group of which only chains are known


def link(
    mechanism: Mechanism, direction: Direction, accuracy: Accuracy, times: int
) -> tuple[_core.Terms, _core.Terms, int]:
    """Neighbours in a row, as `chained_pair` takes them."""
    run = alone(mechanism)
    return above(run, direction, accuracy), above(run, direction.reversed, accuracy), times


def is_nested(mechanism: Mechanism) -> bool:
    """Whether noise of a log-concave density moves by as much as records are drawn."""
    base = getattr(mechanism, "mechanism", None)
    known = isinstance(base, Laplace | DiscreteLaplace | DiscreteGaussian)
    return known and isinstance(mechanism, SAMPLED)


@lru_cache(maxsize=64)
def drawn_pair(
    mechanism: Mechanism, size: int, direction: Direction, accuracy: Accuracy, *, is_above: bool
) -> _core.DominatingPair | None:
    """A pair above or below, from the groups of drawn records; None where those are too many."""
    if direction.replaces or not isinstance(mechanism, SAMPLED):
        return None
    base: Any = mechanism.run if isinstance(mechanism, PoissonSampledRun) else mechanism.mechanism
    q, most, nested = mechanism.sampling_probability, 1, is_nested(mechanism)
    while most < size and comb(size, most + 1) * q ** (most + 1) > 1e-3 * accuracy.tail:
        most += 1
    if most > MOST_DRAWN and not nested:
        return None
    groups = []
    for drawn in range(1, most + 1):
        run = Composition(base.group(drawn).terms)
        side = above if is_above else attained
        reverse = side(run, direction.reversed, accuracy)
        groups.append((side(run, direction, accuracy), reverse))
    chain = [link(mechanism, direction, accuracy, size)] if is_above and not nested else []
    removed = direction.form == "remove"
    return _core.sampled_group_pair(
        groups, [q] * size, removed, *accuracy, above=is_above, chain=chain
    )
