# SPDX-License-Identifier: Apache-2.0
"""Each named number of the core has a kind, and each tuned one says what it is good for."""

import pytest

from constants import named, of_core, table


def test_each_named_number_has_one_kind():
    """A new one is a bound's, a limit, or tuned: then its double and its half were measured."""
    listed: dict[str, list[str]] = {}
    for files in table().values():
        for file, names in files.items():
            listed.setdefault(file, []).extend(names)
    known = {file: sorted(names) for file, names in listed.items()}
    assert known == {file: sorted(names) for file, names in of_core().items()}


def test_a_tuned_number_says_what_its_double_and_its_half_change():
    kinds = table()
    assert set(kinds) == {"bound", "limit", "tuned"}
    for file, effects in kinds["tuned"].items():
        for name, effect in effects.items():
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
