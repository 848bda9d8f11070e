# SPDX-License-Identifier: Apache-2.0
"""A mechanism that each record joins in one of several steps, drawn at random."""

from dataclasses import KW_ONLY, dataclass, replace
from math import expm1, log1p
from typing import ClassVar

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Mechanism
from hockeystick.enclosing import Accuracy
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms._pair import allocated_pair, large_pair, no_pair
from hockeystick.mechanisms.gaussian import Gaussian

SMALLEST_NOISE, LARGEST_NOISE = 0.2, 1000  # of the Fourier series for normal noise
WIDEST, LEAST_TAIL = 0.45, 1e-16  # deviations of the loss and tails for which it serves
LEAST_NOISE = 0.05  # losses of up to 300


@dataclass(frozen=True, slots=True, repr=False)
class RandomAllocation(EnclosedMechanism):
    """An epoch of `steps` steps of which each record joins one, drawn uniformly.

    Also called balls-in-bins: every record draws its own step, independently of the others, so
    batches differ in size. If (P, Q) dominates a step when a record is removed, the epoch is
    dominated by the mean over i of P in place i and Q elsewhere against Q everywhere, and by the
    reverse when one is added. Normal noise attains it, by linear losses. Pairs above and below its
    hockey-stick curve are computed: of normal noise by a Fourier series, of others by convolutions
    that are bounded in convex order. Not known for replaced records.

    ``10 * step.random_allocation(steps=1000)`` draws anew in each epoch. With ``epochs=10`` a
    record keeps its place in all epochs, which for normal noise is exactly one epoch at
    noise / sqrt(10).

    Args:
        mechanism: What runs in each step, known by a dominating pair. The losses of a step above
            300 nats count as infinite. Of normal noise, noise_multiplier / sqrt(epochs) is at least
            0.05.
        steps: In [1, 1e12].
        epochs: In how many epochs the records keep their places, in [1, 1e9]; 1 unless the noise is
            normal.

    Cost: an epoch of normal noise alone 0.1 to 2 ms. Else once for each accuracy, milliseconds to a
    second; then as for a discrete pair of some hundred to a thousand outcomes.

    Source: Chua et al. (2025), "Balls-and-Bins Sampling for DP-SGD"; Feldman & Shenfeld (2025).

    >>> epoch = Gaussian(noise_multiplier=1.0).random_allocation(steps=1000)
    >>> 0.17172 < epoch.epsilon(delta=1e-6) < 0.17174
    True
    >>> from hockeystick import Laplace
    >>> 0.1031 < Laplace(noise_multiplier=1.0).random_allocation(steps=1000).epsilon(1e-6) < 0.1106
    True
    """

    made_by: ClassVar[str] = "random_allocation"
    closes: ClassVar[bool] = True
    mechanism: Mechanism
    _: KW_ONLY
    steps: int
    epochs: int = 1

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Mechanism)
        object.__setattr__(self, "steps", _checks.whole("steps", self.steps, 1, _checks.MAX_STEPS))
        object.__setattr__(self, "epochs", _checks.whole("epochs", self.epochs, 1, 10**9))
        if not self.mechanism.is_exact:
            raise ValueError(
                "mechanism must be known by a dominating pair to be allocated at random, got "
                f"{self.mechanism!r}"
            )
        if isinstance(self.mechanism, Gaussian) and self.steps > 1:
            noise = self.mechanism.noise_multiplier / self.epochs**0.5
            if noise < LEAST_NOISE:
                raise ValueError(
                    f"noise_multiplier / sqrt(epochs) must be at least {LEAST_NOISE} for random "
                    f"allocation, got {noise!r}"
                )
        if self.epochs == 1:
            return
        if not isinstance(self.mechanism, Gaussian):
            raise ValueError(  # noqa: TRY004
                f"epochs must be 1 unless mechanism is a Gaussian, got {self.epochs}: the steps in "
                "which a record keeps its place have no single pair"
            )
        if self.steps == 1:
            raise ValueError(
                f"steps must be at least 2 if epochs > 1, got 1: {self.epochs} * mechanism says it"
            )

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if there is a single step, None if its steps cost nothing."""
        inner = self.mechanism.simplified()
        if inner is None or self.steps == 1:
            return inner
        return self if inner is self.mechanism else replace(self, mechanism=inner)

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair whose curve lies above that of the epoch."""
        return self._pair("above", direction, accuracy)

    def pairs_below(
        self, direction: Direction, accuracy: Accuracy
    ) -> tuple[_core.DominatingPair, ...]:
        """A pair whose curve lies below that of the epoch."""
        return (self._pair("below", direction, accuracy),)

    def bounds_of_one(
        self, question: str, points: FloatArray, adjacency: Adjacency, tolerance: float
    ) -> tuple[FloatArray, FloatArray] | None:
        """The ends of epsilon or delta of an epoch of normal noise, from contours next to each."""
        directions, step = [direction.form for direction in adjacency.directions], self.mechanism
        if question not in ("epsilon_bounds", "delta_bounds") or "replace" in directions:
            return None
        if not isinstance(step, Gaussian):
            return None
        if not SMALLEST_NOISE <= step.noise_multiplier / self.epochs**0.5 <= LARGEST_NOISE:
            return None
        found: tuple[FloatArray, FloatArray] = _core.allocation_bounds(
            *(step.noise_multiplier, self.steps, self.epochs),
            removes="remove" in directions,
            adds="add" in directions,
            wants_epsilon=question == "epsilon_bounds",
            values=points,
            tolerance=tolerance,
        )
        return found

    def _pair(self, side: str, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        if direction.replaces:
            raise no_pair(self, direction, "no pair is proved to dominate it")
        back, step = direction.form == "add", self.mechanism
        if isinstance(step, Gaussian):
            noise = step.noise_multiplier / self.epochs**0.5
            if self._by_series(noise, accuracy):
                of = (step.noise_multiplier, self.steps, self.epochs, *accuracy.absolute)
                return large_pair(f"random_allocation_{side}{'_back' if back else ''}", *of)
            if self.epochs > 1:  # outward, as the curve falls with the noise
                step = Gaussian(
                    noise_multiplier=noise * (1 + (-1 if side == "above" else 1) * 2**-50)
                )
        pair = step.dominating_pair(direction)
        return allocated_pair(pair, self.steps, *accuracy, above=side == "above", back=back)

    def _by_series(self, noise: float, accuracy: Accuracy) -> bool:
        """Whether a Fourier series, known to an absolute error, tells the curve with less work."""
        if not SMALLEST_NOISE <= noise <= LARGEST_NOISE or accuracy.tail < LEAST_TAIL:
            return False
        return log1p(expm1(1 / noise**2) / self.steps) <= WIDEST**2
