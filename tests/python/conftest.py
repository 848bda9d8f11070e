# SPDX-License-Identifier: Apache-2.0
"""What the tests of pictures share."""

import pytest


@pytest.fixture
def ax():
    """Axes that pyplot knows nothing of."""
    figure = pytest.importorskip("matplotlib.figure")
    return figure.Figure().subplots()
