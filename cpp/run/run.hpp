// SPDX-License-Identifier: Apache-2.0
// A run: described mechanisms on the same data, and how often each runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "mechanisms/composition.hpp"
#include "mechanisms/described.hpp"

namespace hockeystick {

/// An order in which only equal mechanisms are neither before the other: by kind, then by values, then by the mechanism
/// that a scheme runs.
struct Before {
  bool operator()(const Mechanism& a, const Mechanism& b) const;
};

/// Mechanisms that are counted together where they are equal, each in its simplest form.
class Tally {
 public:
  /// Adds these terms, or throws and adds none. Each is found by a few comparisons.
  void add(std::span<const DescribedTerm> terms);

  bool is_empty() const { return counts_.empty(); }

  /// Each mechanism once, in an order that does not depend on that in which they were added.
  std::vector<DescribedTerm> terms() const;

 private:
  std::map<Mechanism, std::int64_t, Before> counts_;
};

/// A composition, with the pairs of its directions once a question has needed them. Threads may share it.
class Run {
 public:
  using Terms = std::vector<DescribedTerm>;
  using Directions = std::shared_ptr<const std::vector<Direction>>;

  /// The terms keep their order. They are simplified, and no two are equal.
  explicit Run(Terms terms) : Run(std::vector<Terms>{std::move(terms)}) {}
  /// Runs of which the worst counts, for questions about their dominating pairs.
  explicit Run(std::vector<Terms> alternatives);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const std::vector<Terms>& alternatives() const { return alternatives_; }
  const Terms& terms() const { return alternatives_.front(); }

  /// Whether one pair tells all of each mechanism.
  bool is_exact() const { return is_exact_; }

  /// The dominating pairs in one comparison of neighbours.
  Direction pairs(Comparison way, const Terms& terms) const;

  /// The distinct directions of an adjacency, an index in `adjacencies`.
  Directions directions(std::size_t adjacency) const;

  /// The reverse of each of the directions.
  std::vector<Direction> reverses(std::size_t adjacency) const;

 private:
  std::vector<Terms> alternatives_;
  bool is_exact_;
  mutable std::array<Directions, adjacencies.size()> made_;  // null until a question needs them
};

/// The mechanism of a name such as "poisson_sampled(gaussian)", with the parameters of all that it names.
Mechanism mechanism_named(std::string_view name, std::span<const Given> parameters);

/// The index in `adjacencies` of the adjacency of both directions where one is the reverse of the other.
std::size_t symmetric(std::size_t adjacency);

/// The index of the adjacency with the two datasets in each other's place.
std::size_t reversed(std::size_t adjacency);

}  // namespace hockeystick
