# SPDX-License-Identifier: Apache-2.0
"""Sphinx builds the manual: ``sphinx-build -W docs build/manual``, offline."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "hockeystick"
version = release = installed_version("hockeystick")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "docstrings",
    "help_pages",
    "mathml",
    "pictures",
    "proofs",
]
exclude_patterns = ["_extensions"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

default_role = "code"
smartquotes = False
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_mock_imports = ["flwr", "opacus"]  # the same pages whether these are installed or not
autodoc_typehints = "none"
napoleon_numpy_docstring = False
napoleon_use_rtype = False  # a sentence is not a type
add_module_names = False

html_theme = "furo"
html_title = f"hockeystick {version}"
html_copy_source = False
html_show_sphinx = False
