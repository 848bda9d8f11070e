# SPDX-License-Identifier: Apache-2.0
"""M(z) = E[e^(z L)] of one release, at one real z or along a vertical line, with its error."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

from flint import acb, acb_mat, arb, ctx

from hockeystick.verify import laws, pieces, strips
from hockeystick.verify.balls import ZERO
from hockeystick.verify.strips import Rule, Terms
from hockeystick.verify.work import EXPONENTIAL, POINT, PRODUCT, afford, spend

Counted = Sequence[tuple[laws.Law, int]]
BLOCK = 64  # points of a line taken at a time
BITS = 64  # of a bound
MOST_LOWERED = 7  # lines, the last at 1 / 128 of the height
ROUGH = 15.0  # nats of M(c) where it only says how large errors may be
LOOSE = 7.0  # nats: a bound of all steps that is e^-7 above the best costs nothing


def moment(law: laws.Law, t: arb, nats: float) -> arb:
    """M(t) of the finite losses, t > -1, to about e^-nats of itself."""
    return sum((weight * _moment(pair, t, nats) for weight, pair in law), ZERO)


def _moment(pair: laws.Pair, t: arb, nats: float) -> arb:
    match pair:
        case laws.Gaussian(square):
            return (square * t * (t + 1) / 2).exp()
        case laws.Laplace(m):
            return ((t + 1) * (m * t).exp() + t * (-m * (t + 1)).exp()) / (2 * t + 1)
        case laws.Atoms(outcomes):
            return sum((p * (t * loss).exp() for loss, p in outcomes), ZERO)
        case laws.MixedLaplace():
            rule = pieces.rule(pair, t, ZERO, nats)
            return sum((weight.real for weight, _ in rule.terms), ZERO) + arb(0, rule.error.upper())
        case laws.Mixed() | laws.Logistic():
            return strips.moment(strips.density(pair), t, nats)


@dataclass(frozen=True)
class Line:
    """The points z = c + i k h, k = 0, 1, ..., up to Im z = `farthest`."""

    c: arb
    h: arb
    farthest: arb


class Moments(ABC):
    """M on a line."""

    terms: int
    """Number of terms of the sum at each point."""

    @abstractmethod
    def values(self) -> Iterator[acb]:
        """M at the points, in turn, as balls that hold it."""

    @abstractmethod
    def beyond(self, w: arb) -> arb:
        """A bound on abs(M(c + i v)) for all v >= w."""


class Known(Moments):
    """A closed form."""

    terms = 1

    def __init__(self, pair: laws.Gaussian | laws.Laplace, line: Line) -> None:
        self._pair, self._line = pair, line

    def values(self) -> Iterator[acb]:
        """See `Moments`."""
        for k in count():
            z = acb(self._line.c, k * self._line.h)
            if isinstance(self._pair, laws.Gaussian):
                yield (self._pair.square * z * (z + 1) / 2).exp()
            else:
                m = self._pair.m
                yield ((z + 1) * (m * z).exp() + z * (-m * (z + 1)).exp()) / (2 * z + 1)

    def beyond(self, w: arb) -> arb:
        """A Gaussian's modulus at w; M(c) of others."""
        at = _moment(self._pair, self._line.c, 0)
        if isinstance(self._pair, laws.Gaussian):
            return at * (-self._pair.square * w * w / 2).exp()
        return at


class Sums(Moments):
    """Weights times e^(i w loss), with an error; Im loss >= 0."""

    def __init__(self, rule: Rule, line: Line) -> None:
        self._rule, self._line = rule, line
        self.terms: int = len(rule.terms)

    def values(self) -> Iterator[acb]:
        """See `Moments`."""
        slack = self._rule.error.upper()
        off = acb(arb(0, slack), arb(0, slack))
        for value in turned(self._rule.terms, self._line.h):
            yield value + off

    def beyond(self, w: arb) -> arb:
        """See `Moments`."""
        return self._rule.beyond(w)


class Lowered(Sums):
    """The sums of a density, and more of them nearer to the real line, which bound M sooner.

    At Im x = y a step's moduli are about e^(y^2 / 2 - w y dL/dx) of M(c), which is least at
    e^(-y^2 / 2). So n steps are at e^-nats first on the line of y = sqrt(2 nats / n).
    """

    def __init__(
        self, pair: laws.Mixed | laws.Logistic, line: Line, size: arb, nats: float, steps: int
    ) -> None:
        self._density, self._size = strips.density(pair), size
        super().__init__(strips.rule(self._density, line.c, size, nats), line)
        self._loose = nats / steps + math.log(steps) + LOOSE
        least = math.sqrt(nats / (2 * steps))  # half of it
        number = math.floor(math.log2(max(self._rule.height / least, 1)))
        self._heights = [self._rule.height / 2 ** (k + 1) for k in range(min(number, MOST_LOWERED))]
        self._lower: list[Rule] = []

    def beyond(self, w: arb) -> arb:
        """See `Moments`; each line halves the height of the one before, while that helps."""
        with ctx.workprec(BITS):
            least = self._rule.beyond(w)
            for k, height in enumerate(self._heights):
                if k == len(self._lower):
                    self._lower.append(self._lowered(height))
                bound = self._lower[k].beyond(w)
                if not bound < least:
                    break
                least = bound
            return least

    def _lowered(self, height: float) -> Rule:
        return strips.rule(self._density, self._line.c, self._size, self._loose, height)


class Drawn(Moments):
    """A public draw."""

    def __init__(self, parts: list[tuple[arb, Moments]]) -> None:
        self._parts = parts
        self.terms: int = sum(part.terms for _, part in parts)

    def values(self) -> Iterator[acb]:
        """See `Moments`."""
        for row in zip(*(part.values() for _, part in self._parts), strict=False):
            yield sum((w * v for (w, _), v in zip(self._parts, row, strict=True)), acb(0))

    def beyond(self, w: arb) -> arb:
        """See `Moments`."""
        return sum((weight * part.beyond(w) for weight, part in self._parts), ZERO)


def along(law: laws.Law, line: Line, nats: float, steps: int, size: arb | None = None) -> Moments:
    """M on the line, to about e^-nats of M(c), about `size` if that is known; `steps` in all."""
    if size is None:
        with ctx.workprec(2 * BITS):
            size = moment(law, line.c, ROUGH)
    size = size.upper()
    parts = [(weight, _along(pair, line, size / weight, nats, steps)) for weight, pair in law]
    return parts[0][1] if len(parts) == 1 else Drawn(parts)


def _along(pair: laws.Pair, line: Line, size: arb, nats: float, steps: int) -> Moments:
    match pair:
        case laws.Gaussian() | laws.Laplace():
            return Known(pair, line)
        case laws.Atoms(outcomes):
            terms = [(acb(p * (line.c * loss).exp()), acb(loss)) for loss, p in outcomes]
            return Sums(Rule(terms, ZERO), line)
        case laws.MixedLaplace():
            goal = nats - float(size.log())
            return Sums(pieces.rule(pair, line.c, line.farthest, goal), line)
        case laws.Mixed() | laws.Logistic():
            return Lowered(pair, line, size, nats, steps)


class Product:
    """prod M_i(z)^n_i / (z (z + 1)) of a composition, along a line."""

    def __init__(self, laws: Counted, line: Line, sizes: Sequence[arb], nats: float) -> None:
        steps = sum(n for _, n in laws)
        self._line = line
        most = zip(laws, sizes, strict=True)
        self._parts = [(along(law, line, nats, steps, size), n) for (law, n), size in most]
        self.terms: int = sum(part.terms for part, _ in self._parts)

    def beyond(self, w: arb) -> arb:
        """A bound on abs(prod M_i^n_i) at c + i v for all v >= w."""
        return math.prod((part.beyond(w) ** n for part, n in self._parts), start=arb(1))

    def values(self, number: int) -> Iterator[tuple[acb, acb]]:
        """The first points of the line, and the product at each."""
        afford(number * sum(POINT + PRODUCT * part.terms for part, _ in self._parts))
        streams = [islice(part.values(), number) for part, _ in self._parts]
        for k, row in enumerate(zip(*streams, strict=True)):
            spend(len(row) * POINT)
            z = acb(self._line.c, k * self._line.h)
            product = acb(1) / (z * (z + 1))
            for value, (_, n) in zip(row, self._parts, strict=True):
                product *= value**n
            yield z, product


def turned(terms: Terms, h: arb) -> Iterator[acb]:
    """The sums of weight e^(i k h loss), k = 0, 1, ...: a matrix of BLOCK turns serves them all."""
    phases = [acb(0, h) * loss for _, loss in terms]
    turns = [phase.exp() for phase in phases]
    row, rows = [acb(1)] * len(terms), []
    for _ in range(BLOCK):
        rows += row
        row = [x * turn for x, turn in zip(row, turns, strict=True)]
    powers = acb_mat(BLOCK, len(terms), rows)
    for k in count(step=BLOCK):
        spend(len(terms) * (BLOCK * PRODUCT + EXPONENTIAL))
        start = [w * (k * phase).exp() for (w, _), phase in zip(terms, phases, strict=True)]
        yield from (powers * acb_mat(len(terms), 1, start)).entries()
