# SPDX-License-Identifier: Apache-2.0
"""Sphinx builds the manual: ``sphinx-build -W docs build/manual``, offline."""

import sys
import tempfile
from importlib.metadata import version as installed_version
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

import inventories  # noqa: E402, from _extensions

project = "hockeystick"
copyright = "the hockeystick maintainers, Apache-2.0"  # noqa: A001
version = release = installed_version("hockeystick")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "calculator",
    "cells",
    "consoles",
    "docstrings",
    "command_line",
    "links",
    "mathml",
    "pictures",
    "proofs",
    "tables",
]
exclude_patterns = ["_extensions", "_inventories", "calculator"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

default_role = "code"
smartquotes = False
nitpicky = True
nitpick_ignore_regex = [  # what has no page: types of a few arguments, and optional packages
    (
        "py:.*",
        r"hockeystick\.(.*_enclosed\.Accuracy|calibration\.calibrate\.Target|pld\.Recipe)",
    ),
    ("py:.*", r"Vector|hockeystick\.(accountant\.ledger\.Ledger|limits\.ProbabilityOptions)"),
    ("py:.*", r"hockeystick\.(_core\.(PairCells|LossPmf)|bounds\.Value|explanation\.MethodReport)"),
    ("py:.*", r"hockeystick\.compat\.prv_accountant\..*"),
    ("py:.*", r"flwr\..*|numpy\.(dtype|floating|integer)|dict\[str"),
]
# What other manuals have of the names here: small lists, as inventories cannot be fetched offline.
intersphinx_mapping = {
    name: (url, str(inventories.written(HERE / "_inventories" / f"{name}.txt", tempfile.mkdtemp())))
    for name, url in inventories.MANUALS.items()
}

autosummary_generate = True
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_mock_imports = ["flwr", "keras", "lightning", "opacus", "transformers"]
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"npt.ArrayLike": "numpy.typing.ArrayLike"}  # in overloads
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_rtype = False  # a sentence is not a type
add_module_names = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"hockeystick {version}"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_sphinx = False
