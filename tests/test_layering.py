# SPDX-License-Identifier: Apache-2.0
"""Includes and imports point downwards only."""

import ast
import re
from functools import cache
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
    {"_array_like", "_checks", "_decimals", "_formats", "_html", "_progress", "_search", "outward"},
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

# What each header that the core compiles beforehand brings.
NAMES = {
    "algorithm": """all_of any_of binary_search clamp copy copy_if copy_n count count_if equal fill
    fill_n find find_if find_if_not for_each generate is_sorted lower_bound max max_element merge
    min min_element minmax minmax_element none_of nth_element partial_sort partition
    partition_point remove_if reverse rotate sort stable_sort transform unique upper_bound""",
    "array": "array to_array",
    "cmath": """abs ceil copysign fabs floor fmax fmin fmod frexp ilogb isfinite isinf isnan
    isnormal ldexp llround logb lround modf nearbyint nextafter remainder rint round scalbn
    signbit sqrt trunc""",
    "cstdint": "int32_t int64_t int8_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "functional": "cref function greater hash less minus multiplies plus ref reference_wrapper",
    "limits": "numeric_limits",
    "memory": """addressof dynamic_pointer_cast enable_shared_from_this make_shared make_unique
    shared_ptr static_pointer_cast unique_ptr weak_ptr""",
    "optional": "make_optional nullopt optional",
    "span": "span",
    "stdexcept": """domain_error invalid_argument length_error logic_error out_of_range
    overflow_error range_error runtime_error""",
    "string": "string to_string",
    "vector": "vector",
}

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


def test_includes_point_downwards():
    wrong = []
    for path in CPP_FILES:
        layer = layer_of(path)
        for bracket, target in includes(path):
            folder = target.split("/")[0]
            if bracket == '"':
                public = layer == "c" and target == "hockeystick.h"
                allowed = public or folder in CPP_LAYERS[layer] | {layer}
            else:
                allowed = "/" not in target and not target.endswith(".h")
                allowed |= folder == "pybind11" and layer == "bind"
                allowed |= layer == "numeric" and target in SYSTEM
            if not allowed:
                wrong.append(f"{label(path)} includes {target}")
    assert wrong == []


@cache
def brought(path):
    """The headers of the standard library that a file includes, itself or by others of the core."""
    found = set()
    for bracket, target in includes(path):
        if bracket == "<":
            found.add(target)
        elif target != "hockeystick.h":
            found |= brought(CPP / target)
    return found


def test_what_is_compiled_beforehand_is_included():
    """The compiler cannot see what a file misses of the headers that are compiled before it."""
    before = (CPP / "CMakeLists.txt").read_text().partition("target_precompile_headers(")[2]
    assert set(NAMES) == set(re.findall(r"<(\w+)>", before)) - {"utility"}  # all others bring it
    wrong = []
    for path in CPP_FILES:
        code = re.sub("//.*", "", path.read_text())
        used = set(re.findall(r"\bstd::(?:ranges::)?(\w+)", code))
        wrong += [
            f"{label(path)} names {names} without <{header}>"
            for header in NAMES.keys() - brought(path)
            if (names := used & set(NAMES[header].split()))
        ]
    assert wrong == []


def having(pattern, paths):
    """The files with text of that pattern, and the text."""
    found = ((label(path), re.findall(pattern, path.read_text())) for path in paths)
    return {path: texts for path, texts in found if texts}


def test_no_certificate_rests_on_a_guess():
    """Nodes and sketches of atoms are guesses: who certifies is given edges, grids and supports."""
    guesses = r"loss_sketch|\bLossNodes\b|\bAtomSketch\b|\batom_sketch\(|(?:\.|->)nodes\(\)"
    certifying = [path for path in CPP_FILES if layer_of(path) not in {"mechanisms", "plan"}]
    assert having(guesses, certifying).keys() <= {"cpp/bind/mechanisms.cpp"}


def test_no_plan_is_an_interval():
    """An `Interval` or a `Ball` encloses a truth, and no plan does."""
    plans = [path for path in CPP_FILES if layer_of(path) == "plan"]
    assert having(r"\b(?:Interval|Ball)\b", plans) == {}


def test_elementary_functions_are_our_own():
    """None is the C library's, but for the fma of two_product and the probe of it."""
    called = having(rf"(?:\bstd|(?<![\w>]))::({'|'.join(INEXACT.split())})\b", CPP_FILES)
    assert called == {f"cpp/numeric/{name}.hpp": ["fma"] * 2 for name in ("rounding", "sum")}


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


def test_imports_point_downwards():
    edges = ((path, module_of(path), target) for path in PYTHON_FILES for target in imports(path))
    wrong = [
        f"{label(path)} imports {target}"
        for path, module, target in edges
        if target != module and row(target) >= row(module)
    ]
    assert wrong == []


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


def test_compat_is_over_the_public_api():
    compat = [path for path in PYTHON_FILES if module_of(path) == "compat"]
    assert {label(path): names for path in compat if (names := [*private_names(path)])} == {}


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
