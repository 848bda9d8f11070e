# SPDX-License-Identifier: Apache-2.0
"""Other libraries' names over this one: translation only, no numerics of its own."""
