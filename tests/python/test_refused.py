# SPDX-License-Identifier: Apache-2.0
"""Lines of code that are refused, and what is then said: the files of refused/.

A line `code => words` is refused by an error whose text begins with these words (of a ValueError,
or of the error that is named first); `...` in them stands for anything. Other lines define names.
"""

import math
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import baselines
from hockeystick.sampling import sampled_run


def alike(*functions):
    """One function for several that refuse the same arguments by the same error."""

    def ask(*arguments, **given):
        errors = []
        for function in functions:
            with pytest.raises((TypeError, ValueError)) as caught:
                function(*arguments, **given)
            errors.append(caught.value)
        assert len({(type(error), str(error)) for error in errors}) == 1
        raise errors[0]

    return ask


def cases():
    """Each line that is refused, with the names that the lines above it define."""
    for path in sorted((Path(__file__).parent / "refused").glob("*.txt")):
        names = {"hs": hs, "core": hs._core, "np": np, "nan": math.nan, "inf": math.inf}
        names |= {"baselines": baselines, "sampled_run": sampled_run}
        names |= {"alike": alike, "partial": partial}
        for line in path.read_text(encoding="utf-8").splitlines():
            code, arrow, said = line.partition(" => ")
            if arrow:
                yield pytest.param(code, said, names, id=f"{path.stem}: {code}")
            else:
                exec(code, names)  # noqa: S102


@pytest.mark.parametrize(("code", "said", "names"), list(cases()))
def test_what_is_out_of_range_is_named(code, said, names):
    with pytest.raises((TypeError, ValueError)) as caught:
        eval(code, names)  # noqa: S307
    kind = "" if caught.type is ValueError else f"{caught.type.__name__}: "
    assert re.match(re.escape(said).replace(r"\.\.\.", ".*"), f"{kind}{caught.value}")
