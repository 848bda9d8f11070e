# SPDX-License-Identifier: Apache-2.0
"""Locally private reports that are sent in random order: the shuffle model."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism

RANDOMIZERS = ("any", "k-ary", "laplace")
LEAST_EPSILON0, MOST_EPSILON0 = 1e-6, 50
MOST_USERS = MOST_CHOICES = 10**9


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ShuffledLocal(EnclosedMechanism):
    """The reports of `users`, each by an epsilon0-locally private randomizer, in random order.

    Neighbouring datasets differ in the value of one user: ask with ``adjacency="replace-one"``.
    Above is a theorem for all values of the other users (cpp/proofs/shuffled-local.md). It holds if

    - the order is uniform, does not depend on the data, and is not released;
    - each user sends one report, with randomness of her own; and so do all others, whose number is
      public: a report that is missing, or an adversary who knows what some users sent, leaves
      fewer users;
    - each randomizer is epsilon0-locally private: for any two values, probabilities of reports
      differ by a factor of at most e^epsilon0.

    All users share one randomizer: then the law of Feldman, McMillan & Talwar (2022), proved there
    for such randomizers, is valid. With ``adaptive=True`` each place in the random order may have a
    randomizer of its own, chosen from the reports at earlier places, whoever has that place: then
    that of "clones" (2021) is. **Randomizers must not belong to users**: a report that tells who
    sent it is not covered by others, and costs epsilon0.
    "k-ary" response among `choices` values, and "laplace" noise of scale 1 / epsilon0 on values in
    [0, 1], cost less.

    Below is what users attain who all hold one value: a third one in k-ary response, 3-ary where
    the randomizer may be any; the other one of the user's two values in binary response and with
    Laplace noise. The truth between is not known: bounds are ``limited_by == "theory"``.

    ``10 * ShuffledLocal(...)`` is ten rounds, each in an order of its own, and may be asked on what
    earlier rounds have shown.

    Args:
        epsilon0: Of each user's report, in nats; 0 or in [1e-6, 50].
        users: In [1, 1e9].
        randomizer: "any", "k-ary" or "laplace".
        choices: k of "k-ary", and only of it, in [2, 1e9].
        adaptive: Whether places in the order may have different randomizers, chosen from earlier
            reports; only with "any".

    Cost: 10 to 50 ms at 1e6 users, which grows with their root; deltas below 1e-18 take up to six
    times that.

    Source: Balle, Bell, Gascon & Nissim (2019), "The privacy blanket of the shuffle model";
    Feldman, McMillan & Talwar (2021), "Hiding among the clones", and (2022), "Stronger privacy
    amplification by shuffling". The law for Laplace noise is proved on the page named above.

    >>> reports = ShuffledLocal(epsilon0=1.0, users=10_000)
    >>> lower, upper = reports.epsilon_bounds(delta=1e-6, adjacency="replace-one")
    >>> 0.0379 < lower < 0.0381 and 0.0432 < upper < 0.0433
    True
    """

    epsilon0: float
    users: int
    randomizer: str = "any"
    choices: int | None = None
    adaptive: bool = False

    def __post_init__(self) -> None:
        epsilon0 = _checks.zero_or_within("epsilon0", self.epsilon0, LEAST_EPSILON0, MOST_EPSILON0)
        users = _checks.whole("users", self.users, 1, MOST_USERS)
        _checks.keep(self, epsilon0=epsilon0, users=users)
        _checks.choice("randomizer", self.randomizer, RANDOMIZERS)
        _checks.instance("adaptive", self.adaptive, bool)
        if (self.choices is not None) != (self.randomizer == "k-ary"):
            what = "must be given" if self.choices is None else "must not be given"
            raise ValueError(
                f"choices {what} with randomizer = {self.randomizer!r}, got {self.choices!r}"
            )
        if self.choices is not None:
            _checks.keep(self, choices=_checks.whole("choices", self.choices, 2, MOST_CHOICES))
        if self.adaptive and self.randomizer != "any":
            raise ValueError(
                f"adaptive must be False with randomizer = {self.randomizer!r}, got True"
            )

    @property
    def laplace(self) -> bool:
        """Whether the noise is Laplace's, as the core's table asks."""
        return self.randomizer == "laplace"

    def said_of(self, adjacency: Adjacency) -> str:
        """The note of `explain`."""
        del adjacency
        law = {"k-ary": "the blanket of k-ary response", "laplace": "the law of three parameters"}
        usual = "clones" if self.adaptive else "stronger clones"
        return (
            f"{self!r}: above by the theorem of {law.get(self.randomizer, usual)}, "
            "cpp/proofs/shuffled-local.md; below by users who all hold one value"
        )

    def simplified(self) -> Mechanism | None:
        """None where reports ignore the values."""
        return None if self.epsilon0 == 0 else self
