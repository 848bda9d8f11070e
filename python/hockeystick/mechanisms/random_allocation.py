# SPDX-License-Identifier: Apache-2.0
"""A mechanism that each record joins in one of several steps, drawn at random."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

from hockeystick import _checks
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms.gaussian import Gaussian


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
            300 nats count as infinite, but of normal noise, where noise_multiplier / sqrt(epochs)
            is at least 0.001. Below 0.1 such noise tells the step that a record joined: bounds are
            then closed forms, tight where a record is removed; where one is added, below 0.05 only
            within log(steps) nats.
        steps: In [1, 1e12].
        epochs: In how many epochs the records keep their places, in [1, 1e9]; 1 unless the noise is
            normal.

    Cost: an epoch of normal noise alone 0.1 to 2 ms. Else once for each accuracy, milliseconds to a
    second; then as for a discrete pair of some hundred to a thousand outcomes.

    Source: Chua et al. (2025), "Balls-and-Bins Sampling for DP-SGD"; Feldman & Shenfeld (2025).

    >>> epoch = Gaussian(noise_multiplier=1.0).random_allocation(steps=1000)
    >>> 0.1717 < epoch.epsilon(delta=1e-6) < 0.1718
    True
    >>> from hockeystick import Laplace
    >>> 0.1031 < Laplace(noise_multiplier=1.0).random_allocation(steps=1000).epsilon(1e-6) < 0.1106
    True
    """

    made_by: ClassVar[str] = "random_allocation"
    mechanism: Mechanism
    _: KW_ONLY
    steps: int
    epochs: int = 1

    @property
    def steps_covered(self) -> int:
        """The steps of an epoch, in which records keep their places."""
        return self.steps * self.epochs

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Mechanism)
        steps = _checks.whole("steps", self.steps, 1, _checks.MAX_STEPS)
        _checks.keep(self, steps=steps, epochs=_checks.whole("epochs", self.epochs, 1, 10**9))
        if not self.mechanism.is_exact:
            raise ValueError(
                "mechanism must be known by a dominating pair to be allocated at random, got "
                f"{self.mechanism!r}"
            )
        if isinstance(self.mechanism, Gaussian) and self.steps > 1:
            noise = self.mechanism.noise_multiplier / self.epochs**0.5
            if noise < _checks.MIN_NOISE:
                raise ValueError(
                    f"noise_multiplier / sqrt(epochs) must be at least {_checks.MIN_NOISE:g} "
                    f"for random allocation, got {noise!r}"
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
                "steps must be at least 2 if epochs > 1, got 1: that run is "
                f"{self.epochs} * mechanism"
            )

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if there is a single step, None if its steps cost nothing."""
        inner = self.mechanism.simplified()
        if inner is None or self.steps == 1:
            return inner
        return self if inner is self.mechanism else replace(self, mechanism=inner)
