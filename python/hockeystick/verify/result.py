# SPDX-License-Identifier: Apache-2.0
"""What a verification returns."""

from dataclasses import dataclass, field

from hockeystick._neighbours import Hinting
from hockeystick.bounds import Bounds


@dataclass(frozen=True, slots=True, repr=False)
class Verified(Hinting):
    """A quantity of a composition, computed a second time in ball arithmetic.

    Every number here is on the safe side: the exact value is within `radius` of `middle`, and
    ``lower <= exact value <= upper``.
    """

    quantity: str
    """epsilon, delta, true_positive_rate, bayes_risk or renyi_divergence."""
    known: bool
    """Whether there is a rigorous value; if not, `reason` says why. Then the bounds are trivial, or
    one is attained and the other proved, where a gap is left."""
    middle: str
    """Middle of the ball in decimal: as many digits as are known, and one more."""
    radius: str
    """Radius of the ball in decimal, which counts what writing `middle` took."""
    lower: float
    """A double that is certainly not above the exact value."""
    upper: float
    """A double that is certainly not below the exact value."""
    digits: float
    """Digits that the radius leaves; inf if the value is exact."""
    asked: int
    """Digits asked for."""
    limits: dict[str, float] = field(default_factory=dict)
    """By source of error, how many correct digits of the curve it leaves, where that is known."""
    method: str = ""
    """How the directions were computed: closed form, all sums, residues, contour, moments."""
    fast: Bounds[float] | None = None
    """The interval of the fast accountant; None if it was not asked."""
    enclosed: bool | None = None
    """Whether `fast` holds the whole ball, True, or none of it, False; None if neither."""
    seconds: float = 0.0
    """Time that the verification took, without the fast accountant's."""
    reason: str = ""
    """Why the value is not known."""

    def __repr__(self) -> str:
        said = {True: "encloses it", False: "MISSES IT", None: "neither holds nor misses it"}
        fast = "" if self.fast is None else f", fast interval {said[self.enclosed]}"
        if not self.known:
            return (
                f"Verified({self.quantity} not known: {self.reason}{fast if self.method else ''})"
            )
        return f"Verified({self.quantity} = {self.middle} +/- {self.radius}{fast})"
