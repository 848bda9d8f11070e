# SPDX-License-Identifier: Apache-2.0
"""What README.md and the manual show is what happens: every block of code runs, page by page."""

import doctest
import importlib
import importlib.util
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import pytest

import hockeystick as hs
from hockeystick import cli

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
ALL_PAGES = [*PAGES, *(ROOT / each / "README.md" for each in ("benchmarks", "cpp", "tests"))]
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# Blocks of the manual that hold no code, but for bash: README's two commands run in .ci/run, and
# {code-block}: test_contributing.py writes them into files and runs those.
NO_CODE = {"{code-block}", "{eval-rst}", "{help}", "{include}", "{proofs}", "{toctree}"}


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    code: str
    line: int


def blocks(page, *languages):
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\S+).*\n(?::.*\n|(?=\n)\n)*((?:.*\n)*?)```$", text, re.MULTILINE)
    every = [Block(m[1], m[2], text.count("\n", 0, m.start(2))) for m in found]
    return [block for block in every if not languages or block.language in languages]


def label(page):
    return page.relative_to(ROOT).as_posix()


def needs(page):
    """The packages that the code of a page imports and that are not installed."""
    code = "\n".join(block.code for block in blocks(page))
    names = set(re.findall(r"^(?:>>> )?(?:from|import) ([a-z_]+)", code, re.MULTILINE))
    if "hockeystick.compat.opacus" in code:
        names.add("opacus")
    if "--peer dp-accounting" in code:
        names.add("dp_accounting")
    return sorted(name for name in names if importlib.util.find_spec(name) is None)


def run_python(block, names, _page):
    exec(compile(block.code, f"line {block.line}", "exec"), names)  # noqa: S102


def run_doctest(block, names, page):
    test = doctest.DocTestParser().get_doctest(block.code, {}, label(page), label(page), block.line)
    test.globs = names
    runner = doctest.DocTestRunner(optionflags=LIKE)
    report = []
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


def run_console(block, capsys):
    """Each command after ``$`` prints what is below it."""
    for session in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, expected = session.partition("\n")
        name, *arguments = shlex.split(command)
        assert name == "hockeystick"
        with pytest.raises(SystemExit) as exited:
            cli.main(arguments)
        out, err = capsys.readouterr()
        assert (exited.value.code, err) == (0, "")
        assert doctest.OutputChecker().check_output(expected, out, LIKE), f"{command}\n{out}"


RUN = {"python": run_python, "{picture}": run_python, "pycon": run_doctest}


@pytest.mark.parametrize("page", PAGES, ids=label)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Secure RNG")  # of others
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    if missing := needs(page):
        pytest.skip(f"not installed: {', '.join(missing)}")
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    names = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language == "console":
            run_console(block, capsys)
        elif block.language in RUN:
            RUN[block.language](block, names, page)
        else:
            assert block.language in NO_CODE or (page == README and block.language == "bash")
    plt.close("all")


def test_every_fence_is_looked_at():
    for page in PAGES:
        fences = re.findall(r"^\s*(?:```|~~~)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks(page)), label(page)
    assert len(blocks(README, "bash")) == 2


@pytest.mark.parametrize("page", ALL_PAGES, ids=label)
def test_every_row_belongs_to_a_table(page):
    """A blank line ends a table: rows after it have no head, and are shown as text."""
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, rule, *_ = [*table.splitlines(), ""]
        assert re.fullmatch(r"\|(?: ?:?-+:? ?\|)+", rule), head
        assert {re.sub(r"\\\||`[^`]*`", "", row).count("|") for row in table.splitlines()} == {
            rule.count("|")
        }, head


def test_every_public_name_is_in_the_reference():
    """Mechanisms are there by themselves."""
    core = (ROOT / "docs" / "reference" / "core.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\.\. auto\w+:: (\w+)$", core, re.MULTILINE))
    assert listed == set(hs.__all__) - set(hs.mechanisms.__all__) - {"__version__"}


DOCSTRING = """One line.

    code = 1

| a | b |
| --- | --- |
| 1 | 2 |

Of |x|.
And `|y|`.

Args:
    code: Stays.
"""


def test_docstrings_are_given_to_sphinx_as_it_reads_them(monkeypatch):
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    docstrings = importlib.import_module("docstrings")
    lines = DOCSTRING.splitlines()
    docstrings._process(None, "", "", None, None, lines)
    text = "\n".join(lines)
    assert "One line.\n\n::\n\n    code = 1\n" in text
    assert ".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n" in text
    assert "\nOf \\|x\\|.\nAnd `|y|`.\n" in text
    assert text.endswith("\nArgs:\n    code: Stays.")


def test_code_in_the_readme_is_short():
    assert all(block.code.count("\n") <= 15 for block in blocks(README, "python", "pycon"))
    assert README.read_text(encoding="utf-8").count("\n") <= 60


def coarse(picture):
    """Means over squares of 32 pixels, so that a version of matplotlib hardly matters."""
    height, width = (size // 32 * 32 for size in picture.shape[:2])
    return picture[:height, :width, :3].reshape(height // 32, 32, width // 32, 32, 3).mean((1, 3))


def test_the_picture_of_the_readme_is_what_its_command_draws(tmp_path, monkeypatch, capsys):
    """Another delta, noise or baseline differs by 0.006 at least, matplotlib 3.8 by 0.0013."""
    monkeypatch.chdir(tmp_path)
    (command,) = blocks(ROOT / "docs" / "pictures.md", "console")
    run_console(command, capsys)
    drawn, kept = (
        coarse(plt.imread(folder / "epsilon-by-count.png")) for folder in (tmp_path, ROOT / "docs")
    )
    assert abs(drawn - kept).mean() < 0.003
    assert "](docs/epsilon-by-count.png)" in README.read_text(encoding="utf-8")


def test_the_first_command_answers(capsys):
    command = shlex.split(blocks(README, "bash")[0].code)
    with pytest.raises(SystemExit) as exited:
        cli.main(command[command.index(".venv/bin/hockeystick") + 1 :])
    assert exited.value.code == 0
    assert capsys.readouterr().out.startswith("epsilon = ")
