# SPDX-License-Identifier: Apache-2.0
"""How much sooner users of dp_accounting have their answers within `patched()`.

python benchmarks/users.py [--rounds N] [--write]

Their code runs as it is, without this library and with it in the place of ``dp_accounting.pld``, in
alternating rounds; both answers are compared before a time counts. A user that is not installed
(``pip install "hockeystick[dp-accounting-users]"``) is left out.
"""

from __future__ import annotations

import argparse
import importlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.util import find_spec
from math import isclose
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from report import machine, replaced, seconds

Run = Callable[[float], list[float]]


class Question(NamedTuple):
    """What a user of dp_accounting computes."""

    user: str
    """The module, which installs with the extra dp-accounting-users."""
    run: Run
    """The answers for a shift of the parameters, small and never the same, lest a cache answer."""
    accuracy: float
    """How far answers may be apart, relatively: what the user's own searches leave open."""
    ours: Run | None = None
    """What answers in its place, if not the same within the patch."""


def _module(name: str) -> Any:
    return importlib.import_module(name)


TARGET = {"epsilon": 2.0, "delta": 1e-5}


def long_calibration(shift: float) -> list[float]:
    """The noise of a long run of DP-SGD for a target, without a bracket to search in."""
    library = _module("dp_accounting")
    find, event = library.calibrate_dp_mechanism, _dpsgd(0.01, 10_000)
    goal = TARGET["epsilon"] + shift, TARGET["delta"]
    return [find(library.pld.PLDAccountant, event, *goal)]


def our_run(noise: float) -> Any:
    """The same run of DP-SGD in this library."""
    step = _module("hockeystick").Gaussian(noise_multiplier=noise)
    return 10_000 * step.poisson_sampled(0.01)


def our_calibration(shift: float) -> list[float]:
    """The same by this library's own search."""
    goal = {**TARGET, "epsilon": TARGET["epsilon"] + shift}
    return [_module("hockeystick").calibrate(our_run, **goal)]


def _dpsgd(probability: float, steps: int) -> Callable[[float], object]:
    """The event of a run, of its noise."""
    library = _module("dp_accounting")

    def event(noise: float) -> object:
        step = library.PoissonSampledDpEvent(probability, library.GaussianDpEvent(noise))
        return library.SelfComposedDpEvent(step, steps)

    return event


def calibration(shift: float) -> list[float]:
    """The noise of a run of DP-SGD for a target, by dp_accounting's own search."""
    library = _module("dp_accounting")
    event = _dpsgd(0.01 + shift / 100, 1000)

    bracket = library.ExplicitBracketInterval(0.9, 1.05)
    find = library.calibrate_dp_mechanism
    return [find(library.pld.PLDAccountant, event, 2.0, 1e-5, bracket, tol=1e-2)]


def jax_event(shift: float) -> list[float]:
    """Epsilon of a run of DP-SGD, as the documentation of jax_privacy has it."""
    library = _module("dp_accounting")
    accounting = _module("jax_privacy.experimental.accounting")
    event = accounting.dpsgd_event(3.0 + shift, 512, sampling_prob=0.1)
    return [library.pld.PLDAccountant().compose(event).get_epsilon(1e-6)]


def jax_calibration(shift: float) -> list[float]:
    """The noise of a training for a target, by jax_privacy's own search."""
    accounting = _module("jax_privacy.accounting")
    accountant = accounting.DpsgdTrainingAccountant(
        dp_accountant_config=accounting.PldAccountantConfig()
    )
    noise = accounting.calibrate_noise_multiplier(
        target_epsilon=2.0 + shift,
        accountant=accountant,
        batch_sizes=100,
        num_updates=500,
        num_samples=10_000,
        target_delta=1e-6,
        initial_min_noise=0.8,
        initial_max_noise=1.1,
    )
    return [noise]


def pipeline_budget(shift: float) -> list[float]:
    """The noise of four aggregations of a pipeline that share a budget."""
    budget = _module("pipeline_dp.budget_accounting")
    kinds = _module("pipeline_dp.aggregate_params").MechanismType
    accountant = budget.PLDBudgetAccountant(total_epsilon=1.0 + shift, total_delta=1e-6)
    asked = [
        accountant.request_budget(kinds.GAUSSIAN),
        accountant.request_budget(kinds.LAPLACE),
        accountant.request_budget(kinds.GAUSSIAN, count=5, weight=2),
        accountant.request_budget(kinds.GENERIC),
    ]
    accountant.compute_budgets()
    return [*(spec.noise_standard_deviation for spec in asked[:3]), asked[3].eps]


def riskcal_accountant(shift: float) -> list[float]:
    """Epsilon, advantage and error rates of a run of DP-SGD."""
    accountant = _module("riskcal.accountants").CTDAccountant()
    accountant.history = [(1.0 + shift, 0.01, 1000)]
    rates = [accountant.get_beta(alpha=alpha) for alpha in (0.01, 0.1)]
    return [accountant.get_epsilon(delta=1e-5), accountant.get_advantage(), *map(float, rates)]


def riskcal_calibration(shift: float) -> list[float]:
    """The noise of a run of DP-SGD for an advantage."""
    find = _module("riskcal.calibration.dpsgd").find_noise_multiplier_for_advantage
    return [
        find(
            advantage=0.1 + shift / 10,
            sample_rate=0.01,
            num_steps=500,
            grid_step=1e-3,
            noise_min=0.8,
            noise_max=2.0,
        )
    ]


QUESTIONS = {
    "`hs.calibrate`, 10,000 steps": Question(
        "dp_accounting", long_calibration, 1e-3, our_calibration
    ),
    "calibrate_dp_mechanism": Question("dp_accounting", calibration, 2e-2),
    "jax_privacy, epsilon": Question("jax_privacy", jax_event, 1e-5),
    "jax_privacy, calibration": Question("jax_privacy", jax_calibration, 2e-2),
    "PipelineDP, budget": Question("pipeline_dp", pipeline_budget, 1e-4),
    # It takes error rates from probabilities that dp_accounting leaves 2e-5 too large in total.
    "riskcal, accountant": Question("riskcal", riskcal_accountant, 1e-4),
    "riskcal, calibration": Question("riskcal", riskcal_calibration, 5e-3),
}


class Comparison(NamedTuple):
    """The answers of the last round, and the processor time of every one [s]."""

    theirs: list[float]
    ours: list[float]
    their_seconds: list[float]
    our_seconds: list[float]

    @property
    def speed_up(self) -> float:
        """Of the medians."""
        return median(self.their_seconds) / median(self.our_seconds)


def installed() -> Iterator[str]:
    """The names of the questions whose users are."""
    return (name for name, question in QUESTIONS.items() if find_spec(question.user) is not None)


def compare(question: Question, rounds: int) -> Comparison:
    """Both answers and times, in alternating rounds.

    Raises:
        ValueError: Answers are farther apart than the user's own accuracy.
    """
    from hockeystick.compat.dp_accounting import patched  # noqa: PLC0415

    answers: dict[bool, list[float]] = {}
    taken: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(rounds):
        for ours in (False, True) if turn % 2 == 0 else (True, False):
            run = question.ours if ours and question.ours else question.run
            with patched() if ours else nullcontext():
                start = process_time()
                answers[ours] = run(turn / 1000)
                taken[ours].append(process_time() - start)
        pairs = zip(answers[False], answers[True], strict=True)
        if not all(isclose(a, b, rel_tol=question.accuracy) for a, b in pairs):
            raise ValueError(f"{question.user} answers {answers[False]}, with us {answers[True]}")
    return Comparison(answers[False], answers[True], taken[False], taken[True])


def table(rounds: int) -> str:
    """A Markdown table of all users installed, and the machine."""
    lines = ["| question | dp_accounting | patched | speed-up |", "| --- | --- | --- | --- |"]
    for name in installed():
        compare(QUESTIONS[name], 1)  # imports, and warms up
        found = compare(QUESTIONS[name], rounds)
        times = (seconds(median(taken)) for taken in (found.their_seconds, found.our_seconds))
        lines.append(f"| {name} | {' | '.join(times)} | {found.speed_up:.3g} |")
    return "\n".join([*lines, "", f"{rounds} rounds, median processor time; {machine()}", ""])


def main() -> None:
    """Compare, print, write."""
    parser = argparse.ArgumentParser(description="Time users of dp_accounting, patched and not.")
    parser.add_argument("--rounds", type=int, default=4, help="at least 1")
    parser.add_argument("--write", action="store_true", help="into README.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    text = table(options.rounds)
    print(text)
    if options.write:
        page = Path(__file__).with_name("README.md")
        page.write_text(replaced(page.read_text(encoding="utf-8"), "users", text), encoding="utf-8")


if __name__ == "__main__":
    main()
