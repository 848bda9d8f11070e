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

REFUSED = {
    "bounds < 3": "such as bounds.upper < 3",
    "3 > bounds": "such as bounds.upper < 3",
    "bounds >= 3": "such as bounds.lower >= 3",
    "2 * bounds": "bounds are two numbers, from 1.8",
    "bounds - bounds": "such as bounds.upper - Bounds(",
    "-bounds": "such as bounds.upper",
    "float(bounds)": "write of one of them, such as bounds.upper",
    "bounds ** 2": "such as bounds.upper ** 2",
    "(10 * step)[0]": "its mechanisms, and how often each runs, are run.terms",
    "list(g)": "a run is no list",
    "hs.Composition(3 * g)": "a run is no list",
    "g.with_replacement(9, 99)": "did you mean fixed_size_sampled?",
    "g.group_privacy(3)": "did you mean group?",
    "hs.EpsilonMeter(step, 1e-5).record()": "did you mean update?",
    "hs.EpsilonMeter(step, 1e-5).count": "did you mean steps?",
    "hs.EpsilonMeter(step, 1e-5).exceeded": "did you mean should_stop?",
    "hs.GaussianFilter(mu=1).spend(g)": "did you mean run?",
    "hs.RenyiFilter(order=8, divergence=1)": "did you mean budget?",
    "hs.TreeMechanism(leaves=8, noise_multiplier=1, epochs=2)": "did you mean restarts?",
    "hs.audit.epsilon_lower(alpha=0.05)": "did you mean confidence?",
    "step.epsilon_bounds(1e-5, precision=1e-3)": "epsilon_bounds takes delta, adjacency, toler",
    "bounds.epsilon": "did you mean upper?",
    "hs.verify(g, 1e-5).is_correct": "did you mean enclosed?",
    "hs.verify(g, 1e-5).value": "did you mean upper?",
    "hs.Adjacency.REPLACE": "got 'REPLACE'; did you mean replace-one?",
    "step.epsilon(1e-5, neighboring='replace')": "did you mean adjacency?",
    "100 * hs.Gaussian": "Gaussian makes mechanisms; write 10 * Gaussian(...)",
    "hs.Laplace + g": "Laplace makes mechanisms; write Laplace(...) + another",
    "hs.Accountant().compose(hs.Gaussian)": "got the class Gaussian",
    "hs.Accountant() + g": "Accountant is added to by compose(Gaussian(1.0))",
    "hs.Accountant().step(g)": "did you mean compose?",
    "hs.Accountant().spent": "did you mean epsilon?",
    "hs.Accountant().budget": "did you mean admit?",
    "hs.Accountant().reset()": "what was released stays spent: begin with a new one",
    "hs.GaussianFilter(mu=1).undo()": "what was released stays spent: begin with a new one",
    "hs.Accountant(budget=1)": "; give the budget to admit, or use a filter",
    "hs.Accountant().report(1e-5).table": "did you mean markdown?",
    "hs.EpsilonMeter(step, 1e-5).current": "did you mean epsilon?",
    "hs.Meter(step, 1e-5)": "did you mean EpsilonMeter?",
    "hs.noise_multiplier(epsilon=1)": "did you mean dpsgd_noise_multiplier?",
    "hs.get_epsilon(g, 1e-5)": "write (10 * hs.Gaussian(1.0)).epsilon(...)",
    "hs.SubsampledGaussian(1.0, 0.01)": "write hs.Gaussian(sigma).poisson_sampled(q)",
    "hs.PLD(g)": "write run.pld()",
    "hs.PoissonSampled(0.01, g)": "mechanism must be a mechanism that can be sampled, got 0.01",
    "hs.disjoint(g, step)": "hockeystick.disjoint is a module; it has DisjointParts, parallel",
    "hs.audit.one_run(10)": "one_run is a module; it has one_run_p_value, one_run_epsilon_lower, ",
    "hs.calibrate(lambda s, q: g, epsilon=2, delta=1e-5)": "got one that takes s, q: fix all oth",
    "hs.calibrate(hs.Gaussian, epsilon=2, delta=1e-5, initial_guess=1)": "did you mean bounds?",
    "hs.DPSGD(1.0, microbatches=4)": "one step is one noisy update, and its batch has",
    "hs.Gaussian(epsilon=1, delta=1e-5)": "by hs.calibrate(hs.Gaussian, epsilon=..., delta=...)",
    "hs.Gaussian(mu=0.5)": "; a guarantee of mu-Gaussian DP is hs.Gaussian(1 / mu)",
    "hs.Gaussian(variance=4.0)": "; give its root, the standard deviation",
    "hs.Gaussian(1.0, sampling_rate=0.01)": "as in hs.Gaussian(1.0).poisson_sampled(q)",
    "hs.Laplace(lam=1.0)": "did you mean scale?",
    "hs.ExponentialMechanism(epsilon=1, sensitivity=1)": "is relative to the sensitivity",
    "hs.RandomizedResponse(keep=0.5)": "did you mean noise_parameter?",
    "hs.DiscreteGaussian(rho=0.5)": "; a guarantee of rho-zCDP is hs.ZCDP(rho)",
    "hs.TreeMechanism(n=8, noise_multiplier=1)": "did you mean leaves?",
    "hs.ToeplitzMechanism(coefs=[1.0], steps=9, noise_multiplier=1)": "did you mean coefficients?",
    "hs.best_of(g, runs='geometric', expected=10)": "did you mean mean?",
    "hs.above_threshold(epsilon=1.0)": "did you mean threshold_epsilon?",
    "g.add_noise(3.0)": "hockeystick accounts for noise, and adds none",
    "g.sensitivity": "noise_multiplier is the noise over it",
    "hs.GaussianMechanism(1.0)": "did you mean Gaussian?",
    "hs.LaplaceDpEvent(1.0)": "did you mean Laplace?",
    "hs.Laplace(b=2.0)": "did you mean scale?",
    "hs.compose(g, 10)": "has no attribute 'compose'; write account.compose(...)",
    "hs.epsilon(g, 1e-5)": "write (10 * hs.Gaussian(1.0)).epsilon(...)",
    "hs.plot.epsilon_by_count(g, 100)": "counts must be numbers of runs, such as [1, 10, 100]",
    "hs.DPSGD(1.0, 256, 60_000, 10)": (
        "too many positional arguments: noise_multiplier may be given by position, all others by"
    ),
    "hs.dpsgd_epsilon(1.0, 0.01, 1000, 1e-5)": "none may be given by position, all others by name",
    "g.eps(1e-5)": "'Gaussian' object has no attribute 'eps'; did you mean epsilon?",
    "hs.Accountant().get_epsilon(1e-5)": "did you mean epsilon?",
    "(10 * g).get_privacy_spent(1e-5)": "did you mean epsilon?",
    "hs.Accountant().spend(g)": "did you mean compose?",
    "(10 * g).rdp(8)": "did you mean renyi_divergence?",
    "(10 * g).renyi_bounds(8)": "did you mean renyi_divergence_bounds?",
    "(10 * g).tpr_bounds(0.1)": "did you mean true_positive_rate_bounds?",
    "(10 * g).epsilon_bound(1e-5)": "did you mean epsilon_bounds?",
    "(10 * g).median()": "did you mean loss_quantile?",
    "(10 * g).largest_loss()": "did you mean epsilon(0)?",
    "(10 * g).repeat(3)": "did you mean count * run?",
    "g.verify(1e-5)": "did you mean hs.verify?",
    "g.subsampled(0.01)": "did you mean poisson_sampled?",
    "g.amplified(0.01)": "did you mean poisson_sampled?",
    "g.sampled_without_replacement(9, 99)": "did you mean fixed_size_sampled?",
    "g.shuffle(10)": "did you mean shuffled?",
    "g.balls_in_bins(10)": "did you mean random_allocation?",
    "g.compose(g)": "did you mean one + another, or count * run?",
    "hs.DPSGD(1.0, max_grad_norm=1.0)": "; noise_multiplier is in units of the clipping norm",
    "hs.DPSGD(1.0, N=60_000)": "argument 'N'; did you mean dataset_size?",
    "hs.DPSGD(1.0, sampling_probability=0.1, steps=9, sampling='without_replacement')": (
        "got 'without_replacement'; did you mean fixed_size?"
    ),
    "hs.DPSGD(1.0, sampling_probability=0.1, steps=9, sampling='poission')": "you mean poisson?",
    "step.epsilon(1e-5, adjacency='swap-one')": "got 'swap-one'; did you mean replace-one?",
    "hs.Accountant(1e-5)": "adjacency must be one of 'add-or-remove-one', ",
    "hs.GaussianFilter(epsilon=1, delta=1e-5)": "ZCDPFilter rho, PureFilter epsilon and delta",
    "g.group(k=3)": "argument 'k'; did you mean size?",
    "g.shuffled(10, drop_last=True)": "argument 'drop_last'; did you mean left_out?",
    "hs.RandomizedResponse(p=0.7)": "argument 'p'; did you mean noise_parameter?",
    "hs.RandomizedResponse(epsilon=1, k=4)": "argument 'k'; did you mean num_buckets?",
    "hs.sparse_vector(1)": "did you mean above_threshold?",
    "hs.plot.privacy_curve(g)": "has no attribute 'privacy_curve'; did you mean hockey_stick?",
    "hs.Accountant().report(1e-5).to_latex()": "did you mean latex?",
    "g.epsilon_bounds(1e-5).midpoint": "did you mean estimate?",
    "step.noise_multiplier": "did you mean mechanism.noise_multiplier?",
    "hs.Accountant().report(1e-5).save('x')": "did you mean page?",
    "hs.Composition([g, 3])": "mechanism must be",
    "hs.any_of([g, 3])": "option must be",
    "hs.ZCDP(0.1).subsample(0.01)": "; write hs.joint(run).poisson_sampled(q) to draw one sample",
    "(10 * g).shuffled(batches=9)": "'shuffled'; shuffled is of a single Gaussian",
    "step.random_allocation(9)": "; random_allocation is of a single mechanism with noise",
    "hs.joint(g, hs.Laplace(2.0)).random_allocation(9)": "is sampled by poisson_sampled alone",
    "hs.joint(g, hs.Laplace(2.0)).shuffled(batches=9)": "is sampled by poisson_sampled alone",
    "hs.Accountant().shuffled": "write shuffled of the mechanism, before it is entered",
    "hs.GaussianFilter(mu=1).get_epsilon(1e-5)": "did you mean epsilon?",
    "hs.GaussianFilter(mu=1).remaining_budget": "did you mean remaining?",
    "hs.GaussianFilter(mu=1).would_exceed(g)": "did you mean may_run?",
    "hs.IndividualFilter(mu=1, records=2, noise_multiplier=1).history": "no attribute 'history'",
    "hs.Accountant().history": "did you mean entries?",
    "hs.Accountant().compose([g, g])": "got [Gaussian(1.0), Gaussian(1.0)]: add them up with +",
    "hs.Gaussian(noise=1.0)": "Gaussian takes noise_multiplier, sigma, scale, standard_deviation",
    "(10 * g).poisson_sampled(0.01)": "10 * Gaussian(1.0).poisson_sampled(0.01)",
    "step.poisson_sampled(0.01)": "is sampled already",
    "hs.RandomizedResponse(0.5).epsilon(1e-5)": 'pass adjacency="replace-one" or "replace-special"',
    "g.poisson_sampled(q=0.01)": "argument 'q'; did you mean sampling_probability?",
    "g.shuffled(num_batches=10)": "argument 'num_batches'; did you mean batches?",
    "step.epsilon(1e-5, tol=1e-3)": "epsilon takes delta, adjacency, tolerance, memory_limit; got"
    " an unexpected keyword argument 'tol'; did you mean tolerance?",
    "step.loss_quantile(0.5, tol=1e-3)": "argument 'tol'; did you mean deviations?",
    "hs.Accountant(delta=1e-5)": "Accountant takes adjacency, tolerance; got an unexpected",
    "hs.Accountant().admit(g, eps=1.0)": "argument 'eps'; did you mean epsilon?",
    "hs.EpsilonMeter(step, 1e-5, epsilon=3)": "EpsilonMeter takes step, delta, budget, spent",
    "hs.DPSGD(1.0, num_steps=10)": "argument 'num_steps'; did you mean steps?",
    "hs.DPSGD(1.0, shuffle=True)": "argument 'shuffle'; did you mean sampling=\"shuffled\"?",
    "hs.calibrate(hs.Gaussian, target_epsilon=1)": "did you mean epsilon?",
    "hs.verify(g, target_delta=1e-5)": "argument 'target_delta'; did you mean delta?",
    "g.epsilon(1e-5, adjacency='next')": "adjacency must be one of 'add-or-remove-one', ",
    "format(g.epsilon_bounds(1e-5), '<8')": "format must be as '.3f', '10.2e' or '.4g', got '<8'",
    "step.epsilon()": "epsilon takes delta, adjacency, memory_limit, tolerance; missing a required "
    "argument: 'delta'",
    "hs.Accountant().epsilon()": "epsilon takes delta, adjacency, memory_limit, "
    "tolerance; missing a required argument",
    "2.5 * step": "count must be a whole number",
    "hs.audit(step)": "hockeystick.audit is a module; it has counts, epsilon_lower, ",
    "hs.baselines(step)": "hockeystick.baselines is a module; it has Guarantee, advanced_comp",
    "hs.accountant()": "hockeystick.accountant is a module; write hs.Accountant(...)",
    "hs.dpsgd(noise_multiplier=1)": "hockeystick.dpsgd is a module; write hs.DPSGD(...)",
    "hs.audit.clopper_pearson(9, 10)": "did you mean rate_bounds?",
    "hs.audit.one_run_epsilon_lower(m=9)": "argument 'm'; did you mean canaries?",
    "hs.compat.opacu": "opacus",
    "hs.load('ledger.json')": "write hs.Accountant.load(...)",
    "hs.from_json('{}')": "write hs.Composition.from_json(...)",
    "hs.GaussianDP(mu=1.0)": "write hs.Gaussian(1 / mu)",
    "hs.PureDP(0.5)": "write hs.ApproximateDP(epsilon, 0)",
    "hs.DPFTRL(noise_multiplier=1.0)": "did you mean MatrixMechanism?",
    "hs.PrivacyFilter(epsilon=1)": "did you mean GaussianFilter?",
    "hs.shuffle_model(1.0, 100)": "did you mean ShuffledLocal?",
    "hs.compute_dp_sgd_privacy(n=60_000)": "did you mean dpsgd_epsilon?",
    "hs.ShuffledLocal(epsilon=1.0, n=100)": "argument 'epsilon'; did you mean epsilon0?",
    "hs.ShuffledLocal(epsilon0=1.0, users=9, randomizer='rr')": "did you mean k-ary?",
    "hs.MatrixMechanism.toeplitz([1.0], n=9, noise_multiplier=1)": "did you mean steps?",
    "g.shuffled(batch_size=256, dataset_size=60_000)": "'dataset_size'; hs.DPSGD takes it",
    "g.poisson_sampled(batch_size=256)": "did you mean sampling_probability?",
    "hs.DPSGD(1.0, accumulation_steps=4)": "one step is one noisy update, and its batch has",
    "(10 * g).report(1e-5)": "did you mean hs.Accountant().compose(run).report?",
    "(10 * g).rho()": "did you mean zcdp?",
    "(10 * g).steps": "did you mean terms?",
    "hs.parallel(g, g).rho()": "did you mean zcdp?",
    "g.epsilon_bounds(1e-5).max": "did you mean upper?",
    "hs.EpsilonMeter(step, 1e-5).get_epsilon()": "did you mean epsilon?",
    "hs.GaussianFilter(mu=1).report(1e-5)": "report takes no arguments; too many positional",
    "hs.Accountant().compose(g, name='x')": "did you mean label?",
    "hs.calibrate(g, epsilon=1, delta=1e-5)": "such as lambda sigma: 3 * Gaussian(sigma), got G",
    "hs.plot.pld(g)": "did you mean loss_distribution?",
    "hs.plot.epsilon(g)": "did you mean epsilon_by_count?",
    "hs.plot(g, 'privacy_curve')": "did you mean hockey_stick?",
    "hs.plot(g, title='x')": "change the axes that it returns, as ax.set_title(...) does",
    "hs.plot(g, filename='x.png')": "write the figure of its axes by ax.figure.savefig(...)",
    "hs.plot(g, log=True)": "did you mean yscale?",
    "hs.plot(g, kind='roc')": 'choose the picture as in plot(run, "roc")',
    "hs.plot.hockey_stick(g, baselines=['renyi'])": "did you mean rdp?",
    "hs.DPSGD(1.0, batch_size=256, epochs=10)": "dataset_size must be given with batch_size",
    "hs.DPSGD(1.0, batch_size=256, dataset_size=60_000)": "steps must be given, or in its place e",
}


@pytest.mark.parametrize("line", ANSWERED.split("\n")[1:-1])
def test_lines_that_are_answered(line):
    assert 0 < eval(line, NAMES) < 100  # noqa: S307


@pytest.mark.parametrize("line", REFUSED)
def test_lines_that_are_refused_with_what_to_write(line):
    with pytest.raises((AttributeError, TypeError, ValueError), match=re.escape(REFUSED[line])):
        eval(line, NAMES)  # noqa: S307


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
    "calibrate --epsilon 2 --delta 1e-5 --sampling-probability 0.01": "Missing option '--steps'",
    f"{RUN} --delta 1e-5": "Missing option '--steps'",
    "help": "Did you mean '--help'?",
    "report run.toml": "No such command 'report'. Did you mean 'ledger'?\n",
    "curve": "Did you mean 'plot'?",
    "plot -s 1 -i 1 -o x": "--output must end in a format",
    "epsilon -s 1 -p 0.01 -i 5 --epsilon 1": "; calibrate, compare, delta, matrix, plot, verify ta",
    "epsilon -s 1 -i 5 -a replace": "No such option '-a'; did you mean '--adjacency'?",
    "epsilon run.toml -d 1e-5": "; did you mean --run run.toml?",
    "filter --mu 1": "; calibrate takes it",
    "epsilon -s 1 -i 10 -d 1e-5 --group-size 0": "group_size must be a whole number in [1, 1000]",
    "filters": "No such command 'filters'. Did you mean 'filter'?\n",
    "calibrate --epsilon 2 -d 1e-5 -s 1 -p 0.01": "r, or choose another by --parameter",
    "rdp -s 1": "Python asks it as run.renyi_divergence(...)",
    "mu -s 1": "Python asks it as run.gdp_mu(...)",
    "ledgers": "Did you mean 'ledger'?",
    "privacy": "There are audit, calibrate, compare, delta, ",
    "plot pld -s 1 -i 1 -o x.png": "Did you mean 'loss-distribution'?",
    "plot privacy_curve -s 1 -i 1 -o x.png": "Did you mean 'hockey-stick'?",
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
