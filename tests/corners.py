# SPDX-License-Identifier: Apache-2.0
"""Every kind of run at the corners of its parameters, and every question to it.

python tests/corners.py [--seed 1] [--runs 3] [--first 0] [--kind NAME ...] [--slow 0.1]

Each kind is drawn `--runs` times, and each question asked under each adjacency that the run is
defined for. A line is printed for an error that is not documented, a refusal, ends that are no
interval, an upper end above that of the step on all records, and what takes longer than `--slow`
seconds of this process. `tests/verified.py` holds answers to the truth.
"""

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import hockeystick as hs
from hockeystick.disjoint import AnyRun
from hostile_runs import FAMILIES
from questions import told
from random_runs import power
from rare_runs import batches

MOST_SECONDS = 20.0
ROUNDING = 1e-9  # of an unsampled step's bound, which is as wide as its own question asked


class Corner(NamedTuple):
    """A run, and one that no view may find better, if there is one."""

    run: AnyRun
    unsampled: AnyRun | None = None


MOST_STEPS = 10**9  # of one mechanism in a run


def _of_all_records(one: hs.Mechanism) -> AnyRun | None:
    """The step of a scheme as often as a record joins it; what is no scheme is its own step."""
    match one:
        case hs.PoissonSampled():
            return 1 * one.mechanism
        case hs.PoissonSampledRun():
            return one.run
        case hs.RandomAllocation() | hs.Shuffled():
            times = one.epochs
        case hs.SelectedSteps():
            times = one.epochs * one.selected
        case hs.FixedSizeSampled():
            times = one.batch_size**2 if one.replacement else 1
        case hs.Grouped(mechanism=hs.PoissonSampled(mechanism=step)):
            return 1 * hs.Grouped(step, one.size)
        case _:
            return 1 * one
    return times * one.mechanism if times <= MOST_STEPS else None


def unsampled(run: AnyRun) -> AnyRun | None:
    """The run on all records, if there is one and it is another."""
    if isinstance(run, hs.DisjointParts):
        parts = [unsampled(part) or part for part in run.runs]
        whole: AnyRun = hs.parallel(*parts)
        return whole if whole != run else None
    whole = hs.Composition()
    for one, count in run.terms:
        step = _of_all_records(one)
        if step is None or any(count * times > MOST_STEPS for _, times in step.terms):
            return None
        whole = whole + count * step
    return whole if whole != run else None


def _count(rng: random.Random) -> int:
    return rng.choice((1, 1, 2, 5, 1000, round(power(rng, 0, 5)), round(power(rng, 4, 9))))


def _rate(rng: random.Random) -> float:
    return rng.choice((power(rng, -12, 0), power(rng, -4, 0), 1 - power(rng, -15, -1), 0.5))


def _little(rng: random.Random) -> float:
    return power(rng, -3, -1.1)


def _any_noise(rng: random.Random) -> float:
    return rng.choice((_little(rng), power(rng, -1.2, 1), power(rng, 1, 6)))


def _step(rng: random.Random) -> Any:
    """Of a kind that Poisson samples have a pair for."""
    x = power(rng, -2, 2)
    return rng.choice(
        (
            hs.Laplace(x),
            hs.DiscreteLaplace(parameter=max(x, 1e-2)),
            hs.DiscreteGaussian(sigma=max(x, 0.2)),
            hs.ApproximateDP(epsilon=x, delta=rng.choice((0.0, 5e-324, 1e-9))),
            hs.RandomizedResponse(epsilon=x),
            hs.PermuteAndFlip(epsilon=x),
            hs.ExponentialMechanism(epsilon=x),
            hs.DiscretePair(p=[0.5, 0.5 - 1e-9, 1e-9], q=[0.4, 0.6, 0.0]),
        )
    )


def sampled(rng: random.Random, noise: Callable[[random.Random], float]) -> Corner:
    """Poisson batches of Gaussians."""
    step, count = hs.Gaussian(noise(rng)), _count(rng)
    return Corner(count * step.poisson_sampled(_rate(rng)), count * step)


def sampled_others(rng: random.Random) -> Corner:
    """Poisson batches of anything else."""
    step, count = _step(rng), rng.choice((1, 1, 3, round(power(rng, 0, 6))))
    while not hasattr(step, "poisson_sampled"):
        step = _step(rng)
    return Corner(count * step.poisson_sampled(_rate(rng)), count * step)


def allocated(rng: random.Random, noise: Callable[[random.Random], float]) -> Corner:
    """Random allocation of Gaussians."""
    epochs, count = rng.choice((1, 1, 3)), rng.choice((1, 1, 2, 30, round(power(rng, 0, 4))))
    step = hs.Gaussian(noise(rng) * math.sqrt(epochs))
    steps = rng.choice((2, 3, 100, round(power(rng, 0.4, 6))))
    return Corner(count * step.random_allocation(steps=steps, epochs=epochs), count * epochs * step)


def allocated_others(rng: random.Random) -> Corner:
    """Random allocation of anything else."""
    step, count = _step(rng), rng.choice((1, 1, 3))
    while not hasattr(step, "random_allocation"):
        step = _step(rng)
    return Corner(count * step.random_allocation(steps=rng.choice((2, 5, 40))), count * step)


def selected(rng: random.Random) -> Corner:
    """A record in k of t steps."""
    steps = rng.choice((3, 10, round(power(rng, 1, 5))))
    chosen, count = rng.randint(2, min(steps - 1, 9)), rng.choice((1, 1, 5))
    step = hs.Gaussian(_any_noise(rng))
    epoch = step.random_allocation(steps=steps, selected=chosen)
    return Corner(count * epoch, count * chosen * step)


def fixed_size(rng: random.Random) -> Corner:
    """Batches of fixed size; drawn with replacement, a record may come more than once."""
    size, step, count = round(power(rng, 0.5, 8)), hs.Gaussian(_any_noise(rng)), _count(rng)
    batch = min(size, max(1, round(size * power(rng, -4, 0))))
    again = rng.random() < 0.3
    drawn = step.fixed_size_sampled(batch_size=batch, dataset_size=size, replacement=again)
    times = (
        count * batch**2 if again else count
    )  # a record drawn `batch` times moves the sum as far
    return Corner(count * drawn, times * step if times <= 10**9 else None)


def shuffled(rng: random.Random) -> Corner:
    """Shuffled epochs, some of which end with a smaller batch or leave a few records out."""
    step, count = hs.Gaussian(_any_noise(rng)), rng.choice((1, 1, 3, round(power(rng, 0, 4))))
    sizes = rng.choice(({}, {"last_batch": 3}, {"left_out": 2}))
    batches = round(power(rng, 0.4, 6 if "last_batch" not in sizes else 2))
    epoch = step.shuffled(batches=batches, **({"batch_size": 7, **sizes} if sizes else {}))
    return Corner(count * epoch, count * step)


def truncated(rng: random.Random) -> Corner:
    """Poisson batches of at most so many records, where one that joins may put out another."""
    size = round(power(rng, 0.5, 8))
    step = batches(_any_noise(rng), min(1.0, _rate(rng)), rng.randint(1, size), size)
    return Corner(_count(rng) * step)


def together(rng: random.Random) -> Corner:
    """One sample of records for several releases."""
    parts = [hs.Gaussian(_any_noise(rng)), _step(rng)]
    if rng.random() < 0.5:
        parts = [hs.Gaussian(_any_noise(rng)) for _ in "ab"]
    whole, count = hs.joint(*parts), rng.choice((1, 1, 3))
    return Corner(count * whole.poisson_sampled(_rate(rng)), count * sum(parts, hs.Composition()))


def groups(rng: random.Random) -> Corner:
    """Groups of records, sampled."""
    step, count = hs.Gaussian(_any_noise(rng)), _count(rng)
    size = rng.choice((2, 3, 20)) if step.noise_multiplier > 0.02 else 2
    return Corner(count * step.poisson_sampled(_rate(rng)).group(size), count * step.group(size))


def best(rng: random.Random) -> Corner:
    """The best of a random number of runs; of a fixed number, all of them are known."""
    step = rng.choice((hs.Gaussian(power(rng, -1.5, 2)), _step(rng)))
    law, mean = rng.choice(("poisson", "geometric", "logarithmic", "fixed")), power(rng, 0.1, 6)
    if law == "fixed":
        return Corner(1 * hs.best_of(step, runs=law, mean=round(mean)), round(mean) * step)
    return Corner(1 * hs.best_of(step, runs=law, mean=mean))


def plain(rng: random.Random) -> Corner:
    """Steps that are not sampled, and some that say nothing by half."""
    kinds = (
        lambda: hs.ZCDP(power(rng, -9, 4)),
        lambda: hs.Gaussian(_any_noise(rng)),
        lambda: hs.RenyiDP(order=1 + power(rng, -2, 2), divergence=power(rng, -4, 2)),
        lambda: hs.ShuffledLocal(epsilon0=power(rng, -2, 1), users=round(power(rng, 0.5, 8))),
        lambda: hs.any_of(_step(rng), hs.Gaussian(_any_noise(rng))),
        lambda: _step(rng),
    )
    return Corner(_count(rng) * rng.choice(kinds)())


def hostile(rng: random.Random, draw: Callable[[random.Random], Any]) -> Corner:
    """Of a family of hostile runs."""
    run = draw(rng)[0]
    return Corner(run, unsampled(run))


KINDS: dict[str, Callable[[random.Random], Corner]] = {
    "sampled, little noise": lambda rng: sampled(rng, _little),
    "sampled": lambda rng: sampled(rng, _any_noise),
    "others sampled": sampled_others,
    "allocated, little noise": lambda rng: allocated(rng, lambda r: r.uniform(0.05, 0.06)),
    "allocated": lambda rng: allocated(rng, lambda r: power(r, -1.3, 3)),
    "others allocated": allocated_others,
    "k of t": selected,
    "fixed size": fixed_size,
    "shuffled": shuffled,
    "truncated": truncated,
    "together": together,
    "groups": groups,
    "best of": best,
    "plain": plain,
    **{
        f"hostile {name}": lambda rng, draw=draw: hostile(rng, draw)
        for name, (draw, _) in FAMILIES.items()
    },
}


class Question(NamedTuple):
    """A method of a run, what it is given, and what a sample does: lower it (1) or raise it (-1).

    Either (0) of the loss itself, but for its mean: more may be lost to some outcomes of a sample,
    and less to others.
    """

    method: str
    given: tuple[Any, ...] = ()
    grows: int = 1

    def __str__(self) -> str:
        """As it is called."""
        return f"{self.method}{self.given}"

    def ends(self, run: AnyRun, adjacency: hs.Adjacency, **limits: Any) -> hs.Bounds[Any]:
        """The interval, also that of a refusal."""
        return told(getattr(run, self.method), *self.given, adjacency=adjacency, **limits)


DELTAS = [0.0, 1e-300, 1e-30, 1e-12, 1e-5, 0.1, 1 - 1e-12]
RATES = [0.0, 1e-300, 1e-9, 1e-3, 0.5, 1 - 1e-9]
QUESTIONS = [
    *(Question("epsilon_bounds", (delta,)) for delta in DELTAS),
    Question("epsilon_bounds", (DELTAS[2:],)),
    *(Question("delta_bounds", (epsilon,)) for epsilon in (0.0, 1e-9, 1.0, 30.0, 1e4)),
    Question("delta_bounds", ([0.1, 1.0, 4.0, 9.0],)),
    *(Question("true_positive_rate_bounds", (rate,)) for rate in (1e-300, 1e-5, 0.5)),
    Question("tradeoff_bounds", (RATES,), -1),
    Question("advantage_bounds"),
    Question("gdp_mu_bounds"),
    *(Question("bayes_risk_bounds", (prior,), -1) for prior in (1e-9, 0.1, 0.5)),
    *(Question("reconstruction_risk_bounds", (rate,)) for rate in (1e-6, 0.1)),
    *(Question("renyi_divergence_bounds", (order,)) for order in (1.0, 1.001, 2.0, 64.0, 7e3)),
    Question("zcdp_bounds"),
    Question("loss_mean_bounds"),
    Question("loss_variance_bounds", (), 0),
    *(Question("probabilistic_delta_bounds", (epsilon,), 0) for epsilon in (0.0, 1.0, 300.0)),
    *(Question("loss_quantile_bounds", (level,), 0) for level in (1e-9, 0.5, 0.999999)),
]


def shown(found: Any) -> str:
    """Bounds, or an array, on one line."""
    if isinstance(found, tuple):
        return " .. ".join(map(shown, found))
    return np.array2string(np.asarray(found), max_line_width=1000, precision=10)


def wrong(question: Question, found: hs.Bounds[Any], best: hs.Bounds[Any] | None) -> Iterator[str]:
    """What is not as it should be of the ends."""
    lower, upper = np.asarray(found.lower), np.asarray(found.upper)
    if not np.all(lower <= upper):
        yield "no interval"
    if best is None or not question.grows:
        return
    if question.grows > 0:
        limit = np.asarray(best.upper)
        worse = upper > limit * (1 + ROUNDING)
    else:
        limit = np.asarray(best.lower)
        worse = lower < limit * (1 - ROUNDING)
    if np.any(worse):
        yield f"worse than unsampled, {shown(limit)}"


def answer(question: Question, corner: Corner, adjacency: hs.Adjacency) -> tuple[str, str, Any]:
    """What is wrong, if anything, what to say of it, and the bounds; None: there are none."""
    try:
        with hs.time_limit(MOST_SECONDS):
            bounds = getattr(corner.run, question.method)(*question.given, adjacency=adjacency)
    except hs.CertificationError as error:
        return "refused", error.limited_by, error.bounds
    except TimeoutError:
        return "too long", "", None
    except ValueError as error:  # of a law that is not known
        return ("" if "known" in str(error) else "ValueError"), str(error), None
    except Exception as error:  # noqa: BLE001, whatever it is
        return type(error).__name__, str(error), None
    return "", "", bounds


def findings(corner: Corner, adjacency: hs.Adjacency, slow: float) -> Iterator[tuple[str, str]]:
    """The kind of each finding, and what was asked and answered."""
    for question in QUESTIONS:
        start = process_time()
        kind, why, found = answer(question, corner, adjacency)
        seconds = process_time() - start
        if kind:
            yield kind, f"{question}: {why} {shown(found)}"
        if seconds > slow:
            yield "slow", f"{question}: {seconds:.2f} s, {shown(found)}"
        if found is None:
            continue
        best = question.ends(corner.unsampled, adjacency) if corner.unsampled else None
        for what in wrong(question, found, best):
            yield what.split(",")[0], f"{question}: {shown(found)}, {what}"


def defined(run: AnyRun) -> Iterator[hs.Adjacency]:
    """The adjacencies that the run has an answer for."""
    for adjacency in hs.Adjacency:
        try:
            run.epsilon_bounds(0.5, adjacency=adjacency, tolerance=0.5)
        except hs.CertificationError:
            pass
        except ValueError:
            continue
        yield adjacency


def main() -> int:
    """Draw, ask, print, count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3, help="of each kind")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kind", nargs="+", choices=KINDS)
    parser.add_argument("--slow", type=float, default=0.1, help="seconds")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    drawn = product(options.kind or KINDS, range(options.first, options.first + options.runs))
    for kind, k in drawn:
        corner = KINDS[kind](random.Random(f"{options.seed} {kind} {k}"))
        for adjacency in defined(corner.run):
            counts["asked"] += len(QUESTIONS)
            for what, line in findings(corner, adjacency, options.slow):
                counts[what] += 1
                print(f"{kind} {k}, {adjacency}, {what}: {corner.run!r}: {line}", flush=True)  # noqa: T201
    print(dict(counts))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
