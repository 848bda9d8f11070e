// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "methods/question.hpp"
#include "numeric/interval.hpp"
#include "numeric/range.hpp"

namespace hockeystick {

/// Bytes of the tables of the pairs, each counted once.
inline double table_bytes(std::span<const Term> terms, std::set<const DominatingPair*>& counted) {
  double bytes = 0;
  for (const Term& term : terms)
    if (const double own = term.pair->table_bytes(); own > 0 && counted.insert(term.pair.get()).second) bytes += own;
  return bytes;
}
inline double table_bytes(std::span<const Term> terms) {
  std::set<const DominatingPair*> counted;
  return table_bytes(terms, counted);
}

/// Marks what is known as all that the memory allows.
inline void refuse(Answer& answer, double bytes) {
  answer.converged = false;
  answer.limited_by = "memory_limit";
  answer.required_bytes = static_cast<std::size_t>(std::min(bytes, 9e18));
}
inline void refuse(Answer& answer, const OverBudget& over) { refuse(answer, over.bytes()); }

/// Throws std::invalid_argument for a pair that is none, or a count out of range.
inline void check_terms(std::span<const Term> terms) {
  for (const Term& term : terms) {
    if (!term.pair) throw std::invalid_argument("terms must hold dominating pairs, got none");
    checked("count", static_cast<double>(term.count), ranges::count);
  }
}

/// The same of all directions, and for limits out of range. A question may ask others with a tolerance below that of
/// users.
inline void check_question(std::span<const Direction> directions, const Limits& limits) {
  for (const Direction& direction : directions) check_terms(direction);
  checked("tolerance", limits.tolerance, ranges::inner_probability);
  checked("memory_limit", static_cast<double>(limits.memory_limit), ranges::positive);
}

/// `ask()` within the memory limit, the tables of the pairs included; where that is too small for any answer, each of
/// the `count` answers is refused with the bounds in `known`.
template <class Ask>
std::vector<Answer> budgeted(std::span<const Direction> directions, std::size_t count, const Limits& limits,
                             const Interval& known, Ask&& ask) {
  check_question(directions, limits);
  try {
    const Budget budget(static_cast<double>(limits.memory_limit));
    std::set<const DominatingPair*> counted;
    double bytes = 0;
    for (const Direction& direction : directions) bytes += table_bytes(direction, counted);
    const Held tables(bytes);
    return ask();
  } catch (const OverBudget& over) {
    Answer refused;
    refused.lower = known.lower;
    refused.upper = known.upper;
    refuse(refused, over);
    return std::vector<Answer>(count, refused);
  }
}

}  // namespace hockeystick
