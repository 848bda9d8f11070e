// SPDX-License-Identifier: Apache-2.0
#include "forecast/saddlepoint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "numeric/constants.hpp"
#include "numeric/root.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/cpu.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

constexpr double sqrt_two_pi = 2.5066282746310002;

// e^(x^2/2) P(Z > x), to about 1e-4: a forecast needs no more.
double scaled_tail(double x) {
  if (x > 8) {
    const double s = 1 / (x * x);
    return (1 - s * (1 - 3 * s * (1 - 5 * s))) / (x * sqrt_two_pi);
  }
  return 0.5 * std::exp(x * x / 2) * std::erfc(x * 0.70710678118654752);
}

// Where the mean jumps with the tilt two modes compete: right below the jump the lower one has most of the mass, and
// the upper one more than a transform's errors, which are absolute.
double below_jump(double tilt, double log_delta) { return tilt * std::max(0.9, 1 + 5 / std::min(log_delta, -1.0)); }

}  // namespace

Saddlepoint::Saddlepoint(const Direction& direction) {
  for (const Term& term : direction) {
    checkpoint_each<16>(nodes_.size());
    add(term.pair->nodes(), term.count);
    atoms_.push_back(&term.pair->atoms());
  }
}

Saddlepoint::Saddlepoint(std::span<const StepPmf> steps, const Direction& direction) {
  for (std::size_t j = 0; j < steps.size(); ++j) {
    LossNodes nodes;
    for (std::size_t k = 0; k < steps[j].mass.size(); ++k) {
      checkpoint_each<8192>(k);
      nodes.loss.push_back(steps[j].loss(k));
      nodes.log_mass.push_back(std::log(std::max(steps[j].mass[k], 1e-300)));
    }
    add(std::move(nodes), direction[j].count);
  }
}

void Saddlepoint::add(LossNodes nodes, std::int64_t count) {
  nodes_.push_back(std::move(nodes));
  counts_.push_back(static_cast<double>(count));
  log_total_.push_back(0);
  const Cumulants untilted = step_cumulants(nodes_.size() - 1, 0);
  log_total_.back() = untilted.value;
  total_count_ += counts_.back();
  deviation_ = std::hypot(deviation_, std::sqrt(counts_.back() * untilted.variance));  // floored there, never 0
}

void Saddlepoint::truncate(double log_mass) {
  for (std::size_t j = 0; j < nodes_.size(); ++j) {
    LossNodes& nodes = nodes_[j];
    // A node's own mass stands for the tail from there, which falls fast; one more node is kept.
    const double share = log_mass - std::log(counts_[j] * static_cast<double>(nodes_.size())) - 1;
    while (nodes.loss.size() > 8 && nodes.log_mass[nodes.loss.size() - 2] < share) {
      nodes.loss.pop_back();
      nodes.log_mass.pop_back();
    }
  }
}

Cumulants Saddlepoint::step_cumulants(std::size_t term, double tilt) const {
  const LossNodes& nodes = nodes_[term];
  std::array<double, 3> sums;
  const double largest =
      default_fft_kernel().tilted_sums(nodes.log_mass.data(), nodes.loss.data(), tilt, nodes.loss.size(), sums.data());
  const auto [sum, first, second] = sums;
  const double mean = first / sum;
  double variance = second / sum - mean * mean;
  if (!(variance > 1e-12 * mean * mean)) {  // the mean swamps it: sum squares about the mean
    variance = 0;
    for (std::size_t k = 0; k < nodes.loss.size(); ++k) {
      const double argument = nodes.log_mass[k] + tilt * nodes.loss[k] - largest;
      if (argument < -45) continue;
      const double away = nodes.loss[k] - mean;
      variance += std::exp(argument) * away * away / sum;
    }
  }
  // All mass on one loss, to rounding: a floor keeps every step of a search finite.
  variance = std::max(variance, 1e-24 * mean * mean + 1e-280);
  return {largest + std::log(sum) - log_total_[term], mean, variance};
}

Cumulants Saddlepoint::cumulants(double tilt) const {
  Cumulants total{0, 0, 0};
  for (std::size_t j = 0; j < nodes_.size(); ++j) {
    checkpoint_each<64>(j);
    const Cumulants step = step_cumulants(j, tilt);
    total.value += counts_[j] * step.value;
    total.mean += counts_[j] * step.mean;
    total.variance += counts_[j] * step.variance;
  }
  return total;
}

double Saddlepoint::log_moment(std::size_t term, double tilt) const { return step_cumulants(term, tilt).value; }

double Saddlepoint::spread_count(double tilt, double apart) const {
  double result = total_count_;
  for (std::size_t j = 0; j < atoms_.size(); ++j) {
    const auto& at = atoms_[j]->at;
    if (at.empty() || at.back().loss - at.front().loss < apart * static_cast<double>(at.size() - 1)) continue;
    double mass = 0;
    for (const Atom& atom : at) mass += std::exp(std::log(atom.mass) + tilt * atom.loss - log_moment(j, tilt));
    result -= counts_[j] * std::min(1.0, mass);
  }
  return result;
}

bool Saddlepoint::is_regular(double tilt, double variance) const {
  // The variance must not change much within one deviation of the tilt.
  const double width = 1 / std::sqrt(variance);
  const double above = cumulants(tilt + width).variance / variance;
  const double below = cumulants(tilt - width).variance / variance;
  return above < 4 && above > 0.25 && below < 4 && below > 0.25;
}

Saddle Saddlepoint::saddle(double tilt) const {
  const Cumulants k = cumulants(tilt);
  const double s = std::sqrt(k.variance);
  const double p = scaled_tail(tilt * s), q = scaled_tail((1 + tilt) * s);
  const double factor = std::max(p - q, 1e-300);
  // Far below the mean the approximation breaks down, and delta is 1.
  const double forecast = k.value - tilt * k.mean + std::log(factor);
  const double log_delta = forecast < 0 ? forecast : 0.0;
  return {tilt, k.mean, s, log_delta, factor, q / factor, 1 / (sqrt_two_pi * s * factor), true};
}

double Saddlepoint::log_chernoff_delta(double tilt, double epsilon) const {
  return cumulants(tilt).value - tilt * epsilon + log_chernoff_peak(tilt);
}

// The tilt that minimises Chernoff's bound of epsilon, about; 0 if no tilt does.
Saddle Saddlepoint::chernoff_saddle(double delta) const {
  const double goal = std::log(delta);
  const auto excess = [&](double tilt) {
    const Cumulants k = cumulants(tilt);
    return k.value - tilt * k.mean + log_chernoff_peak(tilt) - goal;
  };
  const double tilt = monotone_root_from(excess, 0.0, 0.5 / deviation_, 40, 1e-3);
  const bool solved = excess(1.01 * tilt) <= 0;  // it may jump, but it must change sign
  Saddle at = saddle(solved ? below_jump(tilt, goal) : 0.0);
  at.epsilon = (cumulants(tilt).value + log_chernoff_peak(tilt) - goal) / tilt;
  at.log_delta = goal;
  at.regular = false;
  return at;
}

Saddle Saddlepoint::saddle_for_delta(double delta) const {
  const double goal = std::log(delta);
  const auto excess = [&](double tilt) { return saddle(tilt).log_delta - goal; };
  const double step = 0.5 / deviation_;
  const bool above = excess(0.0) > 0;
  // Seven deviations below the mean delta is 1 for all purposes.
  Saddle at =
      saddle(above ? monotone_root_from(excess, 0.0, step, 40, 1e-4) : monotone_root_from(excess, 0.0, -step, 4, 1e-4));
  const bool solved = std::fabs(at.log_delta - goal) < 0.02 * (1 + std::fabs(goal)) || !above;
  if (solved && is_regular(at.tilt, at.deviation * at.deviation)) return at;
  return chernoff_saddle(delta);
}

double Saddlepoint::tilt_for_mean(double epsilon) const {
  const auto excess = [&](double tilt) { return cumulants(tilt).mean - epsilon; };
  const double step = 0.5 / deviation_;
  return monotone_root_from(excess, 0.0, excess(0.0) < 0 ? step : -step, 40, 1e-4);
}

Saddle Saddlepoint::saddle_for_epsilon(double epsilon) const {
  const double tilt = tilt_for_mean(epsilon);
  Saddle at = saddle(tilt);
  if (std::fabs(at.epsilon - epsilon) <= 0.01 * (at.deviation + 1e-3 * epsilon) &&
      is_regular(tilt, at.deviation * at.deviation)) {
    return at;
  }
  const double reachable = std::fabs(at.epsilon - epsilon) < 0.5 * deviation_ ? tilt : 0.0;
  at = saddle(std::max(0.0, reachable));
  at.epsilon = epsilon;
  at.log_delta = std::min(-0.7, log_chernoff_delta(at.tilt, epsilon));
  at.regular = false;
  return at;
}

Saddle Saddlepoint::far_saddle(double epsilon) const {
  const double jump = tilt_for_mean(epsilon);
  Saddle at = saddle(std::max(0.0, below_jump(jump, log_chernoff_delta(jump, epsilon))));
  at.epsilon = epsilon;
  at.log_delta = std::min(-0.7, log_chernoff_delta(at.tilt, epsilon));
  at.regular = false;
  return at;
}

Saddlepoint::Reach Saddlepoint::reach(const Tilted& from, double log_reciprocal, int direction, double limit,
                                      double nearby) const {
  const auto& [tilt, start] = from;
  // With s = |psi - tilt|, the log of Chernoff's bound at its best point mean(psi) is
  // K(psi) - K(tilt) - (psi - tilt) mean(psi), of derivative -s variance(psi): Newton's method in s^2, in
  // which it is linear for a normal law, kept within a bracket. The loss hardly depends on the last digits.
  // Where two modes compete the mean jumps, and only near the jump the bound is good: the best one tried is kept.
  double low = 0, high = limit;
  const double guess = direction * (nearby - tilt);
  double s = std::min(limit, guess > 0 ? guess : std::sqrt(2 * log_reciprocal / start.variance));
  Reach best{tilt, direction * infinity};
  for (int i = 0; i < 40; ++i) {
    const double psi = tilt + direction * s;
    const Cumulants k = cumulants(psi);
    const double loss = (k.value - start.value + log_reciprocal) / (psi - tilt);
    if (direction * loss < direction * best.loss) best = {psi, loss};
    const double excess = k.value - start.value - direction * s * k.mean + log_reciprocal;
    if (std::fabs(excess) <= 0.02 * log_reciprocal || high - low <= 1e-3 * high || (excess > 0 && s >= high)) break;
    (excess > 0 ? low : high) = s;
    const double square = s * s + 2 * excess / k.variance;
    const double step = square > 0 ? std::sqrt(square) : 0;
    s = step > low && step < high ? std::min(step, 8 * s) : low + (high - low) / 2;
  }
  return best;
}

}  // namespace hockeystick
