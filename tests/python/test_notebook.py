# SPDX-License-Identifier: Apache-2.0
"""A notebook that is executed shows tables. Skipped where nbclient and a kernel are not there."""

import importlib
import json
import warnings
from pathlib import Path

import pytest

CELLS = {
    "Composition": "run = 1000 * step + 3 * hs.Laplace(noise_multiplier=10.0)\nrun",
    "Bounds": "run.epsilon_bounds(1e-5)",
    "Bounds of an array": "run.epsilon_bounds([1e-5, 1e-6, 1e-7])",
    "ErrorBudget": "run.epsilon_bounds(1e-5).error_budget",
    "Accountant": "acct = hs.Accountant().compose(run, label='<b>P1</b> table')\n"
    "acct = acct.compose(step, 500, label='model of wages')\nacct",
    "Report": "acct.report(delta=1e-6, budget=3)",
    "Records": "hs.sweep(lambda s: hs.Gaussian(noise_multiplier=s).epsilon_bounds(1e-5), "
    "{'s': [0.5, 1.0, 2.0]}, progress=False)",
}
FIRST = "import hockeystick as hs\nstep = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)"


@pytest.fixture(scope="module")
def notebook():
    """The cells, executed."""
    with warnings.catch_warnings():  # theirs
        warnings.simplefilter("ignore")
        nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
        pytest.importorskip("ipykernel", reason="ipykernel is not installed")
        nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
        new = nbformat.v4
        cells = [new.new_code_cell(FIRST)]
        for title, code in CELLS.items():
            cells += [new.new_markdown_cell(title), new.new_code_cell(code)]
        made = new.new_notebook(cells=cells)
        return nbclient.NotebookClient(made, timeout=120, kernel_name="python3").execute()


def test_every_result_is_a_table(notebook):
    shown = [cell for cell in notebook.cells if cell.cell_type == "code"][1:]
    assert len(shown) == len(CELLS)
    for cell in shown:
        (output,) = cell.outputs
        html = output.data["text/html"]
        assert html.startswith("<table>"), cell.source
        assert "<b>" not in html
        assert "text/plain" in output.data


@pytest.mark.filterwarnings("ignore")  # theirs
def test_a_page_of_it_has_the_tables(notebook):
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert page.count("<table>") == len(CELLS)
    assert "&lt;b&gt;P1&lt;/b&gt; table" in page


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
