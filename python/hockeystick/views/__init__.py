# SPDX-License-Identifier: Apache-2.0
"""The questions that can be asked of a composition, as methods."""

from hockeystick.views.attacks import AttackViews
from hockeystick.views.distribution import DistributionView
from hockeystick.views.losses import LossViews
from hockeystick.views.privacy import PrivacyViews


class Views(PrivacyViews, DistributionView, AttackViews, LossViews):
    """All views of a run whose directions have dominating pairs."""

    __slots__ = ()


__all__ = ["Views"]
