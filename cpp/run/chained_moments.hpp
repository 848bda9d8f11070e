// SPDX-License-Identifier: Apache-2.0
// Renyi divergences of groups, from those of one record.
//
// Of k neighbours in a row, D_a between the first and the last is at most k a times the sum of D_o / o between
// neighbours over the orders o = k (a - 1) + 1, ..., k a: cpp/proofs/chained-moments.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mechanisms/moments_alone.hpp"
#include "methods/question.hpp"

namespace hockeystick {

class ChainedMoments final : public MomentsAlone {
 public:
  /// `one`: bounds the moments of one record from above; `other`: a pair with moments of at least those of the group,
  /// or null.
  ChainedMoments(Direction one, std::int64_t records, std::shared_ptr<const DominatingPair> other);

  Interval infinity_mass() const override;
  Interval log_moment_bounds(double t) const override;
  double renyi_slope_bound(double order) const override;

 private:
  std::vector<double> log_moments_of_one(std::span<const double> orders) const;
  double log_moment_of_chain(double t) const;

  Direction one_;
  std::int64_t records_;
  std::shared_ptr<const DominatingPair> other_;
};

}  // namespace hockeystick
