# SPDX-License-Identifier: Apache-2.0
"""Ask the named questions of all libraries and print the tables; see README.md.

python benchmarks/run.py [--case NAME ...] [--rounds N] [--cap SECONDS] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import summary
from cases import CASES, Case, truths
from measure import Outcome, judge, race
from peers import installed, missing
from report import METHOD, block, machine, replaced

HERE = Path(__file__).parent


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compare hockeystick with its peers.")
    names = [case.name for case in CASES]
    parser.add_argument("--case", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=10, help="even")
    parser.add_argument("--cap", type=float, default=90.0, help="seconds a case may take")
    parser.add_argument("--write", action="store_true", help="into results/ and README.md")
    return parser.parse_args()


def begin() -> None:
    """One thread, and no warnings of others; before NumPy is first imported, which reads this."""
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[threads] = "1"
    warnings.simplefilter("ignore")


def record(outcome: Outcome) -> dict[str, Any]:
    """An outcome for JSON: every sample is kept."""
    verdict = outcome.verdict
    return {
        "verdict": verdict.status.name.lower(),
        "answer": verdict.text,
        "width": verdict.width,
        "distance": verdict.distance,
        "estimate_distance": verdict.estimate_distance,
        "calls_a_sample": outcome.calls,
        "seconds": outcome.samples,
    }


def write(blocks: Mapping[str, str], results: Mapping[str, Any], where: str) -> None:
    """What ran into its suite's JSON file, and the tables here and in the README at the root."""
    page = (HERE / "README.md").read_text(encoding="utf-8")
    for name, text in blocks.items():
        page = replaced(page, name, text)
    (HERE / "README.md").write_text(page, encoding="utf-8")
    for suite, records in results.items():
        path = summary.RESULTS / f"{suite}.json"
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        kept |= {name: {"machine": where, "records": each} for name, each in records.items()}
        path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    summary.write()


def main() -> None:
    """Race, print, write."""
    options = arguments()
    begin()
    truth, libraries = truths(), installed()
    chosen: list[Case] = [case for case in CASES if case.name in options.case]
    blocks, results = {}, {}
    for case in chosen:
        asks = {name: library.prepare(case) for name, library in libraries.items()}
        check = partial(judge, truth=truth[case.name], gap=case.gap)
        where = machine()
        outcomes = race(asks, check, rounds=options.rounds, cap=options.cap, clock=process_time)
        blocks[case.name] = block(
            case, outcomes, f"{options.rounds} rounds, processor time; {where}"
        )
        results[case.name] = {name: record(outcome) for name, outcome in outcomes.items()}
        print(f"{case.name}: {blocks[case.name]}", flush=True)
    print(METHOD)
    if absent := missing():
        print(f"Not installed, hence skipped: {', '.join(absent)}.")
    if options.write:
        write(blocks, {"cases": results}, machine())


if __name__ == "__main__":
    main()
