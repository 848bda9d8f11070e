# SPDX-License-Identifier: Apache-2.0
"""What services ask: calibration, curves, many questions at once, a small footprint, admission.

python benchmarks/services.py [--only NAME ...] [--rounds N] [--cap SECONDS] [--write]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from itertools import count
from math import inf
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import admission
import footprint
import users
from measure import Outcome, Status, Verdict, race
from peers import installed, missing
from report import machine, table
from run import begin, record, write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    import hockeystick as hs

QUESTIONS_A_CALL = 4000


class Answers(NamedTuple):
    """Answers to many questions, or enclosures of their truths."""

    upper: NDArray[np.float64]
    lower: NDArray[np.float64] | None = None


class Service(NamedTuple):
    """Questions that are answered by one call, and what is known of the truths."""

    title: str
    asks: Mapping[str, Callable[[], Answers]]
    truths: Answers
    gap: float = 1e-3
    note: Callable[[Mapping[str, Outcome]], str] = lambda _: ""
    """What else the times say."""


def judge(answers: Answers, truths: Answers, gap: float) -> Verdict:
    """The worst of all answers; doubles are compared, so nothing rounds where it decides.

    Distances are from the lower ends of the truths, hence never understated.
    """
    upper, lower = answers.upper, answers.lower
    if not all((abs(ends) < inf).all() for ends in (upper, lower) if ends is not None):
        return Verdict(status=Status.FAILED, text="a number is not finite")
    width = None if lower is None else float(((upper - lower) / truths.lower).max())
    distances = (upper - truths.lower) / truths.lower
    if (upper < truths.lower).any() or (lower is not None and (lower > truths.upper).any()):
        status, distance = Status.WRONG, float(distances.min())
    else:
        distance = float(distances.max())
        met = lower is not None and (upper - lower <= gap * upper).all()
        status = Status.CERTIFIED if met else Status.UPPER if lower is None else Status.WIDE
    return Verdict(status=status, text=repr(float(upper[-1])), width=width, distance=distance)


def _labels() -> dict[str, str]:
    """What the rows of the libraries installed are called."""
    return {library.name: label for label, library in installed().items() if not library.way}


def _noise() -> Answers:
    """The noise of the calibration, enclosed: less of it costs more, and more costs less."""
    import numpy as np  # noqa: PLC0415

    import hockeystick as hs  # noqa: PLC0415

    found = hs.calibrate(users.our_run, **users.TARGET, tolerance=1e-9)
    lower, upper = found * (1 - 1e-7), found * (1 + 1e-7)
    above, below = (
        users.our_run(noise).epsilon_bounds(users.TARGET["delta"], tolerance=1e-9)
        for noise in (lower, upper)
    )
    if not below.upper < users.TARGET["epsilon"] < above.lower:
        raise ValueError(f"the noise is not in [{lower!r}, {upper!r}]")
    return Answers(lower=np.array([lower]), upper=np.array([upper]))


def calibration() -> Service:
    """The noise for a target; every call has another target, by far less than a truth's error."""
    import numpy as np  # noqa: PLC0415

    def shifted(run: users.Run) -> Callable[[], Answers]:
        shifts = (turn * 1e-13 for turn in count())
        return lambda: Answers(np.array(run(next(shifts))))

    runs = {"hockeystick": users.our_calibration, "dp-accounting": users.long_calibration}
    labels = _labels()
    for name in runs.keys() & labels:
        import_module(name.replace("-", "_"))  # before the first call, which is timed
    return Service(
        title="noise multiplier for epsilon = 2 at delta = 1e-05: sampling probability 0.01, "
        "10^4 steps",
        asks={labels[name]: shifted(run) for name, run in runs.items() if name in labels},
        truths=_noise(),
    )


def curve() -> Service:
    """Delta at a thousand epsilons of a run that has been composed."""
    import hockeystick as hs  # noqa: PLC0415

    return _curve(
        "delta at 1000 epsilons from 0 to 8, the composition made before the call: noise "
        "multiplier 1, sampling probability 0.01, 10^4 steps",
        run=10_000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01),
        largest=8.0,
        theirs=lambda pld: pld.from_gaussian_mechanism(1.0, sampling_prob=0.01),
        truth=1e-6,
    )


def laplace_curve() -> Service:
    """The same of a run for which there is no contour."""
    import hockeystick as hs  # noqa: PLC0415

    return _curve(
        "delta at 1000 epsilons from 0 to 1.5, the composition made before the call: Laplace noise "
        "of scale 1, sampling probability 0.01, 1000 steps",
        run=1000 * hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.01),
        largest=1.5,
        theirs=lambda pld: pld.from_laplace_mechanism(1.0, sampling_prob=0.01),
        truth=1e-4,
    )


def _curve(
    title: str, *, run: hs.Composition, largest: float, theirs: Callable[[Any], Any], truth: float
) -> Service:
    """`theirs` makes a step of `dp_accounting.pld`; our own bounds to `truth` are the judge's."""
    import numpy as np  # noqa: PLC0415

    epsilons = np.linspace(0, largest, 1000)

    def ours(tolerance: float = 1e-3) -> Answers:
        bounds = run.delta_bounds(epsilons, tolerance=tolerance)
        return Answers(lower=bounds.lower, upper=bounds.upper)

    asks, labels = {}, _labels()
    asks[labels["hockeystick"]] = ours
    if "dp-accounting" in labels:
        (term,) = run.terms
        asks[labels["dp-accounting"]] = _their_curve(theirs, term[1], epsilons.tolist())
    return Service(title=title, asks=asks, truths=ours(truth))


def _their_curve(
    step: Callable[[Any], Any], count: int, epsilons: list[float]
) -> Callable[[], Answers]:
    """By the composed distribution of dp_accounting, with its defaults."""
    import numpy as np  # noqa: PLC0415
    from dp_accounting.pld import (  # type: ignore[import-untyped]  # noqa: PLC0415
        privacy_loss_distribution as pld,
    )

    composed = step(pld).self_compose(count)
    return lambda: Answers(np.array(composed.get_delta_for_epsilon(epsilons)))


def random_runs(questions: int) -> dict[str, NDArray[np.float64]]:
    """Parameters of distinct runs of DP-SGD; the same on each call."""
    import numpy as np  # noqa: PLC0415

    draw = np.random.default_rng(20)
    return {
        "noise_multiplier": draw.uniform(0.7, 3.0, questions),
        "sampling_probability": 10 ** draw.uniform(-3.5, -1.5, questions),
        "steps": draw.integers(1000, 50_001, questions),
        "delta": 10 ** draw.uniform(-8.0, -4.0, questions),
    }


def throughput(questions: int = QUESTIONS_A_CALL) -> Service:
    """Distinct certified questions on one thread, and in two halves on two."""
    import numpy as np  # noqa: PLC0415

    import hockeystick as hs  # noqa: PLC0415

    runs = random_runs(questions)
    halves = [{name: value[part::2] for name, value in runs.items()} for part in (0, 1)]

    def one(tolerance: float = 1e-3) -> Answers:
        bounds = hs.dpsgd_epsilon_bounds(**runs, tolerance=tolerance)
        return Answers(lower=bounds.lower, upper=bounds.upper)

    def two() -> Answers:
        ends = np.empty((2, questions))
        with ThreadPoolExecutor(2) as pool:
            found = pool.map(lambda half: hs.dpsgd_epsilon_bounds(**half), halves)
            for part, bounds in enumerate(found):
                ends[:, part::2] = bounds
        return Answers(lower=ends[0], upper=ends[1])

    return Service(
        title=f"epsilon of {questions} runs of DP-SGD in one call, gap 0.001: noise multipliers "
        "from 0.7 to 3, sampling probabilities from 10^-3.5 to 10^-1.5, 1000 to 50,000 steps, "
        "deltas from 1e-8 to 1e-4",
        asks={"one thread": one, "two threads": two},
        truths=one(1e-4),  # some need transforms, which 1e-6 would take too far
        note=partial(_rates, questions=questions),
    )


def _rates(outcomes: Mapping[str, Outcome], questions: int) -> str:
    """Questions a second, and what the second thread is worth in rounds next to each other."""
    one, two = outcomes.values()
    times = [a / b for a, b in zip(one.samples, two.samples, strict=False)]
    return (
        f"{questions / one.middle:.0f} questions a second on one thread, "
        f"{questions / two.middle:.0f} on two: {median(times):.2f} times as many "
        f"({min(times):.2f} to {max(times):.2f}).\n\n"
    )


def arrays(questions: int = 500) -> Service:
    """Many questions of each kind about one run: all are answered by deltas, which they share."""
    import numpy as np  # noqa: PLC0415

    import hockeystick as hs  # noqa: PLC0415

    run = 10_000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.001)
    rates = np.logspace(-9, -0.01, questions)
    epsilons = np.linspace(0, run.epsilon(1e-9), questions)
    kinds = {
        "delta": lambda **how: run.delta_bounds(epsilons, **how),
        "Bayes risk": lambda **how: run.bayes_risk_bounds(1 / (1 + np.exp(epsilons)), **how),
        "true positive rate": lambda **how: run.true_positive_rate_bounds(rates, **how),
        "mu of Gaussian DP": lambda **how: run.gdp_mu_bounds(smallest_rate=rates / 2, **how),
    }
    truth = 1e-4

    def relative(ask: Callable[..., hs.Bounds[Any]]) -> Callable[[], Answers]:
        """The bounds over what a tighter tolerance says."""
        middle = ask(tolerance=truth).upper

        def answer() -> Answers:
            bounds = ask()
            return Answers(lower=bounds.lower / middle, upper=bounds.upper / middle)

        return answer

    return Service(
        title=f"{questions} questions of a kind in one call, gap 0.001: noise multiplier 1, "
        "sampling probability 0.001, 10^4 steps; answers are relative to those of gap 0.0001",
        asks={name: relative(ask) for name, ask in kinds.items()},
        truths=Answers(lower=np.full(questions, 1 - truth), upper=np.full(questions, 1 + truth)),
        note=_by_deltas,
    )


def _by_deltas(outcomes: Mapping[str, Outcome]) -> str:
    """How many times as long as the first kind each takes, in rounds next to each other."""
    (name, first), *others = outcomes.items()
    said = []
    for other, outcome in others:
        times = [b / a for a, b in zip(first.samples, outcome.samples, strict=False)]
        said.append(f"{median(times):.1f} ({other})")
    return f"Times as long as {name}: {', '.join(said)}.\n\n"


SERVICES = {
    "calibration": calibration,
    "curve": curve,
    "laplace-curve": laplace_curve,
    "arrays": arrays,
    "throughput": throughput,
}


def raced(service: Service, rounds: int, cap: float) -> tuple[str, dict[str, Any]]:
    """What stands between the markers of a service, and every sample."""
    where = f"{rounds} rounds; {machine()}"
    check = partial(judge, truths=service.truths, gap=service.gap)
    outcomes = race(service.asks, check, rounds=rounds, cap=cap)
    text = f"{service.title}\n\n{table(outcomes)}\n\n{service.note(outcomes)}{where}\n"
    return text, {name: record(outcome) for name, outcome in outcomes.items()}


def measured(options: argparse.Namespace) -> Iterator[tuple[str, str, Any]]:
    """The name, the text and the samples of whatever was chosen."""
    for name, make in SERVICES.items():
        if name in options.only:
            yield name, *raced(make(), options.rounds, options.cap)
    if "footprint" in options.only:
        yield "footprint", *footprint.measured(options.rounds)
    if "admission" in options.only:
        yield "admission", *admission.measured(options.rounds)


def arguments() -> argparse.Namespace:
    """The command line."""
    names = [*SERVICES, "footprint", "admission"]
    parser = argparse.ArgumentParser(description="Measure what services ask for.")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=10, help="even")
    parser.add_argument("--cap", type=float, default=90.0, help="seconds a race may take")
    parser.add_argument("--write", action="store_true", help="into results/ and README.md")
    return parser.parse_args()


def main() -> None:
    """Measure, print, write."""
    options = arguments()
    begin()
    blocks, results = {}, {}
    for name, text, samples in measured(options):
        blocks[f"services {name}"], results[name] = text, samples
        print(f"{name}: {text}", flush=True)
    if absent := missing():
        print(f"Not installed, hence skipped: {', '.join(absent)}.")
    if options.write:
        write(blocks, {"services": results}, machine())


if __name__ == "__main__":
    main()
