# SPDX-License-Identifier: Apache-2.0
"""Whether a budget holds with more runs: a comparison, decided as sharply as it takes."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypedDict, Unpack

from hockeystick import _checks
from hockeystick.accountant.ledger import Ledger, checked_label
from hockeystick.bounds import Bounds
from hockeystick.composition import Composable, Composition
from hockeystick.errors import CertificationError
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, Limits, spelled_out

Amount = float | str | Decimal | Fraction

# The widths of the questions that follow the first, while they do not tell. Binary64 ends there;
# of many distinct mechanisms each takes 30 times as long as the one before.
_FINER = (1e-6, 1e-9, 1e-11, 1.1e-12)
_FEW = 16


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


class _Amounts(TypedDict):
    epsilon: Amount
    delta: Amount


class Budget(_Amounts, total=False):
    """The keywords of a question about a budget."""

    memory_limit: int


class Admission(Ledger):
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
        thread, so that all that was admitted keeps the budget. Run what was admitted afterwards.

        Args:
            mechanism: What is to run: a mechanism or a composition.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            label: As of ``compose``.
            budget: ``epsilon`` and ``delta``, and a memory limit, as of ``would_exceed``.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type.

        >>> import hockeystick as hs
        >>> acct = hs.Accountant()
        >>> query = hs.Laplace(noise_multiplier=10.0)
        >>> [acct.admit(query, epsilon=1, delta=1e-9) for _ in range(11)].count(True)
        10
        """
        checked_label(label)
        with self._lock:
            while True:
                before = self._entries
                if self.would_exceed(mechanism, count, **budget):
                    return False
                if self._entries is before:  # and no signal handler of this thread has composed
                    self.compose(mechanism, count, label=label)
                    return True

    @spelled_out
    def would_exceed(self, mechanism: Composable, count: int = 1, **budget: Unpack[Budget]) -> bool:
        """Whether `count` more runs might break a budget; nothing is entered.

        False is a certificate: with them, delta at `epsilon` has an upper bound of at most `delta`.
        True says that they break it, or come so near that this cannot be told: where the bounds at
        the accountant's tolerance do not decide, finer ones are asked for, down to 1e-12, of at
        most 16 distinct mechanisms, none of which is known by pairs above and below it alone.

        Args:
            mechanism: What might run: a mechanism or a composition.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            budget: ``epsilon``, finite and >= 0 [nats]: a number, or a ``Decimal``, ``Fraction`` or
                string such as "0.3", of which not the smallest part is given beyond. ``delta``, in
                (0, 1); likewise. ``memory_limit``, the bytes the computation may take, > 0.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type.

        Cost: that of a question; from 16 distinct mechanisms on, some milliseconds from the second
        question on, but near the budget; of 32 distinct Gaussians, sampled or not, less than one.
        What was composed is kept for that, up to some ten MiB for each budget, and never copied or
        saved.

        >>> import hockeystick as hs
        >>> step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
        >>> acct = hs.Accountant().compose(step, count=1000)
        >>> acct.would_exceed(step, 100, epsilon=2.0, delta=1e-5)
        False
        >>> acct.would_exceed(step, 300, epsilon="2.0", delta="1e-5")
        True
        """
        epsilon, delta, limit = _checked(**budget)
        limits = Limits(self._adjacency, self._tolerance, limit)
        with self._lock:
            entries = self._entries
            run = entries.and_then(mechanism, count).composition
            more = count * mechanism
            found = self._kept.runs.bounds("epsilon", delta, entries, limits, more)
            if found is not None and not found.lower <= epsilon < found.upper:
                return found.lower > epsilon
            fits = self._kept.decide(entries.composition, more, epsilon, delta, limits)
            return not (_fits(run, epsilon, delta, limits) if fits is None else fits)


def _checked(
    *, epsilon: Amount, delta: Amount, memory_limit: int = DEFAULT_MEMORY_LIMIT
) -> tuple[float, float, int]:
    return (
        _checks.non_negative("epsilon", amount("epsilon", epsilon)),
        _checks.open_unit("delta", amount("delta", delta)),
        _checks.memory_limit(memory_limit),
    )


def _fits(run: Composition, epsilon: float, delta: float, limits: Limits) -> bool:
    """Whether the run is certified to be (epsilon, delta)-DP; not where none can tell."""

    def bounds(wanted: str, width: float) -> tuple[Bounds[float], bool]:
        options = limits._replace(tolerance=width)._asdict()
        try:
            if wanted == "delta":
                return run.delta_bounds(epsilon, **options), False
            return run.epsilon_bounds(delta, **options), False
        except CertificationError as error:  # its bounds hold, if wider than asked for
            return error.bounds, True

    # An epsilon within the tolerance is what most budgets take; a delta within it tells more.
    tolerance = limits.tolerance
    asked = [("epsilon", tolerance)]
    if len(run.terms) <= _FEW and all(mechanism.is_exact for mechanism, _ in run.terms):
        curves = ("delta", "epsilon") if epsilon <= _checks.MAX_EPSILON else ("epsilon",)
        finer = [width for width in _FINER if width < tolerance]
        asked += [(each, width) for each in curves for width in (tolerance, *finer)]
    given_up = set()
    for wanted, width in asked:
        if wanted in given_up:
            continue
        found, is_last = bounds(wanted, width)
        goal = delta if wanted == "delta" else epsilon
        if found.upper <= goal:
            return True
        if found.lower > goal:
            return False
        if is_last:
            given_up.add(wanted)
    return False
