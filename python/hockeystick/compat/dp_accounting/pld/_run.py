# SPDX-License-Identifier: Apache-2.0
"""Certified answers about runs of mechanisms: from one side, at any epsilon, in any direction."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

import hockeystick as hs
from hockeystick.adjacency import Adjacency
from hockeystick.compat._quotient import rounded
from hockeystick.compat.dp_accounting.pld._compared import turned
from hockeystick.compat.dp_accounting.pld._given import Given, Shown, convolved, cut

FloatArray = npt.NDArray[np.float64]

_MAX_EPSILON, _MIN_DELTA = 1e4, 1e-300
_TOLERANCES = 1e-7, 1e-4
_CHEAP = 2**24  # bytes
_SHARE = 0.3  # times steps and interval^2: about what connecting dots costs, relatively
_OUTWARD = 2.0**-48  # relative: covers a few roundings, those of exp included
_FEW = 1000  # fractions are multiplied up to this number
_REVERSED = {Adjacency.REMOVE_ONE: Adjacency.ADD_ONE, Adjacency.ADD_ONE: Adjacency.REMOVE_ONE}


@dataclass(frozen=True)
class Run:
    """A composition, and how it is asked about.

    Pairs given by masses, of sums S and R, are in it as distributions: with one of them, delta is
    S times that of the composition at epsilon + log R - log S.
    """

    composition: hs.Composition
    adjacency: Adjacency
    """REMOVE_ONE, ADD_ONE or both, or another one in both directions."""
    pessimistic: bool
    """Whether bounds are upper ones."""
    interval: float
    """Where probabilities are shown, and what the tolerance is oriented by."""
    connect_dots: bool = True
    tail_mass: float = 0.0
    """Of what is shown."""
    given: tuple[tuple[Given, int], ...] = ()

    @property
    def is_symmetric(self) -> bool:
        """Whether both directions are known to have one pair."""
        return all(turned(mechanism) == mechanism for mechanism, _ in self.composition.terms)

    def turned(self, adjacency: Adjacency) -> "Run":
        """The same run, asked about in this direction."""
        if adjacency is self.adjacency:
            return self
        terms = hs.Composition((turned(mechanism), n) for mechanism, n in self.composition.terms)
        return replace(self, composition=terms, adjacency=adjacency)

    def check_like(self, other: "Run") -> None:
        """Raises ValueError unless both are of one grid and side."""
        if self.interval != other.interval:
            raise ValueError(
                f"Discretization intervals are different: {self.interval} != {other.interval}."
            )
        if self.pessimistic != other.pessimistic:
            raise ValueError(
                f"Estimation types are different: {self.pessimistic} != {other.pessimistic}."
            )

    def times(self, count: int, tail_mass: float) -> "Run":
        """The run, repeated `count` times."""
        if count <= 0:
            raise ValueError(f"num_times should be >= 1, num_times={count}")
        return replace(
            self,
            composition=count * self.composition,
            tail_mass=tail_mass,
            given=tuple((pair, n * count) for pair, n in self.given),
        )

    def plus(self, other: "Run", tail_mass: float) -> "Run":
        """Both runs."""
        more = other.turned(self.adjacency)
        return replace(
            self,
            composition=self.composition + more.composition,
            connect_dots=self.connect_dots and more.connect_dots,
            tail_mass=tail_mass,
            given=self.given + more.given,
        )

    def delta(self, epsilons: npt.ArrayLike) -> FloatArray:
        """Delta at epsilons of any sign, infinite ones included."""
        asked = np.asarray(epsilons, dtype=np.float64)
        if np.isnan(asked).any():
            raise ValueError(f"epsilon must be a number, got {epsilons!r}")
        log_p, log_q = self._log_sums
        at = self._moved(asked, log_q - log_p, -1)
        deltas = np.empty(at.shape)
        ahead = at >= 0
        if ahead.any():
            deltas[ahead] = self._bound("delta", np.minimum(at[ahead], _MAX_EPSILON))
        if not ahead.all():
            # h of (P, Q) at alpha is 1 - alpha + alpha h of (Q, P) at 1 / alpha.
            behind, alpha = at[~ahead], np.exp(at[~ahead])
            mirror = replace(self, adjacency=_REVERSED.get(self.adjacency, self.adjacency))
            back = mirror._bound("delta", np.minimum(-behind, _MAX_EPSILON))
            deltas[~ahead] = self._outward(alpha * back - np.expm1(behind))
        if log_p:
            deltas = self._outward(deltas * math.exp(log_p))
        if asked.max(initial=0.0) > _MAX_EPSILON:
            largest, infinite = self.largest_loss() if self.pessimistic else (_MAX_EPSILON, 0.0)
            deltas = np.where(asked >= largest, np.minimum(deltas, infinite), deltas)
        return np.minimum(deltas, 1.0)

    def epsilon(self, deltas: npt.ArrayLike) -> FloatArray:
        """The smallest epsilons >= 0 with at most these deltas; inf where there are none."""
        asked = np.asarray(deltas, dtype=np.float64)
        if np.isnan(asked).any():
            raise ValueError(f"delta must be a number, got {deltas!r}")
        log_p, log_q = self._log_sums
        epsilons = np.where(asked >= 1, 0.0, math.inf)
        inside = (asked > 0) & (asked < 1)
        if inside.any():
            at = asked[inside]
            if log_p:
                at = self._outward(at * math.exp(min(-log_p, 700.0)), -1)
            found = self._bound("epsilon", np.clip(at, 5e-324, math.nextafter(1, 0)))
            moved = np.maximum(self._moved(found, log_p - log_q), 0.0)
            epsilons[inside] = np.where((found == 0) | (at >= 1), 0.0, moved)
        if epsilons.max(initial=0.0) == math.inf:
            if self.pessimistic:
                largest, infinite = self.largest_loss()
                return np.where(asked >= infinite, np.minimum(epsilons, largest), epsilons)
            if (asked == 0).any():
                epsilons[asked == 0] = self.epsilon([_MIN_DELTA])
        return epsilons

    def power(self, rates: npt.ArrayLike) -> FloatArray:
        """The largest true positive rates of tests with these false positive rates."""
        asked = np.asarray(rates, dtype=np.float64)
        if not np.all((asked >= 0) & (asked <= 1)):
            raise ValueError(f"false_positive_rates must be in [0, 1], got {rates!r}")
        log_p, log_q = self._log_sums
        at = self._outward(asked * math.exp(-log_q)) if log_q else asked
        found = self._bound("true_positive_rate", np.minimum(at, 1.0))
        return np.minimum(self._outward(found * math.exp(log_p)) if log_p else found, 1.0)

    def largest_loss(self) -> tuple[float, float]:
        """What no finite loss exceeds, and the mass of infinite ones; both rounded up."""
        ends = [(pair.largest, pair.shown.infinity_mass, n) for pair, n in self.given]
        terms = self.composition.terms
        for mechanism, n in [(one, n * k) for each, n in terms for one, k in each.run_above]:
            if isinstance(mechanism, hs.ApproximateDP):
                ends.append((mechanism.guaranteed_epsilon, mechanism.guaranteed_delta, n))
            elif not isinstance(mechanism, hs.DiscretePair):  # those are given
                pairs = [
                    mechanism.dominating_pair(direction) for direction in self.adjacency.directions
                ]
                loss = max([pair.loss_supremum for pair in pairs])
                ends.append((loss, 0.0 if loss < math.inf else 1.0, n))  # of that nothing is known
        leaks = [(mass, n) for _, mass, n in ends if mass]
        if sum([n for _, n in leaks]) <= _FEW:
            left = math.prod([(1 - Fraction(mass)) ** n for mass, n in leaks], start=Fraction(1))
            infinite = rounded(1 - left, 1)
        else:
            infinite = math.fsum([mass * n for mass, n in leaks]) * (1 + _OUTWARD)
        total = math.inf
        if all(loss < math.inf for loss, _, _ in ends):
            total = rounded(sum((n * Fraction(loss) for loss, _, n in ends), Fraction(0)), 1)
        return max(0.0, total), min(infinite, 1.0)

    def shown(self) -> Shown:
        """Probabilities at multiples of `interval`, but for the tail mass."""
        if self.given:
            terms = self.composition.terms
            free = hs.Composition(x for x in terms if not isinstance(x[0], hs.DiscretePair))
            rest = replace(self, composition=free, given=())
            whole = convolved([(rest.shown(), 1), *((pair.shown, n) for pair, n in self.given)])
            return cut(whole, self.tail_mass, pessimistic=self.pessimistic)
        pld = self.composition.pld(
            discretization_interval=self.interval,
            side="upper" if self.pessimistic else "lower",
            estimator="connect_dots" if self.connect_dots else "privacy_buckets",
            tail_mass=max(self.tail_mass / 2, _MIN_DELTA),
            merge_gaussians=False,
            adjacency=self.adjacency,
        )
        slack = pld.slack if self.pessimistic else -pld.slack
        infinity_mass = min(max(pld.infinity_mass + slack, 0.0), 1.0)
        return Shown(round(pld.losses[0] / self.interval), pld.probabilities, infinity_mass)

    @property
    def _log_sums(self) -> tuple[float, float]:
        if not self.given:
            return 0.0, 0.0
        return sum(n * x.log_p for x, n in self.given), sum(n * x.log_q for x, n in self.given)

    def _bound(self, wanted: str, given: FloatArray) -> FloatArray:
        """Ends of bounds about as close as connecting dots, if that is cheap, or else good ones."""
        steps = sum([count for _, count in self.composition.terms])
        low, high = _TOLERANCES
        fine = min(max(_SHARE * steps * self.interval**2, low), high)
        ask = getattr(self.composition, f"{wanted}_bounds")
        best = np.full(given.shape, math.inf if self.pessimistic else 0.0)
        for asked in ({"tolerance": fine, "memory_limit": _CHEAP}, {"tolerance": high}):
            try:
                bounds = ask(given, adjacency=self.adjacency, **asked)
            except hs.CertificationError as error:
                bounds = error.bounds
            end = np.asarray(bounds.upper if self.pessimistic else bounds.lower)
            closer = np.minimum if self.pessimistic else np.maximum
            best = closer(best, end)
            if np.all(bounds.lower >= (1 - high) * bounds.upper):
                break
        return best

    def _moved(self, values: FloatArray, by: float, sign: int = 1) -> FloatArray:
        """The values plus `by`, rounded to the side; `sign` -1 where less is more pessimistic."""
        if by == 0:
            return values
        return np.nextafter(values + by, sign * (math.inf if self.pessimistic else -math.inf))

    def _outward(self, values: FloatArray, sign: int = 1) -> FloatArray:
        return values * (1 + sign * (_OUTWARD if self.pessimistic else -_OUTWARD))
