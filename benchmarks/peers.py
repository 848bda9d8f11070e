# SPDX-License-Identifier: Apache-2.0
"""The libraries that are compared, each behind one adapter.

``prepare(case)`` imports what it needs and returns the call to be timed. The call builds all its
objects anew, from the parameters to the answer, so that no library is timed on what it remembers.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

from cases import Case
from measure import Answer, Ask

if TYPE_CHECKING:
    import hockeystick as hs


class Library(NamedTuple):
    """A library, by the name of its distribution, and the way in which it is asked."""

    name: str
    prepare: Callable[[Case], Ask]
    way: str = ""
    """Empty for what its users get."""

    @property
    def version(self) -> str | None:
        """The version installed, or None."""
        try:
            return version(self.name)
        except PackageNotFoundError:
            return None

    @property
    def label(self) -> str:
        """What its rows are called."""
        return f"{self.name} {self.version}{self.way and f', {self.way}'}"


def _composer(case: Case) -> Callable[[], hs.Composition]:
    """What builds the composition of a case anew."""
    import hockeystick as hs  # noqa: PLC0415

    def step(sigma: float, q: float) -> hs.Mechanism:
        gaussian = hs.Gaussian(noise_multiplier=sigma)
        return gaussian if q == 1 else gaussian.poisson_sampled(q)

    return lambda: hs.Composition((step(sigma, q), count) for sigma, q, count in case.terms)


def hockeystick(case: Case) -> Ask:
    """Certified bounds at the gap of the case as tolerance."""
    compose = _composer(case)

    def ask() -> Answer:
        run = compose()
        bounds = (run.epsilon_bounds if case.query == "epsilon" else run.delta_bounds)(
            case.at, tolerance=case.gap
        )
        return Answer(lower=bounds.lower, upper=bounds.upper, estimate=bounds.estimate)

    return ask


MEMORY_LIMIT = 2**30  # [bytes], the default of the library


def transform_engine(case: Case) -> Ask:
    """The same bounds by transforms alone, without the contour sums that may answer sooner."""
    import numpy as np  # noqa: PLC0415

    from hockeystick import Adjacency, _core  # noqa: PLC0415

    compose = _composer(case)
    solve = _core.epsilon_bounds if case.query == "epsilon" else _core.delta_bounds
    options = {"tolerance": case.gap, "memory_limit": MEMORY_LIMIT, "method": "fft_composition"}

    def ask() -> Answer:
        directions = compose()._directions(Adjacency.ADD_OR_REMOVE_ONE)  # noqa: SLF001
        lower, upper, *_ = solve(directions, np.array([case.at]), **options).row(0)
        return Answer(lower=lower, upper=upper, estimate=lower + (upper - lower) / 2)

    return ask


def peer(name: str, way: str) -> Callable[[Case], Ask]:
    """Another accountant, as the library's own `hockeystick compare` asks it."""

    def prepare(case: Case) -> Ask:
        from hockeystick.cli import peers  # noqa: PLC0415 - other versions of it have none

        (one,) = (one for one in peers.PEERS if (one.name, one.way) == (name, way))
        call = one.prepare(peers.Question(case.terms, case.query, case.at))

        def ask() -> Answer:
            return Answer(**call()._asdict())

        return ask

    return prepare


# The first is the one the others are compared with.
LIBRARIES = (
    Library("hockeystick", hockeystick),
    Library("hockeystick", transform_engine, "transform engine"),
    Library("dp-accounting", peer("dp-accounting", "PLD")),
    Library("prv-accountant", peer("prv-accountant", "PRV")),
)


def installed() -> dict[str, Library]:
    """Those that can be asked, by label."""
    return {library.label: library for library in LIBRARIES if library.version is not None}


def missing() -> list[str]:
    """The names of those that cannot."""
    return list(dict.fromkeys(lib.name for lib in LIBRARIES if lib.version is None))
