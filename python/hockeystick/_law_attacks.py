# SPDX-License-Identifier: Apache-2.0
"""Attacks on a law of the privacy loss on a grid."""

from abc import ABC, abstractmethod
from typing import Any, overload

from hockeystick import _core
from hockeystick._neighbours import Hinting
from hockeystick._words import outspoken
from hockeystick.bounds import Array, Value
from hockeystick.queries import worst


@outspoken
class LawAttacks(Hinting, ABC):
    """The best that tests do against the laws of both directions."""

    __slots__ = ()
    _pmfs: tuple[_core.LossPmf, ...]

    @property
    @abstractmethod
    def _reversed(self) -> tuple[_core.LossPmf, ...]: ...

    @abstractmethod
    def delta(self, epsilon: Value | Array) -> Value:
        """The hockey-stick curve."""

    def true_positive_rate(self, fpr: Value | Array) -> Value:
        """Largest true positive rate of a test at `fpr`, bounded from this distribution's side.

        To about 1e-13 absolutely; ``Composition.true_positive_rate`` is tight for tiny rates too.
        `fpr` is a false positive rate in [0, 1].
        """
        return worst("true_positive_rate", self._pmfs, fpr)

    def tradeoff(self, fpr: Value | Array) -> Value:
        """1 - ``true_positive_rate``: FNR(FPR), never overstated if `side` is "upper"."""
        return worst("tradeoff", self._pmfs, fpr)

    def advantage(self) -> float:
        """The largest TPR - FPR of any test, delta(0), bounded from this side."""
        return self.delta(0.0)

    @overload
    def bayes_risk(self) -> float: ...
    @overload
    def bayes_risk(self, prior: Value | Array) -> Value: ...
    def bayes_risk(self, prior: Any = 0.5) -> Any:
        """The smallest error probability of a test that knows the prior, bounded from this side.

        Never overstated if `side` is "upper": prior * (1 - delta(log((1 - prior) / prior))), where
        `prior`, in (0, 1), is the probability of the dataset that the test calls positive.

        >>> import hockeystick as hs
        >>> run = hs.Gaussian(noise_multiplier=1.0).pld(discretization_interval=1e-3)
        >>> round(run.bayes_risk(), 4)
        0.3085
        """
        return worst("bayes_risk", zip(self._pmfs, self._reversed, strict=True), prior)

    @overload
    def gdp_mu(self) -> float: ...
    @overload
    def gdp_mu(self, *, smallest_rate: Value | Array) -> Value: ...
    def gdp_mu(self, *, smallest_rate: Any = 1e-12) -> Any:
        """The smallest mu of Gaussian differential privacy, bounded from this side.

        The smallest mu such that no test of which both error rates are at least `smallest_rate`
        does better than on N(mu, 1) against N(0, 1): for "upper", over the whole continuum of such
        tests. `smallest_rate` is in [1e-20, 0.5). Rates below 1e-10 or so drown in the mass that an
        upper estimate puts at +inf; ``Composition.gdp_mu`` goes deeper.

        Source: Dong, Roth & Su (2022), Definition 2.6.

        >>> import hockeystick as hs
        >>> run = (9 * hs.Gaussian(noise_multiplier=2.0)).pld(discretization_interval=1e-3)
        >>> 1.5 <= run.gdp_mu(smallest_rate=1e-6) <= 1.5001
        True
        """
        return worst("gdp_mu", self._pmfs + self._reversed, smallest_rate)
