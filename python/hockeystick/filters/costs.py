# SPDX-License-Identifier: Apache-2.0
"""The cost of one run in each measure: exact where that is rational, else from above."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, TypeVar

from hockeystick import _core, mechanisms
from hockeystick.accountant.exact_costs import rational_loss, rational_rho
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms._correlated_noise import CorrelatedNoise
from hockeystick.outward import double_above

Cost = TypeVar("Cost")


def both_directions(adjacency: Adjacency) -> Adjacency:
    """The adjacency, which must hold the reverse of each direction: filters are proved for both.

    Raises:
        ValueError: It holds one direction alone.
    """
    if adjacency.symmetric is not adjacency:
        raise ValueError(
            "adjacency must be one of both directions for a filter, 'add-or-remove-one', "
            f"'replace-one' or 'replace-special', got {adjacency.value!r}"
        )
    return adjacency


def _or_unsampled(cost: Callable[..., Cost]) -> Callable[..., Cost]:
    """The cost of a Poisson sample, or of its step on all records where no pair is known.

    Whoever sees the other records of the sample, and whether the record is in it, sees that step or
    nothing of the record, whether records are added, removed or replaced.
    """

    @wraps(cost)
    def known(mechanism: Mechanism, *asked: Any) -> Cost:
        try:
            return cost(mechanism, *asked)
        except ValueError:
            if not isinstance(mechanism, mechanisms.PoissonSampled):
                raise
            return known(mechanism.mechanism, *asked)

    return known


@_or_unsampled
@lru_cache(maxsize=1024)
def pure_loss(mechanism: Mechanism, adjacency: Adjacency) -> Fraction | None:
    """An epsilon of pure DP that it keeps: exact where that is rational; None if there is none."""
    exact = rational_loss(Composition([(mechanism, 1)]), adjacency)
    if exact is not None:
        return exact
    found = mechanism.epsilon_bounds(0.0, adjacency=adjacency).upper
    return None if math.isinf(found) else Fraction(found)


@lru_cache(maxsize=1024)
def mu_squared(mechanism: Mechanism, adjacency: Adjacency) -> Fraction | None:
    """The square of a mu of Gaussian DP at all rates, from above; None if none is known.

    What is epsilon-DP tells less than randomized response, whose one kink lies on the curve of mu =
    2 Phi^-1(e^epsilon / (1 + e^epsilon)).
    """
    normal = _of_normal_noise(mechanism, adjacency)
    if normal is not None:
        return normal
    loss = pure_loss(mechanism, adjacency)
    if loss is None or loss > _LARGEST_LOSS:
        return None
    return Fraction(_core.pure_gdp_mu(double_above(loss))) ** 2


def _of_normal_noise(mechanism: Mechanism, adjacency: Adjacency) -> Fraction | None:
    """The cost by mu^2, exact for Gaussians; a group of k records is charged k^2 times as much.

    A sample, or a place drawn at random, can be drawn by whoever sees the Gaussian itself, so that
    its mu holds for these, too; so often as a record takes part.
    """
    if isinstance(mechanism, CorrelatedNoise | mechanisms.GaussianBetween):
        return _of_normal_noise(mechanisms.Gaussian(mechanism.least_noise), adjacency)
    if isinstance(mechanism, mechanisms.Gaussian | mechanisms.JointGaussian):
        return 2 * (rational_rho(Composition([(mechanism, 1)]), adjacency) or Fraction())
    times = _TIMES.get(type(mechanism), lambda _: 0)(mechanism)
    replaced = adjacency in (Adjacency.REPLACE_ONE, Adjacency.REPLACE_SPECIAL)
    if not times or (
        isinstance(mechanism, mechanisms.Shuffled | mechanisms.FixedSizeSampled) and not replaced
    ):
        return None
    one = _of_normal_noise(mechanism.mechanism, adjacency)  # type: ignore[attr-defined]
    return None if one is None else times * one


_TIMES: dict[type[Mechanism], Callable[[Any], int]] = {
    mechanisms.PoissonSampled: lambda _: 1,
    mechanisms.SampledBetween: lambda _: 1,
    mechanisms.Grouped: lambda group: group.size**2,
    mechanisms.SampledGroup: lambda group: sum(q > 0 for q in group.sampling_probabilities) ** 2,
    mechanisms.RandomAllocation: lambda scheme: scheme.epochs,
    mechanisms.SelectedSteps: lambda scheme: scheme.selected * scheme.epochs,
    mechanisms.Shuffled: lambda scheme: scheme.epochs,
    mechanisms.FixedSizeSampled: lambda scheme: not scheme.replacement,
}
"""The largest factor by which a step's mu^2 grows; batches are of equal size."""
_LARGEST_LOSS = 600  # nats, of which the rate 1 / (1 + e^loss) is a normal double


@_or_unsampled
@lru_cache(maxsize=1024)
def rho(mechanism: Mechanism, adjacency: Adjacency) -> tuple[Fraction, Fraction] | None:
    """A rho of zero-concentrated DP that it keeps but for a failure, whose probability is second.

    None if none is known.
    """
    exact = rational_rho(Composition([(mechanism, 1)]), adjacency)
    if exact is not None:
        return exact, Fraction(0)
    if isinstance(mechanism, mechanisms.ApproximateDP):
        loss = Fraction(mechanism.guaranteed_epsilon)
        return loss**2 / 2, Fraction(mechanism.guaranteed_delta)
    normal = _of_normal_noise(mechanism, adjacency)
    if normal is not None:  # at large orders the slope is that of the unsampled step
        return normal / 2, Fraction(0)
    found = mechanism.zcdp_bounds(adjacency=adjacency).upper
    known = [] if math.isinf(found) else [Fraction(found)]
    most = pure_loss(mechanism, adjacency)
    known += [] if most is None else [most**2 / 2]
    return (min(known), Fraction(0)) if known else None


@_or_unsampled
@lru_cache(maxsize=1024)
def renyi(mechanism: Mechanism, order: Fraction, adjacency: Adjacency) -> Fraction | None:
    """A Renyi divergence of that order that it keeps; None if none is known."""
    exact = rational_rho(Composition([(mechanism, 1)]), adjacency)
    if exact is not None:
        return order * exact
    if isinstance(mechanism, mechanisms.RenyiDP) and order <= Fraction(mechanism.order):
        return Fraction(mechanism.divergence)
    normal, known = _of_normal_noise(mechanism, adjacency), []
    if normal is not None:
        known.append(order * normal / 2)
    try:
        found = mechanism.renyi_divergence_bounds(float(order), adjacency=adjacency).upper
    except ValueError:
        if not known:
            raise
        return known[0]
    known += [] if math.isinf(found) else [Fraction(found)]
    if not known:  # as where all that is known is how large the loss may be
        most = pure_loss(mechanism, adjacency)
        known += [] if most is None else [min(most, order * most**2 / 2)]
    return min(known, default=None)
