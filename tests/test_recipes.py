# SPDX-License-Identifier: Apache-2.0
"""The templates for distributions ask for what pyproject.toml asks for."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUN, BUILD = PROJECT["project"]["dependencies"], PROJECT["build-system"]["requires"]


def items(text, key):
    """The list below a key of the recipe."""
    return re.findall(r"- (.*)", re.search(rf"^  {key}:\n((?:    - .*\n)+)", text, re.MULTILINE)[1])


def spaced(requirement):
    """As conda writes it."""
    return re.sub(r"(?<=[\w-])(?=[><=])", " ", requirement, count=1)


def test_the_recipe_of_conda():
    text = (EXAMPLES / "recipe.yaml").read_text(encoding="utf-8")
    assert items(text, "run") == ["python", *map(spaced, RUN)]
    assert items(text, "host") == ["python", "pip", *map(spaced, BUILD)]
    assert f'version: "{PROJECT["project"]["version"]}"' in text
    assert f"license: {PROJECT['project']['license']}" in text
    least = re.search(
        r"cmake_minimum_required\(VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()
    )
    assert f"cmake >={least[1]}" in items(text, "build")


def test_the_control_file_of_debian():
    control = (EXAMPLES / "debian" / "control").read_text(encoding="utf-8")
    for requirement in RUN:
        name, least = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups()
        assert re.search(rf"python3-{name} \(>= (?:1:)?{re.escape(least)}\)", control)
    assert "pybind11-dev (>= 3)" in control
    assert "python3-scikit-build-core (>= 0.10)" in control
    changelog = (EXAMPLES / "debian" / "changelog").read_text(encoding="utf-8")
    assert changelog.startswith(f"hockeystick ({PROJECT['project']['version']}) ")


def test_lintian_has_nothing_to_say(tmp_path):
    pack, lint = map(shutil.which, ("dpkg-source", "lintian"))
    if pack is None or lint is None:
        pytest.skip("dpkg-source and lintian are not installed: only Debian has them")
    source = tmp_path / f"hockeystick-{PROJECT['project']['version']}"
    shutil.copytree(EXAMPLES / "debian", source / "debian")
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, source)
    subprocess.run([pack, "-b", source], cwd=tmp_path, check=True, capture_output=True)
    (package,) = tmp_path.glob("*.dsc")
    asked = [lint, "--fail-on", "error,warning", package]
    said = subprocess.run(asked, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout
