// SPDX-License-Identifier: Apache-2.0
// Which pairs of datasets are neighbours, and the ordered comparisons of them.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace hockeystick {

/// One ordered comparison of neighbours: the first dataset against the second. Each even one has its reverse after it.
enum class Comparison {
  remove,          // with the record against without it
  add,             // without the record against with it
  replace,         // with one record against with another in its place
  replace_back,    // the reverse
  special_remove,  // with a record against with a special, empty one in its place
  special_add,     // the reverse
};

inline Comparison reversed(Comparison way) { return static_cast<Comparison>(static_cast<int>(way) ^ 1); }

/// Whether a comparison is the second of its adjacency: the reverse of another comparison.
inline bool is_backward(Comparison way) { return static_cast<int>(way) % 2 == 1; }

/// Whether any record may take the place of any other.
inline bool replaces(Comparison way) { return way == Comparison::replace || way == Comparison::replace_back; }

/// "replace" if any record may take the place of any other. Else "remove" if a record that counts is there first and
/// then is not, or no longer counts; "add" for the reverse.
inline std::string_view form(Comparison way) { return replaces(way) ? "replace" : is_backward(way) ? "add" : "remove"; }

/// A relation between datasets; the worst of its comparisons counts.
struct Adjacency {
  std::string_view name;
  std::span<const Comparison> comparisons;
};

namespace comparisons {

inline constexpr std::array both{Comparison::remove, Comparison::add};
inline constexpr std::array remove{Comparison::remove};
inline constexpr std::array add{Comparison::add};
inline constexpr std::array replace{Comparison::replace, Comparison::replace_back};
inline constexpr std::array special{Comparison::special_remove, Comparison::special_add};

}  // namespace comparisons

inline constexpr std::array<Adjacency, 5> adjacencies{{
    {"add-or-remove-one", comparisons::both},
    {"remove-one", comparisons::remove},
    {"add-one", comparisons::add},
    {"replace-one", comparisons::replace},
    {"replace-special", comparisons::special},
}};

}  // namespace hockeystick
