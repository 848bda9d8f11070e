# SPDX-License-Identifier: Apache-2.0
"""What README.md shows is what happens."""

import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from hockeystick import cli

README = (Path(__file__).parents[1] / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_run(code):
    assert code.count("\n") <= 15
    plt.switch_backend("Agg")
    exec(code, {})  # noqa: S102
    plt.close("all")


def test_the_first_command_answers(capsys):
    command = shlex.split(blocks("bash")[0])
    with pytest.raises(SystemExit) as exited:
        cli.main(command[command.index(".venv/bin/hockeystick") + 1 :])
    assert exited.value.code == 0
    assert capsys.readouterr().out.startswith("epsilon = ")
