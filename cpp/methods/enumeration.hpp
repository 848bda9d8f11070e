// SPDX-License-Identifier: Apache-2.0
// All sums of losses of few steps with few atoms, listed one by one: their tail is known to rounding, wherever atoms
// lie, which no grid offers. Random questions of few atoms that it decides are answered by transforms in 1.4
// times its time in the median, but a tenth of them in more than ten times that, and 5 % not at all.
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
  /// Nothing if some pair has other losses than atoms, or if the sums are more than 2^20.
  static std::optional<Size> size_of(const Direction& direction);
  /// Nothing either if they take more than so many bytes.
  static std::optional<Enumeration> of(const Direction& direction, double memory);

  Answer answer(Quantity quantity, double at, double near) const override;

  /// Encloses P(L > epsilon). Only sums that rounding does not tell from epsilon make it wider than rounding of masses.
  Interval tail(double epsilon) const;

  /// Encloses delta(epsilon), to rounding.
  Interval delta(double epsilon) const;

  /// Encloses the smallest epsilon >= 0 with delta(epsilon) <= delta, by bisection: some 100 sums over all.
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
  UnionProbability infinite_;   // that a loss is infinite, or of no listed outcome
  bool complete_ = true;        // whether no outcome of finite loss is left out
};

}  // namespace hockeystick
