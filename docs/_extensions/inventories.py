# SPDX-License-Identifier: Apache-2.0
"""Inventories for intersphinx out of lists that are kept here, so that nothing is fetched."""

import zlib
from pathlib import Path

MANUALS = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
    "matplotlib": "https://matplotlib.org/stable",
}
_HEAD = (
    "# Sphinx inventory version 2\n# Project: {name}\n# Version: \n"
    "# The remainder of this file is compressed using zlib.\n"
)


def written(names: Path, folder: str) -> Path:
    """The inventory of a list of lines ``role name address``."""
    lines = []
    for line in names.read_text(encoding="utf-8").splitlines():
        role, name, address = line.split()
        lines.append(f"{name} py:{role} 1 {address} -\n")
    path = Path(folder) / f"{names.stem}.inv"
    packed = zlib.compress("".join(lines).encode())
    path.write_bytes(_HEAD.format(name=names.stem).encode() + packed)
    return path
