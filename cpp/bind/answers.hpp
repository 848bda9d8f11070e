// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "account/question.hpp"
#include "bind/bindings.hpp"

/// The answers to one call, as Python sees them.
struct Answers {
  std::vector<hockeystick::Answer> items;

  /// lower, upper and the error budget: a row each, a column for each answer.
  Doubles table() const;

  /// The index of the first answer that is wider than asked for.
  std::optional<std::size_t> unmet() const;
};

using PairCount = std::pair<std::shared_ptr<hockeystick::DominatingPair>, std::int64_t>;
using PairCounts = std::vector<std::vector<PairCount>>;

hockeystick::Direction direction_of(const std::vector<PairCount>& terms);
std::vector<hockeystick::Direction> directions_of(const PairCounts& asked);
