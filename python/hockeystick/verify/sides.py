# SPDX-License-Identifier: Apache-2.0
"""What is proved above, and attained below, a composition that holds mechanisms with a gap."""

import math
from collections.abc import Sequence
from functools import lru_cache

from flint import arb, ctx

from hockeystick import mechanisms as known
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.verify import batches, divergences, groups, local, matrices
from hockeystick.verify.balls import ZERO, Curve
from hockeystick.verify.curves import Composed, Counted, composed, of_laws
from hockeystick.verify.ends import OPEN, Between, ends, outcomes_above
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.knots import Knots, hull_of
from hockeystick.verify.laws import Gaussian, Law, atomic, law, sampled, sure, undefined
from hockeystick.verify.made import MADE, Made, Of, ends_of_made
from hockeystick.verify.work import remaining

BETWEEN = (known.GaussianBetween, known.SampledBetween)
GAPS = (
    *(*OPEN, *MADE, *matrices.KINDS, *BETWEEN),
    *(known.ZCDP, known.RenyiDP, known.SelectedSteps, known.PoissonSampledCurve),
)
ALONE = (*OPEN, known.AnyOf, known.PoissonSampledRun)  # whose curve says more than its knots
MANY, SOME, FEW = 1000, 500, 60  # knots of cheap curves, and a number of knots that is too small
AT_ENDS = 100  # values at which both ends of knots are sought
OF_KNOTS = 4  # digits of a curve of which there are knots alone
Releases = Sequence[tuple[Mechanism, int]]


def sides(releases: Releases, direction: Direction, digits: int) -> Between[Composed]:
    """The curves above and below any composition; they are one where it has no gap."""
    if not has_gap(releases, (direction,)):
        exact = composed(releases, direction, digits)
        return Between(exact, (exact,))
    releases = [(_as_run(mechanism), n) for mechanism, n in releases]
    if len(releases) == 1 and releases[0][1] == 1 and isinstance(releases[0][0], ALONE):
        alone = releases[0][0]
        if isinstance(alone, OPEN):
            found = ends(alone, direction, digits)
        else:
            found = ends_of_made(alone, direction, _of(alone, digits))
        return Between(_alone(found.proved), tuple(map(_alone, found.attained)))
    both = [(_release(mechanism, direction, digits), n) for mechanism, n in releases]
    pairs = zip(releases, both, strict=True)
    above = [(one.proved, n) for (it, _), (one, n) in pairs if not isinstance(it, known.RenyiDP)]
    curves = divergences.of_releases(releases)
    if any(isinstance(mechanism, known.ZCDP) for mechanism, _ in releases):
        normal = [(made[0][1], n) for made, n in above]
        rho = [n * pair.square / 2 for pair, n in normal if isinstance(pair, Gaussian)]
        curves.append(divergences.concentrated(sum(rho, ZERO)))
        above = [(made, n) for made, n in above if not isinstance(made[0][1], Gaussian)]
    if len(curves) == 1 and not above:
        proved = _alone(hull_of(curves[0]))
    else:
        knots: Counted = [(sure(Knots(one, number=MANY).above()), 1) for one in curves]
        proved = of_laws([*above, *knots], digits)
    most = max(len(one.attained) for one, _ in both)
    belows = [[(one.attained[k % len(one.attained)], n) for one, n in both] for k in range(most)]
    return Between(proved, tuple(of_laws(below, digits) for below in belows))


def has_gap(releases: Releases, directions: Sequence[Direction]) -> bool:
    """Whether it has a kind of GAPS, a group that is only bounded, or a composed allocation."""
    alone = len(releases) == 1 and releases[0][1] == 1
    return any(
        isinstance(mechanism, GAPS)
        or any(groups.is_bounded(mechanism, one) for one in directions)
        or (
            isinstance(mechanism, known.RandomAllocation)
            and isinstance(mechanism.mechanism, known.Gaussian)
            and not alone
        )
        for mechanism, _ in releases
    )


def _as_run(mechanism: Mechanism) -> Mechanism:
    """A given curve on a sample, as a run on a sample."""
    if isinstance(mechanism, known.PoissonSampledCurve):
        return known.PoissonSampledRun(1 * mechanism.mechanism, mechanism.sampling_probability)
    return mechanism


def _alone(curve: Curve) -> Composed:
    return Composed(ZERO, ZERO, None, curve, "")


def _normal(square: arb) -> Law:
    return sure(Gaussian(square))


def _nothing() -> Law:
    """What tells nothing: the loss is 0."""
    return sure(atomic([(arb(1), arb(1))]))


def _release(mechanism: Mechanism, direction: Direction, digits: int) -> Between[Law]:
    if isinstance(mechanism, MADE) or groups.is_bounded(mechanism, direction):
        return _made(mechanism, direction, digits)  # type: ignore[arg-type]
    match mechanism:
        case known.ZCDP() | known.RenyiDP():
            normal = _normal(2 * divergences.rho_of(mechanism))
            found = Between(normal, (normal,))
        case known.GaussianBetween() | known.SampledBetween():
            found = _between_noises(mechanism, direction)
        case (
            known.MatrixMechanism()
            | known.ToeplitzMechanism()
            | known.BufferedMechanism()
            | known.TreeMechanism()
        ):
            low, high = matrices.squares(mechanism)
            noise = arb(mechanism.noise_multiplier)
            found = _between(noise / high.sqrt(), noise / low.sqrt(), direction)
        case known.SelectedSteps() | known.RandomAllocation(mechanism=known.Gaussian()):
            found = _selected(mechanism, direction)
        case known.Shuffled():
            found = _shuffled(mechanism, direction)
        case known.FixedSizeSampled():
            found = _fixed(mechanism, direction)
        case known.ShuffledLocal():
            local.check(mechanism, direction)
            found = _reports(mechanism, ctx.prec)
        case known.HockeyStickCurve():
            found = Between(sure(outcomes_above(mechanism, direction)), (_nothing(),))
        case _:
            exact = law(mechanism, direction)
            found = Between(exact, (exact,))
    return found


@lru_cache(maxsize=8)
def _reports(mechanism: known.ShuffledLocal, _: int) -> Between[Law]:
    """Laws above and below shuffled reports, in both directions, at the precision in force."""
    curve = local.proved(mechanism, Direction.REPLACE, composed=True)
    some = _affordable(curve)
    proved = Knots(curve, number=some).above()
    below = (Knots(one, number=some).below() for one in local.attained(mechanism))
    return Between(sure(proved), tuple(map(sure, below)))


def _affordable(curve: Curve) -> int:
    """How many knots a curve may have above, and one below, of what one value of it costs.

    Raises:
        NotKnownError: Too few.
    """
    before = remaining()
    if before == math.inf:
        return SOME
    curve(arb(0.01))
    number = int(before / (2 * (before - remaining() + 1))) - AT_ENDS
    if number < FEW:
        raise NotKnownError("it takes more work than is allowed: values of a curve at knots")
    return min(number, SOME)


def _between(least: arb | float, most: arb | float, direction: Direction) -> Between[Law]:
    """A Gaussian whose noise is in that range."""
    distance = 2 if direction.replaces else 1
    low, high = ((distance / arb(noise)) ** 2 for noise in (most, least))
    return Between(_normal(high), (_normal(low),))


def _between_noises(
    mechanism: known.GaussianBetween | known.SampledBetween, direction: Direction
) -> Between[Law]:
    """A Gaussian whose noise is between two numbers, on a sample or not."""
    if isinstance(mechanism, known.GaussianBetween):
        return _between(mechanism.least_noise, mechanism.most_noise, direction)
    inner, q = mechanism.mechanism, mechanism.sampling_probability
    proved, attained = (
        law(known.Gaussian(noise).poisson_sampled(q), direction)
        for noise in (inner.least_noise, inner.most_noise)
    )
    return Between(proved, (attained,))


def _made(mechanism: Made, direction: Direction, digits: int) -> Between[Law]:
    """Its curves at knots; of a menu below, whoever always chooses the same."""
    proved, attained = ends_of_made(mechanism, direction, _of(mechanism, digits))
    above = sure(Knots(proved).above())
    if isinstance(mechanism, known.AnyOf):
        return Between(above, tuple(law(one, direction) for one in mechanism.options))
    return Between(above, tuple(sure(Knots(one).below()) for one in attained))


def _of(mechanism: Made, digits: int) -> Of:
    """Few digits where curves are taken at knots alone."""
    kept = min(digits, OF_KNOTS) if isinstance(mechanism, known.BestOf) else digits
    return lambda run, direction: sides(run.terms, direction, kept)


def _selected(
    mechanism: known.SelectedSteps | known.RandomAllocation, direction: Direction
) -> Between[Law]:
    """Whoever knows the steps sees as many Gaussians; the sum of all outputs is one Gaussian."""
    if direction.replaces:
        raise undefined(mechanism, direction)
    assert isinstance(mechanism.mechanism, known.Gaussian)  # noqa: S101, as all callers know
    square = mechanism.epochs / arb(mechanism.mechanism.noise_multiplier) ** 2
    if isinstance(mechanism, known.SelectedSteps):
        joined = mechanism.selected
        return Between(_normal(joined * square), (_normal(joined**2 * square / mechanism.steps),))
    mean, below = _normal(square / mechanism.steps), batches.allocated(mechanism, direction)
    more = [sure(Knots(one, number=MANY).below()) for one in below]
    return Between(_normal(square), (mean, *more))


def _shuffled(mechanism: known.Shuffled, direction: Direction) -> Between[Law]:
    """Whoever knows the batch sees one Gaussian; tests of the batches of each epoch."""
    if direction in (Direction.REMOVE, Direction.ADD):
        raise undefined(mechanism, direction)
    distance = 2 if direction.replaces else 1
    square = mechanism.epochs * (distance / arb(mechanism.mechanism.noise_multiplier)) ** 2
    below = [Knots(steps, number=MANY).below() for steps in batches.attained(mechanism, direction)]
    return Between(_normal(square), tuple(map(sure, below)))


def _fixed(mechanism: known.FixedSizeSampled, direction: Direction) -> Between[Law]:
    """Whoever knows the batch sees a Gaussian, or nothing; others may be all alike, in two ways."""
    if direction in (Direction.REMOVE, Direction.ADD):
        raise undefined(mechanism, direction)
    if mechanism.replacement:
        raise NotKnownError("batches with replacement are known by themselves and once")
    noise = arb(mechanism.mechanism.noise_multiplier) / (2 if direction.replaces else 1)
    rate = arb(mechanism.batch_size) / mechanism.dataset_size
    pairs = [sampled(noise, rate, direction) for direction in (Direction.REMOVE, Direction.ADD)]
    return Between(_normal(1 / noise**2), tuple(map(sure, pairs)))
