# SPDX-License-Identifier: Apache-2.0
"""What each tuned constant of the core is good for: the same questions with it doubled and halved.

python benchmarks/tuning.py [--runs N] [--seed N] [--only NAME ...] [--write]

Needs a build with HOCKEYSTICK_PARTS, whose core reads HOCKEYSTICK_TUNING. With --write the lines of
`cpp/plan/tuning.hpp` that begin with "x2" are written anew. A constant without any effect can go.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from special import Asked, times

CORE = Path(__file__).parents[1] / "cpp"
TABLE = CORE / "plan" / "tuning.hpp"
CONSTANT = re.compile(r'\btuned\("(\w+)", ([^)]+)\)')
EFFECT = re.compile(r"^// x2: .*\n", re.MULTILINE)
PARTS = {"practice": 1.0, "hostile": 0.25, "mixed": 0.15, "views": 0.1}
"""The sets of special.py that are asked, and how many runs of each, relative to the first."""


class Effect(NamedTuple):
    """What another value changes: answers, the total time, and the number of refusals."""

    answers: int
    time: float
    refused: int

    def __str__(self) -> str:
        """As the table has it."""
        if not self.answers:
            return "nothing"
        refused = f", refused {self.refused:+d}" if self.refused else ""
        return f"{self.answers} answers, time {self.time - 1:+.0%}{refused}"


def constants() -> dict[str, float]:
    """All tuned constants of the core and their values."""
    found = {}
    for source in sorted([*CORE.rglob("*.hpp"), *CORE.rglob("*.cpp")]):
        for name, value in CONSTANT.findall(source.read_text()):
            found[name] = float.fromhex(value) if "x" in value else float(value)
    return found


def ask(runs: int, seed: int, tuning: str = "") -> list[Asked]:
    """All questions, by processes in which the core has these values."""
    found = []
    for name, part in PARTS.items():
        found += times(name, max(1, round(part * runs)), seed, {"HOCKEYSTICK_TUNING": tuning})
    return found


def effect(found: Iterable[Asked], base: Iterable[Asked]) -> Effect:
    """Of one value, by its answers and those of the core as it is."""
    pairs = list(zip(found, base, strict=True))
    taken, before = (sum(pair[k].milliseconds for pair in pairs) for k in (0, 1))
    return Effect(
        sum(new.bounds != old.bounds for new, old in pairs),
        taken / before,
        sum(new.refused - old.refused for new, old in pairs),
    )


def written(table: str, effects: dict[str, str]) -> str:
    """The table with these effects in place of those it has; others stay."""
    for name, text in effects.items():
        line = re.compile(rf"^(// x2: .*\n)?(inline const double {name} = )", re.MULTILINE)
        table = line.sub(rf"// {text}\n\2", table)
    return table


def main() -> None:
    """Ask, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    base = ask(options.runs, options.seed)
    print(f"{len(base)} questions, seed {options.seed}")
    effects = {}
    for name, value in constants().items():
        if options.only and name not in options.only:
            continue
        twice, half = (
            effect(ask(options.runs, options.seed, f"{name}={factor * value!r}"), base)
            for factor in (2, 0.5)
        )
        effects[name] = f"x2: {twice}. /2: {half}."
        print(f"{name} = {value:g}. {effects[name]}", flush=True)
    if options.write:
        TABLE.write_text(written(TABLE.read_text(), effects))


if __name__ == "__main__":
    main()
