# SPDX-License-Identifier: Apache-2.0
"""Race our real transforms against FFTW, ducc0 and scipy.fft; see README.md.

python benchmarks/transforms.py [--rounds N] [--sizes LOG2 ...] [--write]
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from math import log2
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from measure import Answer, Ask, Outcome, Status, Verdict, race
from report import machine, seconds
from run import record, write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

MARKER = "transforms"
TASK = "copy, forward transform, squares of the coefficients, inverse transform"
ENGINE = "transform engine"
WAYS = ("remove", "add")
STEPS = (1000, 10_000, 100_000)
TOLERANCE = 1e-3
POINT = 5  # where results are compared
ROUNDING = 2.0**-50  # relative to the peak, per level of the transform: more is a wrong result


class Contender(NamedTuple):
    """Who squares a sequence: by this call, made for one size."""

    name: str
    prepare: Callable[[Reals], Ask]


def certified(x: Reals) -> Ask:
    """Ours, as compositions use it: the bound of the error included."""
    import numpy as np  # noqa: PLC0415

    from hockeystick import _core  # noqa: PLC0415

    plan, work = _core.numeric.RealFft(x.size), np.empty_like(x)

    def ask() -> Answer:
        work[:] = x
        bound = plan.power(work, 2)
        value = work.item(POINT)
        return Answer(lower=value - bound, upper=value + bound, estimate=value)

    return ask


def fftw(x: Reals) -> Ask:
    """FFTW, measured plans on aligned arrays."""
    import numpy as np  # noqa: PLC0415
    import pyfftw  # noqa: PLC0415

    work = pyfftw.empty_aligned(x.size, "float64")
    half = pyfftw.empty_aligned(x.size // 2 + 1, "complex128")
    flags = ("FFTW_MEASURE",)
    forward = pyfftw.FFTW(work, half, flags=flags)
    backward = pyfftw.FFTW(half, work, direction="FFTW_BACKWARD", flags=flags)

    def ask() -> Answer:
        work[:] = x
        forward.execute()
        np.multiply(half, half, out=half)
        backward.execute()
        return Answer(upper=work.item(POINT) / x.size)

    return ask


def ducc0(x: Reals) -> Ask:
    """ducc0, into arrays that are there."""
    import numpy as np  # noqa: PLC0415
    from ducc0 import fft  # type: ignore[import-not-found]  # noqa: PLC0415

    work, half = np.empty_like(x), np.empty(x.size // 2 + 1, dtype=complex)

    def ask() -> Answer:
        work[:] = x
        fft.r2c(work, out=half, nthreads=1)
        np.multiply(half, half, out=half)
        fft.c2r(half, lastsize=x.size, forward=False, inorm=2, out=work, nthreads=1)
        return Answer(upper=work.item(POINT))

    return ask


def scipy_fft(x: Reals) -> Ask:
    """scipy.fft, which allocates its results."""
    import numpy as np  # noqa: PLC0415
    from scipy import fft  # noqa: PLC0415

    work = np.empty_like(x)

    def ask() -> Answer:
        work[:] = x
        half = fft.rfft(work, workers=1)
        np.multiply(half, half, out=half)
        return Answer(upper=fft.irfft(half, workers=1).item(POINT))

    return ask


CONTENDERS = {
    "hockeystick": Contender("hockeystick", certified),
    "pyfftw": Contender("FFTW", fftw),
    "ducc0": Contender("ducc0", ducc0),
    "scipy": Contender("scipy.fft", scipy_fft),
}


def bare(size: int) -> Ask:
    """Two forward and two inverse transforms by FFTW, and nothing else."""
    import pyfftw  # noqa: PLC0415

    work = pyfftw.empty_aligned(size, "float64")
    half = pyfftw.empty_aligned(size // 2 + 1, "complex128")
    forward = pyfftw.FFTW(work, half, flags=("FFTW_MEASURE",))
    backward = pyfftw.FFTW(half, work, direction="FFTW_BACKWARD", flags=("FFTW_MEASURE",))
    work[:] = 0  # stays: nothing grows, and no number takes longer than another

    def ask() -> Answer:
        for _ in range(2):
            forward.execute()
            backward.execute()
        return Answer(upper=work.item(POINT))

    return ask


def engine_rows(rounds: int) -> tuple[str, dict[str, dict[str, Outcome]]]:
    """A whole question by transforms, against the bare ones that it cannot do without."""
    from hockeystick import _core  # noqa: PLC0415

    directions = [_core.dominating_pair(f"poisson_gaussian_{way}", [1.0, 0.01]) for way in WAYS]
    rows, outcomes = [], {}
    for steps in STEPS:

        def question(steps: int = steps) -> _core.Answer:
            (answer,) = _core.epsilon_bounds(
                [[(pair, steps)] for pair in directions],
                [1e-5],
                tolerance=TOLERANCE,
                memory_limit=2**30,
                method="fft_composition",
            )
            return answer

        def ask(question: Callable[[], _core.Answer] = question) -> Answer:
            answer = question()
            return Answer(lower=answer.lower, upper=answer.upper)

        size = question().size
        raced = race({"ours": ask, "FFTW": bare(size)}, timed, rounds=rounds, clock=thread_time)
        ours, theirs = raced["ours"], raced["FFTW"]
        spans = [
            f"{seconds(each.middle)} ({seconds(each.band[0])} to {seconds(each.band[1])})"
            for each in (ours, theirs)
        ]
        ratio, best = ours.middle / theirs.middle, ours.band[0] / theirs.band[0]
        rows.append(f"| {steps} | {size} | {spans[0]} | {spans[1]} | {ratio:.2f}, {best:.2f} |")
        outcomes[f"{steps} steps"] = dict(raced)
    head = [
        "| steps | points | epsilon, certified | bare transforms by FFTW | ratio, of shortest |",
        "| --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *rows]), outcomes


def timed(answer: Answer) -> Verdict:
    """Whatever it is: only times are compared, and other benchmarks judge the answers."""
    status = Status.UPPER if answer.lower is None else Status.CERTIFIED
    return Verdict(status=status, text=repr(answer.upper))


def sequence(size: int) -> tuple[Reals, Fraction]:
    """Whole numbers, and a point of their cyclic square, exactly; the peak is near 2^14 size."""
    import numpy as np  # noqa: PLC0415

    values = np.random.default_rng(size).integers(0, 256, size)
    truth = int(values @ values[(POINT - np.arange(size)) % size])
    return values.astype(np.float64), Fraction(truth)


def judge(answer: Answer, truth: Fraction, size: int) -> Verdict:
    """An interval must enclose; a plain result must be near."""
    value = answer.upper if answer.estimate is None else answer.estimate
    away = abs(Fraction(value) - truth) / truth
    if answer.lower is None:
        good, status = away <= ROUNDING * log2(size), Status.UPPER
    else:
        good, status = answer.lower <= truth <= answer.upper, Status.CERTIFIED
    return Verdict(status=status if good else Status.WRONG, text=repr(value), distance=float(away))


def table(outcomes: Mapping[int, Mapping[str, Outcome]]) -> str:
    """A size a row: our time and spread, then each other's and its ratio to ours."""
    names = list(next(iter(outcomes.values())))
    rows = [("points", *names)]
    for size, by_name in outcomes.items():
        ours = by_name[names[0]]
        cells = [f"2^{size.bit_length() - 1}"]
        for name in names:
            outcome = by_name[name]
            shortest, longest = map(seconds, outcome.band)
            text = f"{seconds(outcome.middle)} ({shortest} to {longest})"
            if not outcome.verdict.counts:
                text = outcome.verdict.status.value
            elif outcome is not ours:
                text += f", {outcome.middle / ours.middle:.2f}, {_best(outcome, ours):.2f}"
            cells.append(text)
        rows.append(tuple(cells))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [" | ".join(map(str.ljust, row, widths)) for row in rows]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "\n".join(f"| {line} |" for line in lines)


def _best(outcome: Outcome, ours: Outcome) -> float:
    """The ratio of the shortest times, which other load disturbs least."""
    return outcome.band[0] / ours.band[0]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Race real transforms.")
    parser.add_argument("--rounds", type=int, default=20, help="even")
    parser.add_argument("--sizes", type=int, nargs="+", default=range(10, 19), metavar="LOG2")
    parser.add_argument("--write", action="store_true", help="into results/ and README.md")
    return parser.parse_args()


def main() -> None:
    """Race, print, write."""
    options = arguments()
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[threads] = "1"  # read when numpy is first imported, below
    warnings.simplefilter("ignore")
    present = [c for module, c in CONTENDERS.items() if find_spec(module) is not None]
    outcomes: dict[int, dict[str, Outcome]] = {}
    where = machine()
    for exponent in options.sizes:
        x, truth = sequence(2**exponent)
        asks = {contender.name: contender.prepare(x) for contender in present}
        check = partial(judge, truth=truth, size=x.size)
        outcomes[x.size] = race(asks, check, rounds=options.rounds, clock=thread_time)
    text = f"{TASK}\n\n{table(outcomes)}\n\n{options.rounds} rounds; {where}\n"
    print(text)
    blocks = {MARKER: text}
    results = {
        size: {name: record(outcome) for name, outcome in by_name.items()}
        for size, by_name in outcomes.items()
    }
    if find_spec("pyfftw") is None:
        print("pyfftw is not installed: the engine is not raced")
    else:
        rows, raced = engine_rows(options.rounds)
        blocks[ENGINE] = f"{rows}\n\n{options.rounds} rounds; {where}\n"
        results |= {
            name: {who: record(each) for who, each in by_name.items()}
            for name, by_name in raced.items()
        }
        print(blocks[ENGINE])
    if options.write:
        write(blocks, {MARKER: results}, where)


if __name__ == "__main__":
    main()
