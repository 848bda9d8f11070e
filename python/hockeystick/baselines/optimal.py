# SPDX-License-Identifier: Apache-2.0
"""Optimal composition of equal guarantees: the binomial sum of n randomized responses.

Among all (epsilon, delta)-DP mechanisms, the worst reveals the data with probability delta, and
else answers a yes-no question truthfully with probability p = e^epsilon / (1 + e^epsilon). Composed
n times, its privacy loss is l_j = (2j - n) epsilon with probability C(n, j) p^j (1 - p)^(n - j),
unless the data were revealed; its hockey-stick divergence is what no accountant that knows only
epsilon, delta and n can improve on (Kairouz, Oh & Viswanath 2015, Theorem 3.3).
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hockeystick import _checks
from hockeystick._checks import FloatArray
from hockeystick._words import spoken
from hockeystick.baselines.binomial import BinomialAtoms
from hockeystick.baselines.closed_forms import checked, log_hidden
from hockeystick.baselines.elementwise import elementwise
from hockeystick.bounds import Array, Value


@spoken
def optimal_composition_delta(
    *, epsilon: float, count: int, target_epsilon: Value | Array, delta: float = 0.0
) -> Value:
    """Smallest delta of every composition of `count` mechanisms that are (epsilon, delta)-DP each.

    Exact at every real `target_epsilon`, not only at multiples of epsilon: it is the hockey-stick
    divergence of the composed worst mechanism, and that mechanism is itself allowed.

    Args:
        epsilon: Of each mechanism, in [0, 1e4] nats.
        count: How many mechanisms run, at most 1e9. Each may depend on earlier outputs.
        target_epsilon: Of the composition, in [0, 1e4] nats, scalar or any shape.
        delta: Of each mechanism, in [0, 1].

    Returns:
        A float, or an array shaped like `target_epsilon`. All terms are positive and nothing
        cancels; rounding is not counted, but measured: the relative error is at most 1e-11
        (tests/python/baselines/test_optimal.py, down to delta = 1e-300).

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Cost: O(sqrt(count)) for each target. Source: Kairouz, Oh & Viswanath (2015), Theorem 3.3.

    >>> optimal_composition_delta(epsilon=0.5, count=1, target_epsilon=0.0)  # tanh(1/4)
    0.24491866240370913
    """
    step, times = checked(epsilon, delta, count)
    targets = _checks.epsilon_array(target_epsilon, name="target_epsilon")
    steps, log = _Responses(step.epsilon, times), log_hidden(step.delta, times)
    hidden, shown = math.exp(log), -math.expm1(log)
    result: Value = elementwise(lambda target: shown + hidden * steps.delta(target), targets)
    return result


@spoken
def optimal_composition_epsilon(
    *, epsilon: float, count: int, target_delta: Value | Array, delta: float = 0.0
) -> Value:
    """Smallest epsilon of every composition of `count` mechanisms, (epsilon, delta)-DP each.

    Arguments and errors as of ``optimal_composition_delta``; `target_delta` is that of the
    composition, in [0, 1), scalar or any shape.

    Returns:
        A float, or an array shaped like `target_delta`, in nats; inf where it is below
        ``1 - (1 - delta)^count``. Rounding is not counted, but measured: the error is at most 1e-11
        relative to the larger of the result and epsilon, where `target_delta` is not next to
        ``1 - (1 - delta)^count`` (tests/python/baselines/test_optimal.py).

    Cost: O(sqrt(count) log(count)) for each target. Source: Kairouz, Oh & Viswanath (2015),
    Theorem 3.3, inverted between two losses in closed form.

    >>> round(optimal_composition_epsilon(epsilon=0.01, count=10_000, target_delta=1e-6), 6)
    4.885516
    """
    step, times = checked(epsilon, delta, count)
    targets = _checks.delta_array(target_delta, name="target_delta")
    steps, log = _Responses(step.epsilon, times), log_hidden(step.delta, times)
    hidden, shown = math.exp(log), -math.expm1(log)

    def solve(target: float) -> float:
        if target < shown:  # also whenever `hidden` underflows
            return math.inf
        if target == 0:
            return times * step.epsilon
        return steps.epsilon((target - shown) / hidden, (1 - target) / hidden)

    result: Value = elementwise(solve, targets)
    return result


@dataclass(frozen=True, slots=True)
class _Responses:
    """`count` randomized responses of parameter `step`, nothing revealed outright."""

    step: float
    count: int

    def delta(self, target: float) -> float:
        """The hockey-stick divergence at `target` >= 0."""
        if self.step == 0:
            return 0.0
        # Which losses exceed the target, and by how much, in exact arithmetic: where only a few
        # do, the answer hangs on the difference.
        step, goal = Fraction(self.step), Fraction(target)
        first = int((goal / step + self.count) // 2) + 1
        if first > self.count:
            return 0.0
        return self._tail(first).divergence(float((2 * first - self.count) * step - goal))

    def epsilon(self, target: float, complement: float) -> float:
        """The least epsilon >= 0 with divergence at most `target` = 1 - `complement`."""
        if self.step == 0 or self.count == 0:
            return 0.0
        low, high = self.count // 2 + 1, self.count  # the positive losses
        while low < high:
            middle = (low + high) // 2
            if self._tail(middle).room(target, complement) >= 0:
                high = middle
            else:
                low = middle + 1
        gap = self._tail(high).gap(target, complement)
        return max((2 * high - self.count) * self.step - gap, 0.0)

    def _tail(self, first: int) -> "_Tail":
        atoms = BinomialAtoms.above(first, self.count, self.step)
        index = np.arange(atoms.start - first, atoms.start - first + atoms.weights.size)
        return _Tail(atoms, np.float64(2 * self.step) * index)


@dataclass(frozen=True, slots=True)
class _Tail:
    """The losses l + excess: l the `first` that counts, and below it only those of the bulk."""

    atoms: BinomialAtoms
    excess: FloatArray

    def divergence(self, gap: float) -> float:
        """The hockey-stick divergence at l - gap, no loss between."""
        return self.atoms.sum(-np.expm1(-np.maximum(self.excess + gap, 0)))

    def room(self, target: float, complement: float) -> float:
        """`target` minus the divergence at l, whichever of it and 1 minus it is the smaller."""
        if target <= complement or not self.atoms.complete:
            return target - self.divergence(0)
        return self.atoms.sum(np.exp(-np.maximum(self.excess, 0))) - complement

    def gap(self, target: float, complement: float) -> float:
        """The gap at which the divergence is `target`, if no loss lies between.

        The divergence there is linear in 1 - e^-gap, with slope e^l Q(L >= l).
        """
        slope = self.atoms.sum(np.exp(-np.abs(self.excess)) * (self.excess >= 0))
        room = self.room(target, complement)
        return -math.log1p(-room / slope) if room < slope else math.inf
