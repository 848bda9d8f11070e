# SPDX-License-Identifier: Apache-2.0
"""The type of arguments that become arrays."""

from typing import TYPE_CHECKING

import numpy.typing as npt

if TYPE_CHECKING:
    ArrayLike = npt.ArrayLike
else:

    class ArrayLike:
        """Numpy's union, which help() shows by this name in place of the types in it."""

        __module__ = "numpy.typing"
