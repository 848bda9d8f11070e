# SPDX-License-Identifier: Apache-2.0
"""The cost of a training run's steps so far, and the steps that a budget still allows."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

from hockeystick import _checks, _html
from hockeystick._decimals import outward
from hockeystick._neighbours import Hinting
from hockeystick._words import outspoken
from hockeystick.accountant import Accountant
from hockeystick.accountant.admission import Amount, amount, bracketed, most_runs
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.bounds import Bounds
from hockeystick.composition import Composable, Composition
from hockeystick.errors import best_bounds
from hockeystick.limits import Limits, Options, spelled_out
from hockeystick.sampling import DPSGD
from hockeystick.wording import in_words

_FINE = 10_000  # the steps that remain are known to one part in this


def begun(steps: int, before: int, covered: int) -> int:
    """The number of draws for `steps` more steps, where one draw serves `covered` of them.

    `before` steps came before them: what is left of an epoch is one more, as is each after it.
    """
    return -(-(steps + before % covered) // covered) if steps else 0


@outspoken
class EpsilonMeter(Hinting):
    """Counts steps of training; says certified epsilon after each, and when to stop.

    Cheap to ask after every step: epsilon is one question about a composition, kept until the next
    step, and how many steps the budget allows is found almost once. For one thread.

    Args:
        step: What each step runs: a mechanism, or a composition of several. Of a ``DPSGD`` it is
            the run's ``step``, whatever its length, and the steps of the optimizer are counted:
            where batches are drawn by the epoch, an epoch that is begun costs a whole one. Of other
            mechanisms that are an epoch, as random allocation, epochs are counted.
        delta: In [0, 1); at 0 epsilon is the largest privacy loss.
        budget: The most that epsilon may be at `delta` [nats], finite and >= 0: a number, or a
            ``Decimal``, ``Fraction`` or string, as of ``Accountant.would_exceed``. None: any.
        spent: What was spent on the same data before, a mechanism, a composition or an
            ``Accountant``; it counts for epsilon and for the budget. The adjacency of an accountant
            is then that of the meter, and no other may be given.
        options: As of ``Composition.epsilon_bounds``.

    Raises:
        ValueError: An argument is out of range, or a mechanism is not defined for the adjacency.
        TypeError: An argument has the wrong type.

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    >>> meter = EpsilonMeter(step, delta=1e-5, budget=2.0)
    >>> while not meter.should_stop:
    ...     meter.update()  # after a step of training
    >>> meter.steps, meter.remaining_steps, round(meter.epsilon, 3)
    (1202, 0, 2.0)
    """

    @spelled_out
    def __init__(
        self,
        step: Composable,
        delta: float,
        budget: Amount | None = None,
        *,
        spent: Composable | Accountant | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._step = _checks.instance("step", step, Composable)
        self._covered = 1
        if isinstance(step, DPSGD):
            self._step, self._covered = step.step, step.steps_covered
        self._delta = _checks.delta(delta)
        self._budget = (
            None if budget is None else _checks.non_negative("budget", amount("budget", budget))
        )
        run, adjacency = run_and_adjacency(
            "spent", Composition() if spent is None else spent, options.get("adjacency")
        )
        before = run + Composition()
        self._limits = Limits().updated({**options, "adjacency": adjacency})
        self._given = self._earlier = self._before = self._run = before
        self._since = self._steps = self._resumed = 0
        self._fit: tuple[int, int] | None = None  # a count that fits, and one that does not
        self._kept: tuple[int, Bounds[float]] | None = None
        self._bounds_of(self._before + self._step)  # refused now, not after hours of training

    def __repr__(self) -> str:
        return (
            f"<EpsilonMeter steps={self._steps} step={self._step!r} delta={self._delta!r} "
            f"budget={self._budget!r}>"
        )

    def _repr_html_(self) -> str:
        has_budget = self._budget is not None
        head = ("steps", "of", "delta", "epsilon", "certified from", "budget", "steps left")
        lower, upper = outward(*self.bounds)
        budget = (str(self._budget), f"{self.remaining_steps:,}") if has_budget else ()
        row = (f"{self._steps:,}", in_words(self._step), repr(self._delta), upper, lower, *budget)
        return _html.table(head[: len(row)], [row], left=(1,))

    @property
    def steps(self) -> int:
        """The number of counted steps, those of a loaded state included."""
        return self._steps

    @property
    def step(self) -> Composable:
        """The mechanism that is charged for a step, or for an epoch that is begun."""
        return self._step

    @property
    def steps_covered(self) -> int:
        """The number of an optimizer's steps in one step that ``update`` counts.

        1, but of a mechanism that is an epoch, and was not given as a ``DPSGD``, all its batches.
        """
        return 1 if self._covered > 1 else getattr(self._step, "steps_covered", 1)

    @property
    def composition(self) -> Composition:
        """The whole spent run: the one before, and the steps counted."""
        return self._run

    def update(self, n: int = 1) -> None:
        """Count `n` steps more, in [0, 1e9].

        They are counted whether or not they keep the budget, for they did run. Epochs follow one
        another from the first step on: one that is left before its end and drawn anew goes
        unnoticed without ``begin_anew``, which callbacks call.

        Raises:
            ValueError: `n` is out of range, or a mechanism has run more than 1e9 times; then
                nothing is counted.
            TypeError: `n` is not a whole number.
        """
        more = _checks.whole("n", n, 0, _checks.MAX_COUNT)
        since = _checks.whole("steps", self._since + more, 0, _checks.MAX_COUNT)
        self._run = self._before + begun(since, self._resumed, self._covered) * self._step
        self._steps += since - self._since
        self._since = since

    @property
    def bounds(self) -> Bounds[float]:
        """Epsilon so far, enclosed [nats].

        Where the tolerance is out of reach, these are the best bounds: training need not end for
        that, and ``bounds.gap`` shows it.
        """
        if self._kept is None or self._kept[0] != self._since:
            self._kept = (self._since, self._bounds_of(self._run))
        return self._kept[1]

    def _bounds_of(self, run: Composition) -> Bounds[float]:
        options: Any = self._limits.options()
        return best_bounds(run.epsilon_bounds, self._delta, **options)

    @property
    def epsilon(self) -> float:
        """Certified upper bound on epsilon so far [nats]: the upper end of ``bounds``."""
        return self.bounds.upper

    @property
    def remaining_steps(self) -> int | None:
        """The number of further steps that certainly keep the budget, up to 1e9; None without one.

        Where epochs are charged, as of a ``DPSGD``, up to the end of the last that fits.

        One step more would exceed it, or come so near that no bounds decide: see
        ``Accountant.would_exceed``. Of more than 10,000 remaining steps, up to 1 in 10,000 may be
        left out; they are counted as training comes near. The first answer takes some milliseconds,
        later ones none or few; towards the end, a step of discrete or Laplace noise on samples may
        take seconds to be distinguished from the one before it.
        """
        if self._budget is None:
            return None
        if self._fit is None:
            fits = partial(self._fits, budget=self._budget)
            self._fit = bracketed(fits, most_runs(self._before, self._step))
        known, over = self._fit
        spent = begun(self._since, self._resumed, self._covered)
        while over - known > 1 + max(known - spent, 0) // _FINE:
            middle = (known + over) // 2
            known, over = (middle, over) if self._fits(middle, self._budget) else (known, middle)
        self._fit = known, over
        most = known * self._covered - self._resumed % self._covered if known else 0
        return max(min(most, _checks.MAX_COUNT) - self._since, 0)

    @property
    def should_stop(self) -> bool:
        """Whether another step might exceed the budget; False without a budget."""
        return self.remaining_steps == 0

    def _fits(self, runs: int, budget: float) -> bool:
        account = self._account().compose(self._before)
        limit = self._limits.memory_limit
        return not account.would_exceed(
            self._step, runs, epsilon=budget, delta=self._delta, memory_limit=limit
        )

    def _account(self) -> Accountant:
        return Accountant(adjacency=self._limits.adjacency, tolerance=self._limits.tolerance)

    def state_dict(self) -> dict[str, Any]:
        """The spent budget as data for a checkpoint: numbers and text.

        Raises:
            TypeError: A mechanism is none that JSON knows; see ``Accountant.to_json``.
        """
        runs = {"spent": self._run, "before": self._earlier}
        texts = {name: self._account().compose(run).to_json() for name, run in runs.items()}
        return {"steps": self._steps, **texts}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on after what `state_dict` gave, whichever steps it counted.

        The steps from now on are this meter's, so that noise or batches may have changed. An epoch
        that is gone on with may be drawn anew, and costs a whole one again.

        Raises:
            ValueError: `state` is none that `state_dict` gave, is that of a meter of another
                adjacency, or lacks what was spent before by this meter's `spent`.
            TypeError: `state` is no mapping.
        """
        _checks.instance("state", state, Mapping)
        if not {"steps", "spent"} <= set(state) <= {"steps", "spent", "before"}:
            names = _checks.show(list(state))
            raise ValueError(f"state must have the keys steps and spent, got {names}")
        steps = _checks.whole("state['steps']", state["steps"], 0, _checks.MAX_COUNT)
        text = _checks.instance("state['spent']", state["spent"], str)
        account = Accountant.from_json(text)
        if account.adjacency is not self._limits.adjacency:
            raise ValueError(
                f"state must be of a meter under {self._limits.adjacency.value}, got one under "
                f"{account.adjacency.value}; the same steps cost another epsilon there"
            )
        before = earlier = account.composition
        if "before" in state:  # as meters of this version say, which tells it from equal steps
            text = _checks.instance("state['before']", state["before"], str)
            earlier = Accountant.from_json(text).composition
        counts = dict(earlier.terms)
        for mechanism, count in self._given.terms:
            if counts.get(mechanism, 0) < count:
                raise ValueError(
                    f"state must hold the earlier releases, {count} * {mechanism!r}; a meter that "
                    "goes on without it would understate epsilon"
                )
        self._run, self._steps, self._earlier = before, steps, earlier
        self._start(steps)

    def begin_anew(self, steps: int = 0) -> None:
        """Take it that batches are drawn anew for the next step, which begins an epoch.

        It changes nothing where each step is drawn by itself.

        Args:
            steps: How many steps came before, in [0, 1e9], if that epoch was begun already: it ends
                where they and the next ones make whole epochs.
        """
        before = _checks.count(steps)
        if self._covered > 1:
            self._start(before)

    def _start(self, steps: int) -> None:
        self._before = self._run
        self._since, self._resumed = 0, steps
        self._fit = self._kept = None
