# SPDX-License-Identifier: Apache-2.0
"""Reports as pages of HTML and as tables in LaTeX."""

import re
import shutil
import subprocess
from html import unescape

import pytest

import hockeystick as hs

LABEL = r"P1 & 50% of_\{a} <b> ~^$#"
REPORT = (
    hs.Accountant("replace-one")
    .compose(hs.Laplace(10.0), 5, label=LABEL)
    .compose(hs.Gaussian(5.0), label="model")
    .report(1e-6, budget=3)
)


def test_a_page_is_whole_and_says_everything():
    page = REPORT.page()
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    text = unescape(re.sub("<[^>]+>", " ", page))
    for said in (LABEL, "model", "a record is replaced by any other", hs.__version__, "all"):
        assert said in text


def test_latex_escapes_what_it_must():
    table = REPORT.latex()
    cell = r"P1 \& 50\% of\_\textbackslash{}\{a\} \textless{}b\textgreater{}"
    assert cell in table
    assert r"\textasciitilde{}\textasciicircum{}\$\#" in table
    assert table.count(r"\hline") == 2
    rows = [line for line in table.splitlines() if line.endswith(r"\\")]
    assert {row.replace(r"\&", "").count("&") for row in rows} == {5}
    assert rows[-1].startswith("all &")


def test_latex_is_typeset(tmp_path):
    tool = shutil.which("pdflatex")
    if tool is None:
        pytest.skip("pdflatex is not installed: the table is not typeset")
    document = rf"\documentclass{{article}}\begin{{document}}{REPORT.latex()}\end{{document}}"
    (tmp_path / "a.tex").write_text(document)
    subprocess.run([tool, "-halt-on-error", "a.tex"], cwd=tmp_path, check=True, timeout=60)


def test_an_empty_ledger_has_a_total():
    assert "all &  &  &  & 0" in hs.Accountant().report(1e-6).latex()
