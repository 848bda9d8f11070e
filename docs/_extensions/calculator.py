# SPDX-License-Identifier: Apache-2.0
"""The calculator as one file: page, style, modules and library, which needs no server or network.

The library is what HOCKEYSTICK_WASM names, or else ``build/wasm/calculator.wasm``, or that of a
source distribution, ``docs/calculator/calculator.wasm``: see docs/calculator/README.md. Without it
the manual has a page that says so, and its front page does not lead there.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from rcssmin import cssmin
from rjsmin import jsmin
from sphinx.application import Sphinx
from sphinx.util import logging

HERE = Path(__file__).parents[1] / "calculator"
# In the order of their imports.
LIBRARY = ("numbers", "hockeystick", "matrices", "answers", "worker")
PAGE = (
    *("numbers", "mechanisms", "matrices", "question", "answers", "client", "form", "pictures"),
    *("snippets", "words", "page"),
)
MISSING = (
    "<!doctype html><meta charset=utf-8><title>No calculator</title>"
    "<p>This manual was built without the calculator, which takes Emscripten: see "
    "docs/calculator/README.md."
)
# A worker whose script is text within the page works where the page is a file, too.
_START = """
const text = (id) => document.getElementById(id).textContent;
const written = text("library"), code = (k) => written.charCodeAt(k);
const value = new Uint8Array(512), bytes = new Uint8Array(written.length - 256);
for (let k = 0; k < 256; ++k) value[code(k)] = k;
for (let k = 0; k < bytes.length; ++k) bytes[k] = value[code(256 + k)];
const script = URL.createObjectURL(new Blob([text("worker")], {type: "text/javascript"}));
WebAssembly.compile(bytes).then((module) => modules.page.start(() => new Worker(script), module));
"""


def wasm_file() -> Path:
    """Where the compiled library is expected."""
    if named := os.environ.get("HOCKEYSTICK_WASM"):
        return Path(named)
    built = HERE.parents[1] / "build/wasm/calculator.wasm"
    return built if built.exists() else HERE / "calculator.wasm"


def bundled(wasm: bytes) -> str:
    """The page with all that it needs inside."""
    page = (HERE / "index.html").read_text(encoding="utf-8")
    style = (HERE / "page.css").read_text(encoding="utf-8")
    scripts = [
        f'<script type="text/plain" id="library">{_as_text(wasm)}</script>',
        f'<script type="text/plain" id="worker">{_joined(LIBRARY)}</script>',
        f"<script>{_joined(PAGE, _START)}</script>",
    ]
    page = page.replace(
        '<link rel="stylesheet" href="page.css">', f"<style>{cssmin(style)}</style>"
    )
    return page.replace('<script type="module" src="page.mjs"></script>', "\n".join(scripts))


def _as_text(data: bytes) -> str:
    """The letters that stand for the bytes 0 to 255, then those of the data, a letter for a byte.

    Servers and browsers compress a page: what is compressed before, or in base64, comes to a fifth
    more. Frequent bytes are letters of one byte in UTF-8. Bytes stay what they are or in their
    order as far as can be, since Brotli tells by their bits where it is.
    """
    short = [chr(k) for k in range(32, 127) if chr(k) != "<"]
    frequent = {byte for byte, _ in Counter(data).most_common(len(short))}
    letters = {byte: chr(byte) for byte in frequent if chr(byte) in short}
    unused = (letter for letter in short if ord(letter) not in letters)
    letters |= zip(sorted(frequent - letters.keys()), unused, strict=False)
    letters |= zip(sorted(set(range(256)) - frequent), map(chr, count(0xA1)), strict=False)
    alphabet = "".join(letters[byte] for byte in range(256))
    return alphabet + data.decode("latin-1").translate(alphabet)


def _joined(names: Iterable[str], start: str = "") -> str:
    """The modules as one small script, each within a function that returns what it exports."""
    return str(jsmin("const modules = {};\n" + "".join(map(_as_function, names)) + start))


def _as_function(name: str) -> str:
    text = (HERE / f"{name}.mjs").read_text(encoding="utf-8")
    imported = re.compile(r'^import (\{.*?\}) from "\./(\w+)\.mjs";', re.MULTILINE)
    text = imported.sub(r"const \1 = modules.\2;", text)
    text = text.replace("import.meta.url", "self.location.href")
    exported = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
    names = ", ".join(match[2] for match in exported.finditer(text))
    body = exported.sub(r"\1", text)
    return f"modules.{name} = (() => {{\n{body}return {{{names}}};\n}})();\n"


def _write(app: Sphinx, _: Exception | None) -> None:
    if app.builder.format != "html":
        return
    wasm = wasm_file()
    if not wasm.exists():
        logging.getLogger(__name__).info("no %s: the manual has no calculator", wasm)
    folder = Path(app.outdir) / "calculator"
    folder.mkdir(exist_ok=True)
    page = bundled(wasm.read_bytes()) if wasm.exists() else MISSING
    (folder / "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the page after the manual; ``{only} calculator`` is what a manual that has it says."""
    if wasm_file().exists():
        app.tags.add("calculator")
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    sys.stdout.write(bundled(wasm_file().read_bytes()))
