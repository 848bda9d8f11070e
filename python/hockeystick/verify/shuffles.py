# SPDX-License-Identifier: Apache-2.0
"""Above shuffled epochs: the theorems of shuffled-left-out and shuffled-every, term by term.

Both bound h(alpha) by E (sum of independent W)_+, where the prices E (W - x)_+ are the largest that
a batch can have. It grows if the law of a W grows in the increasing convex order.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from flint import arb

from hockeystick._search import crossing, peak
from hockeystick.mechanisms import Shuffled
from hockeystick.verify.allocation import Allocated
from hockeystick.verify.balls import (
    ZERO,
    Curve,
    double_above,
    double_below,
    falling_root,
    proposed,
)
from hockeystick.verify.closed import sampled
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.lattices import (
    FARTHEST,
    ROUNDED,
    Doubles,
    Lattice,
    Spread,
    lattice,
    lognormal,
    on_lattice,
    positive_part,
    product,
    repeated,
    shuffle_term,
)
from hockeystick.verify.work import bounded


class Fineness(NamedTuple):
    """How far apart places are."""

    cell: float
    """Distance of the places of a batch's output, in deviations."""
    grid: float
    """Distance of the lattice points, in deviations of W."""
    most: int
    """Lattice points, at most."""


COARSE, FINE = Fineness(0.15, 0.08, 1024), Fineness(0.02, 0.015, 8192)
NODES = Fineness(0.03, 0.04, 1200)  # where the last batch takes a sum for each node
FEW = 3  # batches whose nodes are as fine
LARGEST, SMALLEST = 1e150, 1e-250  # alpha, and a curve, beyond which only the own step is known
MOST_BITS, ALLOWED = 1000, 1.5e6  # of masses, which come from doubles; of work on one curve
PIVOT = 0.35  # deviations between nodes of the last batch's output
LITTLE = 1e-3  # of a value: what may be left out or added for simplicity
CLOSE, ROUNDS = 0.97, 8  # of the target: an epsilon is good enough
NARROW = 0.05  # of the farthest loss: so near is the loss that is best for a test


@dataclass(frozen=True)
class Epoch:
    """An epoch of batches, in units of the noise and of a whole batch."""

    nu: arb
    """How far a record moves its batch."""
    others: int
    """Batches beside the last one, the pivot; all, where records are left out."""
    replaces: bool
    left_out: bool
    small: arb
    """Size of one batch more, which is smaller; 0 if there is none."""
    less: arb
    """Records left out of each batch's size."""

    @property
    def mu(self) -> arb:
        """Twice as far where records are replaced."""
        return 2 * self.nu if self.replaces else self.nu

    @property
    def size(self) -> arb:
        """All records, in batches."""
        return self.others + self.small + (self.less if self.left_out else 1)


def _end(w: Doubles, mass: Doubles, tail: float) -> float:
    """About the x with E (W - x)_+ = tail."""

    def is_past(x: float) -> bool:
        return bool((mass * np.maximum(w - x, 0.0)).sum() <= tail)

    return crossing(is_past, 0.0, float(w.max()), 30)


class Bound:
    """h(alpha) of an epoch from above, alpha >= 1."""

    def __init__(self, epoch: Epoch, fine: Fineness, tail: float) -> None:
        self._epoch, self._fine, self._tail = epoch, fine, tail
        self._bits: int = 40 - math.floor(math.log2(tail))
        if self._bits > MOST_BITS:
            raise NotKnownError("a value of a shuffle is too small for doubles")
        if not epoch.left_out:
            self._nodes = _nodes(epoch.nu, tail)

    def at(self, alpha: float, *, back: bool) -> float:
        """At a double, not above the true alpha."""
        epoch = self._epoch
        law = shuffle_term(
            epoch.mu, alpha, self._fine.cell, self._tail, replaces=epoch.replaces, back=back
        )
        masses, first, step, left = self._on_lattice(law, epoch.others)
        if epoch.left_out:
            one = lattice(first, step, masses, self._bits, left)
            less = epoch.less * (arb(alpha) - 1)
            return double_above(self._mean(one, None, less) / epoch.size)
        places = (np.arange(len(masses)) + first) * step
        return double_above(self._pivoted(places, masses, left, alpha, back=back) / epoch.size)

    def _on_lattice(self, law: Spread, count: float) -> tuple[Doubles, int, float, arb]:
        """Masses, the first place, the step, and the mean that is left out."""
        w, mass = law.places, law.masses
        deviation = math.sqrt(float((mass * w * w).sum()))
        top = _end(w, mass, self._tail)
        bottom = _end(-w, mass, 1e-4 * deviation / math.sqrt(max(count, 1)))
        step = max(self._fine.grid * deviation, (top + bottom) / self._fine.most)
        step = 2.0 ** math.floor(math.log2(step))
        ends = -math.ceil(bottom / step) - 1, math.ceil(top / step) + 1
        beyond = float((mass * np.maximum(w - ends[1] * step, 0.0)).sum()) * ROUNDED
        return on_lattice(w, mass, step, ends), ends[0], step, law.left + arb(beyond)

    def _mean(self, one: Lattice, small: Lattice | None, less: arb) -> arb:
        """E (sum of all others' - less)_+."""
        scale = math.ldexp(one.step**2, -one.bits)
        variance = scale * sum(m * (one.start + k) ** 2 for k, m in enumerate(one.masses))
        bottom = 12 * math.sqrt(variance * self._epoch.others) - one.lowest
        tail = self._tail * LITTLE
        total = repeated(one, self._epoch.others, self._fine.most, bottom, tail)
        if small is not None:
            total = small if total is None else product(total, small, bottom, tail)
        return positive_part(total, double_below(less)) if total is not None else (-less).max(ZERO)

    def _pivoted(
        self, places: Doubles, masses: Doubles, left: arb, alpha: float, *, back: bool
    ) -> arb:
        """Over the nodes of the last batch's output, from the largest gain on."""
        epoch, (gains, losses, weights, rest) = self._epoch, self._nodes
        positive = float((masses * np.maximum(places, 0.0)).sum()) * ROUNDED
        number = epoch.others + epoch.small
        most = number * (arb(positive) + left)
        total, beyond = rest * (most + 1), sum(weights, ZERO)
        for gain, loss, weight in zip(gains, losses, weights, strict=True):
            up = gain if epoch.replaces or not back else arb(1)
            down = alpha * (loss if epoch.replaces or back else arb(1))
            crude = weight * (gain * most + (up - down).max(ZERO))
            beyond -= weight
            if total + crude < self._tail:
                total += crude
                continue
            value = self._node(
                places, masses, left, float(gain.upper()), float(loss.lower()), down - up
            )
            total += weight * value
            if beyond * value < LITTLE * total:
                return total + beyond.max(ZERO) * value
        return total

    def _node(
        self, places: Doubles, masses: Doubles, left: arb, gain: float, loss: float, less: arb
    ) -> arb:
        gain, loss = gain * (1 + 2.0**-50), loss * (1 - 2.0**-50)
        if not max(gain, 1) * max(-places[0], places[-1]) < LARGEST:
            raise NotKnownError("the terms of a shuffle are too large for doubles")
        scaled = np.where(places > 0, gain * places, loss * places)
        one = self._placed(scaled + np.abs(scaled) * FARTHEST, masses, left * gain)
        small = None
        if self._epoch.small > 0:
            by = float(self._epoch.small.upper())
            moved = np.where(places > 0, scaled * by, scaled * float(self._epoch.small.lower()))
            small = self._placed(moved + np.abs(moved) * FARTHEST, masses, left * gain)
        return self._mean(one, small, less)

    def _placed(self, places: Doubles, masses: Doubles, left: arb) -> Lattice:
        deviation = math.sqrt(float((masses * places**2).sum()))
        span = places[-1] - places[0]
        step = max(self._fine.grid * deviation, span / self._fine.most, 1e-300)
        step = 2.0 ** math.floor(math.log2(step))
        ends = math.floor(places[0] / step), math.ceil(places[-1] / step) + 1
        made = on_lattice(places, masses, step, ends)
        return lattice(ends[0], step, made, self._bits, left)


def _nodes(nu: arb, tail: float) -> tuple[list[arb], list[arb], list[arb], arb]:
    """Gains p from the largest on, losses q, masses, and E (p - largest)_+.

    p is log-normal of mean 1 and q = kappa / p. Places of ratio r: the tangents of the hyperbola
    in the middle of two gaps meet at (x, c kappa / x), c = 4 r / (1 + r)^2.
    """
    spread = lognormal(nu, PIVOT, tail)
    r, kappa = (nu * PIVOT).exp(), (-nu * nu).exp()
    lower = 4 * r / (1 + r) ** 2 * kappa * (1 - arb(2) ** -40)  # places are rounded
    gains = [arb(x) for x in spread.places[1:]]
    weights = [arb(m) for m in spread.masses[1:]]
    weights[0] += arb(spread.masses[0])  # below the first place p moves up to it
    losses = [lower / x for x in gains[:-1]] + [ZERO]
    return gains[::-1], losses[::-1], weights[::-1], spread.left


class Above:
    """The curve above an epoch in one direction, and answers from few values of it."""

    def __init__(self, epoch: Epoch, own: Curve, *, back: bool) -> None:
        self._epoch, self._own, self._back = epoch, own, back
        self._epsilons: dict[str, arb] = {}
        self._allowed: float = ALLOWED

    def __call__(self, epsilon: arb) -> arb:
        """At a real epsilon; below 0 by the reverse; never above the record's own step."""
        return arb(self._at(epsilon, FINE)).min(self._own(epsilon).upper())

    def _at(self, epsilon: arb, fine: Fineness) -> float:
        if epsilon < 0:
            there = self._value(-epsilon, fine, back=not self._back)
            alpha = epsilon.exp()
            return double_above(1 - alpha + alpha * there)
        return self._value(epsilon, fine, back=self._back)

    def _value(self, x: arb, fine: Fineness, *, back: bool) -> float:
        """From above, at x >= 0; 1 where it takes too much work."""
        alpha, value = double_below(x.exp()), double_above(self._own(x))
        if not alpha < LARGEST or value < SMALLEST:
            return 1.0
        with bounded(self._allowed) as left:
            try:
                value = self._by_theorem(alpha, value, fine, back=back)
            except NotKnownError:
                value = 1.0
        self._allowed = left[0]
        return min(value, 1.0)

    def _by_theorem(self, alpha: float, value: float, fine: Fineness, *, back: bool) -> float:
        for _ in range(ROUNDS):
            tail = value * LITTLE
            value = min(Bound(self._epoch, COARSE, tail).at(alpha, back=back), 1.0)
            if tail <= value * 10 * LITTLE:
                break
        if fine is COARSE:
            return value
        return Bound(self._epoch, self._level(fine), value * LITTLE).at(alpha, back=back)

    def _level(self, fine: Fineness) -> Fineness:
        many = not self._epoch.left_out and self._epoch.others > FEW
        return NODES if fine is FINE and many else fine

    def epsilon(self, target: arb) -> arb:
        """One whose delta is at most the target for certain, and hardly less where one is found."""
        key = target.str(30)
        if key not in self._epsilons:
            self._epsilons[key] = self._least(target)
        return self._epsilons[key]

    def _least(self, target: arb) -> arb:
        high = arb(1)
        while self._own(high) > target:
            high = 2 * high
        best = falling_root(self._own, target, ZERO, high, 80).upper()
        if self(ZERO) <= target:
            return ZERO
        x = proposed(lambda x: arb(self._at(x, COARSE)), target, ZERO, best, 10)
        last: tuple[arb, arb] | None = None
        for _ in range(ROUNDS):
            value = arb(self._at(x, FINE))
            if value <= target:
                best = best.min(x)
                if value >= CLOSE * target:
                    break
            fall = arb(1) / x if last is None else (last[1] / value).log() / (x - last[0])
            if not fall > 0:
                break
            last = x, value
            x = (x + (value / (target * arb(CLOSE).sqrt())).log() / fall).mid()
            if not x > 0:
                break
        return best

    def power(self, rate: arb) -> arb:
        """At least the largest true positive rate: no test has more than a line at any loss."""

        def saved(x: float) -> float:
            at = arb(x)
            return -float((arb(self._at(at, COARSE)).min(self._own(at)) + at.exp() * rate).mid())

        high = arb(1)
        while self._own(high) > rate / 10:
            high = 2 * high
        while self._at(high / 2, COARSE) < rate / 10:
            high = high / 2
        farthest = float(high)
        x = arb(peak(saved, -farthest, farthest, NARROW * farthest)[0])
        return (self(x) + x.exp() * rate).upper().min(arb(1))


class Joined:
    """Below an epoch that leaves records out: an allocation that the record is part of, or not."""

    def __init__(self, rate: arb, allocated: Allocated, proved: Above, *, back: bool) -> None:
        self._curve = sampled(rate, allocated, back=back)
        self._proved = proved
        self.about: Callable[[float], float] = allocated.about

    def __call__(self, epsilon: arb) -> arb:
        """At a real epsilon."""
        return self._curve(epsilon)

    def beyond(self, target: arb) -> arb:
        """An epsilon whose delta is at most the target: what is proved lies above."""
        high = self._proved.epsilon(target)
        if not self(high) <= target:
            raise NotKnownError("no epsilon is found whose delta is certainly below the target")
        return high


def epoch_of(mechanism: Shuffled) -> Epoch | None:
    """None of a single batch that uses all."""
    size, batches = mechanism.batch_size, mechanism.batches
    nu = arb(mechanism.epochs).sqrt() / arb(mechanism.mechanism.noise_multiplier)
    if mechanism.left_out:
        less = arb(mechanism.left_out) / size if size else ZERO
        return Epoch(nu, batches, replaces=False, left_out=True, small=ZERO, less=less)
    if batches == 1:
        return None
    if size and mechanism.last_batch and mechanism.last_batch < size:
        small = arb(mechanism.last_batch) / size
        return Epoch(nu, batches - 2, replaces=False, left_out=False, small=small, less=ZERO)
    return Epoch(nu, batches - 1, replaces=False, left_out=False, small=ZERO, less=ZERO)


def above(mechanism: Shuffled, own: Curve, *, replaces: bool, back: bool) -> Above | None:
    """The curve above; None where the theorem says no more than the own step."""
    epoch = epoch_of(mechanism)
    return None if epoch is None else Above(replace(epoch, replaces=replaces), own, back=back)
