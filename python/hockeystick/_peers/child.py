# SPDX-License-Identifier: Apache-2.0
"""Asks a peer in a process of its own, which can be ended when it takes too long."""

import math
import multiprocessing
import os
import warnings
from multiprocessing.connection import Connection
from time import perf_counter
from typing import NamedTuple

from hockeystick._peers.peer import Answer, Peer, Question


class Reply(NamedTuple):
    """What came of a question: an answer and the time of its call, or else a reason."""

    answer: Answer | None = None
    seconds: float = math.nan
    """Of the first call, objects built anew; imports are not part of it."""
    failure: str = ""


def ask(peer: Peer, question: Question, time_limit: float) -> Reply:
    """The reply of a peer within `time_limit` [s], its imports included."""
    if peer.version is None:
        return Reply(failure="not installed")
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(peer, question, sender), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(time_limit):
            return Reply(failure=f"no answer within {time_limit:g} s")
        reply: Reply = receiver.recv()
    except EOFError:
        process.join()
        return Reply(failure=f"its process ended with code {process.exitcode}")
    finally:
        receiver.close()
        process.kill()
        process.join()
    return reply


def _child(peer: Peer, question: Question, sender: Connection) -> None:
    """Send the reply; whatever the peer prints is dropped."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    warnings.simplefilter("ignore")
    try:
        reply = _reply(peer, question)
    except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
        what = " ".join(str(error).split()) or "no message"
        reply = Reply(failure=f"raises {type(error).__name__}: {what}")
    sender.send(reply)


def _reply(peer: Peer, question: Question) -> Reply:
    call = peer.prepare(question)
    start = perf_counter()
    answer = call()
    seconds = perf_counter() - start
    values = [x for x in answer if x is not None]
    if not all(map(math.isfinite, values)):
        return Reply(seconds=seconds, failure=f"answers {' '.join(map(str, values))}")
    return Reply(answer, seconds)
