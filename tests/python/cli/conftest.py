# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share."""

import pytest

from hockeystick import cli


@pytest.fixture
def run(capsys):
    """Run the command line: exit code, stdout, stderr."""

    def call(*arguments):
        with pytest.raises(SystemExit) as exited:
            cli.main(arguments)
        return exited.value.code, *capsys.readouterr()

    return call
