# SPDX-License-Identifier: Apache-2.0
"""The lines that newcomers typed, from the README and the manual alone."""

import re
import shlex
from decimal import Decimal
from fractions import Fraction
from inspect import ismodule

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import baselines, cli

g = hs.Gaussian(1.0)
step = g.poisson_sampled(0.01)
NAMES = {
    "hs": hs,
    "baselines": baselines,
    "np": np,
    "Decimal": Decimal,
    "Fraction": Fraction,
    "g": g,
    "step": step,
    "bounds": (1000 * step).epsilon_bounds(1e-5),
}

ANSWERED = """
hs.Gaussian(1.0).epsilon(1e-5)
hs.Gaussian(standard_deviation=4.0, sensitivity=2.0).epsilon(1e-5)
hs.DiscreteGaussian(noise_multiplier=10.0).epsilon(1e-5)
hs.Laplace(scale=20.0).epsilon(1e-5)
hs.Laplace(epsilon=0.5).epsilon(1e-5)
hs.RandomizedResponse(epsilon=1.0).epsilon(1e-5, adjacency="replace-one")
hs.ExponentialMechanism(0.3).epsilon(1e-5)
(1e4 * step).epsilon(1e-5)
(1e4 * step).epsilon(1e-5, adjacency="replace-one")
(1000 * step).epsilon(Decimal("1e-5"))
(1000 * step).epsilon(Fraction(1, 10**5))
(1000 * step).epsilon(np.array(1e-5))
hs.Gaussian(np.array(1.0)).epsilon(1e-5)
hs.Gaussian(Fraction(3, 2)).epsilon(1e-5)
(10 * g).poisson_sampled_together(0.01).epsilon(1e-5)
hs.DPSGD(noise_multiplier=1.0, batch_size=256, dataset_size=60_000, epochs=10).epsilon(1e-5)
hs.dpsgd_epsilon(noise_multiplier=1, batch_size=256, dataset_size=6e4, epochs=10, delta=1e-5)
baselines.zcdp_epsilon(2.56, delta=1e-10)
hs.baselines.zcdp_epsilon(2.56, delta=1e-10)
step.epsilon(1e-5, adjacency="substitution")
step.epsilon(1e-5, adjacency="add-remove")
hs.Accountant("replace-one").compose(step).report(1e-5).bounds.upper
hs.EpsilonMeter(step, 1e-5, 3).remaining_steps / 1e4
g.random_allocation(1000).epsilon(1e-5)
hs.Gaussian(4.0).shuffled(100).epsilon(1e-5, adjacency="replace-special")
hs.any_of([g, hs.Laplace(2.0)]).epsilon(1e-5)
hs.joint([g, hs.Laplace(2.0)]).epsilon(1e-5)
hs.parallel([g, hs.Laplace(2.0)]).epsilon(1e-5)
max([step.epsilon_bounds(1e-5), g.epsilon_bounds(1e-5)]).upper
hs.Composition([g, step]).epsilon(1e-5)
float(0.9 * g.epsilon(1e-5) not in g.epsilon_bounds(1e-5))
hs.report_noisy_max(0.5).epsilon(1e-5)
hs.verify(g, 1e-5).upper
g.epsilon_bounds(1e-5).width + 1
round(g.epsilon_bounds(1e-5), 2).upper
"""


@pytest.mark.parametrize("line", ANSWERED.split("\n")[1:-1])
def test_lines_that_are_answered(line):
    assert 0 < eval(line, NAMES) < 100  # noqa: S307


# By a user: results, errors, and functions with which new mechanisms register.
NOT_CALLED = re.findall(
    r"\w+",
    """Adjacency Bounds BudgetExceeded CertificationError Direction DominatingPair ErrorBudget
    Guarantee InternalError Mechanism PrivacyLossDistribution Records StaleLedgerError SweepError
    Verified concentration limit_variance renyi_curve""",
)


def public_calls():
    """What a reader of the manual can call: of the modules, and of what their calls return."""
    owners = [hs, baselines, hs.audit, hs.plot, g, 3 * g, step, g.pld(), hs.parallel(g, g)]
    owners += [hs.Accountant(), hs.EpsilonMeter(g, 1e-5), hs.GaussianFilter(1.0), hs.ZCDPFilter(1)]
    owners += [hs.Accountant().report(1e-5), hs.ZCDPFilter(1).report()]
    owners += [
        hs.DPSGD(1.0, sampling_probability=0.1, steps=9),
        hs.TreeMechanism(leaves=4, noise_multiplier=1),
    ]
    for owner in owners:
        for name in getattr(owner, "__all__", dir(owner)):
            if (
                not name.startswith("_")
                and name not in NOT_CALLED
                and callable(getattr(owner, name))
                and not ismodule(getattr(owner, name))
            ):
                yield getattr(owner, name)


def said(call):
    """Of an argument that it does not have."""
    try:
        return f"nothing, and returns {call(nonsense=1)}"
    except (TypeError, ValueError) as error:
        return str(error)


def test_every_call_names_itself_and_what_it_takes():
    """No class or function of the inside is named, and no word of Python stands alone."""
    for call in public_calls():
        assert re.match(rf"{call.__name__}(\(\) got an| takes [a-z]+)", said(call)), call


RUN = "epsilon --noise-multiplier 1"
COMMANDS = {
    f"{RUN} --batch-size 256 --dataset-size 60000 --epochs 10 --delta 1e-5": "2344 steps (10 epo",
    f"{RUN} --sampling-probability 256/60000 --steps 1e4 --delta 1e-5": "10000 steps of noise 1.0",
    f"{RUN} --sampling-probability 1% --steps 10,000 --delta 1e-5": "q = 0.01, poisson sampling",
    f"{RUN} --sampling-probability 1% --steps 10,000 --delta 1/60000": "usual is n^-1.1 or less",
    "calibrate --rho 0.5 -i 1": "noise_multiplier = 1.0",
    "calibrate --mu 1 -i 4": "noise_multiplier = 2.0",
    "calibrate --bayes-risk 0.4 -i 1 --json": '"bayes_risk": 0.4',
    "calibrate --reconstruction-risk 0.1 --baseline 0.01 -i 1": "<= reconstruction_risk <= 0.",
    "calibrate --epsilon 2 -d 1e-5 -i 10 --group-size 4": "add-or-remove-one, groups of 4",
    "calibrate --epsilon 200 -d 1e-5 -s 1 -i 10 --parameter sampling-probability": "everything",
    "calibrate --epsilon 1e-3 --delta 1e-5 -s 1 --parameter steps": "not even one step fits",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command, capsys):
    with pytest.raises(SystemExit):
        cli.main(shlex.split(command))
    out, err = capsys.readouterr()
    assert COMMANDS[command] in out + err
