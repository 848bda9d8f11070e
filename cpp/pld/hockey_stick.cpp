// SPDX-License-Identifier: Apache-2.0
#include "pld/hockey_stick.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vector_math.hpp"
#include "pld/tail_sums.hpp"
#include "pld/tilt.hpp"

namespace hockeystick {
namespace {

constexpr double least = 4 * smallest_subnormal;  // error of the untilting factor where it is subnormal

// The weight, in an untilted curve, of a transform error at distance y: e^(-tilt y) (1 - e^-y), tilt > -1.
class Weights {
 public:
  Weights(double tilt, double interval) : tilt_(tilt), interval_(interval) {
    if (tilt > 0) peak_ = math::exp(tilt * math::log(tilt / (1 + tilt))) / (1 + tilt) * (1 + 1e-12);
  }

  /// Upper bound of the largest weight up to this number of points.
  double peak(double points) const {
    if (tilt_ > 0) return peak_;
    const double span = interval_ * points;
    if (tilt_ == 0) return std::min(1.0, span * (1 + 1e-12));
    return math::exp(-tilt_ * span) * -math::expm1(-span) * (1 + 1e-12);  // the weight increases
  }

  /// Upper bound of the sum of the weights of this number of points up to `farthest`: the integral 1 / (t (1 + t)) over
  /// d plus the peak, or the number of points times the peak.
  double sum(double points, double farthest) const {
    const double counted = points * peak(farthest);
    if (tilt_ <= 0) return counted;
    return std::min(counted, 1 / (tilt_ * (1 + tilt_) * interval_) * (1 + 1e-12) + peak_);
  }

 private:
  double tilt_, interval_, peak_ = 0;
};

// Terms of the certified delta at epsilon = loss_k - y, from a suffix that starts at point k; 0 <= y <= d, or any y >=
// 0 at the first point of the window. The caller accounts for the rounding of the position.
CertifiedDelta evaluate(const LossPmf& pmf, const Weights& weights, const Suffix& suffix, double y) {
  CertifiedDelta result{};
  const double points = static_cast<double>(pmf.mass.size() - suffix.lowest());
  if (points > 0) {
    const double loss = pmf.loss(suffix.lowest());
    const double factor = untilting_factor(pmf, loss);
    const double at_epsilon = (factor + least) * (y > 0 ? math::exp(pmf.tilt * y) : 1.0) * (1 + 16 * u);
    const double fall = y > 0 ? math::expm1(-y) : 0.0;
    const double sum = suffix.curve() - fall * suffix.steps();
    // proof: transform-weights
    const double farthest = points - 1 + std::max(1.0, y / pmf.interval);  // from epsilon, which may lie far below
    const double transform = at_epsilon * weights.sum(points, farthest) * pmf.point_error;  // proof: transform-weights
    // proof: untilting
    const double relative = (24 + 2 * std::fabs(pmf.tilt * loss) + 2 * std::fabs(pmf.tilt * pmf.offset)) * u;
    const double distance = suffix.curve_distance() - fall * suffix.steps_distance();
    result.curve = factor * sum;
    // Transform errors may hide up to twice `transform` of the terms' sum; each has passed all points.
    const double summing =
        suffix.error_a_point() * (1 + 1e-6) * ((factor + least) * distance + 2 * (points + 1) * transform);
    result.rounding =  // proof: untilting
        transform + summing + relative * (std::fabs(result.curve) + 2 * transform) + least * std::fabs(sum);
    // proof: chernoff-wraparound
    if (pmf.side == Side::lower) result.wraparound = at_epsilon * pmf.wrapped * weights.peak(farthest);
  }
  if (pmf.side == Side::upper) {
    result.truncation = pmf.tail_above + pmf.infinity_mass;
    result.value = std::min(1.0, (result.curve + result.rounding + result.truncation) * (1 + 4 * u));
  } else {
    const double epsilon = points > 0 ? pmf.loss(suffix.lowest()) - y : 0;
    const double missing = pmf.deficit > 0 ? pmf.deficit * math::exp(epsilon) : 0;  // 0 times inf is 0
    result.truncation = (pmf.excess + missing) * (1 + 16 * u);
    // The curve minus all its errors is raised to at least 0, as a hockey-stick curve is >= 0.
    const double finite = std::max(0.0, result.curve - result.rounding - result.wraparound);
    result.value = std::min(1.0, lowered(finite + pmf.infinity_mass - result.truncation, 8 * u));
  }
  return result;
}

// Bound of the error of a loss's position: the steps' own loss error and the rounding of loss_k - y.
double location_error(const LossPmf& pmf, double epsilon) {
  // proof: loss-coupling, grid-position
  return (pmf.loss_error + 8 * u * (std::fabs(epsilon) + pmf.interval + std::fabs(pmf.offset))) * (1 + 8 * u);
}

// The number of suffix points needed for an epsilon: those with loss_k > epsilon.
std::size_t first_above(const LossPmf& pmf, double epsilon) {
  const double position = std::floor((epsilon - pmf.offset) / pmf.interval) + 1 - static_cast<double>(pmf.first);
  const auto size = static_cast<double>(pmf.mass.size());
  return static_cast<std::size_t>(std::clamp(position, 0.0, size));
}

constexpr std::size_t few = 4 * SuffixBlock::points;  // for fewer, the weights of a block do not pay

// The epsilon at which to evaluate the curve, given the error of the losses.
double shifted(const LossPmf& pmf, double epsilon) {
  return epsilon + (pmf.side == Side::upper ? -1 : 1) * location_error(pmf, epsilon);
}

// Searches for the epsilon at which delta crosses a goal, from the top of the window down.
class EpsilonSearch {
 public:
  EpsilonSearch(const LossPmf& pmf, double delta)  // proof: grid-position, underflow-delta
      : pmf_(pmf),
        weights_(pmf.tilt, pmf.interval),
        upper_(pmf.side == Side::upper),
        delta_(delta),
        constant_(pmf.infinity_mass + (upper_ ? pmf.tail_above : 0.0)),
        goal_(std::max(delta - constant_, 0.0)),
        lowest_(upper_ ? -location_error(pmf, 0) : 0.0),
        noise_(1.01 * math::exp(std::fabs(pmf.tilt) * pmf.interval) * pmf.point_error *
               weights_.sum(static_cast<double>(pmf.mass.size()), static_cast<double>(pmf.mass.size()))) {}

  bool is_infinite() const {
    const bool gives_up = pmf_.excess > 0 || pmf_.deficit > 0;
    return upper_ ? constant_ * (1 + 4 * u) > delta_ : constant_ * (1 - 8 * u) > delta_ && !gives_up;
  }

  /// Whether the answer certainly lies below the cell under the sums, and that cell above 0.
  bool is_above(const Suffix& sums) const {
    const double loss = pmf_.loss(sums.lowest());
    return loss - pmf_.interval >= lowest_ && clearly_below(sums, threshold_at(loss));
  }

  /// The answer, from sums above the answer; starting from any such sums gives an equally good one.
  double from(Suffix suffix) const {
    double threshold = 0;  // recomputed every 64 steps
    for (std::size_t step = 0; suffix.lowest() > 0; ++step) {
      checkpoint_each<8192>(step);
      suffix.extend();
      const double loss = pmf_.loss(suffix.lowest());
      threshold = step % 64 == 0 ? threshold_at(loss) : threshold * suffix.rho();
      const bool last = loss - pmf_.interval < lowest_;
      if (!last && clearly_below(suffix, threshold)) continue;
      const double width = last ? std::min(pmf_.interval, std::max(0.0, loss - lowest_)) : pmf_.interval;
      if (exceeds(suffix, width)) return in_cell(suffix, width);
      if (last) return 0;
    }
    // The answer lies below the window. The masses there are unknown, and a lower curve omits them.
    if (upper_) return std::max(0.0, pmf_.loss(0)) + location_error(pmf_, pmf_.loss(0));
    const double width = std::max(0.0, pmf_.loss(0));
    return exceeds(suffix, width) ? in_cell(suffix, width) : 0;
  }

 private:
  // Whether delta is certainly below the goal in the cell below the sums; `threshold` is the goal in their units.
  bool clearly_below(const Suffix& at, double threshold) const {
    const double d = pmf_.interval;
    const double cell = at.curve() + d * (1 + std::fabs(pmf_.tilt) * d) * 2 * std::fabs(at.steps());
    return cell + noise_ < 0.98 * threshold;
  }

  // If the factor underflows, 1e-300 in its place gives too low a threshold: the search skips fewer cells.
  double threshold_at(double loss) const { return goal_ / std::max(untilting_factor(pmf_, loss), 1e-300); }

  bool exceeds(const Suffix& suffix, double y) const { return evaluate(pmf_, weights_, suffix, y).value > delta_; }

  // delta exceeds the goal at the end of the cell below the sums.
  double in_cell(const Suffix& suffix, double width) const {
    const double loss = pmf_.loss(suffix.lowest());
    double near = 0, far = width;  // delta <= at loss - near, delta > at loss - far
    // Noise may cover the whole cell; then the answer is the point above, which the cell before has shown.
    if (upper_ && exceeds(suffix, 0)) near = far = -pmf_.interval;
    for (int i = 0; i < 48 && far - near > 1e-16 * (loss + width); ++i) {
      const double middle = near + (far - near) / 2;
      (exceeds(suffix, middle) ? far : near) = middle;
    }
    const double found = loss - (upper_ ? near : far);
    const double location = location_error(pmf_, loss), answer = upper_ ? found + location : found - location;
    // Covers the rounding of the sum and of the position error that a query of delta subtracts again.
    return std::max(0.0, answer + (upper_ ? 16 : -16) * u * std::fabs(answer));  // proof: grid-position
  }

  const LossPmf& pmf_;
  Weights weights_;
  bool upper_;
  double delta_, constant_;  // the part of delta that is the same at every epsilon
  double goal_;
  double lowest_;  // where the curve is evaluated for an epsilon of 0
  double noise_;   // far below the answer only noise is left, of either sign
};

}  // namespace

CurveTable::CurveTable(LossPmf pmf) : pmf_(std::move(pmf)), room_(bytes(static_cast<double>(pmf_.mass.size()))) {
  Suffix suffix(pmf_.mass, pmf_.tilt, pmf_.interval);
  sums_.reserve(pmf_.mass.size() / SuffixBlock::points + 1);
  sums_.push_back(suffix);
  std::optional<SuffixBlock> block;
  if (pmf_.mass.size() >= few && SuffixBlock::usable(pmf_.tilt, pmf_.interval)) block.emplace(pmf_.tilt, pmf_.interval);
  while (suffix.lowest() >= SuffixBlock::points) {
    checkpoint_each<256>(sums_.size());
    if (block) suffix.extend_by(*block);
    for (std::size_t k = 0; !block && k < SuffixBlock::points; ++k) suffix.extend();
    sums_.push_back(suffix);
  }
}

CertifiedDelta CurveTable::delta(double epsilon) const {
  const double at = shifted(pmf_, epsilon);
  const std::size_t size = pmf_.mass.size(), first = first_above(pmf_, at);
  Suffix suffix = sums_[(size - first) / SuffixBlock::points];
  while (suffix.lowest() > first) suffix.extend();
  const Weights weights(pmf_.tilt, pmf_.interval);
  if (first == size) return evaluate(pmf_, weights, suffix, 0);
  const double y = std::max(0.0, pmf_.loss(first) - at);
  CertifiedDelta result = evaluate(pmf_, weights, suffix, y);
  // The masses below the window are unknown.
  if (first == 0 && y > pmf_.interval && pmf_.side == Side::upper) result.value = 1;
  return result;
}

double CurveTable::epsilon(double delta) const {
  const EpsilonSearch search(pmf_, delta);
  if (search.is_infinite()) return infinity;
  const auto beyond =
      std::partition_point(sums_.begin() + 1, sums_.end(), [&](const Suffix& sums) { return search.is_above(sums); });
  return search.from(*(beyond - 1));
}

CurveKinks certified_kinks(const LossPmf& pmf) {
  const std::size_t size = pmf.mass.size();
  CurveKinks kinks{};
  kinks.room = Held(3.0 * sizeof(double) * static_cast<double>(size));
  for (std::vector<double>* column : {&kinks.loss, &kinks.alpha, &kinks.value}) column->resize(size);
  const bool upper = pmf.side == Side::upper;
  const Weights weights(pmf.tilt, pmf.interval);
  Suffix suffix(pmf.mass, pmf.tilt, pmf.interval);
  while (suffix.lowest() > 0) {
    suffix.extend();
    const std::size_t k = suffix.lowest();
    checkpoint_each<4096>(k);
    const double loss = pmf.loss(k), location = location_error(pmf, loss);
    const CertifiedDelta at = evaluate(pmf, weights, suffix, 0);
    kinks.slack = std::max(kinks.slack, 2 * location * (1 + 8 * u));
    kinks.loss[k] = upper ? up(loss + location) : down(loss - location);
    // Lower: f itself, which may be negative.
    const double lost = at.rounding + at.wraparound + at.truncation;
    const double known = at.curve + pmf.infinity_mass;
    // proof: power
    const double value = upper ? at.value : (known - lost) - 8 * u * (std::fabs(known) + lost) - 1e-307;
    // If a factor overflows, nothing is known.
    kinks.value[k] = std::isnan(value) ? -infinity : value;  // proof: power
  }
  kinks.alpha = kinks.loss;
  exponentials(kinks.alpha);
  // proof: power
  for (double& alpha : kinks.alpha) alpha = upper ? alpha * (1 + 8 * u) + 1e-307 : std::min(alpha * (1 - 8 * u), 1e308);
  if (!upper && pmf.excess == 0 && pmf.deficit == 0) kinks.floor = lowered(pmf.infinity_mass, 8 * u);  // proof: power
  return kinks;
}

void probabilities(const LossPmf& pmf, std::span<double> to) {
  for (std::size_t k = 0; k < pmf.mass.size(); ++k)  // proof: point-probabilities
    checkpoint_each<8192>(k), to[k] = std::max(0.0, pmf.mass[k] * untilting_factor(pmf, pmf.loss(k)));
}

double slack(const LossPmf& pmf) {
  double points = 0;  // point_error, untilted
  double total = 0;
  for (std::size_t k = 0; k < pmf.mass.size(); ++k) {
    checkpoint_each<8192>(k);
    const double factor = untilting_factor(pmf, pmf.loss(k));
    points += factor;
    total += std::fabs(pmf.mass[k]) * factor;
  }
  const double transform = points * pmf.point_error;  // proof: point-probabilities
  const double wrapped =
      pmf.wrapped * std::max(untilting_factor(pmf, pmf.loss(0)), untilting_factor(pmf, pmf.loss(pmf.mass.size() - 1)));
  const double rounding =
      (24 + 2 * std::fabs(pmf.tilt) * (std::fabs(pmf.loss(0)) + pmf.interval * static_cast<double>(pmf.mass.size()))) *
      u * total;
  return (transform + wrapped + rounding + pmf.tail_above) * (1 + 1e-9);  // proof: point-probabilities
}

}  // namespace hockeystick
