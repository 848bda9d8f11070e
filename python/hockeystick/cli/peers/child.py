# SPDX-License-Identifier: Apache-2.0
"""Asks a peer in a process of its own, which can be ended when it takes too long."""

import math
import multiprocessing
import os
import warnings
from multiprocessing.connection import Connection
from time import perf_counter
from typing import NamedTuple

from hockeystick.cli.peers.peer import Answer, Ask, Peer, Question

IMPORT_LIMIT = 300.0  # seconds until a peer is ready: only a broken one takes longer


class Reply(NamedTuple):
    """The result of a question: an answer and the time of its call, or else a reason."""

    answer: Answer | None = None
    seconds: float = math.nan
    """The time of the first call, which builds its objects anew; imports are not part of it."""
    failure: str = ""


def ask(
    peer: Peer, question: Question, time_limit: float, import_limit: float = IMPORT_LIMIT
) -> Reply:
    """The reply of a peer within `time_limit` [s] of being ready, which `import_limit` is for."""
    if peer.version is None:
        return Reply(failure="not installed")
    if question.query not in peer.offers or question.sampling not in peer.samplings:
        return Reply(failure="not offered")
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(peer, question, sender), daemon=True)
    process.start()
    sender.close()
    try:
        reply = _said(receiver, import_limit, "not ready")
        return reply or _said(receiver, time_limit, "no answer") or Reply()
    except EOFError:
        process.join()
        return Reply(failure=f"its process ended with code {process.exitcode}")
    finally:
        receiver.close()
        process.kill()
        process.join()


def _said(receiver: Connection, limit: float, otherwise: str) -> Reply | None:
    """The next message of the child: None as soon as it is ready, then its reply."""
    if not receiver.poll(limit):
        return Reply(failure=f"{otherwise} within {limit:g} s")
    said: Reply | None = receiver.recv()
    return said


def _child(peer: Peer, question: Question, sender: Connection) -> None:
    """Send None once the peer is ready, then the reply; whatever the peer prints is dropped."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    warnings.simplefilter("ignore")
    try:
        call = peer.prepare(question)
        sender.send(None)
        reply = _reply(call)
    except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
        what = " ".join(str(error).split()) or "no message"
        reply = Reply(failure=f"raises {type(error).__name__}: {what}")
    sender.send(reply)


def _reply(call: Ask) -> Reply:
    start = perf_counter()
    answer = call()
    seconds = perf_counter() - start
    values = [x for x in answer if x is not None]
    if not all(map(math.isfinite, values)):
        return Reply(seconds=seconds, failure=f"answers {' '.join(map(str, values))}")
    return Reply(answer, seconds)
