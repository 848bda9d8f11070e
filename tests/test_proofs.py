# SPDX-License-Identifier: Apache-2.0
"""The pages of cpp/proofs, the tags that lead to them, and the mutations that hold them."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

import mutate
import proofs

ROOT = Path(__file__).parents[1]
PAGES = proofs.pages()
TABLE = mutate.table()
ASKED = ("dropped", "halved")
LINK = re.compile(r"\]\(([a-z0-9-]+)\.md\)")


def test_every_tag_has_a_page_and_every_page_a_tag():
    assert {each.slug for each in proofs.tagged(ROOT)} == set(PAGES)


def test_the_index_is_fresh():
    """Else run `python tests/proofs.py --write`."""
    assert proofs.INDEX.read_text() == proofs.index()


def test_pages_are_short_and_of_a_known_status():
    for slug, page in PAGES.items():
        assert page.status in proofs.STATUSES, slug
        lines = (proofs.PAGES / f"{slug}.md").read_text().splitlines()
        assert len(lines) <= 60, slug
        assert all(len(line) <= 120 for line in lines if not line.startswith("|")), slug


def test_exact_pages_book_nothing():
    for slug, page in PAGES.items():
        if page.status == "exact":
            assert "**Booked.** Nothing" in (proofs.PAGES / f"{slug}.md").read_text(), slug


def test_pages_refer_to_pages():
    for path in [*proofs.PAGES.glob("*.md"), ROOT / "cpp" / "README.md"]:
        assert set(LINK.findall(path.read_text())) <= set(PAGES), path


def test_the_tables_name_pages_kinds_and_reasons():
    rows = [*TABLE.mutations, *TABLE.spared]
    assert {row.proof for row in rows} == set(PAGES)
    assert {row.kind for row in TABLE.mutations} <= set(mutate.KINDS)
    assert {row.kind for row in TABLE.spared} <= {"", *ASKED}
    assert all(row.why for row in TABLE.spared)


def test_what_is_spared_is_there_once():
    for row in TABLE.spared:
        for line, places in zip(row.lines, row.places(ROOT), strict=True):
            assert len(places) == 1, line


def spared(kind):
    """The tags that rows of `spared` name for a kind of edit."""
    return {
        proofs.tag_at(ROOT, row.proof, place)
        for row in TABLE.spared
        if row.kind in {"", kind}
        for (place,) in row.places(ROOT)
    }


@pytest.mark.parametrize("kind", ASKED)
def test_every_tagged_line_is_mutated_or_says_why_not(kind):
    rows = [row for row in TABLE.mutations if row.kind == kind]
    held = {proofs.tag_at(ROOT, row.proof, row.places(ROOT)[0]) for row in rows}
    assert sorted(map(str, set(proofs.tagged(ROOT)) - held - spared(kind))) == []


def test_what_is_said_to_be_tested_in_ball_arithmetic_is():
    """Some test of a page's mutations, not one of whole answers, is in ball arithmetic."""
    tests = defaultdict(set)
    for row in TABLE.mutations:
        tests[row.proof] |= {test.partition("::")[0] for test in row.tests}
    for slug, page in PAGES.items():
        inner = [test for test in tests[slug] if not test.startswith("python/")]
        texts = [(ROOT / "tests" / test).read_text() for test in inner]
        held = any(re.search(r"\b(arb|curves|ball arithmetic)\b", text) for text in texts)
        assert held or page.status != "tested in ball arithmetic", slug


def test_mutations_are_where_the_table_says():
    """The text is in tagged statements once; the replacement is another; the tests are there."""
    for row in TABLE.mutations:
        assert len(row.places(ROOT)) == 1, row
        assert row.text != row.replacement, row
    for test in {test for row in TABLE.mutations for test in row.tests}:
        path, _, name = test.partition("::")
        text = (ROOT / "tests" / path).read_text()
        assert not name or f"\ndef {name}(" in text, test
