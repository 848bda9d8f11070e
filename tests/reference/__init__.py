# SPDX-License-Identifier: Apache-2.0
"""Reference truths: the questions, the table, and the command that made it."""
