# SPDX-License-Identifier: Apache-2.0
"""Why there is no verified value."""


class NotKnownError(ArithmeticError):
    """No rigorous value is known or affordable; the message says why."""


class TooFarError(NotKnownError):
    """A line is so long that moments are not affordable; they may be on a shorter one."""
