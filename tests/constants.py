# SPDX-License-Identifier: Apache-2.0
"""The named numbers of the core, and how many there are of each kind in `cpp/constants.toml`.

python tests/constants.py

Bounds need some of them (roundings, factors of proofs, tables), others limit memory, time or what
may be given, and the tuned ones are choices that change time or width alone. `cpp/plan/tuning.hpp`
has those of plans and methods, which are not counted here.
"""

import re
import tomllib
from pathlib import Path

CORE = Path(__file__).parents[1] / "cpp"
TABLE = CORE / "constants.toml"
ELSEWHERE = {"plan", "methods"}

_DECLARED = re.compile(
    r"\b(?:constexpr|const) (?:static )?(?:double|int|std::(?:size_t|u?int\d+_t)) "
    r"([^;(){}]*?=[^;]*);"
)
_NAMED = re.compile(r"\s*(\w+)\s*=\s*(.*\d.*)", re.DOTALL)
_WORDS = re.compile(
    r'0x[\da-fA-F.]+(?:p[-+]?\d+)?|\d[\d\'.]*(?:e[-+]?\d+)?|std::size_t|"\w+"|[a-z]\w*_error'
    r"|\b(?:tuned|u|unit_roundoff)\b"
)


def _parts(declared: str) -> list[str]:
    """The declarators between commas outside brackets."""
    parts, depth = [""], 0
    for letter in declared:
        depth += (letter in "({[<") - (letter in ")}]>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def named(source: str) -> set[str]:
    """Names of numbers that are written out, in the text of a file."""
    found = set()
    for declared in _DECLARED.findall(re.sub(r"//[^\n]*", "", source)):
        for match in map(_NAMED.fullmatch, _parts(declared)):
            if match and not re.search(r"[A-Za-z_]", _WORDS.sub("", match[2])):
                found.add(match[1])
    return found


def of_core() -> dict[str, set[str]]:
    """By file, relative to the core."""
    files = sorted(path for path in CORE.rglob("*.[ch]pp"))
    all_of = {path.relative_to(CORE).as_posix(): named(path.read_text()) for path in files}
    return {
        file: names
        for file, names in all_of.items()
        if names and file.split("/")[0] not in ELSEWHERE
    }


def table() -> dict[str, dict[str, list[str] | dict[str, str]]]:
    """The names of each kind, by file; a tuned one has what its double and its half change."""
    return tomllib.loads(TABLE.read_text())


if __name__ == "__main__":
    counts = (f"{sum(map(len, files.values()))} {kind}" for kind, files in table().items())
    print(", ".join(counts))  # noqa: T201
