# SPDX-License-Identifier: Apache-2.0
"""Google's dp_accounting, with the defaults of its accountants."""

from collections.abc import Callable
from typing import Any

from hockeystick.cli.peers.peer import Answer, Ask, Question


def pld(question: Question) -> Ask:
    """PLDAccountant: connect the dots, an upper estimate on a grid of 1e-4."""
    from dp_accounting.pld import PLDAccountant  # noqa: PLC0415, only where it is asked

    return _asked(PLDAccountant, question)


def rdp(question: Question) -> Ask:
    """RdpAccountant: the best of its Renyi orders, an upper estimate."""
    from dp_accounting.rdp import RdpAccountant  # noqa: PLC0415

    return _asked(RdpAccountant, question)


def _asked(make: Callable[..., Any], question: Question) -> Ask:
    import dp_accounting  # noqa: PLC0415

    replaces = question.sampling == "fixed_size"
    relation = dp_accounting.NeighboringRelation
    options = {"neighboring_relation": relation.REPLACE_ONE} if replaces else {}

    def event(sigma: float, q: float) -> object:
        # Its noise is over the sensitivity, that of a replaced record twice the norm bound.
        gaussian = dp_accounting.GaussianDpEvent(sigma / 2 if replaces else sigma)
        if replaces and question.dataset_size is not None:
            size, batch = question.dataset_size, round(q * question.dataset_size)
            return dp_accounting.SampledWithoutReplacementDpEvent(size, batch, gaussian)
        return gaussian if q == 1 else dp_accounting.PoissonSampledDpEvent(q, gaussian)

    def ask() -> Answer:
        accountant = make(**options)
        for sigma, q, count in question.terms:
            accountant.compose(event(sigma, q), count)
        answer = accountant.get_epsilon if question.query == "epsilon" else accountant.get_delta
        return Answer(upper=float(answer(question.at)))

    return ask
