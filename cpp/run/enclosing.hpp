// SPDX-License-Identifier: Apache-2.0
// Questions about runs some of whose mechanisms are known by pairs above and below their curves.
//
// Compositions are monotone in each mechanism's hockey-stick curve. So a run of pairs above bounds the privacy loss
// from above, and every run of pairs below bounds it from below.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mechanisms/described.hpp"
#include "methods/question.hpp"

namespace hockeystick {

/// The kind of a question to a run. The law of the privacy loss, `loss`, is not known from a curve.
enum class Wanted { epsilon, delta, power, rates, moments, risk, loss };

/// How closely sides of pairs that do not meet are asked at first, the part of a gap of theory by which their own
/// answers may widen it, and how far an upper end above such a gap may move without a reason.
inline constexpr double rough_sides = 0.01;

/// Whether the answers are probabilities, which may be below the smallest one of interest.
inline bool may_be_tiny(Wanted wanted) { return wanted == Wanted::delta || wanted == Wanted::power; }

/// The pairs of a side: the aspect that they bound and their accuracy; and the tolerance of the side's answers.
struct SideAccuracy : Accuracy {
  Aspect aspect = Aspect::curve;
  double tolerance = 1e-3;
};

/// How close the pairs were that answered other points of a run; none at first.
using KeptPairs = std::optional<SideAccuracy>;

/// The subject of a question.
struct EnclosedQuestion {
  Wanted wanted = Wanted::epsilon;
  bool closes = false;    // whether all pairs above and below meet
  std::int64_t runs = 1;  // of enclosed mechanisms
  double tolerance = 1e-3;
  double smallest = 0;            // as of Limits
  bool has_costly_cells = false;  // whether pairs of more cells take more time than the questions to them
  KeptPairs* kept = nullptr;      // asked first, and moved
};

/// How closely the pairs of a curve are asked at first.
SideAccuracy first_accuracy(const EnclosedQuestion& question);

/// Asks a side at some of the points until the ends are as close as asked, or come no closer. `known`: other ends that
/// hold at each point, or none. Each answer is limited by "theory" unless pairs above and below meet; the parts of its
/// width are not known. The caller checks that lower <= upper.
using AskSide = std::function<std::vector<Answer>(const SideAccuracy&, std::span<const double> points)>;
std::vector<Answer> enclosed_answers(const EnclosedQuestion& question, std::span<const double> points,
                                     const AskSide& above, const AskSide& below, std::span<const Interval> known);

/// Whether one pair of the mechanism is exact.
inline bool is_exact(const Described& mechanism) { return mechanism.kind->enclosure == nullptr; }

/// The pairs below and above for questions that the curve does not answer; none if the pairs of the curve answer them.
std::optional<std::array<PairName, 2>> pairs_beyond_curve(const Described& mechanism, Comparison way,
                                                          const SideAccuracy& accuracy);

/// The terms, each replaced by the run that dominates it if one is known.
std::vector<DescribedTerm> dominating_run(std::span<const DescribedTerm> terms);

/// The distinct runs of pairs above, one for each comparison, or of pairs below. Mechanisms with equally many pairs
/// below take the same choice.
std::vector<Direction> runs_above(std::span<const DescribedTerm> terms, std::span<const Comparison> comparisons,
                                  const SideAccuracy& accuracy);
std::vector<Direction> runs_below(std::span<const DescribedTerm> terms, std::span<const Comparison> comparisons,
                                  const SideAccuracy& accuracy);

}  // namespace hockeystick
