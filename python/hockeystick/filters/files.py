# SPDX-License-Identifier: Apache-2.0
"""Filters in files that people write, whichever filter it is."""

import os
from typing import Any

from hockeystick import _json
from hockeystick.accountant.run_file import from_file, parsed
from hockeystick.filters.filter import Filter
from hockeystick.filters.gaussian import GaussianFilter
from hockeystick.filters.individual import IndividualFilter
from hockeystick.filters.pure import PureFilter
from hockeystick.filters.renyi import RenyiFilter
from hockeystick.filters.zcdp import ZCDPFilter

_KINDS = {
    kind._schema: kind  # noqa: SLF001, its own
    for kind in (GaussianFilter, RenyiFilter, ZCDPFilter, PureFilter, IndividualFilter)
}


def read(path: str | os.PathLike[str]) -> Filter | IndividualFilter:
    """The filter that a file describes: one that was saved, or a budget that somebody wrote.

    JSON, or TOML if the file's name ends in ".toml". Its member "schema" names the filter, as
    "hockeystick.GaussianFilter". What has a default may be left out, as of ``Accountant.read``.

    Raises:
        OSError: The file cannot be read.
        ValueError: It describes no filter; the message says where.
        TypeError: `path` is no path.
    """
    return from_file(path, _read_text)[0]


def _read_text(text: str, *, toml: bool) -> Filter | IndividualFilter:
    return _json.nested(lambda: _read(parsed(text, toml=toml)))


def _read(value: dict[str, Any]) -> Filter | IndividualFilter:
    kind = _KINDS[_json.one_of("$.schema", value.get("schema"), tuple(_KINDS))]
    return kind._restored(value)  # noqa: SLF001, its own
