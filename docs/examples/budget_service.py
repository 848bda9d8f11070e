# SPDX-License-Identifier: Apache-2.0
"""A service that admits queries against a privacy budget, for any number of workers: plain ASGI.

POST /admit    a run as JSON: 200 once it is in the ledger on the disk, 409 if the budget has
               no room for it, 400 if it is none, with what is wrong
GET /budget    rho spent and left, and the epsilon that the whole keeps
GET /health    whether this worker answers

The budget is one of zero-concentrated DP, in a filter: clients may choose by all earlier outputs
what they ask, by which mechanism, and with how much noise. Whatever they do, the whole keeps the
guarantee of the budget.
"""

import asyncio
import json
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hockeystick as hs

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

Job = tuple[hs.Accountant, "Future[Refusal | None]"]  # a run that is asked for, and the answer

log = logging.getLogger("budget_service")


class Refusal(Exception):  # noqa: N818, no error of the service
    """An answer other than 200."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A budget, and what a request may cost."""

    ledger: Path
    rho: str  # the budget
    delta: float = 1e-9  # at which the epsilon of the budget is shown
    question_seconds: float = 2.0
    lock_seconds: float = 10.0  # to wait for the ledger
    body_seconds: float = 10.0  # to wait for a body
    answer_seconds: float = 30.0  # to wait for a decision
    largest_body: int = 2**16  # bytes
    most_entries: int = 1000  # of the ledger, which is read, composed and written as a whole
    most_waiting: int = 256  # requests of one worker
    most_at_once: int = 64  # requests of one write
    writers: int = 1  # threads that hold the ledger in turn


class Budget:
    """Enters runs into the ledger, in threads of its own.

    Whoever holds the ledger decides on all requests that wait, and writes once for all of them.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._is_ending = False
        self._writers: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to work, in the process that a server has forked."""
        with self._ledger() as ledger:  # a damaged one, or a bad budget, stops the service here
            ledger.epsilon(self.settings.delta)
        for _ in range(self.settings.writers):
            self._writers.append(threading.Thread(target=self._work))
            self._writers[-1].start()

    def stop(self) -> None:
        """Decide on what waits, and end."""
        with self._changed:
            self._is_ending = True
            self._changed.notify_all()
        for writer in self._writers:
            writer.join()

    def parsed(self, body: bytes) -> hs.Accountant:
        """The run that a client asks for."""
        with self._limited():
            return hs.Accountant.read_text(body.decode())

    def admit(self, run: hs.Accountant) -> "Future[Refusal | None]":
        """None once the run is in the ledger on the disk."""
        job: Future[Refusal | None] = Future()
        with self._changed:
            if self._is_ending or len(self._waiting) >= self.settings.most_waiting:
                raise Refusal(503, "too many requests wait")
            self._waiting.append((run, job))
            self._changed.notify()
        return job

    def spent(self) -> dict[str, Any]:
        """Rho spent and left, and what the whole budget keeps."""
        ledger = hs.ZCDPFilter.load(self.settings.ledger)
        with self._limited():
            epsilon = ledger.epsilon(self.settings.delta)
        return {
            "rho": self.settings.rho,
            "spent": ledger.spent,
            "left": ledger.remaining,
            "guarantee": {"epsilon": epsilon, "delta": self.settings.delta},
            "entries": len(ledger.entries),
        }

    def _work(self) -> None:
        while jobs := self._next_jobs():
            try:
                outcomes = self._entered([run for run, _ in jobs])
            except Exception as error:
                log.exception("the ledger cannot be written")
                outcomes = [Refusal(503, f"the ledger cannot be written: {error}")] * len(jobs)
            with self._changed:
                self._waiting.extendleft(reversed(jobs[len(outcomes) :]))
            for (_, job), outcome in zip(jobs, outcomes, strict=False):
                job.set_result(outcome)

    def _next_jobs(self) -> "list[Job]":
        """Those that wait, at least one, without those that were given up; none at the end."""
        with self._changed:
            jobs: list[Job] = []
            while not jobs and not (self._is_ending and not self._waiting):
                self._changed.wait_for(lambda: self._waiting or self._is_ending)
                while self._waiting and len(jobs) < self.settings.most_at_once:
                    run, job = self._waiting.popleft()
                    if job.running() or job.set_running_or_notify_cancel():
                        jobs.append((run, job))
            return jobs

    def _entered(self, runs: list[hs.Accountant]) -> list[Refusal | None]:
        """Decide on at least one run, and on as many as the time suffices for, in one write."""
        outcomes: list[Refusal | None] = []
        with self._ledger() as ledger:
            latest = time.monotonic() + self.settings.question_seconds
            for run in runs:
                outcomes.append(self._outcome(ledger, run))
                if time.monotonic() > latest:
                    break
            if len(ledger.entries) > self.settings.most_entries // 2:
                ledger.merge()  # entries of one mechanism and label, which came in any order
        return outcomes

    def _outcome(self, ledger: hs.ZCDPFilter, run: hs.Accountant) -> Refusal | None:
        try:
            self._enter(ledger, run)
        except Refusal as refusal:
            return refusal
        return None

    def _enter(self, ledger: hs.ZCDPFilter, run: hs.Accountant) -> None:
        """Enter a run if the budget allows it."""
        if run.adjacency is not ledger.adjacency:
            raise Refusal(400, f"adjacency must be {ledger.adjacency.value}")
        if len(ledger.entries) + len(run.entries) > self.settings.most_entries:
            raise Refusal(507, f"the ledger is full: {self.settings.most_entries} entries")
        with self._limited():
            fits = ledger.may_run(run.composition)
        if not fits:
            raise Refusal(409, "the budget would be exceeded")
        for mechanism, count, label in run.entries:
            ledger.run(mechanism, count, label=label)

    def _ledger(self) -> AbstractContextManager[hs.ZCDPFilter]:
        settings = self.settings
        return hs.ZCDPFilter.locked(
            settings.ledger, rho=settings.rho, timeout=settings.lock_seconds
        )

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Refuse what the library finds wrong, and what takes too long."""
        seconds = self.settings.question_seconds
        try:
            with hs.time_limit(seconds):
                yield
        except ValueError as error:
            raise Refusal(400, str(error)) from None
        except TimeoutError:
            raise Refusal(422, f"the question takes over {seconds} seconds") from None


class Service:
    """The ASGI application: no work of more than microseconds is done in its event loop."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.settings = budget.settings
        self._routes = {
            ("POST", "/admit"): self._admit,
            ("GET", "/budget"): self._spent,
            ("GET", "/health"): self._health,
        }

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or live from start to shutdown."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await _reply(send, *await self._answer(scope, receive))
        else:
            await send({"type": "websocket.close"})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await asyncio.to_thread(self.budget.start)
        except (OSError, ValueError) as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.to_thread(self.budget.stop)
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Message, receive: Receive) -> tuple[int, dict[str, Any]]:
        answer = self._routes.get((scope["method"], scope["path"]))
        if answer is None:
            return 404, {"error": "known are POST /admit, GET /budget, GET /health"}
        try:
            return 200, await answer(receive)
        except Refusal as refusal:
            return refusal.status, {"error": str(refusal)}
        except Exception:
            log.exception("a request failed")
            return 500, {"error": "the service failed"}

    async def _health(self, _: Receive) -> dict[str, Any]:
        return {"status": "ok"}

    async def _spent(self, _: Receive) -> dict[str, Any]:
        return await asyncio.to_thread(self.budget.spent)

    async def _admit(self, receive: Receive) -> dict[str, Any]:
        body = await self._body(receive)
        run = await asyncio.to_thread(self.budget.parsed, body)
        try:
            async with asyncio.timeout(self.settings.answer_seconds):
                refusal = await asyncio.wrap_future(self.budget.admit(run))
        except TimeoutError:
            raise Refusal(503, "no decision in time; the run may be entered all the same") from None
        if refusal is not None:
            raise refusal
        return {"admitted": True}

    async def _body(self, receive: Receive) -> bytes:
        body, is_whole = bytearray(), False
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                while not is_whole:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(400, "the body is not whole")
                    body += message.get("body", b"")
                    is_whole = not message.get("more_body", False)
                    if len(body) > self.settings.largest_body:
                        most = self.settings.largest_body
                        raise Refusal(413, f"the body must have at most {most} bytes")
        except TimeoutError:
            raise Refusal(408, "the body did not come in time") from None
        return bytes(body)


async def _reply(send: Send, status: int, answer: dict[str, Any]) -> None:
    body = json.dumps(answer).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status in (408, 413):  # what is left of the request is not read
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def settings() -> Settings:
    """Those in the environment: BUDGET_LEDGER and so on."""
    named = {name: f"BUDGET_{name.upper()}" for name in Settings.__annotations__}
    given: dict[str, Any] = {
        name: Settings.__annotations__[name](os.environ[variable])
        for name, variable in named.items()
        if variable in os.environ
    }
    return Settings(**given)


def app() -> Service:
    """What a server runs, in each of its workers."""
    return Service(Budget(settings()))
