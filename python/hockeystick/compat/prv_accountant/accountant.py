# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.accountant``: epsilon and delta of compositions, enclosed."""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hockeystick import _checks
from hockeystick._solve import DEFAULT_TOLERANCE
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    PoissonSubsampledGaussianMechanism,
    PrivacyRandomVariable,
)
from hockeystick.composition import Composition

Counts = int | Sequence[int] | npt.NDArray[np.integer[Any]] | None
Answer = tuple[float, float, float]


class PRVAccountant:
    """Bounds for compositions of privacy random variables.

    Args:
        prvs: What is composed, one or several.
        eps_error: Widest gap between the bounds on an epsilon [nats] and, relative to it, on a
            delta; > 0. Both are within a thousandth in any case.
        delta_error: > 0; not used, since all error is in the bounds.
        max_self_compositions: The most of each that may be asked for; by default 1.
        eps_max: Not used: there is no domain to choose.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type, or a mechanism is given by its cdf alone.

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
        self.eps_error = _checks.positive("eps_error", eps_error)
        self.delta_error = _checks.positive("delta_error", delta_error)
        if eps_max is not None:
            _checks.positive("eps_max", eps_max)
        each = prvs if isinstance(prvs, Sequence) else [prvs]
        self.prvs = [_checks.instance("prvs", prv, PrivacyRandomVariable) for prv in each]
        self.max_self_compositions = self._counts("max_self_compositions", max_self_compositions)
        self._enclosed = [prv.enclosed for prv in self.prvs]

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
        delta = _checks.open_unit("delta", delta)

        def ask(run: Composition) -> Bounds[float]:
            bounds = run.epsilon_bounds(delta, **_options(DEFAULT_TOLERANCE))
            if not bounds.gap > self.eps_error:  # also where both are infinite
                return bounds
            return run.epsilon_bounds(delta, **_options(self.eps_error / bounds.upper))

        return self._answer(ask, num_self_compositions)

    def compute_delta(self, epsilon: float, num_self_compositions: Counts) -> Answer:
        """Bounds on delta at `epsilon`, with an estimate between them: (lower, estimate, upper).

        Args:
            epsilon: In [0, 1e4] nats.
            num_self_compositions: As of `compute_epsilon`.

        Raises:
            ValueError, TypeError: As `compute_epsilon`.
            CertificationError: `eps_error` is out of reach; carries the best bounds.
        """
        epsilon = _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON)
        options = _options(min(DEFAULT_TOLERANCE, self.eps_error))
        return self._answer(lambda run: run.delta_bounds(epsilon, **options), num_self_compositions)

    def _answer(
        self, ask: Callable[[Composition], Bounds[float]], num_self_compositions: Counts
    ) -> Answer:
        counts = self._counts("num_self_compositions", num_self_compositions)
        if any(n > most for n, most in zip(counts, self.max_self_compositions, strict=True)):
            raise ValueError(
                f"num_self_compositions must be at most max_self_compositions = "
                f"{self.max_self_compositions}, got {counts}"
            )
        low, high = (_total(zip(side, counts, strict=True)) for side in self._sides())
        lower, upper = ask(low).lower, ask(high).upper
        return lower, lower + (upper - lower) / 2 if upper < math.inf else lower, upper

    def _sides(self) -> list[tuple[Any, ...]]:
        """All that is more private than what is meant, then all that is less."""
        return list(zip(*self._enclosed, strict=True)) or [(), ()]

    def _counts(self, name: str, given: Counts) -> list[int]:
        expected = len(self.prvs)
        if given is None:
            return [1] * expected
        each = given if isinstance(given, Sequence | np.ndarray) else [given]
        counts = [_checks.whole(name, n, 0, _checks.MAX_COUNT) for n in each]
        if len(counts) != expected:
            raise ValueError(f"{name} must be as many as prvs, {expected}, got {len(counts)}")
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
        self.delta = _checks.open_unit("delta", delta)
        self.accountant = PRVAccountant(
            PoissonSubsampledGaussianMechanism(sampling_probability, noise_multiplier),
            eps_error=0.1 if eps_error is None else eps_error,
            delta_error=self.delta / 1000,
            max_self_compositions=max_compositions,
        )

    def compute_epsilon(self, num_compositions: int) -> Answer:
        """Bounds on epsilon after `num_compositions` steps, as `PRVAccountant` gives them."""
        return self.accountant.compute_epsilon(self.delta, num_compositions)


def _options(width: float) -> dict[str, Any]:
    narrowest = 2 * _checks.MIN_TOLERANCE
    return {"adjacency": Adjacency.REMOVE_ONE, "tolerance": max(width, narrowest)}


def _total(parts: Iterable[tuple[Any, int]]) -> Composition:
    return sum((count * mechanism for mechanism, count in parts), Composition())
