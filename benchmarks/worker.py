# SPDX-License-Identifier: Apache-2.0
"""A process that asks the library on its path, and says how long that took; compare.py runs two.

It first says where it found the library. Then each line on its input is the name of a case and a
number of calls, and is answered by one line: the verdict and the seconds a call.
"""

from __future__ import annotations

import gc
import json
import sys
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from cases import CASES, Case, Truth, truths
from measure import Ask, Status, Verdict, judge
from peers import hockeystick as prepare


@cache
def _prepared(name: str) -> tuple[Ask, Case, Truth]:
    """What is made once for a case."""
    case = next(case for case in CASES if case.name == name)
    return prepare(case), case, truths()[name]


def sample(name: str, calls: int) -> dict[str, Any]:
    """The verdict on the last of `calls` answers, and the mean time of a call [s]."""
    try:
        ask, case, truth = _prepared(name)
        gc.disable()
        start = perf_counter()
        for _ in range(calls):
            answer = ask()
        taken = (perf_counter() - start) / calls
        verdict = judge(answer, truth, case.gap)
    except Exception as error:  # noqa: BLE001 - whatever a version raises is its answer
        taken = 0.0
        verdict = Verdict(status=Status.FAILED, text=f"{type(error).__name__}: {error}")
    finally:
        gc.enable()
    return {
        "status": verdict.status.name,
        "text": verdict.text,
        "width": verdict.width,
        "seconds": taken,
    }


def main() -> None:
    """Answer until the input ends."""
    import hockeystick  # noqa: PLC0415

    print(json.dumps(str(Path(hockeystick.__file__).parent)), flush=True)
    for line in sys.stdin:
        name, calls = line.split()
        print(json.dumps(sample(name, int(calls))), flush=True)


if __name__ == "__main__":
    main()
