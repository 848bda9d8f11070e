# SPDX-License-Identifier: Apache-2.0
"""The largest privacy loss, at which delta is 0: epsilon of pure differential privacy."""

from flint import arb

from hockeystick import mechanisms as known
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Mechanism, Terms
from hockeystick.verify.balls import ZERO, maximum
from hockeystick.verify.curves import Releases, supremum_of
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import Atoms, Law, law

UNBOUNDED = (
    *(known.FixedSizeSampled, known.Shuffled, known.SelectedSteps),
    *(known.ZCDP, known.RenyiDP),
)
"""Under each adjacency that has them: in the worst direction, by what is attained."""


def loss(runs: tuple[Terms, ...], adjacency: Adjacency, _: float, __: int) -> tuple[arb, str]:
    """The largest of all runs and directions; inf if there is none."""
    directions = adjacency.directions
    return maximum(
        *(_of_run(run, direction) for run in runs for direction in directions)
    ), "largest losses"


def _of_run(run: Releases, direction: Direction) -> arb:
    """Losses of independent releases add up, and so do the largest: infinite ones absorb others."""
    most = [n * _largest(mechanism, direction) for mechanism, n in run]
    return maximum(ZERO, sum(most, ZERO))


def _largest(mechanism: Mechanism, direction: Direction) -> arb:
    if isinstance(mechanism, UNBOUNDED):
        return arb("inf")
    if isinstance(mechanism, known.RandomAllocation):
        if isinstance(mechanism.mechanism, known.Gaussian):
            return arb("inf")
    elif isinstance(mechanism, known.AnyOf):
        return maximum(*(_largest(one, direction) for one in mechanism.options))
    elif isinstance(mechanism, known.PoissonSampledRun):
        return _sampled(mechanism, direction)
    elif isinstance(mechanism, known.ShuffledLocal):
        return arb(mechanism.epsilon0)
    elif isinstance(mechanism, known.HockeyStickCurve):
        raise NotKnownError("the largest loss of a curve that is given at points is not known")
    return _of_law(law(mechanism, direction))


def _sampled(mechanism: known.PoissonSampledRun, direction: Direction) -> arb:
    """The ratio R of the run becomes 1 - q + q R, or the reverse of that."""
    rate, most = arb(mechanism.sampling_probability), _of_run(mechanism.run.terms, direction)
    if direction.backward:
        return -(rate * (-most).expm1()).log1p()
    return (rate * most.expm1()).log1p()


def _of_law(made: Law) -> arb:
    pairs = [pair for _, pair in made if isinstance(pair, Atoms)]
    if any(pair.infinite > 0 for pair in pairs):
        return arb("inf")
    if any(not pair.infinite.is_zero() for pair in pairs):
        raise NotKnownError("whether there are infinite losses is within rounding")
    most = supremum_of(made)
    return arb("inf") if most is None else most
