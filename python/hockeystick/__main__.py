# SPDX-License-Identifier: Apache-2.0
"""``python -m hockeystick``."""

from hockeystick.cli import main

if __name__ == "__main__":
    main()
