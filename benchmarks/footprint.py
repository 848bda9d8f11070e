# SPDX-License-Identifier: Apache-2.0
"""What the package costs before it computes: time of its import, memory at its peak, disk.

Time and memory over NumPy's own, in processes of their own. Run as a script, it is such a process.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from report import machine, seconds

IMPORTS = ("numpy", "numpy, hockeystick")
INSTALLED = ("hockeystick", "click", "numpy")
MIB = 2**20


def import_time(modules: str) -> float:
    """Of an interpreter that imports `modules` and ends [s]."""
    start = perf_counter()
    subprocess.run([sys.executable, "-c", f"import {modules}"], check=True)  # noqa: S603
    return perf_counter() - start


def import_times(rounds: int) -> dict[str, list[float]]:
    """Interleaved, in an order that flips every round, once the files are in memory."""
    for modules in IMPORTS:
        import_time(modules)
    taken: dict[str, list[float]] = {modules: [] for modules in IMPORTS}
    for turn in range(rounds):
        for modules in IMPORTS[:: 1 if turn % 2 == 0 else -1]:
            taken[modules].append(import_time(modules))
    return taken


def peak() -> float:
    """The most memory this process has held so far [bytes]."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        import resource  # noqa: PLC0415 - not everywhere

        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return float(used if sys.platform == "darwin" else used * 1024)
    # What getrusage says counts, on Linux, the process that started this one.
    return float(re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)[1]) * 1024  # type: ignore[index]


def peaks() -> dict[str, float]:
    """Of this process, after each of its first steps."""
    import numpy  # noqa: F401, ICN001, PLC0415

    after = {"import numpy": peak()}
    import hockeystick  # noqa: F401, PLC0415

    after["import hockeystick"] = peak()
    from cases import CASES  # noqa: PLC0415
    from peers import hockeystick as ours  # noqa: PLC0415
    from peers import transform_engine  # noqa: PLC0415

    first = next(case for case in CASES if case.name == "dpsgd")
    ours(first)()
    after["the case dpsgd"] = peak()
    transform_engine(first)()
    after["the same, transform engine"] = peak()
    return after


def child_peaks() -> dict[str, float]:
    """Those of a process of its own, or none where a system does not say."""
    command = [sys.executable, __file__]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    found: dict[str, float] = json.loads(done.stdout)
    return found


def disk() -> dict[str, int]:
    """What an install without extras takes, by package, without compiled Python [bytes]."""
    sizes = {}
    for name in INSTALLED:
        folder = Path(find_spec(name).origin).parent  # type: ignore[union-attr, arg-type]
        files = [*folder.rglob("*"), *folder.with_name(f"{name}.libs").rglob("*")]
        sizes[name] = sum(file.stat().st_size for file in files if file.suffix != ".pyc")
    return sizes


def _import_table(taken: dict[str, list[float]]) -> str:
    lines = ["| import | time | band | samples | over NumPy |", "| --- | --- | --- | --- | --- |"]
    alone = taken[IMPORTS[0]]
    for modules, samples in taken.items():
        band = f"{seconds(min(samples))} to {seconds(max(samples))}"
        over = median(a - b for a, b in zip(samples, alone, strict=True))
        cells = (modules, seconds(median(samples)), band, str(len(samples)))
        lines.append(f"| {' | '.join(cells)} | {1e3 * over:.3g} ms |")
    return "\n".join(lines)


def _memory_table(after: dict[str, float]) -> str:
    lines = ["| peak memory after | MiB | over the import |", "| --- | --- | --- |"]
    base = after["import hockeystick"]
    for step, used in after.items():
        over = f"{(used - base) / MIB:.1f}" if used >= base and step in [*after][2:] else ""
        lines.append(f"| {step} | {used / MIB:.1f} | {over} |")
    return "\n".join(lines)


def _disk_table(sizes: dict[str, int]) -> str:
    lines = ["| on disk | MiB |", "| --- | --- |"]
    for name, size in {**sizes, "together": sum(sizes.values())}.items():
        lines.append(f"| {name} | {size / MIB:.1f} |")
    return "\n".join(lines)


def measured(rounds: int) -> tuple[str, dict[str, Any]]:
    """What stands between the markers, and every sample."""
    taken, after, sizes = import_times(rounds), child_peaks(), disk()
    tables = _import_table(taken), _memory_table(after), _disk_table(sizes)
    text = "\n\n".join((*tables, f"{rounds} rounds; {machine()}\n"))
    return text, {"import_seconds": taken, "peak_bytes": after, "disk_bytes": sizes}


if __name__ == "__main__":
    print(json.dumps(peaks()))
