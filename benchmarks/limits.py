# SPDX-License-Identifier: Apache-2.0
"""Hold the work of each method against the least it could do, and draw how it grows.

python benchmarks/limits.py PROGRAM [--write]   # counts: PROGRAM is test_work of a release build
python benchmarks/limits.py --write             # draws and writes again what results/ holds

Instructions, not seconds: valgrind counts them, with vectors of four doubles on every machine.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which
from statistics import linear_regression
from typing import TYPE_CHECKING, NamedTuple

from report import replaced

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "limits.md"
PICTURES = {"default": "limits.png", "dark_background": "limits-dark.png"}  # by style
RESULTS = HERE / "results" / "limits.json"
LANES = 4  # doubles in a vector of AVX2, which valgrind has
PRODUCT = 6  # operations of a complex product that is added to a sum, fused
EXPONENTIAL = 13  # products and sums of a polynomial for e^x to 2^-53, abs(x) <= log(2) / 2
TAIL = 2 * EXPONENTIAL  # an exponential, and as much for the quotient that it is multiplied by
NODES = 2 * 53 * math.log(2) / math.pi  # of the trapezoidal rule for a normal density, to 2^-53


class Question(NamedTuple):
    """Epsilon of Gaussians of noise multipliers from 1 to 2, on Poisson subsamples."""

    method: str = "any"
    delta: float = 1e-5
    tolerance: float = 1e-3
    count: int = 1000
    terms: int = 1
    rate: float = 0.01

    def __str__(self) -> str:
        """As the program takes it, and as a key of the results."""
        return (
            f"{self.method} {self.delta:g} {self.tolerance:g} {self.count} {self.terms} {self.rate}"
        )


class Work(NamedTuple):
    """What a question took."""

    method: str
    size: int  # samples of a contour, or points of a transform
    lower: float
    upper: float
    tilt: float
    instructions: int


TABLE = {
    "closed form": Question(rate=1.0, count=10),
    "single step": Question("single_step", count=1),
    "contour integral": Question(),
    "contour integral, 10^4 steps": Question(count=10**4),
    "contour integral, 1e-9 wide": Question(tolerance=1e-9),
    "discretized contour": Question("discretized_contour", count=10**6),
    "FFT composition": Question("fft_composition"),
    "FFT composition, 10^4 steps": Question("fft_composition", count=10**4),
    "FFT composition, 1e-5 wide": Question("fft_composition", tolerance=1e-5),
}

ENGINES = ("any", "fft_composition")
LABELS = {"any": "as chosen", "fft_composition": "FFT composition"}


def powers(first: float, last: float, step: float) -> list[float]:
    """10^first, 10^(first + step), .. 10^last."""
    return [10 ** (first + k * step) for k in range(round((last - first) / step) + 1)]


class Series(NamedTuple):
    """A panel of the picture: by engine, the values on the axis and the question at each."""

    label: str
    values: dict[str, list[float]]
    question: Callable[[float], Question]


SERIES = (
    Series(
        "steps",
        {engine: powers(0, 7, 0.5) for engine in ENGINES},
        lambda x: Question(count=round(x)),
    ),
    Series(
        "distinct steps",
        {"any": powers(0, 3.5, 0.5), "fft_composition": powers(0, 2, 0.5)},
        lambda x: Question(count=10, terms=round(x)),
    ),
    Series(
        "1 / tolerance",
        {"any": powers(1, 10, 1), "fft_composition": powers(1, 6, 1)},
        lambda x: Question(tolerance=1 / x),
    ),
    Series(
        "log 1/delta",
        {engine: [math.log(10) * k for k in (2, 4, 8, 16, 32, 64, 128, 256)] for engine in ENGINES},
        lambda x: Question(delta=math.exp(-x)),
    ),
)


def questions() -> list[Question]:
    """All of them, each once."""
    drawn = [
        series.question(x)._replace(method=engine)
        for series in SERIES
        for engine, values in series.values.items()
        for x in values
    ]
    return list(dict.fromkeys([*TABLE.values(), *drawn]))


def counted(program: str, asked: Sequence[Question]) -> dict[str, Work]:
    """The work of each question, of the second time that it is answered."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counts")
        lines = subprocess.run(  # noqa: S603, ours
            [
                *("valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={out}"),
                *("--toggle-collect=measured", "--dump-after=measured", program),
                *map(str, asked),
            ],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.splitlines()
        found = {}
        for k, (question, line) in enumerate(zip(asked, lines, strict=True), 1):
            method, size, _, lower, upper, tilt = line.split()
            (total,) = re.findall(r"^summary: (\d+)", Path(f"{out}.{k}").read_text(), re.MULTILINE)
            found[str(question)] = Work(
                method, int(size), float(lower), float(upper), float(tilt), int(total)
            )
        return found


def log_tolerance(question: Question, work: Work) -> float:
    """The width of log delta that epsilon may have: it falls by about the tilt a nat."""
    return min(1.0, question.tolerance * work.upper * max(work.tilt, 1e-3))


def variance(question: Question, tilt: float) -> float:
    """That of the loss of a step, in the distribution tilted by e^(tilt loss)."""
    import numpy as np  # noqa: PLC0415

    x = np.linspace(-12.0, 12.0 + 2 * tilt, 20001)
    loss = np.log1p(question.rate * np.expm1(x - 0.5))
    weight = np.exp(-x * x / 2 + (tilt + 1) * loss)
    mean = weight @ loss / weight.sum()
    return float(weight @ (loss - mean) ** 2 / weight.sum())


def least_samples(question: Question, work: Work) -> float:
    """Of the trapezoidal rule for a normal integrand: log(1 / tolerance) / pi, at least one."""
    return max(1.0, math.log(1 / log_tolerance(question, work)) / math.pi)


def least_points(question: Question, work: Work) -> float:
    """What the wrapped mass leaves of the circle, over the widest interval for the tolerance."""
    allowed, theta = log_tolerance(question, work), work.tilt
    interval = math.sqrt(8 * allowed / (question.count * theta * (theta + 1)))
    deviation = math.sqrt(question.count * variance(question, theta))
    return 2 * math.sqrt(2 * math.log(1 / allowed)) * deviation / interval


def least_work(work: Work) -> float:
    """Instructions below which nothing of the method is left, at the size that it took."""
    size = work.size
    operations: dict[str, Callable[[], float]] = {
        "closed_form": lambda: 2 * TAIL * LANES,  # the two are no vector
        "single_step": lambda: 2 * TAIL * LANES,
        "contour_integral": lambda: NODES * (EXPONENTIAL + PRODUCT * size),
        "discretized_contour": lambda: NODES * (EXPONENTIAL + PRODUCT * size),
        "fft_composition": lambda: 4 * (2 * size * math.log2(size) - 4 * size),
    }
    return operations[work.method]() / LANES


def moved(points: int) -> int:
    """Bytes that one transform of so many points reads and writes: each pass over its part."""
    log2 = (points & -points).bit_length() - 1
    odd = points >> log2

    def passes(bits: int) -> int:
        if bits <= 4:  # noqa: PLR2004, sixteen points stay in registers
            return 1 if bits == 4 else bits  # noqa: PLR2004
        return 1 + passes(bits - (1 if bits == 5 else 2))  # noqa: PLR2004

    total = 0
    for bits in range(2, log2 + 1):
        part = odd << bits
        total += 16 * part + 8 * part * (passes(bits - 2) + (odd > 1))
    return total


def big(x: float) -> str:
    """Three digits, or all of a whole number."""
    return f"{x:,.0f}" if x >= 100 else f"{x:.2g}"  # noqa: PLR2004


def work_table(found: dict[str, Work]) -> str:
    """A method a row."""
    lines = [
        "| method | least size | its size | times | least instructions | its own | times |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, question in TABLE.items():
        work = found[str(question)]
        by_points = work.method == "fft_composition"
        least = (least_points if by_points else least_samples)(question, work)
        size = (big(least), big(work.size), f"{work.size / least:.2g}") if work.size else ("-",) * 3
        fewest = least_work(work)
        cells = (name, *size, big(fewest), big(work.instructions), big(work.instructions / fewest))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def moved_table(found: dict[str, Work]) -> str:
    """Bytes of the four transforms of an FFT composition."""
    lines = [
        "| points | least, each number read and written once a transform | moved | times |",
        "| --- | --- | --- | --- |",
    ]
    for name, question in TABLE.items():
        if not name.startswith("FFT"):
            continue
        size = found[str(question)].size
        least, taken = 4 * 16 * size, 4 * moved(size)
        lines.append(f"| {size} | {big(least)} | {big(taken)} | {taken / least:.2g} |")
    return "\n".join(lines) + "\n"


def draw(found: dict[str, Work]) -> None:
    """Instructions against each quantity, with the slope of the upper half of each curve."""
    from matplotlib import style  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    for name, picture in PICTURES.items():
        with style.context(name):
            figure = Figure(figsize=(9.6, 7.6), layout="constrained")
            draw_curves(figure, found)
            kept = {"Software": None}
            figure.savefig(PAGE.parent / picture, dpi=100, metadata=kept, transparent=True)


def draw_curves(figure: Figure, found: dict[str, Work]) -> None:
    """A graph for each quantity, and one legend."""
    for ax, series in zip(figure.subplots(2, 2).flat, SERIES, strict=True):
        for k, (engine, values) in enumerate(series.values.items()):
            works = [found[str(series.question(x)._replace(method=engine))] for x in values]
            draw_line(ax, values, [work.instructions for work in works], f"C{k}", LABELS[engine])
        ax.set(xscale="log", yscale="log", xlabel=series.label, ylabel="instructions")
        ax.grid(visible=True, alpha=0.3)
        ax.margins(x=0.04, y=0.14)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)


def draw_line(ax: Axes, x: Sequence[float], y: Sequence[float], colour: str, label: str) -> None:
    """Points, and the straight line through the upper half of them in logarithms."""
    ax.plot(x, y, "o", color=colour, markersize=4, label=label)
    half = len(x) // 2
    slope, offset = linear_regression(
        [math.log(each) for each in x[half:]], [math.log(each) for each in y[half:]]
    )
    ends = [x[half], x[-1]]
    ax.plot(ends, [math.exp(offset) * each**slope for each in ends], color=colour)
    ax.annotate(
        f"slope {slope:.2f}",
        (math.sqrt(ends[0] * ends[1]), math.exp(offset) * math.sqrt(ends[0] * ends[1]) ** slope),
        textcoords="offset points",
        xytext=(-6, 9),
        ha="right",
        color=colour,
    )


def main() -> None:
    """Count if a program is given, print, and write."""
    parser = argparse.ArgumentParser(description="Work, and the least of it.")
    parser.add_argument("program", nargs="?", help="test_work of a release build")
    parser.add_argument("--write", action="store_true", help="into results/ and docs/")
    options = parser.parse_args()
    if options.program is None:
        kept = json.loads(RESULTS.read_text(encoding="utf-8"))
        found = {question: Work(*work) for question, work in kept.items()}
    elif which("valgrind"):
        found = counted(options.program, questions())
    else:
        print("valgrind is not installed: nothing is counted")
        return
    blocks = {"work": work_table(found), "moved": moved_table(found)}
    for text in blocks.values():
        print(text)
    if options.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        page = PAGE.read_text(encoding="utf-8")
        for name, text in blocks.items():
            page = replaced(page, name, text)
        PAGE.write_text(page, encoding="utf-8")
        draw(found)


if __name__ == "__main__":
    main()
