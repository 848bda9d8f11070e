# SPDX-License-Identifier: Apache-2.0
"""Why there is no verified value."""


class NotKnownError(ArithmeticError):
    """No rigorous value is known or affordable; the message says why."""
