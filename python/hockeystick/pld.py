# SPDX-License-Identifier: Apache-2.0
"""Privacy loss distributions on a grid, as one sees and plots them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick._pld_views import PldViews, shaped, worst
from hockeystick.bounds import Value


class PldErrorBudget(NamedTuple):
    """What the queries of a distribution add (side upper) or subtract (side lower)."""

    slack: float
    """In units of delta: truncation, wrap-around and rounding of the masses."""
    loss_error: float
    """In nats: by how much the losses may be off through rounding."""


class Recipe(NamedTuple):
    """How a distribution was made: by a call, of whose result other views were then taken."""

    make: "Callable[[], PrivacyLossDistribution]"
    views: tuple[int, ...] = ()
    """Each a direction, or _REFLECTED."""


_REFLECTED = -1


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyLossDistribution(PldViews):
    """The law of the privacy loss log(dP/dQ)(x), x ~ P, estimated from one side.

    `side` says which: queries of an "upper" distribution are never below the truth, of a "lower"
    one never above it. The distributions of both directions of ADD_OR_REMOVE_ONE are kept, removal
    first, and so for every adjacency with two; `losses`, `probabilities` and `infinity_mass` show
    the first, the queries answer for the worse, and ``reflected()`` swaps the roles of P and Q.

    Made by ``Composition.pld``, and again by it where a pickled one is loaded: pickles hold the
    composition and the arguments, not the losses, so loading takes as long as making did. The same
    processor answers with the same bits; any other may round otherwise, and bounds as well.

    Source: Dwork & Rothblum (2016); Sommer, Meiser & Mohammadi (2019).
    """

    _pmfs: tuple[_core.LossPmf, ...]
    _recipe: Recipe = field(compare=False)

    def __repr__(self) -> str:
        first = self._pmfs[0]
        return (
            f"<PrivacyLossDistribution side={self.side!r} directions={len(self._pmfs)} "
            f"discretization_interval={self.discretization_interval!r} "
            f"losses={first.mass.size} from {first.first * first.interval:.6g} nats "
            f"infinity_mass={self.infinity_mass:.6g}>"
        )

    def __copy__(self) -> Self:
        """Itself: nothing can change it."""
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], Recipe]:
        return _made_again, self._recipe

    @property
    def _laws(self) -> tuple[_core.LossPmf, ...]:
        return self._pmfs

    @property
    def side(self) -> str:
        """The side of the truth its queries are on: "upper" or "lower"."""
        return self._pmfs[0].side

    @property
    def directions(self) -> "tuple[PrivacyLossDistribution, ...]":
        """One distribution for each direction of the adjacency, in its order."""
        return tuple(
            PrivacyLossDistribution((pmf,), self._viewed(way)) for way, pmf in enumerate(self._pmfs)
        )

    @property
    def discretization_interval(self) -> float:
        """Spacing of the losses [nats]."""
        return self._pmfs[0].interval

    @property
    def losses(self) -> FloatArray:
        """The losses [nats], increasing, shape (n,)."""
        pmf = self._pmfs[0]
        return np.arange(pmf.first, pmf.first + pmf.mass.size) * np.float64(pmf.interval)

    @property
    def probabilities(self) -> FloatArray:
        """The mass at each loss, shape (n,), read-only."""
        return self._pmfs[0].mass

    @property
    def infinity_mass(self) -> float:
        """The mass at loss +inf, truncated mass included where the side asks for it."""
        return self._pmfs[0].infinity_mass

    @property
    def error_budget(self) -> PldErrorBudget:
        """What the queries have to allow for, the larger of the directions."""
        return PldErrorBudget(
            slack=max(pmf.slack for pmf in self._pmfs),
            loss_error=max(pmf.loss_error for pmf in self._pmfs),
        )

    def delta(self, epsilon: Value) -> Value:
        """Delta at `epsilon`, bounded from this distribution's side.

        Args:
            epsilon: In [0, 1e4] nats, scalar or any shape.

        Returns:
            A float, or an array shaped like `epsilon`.
        """
        points = _checks.epsilon_array(epsilon)
        answer: Value = shaped(worst(self._pmfs, _core.LossPmf.delta, points), points.shape)
        return answer

    def epsilon(self, delta: Value) -> Value:
        """Smallest epsilon at which the loss is (epsilon, delta)-DP, bounded from this side.

        Args:
            delta: In (0, 1), scalar or any shape.

        Returns:
            A float, or an array shaped like `delta`, in nats; inf where delta is out of reach.
        """
        points = _checks.delta_array(delta)
        answer: Value = shaped(worst(self._pmfs, _core.LossPmf.epsilon, points), points.shape)
        return answer

    def delta_composed(self, other: "PrivacyLossDistribution", epsilon: Value) -> Value:
        """Delta of the composition of both at `epsilon`, without composing them.

        Each direction of one is composed with the same direction of the other, and the worst
        counts, so both must come from the same adjacency.

        Args:
            other: Of the same side, discretization interval and number of directions.
            epsilon: In [0, 1e4] nats, scalar or any shape.

        Returns:
            A float, or an array shaped like `epsilon`, bounded from the side of both.

        Raises:
            ValueError: `epsilon` is out of range, or `other` does not fit.
            TypeError: An argument has the wrong type.

        Cost: O(n + m) an epsilon for n and m losses, where convolving them takes O(n log n).
        Source: Google's notes on privacy loss distributions, section 5.1.

        >>> import hockeystick as hs
        >>> step = hs.Gaussian(noise_multiplier=2.0)
        >>> once, twice = (run.pld(discretization_interval=1e-3) for run in (step, 2 * step))
        >>> abs(once.delta_composed(twice, 1.0) / (3 * step).delta(1.0) - 1) < 1e-3
        True
        """
        _checks.instance("other", other, PrivacyLossDistribution)
        pmfs = other._pmfs  # noqa: SLF001
        interval = self.discretization_interval
        for name, ours, theirs in (
            ("side", self.side, other.side),
            ("discretization_interval", interval, other.discretization_interval),
            ("number of directions", len(self._pmfs), len(pmfs)),
        ):
            if ours != theirs:
                raise ValueError(f"other must have {name} {ours!r}, got {theirs!r}")
        points = _checks.epsilon_array(epsilon)
        pairs = dict.fromkeys(zip(self._pmfs, pmfs, strict=True))
        answers = [_core.composed_delta(a, b, points.ravel()) for a, b in pairs]
        largest: Value = shaped(np.maximum.reduce(answers), points.shape)
        return largest

    def true_positive_rate(self, fpr: Value) -> Value:
        """Largest true positive rate of a test at `fpr`, bounded from this distribution's side.

        To about 1e-13 absolutely; ``Composition.true_positive_rate`` is tight for tiny rates too.

        Args:
            fpr: False positive rate in [0, 1], scalar or any shape.
        """
        points = _checks.rate_array("fpr", fpr)
        answer: Value = shaped(worst(self._pmfs, _core.LossPmf.power, points), points.shape)
        return answer

    def tradeoff(self, fpr: Value) -> Value:
        """One less ``true_positive_rate``: FNR(FPR), never overstated if `side` is "upper"."""
        away = 0.0 if self.side == "upper" else 1.0
        rest = np.nextafter(1 - np.asarray(self.true_positive_rate(fpr)), away)
        return rest if rest.shape else float(rest)  # type: ignore[return-value]

    def advantage(self) -> float:
        """The largest TPR - FPR of any test, delta(0), bounded from this side."""
        return self.delta(0.0)

    def reflected(self) -> "PrivacyLossDistribution":
        """The distribution for (Q, P): mass m at loss l becomes mass m e^-l at -l."""
        reflected = {pmf: pmf.reflected() for pmf in self._pmfs}
        pmfs = tuple(reflected[pmf] for pmf in self._pmfs)
        return PrivacyLossDistribution(pmfs, self._viewed(_REFLECTED))

    def _viewed(self, view: int) -> Recipe:
        return self._recipe._replace(views=(*self._recipe.views, view))


def _made_again(make: object, views: object) -> PrivacyLossDistribution:
    """What a recipe from a pickle makes, checked as it goes: pickles may be damaged."""
    if not callable(make) or not isinstance(views, tuple):
        raise TypeError(f"a recipe must be a call and a tuple of views, got {make!r}, {views!r}")
    made = _checks.instance("the result of a recipe", make(), PrivacyLossDistribution)
    for view in views:
        ways = made.directions
        at = _checks.whole("each of views", view, _REFLECTED, len(ways) - 1)
        made = made.reflected() if at == _REFLECTED else ways[at]
    return made
