# SPDX-License-Identifier: Apache-2.0
"""A whole run on one Poisson subsample."""

from dataclasses import dataclass
from functools import lru_cache

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms._enclosed import Accuracy, Pairs
from hockeystick.mechanisms._pair import no_pair
from hockeystick.mechanisms._whole_run import FromRun, above, below, checked_run


@dataclass(frozen=True, slots=True, repr=False)
class PoissonSampledRun(FromRun):
    """Mechanisms that all run on one and the same Poisson subsample: see `joint`.

    One coin decides whether a record is in all of them. If h is the curve of the run when a record
    is removed, that of the sampled run is q h((alpha - 1 + q) / q) for alpha > 1 - q, else
    1 - alpha; its reverse counts when one is added. The curve of the run is enclosed at several
    hundred points. None is known for replaced records.

    Args:
        run: A mechanism or a composition.
        sampling_probability: q, in [0, 1].

    Cost: a few hundred deltas of the run, once for each accuracy; then as for a discrete pair of as
    many outcomes.

    Source: Zhu, Dong & Wang (2022), Theorems 10 and 11.

    >>> from hockeystick import Laplace
    >>> release = PoissonSampledRun(4 * Laplace(10), sampling_probability=0.1)
    >>> two_coins = 4 * Laplace(10).poisson_sampled(0.1)
    >>> release.epsilon(delta=1e-4) > two_coins.epsilon(delta=1e-4)
    True
    """

    run: Composition
    sampling_probability: float

    def __post_init__(self) -> None:
        run = checked_run("run", self.run)
        q = _checks.probability("sampling_probability", self.sampling_probability)
        _checks.keep(self, run=run, sampling_probability=q)

    def simplified(self) -> Mechanism | None:
        """None at q = 0; a single mechanism that can be sampled by itself, sampled."""
        if self.sampling_probability == 0:
            return None
        ((mechanism, count), *others) = self.run.terms
        if others or count > 1:
            return self
        if self.sampling_probability == 1:
            return mechanism
        if isinstance(mechanism, FromRun) or not hasattr(mechanism, "poisson_sampled"):
            return self
        sampled: Mechanism = mechanism.poisson_sampled(self.sampling_probability)
        return sampled.simplified()

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair that dominates all neighbours in `direction`."""
        return self._pair(direction, accuracy, is_above=True)

    def at_most(self) -> tuple[tuple[Mechanism, int], ...]:
        """The run on all records."""
        return self.run.terms

    def pairs_below(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """A pair that the same data attains whichever coins fall."""
        return (self._pair(direction, accuracy, is_above=False),)

    def moment_pairs(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """A pair that is attained, and one with moments that are no smaller."""
        below = self.pairs_below(direction, accuracy)[0]
        run = above(self.run, direction, accuracy, "far")
        rate = self.sampling_probability
        return below, _core.run_moments([run], sampling_probability=rate)

    @lru_cache(maxsize=64)  # noqa: B019, since equal mechanisms share the pairs that the cache keeps
    def _pair(
        self, direction: Direction, accuracy: Accuracy, *, is_above: bool
    ) -> _core.DominatingPair:
        if direction.replaces:
            raise no_pair(self, direction, "none is proved for a run on a Poisson subsample")
        forth = direction.reversed if direction.backward else direction
        back: _core.Terms | None
        if is_above:
            there, back = (above(self.run, one, accuracy) for one in (forth, forth.reversed))
        else:
            there, back = below(self.run, forth, accuracy)
        rate = self.sampling_probability
        return _core.run_pair(
            *(there, back, *accuracy),
            above=is_above,
            sampling_probability=None if rate == 1 else rate,
            back_again=direction.backward,
        )
