# SPDX-License-Identifier: Apache-2.0
"""The success of an attacker who tests which of two neighbouring datasets gave an output."""

from typing import Any, Unpack, overload

from hockeystick import _checks
from hockeystick.adjacency import adjacency_of
from hockeystick.bounds import Array, Bounds, Value
from hockeystick.limits import Options, ProbabilityOptions
from hockeystick.queries import Asked, described


@described
class AttackViews(Asked):
    """Views of a composition as limits to membership inference."""

    __slots__ = ()

    def tradeoff(self, fpr: Value | Array, **options: Unpack[ProbabilityOptions]) -> Value:
        """Certified lower bound on FNR(FPR): the lower end of ``tradeoff_bounds``, same arguments.

        >>> import hockeystick as hs
        >>> round(hs.Gaussian(noise_multiplier=1.0).tradeoff(0.05), 4)
        0.7405
        """
        return self._safe("tradeoff", fpr, options)

    def tradeoff_bounds(
        self, fpr: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Bounds[Value]:
        """The trade-off function: the smallest false negative rate of any test, enclosed.

        The test sees one output and tells the dataset P came from (positive) from its neighbour. Of
        two directions the more vulnerable one counts, at each rate by itself, so that no attack has
        rates below the curve whichever of the neighbours it calls positive.

        Args:
            fpr: False positive rate in [0, 1], scalar or any shape.
            options: As of ``delta_bounds``, `smallest` being a true positive rate. The gap is at
                most `tolerance` times the false negative rate, and times the true positive rate;
                false negative rates below 1e-6 count as 1e-6.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `fpr`; the exact rate lies
            between, rounding included.

        Cost: some dozen deltas for each rate, some hundred for any number of rates. Source: Dong,
        Roth & Su (2022), Proposition 6.
        """
        return self._ask("tradeoff", fpr, options)

    def true_positive_rate(
        self, fpr: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Value:
        """Certified upper bound on TPR(FPR), the upper end of ``true_positive_rate_bounds``.

        >>> import hockeystick as hs
        >>> f"{hs.Gaussian(noise_multiplier=1.0).true_positive_rate(1e-9):.4e}"
        '2.8993e-07'
        """
        return self._safe("true_positive_rate", fpr, options)

    def true_positive_rate_bounds(
        self, fpr: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Bounds[Value]:
        """The largest true positive rate of any test at a false positive rate, enclosed.

        1 minus the trade-off function; arguments, errors, cost and source as of
        ``tradeoff_bounds``. Small rates keep their relative precision: TPR at FPR 1e-100 is
        enclosed as tightly as at 1e-2. A TPR below `smallest` may be certified to be so and no
        more, as delta is.
        """
        return self._ask("true_positive_rate", fpr, options)

    def reconstruction_risk(
        self, baseline: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Value:
        """Certified upper bound, the upper end of ``reconstruction_risk_bounds``.

        >>> import hockeystick as hs
        >>> round(hs.Gaussian(noise_multiplier=1.0).reconstruction_risk(0.01), 4)
        0.0924
        """
        return self.reconstruction_risk_bounds(baseline, **options).upper

    def reconstruction_risk_bounds(
        self, baseline: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Bounds[Value]:
        """Encloses the best attack's chance to reconstruct a record, given that of guessing.

        `baseline` is the probability that the best guess without the output succeeds, at whatever
        counts as success: for one of 1000 equally likely records 0.001. Success with the output is
        at most the true positive rate at that false positive rate, and for some record, prior and
        notion of success it is that. The output is of data that hold the record, so that "add-one"
        is answered as "remove-one", which compares the same data.

        Args:
            baseline: In [0, 1], scalar or any shape.
            options: As of ``true_positive_rate_bounds``.

        Source: Balle, Cherubin & Hayes (2022); Hayes, Mahloujifar & Balle (2023), Bounding training
        data reconstruction in DP-SGD; Kaissis et al. (2023).
        """
        _checks.rate_array(baseline, name="baseline")  # named so
        if "adjacency" in options:
            options["adjacency"] = adjacency_of(options["adjacency"]).with_record
        return self.true_positive_rate_bounds(baseline, **options)

    def advantage(self, **options: Unpack[ProbabilityOptions]) -> float:
        """Certified upper bound on the advantage: the upper end of ``advantage_bounds``."""
        return self._safe("delta", 0.0, options)

    def advantage_bounds(self, **options: Unpack[ProbabilityOptions]) -> Bounds[float]:
        """The largest TPR - FPR of any test, enclosed: the total variation distance, delta(0).

        Options and errors as of ``delta_bounds``.
        """
        return self._ask("delta", 0.0, options)

    @overload
    def bayes_risk(self, **options: Unpack[Options]) -> float: ...
    @overload
    def bayes_risk(self, prior: Value | Array, **options: Unpack[Options]) -> Value: ...
    def bayes_risk(self, prior: Any = 0.5, **options: Unpack[Options]) -> Any:
        """Certified lower bound on the Bayes risk: the lower end of ``bayes_risk_bounds``.

        >>> import hockeystick as hs
        >>> round(hs.Gaussian(noise_multiplier=1.0).bayes_risk(), 4)
        0.3085
        """
        return self._safe("bayes_risk", prior, options)

    @overload
    def bayes_risk_bounds(self, **options: Unpack[Options]) -> Bounds[float]: ...
    @overload
    def bayes_risk_bounds(
        self, prior: Value | Array, **options: Unpack[Options]
    ) -> Bounds[Value]: ...
    def bayes_risk_bounds(self, prior: Any = 0.5, **options: Unpack[Options]) -> Any:
        """The smallest error probability of a test that knows the prior, enclosed.

        The smallest prior * FNR + (1 - prior) * FPR, where `prior` is the probability of the
        dataset that the test calls positive: prior * (1 - delta(log((1 - prior) / prior))), and
        (1 - advantage) / 2 if it is 1/2.

        Args:
            prior: In (0, 1), scalar or any shape.
            options: As of ``epsilon_bounds``; risks below 1e-6 times the smaller of prior and
                1 - prior count as that.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `prior`; the exact risk lies
            between, rounding included.
        """
        return self._ask("bayes_risk", prior, options)

    @overload
    def gdp_mu(self, **options: Unpack[Options]) -> float: ...
    @overload
    def gdp_mu(self, *, smallest_rate: Value | Array, **options: Unpack[Options]) -> Value: ...
    def gdp_mu(self, *, smallest_rate: Any = 1e-12, **options: Unpack[Options]) -> Any:
        """Certified upper bound on the Gaussian-DP parameter: the upper end of ``gdp_mu_bounds``.

        >>> import hockeystick as hs
        >>> round((9 * hs.Gaussian(noise_multiplier=2.0)).gdp_mu(), 9)
        1.5
        """
        return self._safe("gdp_mu", smallest_rate, options)

    @overload
    def gdp_mu_bounds(self, **options: Unpack[Options]) -> Bounds[float]: ...
    @overload
    def gdp_mu_bounds(
        self, *, smallest_rate: Value | Array, **options: Unpack[Options]
    ) -> Bounds[Value]: ...
    def gdp_mu_bounds(self, *, smallest_rate: Any = 1e-12, **options: Unpack[Options]) -> Any:
        """The smallest mu of Gaussian differential privacy, for rates that matter, enclosed.

        The smallest mu such that no test of which both error rates are at least `smallest_rate`
        does better than on N(mu, 1) against N(0, 1). It holds for the whole continuum of such
        tests, not only at points of a grid. For Gaussians alone mu is exact whatever the rate; with
        sampling it grows as the rate falls, in the end up to the mu without sampling, so that it
        should be quoted together with the rate. It is the same for ADD_ONE and REMOVE_ONE.

        Args:
            smallest_rate: In [1e-20, 0.5), scalar or any shape.
            options: As of ``epsilon_bounds``.

        Returns:
            ``lower`` and ``upper``, floats or arrays shaped like `smallest_rate`; the exact mu lies
            between, rounding included, and ``upper - lower <= tolerance * upper``.

        Cost: some dozen to some hundred deltas in each direction, for any number of rates. Source:
        Dong, Roth & Su (2022), Definition 2.6.
        """
        return self._ask("gdp_mu", smallest_rate, options)
