# SPDX-License-Identifier: Apache-2.0
"""The goals of a calibration: costs that must not be exceeded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from hockeystick import _checks
from hockeystick.bounds import LARGEST_LOSS_ROUNDING, Bounds
from hockeystick.disjoint import AnyRun
from hockeystick.errors import CertificationError
from hockeystick.limits import Limits
from hockeystick.queries import QUERIES

_COARSE = 1e-2
_LITTLE = 1 << 20  # memory limit of a first, rough answer
_RATES = {"tpr": "fpr", "reconstruction_risk": "baseline"}  # what an attack reaches, and guessing
_WANTED = (
    "epsilon and delta, rho, mu, bayes_risk, advantage, tpr and fpr, or reconstruction_risk and "
    "baseline"
)
_Ask = Callable[[AnyRun, Limits], Bounds[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The cost not to be exceeded, and how other costs compare with it; the core reads it."""

    name: str
    target: float
    at: tuple[float, ...]  # where the cost is asked: the delta, or the false positive rate
    limits: Limits
    question: _Ask
    scale: Literal["logarithm", "odds", "falling"] = "logarithm"
    coarse: float = _COARSE  # tolerance of the first evaluations

    @property
    def tolerance(self) -> float:
        """The tolerance of the last evaluation."""
        return self.limits.tolerance

    def ask(self, run: AnyRun, width: float) -> Bounds[float]:
        """The cost; where theory leaves a gap, as close as the last evaluation is to be.

        There the target is met by the upper end alone, and a coarse one only bounds the final one.
        """
        found = self.question(run, self.limits._replace(tolerance=width))
        if found.limited_by and width > self.tolerance:
            return self.ask(run, self.tolerance)
        return found

    def hasty(self, run: AnyRun, width: float) -> Bounds[float]:
        """The cost with little memory and time."""
        little = min(self.limits.memory_limit, _LITTLE)
        return _best(self.question, run, self.limits._replace(tolerance=width, memory_limit=little))

    def advantage(self, run: AnyRun) -> Bounds[float]:
        """The advantage, which shows the direction of more cost whatever the goal is."""
        return _best(_advantage, run, self.limits._replace(tolerance=_COARSE))


def goal_of(given: Mapping[str, object], limits: Limits) -> Goal:
    """The goal of a target and what it is asked at."""
    names = set(given)
    if names == {"epsilon", "delta"}:
        delta = _checks.delta(given["delta"])
        target = _checks.positive("epsilon", given["epsilon"])
        question = partial(_epsilon, delta, target)
        return Goal(name="epsilon", target=target, at=(delta,), limits=limits, question=question)
    if names == {"rho"}:
        target = _checks.positive("rho", given["rho"])
        return Goal(name="rho", target=target, at=(), limits=limits, question=_rho)
    if names == {"advantage"}:
        return _odds("advantage", _checks.open_unit("advantage", given["advantage"]), (), limits)
    for name, guessing in _RATES.items():
        if names == {name, guessing}:
            rate = _checks.open_unit(guessing, given[guessing])
            target = _checks.open_unit(name, given[name])
            if target <= rate:
                raise ValueError(
                    f"{name} must be above {guessing} = {rate!r}, which guessing reaches, got "
                    f"{target!r}"
                )
            if name == "reconstruction_risk":
                limits = limits._replace(adjacency=limits.adjacency.with_record)
            return _odds(name, target, (rate,), limits)
    if "mu" in names <= {"mu", "smallest_rate"}:
        return _of_mu(given, limits)
    if "bayes_risk" in names <= {"bayes_risk", "prior"}:
        return _of_bayes_risk(given, limits)
    got = ", ".join(sorted(names)) or "none"
    raise TypeError(f"the target must be {_WANTED}; got {got}")


def _odds(name: str, target: float, at: tuple[float, ...], limits: Limits) -> Goal:
    """A rate, of which 1 less is compared too."""
    return Goal(
        name=name,
        target=target,
        at=at,
        limits=limits,
        question=partial(_power, at[0]) if at else _advantage,
        scale="odds",
        coarse=_COARSE * (1 - target),
    )


def _of_mu(given: Mapping[str, object], limits: Limits) -> Goal:
    rate = _checks.within("smallest_rate", given.get("smallest_rate", 1e-12), 1e-20, 0.5)
    return Goal(
        name="mu",
        target=_checks.positive("mu", given["mu"]),
        at=(rate,),
        limits=limits,
        question=lambda run, asked: run.gdp_mu_bounds(smallest_rate=rate, **asked.options()),
    )


def _of_bayes_risk(given: Mapping[str, object], limits: Limits) -> Goal:
    """The risk is to be at least the target: it falls where others rise."""
    prior = _checks.open_unit("prior", given.get("prior", 0.5))
    risk, guessing = _checks.positive("bayes_risk", given["bayes_risk"]), min(prior, 1 - prior)
    if risk >= guessing:
        raise ValueError(
            f"bayes_risk must be below {guessing!r}, which guessing reaches at prior = {prior!r}, "
            f"got {risk!r}"
        )
    return Goal(
        name="bayes_risk",
        target=risk,
        at=(prior,),
        limits=limits,
        question=lambda run, asked: run.bayes_risk_bounds(prior, **asked.options()),
        scale="falling",
    )


def _epsilon(delta: float, target: float, run: AnyRun, asked: Limits) -> Bounds[float]:
    """Epsilon; the target itself if delta meets it there, where epsilon exceeds it by rounding."""
    found: Bounds[float] = run._answer(QUERIES["epsilon"], np.array(delta), asked)  # noqa: SLF001
    if found.lower <= target < found.upper <= target + LARGEST_LOSS_ROUNDING * (1 + target):
        there = run._answer(QUERIES["delta"], np.array(target), asked)  # noqa: SLF001
        if there.upper <= delta:
            return Bounds(found.lower, target)
    return found


def _rho(run: AnyRun, asked: Limits) -> Bounds[float]:
    return run.zcdp_bounds(**asked.options())


def _advantage(run: AnyRun, asked: Limits) -> Bounds[float]:
    return run.advantage_bounds(**asked.options(has_smallest=True))


def _power(rate: float, run: AnyRun, asked: Limits) -> Bounds[float]:
    return run.true_positive_rate_bounds(rate, **asked.options(has_smallest=True))


def _best(ask: _Ask, run: AnyRun, asked: Limits) -> Bounds[float]:
    """The bounds found, even if they are wider than asked for."""
    try:
        return ask(run, asked)
    except CertificationError as error:
        return error.bounds
