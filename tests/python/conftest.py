# SPDX-License-Identifier: Apache-2.0
"""What tests of pictures, and tests of calibrations, share."""

import pytest

from hockeystick import composition


@pytest.fixture
def ax():
    """Axes that pyplot knows nothing of."""
    figure = pytest.importorskip("matplotlib.figure")
    return figure.Figure().subplots()


@pytest.fixture
def asked(monkeypatch):
    """What is evaluated: (composition, tolerance), in order."""
    calls = []
    answer = composition.Composable._answer

    def counted(self, query, points, limits):
        calls.append((self, limits.tolerance))
        return answer(self, query, points, limits)

    monkeypatch.setattr(composition.Composable, "_answer", counted)
    return calls
