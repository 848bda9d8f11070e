// SPDX-License-Identifier: Apache-2.0
// A run of described mechanisms.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "hockeystick.h"
#include "mechanisms/composition.hpp"
#include "mechanisms/described.hpp"
#include "numeric/runtime/mutex.hpp"

namespace hockeystick::c {

using Part = DescribedTerm;

/// An order in which only equal mechanisms are neither before the other: by kind, then by values, then by the mechanism
/// that a scheme runs.
struct Before {
  bool operator()(const Mechanism& a, const Mechanism& b) const;
};

/// The mechanism of a name such as "poisson_sampled(gaussian)", with the parameters of all that it names.
Mechanism mechanism_named(std::string_view name, std::span<const hs_parameter> parameters);

/// The index in `adjacencies` of one of HS_ADD_OR_REMOVE_ONE and so on.
std::size_t adjacency_index(std::int32_t adjacency);

}  // namespace hockeystick::c

/// A composition. Only hs_run_add and hs_run_add_json change it; questions may be asked by several threads.
struct hs_run {
 public:
  /// Adds these parts, or throws and adds none. Equal mechanisms are counted together, each found by a few comparisons.
  void add(std::span<const hockeystick::c::Part> parts);

  /// Takes the adjacency of a ledger, an index in `adjacencies`; throws if the run has another one already.
  void set_adjacency(std::size_t index);
  std::size_t adjacency() const { return adjacency_; }

  /// Directions of an adjacency, equal ones once, and the reverse of each, where that is known.
  struct Directions {
    std::vector<hockeystick::Direction> asked, reverses;
    bool is_symmetric;      // whether the adjacency compares both ways
    bool are_faced = true;  // whether each reverse is exactly that; else it bounds the same from the same side

    /// All of them; both ways of an adjacency that compares one.
    std::vector<hockeystick::Direction> both() const;
  };
  const Directions& directions(std::size_t adjacency) const;

  /// Each mechanism once, in an order that does not depend on that in which they were added.
  const std::vector<hockeystick::c::Part>& parts() const;
  /// Whether one pair tells all of each mechanism; only then has it `directions`.
  bool is_exact() const;

  /// Of pairs above the mechanisms, or below them.
  struct Side {
    bool is_above;
    hockeystick::Told told;
    double cells, tail;

    auto operator<=>(const Side&) const = default;
  };
  Directions directions(std::size_t adjacency, const Side& side) const;

 private:
  using Counts = std::map<hockeystick::Mechanism, std::int64_t, hockeystick::c::Before>;

  const std::vector<hockeystick::c::Part>& listed() const;  // parts(), of who holds the mutex

  Counts counts_;
  std::size_t adjacency_ = 0;
  mutable hockeystick::Mutex mutex_;
  mutable std::vector<hockeystick::c::Part> parts_;  // empty until a question needs them
  mutable std::map<std::size_t, Directions> made_;   // by adjacency; a map keeps its members where they are
  mutable std::map<std::pair<std::size_t, Side>, Directions> sides_;  // the last few
};
