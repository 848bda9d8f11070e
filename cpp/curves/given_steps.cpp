// SPDX-License-Identifier: Apache-2.0
#include "curves/given_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "numeric/fft/cache.hpp"
#include "numeric/rounding.hpp"
#include "numeric/union_probability.hpp"
#include "pld/given_step.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {
namespace {

// Fraction of delta that truncation and transforms may add before another tilt is tried.
constexpr double cut = 1e-12, accepted = 1e-10;

// Largest tilt times interval: all mass is on the grid, so only underflow limits the tilt.
constexpr double steepest = 200;

// Up to this number of points the circle holds the whole composition.
constexpr double small_range = 0x1p17;

// A step with few losses, for forecasts: joins up to `most` neighbours until their mass reaches 1e-3.
StepPmf outline(const StepPmf& step) {
  StepPmf few{step.interval, 0, {}, {}, step.infinity_mass, 0, 0, step.side};
  const std::size_t most = step.mass.size() / 1000 + 1;
  for (std::size_t k = 0; k < step.mass.size();) {
    double mass = 0, moment = 0;
    for (const std::size_t from = k; k < step.mass.size() && k - from < most && mass < 1e-3; ++k) {
      mass += step.mass[k];
      moment += step.mass[k] * static_cast<double>(step.index[k]);
    }
    few.index.push_back(static_cast<std::int64_t>(std::llround(moment / mass)));
    few.mass.push_back(mass);
  }
  return few;
}

void check_memory(const WindowForecast& window, std::size_t memory_limit) {
  const double bytes = window.bytes(2);
  if (window.is_feasible() && bytes <= static_cast<double>(memory_limit)) return;
  throw std::invalid_argument("memory_limit must be at least " +
                              std::to_string(static_cast<long long>(std::min(bytes, 9e18))) + " bytes, got " +
                              std::to_string(memory_limit) + "; a larger discretization interval needs less");
}

// Whether epsilon lies above the first `points` points of a window, or the window holds all losses above 0.
bool covers(const LossPmf& pmf, double epsilon, double points) {
  return pmf.loss(0) + points * pmf.interval < epsilon || pmf.loss(0) < 0;
}

bool is_sharp(const CertifiedDelta& at, const LossPmf& pmf) {
  const double lost = at.rounding + at.wraparound + (pmf.side == Side::upper ? pmf.tail_above : 0.0);
  return lost <= accepted * at.value || at.value <= 1e-300;
}

}  // namespace

ExplicitComposition::ExplicitComposition(std::vector<StepCount> terms) : terms_(std::move(terms)) {
  if (terms_.empty()) throw std::invalid_argument("terms must not be empty");
  const StepPmf& any = *terms_.front().step;
  UnionProbability infinite;
  for (const auto& [step, count] : terms_) {
    if (step->interval != any.interval || step->side != any.side || step->offset != 0)
      throw std::invalid_argument("steps must have one interval and one side");
    if (step->mass.empty()) throw std::invalid_argument("steps must have finite losses");
    counts_.push_back({nullptr, count});
    outlines_.push_back(outline(*step));
    infinite.add(0, step->infinity_mass, static_cast<double>(count));
    largest_infinity_mass_ = std::max(largest_infinity_mass_, step->infinity_mass);
  }
  infinity_mass_ = infinite.upper();
  double size = 0;
  for (const auto& [step, count] : terms_) {
    const auto times = static_cast<double>(count);
    const double top = times * step->loss(step->mass.size() - 1);
    top_ += top + 8 * unit_roundoff * std::fabs(top) + 1.01 * times * step->loss_error;
    size += std::fabs(top);
    lowest_ += times * static_cast<double>(step->index.front());
    highest_ += times * static_cast<double>(step->index.back());
  }
  top_ += 8 * unit_roundoff * size;  // proof: beyond-largest-loss
}

double ExplicitComposition::beyond_top(double epsilon) const {
  const double room = up(top_ - epsilon);
  const double curve = room > 0 ? -std::expm1(-room) * (1 + 8 * unit_roundoff) : 0.0;
  return std::min(1.0, (curve + infinity_mass_) * (1 + 2 * unit_roundoff));  // proof: beyond-largest-loss
}

LossPmf ExplicitComposition::distribution(double tail_mass, std::size_t memory_limit) const {
  check_floating_point_environment();
  const Saddlepoint saddlepoint(outlines_, counts_);
  const double d = terms_.front().step->interval;
  WindowForecast window = whole_window(saddlepoint, 0, {d, 0, 0.5 / d}, tail_mass, false);
  window.clip(lowest_, highest_);
  return composed(window, saddlepoint, 0, memory_limit);
}

LossPmf ExplicitComposition::composed(const WindowForecast& window, const Saddlepoint& saddlepoint, double tilt,
                                      std::size_t memory_limit) const {
  check_memory(window, memory_limit);
  const auto fft = shared_fft(window.fft_size());
  std::vector<ComposedTerm> composed;
  for (std::size_t j = 0; j < terms_.size(); ++j) {
    const double log_moment = tilt == 0 ? 0 : saddlepoint.log_moment(j, tilt);
    composed.push_back({tilted(*terms_[j].step, tilt, log_moment), terms_[j].count});
  }
  return compose(composed, *fft, window.window(), window.chernoff);
}

// Where the question lies; truncation there does not influence the tilt.
Saddle ExplicitComposition::saddle(double value, bool wants_epsilon) const {
  Saddlepoint saddlepoint(outlines_, counts_);
  const double log_delta = wants_epsilon ? std::log(value) : saddlepoint.saddle_for_epsilon(value).log_delta;
  saddlepoint.truncate(log_delta + std::log(cut));
  if (!wants_epsilon) return saddlepoint.saddle_for_epsilon(value);
  const Saddle at = saddlepoint.saddle_for_delta(std::max(value - infinity_mass_, 1e-3 * value));
  return at.epsilon > 0 ? at : saddlepoint.saddle_for_epsilon(0);
}

LossPmf ExplicitComposition::tilted_at(double value, bool wants_epsilon, std::size_t memory_limit) const {
  const Saddlepoint saddlepoint(outlines_, counts_);
  const Saddle at = saddle(value, wants_epsilon);
  const double d = terms_.front().step->interval, limit = steepest / d;
  const double tilt = std::clamp(at.tilt, 0.0, limit);
  WindowForecast window = question_window(saddlepoint, at, tilt, {d, 0, limit}, cut);
  if (highest_ - lowest_ < std::max(small_range, window.length())) window.hold_all(lowest_, highest_);
  return composed(window, saddlepoint, tilt, memory_limit);
}

void ExplicitComposition::deltas(std::span<const double> epsilons, std::span<double> to,
                                 std::size_t memory_limit) const {
  check_floating_point_environment();
  if (is_single()) {
    for (std::size_t i = 0; i < epsilons.size(); ++i) to[i] = step_delta(*terms_.front().step, epsilons[i]);
    return;
  }
  std::optional<CurveTable> curve;
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    const double epsilon = epsilons[i];
    if (curve && covers(curve->pmf(), epsilon, 1)) {
      const CertifiedDelta found = curve->delta(epsilon);
      to[i] = found.value;
      if (is_sharp(found, curve->pmf())) continue;
    }
    if (epsilon >= top_) {
      to[i] = side() == Side::upper ? beyond_top(epsilon) : largest_infinity_mass_;
      continue;
    }
    curve.emplace(tilted_at(epsilon, false, memory_limit));
    to[i] = curve->delta(epsilon).value;
    if (side() == Side::upper) to[i] = std::min(to[i], beyond_top(epsilon));
  }
}

void ExplicitComposition::epsilons(std::span<const double> deltas, std::span<double> to,
                                   std::size_t memory_limit) const {
  check_floating_point_environment();
  if (is_single()) {
    for (std::size_t i = 0; i < deltas.size(); ++i) to[i] = step_epsilon(*terms_.front().step, deltas[i]);
    return;
  }
  std::optional<CurveTable> curve;
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!curve || attempt > 0) curve.emplace(tilted_at(deltas[i], true, memory_limit));
      to[i] = curve->epsilon(deltas[i]);
      const bool finite = infinity_mass_ <= deltas[i];
      if (side() == Side::upper && finite) to[i] = std::min(to[i], std::max(0.0, top_));
      if (!std::isfinite(to[i])) continue;
      if (covers(curve->pmf(), to[i], 2) && is_sharp(curve->delta(to[i]), curve->pmf())) break;
    }
  }
}

}  // namespace hockeystick
