# SPDX-License-Identifier: Apache-2.0
"""Load on the manual's example service: requests a second, latencies, memory.

With the library's part and without; workers that are forked, threads in one.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple

from loopback import Response, Server, request, serving
from report import machine, seconds

CONNECTIONS = 32
REQUESTS = 500  # of a way, in a round
LONG_RUN = 20_000
PARTS = 20  # of the long run
BUDGET = {"rho": "1000"}
MIB = 2**20

APPS = {
    "admission": "budget_service:app",
    "no question": "services_apps:unasked",
    "constant answer": "services_apps:constant",
}
WORKERS = {
    "one worker": {"workers": 1},
    "one worker, four threads": {"workers": 1, "writers": 4},
    "two workers": {"workers": 2},
}


class Way(NamedTuple):
    """What answers, and by how many."""

    app: str
    workers: str


def ways() -> list[Way]:
    """All that are raced."""
    return [Way(app, workers) for workers in WORKERS for app in APPS]


def wanted() -> Iterator[bytes]:
    """Queries in no order, of eight mechanisms, small enough for all to keep the budget."""
    draw = Random(21)  # noqa: S311, no secret
    noises = [
        *({"type": "Laplace", "noise_multiplier": 5000 * k} for k in range(1, 5)),
        *({"type": "Gaussian", "noise_multiplier": 2000 * k} for k in range(1, 4)),
        {
            "type": "PoissonSampled",
            "mechanism": {"type": "Gaussian", "noise_multiplier": 20},
            "sampling_probability": 0.001,
        },
    ]
    while True:
        entry = {"mechanism": draw.choice(noises), "count": draw.randint(1, 3)}
        yield request("POST", "/admit", json.dumps({"ledger": [entry]}).encode())


def started(stack: ExitStack, way: Way, folder: Path) -> Server:
    """A server with a ledger of its own, which ends with the stack."""
    how = {"ledger": folder / f"{ways().index(way)}.json", **WORKERS[way.workers]}
    return stack.enter_context(serving(app=APPS[way.app], **how, **BUDGET))  # type: ignore[arg-type]


def load(server: Server, requests: int) -> dict[str, Any]:
    """Requests a second and the percentiles of their times; all must be admitted."""
    asked = list(islice(wanted(), requests))
    start = perf_counter()
    responses: list[Response] = server.asked(asked, CONNECTIONS)
    taken = perf_counter() - start
    if failed := [each for each in responses if each.status != 200]:  # noqa: PLR2004
        raise ValueError(f"{len(failed)} requests failed, the first with {failed[0]}")
    cuts = quantiles((each.seconds for each in responses), n=100)
    return {"rate": requests / taken, "p50": cuts[49], "p99": cuts[98]}


def raced(rounds: int, requests: int) -> dict[str, list[dict[str, Any]]]:
    """Each way in turn, in an order that flips every round; all servers run meanwhile."""
    found: dict[str, list[dict[str, Any]]] = {"; ".join(way): [] for way in ways()}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = {way: started(stack, way, Path(folder)) for way in ways()}
        for server in servers.values():
            load(server, requests // 5)
        for turn in range(rounds):
            for way in ways()[:: 1 if turn % 2 == 0 else -1]:
                found["; ".join(way)].append(load(servers[way], requests))
    return found


def long_run(requests: int) -> list[int]:
    """Resident bytes of the worker, at the start and after each part of many admissions.

    Then once more with an empty ledger: what grows with the run in it does not grow again.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        server = started(stack, ways()[0], Path(folder))
        held = [server.memory()]
        for part in range(2 * PARTS):
            if part == PARTS:
                next(Path(folder).glob("*.json")).unlink()
            load(server, requests // PARTS)
            held.append(server.memory())
    return held


def table(found: dict[str, list[dict[str, Any]]]) -> str:
    """A row for each way, the ratio to the constant answer of the same workers."""
    lines = [
        "| workers | answer | requests/s | band | of the constant | 50th percentile | 99th |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for way, rounds in found.items():
        app, workers = way.split("; ")
        rates = [each["rate"] for each in rounds]
        constant = [each["rate"] for each in found[f"constant answer; {workers}"]]
        share = median(a / b for a, b in zip(rates, constant, strict=True))
        p50, p99 = (seconds(median(each[name] for each in rounds)) for name in ("p50", "p99"))
        band = f"{min(rates):.0f} to {max(rates):.0f}"
        cells = (workers, app, f"{median(rates):.0f}", band, f"{share:.2f}", p50, p99)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def memory(held: list[int], requests: int) -> str:
    """A sentence on the long run."""
    first, early, last, again = (held[k] / MIB for k in (0, PARTS // 4, PARTS, -1))
    twice = f", {again:.1f} after as many again into an empty ledger" if held[PARTS + 1 :] else ""
    return (
        f"Memory of one worker: {first:.1f} MiB before the first request, {early:.1f} after "
        f"{requests // 4}, {last:.1f} after {requests} admissions{twice}."
    )


def text(records: dict[str, Any]) -> str:
    """What stands between the markers, of what was kept."""
    found = records["ways"]
    rounds = len(next(iter(found.values())))
    return (
        f"{records['requests']} requests a round over {records['connections']} connections\n\n"
        f"{table(found)}\n\n{memory(records['held'], records['long_run'])}\n\n"
        f"{rounds} rounds; {records['machine']}\n"
    )


def measured(
    rounds: int, requests: int = REQUESTS, many: int = LONG_RUN
) -> tuple[str, dict[str, Any]]:
    """What stands between the markers, and every sample."""
    records = {"requests": requests, "connections": CONNECTIONS, "long_run": many}
    records |= {"machine": machine(), "ways": raced(rounds, requests), "held": long_run(many)}
    return text(records), records
