# SPDX-License-Identifier: Apache-2.0
"""Whether a budget holds with more runs: a comparison, decided as sharply as it takes."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple, Self, TypedDict, Unpack

from hockeystick import _checks
from hockeystick._words import outspoken
from hockeystick.accountant import exact_costs
from hockeystick.accountant.entries import checked_label
from hockeystick.accountant.questions import Questioned
from hockeystick.bounds import Bounds
from hockeystick.composition import Composable, Composition
from hockeystick.errors import CertificationError, best_bounds
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, Limits, spelled_out
from hockeystick.mechanisms.zero_concentrated import LEAST_RHO, MOST_RHO, ZCDP

Amount = float | str | Decimal | Fraction

# Tolerances that are asked for one after another while no answer decides. Binary64 ends there;
# of many distinct mechanisms each takes 30 times as long as the one before.
_FINER = (1e-6, 1e-9, 1e-11, 1.1e-12)
_FEW = 16
# Of more, a rough epsilon takes a tenth of the time, and decides unless the budget is near.
_ROUGH = 1e-2


def amount(name: str, value: Amount) -> float:
    """Part of a budget: a number, or a decimal or fraction, rounded down so that none is given."""
    if not isinstance(value, str | Decimal | Fraction):
        return _checks.real(name, value)
    # A decimal with a large exponent, as a fraction, would have more digits than memory holds.
    kind = Fraction if isinstance(value, Fraction) or "/" in str(value) else Decimal
    try:
        exact: Any = kind(value)  # type: ignore[arg-type]
        number = float(exact)
        is_above = math.isfinite(number) and kind(number) > exact
    except (ValueError, ArithmeticError):
        number, is_above = math.nan, False
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {_checks.show(value)}")
    return math.nextafter(number, -math.inf) if is_above else number


class Budget(TypedDict, total=False):
    """The keywords of a question about a budget: epsilon and delta, or rho."""

    epsilon: Amount | None
    delta: Amount | None
    rho: Amount | None
    memory_limit: int


class Checked(NamedTuple):
    """A budget, and what a question about it may take."""

    measure: Literal["epsilon", "zcdp"]
    most: float
    """The budget of epsilon or rho."""
    delta: float
    """The delta of an epsilon; 0 with rho."""
    memory_limit: int

    @classmethod
    def of(cls, name: str, budget: Budget) -> Self:
        """The budget of a call, checked; errors name that call."""
        for key in budget:
            if key not in Budget.__annotations__:
                takes = ", ".join(Budget.__annotations__)
                raise TypeError(f"{name} takes {takes}; got an unexpected keyword argument {key!r}")
        given: dict[str, Any] = {key: value for key, value in budget.items() if value is not None}
        limit = _checks.memory_limit(given.pop("memory_limit", DEFAULT_MEMORY_LIMIT))
        amounts = {key: amount(key, value) for key, value in given.items()}
        if set(amounts) == {"rho"}:
            return cls("zcdp", _checks.non_negative("rho", amounts["rho"]), 0.0, limit)
        if set(amounts) != {"epsilon", "delta"}:
            got = ", ".join(sorted(amounts)) or "none"
            raise TypeError(f"{name} takes a budget of epsilon and delta, or of rho; got {got}")
        epsilon = _checks.non_negative("epsilon", amounts["epsilon"])
        return cls("epsilon", epsilon, _checks.delta(amounts["delta"]), limit)


@outspoken
class Admission(Questioned):
    """A ledger that is asked before it is entered into."""

    @spelled_out
    def admit(
        self,
        mechanism: Composable,
        count: int = 1,
        *,
        label: str = "",
        **budget: Unpack[Budget],
    ) -> bool:
        """Enter `count` runs if a budget certainly holds with them: whether they were entered.

        As ``would_exceed`` and ``compose`` in one: nothing else is entered in between, by whichever
        thread. Run what was admitted afterwards.

        The budget is certified for what was admitted if its dominating pairs and counts do not
        depend on outputs, but for when to stop: ``admit`` is no filter for pairs that are chosen by
        looking at earlier outputs, whose delta may be 1.5 times the budget's, and more. The
        mechanism may be so chosen within its pair, as a question with the same noise over its
        sensitivity. Safe are lists of runs that are fixed in advance, and one step repeated, both
        wherever they stop, and Gaussians alone, without sampling. Where what runs next is chosen by
        outputs, use a filter: ``GaussianFilter``, ``RenyiFilter``, ``ZCDPFilter``, ``PureFilter``.

        Args:
            mechanism: What is to run: a mechanism or a composition.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            label: As of ``compose``.
            budget: ``epsilon`` and ``delta``, or ``rho``, and a memory limit, as of
                ``would_exceed``.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type, or the budget is none.

        >>> import hockeystick as hs
        >>> acct = hs.Accountant()
        >>> query = hs.Laplace(noise_multiplier=10.0)
        >>> [acct.admit(query, epsilon=1, delta=1e-9) for _ in range(11)].count(True)
        10
        >>> census = hs.Accountant(adjacency="replace-one")
        >>> [census.admit(hs.ZCDP(0.5), rho=2.56) for _ in range(7)].count(True)
        5
        """
        checked_label(label)
        most = Checked.of("admit", budget)
        with self._lock:
            while True:
                before = self._entries
                if self._might_exceed(mechanism, count, most):
                    return False
                if self._entries is before:  # and no signal handler of this thread has composed
                    self.compose(mechanism, count, label=label)
                    return True

    @spelled_out
    def would_exceed(self, mechanism: Composable, count: int = 1, **budget: Unpack[Budget]) -> bool:
        """Whether `count` more runs might break a budget; nothing is entered.

        False is a certificate of all the runs together: delta at `epsilon` has an upper bound of at
        most `delta`, or the zCDP parameter one of at most `rho`, under the adjacency of the
        accountant. It is one of runs whose pairs and counts do not depend on outputs; see
        ``admit``.
        True says that they break it, or come so near that nobody can say: where the bounds at
        the accountant's tolerance do not decide, finer ones are asked for, down to 1e-12, of at
        most 16 distinct mechanisms, none of which is known by pairs above and below it alone.

        Args:
            mechanism: What might run: a mechanism or a composition.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            budget: ``epsilon``, finite and >= 0 [nats]: a number, or a ``Decimal``, ``Fraction`` or
                string such as "0.3", of which not the smallest part is given beyond. ``delta``, in
                [0, 1); likewise. In place of both ``rho``, of zero-concentrated DP, finite and
                >= 0 [nats]; likewise. ``memory_limit``, the bytes the computation may take, > 0.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type, or the budget is none.

        Cost: that of a question; of 17 distinct mechanisms or more, but near the budget, that of a
        rough one, or of their rho. Of 32 distinct Gaussians or more, sampled or not, less than a
        millisecond from the second question on: what was composed is kept for that, and never
        copied or saved.

        >>> import hockeystick as hs
        >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
        >>> acct = hs.Accountant().compose(step, count=1000)
        >>> acct.would_exceed(step, 100, epsilon=2.0, delta=1e-5)
        False
        >>> acct.would_exceed(step, 300, epsilon="2.0", delta="1e-5")
        True
        """
        return self._might_exceed(mechanism, count, Checked.of("would_exceed", budget))

    @spelled_out
    def remaining(self, mechanism: Composable, **budget: Unpack[Budget]) -> int:
        """How many runs of a mechanism a budget still allows; nothing is entered.

        So many runs are certified to keep it, as ``would_exceed`` says: one more would break it, or
        come so near that nobody can say.

        Args:
            mechanism: What is to run: a mechanism or a composition.
            budget: ``epsilon`` and ``delta``, or ``rho``, and a memory limit, as of
                ``would_exceed``.

        Returns:
            The number of runs; 0 where what was spent exceeds the budget already; at most as many
            as may be entered, of which each distinct mechanism may run 1e9 times in all.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type, or the budget is none.

        Cost: some tens of questions, about twice as many as the answer has binary digits.

        >>> import hockeystick as hs
        >>> tables = hs.DiscreteGaussian(sigma=5.0)
        >>> acct = hs.Accountant(adjacency="replace-one").compose(tables, 10)
        >>> acct.remaining(tables, epsilon=10, delta=1e-6), acct.remaining(tables, rho=2.56)
        (11, 22)
        """
        most = Checked.of("remaining", budget)
        with self._lock:
            spent = self.composition
            _checks.instance("mechanism", mechanism, Composable)

            def fits(count: int) -> bool:
                return not self._might_exceed(mechanism, count, most)

            known, over = bracketed(fits, most_runs(spent, mechanism))
            while over - known > 1:
                middle = (known + over) // 2
                known, over = (middle, over) if fits(middle) else (known, middle)
        return known

    def _might_exceed(self, mechanism: Composable, count: int, most: Checked) -> bool:
        """Whether a budget is not certain to hold with `count` more runs."""
        limits = Limits(self._adjacency, self._tolerance, most.memory_limit)
        with self._lock:
            entries = self._entries
            run = entries.and_then(mechanism, count).composition
            if most.measure == "zcdp":
                return not _fits(run, most, limits)
            more = count * mechanism
            found = self._kept.bounds("epsilon", most.delta, entries, limits, more)
            if found is not None and not found.lower <= most.most < found.upper:
                return found.lower > most.most
            return not _fits(run, most, limits)


def most_runs(spent: Composable, more: Composable) -> int:
    """How many more runs a ledger can hold: 1e9 of each mechanism in all."""
    counts = dict(spent.terms)
    return min(
        ((_checks.MAX_COUNT - counts.get(one, 0)) // runs for one, runs in more.terms),
        default=_checks.MAX_COUNT,
    )


def bracketed(fits: Callable[[int], bool], largest: int) -> tuple[int, int]:
    """A count that fits and one that does not, at most a factor of two away; 0 passes for one."""
    known, over = 0, 1
    while over < largest and fits(over):
        known, over = over, 2 * over
    if over >= largest:
        return (largest, largest + 1) if fits(largest) else (known, largest)
    return known, over


def _fits(run: Composition, most: Checked, limits: Limits) -> bool:
    """Whether the run is certified to keep the budget; not where none can tell."""
    if len(run.terms) > _FEW and most.measure == "epsilon" and _is_kept_by_rho(run, most, limits):
        return True
    asks: dict[str, tuple[Callable[..., Bounds[float]], float]] = {
        "epsilon": (partial(run.epsilon_bounds, most.delta), most.most),
        "delta": (partial(run.delta_bounds, most.most), most.delta),
        "zcdp": (run.zcdp_bounds, most.most),
    }
    given_up = set()
    for wanted, width in _questions(run, most, limits.tolerance):
        if wanted in given_up:
            continue
        ask, goal = asks[wanted]
        try:
            options = limits._replace(tolerance=width).options(has_smallest=wanted == "delta")
            found = ask(**options)
        except CertificationError as error:  # its bounds hold, if wider than asked for
            found = error.bounds
            given_up.add(wanted)
        if found.upper <= goal:
            return True
        if found.lower > goal:
            return False
    cost = exact_costs.most(most.measure, (run.terms,), limits.adjacency)
    return cost is not None and cost <= most.most


def _is_kept_by_rho(run: Composition, most: Checked, limits: Limits) -> bool:
    """Whether its rho tells that a run keeps the budget.

    The rho of a mechanism made of another takes long, or says little.
    """
    if any(hasattr(type(mechanism), "mechanism") for mechanism, _ in run.terms):
        return False
    rough = limits._replace(tolerance=_ROUGH)
    rho = best_bounds(run.zcdp_bounds, **rough.options()).upper
    if rho > MOST_RHO:
        return False
    one = ZCDP(rho=max(rho, LEAST_RHO))
    epsilon = best_bounds(one.epsilon_bounds, most.delta, **rough.options()).upper
    return bool(epsilon <= most.most)


def _questions(run: Composition, most: Checked, tolerance: float) -> list[tuple[str, float]]:
    """The questions, from coarse to close, until an answer decides."""
    # An epsilon within the tolerance is what most budgets take; a delta within it decides more.
    asked: list[tuple[str, float]] = [(most.measure, tolerance)]
    if len(run.terms) > _FEW and most.measure == "epsilon" and tolerance < _ROUGH:
        return [("epsilon", _ROUGH), *asked]
    if len(run.terms) <= _FEW and all(mechanism.is_exact for mechanism, _ in run.terms):
        has_delta = most.measure == "epsilon" and most.most <= _checks.MAX_EPSILON
        curves = ("delta", most.measure) if has_delta else (most.measure,)
        finer = [width for width in _FINER if width < tolerance]
        asked += [(each, width) for each in curves for width in (tolerance, *finer)]
    return asked
