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

/// An order of mechanisms in which only equal ones tie: by kind, then by values, then by the mechanism that a scheme
/// runs.
struct Before {
  bool operator()(const Mechanism& a, const Mechanism& b) const;
};

/// Mechanisms that are counted together where they are equal, each in its simplest form.
class Tally {
 public:
  /// Adds these terms, or throws and adds none. Each is found by a few comparisons.
  void add(std::span<const DescribedTerm> terms);

  bool is_empty() const { return counts_.empty(); }

  /// Each mechanism once, in an order that does not depend on the order in which terms were added.
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
  /// Runs on disjoint parts of the data; the worst of them counts.
  explicit Run(std::vector<std::shared_ptr<const Run>> parts);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const Terms& terms() const { return terms_; }
  /// The runs on disjoint parts; empty if this is a single run.
  const std::vector<std::shared_ptr<const Run>>& parts() const { return parts_; }

  /// Whether one pair of each mechanism is exact.
  bool is_exact() const { return is_exact_; }
  /// The same in all comparisons of an adjacency, an index in `adjacencies`.
  bool is_exact_in(std::size_t adjacency) const;

  /// Whether a group of records in several parts is known to cost no more than one in a single part.
  bool groups_by_part() const;

  /// The run without sampling, which never costs less: `at_most` of each mechanism that has one; null: none has.
  std::shared_ptr<const Run> unsampled() const;

  /// The dominating pairs of the terms in one comparison of neighbours.
  Direction pairs(Comparison way) const;

  /// The distinct directions of an adjacency, an index in `adjacencies`.
  Directions directions(std::size_t adjacency) const;

  /// The reverse of each direction; none where a mechanism does not state that its pairs are reverses.
  std::vector<Direction> reverses(std::size_t adjacency) const;

 private:
  std::vector<Direction> made(std::size_t adjacency) const;

  Terms terms_;
  std::vector<std::shared_ptr<const Run>> parts_;
  bool is_exact_;
  mutable std::array<Directions, adjacencies.size()> made_;  // null until a question needs them
};

/// The mechanism of a name such as "poisson_sampled(gaussian)", with the parameters of all mechanisms in the name.
Mechanism mechanism_named(std::string_view name, std::span<const Given> parameters);

/// The index in `adjacencies` of the adjacency of both directions where one is the reverse of the other.
std::size_t symmetric(std::size_t adjacency);

/// The index of the adjacency with the two datasets in each other's place.
std::size_t reversed(std::size_t adjacency);

}  // namespace hockeystick
