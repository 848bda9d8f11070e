// SPDX-License-Identifier: Apache-2.0
// The comparisons of an adjacency, asked one by one.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "mechanisms/adjacency.hpp"
#include "methods/question.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// Asks comparisons one by one, and makes no more pairs of a comparison that cannot be the worst at a point.
class Apart {
 public:
  using Ask = std::function<std::vector<Answer>(std::span<const double>, std::span<const Comparison>)>;

  explicit Apart(std::span<const Comparison> comparisons) : comparisons_(comparisons) {}

  /// The answers of a side, each of which bounds one end of the worst comparison.
  std::vector<Answer> ask(std::span<const double> points, double Interval::* end, double tolerance, const Ask& one) {
    std::vector<std::optional<Answer>> worst(points.size());
    for (std::size_t way = 0; way < comparisons_.size(); ++way) {
      std::vector<std::size_t> which;
      std::vector<double> some;
      for (std::size_t k = 0; k < points.size(); ++k)
        if (may_be_worst(points[k], way)) which.push_back(k), some.push_back(points[k]);
      const std::vector<Answer> found = some.empty() ? std::vector<Answer>{} : one(some, comparisons_.subspan(way, 1));
      for (std::size_t k = 0; k < found.size(); ++k) {
        Interval& ends = ends_of(some[k])[way];
        ends = both(ends, end == &Interval::upper ? Interval{0, found[k].upper} : Interval{found[k].lower, infinity});
        std::optional<Answer>& known = worst[which[k]];
        known = known ? worse(*known, found[k], tolerance) : found[k];
      }
    }
    std::vector<Answer> answers;
    for (const std::optional<Answer>& each : worst) answers.push_back(each.value_or(enclosed({0, infinity}, {})));
    return answers;
  }

 private:
  std::vector<Interval>& ends_of(double point) {
    return ends_.try_emplace(point, comparisons_.size(), Interval{0, infinity}).first->second;
  }

  bool may_be_worst(double point, std::size_t way) {
    const std::vector<Interval>& ends = ends_of(point);
    double least = 0;  // lower bound of the worst of the other comparisons
    for (std::size_t other = 0; other < ends.size(); ++other)
      if (other != way) least = std::max(least, ends[other].lower);
    return !(ends[way].upper < least);
  }

  std::span<const Comparison> comparisons_;
  std::map<double, std::vector<Interval>> ends_;  // at each point
};

}  // namespace hockeystick
