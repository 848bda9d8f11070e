# SPDX-License-Identifier: Apache-2.0
"""What an attacker can achieve who tests which of two neighbouring datasets an output came from."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hockeystick import _checks, _core
from hockeystick._bayes import log_odds, risk
from hockeystick._checks import FloatArray
from hockeystick._solve import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE, explanation, solve
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds, Value
from hockeystick.errors import CertificationError
from hockeystick.views._asked import Asked, Limits

_HALF = 0.5
_WORST = Adjacency.ADD_OR_REMOVE_ONE


class AttackViews(Asked):
    """Views of a composition as limits to membership inference."""

    __slots__ = ()

    def tradeoff(
        self,
        fpr: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified lower bound on FNR(FPR): the lower end of ``tradeoff_bounds``, same arguments.

        >>> import hockeystick as hs
        >>> round(hs.Gaussian(noise_multiplier=1.0).tradeoff(0.05), 4)
        0.7405
        """
        return self.tradeoff_bounds(
            fpr, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).lower

    def tradeoff_bounds(
        self,
        fpr: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """The trade-off function: the smallest false negative rate of any test, enclosed.

        The test sees one output and tells the dataset P came from (positive) from its neighbour. Of
        two directions the more vulnerable one counts, at each rate by itself, so that no attack has
        rates below the curve whichever of the neighbours it calls positive.

        Args:
            fpr: False positive rate in [0, 1], scalar or any shape.
            adjacency: Which datasets are neighbours; the worst direction counts.
            tolerance: Widest gap accepted, in (1e-12, 1), relative to the smaller of the false
                negative and the true positive rate. False negative rates below 1e-6 count as 1e-6.
            memory_limit: Bytes the computation may take, > 0.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `fpr`; the exact rate lies
            between, rounding included.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.

        Cost: one composition for all rates from 1e-5 on, one more for each lower rate. Source:
        Dong, Roth & Su (2022), Proposition 6.
        """
        try:
            power = self.true_positive_rate_bounds(
                fpr, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
            )
        except CertificationError as error:
            best = _complement(error.bounds)
            raise CertificationError(str(error), best, error.obstacle) from None
        return _complement(power)

    def true_positive_rate(
        self,
        fpr: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified upper bound on TPR(FPR), the upper end of ``true_positive_rate_bounds``.

        >>> import hockeystick as hs
        >>> f"{hs.Gaussian(noise_multiplier=1.0).true_positive_rate(1e-9):.4e}"
        '2.8993e-07'
        """
        return self.true_positive_rate_bounds(
            fpr, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def true_positive_rate_bounds(
        self,
        fpr: Value,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """The largest true positive rate of any test at a false positive rate, enclosed.

        One less the trade-off function; arguments, errors, cost and source as in
        ``tradeoff_bounds``. Small rates keep their relative precision: TPR at FPR 1e-100 is
        enclosed as tightly as at 1e-2. A TPR below 1e-300 is certified to be so, as delta is.
        """
        points = _checks.rate_array("fpr", fpr)
        return Limits.checked(tolerance, memory_limit).bounds(
            "TPR", "FPR = ", points, self._directions(adjacency), _core.power_bounds
        )

    def advantage(
        self,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> float:
        """Certified upper bound on the advantage: the upper end of ``advantage_bounds``."""
        return self.advantage_bounds(
            adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).upper

    def advantage_bounds(
        self,
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[float]:
        """The largest TPR - FPR of any test, enclosed: the total variation distance, delta(0).

        Arguments and errors as in ``delta_bounds``.
        """
        directions = self._directions(adjacency)
        return solve("delta", 0.0, directions, tolerance, memory_limit)

    def bayes_risk(
        self,
        prior: Value = 0.5,  # type: ignore[assignment]
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified lower bound on the Bayes risk: the lower end of ``bayes_risk_bounds``.

        >>> import hockeystick as hs
        >>> round(hs.Gaussian(noise_multiplier=1.0).bayes_risk(), 4)
        0.3085
        """
        return self.bayes_risk_bounds(
            prior, adjacency=adjacency, tolerance=tolerance, memory_limit=memory_limit
        ).lower

    def bayes_risk_bounds(
        self,
        prior: Value = 0.5,  # type: ignore[assignment]
        *,
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """The smallest error probability of a test that knows the prior, enclosed.

        The smallest prior * FNR + (1 - prior) * FPR, where `prior` is the probability of the
        dataset that the test calls positive: prior * (1 - delta(log((1 - prior) / prior))), and
        (1 - advantage) / 2 if it is 1/2.

        Args:
            prior: In (0, 1), scalar or any shape.
            adjacency: Which datasets are neighbours; the worst direction counts.
            tolerance: Widest relative gap accepted, in (1e-12, 1); risks below 1e-6 times the
                smaller of prior and 1 - prior count as that.
            memory_limit: Bytes the computation may take, > 0.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `prior`; the exact risk lies
            between, rounding included.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.
        """
        points = _checks.open_unit_array("prior", prior)
        limits = Limits.checked(tolerance, memory_limit)
        _checks.instance("adjacency", adjacency, Adjacency)
        priors = points.ravel().tolist()
        risks = [self._bayes_risk(point, adjacency, limits) for point in priors]
        ends = np.array([(found.lower, found.upper) for found in risks], dtype=np.float64)
        lower, upper = ends.reshape(-1, 2).T.copy()
        bounds: Bounds[Any] = _shaped(lower, upper, points.shape)
        for point, found in zip(priors, risks, strict=True):
            if found.obstacle:
                at = f"prior = {point!r}"
                message = explanation(
                    "Bayes risk", at, found, limits.tolerance, limits.memory_limit
                )
                raise CertificationError(message, bounds, found.obstacle)
        return bounds

    def gdp_mu(
        self,
        *,
        smallest_rate: Value = 1e-12,  # type: ignore[assignment]
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Value:
        """Certified upper bound on the Gaussian-DP parameter: the upper end of ``gdp_mu_bounds``.

        >>> import hockeystick as hs
        >>> round((9 * hs.Gaussian(noise_multiplier=2.0)).gdp_mu(), 9)
        1.5
        """
        return self.gdp_mu_bounds(
            smallest_rate=smallest_rate,
            adjacency=adjacency,
            tolerance=tolerance,
            memory_limit=memory_limit,
        ).upper

    def gdp_mu_bounds(
        self,
        *,
        smallest_rate: Value = 1e-12,  # type: ignore[assignment]
        adjacency: Adjacency = _WORST,
        tolerance: float = DEFAULT_TOLERANCE,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Bounds[Value]:
        """The smallest mu of Gaussian differential privacy, for rates that matter, enclosed.

        The smallest mu such that no test of which both error rates are at least `smallest_rate`
        does better than on N(mu, 1) against N(0, 1). It holds for the whole continuum of such
        tests, not only at points of a grid. For Gaussians alone mu is exact whatever the rate; with
        sampling it grows as the rate falls, in the end up to the mu without sampling, so that it
        should be quoted together with the rate. It is the same for ADD_ONE and REMOVE_ONE.

        Args:
            smallest_rate: In [1e-20, 0.5), scalar or any shape.
            adjacency: Which datasets are neighbours.
            tolerance: Widest relative gap accepted, in (1e-12, 1).
            memory_limit: Bytes the computation may take, > 0.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `smallest_rate`; the exact mu lies
            between, rounding included, and ``upper - lower <= tolerance * upper``.

        Raises:
            ValueError: An argument is out of range, or a mechanism has no dominating pair for
                `adjacency`.
            TypeError: An argument has the wrong type.
            CertificationError: The tolerance is out of reach; carries the best bounds.

        Cost: two compositions per direction and rate, one from 1e-5 on. Source: Dong, Roth & Su
        (2022), Definition 2.6.
        """
        points = _checks.smallest_rate_array(smallest_rate)
        _checks.instance("adjacency", adjacency, Adjacency)
        both = _WORST if adjacency in _REVERSED else adjacency
        return Limits.checked(tolerance, memory_limit).bounds(
            "mu", "smallest_rate = ", points, self._directions(both), _core.gdp_bounds
        )

    def _bayes_risk(self, prior: float, adjacency: Adjacency, limits: Limits) -> "_Risk":
        # For prior > 1/2 the neighbours change places: h(alpha) = 1 - alpha + alpha h'(1 / alpha)
        # with h' of the reversed pair. 1 - prior is exact then.
        if prior > _HALF:
            return self._bayes_risk(1 - prior, _REVERSED.get(adjacency, adjacency), limits)
        odds = np.array([log_odds(prior)])
        width, directions = limits.tolerance, self._directions(adjacency)
        for _ in range(4):
            delta = _core.delta_bounds(
                directions, odds, tolerance=width, memory_limit=limits.memory_limit
            )[0]
            rest = max(1e-6, 1 - delta.lower)
            met = delta.upper - delta.lower <= limits.tolerance * rest
            if met or not delta.met:
                break
            width = max(2e-12, 0.5 * limits.tolerance * rest / delta.upper)
        return _Risk(
            lower=risk(prior, delta.upper, upwards=False),
            upper=risk(prior, delta.lower, upwards=True),
            obstacle="" if met else delta.obstacle or "rounding",
            required_bytes=delta.required_bytes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Risk:
    """An enclosed Bayes risk, and what keeps it from being as tight as asked for."""

    lower: float
    upper: float
    obstacle: str
    required_bytes: int


_REVERSED = {
    Adjacency.REMOVE_ONE: Adjacency.ADD_ONE,
    Adjacency.ADD_ONE: Adjacency.REMOVE_ONE,
}


def _complement(bounds: Bounds[Any]) -> Bounds[Any]:
    """One less the rates, rounded outwards; 1 - x is exact for x = 0 and for x >= 1/2."""
    lower = _one_less(bounds.upper, towards=0.0)
    upper = _one_less(bounds.lower, towards=1.0)
    return _shaped(lower, upper, lower.shape)


def _one_less(rate: Any, *, towards: float) -> FloatArray:  # noqa: ANN401
    rates: FloatArray = np.asarray(rate)
    rest = 1 - rates
    return np.where((rates == 0) | (rates >= _HALF), rest, np.nextafter(rest, towards))


def _shaped(lower: FloatArray, upper: FloatArray, shape: tuple[int, ...]) -> Bounds[Any]:
    """Arrays of `shape`, or floats if it is empty."""
    bounds: Bounds[Any] = Bounds(lower.reshape(shape), upper.reshape(shape))
    return bounds if shape else Bounds(lower.item(), upper.item())
