# SPDX-License-Identifier: Apache-2.0
"""What README.md and the manual show is what happens: every block of code runs, page by page."""

import contextlib
import doctest
import importlib
import importlib.util
import json
import re
import shlex
import tomllib
from pathlib import Path
from types import SimpleNamespace
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
# {code-block}: test_contributing.py writes them into files and runs those. What is shown by
# {literalinclude}, test_budget_service.py runs; JavaScript, tests/web/test_snippets.py.
NO_CODE = {
    "{code-block}",
    "{eval-rst}",
    "bibtex",
    "javascript",
    "{commands}",
    "{glossary}",
    "{image}",
    "{include}",
    "{literalinclude}",
    "{only}",
    "{proofs}",
    "{raw}",
    "{toctree}",
}


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


NUMBER = r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])"
ITS_OWN = rf"{NUMBER} (?:us|ms|s)\b|(?<=\+/- ){NUMBER}"  # times, and radii of balls
CLOSE = 1e-4  # of numbers that are shown and those that are found: other machines round otherwise
THEORY = doctest.register_optionflag("THEORY")  # a better theorem may move the numbers below
OPEN = 0.05  # by this part of themselves
LAST_DIGIT = 0.05  # of a number: less than this, its last digit may be off by one


def numbers_and_rest(text):
    """The numbers in a text but for times and radii, and the text without numbers and spaces."""
    text = re.sub(ITS_OWN, "", text)
    return re.findall(NUMBER, text), re.sub(NUMBER, "", text).split()


def is_near(shown, found, close=CLOSE):
    """Whether a page may show a number where another one is found."""
    _, point, decimals = shown.partition(".")
    value, unit = abs(float(shown)), 10.0 ** -len(decimals)
    is_rounded = point and decimals.isdigit() and unit < LAST_DIGIT * value
    room = max(close * value, 1.001 * unit if is_rounded else 0)
    return abs(float(shown) - float(found)) <= room


class Checker(doctest.OutputChecker):
    """Numbers are near each other, and the rest is the same."""

    def check_output(self, want, got, flags):
        """Whether a page may show `want` where `got` is printed."""
        if super().check_output(want, got, flags):
            return True
        (wanted, rest), (found, other) = numbers_and_rest(want), numbers_and_rest(got)
        close = OPEN if flags & THEORY else CLOSE
        pairs = zip(wanted, found, strict=False)
        return (rest, len(wanted)) == (other, len(found)) and all(
            is_near(*each, close) for each in pairs
        )


@pytest.mark.parametrize(
    ("shown", "found", "near"),
    [
        ("18.99", "19.00", True),
        ("18.99", "19.01", False),
        ("1202", "1203", False),
        ("0.03", "0.04", False),
        ("1e-05", "1.1e-05", False),
        ("6.187847675", "6.1878476", True),
    ],
)
def test_how_near_numbers_must_be(shown, found, near):
    assert Checker().check_output(f"a {shown}\n", f"a {found}\n", 0) == near


def run_python(block, names, _page):
    exec(compile(block.code, f"line {block.line}", "exec"), names)  # noqa: S102


def run_doctest(block, names, page):
    test = doctest.DocTestParser().get_doctest(block.code, {}, label(page), label(page), block.line)
    test.globs = names
    runner = doctest.DocTestRunner(Checker(), optionflags=LIKE)
    report = []
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


def run_console(block, capsys):
    """Each command after ``$`` prints what is below it."""
    for session in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, expected = session.replace("\\\n", "").partition("\n")
        name, *arguments = shlex.split(command)
        assert name == "hockeystick"
        with pytest.raises(SystemExit) as exited:
            cli.main(arguments)
        out, err = capsys.readouterr()
        assert (exited.value.code, err) == (0, "")
        assert Checker().check_output(expected, out, LIKE), f"{command}\n{out}"


RUN = {"{cell}": run_python, "python": run_python, "{picture}": run_python, "pycon": run_doctest}


@pytest.mark.parametrize("page", PAGES, ids=label)
@pytest.mark.filterwarnings(  # of others
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore:Secure RNG",
    "ignore::UserWarning:(lightning|torch|transformers)",
)
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
    listed = {}
    for page in ("core", "mechanisms"):
        text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
        listed[page] = set(re.findall(r"^   (?:bounds\.)?([A-Za-z_]+)$", text, re.MULTILINE))
    assert listed["core"] == set(hs.__all__) - set(hs.mechanisms.__all__) - {"__version__", "audit"}
    assert listed["mechanisms"] == set(hs.mechanisms.__all__)


@pytest.fixture
def extension(monkeypatch):
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    return importlib.import_module


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


def test_docstrings_are_given_to_sphinx_as_it_reads_them(extension):
    docstrings = extension("docstrings")
    lines = DOCSTRING.splitlines()
    docstrings._process(None, "", "", None, None, lines)
    text = "\n".join(lines)
    assert "One line.\n\n::\n\n    code = 1\n" in text
    assert ".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n" in text
    assert "\nOf \\|x\\|.\nAnd `|y|`.\n" in text
    assert text.endswith("\nArgs:\n    code: Stays.")


def test_names_in_code_are_found_in_the_reference(extension):
    kinds = {
        "hockeystick.Composition": "class",
        "hockeystick.Composition.epsilon": "method",
        "hockeystick.Composition.epsilon_bounds": "method",
        "hockeystick.PrivacyLossDistribution.reflected": "method",
        "hockeystick.plot.hockey_stick": "function",
        "hockeystick.calibrate": "function",
        "hockeystick.Gaussian.noise_multiplier": "attribute",
    }
    objects = {name: SimpleNamespace(objtype=kind) for name, kind in kinds.items()}
    names = extension("links").Names(SimpleNamespace(objects=objects))
    pld = "hockeystick.PrivacyLossDistribution"
    assert names.found("epsilon_bounds(delta)", pld) == "hockeystick.Composition.epsilon_bounds"
    assert names.found("run.epsilon", "") == "hockeystick.Composition.epsilon"
    assert names.found("hs.calibrate()", "") == "hockeystick.calibrate"
    assert names.found("plot.hockey_stick", "") == "hockeystick.plot.hockey_stick"
    assert names.found("calibrate", "") == "hockeystick.calibrate"
    for word in ("epsilon", "noise_multiplier", "reflected", "x", "np.reflected"):
        assert names.found(word, "hockeystick.calibrate") is None, word


MECHANISMS = (  # one of each row of the manual's table
    hs.Gaussian(1.0),
    hs.DiscreteLaplace(parameter=1.0),
    hs.PermuteAndFlip(1.0),
    hs.ApproximateDP(1.0, 1e-6),
    hs.ZCDP(0.1),
    hs.TruncatedPoissonGaussian(
        1.0, sampling_probability=0.1, truncated_batch_size=10, dataset_size=50
    ),
    hs.RandomizedResponse(0.5),
    hs.ShuffledLocal(epsilon0=1.0, users=100),
)


def defined_under(mechanism):
    """The adjacencies that a mechanism has a proved pair for."""
    found = set()
    for adjacency in hs.Adjacency:
        with contextlib.suppress(ValueError):
            mechanism.delta(0.5, adjacency=adjacency)
            found.add(adjacency.name)
    return found


def named_in(cell):
    """The adjacencies that a cell of the table names."""
    named = set(re.findall("[A-Z_]{4,}", cell))
    return set(hs.Adjacency.__members__) - named if cell.startswith("all") else named


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: type(each).__name__)
def test_the_table_of_mechanisms_names_their_adjacencies(mechanism):
    text = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")
    row = next(
        row for row in text.splitlines() if re.match(rf"\|.*`{type(mechanism).__name__}`", row)
    )
    _, own, sampled = row.strip("| ").split(" | ")
    assert defined_under(mechanism) == named_in(own)
    sample = getattr(mechanism, "poisson_sampled", None)
    assert (defined_under(sample(0.1)) if sample else set()) == named_in(sampled)


def test_numbers_in_a_console_have_one_colour(extension):
    tokens = extension("consoles").Session().get_tokens("$ hockeystick --steps 60,000 -s 1.0\n")
    assert not [kind for kind, _ in tokens if "Number" in str(kind)]


def test_types_in_signatures_are_short(extension):
    docstrings = extension("docstrings")
    array = "~numpy.ndarray[tuple[~typing.Any, ...], ~numpy.dtype[~numpy.float64]]"
    assert docstrings._typed(f"(x: {array} | None = None)") == "(x: ~numpy.ndarray | None = None)"
    assert docstrings._typed("ax: Axes | None") == "ax: ~matplotlib.axes.Axes | None"
    assert docstrings._typed(None) is None


def test_inventories_are_read_by_sphinx(extension, tmp_path):
    inventories = extension("inventories")
    inventory = importlib.import_module("sphinx.util.inventory").InventoryFile

    for name, url in inventories.MANUALS.items():
        path = inventories.written(ROOT / "docs" / "_inventories" / f"{name}.txt", str(tmp_path))
        found = inventory.loads(path.read_bytes(), uri=url).data
        assert "py:class" in found


def test_no_ledger_is_assigned_what_it_composed():
    """Else `compose` reads as if it changed nothing, and a what-if is charged."""
    for path in [*ALL_PAGES, *(ROOT / "python").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"^.*\b(\w+) = \1\.compose\(.*$", text, re.MULTILINE), path


def test_pages_show_real_digits():
    """And what readers searched for in vain is there under their words."""
    texts = {label(page): page.read_text(encoding="utf-8") for page in PAGES}
    assert not [name for name, text in texts.items() if re.search(r"\d\.\d*\.\.\.", text)]
    for word in (
        *("gradient accumulation", "early stopping", "Per-layer", "drop_last", "pure DP"),
        *("offline installation", "container", "Julia", "LaTeX"),
    ):
        assert word in texts["docs/faq.md"], word


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


def test_the_container_runs_what_the_page_of_services_does():
    """Built where a builder is: docker build -f docs/examples/Containerfile ."""
    text = (ROOT / "docs" / "examples" / "Containerfile").read_text(encoding="utf-8")
    (run,) = re.findall(r"^CMD (.*)$", text, re.MULTILINE)
    shown = [block.code for block in blocks(ROOT / "docs" / "services.md", "{code-block}")]
    command = next(line for code in shown for line in code.split("\n") if "gunicorn" in line)
    assert set(shlex.split(command)) == set(json.loads(run)) - {"--bind", "0.0.0.0:8000"}
    assert all(
        (ROOT / path).exists() for path in re.findall(r"^COPY (docs\S+)", text, re.MULTILINE)
    )
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(re.findall(r"\[(\w+)\]", text.partition("CMD")[0])) <= set(
        extras["optional-dependencies"]
    )


def test_the_first_command_answers(capsys):
    command = shlex.split(blocks(README, "bash")[0].code)
    with pytest.raises(SystemExit) as exited:
        cli.main(command[command.index(".venv/bin/hockeystick") + 1 :])
    assert exited.value.code == 0
    assert capsys.readouterr().out.startswith("epsilon = ")
