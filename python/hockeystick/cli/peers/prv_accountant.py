# SPDX-License-Identifier: Apache-2.0
"""prv_accountant, whose answers are a lower value, an estimate and an upper value."""

from typing import Any

from hockeystick.cli.peers.peer import Answer, Ask, Question

EPS_ERROR = 0.01
DELTA_ERROR = 1e-3  # relative to delta


def prv(question: Question) -> Ask:
    """PRVAccountant at eps_error 0.01 and delta_error delta / 1000, which its docstring suggests.

    A question about delta has no delta to scale by; there 1e-10 stands for delta / 1000. Only the
    removal direction is accounted for.
    """
    from prv_accountant import PRVAccountant  # noqa: PLC0415, only where it is asked
    from prv_accountant.privacy_random_variables import (  # noqa: PLC0415
        GaussianMechanism,
        PoissonSubsampledGaussianMechanism,
    )

    delta_error = question.at * DELTA_ERROR if question.query == "epsilon" else 1e-10
    counts = [count for _, _, count in question.terms]

    def variable(sigma: float, q: float) -> Any:  # noqa: ANN401, a class of the library's
        if q == 1:
            return GaussianMechanism(noise_multiplier=sigma)
        return PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=q)

    def ask() -> Answer:
        accountant = PRVAccountant(
            prvs=[variable(sigma, q) for sigma, q, _ in question.terms],
            max_self_compositions=counts,
            eps_error=EPS_ERROR,
            delta_error=delta_error,
        )
        epsilon = question.query == "epsilon"
        ask = accountant.compute_epsilon if epsilon else accountant.compute_delta
        lower, estimate, upper = map(float, ask(question.at, counts))
        return Answer(upper=upper, lower=lower, estimate=estimate)

    return ask
