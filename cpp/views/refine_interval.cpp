// SPDX-License-Identifier: Apache-2.0
#include "views/refine_interval.hpp"

#include <algorithm>
#include <cmath>

#include "discretize/cells.hpp"
#include "methods/budgeted.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/work.hpp"

namespace hockeystick {
namespace {

constexpr int most_passes = 8;

// Few significant bits, so that grid losses are exact in binary64; one bit where atoms must keep their losses.
int bits_for(Estimator estimator) { return estimator == Estimator::privacy_buckets ? 1 : 14; }

// How the refinement ended: "" if the questions were answered, else as in Answer.
struct Outcome {
  std::string_view limited_by;
  std::size_t required_bytes = 0;
};

bool is_narrow(const Answer& answer, const AllowedWidth& allowed) {
  const double width = answer.upper - answer.lower;
  return answer.lower == answer.upper || (width <= allowed(answer) && std::isfinite(width));
}

// Calls `attempt` on finer and finer pairs until it returns at most 1: the largest ratio of a width to the allowed one.
Outcome refine_within(const Direction& direction, const Refinement& refinement, const Limits& limits,
                      const std::function<double(const PldPair&)>& attempt) {
  const double memory = limits.memory();
  Outcome outcome;
  ExplicitRequest request{
      with_bits(std::min(refinement.interval, 0.25 * largest_interval), bits_for(refinement.estimator)),
      Side::upper,
      refinement.estimator,
      refinement.tail_mass,
      static_cast<std::size_t>(memory),
      refinement.tilt,
      {},
      true};
  ExplicitNeeds needs;
  const auto bytes = [&] { return 2 * (needs = explicit_pmf_needs(direction, request)).bytes; };
  double previous = infinity;
  int failures = 0;
  for (int pass = 1; pass <= most_passes; ++pass) {
    const double needed = bytes();
    const bool affordable = needed <= memory;
    if (!affordable) {
      outcome = {"memory_limit", static_cast<std::size_t>(std::min(needed, 9e18))};
      if (pass > 1) return outcome;
      for (int i = 0; i < 60 && request.interval < 0.25 * largest_interval && bytes() > memory; ++i)
        request.interval *= 2, request.tilt = std::min(request.tilt, 0.5 / request.interval);
      if (bytes() > memory) return outcome;
    }
    if (!WorkLimit::take(needs.cost)) return {"passes", 0};
    request.side = Side::upper;
    LossPmf upper = explicit_pmf(direction, request);
    const Held room(2.0 * sizeof(double) * static_cast<double>(upper.mass.size()));
    request.side = Side::lower;
    const double excess = attempt({std::move(upper), explicit_pmf(direction, request)});
    if (excess <= 1) return {};
    if (!affordable) return outcome;
    // If refining three times does not help, each time further, rounding limits the width.
    failures = excess < 0.9 * previous ? 0 : failures + 1;
    if (failures > 2) return {"rounding", 0};
    previous = std::min(previous, excess);
    const double factor = math::pow(0.7 / std::min(excess, 1e12), 1 / refinement.order) * math::pow(0.4, failures);
    request.interval = with_bits(request.interval * std::clamp(factor, 0.03, 0.8), bits_for(refinement.estimator));
  }
  return {"passes", 0};
}

}  // namespace

void refine_interval(const Direction& direction, const Refinement& refinement, const Limits& limits,
                     std::span<Answer> answers, std::span<const std::size_t> which, const AllowedWidth& allowed,
                     const std::function<void(const PldPair&, const Take&)>& ask) {
  const auto attempt = [&](const PldPair& pair) {
    double excess = 0;
    ask(pair, [&](std::size_t i, const Interval& bounds) {
      Answer& answer = answers[i];
      answer.lower = std::max(answer.lower, bounds.lower);
      answer.upper = std::min(answer.upper, bounds.upper);
      answer.interval = pair.upper.interval;
      answer.size = pair.upper.mass.size();
      answer.tilt = pair.upper.tilt;
      answer.passes += 1;
      answer.converged = is_narrow(answer, allowed);
      if (answer.converged) return;
      const double ratio = (answer.upper - answer.lower) / allowed(answer);
      excess = std::max(excess, ratio <= infinity ? ratio : infinity);
    });
    return excess;
  };
  Outcome outcome;
  try {
    outcome = refine_within(direction, refinement, limits, attempt);
  } catch (const OverBudget& over) {
    outcome = {"memory_limit", static_cast<std::size_t>(std::min(over.bytes(), 9e18))};
  }
  for (const std::size_t i : which) {
    answers[i].limited_by = answers[i].converged ? "" : outcome.limited_by;
    answers[i].required_bytes = outcome.required_bytes;
  }
}

Answer settled(const Interval& bounds, const AllowedWidth& allowed) {
  Answer answer;
  answer.lower = bounds.lower, answer.upper = bounds.upper;
  answer.converged = is_narrow(answer, allowed);
  if (!answer.converged) answer.limited_by = "rounding";
  return answer;
}

}  // namespace hockeystick
