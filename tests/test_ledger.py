# SPDX-License-Identifier: Apache-2.0
"""The ledger of errors in cpp/README.md: one number for each entry, and no reference to another."""

import re
from pathlib import Path

import pytest

import mutate

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / "cpp" / "README.md"
SOURCES = [
    LEDGER,
    *sorted(ROOT.glob("cpp/**/*.[ch]pp")),
    *sorted(ROOT.glob("python/**/*.py")),
    *sorted(ROOT.glob("tests/**/*.py")),
    *sorted(ROOT.glob("tests/*.md")),
]

LIST = r"(\d+(?:(?:, | and | to )\d+)*)"
REFERENCE = re.compile(
    rf"\b(?:ledger|entry|entries|ledger entry|ledger entries) {LIST}\b", re.IGNORECASE
)
CELL_REFERENCE = re.compile(rf"\b(?:as|with) {LIST}\b(?! [a-z<])")  # inside the table


def table():
    """The lines from the table's head to its end, which is the first line that is no row."""
    lines = LEDGER.read_text().splitlines()
    first = lines.index("| # | what is lost | where it is booked | sign argued | status |")
    rest = lines[first + 2 :]
    return rest[: next(k for k, line in enumerate(rest) if not line.startswith("|"))]


def numbers(reference):
    return [int(number) for number in re.findall(r"\d+", reference)]


def test_entries_are_numbered_one_after_the_other():
    rows = table()
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, len(rows) + 1))
    assert all(row.count("|") == 6 for row in rows)


def test_all_entries_are_in_the_table():
    assert re.findall(r"^\| *\d+ *\|.*$", LEDGER.read_text(), re.MULTILINE) == table()


def test_entries_refer_to_entries():
    known = len(table())
    for row in table():
        for reference in CELL_REFERENCE.findall(row):
            assert all(1 <= number <= known for number in numbers(reference)), row


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_references_exist(path):
    known = len(table())
    for reference in REFERENCE.findall(path.read_text()):
        assert all(1 <= number <= known for number in numbers(reference)), reference


def test_every_entry_is_mutated_or_says_why_not():
    mutations, spared = mutate.table()
    entries = {mutation.entry for mutation in mutations} | {entry.entry for entry in spared}
    assert entries == set(range(1, len(table()) + 1))
    assert all(entry.why for entry in spared)
    assert {mutation.kind for mutation in mutations} <= set(mutate.KINDS)
    assert {entry.kind for entry in spared} <= {"", *mutate.KINDS}


@pytest.mark.parametrize("kind", ["dropped", "halved"])
def test_every_allowance_is_left_out_and_halved_or_says_why_not(kind):
    mutations, spared = mutate.table()
    entries = {mutation.entry for mutation in mutations if mutation.kind == kind}
    entries |= {entry.entry for entry in spared if entry.kind in {"", kind}}
    assert set(range(1, len(table()) + 1)) - entries == set()


def test_what_is_called_proved_is_held_by_balls():
    """Some test of an entry's mutations, not one of whole answers, is in ball arithmetic."""
    tests: dict[int, set[str]] = {}
    for mutation in mutate.table()[0]:
        paths = {test.partition("::")[0] for test in mutation.tests}
        tests.setdefault(mutation.entry, set()).update(paths)
    for row in table():
        cells = [cell.strip() for cell in row.split("|")]
        assert cells[5] in {"proved", "argued", "-"}, row
        inner = {t for t in tests.get(int(cells[1]), ()) if not t.startswith("python/")}
        texts = [(ROOT / "tests" / test).read_text() for test in inner]
        assert cells[5] != "proved" or any(
            re.search(r"\b(arb|curves)\b", text) for text in texts
        ), row


@pytest.mark.parametrize("mutation", mutate.table()[0], ids=str)
def test_mutations_are_where_the_table_says(mutation):
    """The text is in its file, once; the replacement is another; the tests named are there."""
    assert mutation.occurrences(ROOT) == 1
    assert mutation.text != mutation.replacement
    for test in mutation.tests:
        path, _, name = test.partition("::")
        assert not name or f"\ndef {name}(" in (ROOT / "tests" / path).read_text()
        assert (ROOT / "tests" / path).is_file()
