# SPDX-License-Identifier: Apache-2.0
"""Other ways to look at the privacy of a composition than epsilon and delta."""

from hockeystick.views.attacks import AttackViews
from hockeystick.views.losses import LossViews


class Views(AttackViews, LossViews):
    """All views, for whatever knows the dominating pairs of its directions."""

    __slots__ = ()


__all__ = ["Views"]
