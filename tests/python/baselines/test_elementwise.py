# SPDX-License-Identifier: Apache-2.0
"""Shapes in, shapes out."""

import numpy as np
import pytest

from hockeystick.baselines.elementwise import elementwise


@pytest.mark.parametrize("shape", [(0,), (3,), (2, 3), (1, 0, 2)])
def test_arrays(shape):
    points = np.arange(float(np.prod(shape))).reshape(shape)
    got = elementwise(lambda x: 2 * x, points)
    assert got.dtype == np.float64
    assert got.shape == shape
    assert (got == 2 * points).all()


def test_numbers():
    got = elementwise(lambda x: x + 1, np.array(2.0))
    assert got == 3
    assert type(got) is float
