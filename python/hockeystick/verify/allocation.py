# SPDX-License-Identifier: Apache-2.0
"""One epoch of random allocation: its hockey-stick curve, by a contour of its own.

With S the sum of t log-normals Y of mean 1, the likelihood ratio is S / t, and the curve follows
from put(K) = E (K - S)_+, `transform` from E e^(-s S) = g(s)^t.
"""

import math

from flint import arb, ctx

from hockeystick._search import crossing
from hockeystick.verify.balls import ZERO, between, digits_of, maximum, normal_tail
from hockeystick.verify.closed import gaussian
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.inversion import Inversion
from hockeystick.verify.pilot import Pilot, Strike
from hockeystick.verify.vertical import Plan, Vertical
from hockeystick.verify.work import bounded

DEEPEST = 900.0  # nats of the curve
ROUNDS = 6
MOST_WORK = 6e6  # of one value; noise below 0.5 takes most
KEPT = 4
SAFETY = 4.0
FEW_NODES, MOST_NODES = 600, 20_000
LITTLE = 0.06  # of mu: hyperbolas then hardly bend


class Allocated:
    """delta(epsilon) of 1 of `steps` Gaussians N(sqrt(epochs) / noise) against N(0)."""

    def __init__(
        self, noise: float, steps: int, epochs: int, *, removes: bool, digits: int
    ) -> None:
        self._noise, self._steps, self._epochs = noise, steps, epochs
        self._removes = removes
        self.digits: int = digits
        self._nats: float = digits * math.log(10)
        self._pilot = Pilot(math.sqrt(epochs) / noise, steps)
        self._kept: list[Inversion | Vertical] = []
        self._floor = ZERO

    def _mu(self) -> arb:
        """At the working precision."""
        return arb(self._epochs).sqrt() / arb(self._noise)

    def __call__(self, epsilon: arb) -> arb:
        """At a real epsilon; it is at most that of the Gaussian, and at least 1 - e^epsilon."""
        least = maximum(ZERO, -epsilon.expm1())
        most = gaussian(self._mu() ** 2)(epsilon).min(self._by_variance(epsilon))
        if most < self._floor:
            return between(least, most)
        try:
            with bounded(MOST_WORK):
                return self._known(epsilon, least, most)
        except (ArithmeticError, ValueError):  # no contour, or no doubles to choose one by
            return between(least, most)

    def _by_variance(self, epsilon: arb) -> arb:
        """From above: (x - c)_+ <= (x - 1)^2 / (4 (c - 1)) for c > 1; alike (c - x)_+ for c < 1."""
        if not epsilon > 0:
            return arb(1)
        quarter = (self._mu() ** 2).expm1() / (4 * self._steps)
        if self._removes:
            return quarter / epsilon.expm1()
        return quarter * epsilon.exp() / -(-epsilon).expm1()

    def _known(self, epsilon: arb, least: arb, most: arb) -> arb:
        guess, value = self._guess(epsilon), most
        if guess < -DEEPEST:  # a contour would take as many bits
            return between(least, most)
        for trial in range(ROUNDS):
            goal = guess + math.log(self._steps) - self._nats - SAFETY
            value = self._with(epsilon, goal, fresh=trial > 0)
            if digits_of(value) >= self.digits or value < self._floor:
                return value
            if value > 0:
                guess = min(guess - SAFETY, float(value.lower().log()))
            else:
                guess -= 2 * self._nats + 10 * 2**trial
            if guess < -DEEPEST:
                break
        return between(maximum(least, value.lower()), value.upper().min(most.upper()))

    def _with(self, epsilon: arb, goal: float, *, fresh: bool) -> arb:
        """By a contour that is there, or by a new one of that error."""
        strike = self._strike(epsilon)
        if not self._removes:
            goal -= float(epsilon)
        near = min(self._kept, key=lambda one: abs(one.strike.beyond - strike.beyond), default=None)
        if near is not None and not fresh:
            value = self._value(near, epsilon)
            if digits_of(value) >= self.digits or value < self._floor:
                return value
        plan = Plan(self._pilot, strike, goal)
        made: Inversion | Vertical
        if plan.nodes <= FEW_NODES or (self._pilot.mu < LITTLE and plan.nodes <= MOST_NODES):
            made = Vertical(plan, self._mu, self._steps)
        else:
            made = Inversion(self._pilot, self._mu, self._steps, strike, goal)
        self._kept = [made, *self._kept[: KEPT - 1]]
        return self._value(made, epsilon)

    def _value(self, inversion: Inversion | Vertical, epsilon: arb) -> arb:
        """E (R - alpha)_+ = put(alpha t) / t + 1 - alpha, or E (1 - alpha R)_+, R = S / t."""
        with ctx.workprec(inversion.bits):
            alpha = epsilon.exp()
            if self._removes:
                return inversion.put(alpha * self._steps) / self._steps + (1 - alpha)
            return inversion.put(self._steps / alpha) * alpha / self._steps

    def _strike(self, epsilon: arb) -> Strike:
        """alpha t, or t / alpha."""
        log = epsilon if self._removes else -epsilon
        return Strike(float(log.exp()) * self._steps, float(log.expm1()) * self._steps)

    def _guess(self, epsilon: arb) -> float:
        """About log delta."""
        x = float(epsilon)
        if self._removes and x > 0:
            return max(self._one_large(epsilon), self._many_small(x))
        strike = self._strike(epsilon)
        put = self._pilot.log_put(strike) - math.log(self._steps)
        if not self._removes:
            return put + x
        return max(put, math.log(-math.expm1(x))) if x < 0 else put

    def _one_large(self, epsilon: arb) -> float:
        """Where one Y makes the sum large: E (Y - t (alpha - 1) - 1)_+."""
        mu = self._mu()
        strike = self._steps * epsilon.expm1() + 1
        x = strike.log() / mu
        value = normal_tail(x - mu / 2) - strike * normal_tail(x + mu / 2)
        return float(value.log()) if value > 0 else -DEEPEST

    def _many_small(self, x: float) -> float:
        """Where all do: a normal sum."""
        deviation = math.sqrt(math.expm1(self._pilot.mu**2) / self._steps)
        z = max(math.expm1(x) / deviation, 1e-3) if x < 100 else 1e30  # noqa: PLR2004
        return math.log(deviation) - z * z / 2 - math.log(2.5 * (1 + z * z))

    def about(self, log_delta: float) -> float:
        """An epsilon whose delta is about that."""

        def is_past(log_epsilon: float) -> bool:
            return self._guess(arb(math.exp(log_epsilon))) <= log_delta

        return math.exp(crossing(is_past, -35.0, math.log(600), 50))

    def beyond(self, target: arb) -> arb:
        """An epsilon whose delta is at most the target; deltas far below it need no digits then."""
        self._floor = target * arb(10) ** -3
        found = self.about(float(target.log()))
        for more in (0.02, 0.1, 0.3, 1.0, 3.0, 10.0):
            end = arb(found * (1 + more))
            if self(end) <= target:
                return end
        raise NotKnownError("no epsilon is found whose delta is certainly below the target")
