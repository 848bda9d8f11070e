# SPDX-License-Identifier: Apache-2.0
"""Includes and imports point downwards only."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CPP = ROOT / "cpp"
PACKAGE = ROOT / "python" / "hockeystick"

# What each folder of cpp/ may include besides itself and the standard library. What certifies the
# inputs of a method may not include a forecast.
CPP_LAYERS = {
    "numeric": set(),
    "mechanisms": {"numeric"},
    "pld": {"numeric"},
    "discretize": {"numeric", "mechanisms", "pld"},
    "plan": {"numeric", "mechanisms", "pld", "discretize"},
    "methods": {"numeric", "mechanisms", "pld", "discretize", "plan"},
    "views": {"numeric", "mechanisms", "pld", "discretize", "plan", "methods"},
    "run": {"numeric", "mechanisms", "pld", "discretize", "plan", "methods", "views"},
}
CPP_LAYERS["c"] = set(CPP_LAYERS)
CPP_LAYERS["bind"] = set(CPP_LAYERS) - {"c"}

# From the bottom up; a module may import from lower rows only.
PYTHON_LAYERS = [
    {"_core", "_importing", "_neighbours"},
    {"_checks", "_decimals", "_formats", "_html", "_progress", "_search", "outward"},
    {"_files", "_outcomes", "_terms", "_words", "adjacency", "bounds"},
    {"_table", "errors", "limits"},
    {"queries"},
    {"_law_attacks", "explanation"},
    {"pld"},
    {"views"},
    {"_other_forms"},
    {"composition"},
    {"mechanisms"},
    {"_json", "disjoint", "joint", "given_cdf", "sampling", "selection", "wording"},
    {"accountant"},
    {"_sweep", "audit", "baselines", "calibration", "dpsgd", "filters", "sentences"},
    {"meter", "plot", "verify"},
    {"__init__"},
    {"callbacks", "compat"},
    {"cli"},
    {"__main__"},
]

# The compilers' own headers, for the vector kernels, and what fork needs.
SYSTEM = {"arm_neon.h", "cpuid.h", "immintrin.h", "intrin.h", "pthread.h", "wasm_simd128.h"}

# What differs between C libraries and compilers; numeric/elementary.hpp and complex.hpp have what
# the core needs. The rest of <cmath> is exact, or rounds once, by definition (cpp/README.md).
INEXACT = """
abs acos acosh arg asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 expm1 fma
hypot lgamma log log10 log1p log2 norm polar pow sin sinh tan tanh tgamma
"""

CPP_FILES = sorted(CPP.rglob("*.[ch]pp"))
PYTHON_FILES = sorted(PACKAGE.rglob("*.py"))


def label(path):
    return path.relative_to(ROOT).as_posix()


def layer_of(path):
    return path.relative_to(CPP).parts[0]


def includes(path):
    return re.findall(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', path.read_text(), re.MULTILINE)


def row(module):
    return next(index for index, names in enumerate(PYTHON_LAYERS) if module in names)


def module_of(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path):
    """The modules of the package that a file imports, by their first name inside it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{label(path)} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for first, *rest in (name.split(".") for name in names):
            if first == "hockeystick":
                known = rest and any(rest[0] in names for names in PYTHON_LAYERS)
                yield rest[0] if known else "__init__"


@pytest.mark.parametrize("path", CPP_FILES, ids=label)
def test_includes_point_downwards(path):
    layer = layer_of(path)
    for bracket, target in includes(path):
        folder = target.split("/")[0]
        if bracket == '"':
            public = layer == "c" and target == "hockeystick.h"
            assert public or folder in CPP_LAYERS[layer] | {layer}, (
                f'{label(path)} includes "{target}"'
            )
        elif "/" in target or target.endswith(".h"):
            allowed = folder == "pybind11" and layer == "bind"
            system = layer == "numeric" and target in SYSTEM
            assert allowed or system, f"{label(path)} includes <{target}>"


@pytest.mark.parametrize("path", CPP_FILES, ids=label)
def test_no_certificate_rests_on_a_guess(path):
    """Nodes and sketches of atoms are guesses: who certifies is given edges, grids and supports."""
    guessing = {"mechanisms", "plan"}
    if layer_of(path) in guessing or label(path) == "cpp/bind/mechanisms.cpp":
        return
    found = re.findall(
        r"loss_sketch|\bLossNodes\b|\bAtomSketch\b|\batom_sketch\(|(?:\.|->)nodes\(\)",
        path.read_text(),
    )
    assert not found, f"{label(path)} names {found}"


@pytest.mark.parametrize("path", [p for p in CPP_FILES if layer_of(p) == "plan"], ids=label)
def test_no_plan_is_an_interval(path):
    """An `Interval` or a `Ball` encloses a truth, and no plan does."""
    assert not re.search(r"\b(Interval|Ball)\b", path.read_text()), label(path)


@pytest.mark.parametrize("path", CPP_FILES, ids=label)
def test_elementary_functions_are_our_own(path):
    """None is the C library's, but for the fma of two_product and the probe of it."""
    allowed = {"fma"} if path.name in {"sum.hpp", "rounding.hpp"} else set()
    called = set(re.findall(r"(?:\bstd|(?<![\w>]))::(\w+)", path.read_text()))
    assert called & set(INEXACT.split()) <= allowed, label(path)


def test_what_a_dominating_pair_states_is_proved():
    """It names its two guesses by types that are defined elsewhere."""
    text = (CPP / "mechanisms" / "dominating_pair.hpp").read_text()
    assert 'loss_sketch.hpp"' not in text
    assert re.findall(r"^struct (\w+);", text, re.MULTILINE) == ["LossNodes", "AtomSketch"]
    guesses = re.findall(r"/// A guess: [^\n]*\n(?:  ///[^\n]*\n)*  virtual (\w+)", text)
    assert guesses == ["LossNodes", "AtomSketch"]
    assert not re.search(r"\b[Aa]bout\b|for planning", text)


def test_every_layer_is_looked_at():
    assert {layer_of(path) for path in CPP_FILES} == set(CPP_LAYERS)
    assert not list(CPP.glob("*.[ch]pp"))


def test_headers_do_not_include_each_other_in_circles():
    graph = {
        label(path): {f"cpp/{target}" for bracket, target in includes(path) if bracket == '"'}
        for path in CPP_FILES
    }
    TopologicalSorter(graph).prepare()  # raises CycleError


@pytest.mark.parametrize("path", PYTHON_FILES, ids=label)
def test_imports_point_downwards(path):
    module = module_of(path)
    for target in imports(path):
        if target != module:
            assert row(target) < row(module), f"{label(path)} imports {target}"


COMPAT_FILES = [path for path in PYTHON_FILES if module_of(path) == "compat"]


def private_names(path):
    """What a file takes from the package, compat apart, by a name with an underscore before it."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"hockeystick.{node.attr}"] if node.value.id == "hs" else []
        for name in names:
            first, *rest = name.split(".")
            if first == "hockeystick" and rest[:1] != ["compat"]:
                yield from (part for part in rest if re.match("_(?!_)", part))


@pytest.mark.parametrize("path", COMPAT_FILES, ids=label)
def test_compat_is_over_the_public_api(path):
    assert list(private_names(path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "import hockeystick._core",
        "from hockeystick import _checks",
        "from hockeystick._solve import solve",
        "from hockeystick.pld import _pmfs",
        "import hockeystick as hs\nhs._core.contour",
    ],
)
def test_private_names_are_seen(tmp_path, line):
    (tmp_path / "one.py").write_text(line)
    assert len(list(private_names(tmp_path / "one.py"))) == 1
