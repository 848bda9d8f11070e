# SPDX-License-Identifier: Apache-2.0
"""Links the pages of cpp/proofs to the lines of the sources that are tagged `proof: slug`.

python tests/proofs.py [--write]

A comment `// proof: slug` tags the statement that it stands in, or, on a line of its own, the
next one: it says that cpp/proofs/<slug>.md proves what the statement adds. Prints the index of the
pages; with --write, writes it to cpp/proofs/INDEX.md.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "cpp" / "proofs"
INDEX = PAGES / "INDEX.md"

TAG = re.compile(r"//.*\bproof: ([a-z0-9]+(?:-[a-z0-9]+)*(?:, [a-z0-9]+(?:-[a-z0-9]+)*)*)$")
HEAD = re.compile(r"# (?P<title>.+)\n\nStatus: (?P<status>[\w ]+)\n\n")
COMMENT = re.compile(r"\s*//.*$")
STATUSES = {
    "tested in ball arithmetic": "a test compares what the page books with exact intervals",
    "tested by answers": "tests compare whole answers with the truth, not what the page books",
    "exact": "nothing is booked; tests compare whole answers with the truth",
}
LITERAL = re.compile(r"'[^']'|\"[^\"]*\"")
CALLED = re.compile(r"([~\w:]+)(?:<[^<>]*>)?\s*\(")
ASSIGNED = re.compile(r"[=.]\s*[^=]*$|->")
CONTROL = {"if", "for", "while", "switch", "catch", "return", "else", "do", "requires", "noexcept"}


@dataclass(frozen=True, kw_only=True)
class Tagged:
    """A statement that bears a tag: lines `first` to `last`, counted from 0."""

    slug: str
    file: str
    function: str
    first: int
    last: int

    def text(self, root: Path) -> tuple[int, str]:
        """Where the statement begins in its file, and what it is."""
        lines = (root / self.file).read_text().splitlines(keepends=True)
        return sum(map(len, lines[: self.first])), "".join(lines[self.first : self.last + 1])

    def __str__(self) -> str:
        return f"{self.file}:{self.first + 1} ({self.slug})"


@dataclass(frozen=True, kw_only=True)
class Page:
    """The head of a page."""

    slug: str
    title: str
    status: str


def pages() -> dict[str, Page]:
    """All pages by their slugs."""
    found = {}
    for path in sorted(PAGES.glob("*.md")):
        if path == INDEX:
            continue
        head = HEAD.match(path.read_text())
        if head is None:
            message = f"{path.name} must begin with a title and a line `Status: ...`"
            raise ValueError(message)
        found[path.stem] = Page(slug=path.stem, title=head["title"], status=head["status"])
    return found


@cache
def tagged(root: Path) -> list[Tagged]:
    """All tagged statements, in the order of files and lines."""
    found: list[Tagged] = []
    for path in sorted(root.glob("cpp/**/*.[ch]pp")):
        text = path.read_text()
        if "proof: " in text:
            found += _tagged_in(path.relative_to(root).as_posix(), text.splitlines())
    return found


def _tagged_in(file: str, lines: list[str]) -> list[Tagged]:
    code = [COMMENT.sub("", line) for line in lines]
    found = []
    for number, line in enumerate(lines):
        tag = TAG.search(line)
        if tag is None:
            continue
        inside = number if code[number].strip() else _next(code, number)
        first, last = _statement(code, inside)
        function = _function(code, first)
        found += [
            Tagged(slug=slug, file=file, function=function, first=first, last=last)
            for slug in tag[1].split(", ")
        ]
    return found


def _next(code: list[str], number: int) -> int:
    return next(k for k in range(number, len(code)) if code[k].strip())


def _statement(code: list[str], inside: int) -> tuple[int, int]:
    """The lines of the statement; a line that ends in one of `;{}:` ends it."""

    def ends(line: str) -> bool:
        return not line.strip() or line[-1] in ";{}:" or line.lstrip().startswith("#")

    first = last = inside
    while first > 0 and not ends(code[first - 1]):
        first -= 1
    while not ends(code[last]):
        last += 1
    return first, last


def _function(code: list[str], first: int) -> str:
    """The outermost function around a line of C++, or whose head the line belongs to."""
    heads, head = [], ""
    for line in code[:first]:
        text = "" if line.lstrip().startswith("#") else LITERAL.sub("", line)
        for c in f"{text} ":
            if c == "{":
                heads.append(head)
            elif c == "}" and heads:
                heads.pop()
            ends = c in "{}" or (c == ";" and head.count("(") == head.count(")"))
            head = "" if ends else head + c
    for text in [*heads, head, code[first]]:
        named = CALLED.search(text)
        if named and named[1] not in CONTROL and not ASSIGNED.search(text[: named.start()]):
            return named[1]
    return ""


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """The tokens of a text, however lines are broken between them."""
    tokens = re.findall(r"\w+|[^\w\s]", text)
    before = r"(?<![\w.])" if tokens[0].isalnum() else ""
    after = r"(?!\w)" if tokens[-1].isalnum() else ""
    return re.compile(before + r"\s*".join(map(re.escape, tokens)) + after)


def places(root: Path, slug: str, text: str, function: str = "") -> list[tuple[str, int, int]]:
    """Where a text is in the statements tagged with a slug: file, first and last character.

    `function` names the function that must hold the statement, if several would do.
    """
    found = []
    for each in tagged(root):
        if each.slug != slug or function not in {"", each.function}:
            continue
        before, statement = each.text(root)
        found += [
            (each.file, before + match.start(), before + match.end())
            for match in _pattern(text).finditer(statement)
        ]
    return sorted(set(found))


def tag_at(root: Path, slug: str, place: tuple[str, int, int]) -> Tagged:
    """The statement tagged with a slug that holds a place."""
    file, start, end = place

    def holds(each: Tagged) -> bool:
        before, statement = each.text(root)
        return before <= start and end <= before + len(statement)

    tags = [each for each in tagged(root) if (each.slug, each.file) == (slug, file)]
    return next(each for each in tags if holds(each))


def index() -> str:
    """The text of cpp/proofs/INDEX.md."""
    import mutate  # noqa: PLC0415, imports this module

    users: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in tagged(ROOT):
        names = users[each.slug][each.file.removeprefix("cpp/")]
        if each.function and each.function not in names:
            names.append(each.function)
    tests: dict[str, set[str]] = defaultdict(set)
    for row in mutate.table().mutations:
        tests[row.proof] |= {test.partition("::")[0] for test in row.tests}
    rows = [
        f"| [{page.slug}]({page.slug}.md) | {page.title} | {page.status} "
        f"| {_listed(users[page.slug])} | {', '.join(f'`{t}`' for t in sorted(tests[page.slug]))} |"
        for page in pages().values()
    ]
    lines = [
        "# Index of the proofs",
        "",
        "Each page argues in words for one bound: what it states, why it holds, what is booked for",
        "it, and how tight it is. *U* marks what is added to upper bounds, *L* what is taken from",
        "lower ones, and u is 2^-53, the relative error of one rounding. The status says how the",
        "page is tested:",
        "",
        *(f"- *{status}*: {meaning}." for status, meaning in STATUSES.items()),
        "",
        "| page | what it proves | status | used by | tests |",
        "| --- | --- | --- | --- | --- |",
        *rows,
        "",
        "`python tests/proofs.py --write` writes this page from the heads of the pages, from the",
        "tags `proof: slug` in the sources, and from the tests that `tests/mutations/` names.",
    ]
    return "\n".join(lines) + "\n"


def _listed(used: dict[str, list[str]]) -> str:
    return "; ".join(
        f"`{file}`" + (": " + ", ".join(f"`{name}`" for name in names) if names else "")
        for file, names in used.items()
    )


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        INDEX.write_text(index())
    else:
        sys.stdout.write(index())
