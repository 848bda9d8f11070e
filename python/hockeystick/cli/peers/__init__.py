# SPDX-License-Identifier: Apache-2.0
"""Other accountants, each behind one adapter, for comparisons.

An adapter imports what it needs and returns the call to be timed. The call builds all its objects
anew, from the parameters to the answer, so that no library is timed on what it remembers.
"""

from hockeystick.cli.peers import dp_accounting, opacus, pld_accounting, prv_accountant
from hockeystick.cli.peers.peer import Answer, Peer, Question

PEERS = (
    Peer("dp-accounting", "PLD", dp_accounting.pld),
    Peer("dp-accounting", "RDP", dp_accounting.rdp, samplings=("poisson", "fixed_size")),
    Peer("prv-accountant", "PRV", prv_accountant.prv),
    Peer("opacus", "PRV", opacus.prv, offers=("epsilon",)),
    Peer("opacus", "RDP", opacus.rdp, offers=("epsilon",)),
    Peer(
        "PLD_accounting",
        "PLD",
        pld_accounting.pld,
        offers=("epsilon",),
        samplings=("random_allocation",),
    ),
)

__all__ = ["PEERS", "Answer", "Peer", "Question"]
