# SPDX-License-Identifier: Apache-2.0
"""Each source file of the core has a test of its name; what Python states again is the same."""

from pathlib import Path

from hockeystick import Adjacency, Direction, _core

ROOT = Path(__file__).parents[1]

# Tested through what uses them, plans by what comes of them (plan/test_plans.py). A name leaves
# this list with its test.
THROUGH_OTHERS = {
    "c": "question",
    "discretize": "cells",
    "mechanisms": "atomic_pair atomic_registration continuous density_mgf_line described discrete "
    "gaussian_cells gaussian_tradeoff given grid_law laplace_loss noise_functions "
    "random_allocation renyi sampled sampled_laplace",
    "methods": "engine gaussian_merge method questions",
    "numeric": "budget cache checkpoint fork_safe_mutex order roots_of_unity vector_math",
    "plan": "closing contour_frame contour_plan grid_interval grid_planner large_loss "
    "lattice_grid place moment_edges nonuniform_grid "
    "saddlepoint thinned transform_plan window",
    "pld": "loss_tail stored_law tail_sums tradeoff",
    "run": "ask_once dpsgd dpsgd_search enclosing_runs known_alone refinement sha256 view_rows",
}
WITHOUT = {f"{layer}/{name}" for layer, names in THROUGH_OTHERS.items() for name in names.split()}


def sources():
    """Layer and name of each, but for bindings and the variants for an instruction set."""
    for path in sorted((ROOT / "cpp").rglob("*.cpp")):
        layer = path.relative_to(ROOT / "cpp").parts[0]
        if layer != "bind" and not path.stem.startswith("kernels_"):
            yield f"{layer}/{path.stem}"


def is_mirrored(source):
    layer, name = source.split("/")
    return any((ROOT / "tests" / layer).rglob(f"test_{name}.py"))


def test_adjacencies_are_those_of_the_core():
    """Python states them a second time, for their documentation and their order."""
    ways = list(Direction)
    own = {
        adjacency.value: [
            (ways.index(way), way.form, ways.index(way.reversed), way.replaces, way.backward)
            for way in adjacency.directions
        ]
        for adjacency in Adjacency
    }
    assert list(own.items()) == list(_core.parts.adjacencies.items())


def test_a_source_has_a_test_of_its_name_or_is_in_the_list():
    assert {source for source in sources() if not is_mirrored(source)} == WITHOUT & set(sources())
