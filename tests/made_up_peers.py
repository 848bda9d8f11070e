# SPDX-License-Identifier: Apache-2.0
"""Accountants that answer, fail, hang and end, in a module that a child process can import."""

import os
import sys
import time
import warnings


def answering(answer, _question):
    sys.stdout.write("to be dropped")
    sys.stderr.write("to be dropped as well")
    warnings.warn("and this", stacklevel=1)
    return lambda: answer


def raising(error, _question):
    def ask():
        raise error

    return ask


def unprepared(_question):
    raise ModuleNotFoundError("No module named 'numpy.old'")


def ending(_question):
    return lambda: os._exit(3)


def hanging(_question):
    return lambda: time.sleep(600)


def importing(seconds, answer, _question):
    time.sleep(seconds)
    return lambda: answer
