# SPDX-License-Identifier: Apache-2.0
"""Commands that are refused, and the one line that is then said: those of refused.txt.

A line there is `command => words`, with which the message begins; `...` stands for anything. Other
lines name words that commands share.
"""

import re
import shlex
from pathlib import Path
from string import Template

import pytest

import hockeystick as hs

RUN = 1000 * hs.Gaussian(1.0).poisson_sampled(0.01) + 5 * hs.Laplace(10.0)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hs.GaussianFilter(mu=1).save("budget.json")
    hs.Accountant().compose(RUN).save("ledger.json")
    hs.Accountant().compose(RUN).save("run.json")
    parts = hs.parallel(50 * hs.Laplace(40.0), 4 * hs.Gaussian(5.0))
    (tmp_path / "parts.json").write_text(parts.to_json(), encoding="utf-8")
    return tmp_path


def cases():
    shared = {}
    for line in (Path(__file__).parent / "refused.txt").read_text(encoding="utf-8").splitlines():
        command, arrow, said = line.partition(" => ")
        if arrow:
            yield Template(command).substitute(shared), said
        elif " = " in line:
            name, _, words = line.partition(" = ")
            shared[name] = words


@pytest.mark.parametrize(("command", "said"), list(cases()))
def test_a_command_is_refused_in_one_line(run, folder, command, said):
    before = set(folder.iterdir())
    code, out, err = run(*shlex.split(command))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert re.match(re.escape(f"hockeystick: {said}").replace(r"\.\.\.", ".*"), err)
    assert set(folder.iterdir()) == before
