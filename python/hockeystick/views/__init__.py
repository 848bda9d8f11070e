# SPDX-License-Identifier: Apache-2.0
"""The questions that can be asked of a composition, as methods."""

from typing import TYPE_CHECKING, NoReturn

from hockeystick._neighbours import no_attribute
from hockeystick.views.attacks import AttackViews
from hockeystick.views.distribution import DistributionView
from hockeystick.views.losses import LossViews
from hockeystick.views.privacy import PrivacyViews


class Views(PrivacyViews, DistributionView, AttackViews, LossViews):
    """All of them, for whatever knows the dominating pairs of its directions."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say which question was meant by a word of others."""
            raise no_attribute(self, name)


__all__ = ["Views"]
