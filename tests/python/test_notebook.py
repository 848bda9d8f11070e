# SPDX-License-Identifier: Apache-2.0
"""The notebooks of the manual, executed. Skipped where nbclient and a kernel are not there."""

import importlib
import json
import warnings
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "notebooks").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_of_the_manual_is_a_notebook(page, monkeypatch):
    """Its code is that of the page, and runs in a kernel, if there is one."""
    monkeypatch.syspath_prepend(DOCS / "_extensions")
    extension = importlib.import_module("notebooks")
    text = page.read_text(encoding="utf-8")
    made = extension.written(text)
    code = ["".join(one["source"]) for one in made["cells"] if one["cell_type"] == "code"]
    assert code == [each.strip("\n") for each in extension.CODE.findall(text)]
    assert not any(
        "```" in line or ".md)" in line for one in made["cells"] for line in one["source"]
    )
    with warnings.catch_warnings():  # theirs
        warnings.simplefilter("ignore")
        nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
        read = nbformat.reads(json.dumps(made), as_version=4)
        nbformat.validate(read)
        nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
        pytest.importorskip("ipykernel", reason="ipykernel is not installed")
        nbclient.NotebookClient(read, timeout=120, kernel_name="python3").execute()


def test_a_cell_prints_and_returns():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS / "_extensions")
        executed = importlib.import_module("notebooks").executed
    names = {}
    assert executed("a = 1\nprint(a)\na + 1", names) == ("1\n", 2)
    assert executed("a += 1", names) == ("", None)
    assert names["a"] == 2
