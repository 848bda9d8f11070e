# SPDX-License-Identifier: Apache-2.0
"""Bounds to draw: those asked for, or the best there are."""

from collections.abc import Callable
from typing import Any

from hockeystick.bounds import Bounds
from hockeystick.errors import CertificationError


def best_bounds(ask: Callable[..., Bounds[Any]], *given: object, **limits: object) -> Bounds[Any]:
    """Lower and upper, however far apart: a picture shows how far."""
    try:
        return ask(*given, **limits)
    except CertificationError as error:
        return error.bounds
