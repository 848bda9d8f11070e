# SPDX-License-Identifier: Apache-2.0
"""Uses this library beside the dp_accounting that is installed, as a program.

Prints a JSON object: the installed version, the events that were accounted for and their epsilon by
this library in its place, that of its own accountants where they know the event, and what
`hockeystick compare` asks of it.
"""

import contextlib
import json
from importlib import metadata

import dp_accounting
from dp_accounting import dp_event, pld, rdp

import hockeystick as hs
from hockeystick.cli import peers
from hockeystick.compat.dp_accounting import events, patch, unpatch
from hockeystick.compat.dp_accounting.pld import PLDAccountant

DELTA = 1e-5
Relation = dp_accounting.NeighboringRelation
GAUSSIAN, LAPLACE = dp_event.GaussianDpEvent(2.0), dp_event.LaplaceDpEvent(3.0)
ARGUMENTS = {
    "NoOpDpEvent": (),
    "NonPrivateDpEvent": (),
    "SelfComposedDpEvent": (GAUSSIAN, 3),
    "ComposedDpEvent": ([GAUSSIAN, LAPLACE],),
    "GaussianDpEvent": (2.0,),
    "LaplaceDpEvent": (3.0,),
    "DiscreteLaplaceDpEvent": (0.5, 1),
    "RandomizedResponseDpEvent": (0.5, 3),
    "MixtureOfGaussiansDpEvent": (2.0, [0.0, 1.0], [0.5, 0.5]),
    "PoissonSampledDpEvent": (0.1, GAUSSIAN),
    "SampledWithoutReplacementDpEvent": (1000, 10, GAUSSIAN),
    "SampledWithReplacementDpEvent": (1000, 10, GAUSSIAN),
    "SingleEpochTreeAggregationDpEvent": (4.0, [3, 8]),
    "ZCDpEvent": (0.1,),
    "TruncatedSubsampledGaussianDpEvent": (1000, 0.1, 150, 2.0),
}
"""Of every event that a version up to 0.6.0 has and that has a mechanism here."""


def epsilon(accountant: object, event: object) -> float | None:
    """Of ten runs; None where the accountant does not know the event."""
    with contextlib.suppress(dp_accounting.UnsupportedEventError):
        return float(accountant.compose(event, 10).get_epsilon(DELTA))
    return None


def answers(event: object) -> dict[str, float | None]:
    """By ours in the place of theirs, theirs and Renyi divergences, under the first relation."""
    own = pld.PLDAccountant
    for relation in (Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_SPECIAL):
        patch()
        assert pld.PLDAccountant is PLDAccountant
        ours = epsilon(pld.PLDAccountant(relation), event)
        unpatch()
        assert pld.PLDAccountant is own
        if ours is None:
            continue
        try:
            theirs = epsilon(own(relation, 1e-3), event)
        except (TypeError, AttributeError):  # of a bug of theirs
            theirs = None
        renyi = epsilon(rdp.RdpAccountant(neighboring_relation=relation), event)
        run = hs.Composition.from_dp_event(event, adjacency=relation.name)
        assert 10 * run == 10 * events.translated(event, relation)
        return {"ours": ours, "theirs": theirs, "renyi": renyi}
    raise AssertionError(f"{event} is not accounted for")


def compared() -> list[float]:
    """What `hockeystick compare` has of it: epsilon by both of its accountants."""
    asked = peers.Question(((1.0, 0.01, 100),), "epsilon", DELTA)
    fixed = peers.Question(((4.0, 0.01, 100),), "epsilon", DELTA, "fixed_size", 1000)
    calls = [peers.dp_accounting.pld(asked), peers.dp_accounting.rdp(asked)]
    return [call().upper for call in (*calls, peers.dp_accounting.rdp(fixed))]


if __name__ == "__main__":
    have = {
        name: getattr(dp_event, name)(*of)
        for name, of in ARGUMENTS.items()
        if hasattr(dp_event, name)
    }
    found = {name: answers(event) for name, event in have.items()}
    said = {"version": metadata.version("dp-accounting"), "events": found, "compared": compared()}
    print(json.dumps(said))  # noqa: T201
