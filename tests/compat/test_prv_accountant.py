# SPDX-License-Identifier: Apache-2.0
"""prv_accountant's names: its documented examples run, and the truth is enclosed."""

import inspect
import math
import re
import shlex
from functools import cache
from importlib import import_module, metadata

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.one_step import gaussian_delta
from exact.responses import Responses
from hockeystick import cli
from hockeystick.compat import prv_accountant as prv
from hockeystick.compat.prv_accountant.dpsgd import DPSGDAccountant, find_noise_multiplier
from questions import encloses

OURS, THEIRS = "hockeystick.compat.prv_accountant", "prv_accountant"
ERRORS = {"eps_error": 0.1, "delta_error": 1e-10}
DPSGD = prv.PoissonSubsampledGaussianMechanism(sampling_probability=5e-3, noise_multiplier=0.8)


@pytest.fixture
def theirs():
    """Their package; its warnings are its own."""
    pytest.importorskip(THEIRS, reason="the extra prv-accountant is not installed")
    return import_module(f"{THEIRS}.dpsgd")


def run(steps, sigma=0.8, q=5e-3):
    return ((exact.Step(sigma, q), steps),)


def enclosed(answer, truth, width=1e-3):
    lower, estimate, upper = answer
    assert lower <= estimate <= upper
    assert encloses(hs.Bounds(lower, upper), truth)
    assert upper - lower <= width * upper
    return True


def test_trade_off_curves_enclose_those_of_the_run():
    account = prv.PRVAccountant(DPSGD, max_self_compositions=1000, **ERRORS)
    rates, estimate = account.compute_trade_off_curve(num_self_compositions=[1000])
    curves = [account.compute_trade_off_curve(1000, bound=bound)[1] for bound in ("lower", "upper")]
    step = hs.Gaussian(noise_multiplier=0.8).poisson_sampled(5e-3)
    bounds = (1000 * step).tradeoff_bounds(rates, adjacency="remove-one")
    assert np.all(curves[0] <= bounds.upper)
    assert np.all(bounds.lower <= curves[1])
    assert np.all(curves[0] <= estimate)
    assert np.all(estimate <= curves[1])
    assert np.all(curves[1] - curves[0] < 1e-2 * curves[1] + 1e-6)
    assert (rates[0], rates[-1]) == (0, 1)
    with pytest.raises(ValueError, match="bound must be one of lower, estimate, upper, got 'both'"):
        account.compute_trade_off_curve(1000, bound="both")


@cache
def epsilon_of(steps, sigma=0.8, q=5e-3, delta=1e-6):
    return exact.epsilon(run(steps, sigma, q), delta, "remove")


def test_dpsgd():
    account = prv.PRVAccountant(DPSGD, max_self_compositions=1000, **ERRORS)
    for steps in 1, 1000:
        assert enclosed(account.compute_epsilon(1e-6, steps), epsilon_of(steps))
    assert enclosed(account.compute_delta(0.5, [1]), exact.delta(run(1), 0.5, "remove"))


def test_mixed_runs_with_inexact_quotients():
    first, second = prv.GaussianMechanism(8.0, l2_sensitivity=3.0), prv.GaussianMechanism(0.7)
    account = prv.PRVAccountant([first, second], max_self_compositions=[9, 9], **ERRORS)
    with ctx.workprec(1000):
        mu = (5 * (arb(3) / 8) ** 2 + 2 / arb(0.7) ** 2).sqrt()
        truth = gaussian_delta(mu, arb(1.5))
    assert enclosed(account.compute_delta(1.5, [5, 2]), truth)


def test_guarantees():
    guarantees = [prv.PureDPMechanism(0.5), prv.ApproximateDPMechanism(0.5, 1e-7)]
    for guarantee, delta in zip(guarantees, [0.0, 1e-7], strict=True):
        account = prv.PRVAccountant(guarantee, max_self_compositions=20, **ERRORS)
        assert enclosed(account.compute_delta(4.0, 20), Responses(0.5, delta, 20).curve(4.0))
    assert account.compute_epsilon(1e-7, 20) == (math.inf, math.inf, math.inf)


def test_eps_error_is_the_widest_gap():
    account = prv.PRVAccountant(DPSGD, 1e-5, 1e-9, max_self_compositions=1000)
    lower, _, upper = account.compute_epsilon(1e-6, 1000)
    assert 0 < upper - lower <= 1e-5
    lower, _, upper = account.compute_delta(0.5, 1000)
    assert 0 < upper - lower <= 1e-5 * upper


def test_removal_is_what_is_asked():
    step = hs.Gaussian(noise_multiplier=0.8).poisson_sampled(5e-3)
    bounds = step.epsilon_bounds(1e-6, adjacency=hs.Adjacency.REMOVE_ONE)
    assert bounds.lower > step.epsilon(1e-6, adjacency=hs.Adjacency.ADD_ONE)
    lower, _, upper = prv.PRVAccountant(DPSGD, **ERRORS).compute_epsilon(1e-6, 1)
    assert (lower, upper) == bounds


def test_noise_that_meets_a_target():
    sigma = find_noise_multiplier(0.01, 1000, target_epsilon=1.0, target_delta=1e-5)
    assert 0.998 < epsilon_of(1000, sigma, 0.01, 1e-5) < 1
    with pytest.raises(RuntimeError, match="mu_max = 5.0"):
        find_noise_multiplier(0.01, 1000, 0.01, 1e-5, mu_max=5.0)


Unknown = type("Unknown", (prv.PrivacyRandomVariable,), {})


def test_the_older_accountant():
    with pytest.warns(DeprecationWarning, match="use PRVAccountant"):
        account = prv.Accountant(0.8, 5e-3, delta=1e-6, max_compositions=1000)
    assert enclosed(account.compute_epsilon(1000), epsilon_of(1000))


def examples(kind):
    """The blocks of code in their documentation, which their distribution carries."""
    text = metadata.metadata("prv-accountant")["Description"]
    return re.findall(rf"^``` ?{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("theirs")
def test_their_documented_examples_run():
    placeholders = {"noise_multiplier": 0.8, "sampling_probability": 0.5, "mu": 0.1}
    blocks = examples("python")
    assert len(blocks) == 7
    names = dict(placeholders)
    for block in blocks[:-1]:
        exec(block.replace(THEIRS, OURS), names)  # noqa: S102
    mixed = names["eps_low"], names["eps_est"], names["eps_up"]
    assert 0 < mixed[0] <= mixed[1] <= mixed[2] <= 1.001 * mixed[0]
    exec(blocks[-1].replace(THEIRS, OURS), names)  # noqa: S102
    dpsgd = names["eps_low"], names["eps_estimate"], names["eps_upper"]
    assert enclosed(dpsgd, epsilon_of(1000))


@pytest.mark.usefixtures("theirs")
def test_their_command_is_ours(capsys):
    (command,) = [block for block in examples("") if block.startswith("compute-dp-epsilon")]
    arguments = shlex.split(command)[1:]
    short = ["-p", "5e-3", "-s", "0.8", "-d", "1e-6", "-i", "1000"]
    answers = []
    for given_as in (arguments, short):
        with pytest.raises(SystemExit) as exited:
            cli.main(["epsilon", *given_as])
        assert exited.value.code == 0
        answers.append(capsys.readouterr().out.split()[2])
    assert answers[0] == answers[1]
    assert float(answers[0]) == pytest.approx(float(epsilon_of(1000)), rel=2e-3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("sigma", "q", "steps"), [(0.8, 5e-3, 1000), (2.0, 0.1, 300)])
def test_their_bounds_hold_ours(theirs, sigma, q, steps):
    question = {"delta": 1e-6, "num_steps": steps}
    wide = theirs.DPSGDAccountant(sigma, q, steps, **ERRORS).compute_epsilon(**question)
    narrow = DPSGDAccountant(sigma, q, steps, **ERRORS).compute_epsilon(**question)
    assert wide[0] < narrow[0] <= narrow[2] < wide[2]
    assert narrow[2] - narrow[0] < 0.05 * (wide[2] - wide[0])
    assert narrow[1] == pytest.approx(wide[1], rel=2e-3)


@pytest.mark.every(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("sigma", "q", "steps", "delta"), [(0.8, 0.125, 1000, 1e-6), (1.0, 0.2, 10, 1e-5)]
)
def test_where_their_quadrature_fails(theirs, sigma, q, steps, delta):
    most = max(steps, 500)
    with pytest.raises(RuntimeError, match="Discrete mean differs"):
        theirs.DPSGDAccountant(sigma, q, most, **ERRORS).compute_epsilon(delta, steps)
    answer = DPSGDAccountant(sigma, q, most, **ERRORS).compute_epsilon(delta, steps)
    assert enclosed(answer, epsilon_of(steps, sigma, q, delta))


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")
def test_where_their_upper_bound_is_below_the_truth(theirs):
    question = {"delta": 1e-12, "num_self_compositions": 10_000}
    errors = {"eps_error": 0.01, "delta_error": 1e-15, "max_self_compositions": 10_000}
    truth = epsilon_of(10_000, 100.0, 1.0, 1e-12)
    theirs_of_noise = import_module(THEIRS).GaussianMechanism(100.0)
    below = theirs.PRVAccountant(theirs_of_noise, **errors)
    assert below.compute_epsilon(**question)[2] < truth
    answer = prv.PRVAccountant(prv.GaussianMechanism(100.0), **errors).compute_epsilon(**question)
    assert enclosed(answer, truth)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("theirs")
@pytest.mark.parametrize(
    "path",
    [
        "accountant",
        "composers",
        "domain",
        "dpsgd",
        "discrete_privacy_random_variable",
        *(
            f"privacy_random_variables.{name}"
            for name in (
                "abstract_privacy_random_variable",
                "approximate_dp",
                "gaussian_mechanism",
                "laplace_mechanism",
                "poisson_subsampled_gaussian_mechanism",
                "pure_dp_mechanism",
            )
        ),
    ],
)
def test_modules_have_the_classes_that_theirs_define(path):
    their_module, our_module = (import_module(f"{package}.{path}") for package in (THEIRS, OURS))
    for name, value in vars(their_module).items():
        if inspect.isclass(value) and value.__module__ == their_module.__name__:
            members = dir(getattr(our_module, name))
            assert {n for n in vars(value) if not n.startswith("_")} <= {
                *members,
                "pmf",
                "domain",
                "log_pmc_inf",
            }


@pytest.mark.filterwarnings("ignore")
def test_names_and_parameters_are_theirs(theirs):
    package = import_module(THEIRS)
    pairs = [(package, prv), (theirs, import_module(f"{OURS}.dpsgd"))]
    names = [*prv.__all__], ["DPSGDAccountant", "find_noise_multiplier"]
    assert {n for n in vars(package) if n[0].isupper()} == set(prv.__all__)
    for (their_module, our_module), listed in zip(pairs, names, strict=True):
        for name in listed:
            if name == "PrivacyRandomVariable":
                continue
            expected = inspect.signature(getattr(their_module, name)).parameters.values()
            got = inspect.signature(getattr(our_module, name)).parameters.values()
            positional = [p.name for p in got if p.kind is p.POSITIONAL_OR_KEYWORD]
            assert positional == [p.name for p in expected]
