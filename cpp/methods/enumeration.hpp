// SPDX-License-Identifier: Apache-2.0
// Lists all sums of losses of few steps with few atoms. The tail of the listed sums is known up to rounding wherever
// the atoms lie; no grid achieves this.
#pragma once

#include <optional>
#include <vector>

#include "methods/method.hpp"
#include "numeric/interval.hpp"
#include "numeric/union_probability.hpp"
#include "pld/loss_tail.hpp"

namespace hockeystick {

class Enumeration final : public Evaluator {
 public:
  struct Size {
    double sums, bytes;
  };
  /// Empty if a pair has losses that are not atoms, or if there are more than 2^20 sums.
  static std::optional<Size> size_of(const Direction& direction);
  /// Empty also if the sums need more than `memory` bytes.
  static std::optional<Enumeration> of(const Direction& direction, double memory);

  Answer answer(Quantity quantity, double at, double near) const override;

  /// Encloses P(L > epsilon) up to rounding of masses, unless a sum equals epsilon up to rounding.
  Interval tail(double epsilon) const;

  /// Encloses delta(epsilon) up to rounding.
  Interval delta(double epsilon) const;

  /// Encloses the smallest epsilon >= 0 with delta(epsilon) <= delta, by about 100 steps of bisection.
  Interval epsilon(double delta) const;

  std::size_t size() const { return sums_.size(); }

  /// Encloses the smallest t with P(L > t) <= goal for a goal in [low, high] of (0, 1).
  Interval quantile(double low, double high) const;

 private:
  Enumeration() = default;
  void add(const FiniteLaw& law, double count);
  void sort();
  double mass_above(std::size_t k) const;
  double mass_below(std::size_t k) const;
  double gained(double epsilon) const;

  struct Sum {
    double loss, mass;
  };
  Held room_;
  std::vector<Sum> sums_{{0, 1}};
  std::vector<double> beyond_;  // mass of the sums from k on
  double mass_error_ = 0;       // relative error of the masses
  double loss_error_ = 0;       // of every sum [nats]
  UnionProbability infinite_;   // probability of an infinite loss or an outcome that is not listed
  bool complete_ = true;        // whether all outcomes of finite loss are listed
};

}  // namespace hockeystick
