// SPDX-License-Identifier: Apache-2.0
// delta and epsilon of sampled Gaussians with little noise, which nearly tells the steps that a record joins.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "methods/gaussian_merge.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// A run of Poisson-sampled Gaussians, perhaps with plain ones. Given how many steps of each kind a record joins, the
/// privacy loss is normal but for a rare mistake, and a shift by the logarithms of the rates.
class Participations {
 public:
  /// None unless all steps are of these kinds, by little noise, and compare the same way. `slack`: nats by which losses
  /// may be off, or relative to those of little that is joined.
  static std::optional<Participations> of(const MergedDirection& run, double slack);

  Interval delta(double epsilon) const;
  Interval epsilon(double delta) const;
  /// P(loss > `loss`).
  Interval tail(double loss) const;
  /// The least loss with at most this tail, which is between `least` and `most`.
  Interval quantile(double least, double most) const;

  /// Upper bound of the probability of a mistake: of what delta may be off by.
  double mistaken() const { return mistaken_; }
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
  // Encloses the mean, over the squares of the deviation, of `given` at a loss. Sets of parts are tried in turn.
  using Given = Interval (*)(double square, double loss);
  Interval mean(const Parts& parts, Given given, double at) const;
  Interval mean(Given given, double at) const;

  std::vector<Steps> steps_;
  SampledGaussian::Form form_ = SampledGaussian::Form::none;
  double plain_ = 0;                                         // the square of mu of the plain ones
  double mistaken_ = 0, slack_above_ = 0, slack_below_ = 0;  // of sums of losses [nats]
};

}  // namespace hockeystick
