# SPDX-License-Identifier: Apache-2.0
"""Another accountant, what it is asked and what it answers."""

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, NamedTuple

Query = Literal["epsilon", "delta"]


class Question(NamedTuple):
    """One question about a composition of (sampled) Gaussians.

    Neighbours differ in a record added or removed; in one replaced, of batches of a fixed size.
    """

    terms: tuple[tuple[float, float, int], ...]
    """Noise multiplier, sampling probability (1 is the plain Gaussian mechanism), count."""
    query: Query
    at: float
    """The delta at which epsilon is asked, or the epsilon at which delta is."""
    sampling: str = "poisson"
    """The way in which batches are drawn, as ``hockeystick.dpsgd_epsilon`` names it."""
    dataset_size: int | None = None
    """The number of records, for batches of a fixed size."""


class Answer(NamedTuple):
    """An upper value, a lower one and a best guess where the accountant gives them."""

    upper: float
    lower: float | None = None
    estimate: float | None = None


Ask = Callable[[], Answer]


class Peer(NamedTuple):
    """An accountant of a library, by the name of its distribution."""

    name: str
    way: str
    prepare: Callable[[Question], Ask]
    offers: tuple[Query, ...] = ("epsilon", "delta")
    samplings: tuple[str, ...] = ("poisson",)

    @property
    def version(self) -> str | None:
        """The version installed, or None."""
        try:
            return version(self.name)
        except PackageNotFoundError:
            return None

    @property
    def label(self) -> str:
        """The name of its answers."""
        return " ".join(filter(None, (self.name, self.version, self.way)))
