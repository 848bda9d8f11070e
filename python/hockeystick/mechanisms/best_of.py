# SPDX-License-Identifier: Apache-2.0
"""The best of a random number of runs."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hockeystick import _checks, _core
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms._enclosed import Accuracy, Pairs
from hockeystick.mechanisms._whole_run import (
    FromRun,
    above,
    below,
    checked_run,
    is_attained,
)
from hockeystick.mechanisms.gaussian import Gaussian

NUMBERS = ("poisson", "geometric", "logarithmic", "negative_binomial", "binomial", "fixed")
MOST_RUNS = 10**6
LEAST_CELLS = 60
GOALS = (1e-6, 1e-2)  # deltas at which rankings are sought that cost most


@dataclass(frozen=True, slots=True, repr=False)
class BestOf(FromRun):
    """The output with the best score of a random number of independent runs: see `best_of`.

    Args:
        run: What each run is.
        runs: The law of their number, one of "poisson", "geometric", "logarithmic",
            "negative_binomial", "binomial" and "fixed".
        mean: Of their number; of a fixed number, that number.
        shape: Of "negative_binomial" only, in (-1, 100].
        trials: Of "binomial" only, in [1, 1e6].

    >>> from hockeystick import Gaussian
    >>> best = BestOf(Gaussian(1 / 0.3), runs="geometric", mean=10)
    >>> 1.88 < best.epsilon(delta=1e-6) < 1.89
    True
    """

    run: Composition
    runs: str
    mean: float
    shape: float | None = None
    trials: int | None = None

    def __post_init__(self) -> None:
        run = checked_run("run", self.run)
        _checks.choice("runs", self.runs, NUMBERS)
        self._only_of("shape", "negative_binomial")
        self._only_of("trials", "binomial")
        if self.runs == "fixed":
            mean: float = _checks.whole("mean", self.mean, 1, MOST_RUNS)
        elif self.runs in ("poisson", "binomial"):
            mean = _checks.within("mean", self.mean, 1e-6, MOST_RUNS)
        else:
            mean = _checks.within("mean", self.mean, 1, MOST_RUNS)
        _checks.keep(self, run=run, mean=float(mean))
        if self.trials is not None:
            _checks.keep(self, trials=_checks.whole("trials", self.trials, 1, MOST_RUNS))
            _checks.within("mean", mean, 1e-6, self.trials)
        if self.shape is not None:
            _checks.keep(self, shape=_checks.within("shape", self.shape, -1, 100))
        self._number()  # refuses what no number of runs has

    def _only_of(self, name: str, law: str) -> None:
        given = getattr(self, name) is not None
        if given != (self.runs == law):
            what = "must not be given" if given else "must be given"
            raise ValueError(
                f"{name} {what} with runs = {self.runs!r}, got {getattr(self, name)!r}"
            )

    def _number(self) -> _core.NumberOfRuns:
        kind, extra = {
            "poisson": ("poisson", 0.0),
            "geometric": ("negative_binomial", 1.0),
            "logarithmic": ("negative_binomial", 0.0),
            "negative_binomial": ("negative_binomial", self.shape),
            "binomial": ("binomial", self.trials),
            "fixed": ("binomial", self.mean),
        }[self.runs]
        return _core.NumberOfRuns(kind, self.mean, float(extra or 0.0))

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if it always runs once, and is one."""
        if self.runs == "poisson" or self.mean != 1 or self.trials not in (None, 1):
            return self
        ((mechanism, count), *others) = self.run.terms
        return self if others or count > 1 else mechanism

    def said_of(self, adjacency: Adjacency) -> str:
        """The note of `explain`."""
        del adjacency
        return f"{self!r}: enclosed between a theorem on ranks and a ranking that is attained"

    @lru_cache(maxsize=64)  # noqa: B019, since equal mechanisms share the pairs that the cache keeps
    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair that dominates all neighbours in `direction`."""
        forth, back = (above(self.run, one, accuracy) for one in (direction, direction.reversed))
        return _core.best_of_pair(forth, back, self._number(), *_closely(accuracy))

    def at_most(self) -> tuple[tuple[Mechanism, int], ...]:
        """All outputs of the largest number of runs, if there is one."""
        most = round(self.mean) if self.runs == "fixed" else self.trials or 0
        return tuple((one, count * most) for one, count in self.run.terms if most)

    @lru_cache(maxsize=64)  # noqa: B019
    def pairs_below(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """The pairs that scores attain, also one that ignores the outputs, if it is known."""
        number = self._number()
        ways: Any = *below(self.run, direction, accuracy), number, *_closely(accuracy)
        ranked = tuple(_core.best_of_pair(*ways, goal=goal) for goal in GOALS)
        ((mechanism, count), *others) = self.run.terms
        if number.none or others or count > 1 or not mechanism.is_exact:
            return ranked
        return (*ranked, mechanism.dominating_pair(direction))

    def largest_pairs(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """A pair that is attained, and one with the largest loss that is possible."""
        ways = direction, direction.reversed
        forth, back = (above(self.run, one, accuracy, "largest") for one in ways)
        largest = _core.best_of_largest(forth, back, self._number())
        if not largest <= _checks.MAX_EPSILON:
            return ()
        pair = _core.dominating_pair("approximate_dp", [largest, 0.0])
        return self.pairs_below(direction, accuracy)[0], pair

    @lru_cache(maxsize=64)  # noqa: B019
    def moment_pairs(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """A pair that is attained, and one with moments that are no smaller."""
        forth, back = (above(self.run, one, accuracy) for one in (direction, direction.reversed))
        attained, ways = is_attained(self.run), (forth, back, self._number(), *_closely(accuracy))
        # The far moments of allocated Gaussians take long, and are hardly closer.
        slow = any(
            isinstance(getattr(one, "mechanism", None), Gaussian) for one, _ in self.run.terms
        )
        own = above(self.run, direction, accuracy, "moments" if slow else "far")
        over = _core.best_of_moments(*ways, moments=own, attained=attained)
        return over if attained else self.pairs_below(direction, accuracy)[0], over


def _closely(accuracy: Accuracy) -> Accuracy:
    """At least the points that rankings need: they are laws of the run, and not curves."""
    return Accuracy(max(accuracy.cells, LEAST_CELLS), accuracy.tail)
