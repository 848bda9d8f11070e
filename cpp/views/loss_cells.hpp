// SPDX-License-Identifier: Apache-2.0
// The loss axis of one pair cut into fine cells, and the moments of the loss that follow: Renyi divergences, mean and
// variance.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "discretize/jensen_integral.hpp"
#include "mechanisms/dominating_pair.hpp"
#include "numeric/interval.hpp"
#include "numeric/runtime/budget.hpp"

namespace hockeystick {

/// Upper bound of y^k e^(-t y) over y >= 0, for k 1 or 2 and t > 0.
double power_over_exponential(int k, double t);

class LossCells {
 public:
  /// `fineness` cells between two nodes of the pair, to which the object refers.
  LossCells(const DominatingPair& pair, int fineness);

  double cells() const { return static_cast<double>(edges_.size()); }

  /// log E_P[e^(t L)], t > 0.
  Interval log_moment(double t) const;

  /// E_P[L]: the Kullback-Leibler divergence.
  Interval mean() const;

  /// E_P[(L - mean)^2].
  Interval variance() const;

 private:
  struct Known {
    PairCells cells;
    std::vector<double> edges;
  };

  struct Heavy {
    double loss, log_mass;  // of a cell
  };

  void cut_off_unknown();
  Interval integral(const LossFunction& function, const std::function<double(double)>& change) const;
  Interval with_q_mass(const LossFunction& function) const;
  double top() const { return edges_.back(); }
  double log_scale(double t) const;
  double unlisted(double t) const;
  double unlisted_mean() const;
  double beyond_top(double t) const;
  double power_beyond_top(int k, double c) const;

  const DominatingPair& pair_;
  std::optional<FiniteLaw> law_;
  Held room_;
  std::vector<double> edges_;
  PairCells cells_;
  std::vector<Heavy> heavy_;
  std::optional<Known> known_;  // without the lowest cells, if their masses are lost
};

}  // namespace hockeystick
