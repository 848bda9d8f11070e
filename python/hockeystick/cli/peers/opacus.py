# SPDX-License-Identifier: Apache-2.0
"""The accountants of Opacus, with their defaults; they answer epsilon only."""

from collections.abc import Callable
from typing import Any

from hockeystick.cli.peers.peer import Answer, Ask, Question


def rdp(question: Question) -> Ask:
    """RDPAccountant: the best of its Renyi orders, an upper estimate."""
    from opacus.accountants import RDPAccountant  # noqa: PLC0415, only where it is asked

    return _asked(RDPAccountant, question)


def prv(question: Question) -> Ask:
    """PRVAccountant: the upper value at eps_error 0.01 and delta_error delta / 1000."""
    from opacus.accountants import PRVAccountant  # noqa: PLC0415

    return _asked(PRVAccountant, question)


def _asked(make: Callable[[], Any], question: Question) -> Ask:
    if question.query != "epsilon":
        raise ValueError("its accountants answer epsilon only")

    def ask() -> Answer:
        accountant = make()
        accountant.history = list(question.terms)
        return Answer(upper=float(accountant.get_epsilon(question.at)))

    return ask
