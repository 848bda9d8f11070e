# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.accountant``: epsilon and delta of compositions, enclosed."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hockeystick.compat import _arguments
from hockeystick.compat.prv_accountant.composed import Answer, Composed, FloatArray
from hockeystick.compat.prv_accountant.discrete_privacy_random_variable import (
    ComposedPrivacyRandomVariable,
)
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    PoissonSubsampledGaussianMechanism,
    PrivacyRandomVariable,
)
from hockeystick.given_cdf import Allowance

Counts = int | Sequence[int] | npt.NDArray[np.integer[Any]] | None

_BOUNDS = ("lower", "estimate", "upper")
_RATES = np.unique([0.0, *np.logspace(-5, 0, 101), *np.linspace(0, 1, 101)])
_WIDEST_INTERVAL = 0.1  # of masses that are looked at [nats]


class PRVAccountant:
    """Bounds for compositions of privacy random variables.

    Args:
        prvs: What is composed, one or several.
        eps_error: Widest gap between the bounds on an epsilon [nats] and, relative to it, on a
            delta; > 0. Both are within a thousandth in any case. About the widest, where there are
            mechanisms given by their `cdf`, and on a delta that of moving epsilon by it.
        delta_error: > 0; not used, since all error is in the bounds, but for mechanisms given by
            their `cdf`. All answers then hold if none of its numbers is off by more than
            ``delta_error / (2 * runs)``, runs those of all such mechanisms together.
        max_self_compositions: The most of each that may be asked for; by default 1.
        eps_max: Not used: there is no domain to choose.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type, or a mechanism has no `cdf`.

    >>> prv = PoissonSubsampledGaussianMechanism(noise_multiplier=0.8, sampling_probability=5e-3)
    >>> account = PRVAccountant(prv, eps_error=0.1, delta_error=1e-10, max_self_compositions=1000)
    >>> lower, estimate, upper = account.compute_epsilon(delta=1e-6, num_self_compositions=1000)
    >>> upper - lower < 0.002 * estimate
    True
    """

    def __init__(
        self,
        prvs: PrivacyRandomVariable | Sequence[PrivacyRandomVariable],
        eps_error: float,
        delta_error: float,
        max_self_compositions: Counts = None,
        eps_max: float | None = None,
    ) -> None:
        self.eps_error: float = _arguments.positive("eps_error", eps_error)
        self.delta_error: float = _arguments.positive("delta_error", delta_error)
        if eps_max is not None:
            _arguments.positive("eps_max", eps_max)
        each = prvs if isinstance(prvs, Sequence) else [prvs]
        self.prvs: list[PrivacyRandomVariable] = [
            _arguments.instance("prvs", prv, PrivacyRandomVariable) for prv in each
        ]
        counts = self._counts("max_self_compositions", max_self_compositions)
        self.max_self_compositions: list[int] = counts
        self._enclosed = [prv.enclosed(self._allowance) for prv in self.prvs]

    def compute_epsilon(self, delta: float, num_self_compositions: Counts) -> Answer:
        """Bounds on epsilon at `delta`, with an estimate between them: (lower, estimate, upper).

        Args:
            delta: In (0, 1).
            num_self_compositions: How often each runs; a number, if there is but one. None: once.

        Raises:
            ValueError: An argument is out of range, or there are more runs than allowed for.
            TypeError: An argument has the wrong type.
            CertificationError: `eps_error` is out of reach; carries the best bounds.
        """
        delta = _arguments.one_delta(delta)
        return self._composed(num_self_compositions).epsilon(delta, self.eps_error)

    def compute_delta(self, epsilon: float, num_self_compositions: Counts) -> Answer:
        """Bounds on delta at `epsilon`, with an estimate between them: (lower, estimate, upper).

        Args:
            epsilon: In [0, 1e4] nats.
            num_self_compositions: As of `compute_epsilon`.

        Raises:
            ValueError, TypeError: As `compute_epsilon`.
            CertificationError: `eps_error` is out of reach; carries the best bounds.
        """
        epsilon = _arguments.one_epsilon(epsilon)
        return self._composed(num_self_compositions).delta(epsilon, self.eps_error)

    def compute_trade_off_curve(
        self, num_self_compositions: Counts, bound: str = "estimate"
    ) -> tuple[FloatArray, FloatArray]:
        """The least false negative rates of attacks at false positive rates from 0 to 1.

        Args:
            num_self_compositions: As of `compute_epsilon`.
            bound: "lower" and "upper" enclose the true rates; "estimate" is their middle.

        Returns:
            False positive rates, increasing, and the false negative rate at each. Positive is the
            data with the record, as what `compute_epsilon` compares with its removal.

        Raises:
            ValueError: `bound` is another one, or as `compute_epsilon`.
            TypeError: As `compute_epsilon`.
        """
        if bound not in _BOUNDS:
            raise ValueError(f"bound must be one of {', '.join(_BOUNDS)}, got {bound!r}")
        rates = self._composed(num_self_compositions).tradeoff(_RATES)
        return _RATES.copy(), rates[_BOUNDS.index(bound)]

    def compute_composition(self, num_self_compositions: Counts) -> ComposedPrivacyRandomVariable:
        """The loss of the composition; its masses are made when they are looked at.

        Args and errors: as of `compute_epsilon`.
        """
        runs = sum(self.max_self_compositions)
        interval = min(self.eps_error / math.sqrt(max(runs, 1)), _WIDEST_INTERVAL)
        return ComposedPrivacyRandomVariable(self._composed(num_self_compositions), interval)

    @property
    def _allowance(self) -> Allowance:
        """Half of `eps_error` for the rounding of losses, half of `delta_error` for their ends."""
        runs = max(1, self._runs_by_cdf(self.max_self_compositions))
        tail = min(self.delta_error / (4 * runs), 0.01)
        return Allowance(width=self.eps_error / (2 * runs), tail=tail)

    def _runs_by_cdf(self, counts: list[int]) -> int:
        """The number of runs of mechanisms that are given by their cdf."""
        return sum(n for n, prv in zip(counts, self.prvs, strict=True) if not prv.is_known())

    def _composed(self, num_self_compositions: Counts) -> Composed:
        counts = self._counts("num_self_compositions", num_self_compositions)
        if any(n > most for n, most in zip(counts, self.max_self_compositions, strict=True)):
            raise ValueError(
                f"num_self_compositions must be at most max_self_compositions = "
                f"{self.max_self_compositions}, got {counts}"
            )
        allowed = self.delta_error / 2 if self._runs_by_cdf(counts) else 0.0
        return Composed.of(zip(self._enclosed, counts, strict=True), allowed)

    def _counts(self, name: str, given: Counts) -> list[int]:
        expected = len(self.prvs)
        if given is None:
            return [1] * expected
        each = given if isinstance(given, Sequence | np.ndarray) else [given]
        counts = [_arguments.count(name, n) for n in each]
        if len(counts) != expected:
            raise ValueError(f"{name} must be {expected}, one for each prv, got {len(counts)}")
        return counts


class Accountant:
    """DP-SGD at one delta: what came before `PRVAccountant`, deprecated there as here.

    Args:
        noise_multiplier: In [0.001, 1e12].
        sampling_probability: In [0, 1].
        delta: In (0, 1).
        max_compositions: The most steps that may be asked for.
        eps_error: As of `PRVAccountant`; by default 0.1.
        mesh_size: Must be None.
        verbose: Not used.
    """

    def __init__(
        self,
        noise_multiplier: float,
        sampling_probability: float,
        delta: float,
        max_compositions: int,
        eps_error: float | None = None,
        mesh_size: None = None,
        verbose: bool = False,  # noqa: ARG002, theirs
    ) -> None:
        warnings.warn(
            "Accountant is deprecated; use PRVAccountant", DeprecationWarning, stacklevel=2
        )
        if mesh_size is not None:
            raise ValueError(f"mesh_size must be None, got {mesh_size!r}")
        self.delta: float = _arguments.one_delta(delta)
        self.accountant: PRVAccountant = PRVAccountant(
            PoissonSubsampledGaussianMechanism(sampling_probability, noise_multiplier),
            eps_error=0.1 if eps_error is None else eps_error,
            delta_error=self.delta / 1000,
            max_self_compositions=max_compositions,
        )

    def compute_epsilon(self, num_compositions: int) -> Answer:
        """Bounds on epsilon after `num_compositions` steps, as `PRVAccountant` gives them."""
        return self.accountant.compute_epsilon(self.delta, num_compositions)
