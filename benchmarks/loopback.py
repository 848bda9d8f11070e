# SPDX-License-Identifier: Apache-2.0
"""Servers of the manual's example service on the loopback interface, and a client with a clock."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "docs" / "examples"
LATEST = 60  # seconds until a server has ended


class Response(NamedTuple):
    """What came back, and when."""

    status: int
    body: bytes
    seconds: float


class Server(NamedTuple):
    """A server that listens."""

    process: subprocess.Popen[bytes]
    address: tuple[str, int]

    def asked(
        self,
        requests: Iterable[bytes],
        connections: int = 1,
        heard: list[Response] | None = None,
    ) -> list[Response]:
        """The responses to requests, over so many connections that each wait for an answer.

        They are added to those `heard` as they come, whatever becomes of the others.
        """
        heard = [] if heard is None else heard
        asyncio.run(_ask(self.address, iter(requests), connections, heard))
        return heard

    def workers(self) -> list[int]:
        """The processes that answer: the children of this one, or itself if it has none."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        return [*map(int, children)] or [pid]

    def memory(self) -> int:
        """Resident bytes of the largest worker."""
        status = [Path(f"/proc/{pid}/status").read_text(encoding="ascii") for pid in self.workers()]
        found = (re.search(r"^VmRSS:\s*(\d+) kB$", each, re.MULTILINE) for each in status)
        return max(1024 * int(each[1]) for each in found if each)


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """An HTTP request as it is sent."""
    fields = {"Host": "localhost", "Content-Length": str(len(body)), **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def command(workers: int, fd: int, app: str) -> list[str]:
    """One process, or one that loads the library and forks so many."""
    if not workers:
        words = ["uvicorn", "--factory", app, "--fd", str(fd), "--no-access-log"]
    else:
        words = ["gunicorn", f"{app}()", "--preload", "--bind", f"fd://{fd}"]
        words += ["--workers", str(workers), "--worker-class", "uvicorn_worker.UvicornWorker"]
    return [sys.executable, "-m", *words, "--log-level", "error"]


@contextmanager
def serving(
    workers: int = 0, *, app: str = "budget_service:app", **settings: object
) -> Iterator[Server]:
    """A server of the example, with settings of it, which is asked to end as the block does."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        path = [str(EXAMPLES), str(HERE), *sys.path]
        given = {f"BUDGET_{name.upper()}": str(value) for name, value in settings.items()}
        process = subprocess.Popen(  # noqa: S603
            command(workers, listener.fileno(), app),
            env=os.environ | given | {"PYTHONPATH": os.pathsep.join(path)},
            pass_fds=[listener.fileno()],
        )
        server = Server(process, listener.getsockname())
    try:
        server.asked([request("GET", "/health")])
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(LATEST)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


async def _ask(
    address: tuple[str, int], requests: Iterator[bytes], connections: int, heard: list[Response]
) -> None:
    async def ask() -> None:
        reader, writer = await asyncio.open_connection(*address)
        try:
            for each in requests:
                start = perf_counter()
                writer.write(each)
                status, body = await _response(reader)
                heard.append(Response(status, body, perf_counter() - start))
        finally:
            writer.close()

    asking = (ask() for _ in range(connections))
    for failure in await asyncio.gather(*asking, return_exceptions=True):
        if failure is not None:
            raise failure


async def _response(reader: Any) -> tuple[int, bytes]:
    head: bytes = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    return int(head[9:12]), await reader.readexactly(int(length[1]) if length else 0)
