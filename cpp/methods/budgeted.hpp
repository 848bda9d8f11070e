// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <vector>

#include "methods/question.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// Bytes of the tables of the pairs, each counted once.
inline double table_bytes(std::span<const Term> terms, std::set<const DominatingPair*>& counted) {
  double bytes = 0;
  for (const Term& term : terms)
    if (counted.insert(term.pair.get()).second) bytes += term.pair->table_bytes();
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

/// `ask()` within the memory limit, the tables of the pairs included; where that is too small for any answer, each of
/// the `count` answers is refused with the bounds in `known`.
template <class Ask>
std::vector<Answer> budgeted(std::span<const Direction> directions, std::size_t count, const Limits& limits,
                             const Interval& known, Ask&& ask) {
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
