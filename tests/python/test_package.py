# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: names, import time, version, and the examples in its docstrings."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hockeystick as hs

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(hs.__path__, "hockeystick.")
    if info.name not in {"hockeystick.__main__", "hockeystick._core"}
    and not info.name.endswith("privacy_loss_mechanism")  # refuses to be imported
)

# Modules that need another package.
EXTRAS = {"hockeystick.compat.flower": "flwr", "hockeystick.compat.opacus": "opacus"} | {
    f"hockeystick.callbacks.{name}": name for name in ("keras", "lightning", "transformers")
}


def test_public_names():
    for name in hs.__all__:
        assert getattr(hs, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        hs.nothing  # noqa: B018


def test_the_version_comes_from_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert hs.__version__ == project["version"]
    assert not re.search(
        r"project\([^)]*VERSION [0-9]", (ROOT / "CMakeLists.txt").read_text("utf-8")
    )
    newest = re.search(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest[1] == project["version"]


def test_the_citation_is_of_this_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", text, re.MULTILINE)[1] == hs.__version__
    assert text.startswith("cff-version: 1.2.0\n")


def test_people_find_what_they_look_for():
    """The files that a forge shows to whom opens an issue, reports a wrong bound or cites."""
    templates = ROOT / ".github" / "ISSUE_TEMPLATE"
    if not templates.exists() and (ROOT / "PKG-INFO").exists():
        pytest.skip("a source distribution has no .github")
    assert {path.name for path in templates.iterdir()} == {
        "bug.yml",
        "config.yml",
        "wrong-bound.yml",
    }
    assert (ROOT / ".github" / "pull_request_template.md").exists()
    assert "Report a vulnerability" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    ci = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert "- run: .ci/run\n" in ci
    assert "- run: .ci/all\n" in ci


@pytest.mark.parametrize("name", ["hockeystick", *MODULES])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of other packages, at their import
def test_examples(name):
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name], reason=f"{EXTRAS[name]} is not installed")
    result = doctest.testmod(importlib.import_module(name), raise_on_error=False)
    assert result.failed == 0


def test_import_is_light():
    """Importing must not pull in what only some users need."""
    heavy = {"scipy", "click", "matplotlib", "importlib.metadata", "_hashlib", "secrets"}
    code = "import sys, numpy; before = set(sys.modules); import hockeystick; "
    code += f"print(*sorted({heavy!r} & (set(sys.modules) - before)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


NOT_TO_BE_HAD = """
import sys
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in (
            *("scipy", "dp_accounting", "prv_accountant", "matplotlib", "opacus", "flwr", "keras"),
            *("lightning", "transformers", "pandas"),
        ):
            raise ModuleNotFoundError(f"{name} is not to be had", name=name)

sys.meta_path.insert(0, Refuse())
import hockeystick as hs
"""
QUESTIONS = """
run = 100 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
run += hs.Laplace(noise_multiplier=9.0)
given = {"epsilon": 1e-5, "delta": 1.0, "tradeoff": 0.1, "true_positive_rate": 0.1}
given |= {"reconstruction_risk": 0.1}
given |= {"probabilistic_delta": 1.0, "loss_quantile": 0.9, "renyi_divergence": 2.0}
asked = [name for name in dir(run) if name.endswith("_bounds")]
assert asked
for name in asked:
    at = given.pop(name.removesuffix("_bounds"), None)
    bounds = getattr(run, name)(*([] if at is None else [at]))
    assert bounds.lower <= bounds.upper
assert not given
run.explain(delta=1e-5), run.pld(discretization_interval=0.01).epsilon(1e-5)
hs.dpsgd_epsilon(noise_multiplier=1.0, sampling_probability=0.01, steps=100, delta=[1e-5, 1e-6])
hs.calibrate(lambda s: hs.Gaussian(noise_multiplier=s), epsilon=1.0, delta=1e-5)
account = hs.Accountant().compose(run)
assert hs.Accountant.from_json(account.to_json()).epsilon(1e-5) == run.epsilon(1e-5)
assert account.would_exceed(run, 1, epsilon=0.1, delta=1e-5)
hs.sweep(lambda n: (n * hs.DiscreteGaussian(sigma=2.0)).epsilon_bounds(1e-5), {"n": [1, 2]})
"""
OF_EXTRAS = """
sys.modules["flint"] = None
for line in (
    "hs.plot(run)", "hs.plot.detached()", "hs.plot.epsilon_by_count(run, [1])", "hs.plot.roc(run)",
    "hs.plot.tradeoff(run)", "hs.plot.loss_against_probability(run, epsilon=1.0)",
    "hs.plot.loss_distribution(run)", "hs.verify(run, 1e-5)",
    "hs.compat.opacus", "hs.compat.flower",
    "import hockeystick.callbacks.keras", "import hockeystick.callbacks.lightning",
    "import hockeystick.callbacks.transformers",
    "hs.sweep(lambda x: x, {'x': [1]}).frame()", "run.to_dp_event()",
    "hs.Composition.from_dp_event(run)",
):
    try:
        exec(line, {"hs": hs, "run": hs.Gaussian(1.0)})
    except ModuleNotFoundError as error:
        assert "; it comes with the extra hockeystick[" in str(error), error
    else:
        raise AssertionError(line)
"""
BASELINES = """
import hockeystick.baselines as baselines
gaussians = 100 * hs.Gaussian(noise_multiplier=9.0)
baselines.clt_epsilon(gaussians, 1e-5), baselines.rdp_epsilon(gaussians, 1e-5)
"""
COMMANDS = """
from hockeystick.cli import main
run = ["--noise-multiplier", "1", "--sampling-probability", "0.01"]
for words in (
    ["epsilon", *run, "--steps", "100", "--delta", "1e-5", "--explain"],
    ["delta", *run, "--steps", "100", "--epsilon", "1", "--json"],
    ["calibrate", *run[2:], "--steps", "100", "--epsilon", "1", "--delta", "1e-5"],
    ["compare", *run, "--steps", "100", "--delta", "1e-5", "--peer", "prv-accountant"],
    ["verify", *run[:2], "--steps", "10", "--delta", "1e-5"],
):
    try:
        main(words)
    except SystemExit as end:
        assert not end.code, words
"""
NAMES_OF_OTHERS = """
from hockeystick.compat import prv_accountant
from hockeystick.compat.dp_accounting import pld
once = pld.privacy_loss_distribution.from_laplace_mechanism(1.0)
once.self_compose(3).get_epsilon_for_delta(1e-5)
once.get_gdp_parameter_estimate()
pld.pld_pmf.create_pmf_pessimistic_connect_dots(0.1, [0, 1], [0.2, 0.1]).self_compose(3)._probs
own = prv_accountant.LaplaceMechanism(mu=0.1)
own.cdf(0.05), own.rdp(2.0), own.mean()
account = prv_accountant.PRVAccountant(own, 0.1, 1e-9)
account.compute_epsilon(1e-5, 1), account.compute_trade_off_curve(1)
prv_accountant.GaussianMechanism(1.0).pdf(0.0)
"""


@pytest.mark.parametrize("asked", [QUESTIONS, OF_EXTRAS, BASELINES, COMMANDS, NAMES_OF_OTHERS])
def test_numpy_is_enough(asked):
    """Any certified question, the command line, and the names of packages that are not there."""
    done = subprocess.run(
        [sys.executable, "-c", NOT_TO_BE_HAD + asked], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_is_not_to_be_had_is_missed():
    done = subprocess.run(
        [sys.executable, "-c", NOT_TO_BE_HAD + "import scipy.special"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "scipy is not to be had" in done.stderr
