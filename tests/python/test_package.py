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
EXTRAS = {"hockeystick.compat.flower": "flwr", "hockeystick.compat.opacus": "opacus"}


def test_public_names():
    for name in hs.__all__:
        assert getattr(hs, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        hs.nothing  # noqa: B018


def test_the_version_comes_from_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert hs.__version__ == project["version"]
    assert not re.search(r"project\([^)]*VERSION", (ROOT / "CMakeLists.txt").read_text("utf-8"))
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


@pytest.mark.parametrize("name", ["hockeystick", *MODULES])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of other packages, at their import
def test_examples(name):
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name], reason=f"{EXTRAS[name]} is not installed")
    result = doctest.testmod(importlib.import_module(name), raise_on_error=False)
    assert result.failed == 0


def test_import_is_light():
    """Importing must not pull in what only some users need."""
    heavy = {"scipy", "click", "matplotlib", "importlib.metadata"}
    code = "import sys, numpy; before = set(sys.modules); import hockeystick; "
    code += f"print(*sorted({heavy!r} & (set(sys.modules) - before)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_certified_answers_need_no_scipy():
    """Neither the library nor the names of others over it, where those are not installed."""
    code = """
import sys
sys.modules |= dict.fromkeys(("scipy", "dp_accounting", "prv_accountant"))
import hockeystick as hs
from hockeystick.baselines import clt_epsilon
from hockeystick.compat import prv_accountant
from hockeystick.compat.dp_accounting import pld

run = 100 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01) + hs.Laplace(noise_multiplier=9)
run.epsilon_bounds(1e-5), run.delta_bounds(1.0), run.tradeoff_bounds(0.1)
run.renyi_divergence_bounds(2.0), run.bayes_risk_bounds(0.5)
clt_epsilon(100 * hs.Gaussian(noise_multiplier=9.0), 1e-5)
hs.calibrate(lambda s: hs.Gaussian(noise_multiplier=s), epsilon=1.0, delta=1e-5)
once = pld.privacy_loss_distribution.from_laplace_mechanism(1.0)
once.self_compose(3).get_epsilon_for_delta(1e-5)
own = prv_accountant.LaplaceMechanism(mu=0.1)
prv_accountant.PRVAccountant(own, 0.1, 1e-9).compute_epsilon(1e-5, 1)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
