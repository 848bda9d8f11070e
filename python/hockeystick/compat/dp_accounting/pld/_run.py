# SPDX-License-Identifier: Apache-2.0
"""Certified answers about runs of mechanisms: from one side, at any epsilon, in any direction."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

import hockeystick as hs
from hockeystick import outward
from hockeystick.adjacency import Adjacency
from hockeystick.compat.dp_accounting.pld._compared import turned
from hockeystick.compat.dp_accounting.pld._given import Given, Shown, convolved, cut

FloatArray = npt.NDArray[np.float64]

_MAX_EPSILON, _MIN_DELTA = 1e4, 1e-300
_TOLERANCES = 1e-7, 1e-4
_CHEAP = 2**24  # bytes
_SHARE = 0.3  # times steps and interval^2: about what connecting dots costs, relatively
_FEW = 1000  # chances of failure are joined one by one up to this number
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
    """The spacing of the probabilities that are shown, from which the tolerance follows."""
    connect_dots: bool = True
    tail_mass: float = 0.0
    """The mass outside the probabilities that are shown."""
    given: tuple[tuple[Given, int], ...] = ()

    @property
    def is_symmetric(self) -> bool:
        """Whether both directions are known to have one pair."""
        return all(turned(mechanism) == mechanism for mechanism, _ in self.composition.terms)

    def turned(self, adjacency: Adjacency) -> "Run":
        """The run, asked about in this direction."""
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
        side = self.pessimistic
        by = outward.difference(log_q, log_p, above=not side)
        at = outward.sum_of(asked, by, above=not side)
        deltas = np.empty(at.shape)
        ahead = at >= 0
        if ahead.any():
            deltas[ahead] = self._bound("delta", np.minimum(at[ahead], _MAX_EPSILON))
        if not ahead.all():
            # h of (P, Q) at alpha is 1 - alpha + alpha h of (Q, P) at 1 / alpha.
            behind = at[~ahead]
            mirror = replace(self, adjacency=_REVERSED.get(self.adjacency, self.adjacency))
            back = mirror._bound("delta", np.minimum(-behind, _MAX_EPSILON))
            scaled = outward.product(outward.exp(behind, above=side), back, above=side)
            beside = outward.expm1(behind, above=not side)
            deltas[~ahead] = outward.difference(scaled, beside, above=side)
        if log_p:
            deltas = self._times_exp(deltas, log_p, above=side)
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
                at = self._times_exp(at, min(-log_p, 700.0), above=not self.pessimistic)
            found = self._bound("epsilon", np.clip(at, 5e-324, math.nextafter(1, 0)))
            side = self.pessimistic
            by = outward.difference(log_p, log_q, above=side)
            moved = np.maximum(outward.sum_of(found, by, above=side), 0.0)
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
        side = self.pessimistic
        at = self._times_exp(asked, -log_q, above=side)
        found = self._bound("true_positive_rate", np.minimum(at, 1.0))
        return np.minimum(self._times_exp(found, log_p, above=side), 1.0)

    def largest_loss(self) -> tuple[float, float]:
        """An upper bound of finite losses, and the mass of infinite ones; both rounded up."""
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
        products = [outward.product(mass, n, above=True) for mass, n in leaks]
        infinite = outward.total(products, above=True)
        if sum([n for _, n in leaks]) <= _FEW:
            infinite = 0.0  # a + b - a b for each
            for mass in [mass for mass, n in leaks for _ in range(n)]:
                rest = outward.difference(1.0, infinite, above=True)
                more = outward.product(mass, rest, above=True)
                infinite = outward.sum_of(infinite, more, above=True)
        total = math.inf
        if all(loss < math.inf for loss, _, _ in ends):
            losses = [outward.product(n, loss, above=True) for loss, _, n in ends]
            total = outward.total(losses, above=True)
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
        infinity_mass = outward.sum_of(pld.infinity_mass, slack, above=self.pessimistic)
        infinity_mass = min(max(infinity_mass, 0.0), 1.0)
        return Shown(round(pld.losses[0] / self.interval), pld.probabilities, infinity_mass)

    @property
    def _log_sums(self) -> tuple[float, float]:
        if not self.given:
            return 0.0, 0.0
        side = self.pessimistic
        log_p = [outward.product(n, x.log_p, above=side) for x, n in self.given]
        log_q = [outward.product(n, x.log_q, above=not side) for x, n in self.given]
        return outward.total(log_p, above=side), outward.total(log_q, above=not side)

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

    @staticmethod
    def _times_exp(values: FloatArray, by: float, *, above: bool) -> FloatArray:
        """The values times e^by, rounded to one side."""
        found: FloatArray = outward.product(values, outward.exp(by, above=above), above=above)
        return found
