# SPDX-License-Identifier: Apache-2.0
"""Reads what a picture shows."""

import numpy as np


def line(ax, label):
    """The data of the line with a label."""
    found = [line for line in ax.lines if line.get_label() == label]
    assert len(found) == 1, [line.get_label() for line in ax.lines]
    return np.asarray(found[0].get_xydata()).T
