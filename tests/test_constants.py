# SPDX-License-Identifier: Apache-2.0
"""Each named number of the core has a kind, and each tuned one says what it is good for."""

import pytest

from constants import KINDS, named, of_core, table


def test_each_named_number_has_one_kind():
    """A new one is a bound's, a limit, or tuned: then its double and its half were measured."""
    known = {
        file: sorted(name for kind in kinds.values() for name in kind)
        for file, kinds in table().items()
    }
    assert known == {file: sorted(names) for file, names in of_core().items()}


def test_a_tuned_number_says_what_its_double_and_its_half_change():
    for file, kinds in table().items():
        assert set(kinds) <= set(KINDS), file
        for name, effect in dict(kinds.get("tuned", {})).items():
            assert effect.startswith("x2: "), (file, name)
            assert " /2: " in effect, (file, name)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("constexpr double half = 0.5, near = 2;  // of it", {"half", "near"}),
        ("static constexpr int most = 1 << 20;", {"most"}),
        ("const double slope = rise / 2;", set()),
        ('inline const double cost = tuned("cost", 1e3);', {"cost"}),
        ("constexpr std::size_t bytes = std::size_t{1} << 30;", {"bytes"}),
    ],
)
def test_names_are_those_of_numbers_that_are_written_out(source, names):
    assert named(source) == names
