# SPDX-License-Identifier: Apache-2.0
"""The programs that the calculator offers run, and print an interval that overlaps its answer."""

import ctypes
import re
import shutil
import subprocess
import sys
from urllib.parse import urlencode

import pytest

from hockeystick import _core
from web_tools import CALCULATOR, ROOT, node, tool, wasm

TRAINING = {"kind": "dpsgd", "noise": "1.1", "batch": "256", "records": "60,000", "delta": "5e-6"}
LAPLACE = urlencode({"mechanism": "laplace", "noise_multiplier": "20", "count": "5"})
SAMPLED = urlencode({"mechanism": "gaussian", "noise_multiplier": "2", "rate": "1%", "count": "99"})
LISTS = urlencode({"mechanism": "discrete_pair", "p": "0.5 0.5", "q": "0.4 0.6", "count": "10"})
TWO_LINES = "&" + urlencode([("line", SAMPLED), ("line", LAPLACE)])
ZCDP = urlencode({"mechanism": "zcdp", "rho": "0.01", "count": "9"})
RENYI = urlencode({"mechanism": "renyi_dp", "order": "8", "divergence": "0.1", "count": "2"})
REPORTS = urlencode({"mechanism": "shuffled_local", "epsilon0": "1", "users": "1e4", "count": "3"})
ANSWERS = f"{REPORTS}&choices=4"
JOINT = urlencode({"mechanism": "joint_gaussian", "noise_multipliers": "3 4", "counts": "1 2"})
BETWEEN = urlencode({"mechanism": "gaussian_between", "least_noise": "9", "most_noise": "9.5"})
TREE = urlencode({"mechanism": "tree", "leaves": "1000", "restarts": "5", "count": "2"})
ROOT_OF_SUMS = urlencode({"mechanism": "toeplitz", "noise_multiplier": "10"})
CLOSELY = 1.0001  # as the page and its programs ask where a number is sought
EPOCHS = {**TRAINING, "noise": "3", "batch": "1000", "epochs": "4", "selected": "7"}
SCHEMES = {
    "fixed": "replace-one",
    "replacement": "replace-special",
    "allocation": "add-or-remove-one",
    "allocation_once": "remove-one",
    "selected": "add-or-remove-one",
    "shuffled": "replace-special",
    "shuffled_once": "replace-one",
}
LINKS = {
    "training": urlencode(TRAINING),
    "quotient": urlencode({**TRAINING, "delta": "1/60000"}),
    "rate and steps": urlencode(
        {**TRAINING, "size": "rate", "rate": "1/64", "length": "steps", "adjacency": "add-one"}
    ),
    "delta": urlencode({**TRAINING, "seek": "delta", "epsilon": "1"}),
    "noise": urlencode({**TRAINING, "seek": "noise", "epsilon": "1"}),
    "steps": urlencode({**TRAINING, "seek": "count", "epsilon": "1"}),
    "fixed order": urlencode({**TRAINING, "records": "64000", "sampling": "cyclic"}),
    "truncated": urlencode({**TRAINING, "sampling": "truncated", "largest": "300"}),
    "groups": urlencode({**TRAINING, "sampling": "groups", "group": "3"}),
    **{
        name: urlencode({**EPOCHS, "sampling": name, "adjacency": adjacency})
        for name, adjacency in SCHEMES.items()
    },
    "noise of draws": urlencode(
        {**EPOCHS, "sampling": "replacement", "seek": "noise", "epsilon": "1"}
        | {"adjacency": "replace-special"}
    ),
    "noise of shuffled": urlencode(
        {**EPOCHS, "sampling": "shuffled", "seek": "noise", "epsilon": "1"}
        | {"adjacency": "replace-special"}
    ),
    **{
        name: urlencode({"kind": "pipeline", "delta": "1e-6", "adjacency": adjacency})
        + "&"
        + urlencode([("line", line)])
        for name, line, adjacency in (
            ("zcdp", ZCDP, "add-or-remove-one"),
            ("renyi", RENYI, "replace-special"),
            ("reports", REPORTS, "replace-one"),
            ("k-ary reports", ANSWERS, "replace-one"),
            ("joint", f"{JOINT}&rate=0.01&count=100", "remove-one"),
            ("between", BETWEEN, "replace-one"),
            ("tree", TREE, "add-or-remove-one"),
            ("correlated noise", ROOT_OF_SUMS, "replace-special"),
        )
    },
    "pipeline": urlencode({"kind": "pipeline", "delta": "1e-6"})
    + "&"
    + urlencode([("line", SAMPLED), ("line", LAPLACE), ("line", LISTS)]),
    "noise of a line": urlencode(
        {"kind": "pipeline", "seek": "noise", "epsilon": "3", "find": "1.noise_multiplier"}
    )
    + TWO_LINES,
    "count of a line": urlencode(
        {"kind": "pipeline", "seek": "count", "epsilon": "3", "find": "0.count"}
    )
    + TWO_LINES,
}


@pytest.fixture(scope="module")
def answers():
    given = [{"kind": "link", "link": link} for link in LINKS.values()]
    found = dict(zip(LINKS, node("ask.mjs", wasm(), given=given), strict=True))
    assert [name for name, answer in found.items() if "error" in answer] == []
    return found


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def numbers(text):
    return [float(one) for one in re.findall(r"[0-9]+\.?[0-9]*(?:e-?[0-9]+)?", text)]


def overlap(lower, upper, bounds):
    """Whether they do, but for what calibrations to within a thousandth of a target leave."""
    return lower <= bounds["upper"] * 1.002 and bounds["lower"] <= upper * 1.002


@pytest.mark.parametrize("name", LINKS)
def test_python(name, answers):
    printed = run([sys.executable, "-c", answers[name]["programs"]["python"]])
    lower, upper = numbers(re.search(r"Bounds\(lower=.*?, upper=[^,)]*", printed)[0])
    assert overlap(lower, upper, answers[name]["bounds"])


@pytest.mark.parametrize("name", LINKS)
def test_command_line(name, answers, tmp_path):
    program = answers[name]["programs"]["command"]
    wrapped = f'hockeystick() {{ "{sys.executable}" -m hockeystick "$@"; }}\n{program}'
    printed = run([tool("bash"), "-euo", "pipefail", "-c", wrapped], cwd=tmp_path)
    low, high = re.search(r"certified: ([0-9.e-]+) <= \w+ <= ([0-9.e-]+)", printed).groups()
    assert overlap(float(low), float(high), answers[name]["bounds"])
    assert float(high) <= float(answers[name]["target"]) * CLOSELY


@pytest.mark.parametrize("name", LINKS)
def test_c(name, answers, tmp_path):
    """The program as a library, since the module of tests holds what it calls."""
    source, library = tmp_path / "question.c", tmp_path / "question.so"
    source.write_text(answers[name]["programs"]["c"], encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
    run([tool("cc"), *flags, source, "-o", library])
    called = (
        f"import ctypes; ctypes.CDLL({_core.__file__!r}, ctypes.RTLD_GLOBAL); "
        f"raise SystemExit(ctypes.CDLL({str(library)!r}).main())"
    )
    lower, upper = numbers(run([sys.executable, "-c", called]))
    assert overlap(lower, upper, answers[name]["bounds"])
    assert upper <= float(answers[name]["target"]) * CLOSELY


@pytest.mark.parametrize("name", ["training", "pipeline"])
def test_javascript(name, answers, tmp_path):
    package = tmp_path / "node_modules" / "hockeystick"
    package.mkdir(parents=True)
    for part in ("hockeystick.mjs", "hockeystick.d.ts", "package.json"):
        shutil.copy(CALCULATOR / part, package)
    shutil.copy(wasm(), package / "hockeystick.wasm")
    (tmp_path / "question.mjs").write_text(answers[name]["programs"]["javascript"])
    lower, upper = numbers(run([tool("node"), tmp_path / "question.mjs"]))
    assert overlap(lower, upper, answers[name]["bounds"])


def test_words(answers):
    large, small, meaning, statement = answers["training"]["words"]
    assert re.fullmatch(r"[\d.]+ ≤ ε ≤ [\d.]+", large)
    assert small == "certified, at δ = 5e-6"
    assert "odds" in meaning
    assert "2,344 steps" in statement
    assert "one record is added or removed" in statement
    _, small, _, statement = answers["quotient"]["words"]
    assert small == "certified, at δ = 1/60000"
    assert "δ = 1.667e-5)" in statement  # no less than it is
    assert "differ in that up to 3 records are added or removed." in answers["groups"]["words"][3]
    assert answers["noise"]["words"][0].startswith("Noise multiplier 1.")
    assert answers["shuffled"]["words"][2].endswith("the upper bound is several times smaller.")


def test_words_where_there_is_no_cost_or_no_end_of_it():
    links = ("size=rate&rate=0&length=steps", "seek=noise&delta=0", "noise=57000")
    nothing, infinite, tiny = node(
        "ask.mjs", wasm(), given=[{"kind": "link", "link": link} for link in links]
    )
    assert nothing["words"][2].startswith("Seeing the result changes nobody's odds")
    assert infinite["error"].endswith("epsilon is infinite at this delta, whatever it is")
    assert "e^ε = 1.0000011," in tiny["words"][2]


def test_the_library_of_tests_is_the_one_of_c():
    assert ctypes.CDLL(_core.__file__).hs_abi_version() == 1
