# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of neighbours."""

import pytest

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
