# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.dpsgd``: DP-SGD at constant noise and sampling probability."""

from typing import Any

import hockeystick as hs
from hockeystick.compat import _arguments
from hockeystick.compat.prv_accountant.accountant import PRVAccountant
from hockeystick.compat.prv_accountant.composed import Answer
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    PoissonSubsampledGaussianMechanism,
)


class DPSGDAccountant(PRVAccountant):
    """Bounds for runs of DP-SGD.

    Args:
        noise_multiplier: Standard deviation of the noise over the clipping norm; in [0.001, 1e12].
        sampling_probability: Of each record in each step; in [0, 1].
        max_steps: The most steps that may be asked for.
        eps_error: As of `PRVAccountant`.
        delta_error: As of `PRVAccountant`.
        delta: The delta of `compute_epsilon`, for calls that give none.
        max_compositions: Another name of `max_steps`, as the original's documentation has it.

    >>> account = DPSGDAccountant(noise_multiplier=0.8, sampling_probability=5e-3, max_steps=1000)
    >>> lower, estimate, upper = account.compute_epsilon(delta=1e-6, num_steps=1000)
    """

    def __init__(
        self,
        noise_multiplier: float,
        sampling_probability: float,
        max_steps: int | None = None,
        eps_error: float = 0.1,
        delta_error: float = 1e-9,
        *,
        delta: float | None = None,
        max_compositions: int | None = None,
    ) -> None:
        self.delta: float | None = None if delta is None else _arguments.one_delta(delta)
        super().__init__(
            prvs=PoissonSubsampledGaussianMechanism(sampling_probability, noise_multiplier),
            max_self_compositions=_one_of(max_steps=max_steps, max_compositions=max_compositions),
            eps_error=eps_error,
            delta_error=delta_error,
        )

    def compute_epsilon(  # type: ignore[override] # theirs
        self,
        delta: float | None = None,
        num_steps: int | None = None,
        *,
        num_compositions: int | None = None,
    ) -> Answer:
        """Bounds on epsilon after `num_steps` steps (also called `num_compositions`).

        Args and errors: as of ``PRVAccountant.compute_epsilon``.
        """
        steps = _one_of(num_steps=num_steps, num_compositions=num_compositions)
        at = self.delta if delta is None else delta
        if at is None:
            raise TypeError("delta must be given, here or to DPSGDAccountant")
        return super().compute_epsilon(at, steps)


def find_noise_multiplier(
    sampling_probability: float,
    num_steps: int,
    target_epsilon: float,
    target_delta: float,
    eps_error: float = 0.1,
    mu_max: float = 100.0,
) -> float:
    """The least noise multiplier at which DP-SGD provably meets the target, a record removed.

    Args:
        sampling_probability: In [0, 1].
        num_steps: In [0, 1e9].
        target_epsilon: > 0 [nats].
        target_delta: In (0, 1).
        eps_error: How far below the target epsilon may stay, > 0; a thousandth of it is enough
            in any case.
        mu_max: The largest noise multiplier to try, > 0.

    Raises:
        RuntimeError: It takes more noise than `mu_max`.
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.
    """
    q = _arguments.probability("sampling_probability", sampling_probability)
    steps = _arguments.count("num_steps", num_steps)
    target = _arguments.positive("target_epsilon", target_epsilon)
    width = min(1e-3, _arguments.positive("eps_error", eps_error) / target)
    limits: dict[str, Any] = {"adjacency": hs.Adjacency.REMOVE_ONE, "tolerance": width}

    def make(sigma: float) -> hs.Composition:
        return steps * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(q)

    most = make(_arguments.positive("mu_max", mu_max)).epsilon_bounds(target_delta, **limits).upper
    if not most <= target:
        raise RuntimeError(
            f"no noise multiplier up to mu_max = {mu_max!r} meets target_epsilon = {target!r}; "
            f"epsilon is {most!r} there"
        )
    bounds = (_arguments.MIN_NOISE, mu_max)
    return float(hs.calibrate(make, epsilon=target, delta=target_delta, bounds=bounds, **limits))


def _one_of(**given: int | None) -> int:
    values = [value for value in given.values() if value is not None]
    if len(values) != 1:
        raise TypeError(f"give one of {' and '.join(given)}")
    return values[0]
