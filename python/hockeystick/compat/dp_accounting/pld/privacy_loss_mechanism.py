# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.privacy_loss_mechanism`` is not offered: the error of its import says so."""

from hockeystick.compat.dp_accounting.pld import _offered

raise ImportError(_offered.message("privacy_loss_mechanism"))
