# SPDX-License-Identifier: Apache-2.0
"""Measure the published comparisons anew and draw them; see README.md.

python benchmarks/figures.py [--only NAME ...] [--rounds N] [--cap SECONDS] [--write]
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import Outcome, judge, race
from published import COMPARISONS, DELTA, Comparison, methods, truths
from report import machine, table
from run import begin, record, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HERE = Path(__file__).parent
GAP = 1.0  # any interval will do: the grids are given, and the picture shows how wide it is
STYLES = (  # of the methods in their order; ours are wide, to be seen below others
    {"color": "0.55", "marker": "p", "linewidth": 4.0},
    {"color": "C0", "marker": "o", "linewidth": 4.0},
    {"color": "C2", "marker": "^", "linewidth": 1.8},
    {"color": "C1", "marker": "s", "linewidth": 1.8},
    {"color": "C3", "marker": "D", "linewidth": 1.8},
)
LOWER = {"linestyle": "--", "linewidth": 1.5, "markersize": 4, "markerfacecolor": "w", "zorder": 3}
DPI = 100

Outcomes = Mapping[int, Mapping[str, Outcome]]  # by count and method


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draw the published comparisons, measured here.")
    names = [comparison.name for comparison in COMPARISONS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=4, help="even")
    parser.add_argument("--cap", type=float, default=60.0, help="seconds a count may take")
    parser.add_argument("--write", action="store_true", help="into results/ and README.md")
    parser.add_argument("--folder", type=Path, default=HERE / "figures", help="for the pictures")
    return parser.parse_args()


def measure(comparison: Comparison, rounds: int, cap: float) -> dict[int, dict[str, Outcome]]:
    """All methods at each count, interleaved, each answer held against the truth."""
    truth = truths()
    outcomes = {}
    for count in comparison.counts:
        asks = {name: make(comparison, count) for name, make in methods(comparison).items()}
        check = partial(judge, truth=truth[comparison.name, count], gap=GAP)
        outcomes[count] = race(asks, check, rounds=rounds, cap=cap)
    return outcomes


def draw_hockey_sticks(folder: Path) -> None:
    """The two curves that introduce the subject."""
    import hockeystick as hs  # noqa: PLC0415
    from hockeystick import plot  # noqa: PLC0415

    ax = plot.detached()
    epsilons = [0.05 * k for k in range(61)]
    for mechanism, label in (
        (hs.Gaussian(noise_multiplier=1.0), "Gaussian, noise multiplier 1"),
        (hs.Laplace(noise_multiplier=2 / 3), "Laplace, noise multiplier 2/3"),
    ):
        plot.hockey_stick(mechanism, epsilon=epsilons, yscale="linear", label=label, ax=ax)
    save(ax, folder / "hockey-sticks.png")


def draw_estimates(comparison: Comparison, folder: Path) -> None:
    """Both estimates of connect the dots and of privacy buckets on the same coarse grid."""
    from hockeystick import plot  # noqa: PLC0415

    ax = plot.detached()
    plot.epsilon_by_count(
        comparison.step,
        (1, *comparison.counts),
        delta=DELTA,
        estimators=["connect_dots", "privacy_buckets", "algorithm_2"],
        discretization_interval=comparison.interval,
        support=comparison.support,
        ax=ax,
    )
    save(ax, folder / f"{comparison.name}.png")


def draw_race(comparison: Comparison, outcomes: Outcomes, folder: Path) -> None:
    """Errors and times of all methods, side by side."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(9.6, 5.2), layout="constrained")
    errors, times = figure.subplots(1, 2)
    for name, style in zip(methods(comparison), STYLES, strict=False):
        series = {count: by_name[name] for count, by_name in outcomes.items()}
        _draw_errors(errors, series, name, style)
        _draw_times(times, series, style)
    for ax, label in ((errors, "error of epsilon, relative"), (times, "time of a call [ms]")):
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel("number of compositions")
        ax.set_ylabel(label)
        ax.grid(visible=True, alpha=0.3)
    errors.set_title(
        "solid, filled: upper - truth; dashed, hollow: truth - lower", fontsize="small"
    )
    times.set_title("median, shortest to longest", fontsize="small")
    figure.suptitle(f"{comparison.title}; delta = {DELTA:g}; grids in nats", fontsize="medium")
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    save(errors, folder / f"{comparison.name}-race.png")


def _draw_errors(
    ax: Axes, series: Mapping[int, Outcome], name: str, style: Mapping[str, Any]
) -> None:
    above, below = errors_of(series)
    ax.plot(list(above), list(above.values()), label=name, markersize=6, **style)
    ax.plot(list(below), list(below.values()), **{**style, **LOWER})


def errors_of(series: Mapping[int, Outcome]) -> tuple[dict[int, float], dict[int, float]]:
    """How far the upper and the lower value are from the truth, unless on the wrong side of it."""
    above, below = {}, {}
    for count, outcome in series.items():
        verdict = outcome.verdict
        if verdict.counts and verdict.distance is not None:
            above[count] = verdict.distance
            if verdict.width is not None:
                below[count] = verdict.width - verdict.distance
    return above, below


def _draw_times(ax: Axes, series: Mapping[int, Outcome], style: Mapping[str, Any]) -> None:
    known = {count: outcome for count, outcome in series.items() if outcome.verdict.counts}
    middles = [1e3 * outcome.middle for outcome in known.values()]
    spread = [
        [1e3 * abs(outcome.band[end] - outcome.middle) for outcome in known.values()]
        for end in (0, 1)
    ]
    thin = {**style, "linewidth": 1.5}
    ax.errorbar(list(known), middles, yerr=spread, capsize=3, markersize=5, **thin)


def save(ax: Axes, path: Path) -> None:
    """In 64 colours, which halves the file and cannot be seen."""
    from PIL import Image  # noqa: PLC0415, comes with matplotlib

    path.parent.mkdir(exist_ok=True)
    drawn = io.BytesIO()
    ax.figure.savefig(drawn, dpi=DPI)
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def block(comparison: Comparison, outcomes: Outcomes, where: str) -> str:
    """What stands between the markers of a comparison: the table of its longest composition."""
    last = max(outcomes)
    question = f"epsilon at delta = {DELTA:g}: {comparison.title}, {last} steps"
    return f"{question}\n\n{table(outcomes[last])}\n\n{where}\n"


def marker(comparison: Comparison) -> str:
    """The name of its place in the page."""
    return f"published {comparison.name}"


def main() -> None:
    """Race, draw, print, write."""
    options = arguments()
    begin()
    blocks, results = {}, {}
    draw_hockey_sticks(options.folder)
    for comparison in COMPARISONS:
        if comparison.name not in options.only:
            continue
        where = f"{options.rounds} rounds; {machine()}"
        outcomes = measure(comparison, options.rounds, options.cap)
        draw_estimates(comparison, options.folder)
        draw_race(comparison, outcomes, options.folder)
        blocks[marker(comparison)] = block(comparison, outcomes, where)
        results[comparison.name] = {
            count: {name: record(outcome) for name, outcome in by_name.items()}
            for count, by_name in outcomes.items()
        }
        print(blocks[marker(comparison)], flush=True)
    if options.write:
        write(blocks, {"published": results}, machine())


if __name__ == "__main__":
    main()
