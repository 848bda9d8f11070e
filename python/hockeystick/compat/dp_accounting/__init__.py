# SPDX-License-Identifier: Apache-2.0
"""The names of ``dp_accounting`` over this library, and a switch for code that imports it itself.

    from hockeystick.compat.dp_accounting import pld      # for: from dp_accounting import pld

    with hockeystick.compat.dp_accounting.patched():      # for code one cannot change
        ...

``pld`` needs no dp_accounting but for its accountant, which consumes dp_accounting's events.
"""

from hockeystick.compat.dp_accounting.patch import patch, patched, unpatch

__all__ = ["patch", "patched", "unpatch"]
