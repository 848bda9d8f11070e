# SPDX-License-Identifier: Apache-2.0
"""PLD_accounting (Feldman & Shenfeld), which knows random allocation of Gaussians."""

from hockeystick.cli.peers.peer import Answer, Ask, Question


def pld(question: Question) -> Ask:
    """Its adaptive refinement: a lower and an upper value, by default within 10 percent."""
    from PLD_accounting import gaussian_allocation_epsilon_range  # noqa: PLC0415

    ((sigma, q, steps),) = question.terms
    batches = round(1 / q)

    def ask() -> Answer:
        upper, lower = gaussian_allocation_epsilon_range(
            delta=question.at, sigma=sigma, num_steps=batches, num_epochs=round(steps * q)
        )
        return Answer(upper=float(upper), lower=float(lower))

    return ask
