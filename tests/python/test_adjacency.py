# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of neighbours."""

import pytest

import hockeystick as hs
from hockeystick import Adjacency
from hockeystick.adjacency import Direction


def test_the_default_is_the_worse_of_two():
    assert Adjacency.ADD_OR_REMOVE_ONE.directions == (Direction.REMOVE, Direction.ADD)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_every_adjacency_has_directions_and_a_name(adjacency):
    assert adjacency.directions
    assert Adjacency(adjacency.value) is adjacency


def test_names_are_final():
    assert [adjacency.value for adjacency in Adjacency] == [
        "add-or-remove-one",
        "remove-one",
        "add-one",
        "replace-one",
        "replace-special",
    ]


@pytest.mark.parametrize("name", ["replace-one", "REPLACE_ONE", "replace_one", "swap"])
def test_names_are_taken_in_any_spelling(name):
    mechanism = hs.Laplace(noise_multiplier=2.0)
    bounds = mechanism.delta_bounds(0.1, adjacency=Adjacency.REPLACE_ONE)
    assert mechanism.delta_bounds(0.1, adjacency=name) == bounds
    with pytest.raises(ValueError, match="^adjacency must be one of 'add-or-remove-one', .* 'x'"):
        mechanism.delta_bounds(0.1, adjacency="x")
    with pytest.raises(ValueError, match="^adjacency must be one of 'add-or-remove-one', .* 'x'"):
        hs.Adjacency("x")
