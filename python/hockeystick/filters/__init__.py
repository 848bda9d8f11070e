# SPDX-License-Identifier: Apache-2.0
"""Budgets that hold although what runs next is chosen by looking at earlier outputs."""

from hockeystick.filters.gaussian import GaussianFilter, Reading
from hockeystick.filters.individual import IndividualFilter
from hockeystick.filters.pure import PureFilter
from hockeystick.filters.renyi import RenyiFilter
from hockeystick.filters.report import FilterReport, FilterRow
from hockeystick.filters.zcdp import ZCDPFilter

__all__ = [
    "FilterReport",
    "FilterRow",
    "GaussianFilter",
    "IndividualFilter",
    "PureFilter",
    "Reading",
    "RenyiFilter",
    "ZCDPFilter",
]
