# SPDX-License-Identifier: Apache-2.0
"""A budget of Gaussian differential privacy."""

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, NamedTuple

from hockeystick import _checks, outward
from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.composition import Mechanism
from hockeystick.filters.costs import mu_squared
from hockeystick.filters.exact import (
    Amount,
    double_below,
    rational,
    root_above,
    root_below,
)
from hockeystick.filters.filter import Cost, Filter
from hockeystick.mechanisms import Gaussian, GaussianBetween, JointGaussian
from hockeystick.mechanisms._correlated_noise import CorrelatedNoise as MatrixNoise


class Reading(NamedTuple):
    """A report of an odometer: the level in use, its epsilon and its delta."""

    mu: float
    """The least level that the steps so far do not exceed."""
    epsilon: float
    """The epsilon of that level at its delta, certified from above [nats]."""
    delta: float
    """The delta that was fixed with the level."""


class GaussianFilter(Filter):
    """A budget of mu-Gaussian DP for steps that may be chosen by looking at all earlier outputs.

    Which step comes next, with how much noise, and how many there are, may depend on whatever was
    released before. ``Accountant.admit`` cannot allow that: it compares the sum of what ran with a
    budget, which is no bound where the pairs were chosen by outputs.

    **Theorem.** Let each step, given the past, be dominated by N(mu_i, 1) against N(0, 1) in both
    directions, and let the sum of mu_i^2 be at most mu^2 on every path. Then the whole is mu-GDP.
    Proof: each step is a post-processing of N(mu_i, 1) against N(0, 1); fill up with Gaussian noise
    until the sum is mu^2. The log ratio is then a Brownian motion with drift that stops at the
    fixed time mu^2. For Gaussians no filter can allow more.

    What a step costs: Gaussians 1 / noise^2, exactly (4 / noise^2 where records are replaced),
    joint ones the sum of theirs, groups of k records k^2 times as much; a menu its dearest
    option; whatever is epsilon-DP the square of 2 Phi^-1(e^epsilon / (1 + e^epsilon)), rounded
    up. **Sampling does not help here**: mu is about all error rates, and at small ones a
    Gaussian on a Poisson sample, or with places drawn at random, tells as much as without
    sampling. It is charged 1 / noise^2, as often as a record takes part. For sampled steps take
    ``RenyiFilter``. A step that may fail, as (epsilon, delta)-DP with delta > 0, has no mu and
    is refused.

    Args:
        mu: The budget, in (0, 1000], at its exact value: a number, or a ``Fraction``, ``Decimal``
            or string such as "0.7".
        adjacency: Which datasets are neighbours; one of both directions.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Cost: rational arithmetic; of steps that are no Gaussians one question each.
    Source: Smith & Thakurta (2022), Fully adaptive composition for Gaussian DP; Koskela, Tobaben &
    Honkela (2022), Individual privacy accounting with Gaussian DP.

    >>> import hockeystick as hs
    >>> budget = hs.GaussianFilter(mu=1)
    >>> budget.may_run(hs.Gaussian(10), 100), budget.may_run(hs.Gaussian(10), 101)
    (True, False)
    >>> budget.run(hs.Gaussian(10), 99).run(hs.Gaussian(20), 4).remaining
    0.0
    >>> budget.guarantee, budget.guarantee.epsilon(1e-6) < 4.9
    (Gaussian(1.0), True)
    """

    _measures: ClassVar[tuple[str, ...]] = ("mu^2",)
    _schema: ClassVar[str] = "hockeystick.GaussianFilter"
    _intervals: ClassVar[dict[str, str]] = {"mu": "[1e-9, 1000]"}

    def __init__(
        self, mu: Amount, *, adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE
    ) -> None:
        super().__init__(adjacency, mu=mu)

    @property
    def mu(self) -> float:
        """The budget, rounded down."""
        return double_below(self._exact["mu"])

    @property
    def spent(self) -> float:
        """The root of the sum of mu_i^2 so far, rounded up; see ``Filter.spent``."""
        return root_above(self._spent()[0])

    @property
    def remaining(self) -> float:
        """The mu of what may still run, rounded down: the root of mu^2 less the sum of mu_i^2."""
        return root_below(self._left()[0])

    def reading(self, levels: Sequence[tuple[Amount, float]]) -> Reading:
        """An odometer: a report that holds at a time which outputs may choose.

        **Theorem.** Fix levels mu_1 < mu_2 < ... with deltas in advance. Reported is the least
        level that the steps so far do not exceed, and its epsilon at its delta. Then P(S) is at
        most the sum over levels of e^epsilon_j Q(S, and j was reported), and the sum of all deltas,
        for every event S: what was reported holds, but for the sum of deltas. Proof: until level j
        is exceeded the run is that of a filter with the budget mu_j.

        Args:
            levels: Pairs of a mu as of the filter's, increasing, the last at least the filter's
                own, and a delta in [0, 1).

        Raises:
            ValueError: There is no level, or one is out of range or out of order.
            TypeError: An argument has the wrong type.

        >>> import hockeystick as hs
        >>> budget = hs.GaussianFilter(mu=1)
        >>> levels = [("0.3", 1e-7), ("0.6", 1e-7), (1, 1e-7)]
        >>> now = budget.run(hs.Gaussian(10), 9).reading(levels)
        >>> now.mu, round(now.epsilon, 3), now.delta
        (0.3, 1.436, 1e-07)
        """
        fixed = [(rational("mu", mu, "[0, 1000]"), _checks.delta(delta)) for mu, delta in levels]
        mus = [mu for mu, _ in fixed]
        if not fixed or sorted({*mus, Fraction(0)}) != [0, *mus]:
            raise ValueError(
                f"levels must be of increasing mu in (0, 1000], got {_checks.show(levels)}"
            )
        if mus[-1] < self._exact["mu"]:
            raise ValueError(
                f"levels must end at mu = {self._exact['mu']} of the filter or above, got {mus[-1]}"
            )
        mu, delta = next(level for level in fixed if level[0] ** 2 >= self._spent()[0])
        epsilon = Gaussian(double_below(1 / mu)).epsilon(delta)
        return Reading(float(mu), epsilon, delta)

    def loss_ever_above(self, epsilon: float) -> float:
        """An upper bound of the probability that the loss exceeds epsilon at any time.

        Of Gaussian steps alone, however they are chosen, until the budget is used up: their log
        ratio is a Brownian motion with drift, looked at now and then, and the bound is the first
        passage of the whole path by time mu^2, Phi(mu / 2 - epsilon / mu) + e^epsilon Phi(-mu / 2 -
        epsilon / mu).

        Args:
            epsilon: In [0, 1e4] nats.

        Raises:
            ValueError: It is out of range, or some step so far is no Gaussian.
            TypeError: It is no number.

        >>> round(GaussianFilter(mu=1).loss_ever_above(3.0), 9)
        0.010882145
        """
        at = _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON)
        normal = (Gaussian, JointGaussian, GaussianBetween, MatrixNoise)
        others = [one for one, _ in self.composition.terms if not isinstance(one, normal)]
        if others:
            raise ValueError(f"steps must be Gaussians for a loss at all times, got {others[0]!r}")
        whole = self.guarantee  # e^epsilon Q(L > epsilon) is P(L > epsilon) less delta
        likely = 2 * whole.probabilistic_delta(at)
        return float(min(1.0, outward.difference(likely, whole.delta_bounds(at).lower, above=True)))

    @property
    def guarantee(self) -> Gaussian:
        """The Gaussian that the whole is not worse than, whatever ran and whenever it ended.

        Its noise multiplier is 1 / mu, rounded down. It states mu-GDP under the adjacency of the
        filter: ask it without naming an adjacency.
        """
        return Gaussian(double_below(1 / self._exact["mu"]))

    @property
    def _whole(self) -> Gaussian:
        """The same where its adjacency is named: a replaced record moves a Gaussian twice."""
        moved = 2 if self._adjacency is Adjacency.REPLACE_ONE else 1
        return Gaussian(double_below(moved / self._exact["mu"]))

    @property
    def _budget(self) -> Cost:
        return (self._exact["mu"] ** 2,)

    def _cost_of(self, mechanism: Mechanism) -> Cost:
        square = mu_squared(mechanism, self._adjacency)
        if square is None:
            raise ValueError(
                f"step must have a mu of Gaussian DP at all error rates, got {mechanism!r}, whose "
                "loss is infinite or of which no mu is known; RenyiFilter and ZCDPFilter take more"
            )
        return (square,)
