# SPDX-License-Identifier: Apache-2.0
"""A lock to hold while a module is imported where it is first needed, and not at the start.

A child that is forked while another thread imports a module would wait for that import for ever.
So ``fork()`` waits until none is under way.
"""

import os
import threading

importing = threading.RLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=importing.acquire,
        after_in_parent=importing.release,
        after_in_child=importing.release,
    )
