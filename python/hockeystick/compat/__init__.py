# SPDX-License-Identifier: Apache-2.0
"""Other libraries' names over the public API of this one, as tests/test_layering.py holds it to."""
