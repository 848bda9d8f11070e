// SPDX-License-Identifier: Apache-2.0
// delta and epsilon of sampled Gaussians with so little noise that the output nearly shows the steps that a record
// joins.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "methods/gaussian_merge.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// Poisson-sampled Gaussians with little noise, and plain ones. Given the number of steps of each kind that a record
/// joins, their privacy loss is normal but for a rare mistake and for a shift by the logarithms of the rates.
class Participations {
 public:
  /// None unless some steps are sampled with little noise: 1 / noise at least `least_mu`. `slack`: the error that
  /// losses may have in nats, or relative to the losses of rates that hardly join. With a slack of 0 only curves may be
  /// asked for.
  static std::optional<Participations> of(const MergedDirection& run, double slack, double least_mu = 8);

  /// The other terms of the run. All questions but `mean` are about the run without them.
  const Direction& others() const { return others_; }

  /// A number of steps that a record joins: its weight, the square of mu of the normal loss, and the losses between
  /// which the question lies.
  struct Place {
    double weight, square, from, to;
  };
  /// Encloses the answers at all places: the lower bounds hold at `to`, the upper ones at `from`.
  using Law = std::function<std::vector<Interval>(std::span<const Place>)>;
  /// Encloses the mean of the answers of `law`, a curve that falls with the loss, over the numbers of steps.
  Interval mean(const Law& law, double at) const;

  Interval delta(double epsilon) const;
  Interval epsilon(double delta) const;
  /// P(loss > `loss`).
  Interval tail(double loss) const;
  /// The least loss with at most this tail, which is between `least` and `most`.
  Interval quantile(double least, double most) const;

  /// Upper bound of what mistakes change delta by.
  double mistaken() const { return std::max(above_, below_); }
  /// About how many numbers of steps matter.
  double size() const;

 private:
  struct Steps {
    double mu, rate, count;
  };
  // A number of steps of each kind: its probability, the square of the deviation of the loss, and the shift.
  struct Part {
    double weight, square, shift;
  };
  struct Parts {
    std::vector<Part> all;
    double rest = 0, error = 0;  // omitted probability; relative error of weights
  };

  Parts parts(double least) const;
  bool join(Parts& parts, const Steps& steps, double least) const;
  Interval mean(const Parts& parts, const Law& law, double at) const;

  Direction others_;
  std::vector<Steps> steps_;
  SampledGaussian::Form form_ = SampledGaussian::Form::none;
  double plain_ = 0;                          // the square of mu of the plain ones
  double above_ = 0, below_ = 0;              // what mistakes change the answers by
  double slack_above_ = 0, slack_below_ = 0;  // of sums of losses [nats]
};

/// The hockey-stick curve of N(mu, 1) against N(0, 1), mu^2 = `square`, at e^epsilon.
Interval normal_curve(double square, double epsilon);

}  // namespace hockeystick
