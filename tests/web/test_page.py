# SPDX-License-Identifier: Apache-2.0
"""The calculator as one file does in a browser what people need of it."""

import re
from pathlib import Path

import pytest

from web_tools import CALCULATOR, chromium, extension, node, wasm

CHECKS = re.findall(
    r'^  async "(.*)"\(\)',
    (Path(__file__).parent / "browser.cjs").read_text(encoding="utf-8"),
    re.MULTILINE,
)
LARGEST = 260_000  # bytes by brotli, as servers send it


@pytest.fixture(scope="module")
def page():
    return extension().bundled(wasm("calculator").read_bytes())


@pytest.fixture(scope="module")
def found(page, tmp_path_factory):
    browser, folder = chromium(), tmp_path_factory.mktemp("page")
    path = folder / "calculator.html"
    path.write_text(page, encoding="utf-8")
    return node("browser.cjs", browser, path, folder)


@pytest.mark.parametrize("check", CHECKS)
def test_in_a_browser(check, found):
    if isinstance(found[check], dict):
        pytest.skip(found[check]["skipped"])
    assert found[check] is None, found[check]


def test_the_page_is_small_and_whole(page, tmp_path):
    path = tmp_path / "calculator.html"
    path.write_text(page, encoding="utf-8")
    (sizes,) = node("sizes.mjs", path)
    assert sizes["brotli"] < LARGEST
    assert not re.search(r'(src|href)="', page)
    assert (
        "import "
        not in re.sub(r'<script type="text/plain" id="library">.*', "", page).split(
            "const modules"
        )[0]
    )


def test_no_text_loses_its_spaces():
    """The minifier takes a template within a template for code."""
    for path in sorted(CALCULATOR.glob("*.mjs")):
        nested = re.findall(r"\$\{[^}`]*`[^`]* [^`]*", path.read_text(encoding="utf-8"))
        assert not nested, (path.name, nested)


def test_the_library_is_that_of_the_build_or_of_the_source_distribution(monkeypatch, tmp_path):
    made = extension()
    monkeypatch.delenv("HOCKEYSTICK_WASM", raising=False)
    monkeypatch.setattr(made, "HERE", tmp_path / "docs" / "calculator")
    assert made.wasm_file() == tmp_path / "docs" / "calculator" / "calculator.wasm"
    built = tmp_path / "build" / "wasm" / "calculator.wasm"
    built.parent.mkdir(parents=True)
    built.touch()
    assert made.wasm_file() == built
    monkeypatch.setenv("HOCKEYSTICK_WASM", "elsewhere.wasm")
    assert made.wasm_file() == Path("elsewhere.wasm")


def test_a_manual_without_the_library_says_so():
    assert "docs/calculator/README.md" in extension().MISSING
