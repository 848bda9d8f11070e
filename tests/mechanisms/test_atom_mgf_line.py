# SPDX-License-Identifier: Apache-2.0
"""Moments of laws of atoms against ball arithmetic, and the runs that they answer."""

import math

import numpy as np
import pytest
from flint import acb, arb

import hockeystick as hs
from hockeystick import Adjacency, _core

MEMORY = 1 << 30

pytestmark = pytest.mark.bits(300)


def law(spread, size=37):
    """Masses of all bits, over forty orders of magnitude, at losses of all bits."""
    rng = np.random.default_rng(5)
    losses = np.sort(rng.normal(0, spread, size))
    masses = rng.random(size) * np.exp(-rng.uniform(0, 90, size))
    return [(float(x), float(m)) for x, m in zip(losses, masses, strict=True)]


def moment(atoms, z):
    return sum((arb(m) * (z * arb(x)).exp() for x, m in atoms), acb(0))


TILTS = [0.0, 0.3, 2.7, 300.1]
SPREADS = [1e-6, 0.1, 3.0]


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("spread", SPREADS)
def test_moments_are_within_their_stated_errors(spread, tilt):
    atoms = law(spread)
    line = _core.contour.atom_line(atoms, tilt=tilt)
    assert line.left_out() == 0
    at_tilt = moment(atoms, acb(tilt))
    value, error = line.log_moment()
    assert abs(arb(value) - at_tilt.real.log()) <= arb(error)
    assert error < 1e-12 * (1 + abs(value) + tilt * spread)
    for spacing in (1e-3 / spread, 0.7 / spread, 31.0 / spread):
        samples = line.samples(spacing, 200)
        assert samples[0] == (0.0, 0.0, 0.0, 0.0)
        for k in (1, 2, 3, 50, 199):
            re, im, rounding, truncation = samples[k]
            truth = moment(atoms, acb(tilt, arb(spacing) * k)) / at_tilt
            assert abs(truth - 1 - acb(re, im)) <= arb(rounding)
            assert truncation == 0


@pytest.mark.parametrize("turns", [1e-9, 1e-3, 0.4, 31.0, 3e5, 1e9])
@pytest.mark.parametrize("spread", [1e-15, 1e-6, 3.0])
def test_what_is_left_of_1_keeps_its_digits(spread, turns):
    """Next to 0 the error falls with the sample; far turns lose as many digits as the angle."""
    atoms = law(spread)
    line = _core.contour.atom_line(atoms, tilt=0.0)
    spacing, at_tilt = turns / spread, moment(atoms, acb(0))
    for k, (re, im, rounding, _) in enumerate(line.samples(spacing, 60)):
        truth = moment(atoms, acb(0, arb(spacing) * k)) / at_tilt - 1
        assert abs(truth - acb(re, im)) <= arb(rounding)
        assert rounding <= 400 * 2.0**-53 * min(2 + 0.02 * turns * k, turns * k) + 1e-270


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("spread", SPREADS)
def test_bounds_at_other_tilts_are_bounds(spread, tilt):
    atoms = law(spread)
    line = _core.contour.atom_line(atoms, tilt=1.0)
    bound = line.log_moment_above(tilt)
    truth = moment(atoms, acb(tilt)).real.log()
    assert truth <= arb(bound) <= truth + 1e-10 * (1 + abs(bound) + tilt * spread)


def test_the_rounding_of_exponents_is_met():
    """One atom, of an exponent that all but one of the roundings is of."""
    most = 0.0
    for k in range(400):
        loss = 256 * (1 + k * 2.0**-40 / 3)
        atoms = [(-loss, 1.0), (loss, 1e-280)]
        line = _core.contour.atom_line(atoms, tilt=1 + 1 / 3)
        value, error = line.log_moment()
        truth = moment(atoms, acb(1 + 1 / 3)).real.log()
        off = abs(truth - arb(value)) / arb(error)
        assert off <= 1
        most = max(most, float(off.mid()))
        truth = moment(atoms, acb(1 + 1 / 3, arb(2.0**-9))) / moment(atoms, acb(1 + 1 / 3))
        re, im, rounding, _ = line.samples(2.0**-9, 2)[1]
        assert abs(truth - 1 - acb(re, im)) <= arb(rounding)
    assert most > 0.1


def test_the_rounding_of_masses_shows_in_a_moment_next_to_1():
    """Exponents of some hundred that cancel with the logarithm of the mass."""
    most = 0.0
    for k in range(200):
        loss = 256 * (1 + k * 2.0**-30 / 7)
        atoms = [(-loss, 1.0), (loss, math.exp(-loss * 4 / 3))]
        value, error = _core.contour.atom_line(atoms, tilt=4 / 3).log_moment()
        off = abs(moment(atoms, acb(4 / 3)).real.log() - arb(value))
        assert off <= arb(error)
        most = max(most, float(off.mid()))
    assert most > 64 * 2.0**-53


def test_a_close_race_of_two_atoms_shows_the_rounding_of_their_masses():
    """Two tilted masses of a size, far from 1 before: what exponents lose moves their shares."""
    most = 0.0
    for k in range(300):
        loss = 500 * (1 + k * 2.0**-30 / 7)
        atoms = [(-loss, 1.0), (loss, math.exp(-700))]
        tilt = 700 / (2 * loss)
        line = _core.contour.atom_line(atoms, tilt=tilt)
        spacing = math.pi / 2 / loss
        re, im, rounding, _ = line.samples(spacing, 2)[1]
        truth = moment(atoms, acb(tilt, arb(spacing))) / moment(atoms, acb(tilt))
        off = abs(truth - 1 - acb(re, im)) / arb(rounding)
        assert off <= 1
        most = max(most, float(abs(truth - 1 - acb(re, im)).mid()))
    assert most > 64 * 2.0**-53


def test_the_error_of_masses_is_part_of_the_moment():
    atoms = law(0.1)
    exact, rough = (
        _core.contour.atom_line(atoms, mass_error=error, tilt=2.0) for error in (0.0, 1e-6)
    )
    assert rough.log_moment()[1] >= exact.log_moment()[1] + 1e-6
    assert rough.log_moment_above(3.0) >= exact.log_moment_above(3.0) + 1e-6


def test_what_is_left_out_is_counted():
    atoms = [(-3.0, 1e-12), (-1.0, 0.4), (0.0, 0.1), (1.0, 0.5), (4.0, 1e-12), (5.0, 1e-13)]
    line = _core.contour.atom_line(atoms, tilt=1.0, cut=2e-12)
    assert line.size() == 3
    assert arb(1e-12) + arb(1e-12) + arb(1e-13) <= arb(line.left_out()) <= 2.11e-12
    value, error = line.log_moment()
    assert abs(moment(atoms[1:4], acb(1)).real.log() - arb(value)) <= arb(error)
    line = _core.contour.atom_line(atoms, tilt=1.0, cut=9.0)
    assert line.size() >= 1


@pytest.mark.parametrize("top", [-0.05, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("tilt", TILTS)
def test_closed_atoms_keep_their_masses(tilt, top):
    """P-mass and Q-mass of what lies above the top are those of the top and of +inf together."""
    atoms = law(0.1)
    line, (above, closed, error, left_out) = _core.contour.closed_atom_line(
        atoms, tilt=tilt, top=top
    )
    high = [(x, m) for x, m in atoms if x > top]
    all_mass = sum((arb(m) for _, m in high), arb(0))
    kept = sum((arb(m) * (arb(top) - arb(x)).exp() for x, m in high), arb(0))
    assert abs(all_mass - arb(above)) <= arb(error) * all_mass
    assert abs(all_mass - kept - arb(closed)) <= arb(error) * (all_mass - kept)
    assert error < 1e-14
    assert left_out == 0
    rest = [(x, m) for x, m in atoms if x <= top]
    at_tilt = moment(rest, acb(tilt)).real + kept * (arb(tilt) * arb(top)).exp()
    value, off = line.log_moment()
    assert abs(arb(value) - at_tilt.log()) <= arb(off)


def test_the_rounding_of_closed_masses_is_counted():
    """An atom far above the top, of which about 1 is left: its exponent is off by many u."""
    most, mass = 0.0, math.exp(600)
    for k in range(200):
        loss = 600 * (1 + k * 2.0**-40 / 3)
        line, _ = _core.contour.closed_atom_line(
            [(-1.0, 1e-290), (loss, mass)], tilt=0.0, top=1 / 3
        )
        kept = arb(mass) * (arb(1 / 3) - arb(loss)).exp()
        value, error = line.log_moment()
        off = abs((kept + arb(1e-290)).log() - arb(value))
        assert off <= arb(error)
        most = max(most, float(off.mid()))
    assert most > 100 * 2.0**-53


@pytest.mark.parametrize("floor", [0.0, 0.9, 0.999])
def test_moduli_are_bounded_up_to_their_reach(floor):
    """Beyond it, and where none is bounded, they count as 1; the floor is for smoothing."""
    atoms = [(-0.1, 0.6), (0.05, 0.3), (0.31, 0.1)]
    line, _ = _core.contour.closed_atom_line(atoms, tilt=2.0, top=math.inf, reach=30.0, floor=floor)
    at_tilt = moment(atoms, acb(2))
    bound = line.modulus_bound(6.0)
    assert floor <= bound < 1
    for w in np.linspace(6, 30, 100):
        assert abs(moment(atoms, acb(2, float(w))) / at_tilt) <= arb(bound)
    assert line.modulus_bound(30.5) == 1
    unbounded, _ = _core.contour.closed_atom_line(atoms, tilt=2.0, top=math.inf)
    assert unbounded.modulus_bound(6.0) == 1


HARD = [
    (147_091, hs.DiscreteGaussian(sigma=0.706).poisson_sampled(2.1e-4), 8.6e-8),
    (124_387, hs.DiscreteGaussian(sigma=0.4147).poisson_sampled(5.27e-6), 2.6e-8),
    (947_299, hs.DiscreteGaussian(sigma=0.3365).poisson_sampled(0.5135), 9.3e-11),
    (6_231_721, hs.DiscreteGaussian(sigma=2.34).poisson_sampled(0.77), 2e-12),
    (99_598, hs.DiscreteGaussian(sigma=0.53503).poisson_sampled(7.6085e-6), 2.729e-12),
]


@pytest.mark.parametrize(("count", "step", "delta"), HARD)
def test_sums_of_atoms_answer_where_grids_do_not(count, step, delta):
    """Rare large losses that decide, and very large epsilons."""
    directions = (count * step)._directions(Adjacency.ADD_OR_REMOVE_ONE)[:1]
    (answer,) = _core.epsilon_bounds(directions, [delta], tolerance=1e-3, memory_limit=MEMORY)
    assert answer.converged
    assert answer.method == "discretized_contour"
    assert answer.interval == 0


# Of the losses, relative to themselves: what they are off by.
OFF = 1e-4


def moved_by(atoms, part):
    return [(x * (1 + part), m) for x, m in atoms]


@pytest.mark.parametrize("part", [-OFF, OFF])
@pytest.mark.parametrize("tilt", [0.0, 0.7, 20.0])
def test_losses_that_are_off_are_in_the_error_of_moments(tilt, part):
    """All losses are too near to 0, or too far: what is booked is all but met."""
    atoms = [(0.01 * k, 1 / k) for k in range(1, 30)]
    line = _core.contour.atom_line(atoms, loss_rounding=OFF, tilt=tilt)
    truth = moved_by(atoms, part)
    at_tilt = moment(truth, acb(tilt))
    value, error = line.log_moment()
    off = abs(at_tilt.real.log() - arb(value)) / arb(error)
    assert off <= 1
    assert tilt == 0 or off > 0.9
    assert at_tilt.real.log() <= arb(line.log_moment_above(tilt))
    most = 0.0
    for spacing in (0.01, 3.0):
        for k, (re, im, rounding, _) in enumerate(line.samples(spacing, 20)):
            sample = moment(truth, acb(tilt, arb(spacing) * k)) / at_tilt - 1
            off = abs(sample - acb(re, im)) / arb(rounding) if k else arb(0)
            assert off <= 1
            most = max(most, float(off.mid()))
    assert most > (0.9 if tilt == 0 else 0.02)


def test_losses_that_are_off_are_in_the_bound_of_moduli():
    """Two atoms, whose modulus falls with the frequency up to there."""
    atoms, last = [(0.0, 0.5), (1.0, 0.5)], 3.0
    line = _core.contour.atom_line(atoms, loss_rounding=OFF, tilt=0.0, reach=last * (1 + 1e-12))
    bound = arb(line.modulus_bound(last))
    truth = abs(moment(moved_by(atoms, -OFF), acb(0, last)))
    assert truth <= bound
    assert bound - abs(moment(atoms, acb(0, last))) < 1.1 * OFF * last / 2


@pytest.mark.parametrize("part", [-OFF, OFF])
def test_losses_that_are_off_are_in_what_is_closed(part):
    atoms, top = [(0.0, 0.9), (0.5, 0.05), (2.0, 0.05)], 0.25
    line, (above, closed, error, _) = _core.contour.closed_atom_line(
        atoms, loss_rounding=OFF, tilt=1.0, top=top
    )
    truth = moved_by(atoms, part)
    kept = sum((arb(m) * (arb(top) - arb(x)).exp() for x, m in truth[1:]), arb(0))
    at_infinity = arb(above) - kept
    assert 0.9 * error < abs(at_infinity / arb(closed) - 1) <= error
    whole = arb(truth[0][1]) + kept * arb(top).exp()
    value, booked = line.log_moment()
    off = abs(whole.log() - arb(value))  # the loss at the top, which is exact, counts as off, too
    assert off <= arb(booked)
    assert booked < 1.4 * off
