# SPDX-License-Identifier: Apache-2.0
"""Libraries that account by dp_accounting, unmodified, on this one: equal answers.

They install with the extra dp-accounting-users, which pins their versions. How much sooner ours
come is printed and kept as a property of the test, and measured with care by benchmarks/users.py.
"""

from functools import cache

import pytest

pytest.importorskip("dp_accounting", reason="the extra dp-accounting is not installed")

import hockeystick as hs
import users

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
MISSING = "the extra dp-accounting-users is not installed"


@cache
def compared(name):
    return users.compare(users.QUESTIONS[name], 1)  # raises where answers differ


@pytest.mark.deep
@pytest.mark.parametrize("name", users.QUESTIONS)
def test_answers_are_equal(name, record_property):
    pytest.importorskip(users.QUESTIONS[name].user, reason=MISSING)
    found = compared(name)
    record_property("speed_up", found.speed_up)
    print(f"{name}: {found.speed_up:.3g} times as fast")  # noqa: T201 - shown by pytest -rP


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "steps"), [("calibrate_dp_mechanism", 1000), ("`hs.calibrate`, 10,000 steps", 10_000)]
)
def test_noise_that_is_found_meets_the_target(name, steps):
    (noise,) = compared(name).ours
    run = steps * hs.Gaussian(noise_multiplier=noise).poisson_sampled(0.01)
    assert run.epsilon(1e-5, tolerance=1e-5) <= 2.0 + 1e-5


def test_error_rates_that_riskcal_takes_are_right():
    """Those it takes from dp_accounting overstate what an attack must miss."""
    pytest.importorskip("riskcal", reason=MISSING)
    found = compared("riskcal, accountant")
    run = 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    for theirs, ours, fpr in zip(found.theirs[2:], found.ours[2:], (0.01, 0.1), strict=True):
        least, most = run.tradeoff_bounds(fpr, tolerance=1e-5)
        assert least - 1e-6 <= ours <= most + 1e-6
        assert theirs > most + 1e-5


def test_differing_answers_are_refused():
    wrong = iter((1.0, 1.1))
    with pytest.raises(ValueError, match=r"answers \[1.0\], with us \[1.1\]"):
        users.compare(users.Question("made up", lambda _: [next(wrong)], 1e-2), 1)


def test_time_is_taken_within_the_patch():
    """Each answers in its own world, also where the user is loaded by the question."""
    from dp_accounting import pld  # noqa: PLC0415

    seen = []

    def run(shift):
        seen.append((pld.PLDAccountant.__module__.split(".")[0], shift))
        return [1.0]

    users.compare(users.Question("made up", run, 1e-2), 2)
    theirs, ours = "dp_accounting", "hockeystick"
    assert seen == [(theirs, 0.0), (ours, 0.0), (ours, 1e-3), (theirs, 1e-3)]
