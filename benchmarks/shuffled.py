# SPDX-License-Identifier: Apache-2.0
"""How far the bounds of shuffled epochs are apart, and what is published beside them.

python benchmarks/shuffled.py [--write]

Epsilon at delta = 1e-6, where a record is made a special one that adds nothing: from below and from
above, with one record left out of every epoch and with none, beside a fixed order. Then, where any
record may replace another, beside the closed form of Feldman, McMillan & Talwar (2021), Theorem
3.8, and a Monte Carlo estimate of balls and bins, which is a random allocation. With --write the
first table is put into docs/shuffling.md, the second into benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

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


def closed_form(noise: float, batches: int) -> float:
    """Epsilon by clones where any record may replace another, a batch being one user's report.

    A step is (local, rare)-private, and both are chosen: the mixed-up steps are (epsilon, mixed +
    (e^epsilon + 1) (1 + e^-local / 2) batches rare)-private, epsilon = log(1 + (e^local - 1) /
    (e^local + 1) (8 sqrt(e^local log(4 / mixed) / batches) + 8 e^local / batches)), if local <=
    log(batches / (16 log(2 / mixed))). Infinite where it says nothing.
    """
    best, mixed = math.inf, DELTA / 2
    step = hs.Gaussian(noise)
    for rare in np.logspace(-16, -8, 33):
        local = step.epsilon(float(rare), adjacency="replace-one")
        if local > math.log(max(batches / (16 * math.log(2 / mixed)), 1)):
            continue
        e = math.exp(local)
        root = 8 * math.sqrt(e * math.log(4 / mixed) / batches)
        epsilon = math.log1p((e - 1) / (e + 1) * (root + 8 * e / batches))
        if (math.exp(epsilon) + 1) * (1 + 1 / (2 * e)) * batches * rare <= DELTA / 2:
            best = min(best, epsilon)
    return best


def estimate(noise: float, batches: int, samples: int, seed: int) -> tuple[float, float]:
    """Epsilon of balls and bins by Monte Carlo, and the seconds that it took.

    The record is in the first batch, or in none. Outputs are drawn with larger means, and weighed.
    """
    start, mu = time.process_time(), 2 / noise
    rng = np.random.default_rng(seed)
    tilt = np.zeros(batches) + (
        3 / math.sqrt(batches) if batches * mu**2 > 4 * math.e ** (mu**2) else 0
    )
    tilt[0] += mu + 2
    losses, weights = [], []
    for _ in range(0, samples, 1000):
        x = rng.standard_normal((1000, batches)) + tilt
        mean = np.zeros(batches)
        mean[0] = mu
        weights.append(((mean - tilt) * x).sum(1) - (mean**2 - tilt**2).sum() / 2)
        losses.append(np.log(np.exp(mu * x - mu**2 / 2).mean(1)))
    loss, weight = np.concatenate(losses), np.exp(np.concatenate(weights))
    low, high = 0.0, 50.0
    for _ in range(40):
        middle = (low + high) / 2
        above = (np.maximum(-np.expm1(middle - loss), 0) * weight).mean() > DELTA
        low, high = (middle, high) if above else (low, middle)
    return high, time.process_time() - start


PUBLISHED = (
    (1.0, 1000),
    (2.0, 100),
    (2.0, 1000),
    (4.0, 100),
    (4.0, 1000),
    (4.0, 10**4),
    (8.0, 10**4),
)


def published_row(noise: float, batches: int) -> str:
    """A line of the table beside what is published."""
    cells = [f"{noise:g}", f"{batches:,}"]
    for left_out in (1, 0):
        start = time.process_time()
        epoch = hs.Gaussian(noise).shuffled(batches=batches, left_out=left_out)
        bounds = epoch.epsilon_bounds(DELTA, adjacency="replace-one")
        spent = 1000 * (time.process_time() - start)
        ends = f"{digits(bounds.lower, math.floor)} to {digits(bounds.upper, math.ceil)}"
        cells.append(f"{ends} ({spent:.0f} ms)")
    clones = closed_form(noise, batches)
    cells.append(f"{clones:.3g}" if clones < math.inf else "-")
    share = (
        hs.Gaussian(noise / 2)
        .random_allocation(steps=batches)
        .epsilon(DELTA, adjacency="remove-one")
    )
    values, seconds = zip(
        *(estimate(noise, batches, min(20_000, 4 * 10**7 // batches), seed) for seed in (1, 2, 3)),
        strict=True,
    )
    cells += [f"{min(values):.3g} to {max(values):.3g} ({sum(seconds):.1f} s)", f"{share:.3g}"]
    cells.append(f"{hs.Gaussian(noise).epsilon(DELTA, adjacency='replace-one'):.3g}")
    return "| " + " | ".join(cells) + " |"


def published() -> list[str]:
    """The table beside what is published, head first."""
    head = (
        "| noise | batches | one left out | every record | clones, closed form "
        "| balls and bins, Monte Carlo | balls and bins, here | fixed order |"
    )
    return [head, "|" + "---|" * 8, *(published_row(*each) for each in PUBLISHED)]


def put(page: Path, begin: str, end: str, lines: list[str]) -> None:
    """Write a table between two marks of a page."""
    before, rest = page.read_text().split(begin)
    _, after = rest.split(end)
    text = "\n".join(lines)
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


def main() -> None:
    """Print the tables, or write them into their pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put them into their pages")
    if not parser.parse_args().write:
        print("\n".join([*table(), "", *published()]))
        return
    put(PAGE, BEGIN, END, table())
    readme = Path(__file__).parent / "README.md"
    put(readme, "<!-- begin shuffled -->", "<!-- end shuffled -->", published())


if __name__ == "__main__":
    main()
