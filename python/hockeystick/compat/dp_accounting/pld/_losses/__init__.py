# SPDX-License-Identifier: Apache-2.0
"""The classes of ``privacy_loss_mechanism``, one mechanism a file."""
