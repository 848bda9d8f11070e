// SPDX-License-Identifier: Apache-2.0
// Questions about runs some of whose mechanisms are known by pairs above and below their curves.
//
// Compositions are monotone in each mechanism's hockey-stick curve. So a run of pairs above bounds the privacy loss
// from above, and every run of pairs below bounds it from below.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mechanisms/described.hpp"
#include "methods/question.hpp"

namespace hockeystick {

/// What a question is about.
struct EnclosedQuestion {
  bool rises = true;               // whether the answer grows with the curve
  bool of_rates = false;           // mu of tests with certain rates
  bool closes = false;             // whether all pairs above and below meet
  std::optional<double> smallest;  // of the deltas that are told; none: as small as the answers, which are deltas
  std::int64_t runs = 1;           // of enclosed mechanisms
  double tolerance = 1e-3;
};

/// Asks a side until the ends are as close as asked, or cannot be. `known`: ends that hold too, or none. An answer for
/// each point, which is limited by "theory" unless pairs above and below meet; of what its width is made is not known.
/// The ends are as they come; the caller checks that lower <= upper.
using AskSide = std::function<std::vector<Answer>(const Accuracy&)>;
std::vector<Answer> enclosed_answers(const EnclosedQuestion& question, const AskSide& above, const AskSide& below,
                                     std::span<const Interval> known);

/// The smallest of the deltas or rates that are told, where all that are not 0 count as told; at most `most`.
double smallest_told(std::span<const double> points, double most);

/// Whether one pair tells all of it.
inline bool is_exact(const Described& mechanism) { return mechanism.kind->enclosure == nullptr; }

/// The terms, with the run that dominates it in place of each that is known by one.
std::vector<DescribedTerm> dominating_run(std::span<const DescribedTerm> terms);

/// The distinct runs of pairs above, one for each comparison, or of those below, all mechanisms by the same choice if
/// they have as many. `of_moments`: for a question about Renyi divergences.
std::vector<Direction> runs_above(std::span<const DescribedTerm> terms, std::span<const Comparison> comparisons,
                                  const Accuracy& accuracy, bool of_moments);
std::vector<Direction> runs_below(std::span<const DescribedTerm> terms, std::span<const Comparison> comparisons,
                                  const Accuracy& accuracy, bool of_moments);

/// What is known besides of the answers of runs of one kind of mechanism alone: an epoch of a random allocation of
/// Gaussians, and runs of zero-concentrated mechanisms. Empty: nothing.
std::vector<Interval> known_alone(std::span<const DescribedTerm> terms, bool wants_epsilon,
                                  std::span<const Comparison> comparisons, std::span<const double> points,
                                  double tolerance);

/// Lower ends of rho-zCDP mechanisms, each with how often it runs: what mechanisms with two outcomes attain, chosen for
/// the question.
struct ConcentratedRun {
  double rho;
  std::int64_t count;
};
std::vector<Interval> concentrated_bounds(std::span<const ConcentratedRun> runs, bool wants_epsilon,
                                          std::span<const double> points, double tolerance);

}  // namespace hockeystick
