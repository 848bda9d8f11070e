// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "methods/question.hpp"

/// An answer that contradicts mathematics. The error is never swallowed: a certificate that breaks its own form proves
/// nothing.
class InternalError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The answers to one call, as Python sees them.
struct Answers {
  std::vector<hockeystick::Answer> items;

  /// lower, upper and the error budget: one row for each, one column for each answer.
  Doubles table() const;

  /// The index of the first answer that is wider than asked for, and not by theory.
  std::optional<std::size_t> unmet() const;

  /// "theory" if theory limits one of the answers, else "".
  std::string_view theory() const;
};

/// The only way out for answers: `items`, one for each point, of the question named.
/// Throws InternalError if one of them is not lower <= upper.
Answers checked(std::vector<hockeystick::Answer> items, const char* question, std::span<const double> points,
                const hockeystick::Limits& limits);

using Directions = std::vector<hockeystick::Direction>;
