# SPDX-License-Identifier: Apache-2.0
"""How far the bounds of shuffled epochs are apart: noise by batches by epochs.

python benchmarks/shuffled.py [--write]

Epsilon at delta = 1e-6, where a record is made a special one that adds nothing: from below and from
above, with one record left out of every epoch and with none, beside a fixed order. With --write the
table is put into docs/shuffling.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import hockeystick as hs

PAGE = Path(__file__).parents[1] / "docs" / "shuffling.md"
BEGIN, END = "<!-- benchmarks/shuffled.py -->", "<!-- to here -->"
NOISES, BATCHES, EPOCHS = (0.5, 1.0, 2.0, 4.0, 8.0), (10, 100, 1000, 10**4), (1, 10, 100)
DELTA, ADJACENCY = 1e-6, "replace-special"


def ends(noise: float, batches: int, epochs: int, left_out: int) -> tuple[float, float]:
    """What is attained, and what is proved."""
    epoch = hs.Gaussian(noise).shuffled(batches=batches, left_out=left_out)
    bounds = (epochs * epoch).epsilon_bounds(DELTA, adjacency=ADJACENCY)
    return bounds.lower, bounds.upper


def digits(x: float, way: Callable[[float], int]) -> str:
    """Three of them, rounded down by `math.floor` or up by `math.ceil`."""
    unit = 10.0 ** (math.floor(math.log10(x)) - 2)
    return f"{way(x / unit) * unit:.3g}"


def row(noise: float, batches: int, epochs: int) -> str:
    """A line of the table; ends are rounded outwards."""
    cells = [f"{noise:g}", f"{batches:,}", f"{epochs}"]
    for left_out in (1, 0):
        lower, upper = ends(noise, batches, epochs, left_out)
        cells += [
            f"{digits(lower, math.floor)} to {digits(upper, math.ceil)}",
            f"{upper / lower:.2f}",
        ]
    order = (epochs * hs.Gaussian(noise)).epsilon(DELTA, adjacency=ADJACENCY)
    return "| " + " | ".join([*cells, f"{order:.3g}"]) + " |"


def table(noises: tuple[float, ...] = NOISES, batches: tuple[int, ...] = BATCHES) -> list[str]:
    """All lines, head first."""
    head = (
        "| noise | batches | epochs | one left out | ratio | every record | ratio | fixed order |"
    )
    lines = [head, "|" + "---|" * 8]
    return lines + [row(noise, b, e) for noise in noises for b in batches for e in EPOCHS]


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put it into docs/shuffling.md")
    write = parser.parse_args().write
    text = "\n".join(table())
    if not write:
        print(text)
        return
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


if __name__ == "__main__":
    main()
