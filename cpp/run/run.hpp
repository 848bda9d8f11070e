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
  explicit Run(Terms terms);
  /// Runs on disjoint parts of the data, of which the worst counts.
  explicit Run(std::vector<std::shared_ptr<const Run>> parts);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const Terms& terms() const { return terms_; }
  /// The runs of which the worst counts; empty: this one alone.
  const std::vector<std::shared_ptr<const Run>>& parts() const { return parts_; }

  /// Whether one pair tells all of each mechanism.
  bool is_exact() const { return is_exact_; }
  /// The same of all comparisons of an adjacency, an index in `adjacencies`.
  bool is_exact_in(std::size_t adjacency) const;

  /// Whether a group of records in several parts is known to cost no more than one in a single part.
  bool groups_by_part() const;

  /// The run that never costs less, without sampling: `at_most` of each mechanism that has it; null: there is none.
  std::shared_ptr<const Run> unsampled() const;

  /// The dominating pairs of the terms in one comparison of neighbours.
  Direction pairs(Comparison way) const;

  /// The distinct directions of an adjacency, an index in `adjacencies`.
  Directions directions(std::size_t adjacency) const;

  /// The reverse of each of the directions; none where a mechanism does not say that the pairs are that.
  std::vector<Direction> reverses(std::size_t adjacency) const;

 private:
  std::vector<Direction> made(std::size_t adjacency) const;

  Terms terms_;
  std::vector<std::shared_ptr<const Run>> parts_;
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
