# SPDX-License-Identifier: Apache-2.0
"""dp_accounting's documented usage, with one import line changed: the same answers."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

dp_accounting = pytest.importorskip(
    "dp_accounting", reason="the extra dp-accounting is not installed"
)

import hockeystick as hs  # noqa: E402
from hockeystick.compat.dp_accounting import patched, pld  # noqa: E402

EXAMPLE = "dp_accounting.pld.privacy_loss_distribution_basic_example"
THEIR_IMPORT = "from dp_accounting.pld import"
OUR_IMPORT = "from hockeystick.compat.dp_accounting.pld import"


def printed(source, capsys):
    """What the program prints, and the numbers of delta in it."""
    names = {"__name__": "example"}
    exec(compile(source, "example", "exec"), names)  # noqa: S102
    names["main"](["example"])
    out = capsys.readouterr().out
    return out, [float(number) for number in re.findall(r"\(10, ([0-9.e-]+)\)-DP", out)]


def test_the_example_their_readme_points_to(capsys):
    """The program comes from the installed distribution; none of its text is here."""
    pytest.importorskip("absl")
    source = Path(find_spec(EXAMPLE).origin).read_text(encoding="utf-8")
    assert source.count(THEIR_IMPORT) == 1
    expected, theirs = printed(source, capsys)
    got, ours = printed(source.replace(THEIR_IMPORT, OUR_IMPORT), capsys)
    assert len(theirs) == 2
    assert ours == pytest.approx(theirs, rel=1e-3)  # theirs are of a grid
    number = r"[0-9.]+e-[0-9]+"
    assert re.sub(number, "", got) == re.sub(number, "", expected)
    laplace, gaussian = hs.Laplace(noise_multiplier=3.0), hs.Gaussian(noise_multiplier=5.0)
    for answer, run in zip(ours, (40 * laplace, 40 * laplace + gaussian), strict=True):
        bounds = run.delta_bounds(10.0, tolerance=1e-4)
        assert bounds.lower <= answer <= 1.01 * bounds.upper


def test_an_accountant_of_one_event():
    """As the overview of their manual begins."""
    accountants = [kind() for kind in (dp_accounting.pld.PLDAccountant, pld.PLDAccountant)]
    theirs, ours = [
        accountant.compose(dp_accounting.GaussianDpEvent(2.0)).get_epsilon(1e-5)
        for accountant in accountants
    ]
    assert ours == pytest.approx(theirs, rel=1e-6)
    bounds = hs.Gaussian(noise_multiplier=2.0).epsilon_bounds(1e-5, tolerance=1e-9)
    assert bounds.lower <= ours <= bounds.upper * (1 + 1e-6)


def test_a_calibration_by_name_of_the_accountant():
    """As their manual's page on calibration has it."""
    found = [
        dp_accounting.calibrate_dp_mechanism(
            make_fresh_accountant=kind,
            make_event_from_param=dp_accounting.GaussianDpEvent,
            target_epsilon=1.0,
            target_delta=1e-5,
        )
        for kind in (dp_accounting.pld.PLDAccountant, pld.PLDAccountant)
    ]
    assert found[1] == pytest.approx(found[0], rel=1e-4)
    epsilon = hs.Gaussian(noise_multiplier=found[1]).epsilon(1e-5, tolerance=1e-9)
    assert 0.999 < epsilon <= 1.0


@pytest.mark.parametrize("style", ["import", "patch"])
def test_events_built_in_steps(style):
    """Their builder's event, under another import line or none."""
    builder = dp_accounting.DpEventBuilder()
    builder.compose(dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.0)))
    builder.compose(dp_accounting.LaplaceDpEvent(20.0), 3)
    event = builder.build()
    theirs = dp_accounting.pld.PLDAccountant().compose(event).get_delta(0.5)
    if style == "import":
        ours = pld.PLDAccountant().compose(event).get_delta(0.5)
    else:
        with patched():
            ours = sys.modules["dp_accounting"].pld.PLDAccountant().compose(event).get_delta(0.5)
    assert ours == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize(
    ("sigma", "sensitivity", "count", "delta"),
    [(5.0, 1, 20, 1e-6), (5.0, 1, 200, 1e-5), (20.0, 1, 1000, 1e-9), (2.0, 3, 50, 1e-3)],
)
def test_discrete_gaussians_are_no_looser(sigma, sensitivity, count, delta):
    """Next to the truth, which theirs may be below by what their transforms round."""
    theirs, ours = (
        kind.privacy_loss_distribution.from_discrete_gaussian_mechanism(sigma, sensitivity)
        .self_compose(count)
        .get_epsilon_for_delta(delta)
        for kind in (dp_accounting.pld, pld)
    )
    assert ours <= theirs * (1 + 1e-8)
    run = count * hs.DiscreteGaussian(sigma=sigma, sensitivity=sensitivity)
    bounds = run.epsilon_bounds(delta, tolerance=1e-5)
    assert bounds.lower <= ours <= bounds.upper * (1 + 1e-5)
