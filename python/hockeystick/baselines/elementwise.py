# SPDX-License-Identifier: Apache-2.0
"""One question answered for a number, or for each element of an array."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hockeystick._checks import FloatArray


def elementwise(answer: Callable[[float], float], points: FloatArray) -> Any:  # noqa: ANN401
    """``answer(x)`` for each x: a float if `points` has no dimensions, else an array like it."""
    values = [answer(x) for x in points.ravel().tolist()]
    return np.array(values, dtype=np.float64).reshape(points.shape) if points.shape else values[0]
