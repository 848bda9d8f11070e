# SPDX-License-Identifier: Apache-2.0
"""The common part of mechanisms that are made from the curve of a whole run."""

from typing import Any

from hockeystick import _checks, _core
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Composable, Composition, Mechanism
from hockeystick.mechanisms._enclosed import Accuracy, EnclosedMechanism, Pairs


class FromRun(EnclosedMechanism):
    """A mechanism whose pairs are computed from those of a run, or of another mechanism."""

    __slots__ = ()

    def is_exact_in(self, direction: Direction) -> bool:
        """Whether its pair tells all in a direction."""
        del direction
        return False

    def is_exact_for(self, adjacency: Adjacency) -> bool:
        """Whether its pairs tell all in each direction of an adjacency."""
        return all(self.is_exact_in(direction) for direction in adjacency.directions)

    def largest_pairs(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """A pair below and one above that enclose the largest loss; none if those of curves do."""
        del direction, accuracy
        return ()

    def moment_pairs(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """Pairs that enclose the Renyi divergences and the mass of infinite losses; or none."""
        del direction, accuracy
        return ()

    def poisson_sampled(self, sampling_probability: float) -> Any:  # noqa: ANN401, declared below it
        """The whole release on one subsample that holds each record with `sampling_probability`."""
        from hockeystick.mechanisms.poisson_sampled_run import PoissonSampledRun  # noqa: PLC0415

        return PoissonSampledRun(run=1 * self, sampling_probability=sampling_probability)


def checked_run(name: str, value: object) -> Composition:
    """A run, as a composition that is not empty."""
    run = Composition(_checks.instance(name, value, Composable).terms)
    if not run.terms:
        raise ValueError(f"{name} must hold a mechanism, got none")
    return run


def above(
    run: Composition, direction: Direction, accuracy: Accuracy, aspect: str = "curve"
) -> _core.Terms:
    """The pairs that dominate a run in its "curve", its "moments" or its "largest" loss.

    With "far", they dominate its moments more closely, at more cost.
    """
    return run._run().sides(direction.index, *accuracy, above=True, aspect=aspect)[0]  # noqa: SLF001


def attained(run: Composition, direction: Direction, accuracy: Accuracy) -> _core.Terms:
    """The first run of pairs that a run attains."""
    return run._run().sides(direction.index, *accuracy, above=False)[0]  # noqa: SLF001


def below(
    run: Composition, direction: Direction, accuracy: Accuracy
) -> tuple[_core.Terms, _core.Terms | None]:
    """The pairs that a run attains, and their reverse if the same data attain that."""
    there = attained(run, direction, accuracy)
    return there, attained(run, direction.reversed, accuracy) if is_attained(run) else None


def is_attained(run: Composition) -> bool:
    """Whether pairs of opposite directions are each other's reverse."""
    return all(
        one.is_exact and type(one).__module__.startswith("hockeystick.") for one, _ in run.terms
    )


def alone(mechanism: Mechanism) -> Composition:
    """One run of a mechanism, not simplified."""
    return Composition._of(((mechanism, 1),))  # noqa: SLF001
