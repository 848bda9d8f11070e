// SPDX-License-Identifier: Apache-2.0
#include "plan/saddlepoint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/cpu.hpp"
#include "plan/distance_search.hpp"
#include "plan/normal_tail.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

constexpr double sqrt_two_pi = 2.5066282746310002;

// Two modes compete at a tilt where the mean jumps. Right below the jump the lower mode has most of the tilted mass,
// and the upper one still more than the absolute errors of a transform.
double below_jump(double tilt, double log_delta) { return tilt * std::max(0.9, 1 + 5 / std::min(log_delta, -1.0)); }

}  // namespace

Saddlepoint::Saddlepoint(const Direction& direction) {
  parts_.reserve(direction.size());
  for (const Term& term : direction) {
    checkpoint_each<16>(parts_.size());
    add(term.pair->nodes(), term.count, term.pair->atom_sketch());
  }
}

Saddlepoint::Saddlepoint(std::span<const StepPmf> steps, const Direction& direction) {
  for (std::size_t j = 0; j < steps.size(); ++j) {
    LossNodes nodes;
    for (std::size_t k = 0; k < steps[j].mass.size(); ++k) {
      checkpoint_each<8192>(k);
      nodes.loss.push_back(steps[j].loss(k));
      nodes.log_mass.push_back(math::log(std::max(steps[j].mass[k], 1e-300)));
    }
    add(std::move(nodes), direction[j].count, {});
  }
}

void Saddlepoint::add(LossNodes nodes, std::int64_t count, const AtomSketch& atoms) {
  const std::size_t seen = nodes.loss.size();
  Part part{std::make_shared<const LossNodes>(std::move(nodes)), seen, static_cast<double>(count), 0, atoms};
  const Cumulants untilted = step_cumulants(part, 0);
  part.log_total = untilted.value;
  total_count_ += part.count;
  untilted_.mean += part.count * untilted.mean;
  untilted_.variance += part.count * untilted.variance;  // floored there, never 0
  deviation_ = std::sqrt(untilted_.variance);
  parts_.push_back(std::move(part));
}

Saddlepoint::Saddlepoint(const Saddlepoint& whole, double log_mass) : Saddlepoint(whole) { truncate(log_mass); }

void Saddlepoint::truncate(double log_mass) {
  bool shorter = false;
  for (Part& part : parts_) {
    const std::size_t seen = below_largest(part, log_mass);
    shorter |= seen < std::exchange(part.seen, seen);
  }
  if (shorter) weigh();
}

void Saddlepoint::end_at(double log_mass) {
  for (Part& part : parts_) {
    close(part, exceeded_with(part, math::exp(log_mass) / (part.count * static_cast<double>(parts_.size()))));
  }
  weigh();
}

// A node represents the losses up to halfway to its neighbours. The logarithm of the tail is interpolated linearly.
double Saddlepoint::exceeded_with(const Part& part, double mass) {
  const auto [loss, log_mass] = part.nodes();
  double beyond = 1e-300;
  for (std::size_t i = loss.size() - 1; i > 1; --i) {
    const double next = beyond + math::exp(log_mass[i - 1]), before = std::exchange(beyond, next);
    if (next > mass)
      return (loss[i - 1] + loss[i - 2] + (loss[i] - loss[i - 2]) * math::log(next / mass) / math::log(next / before)) /
             2;
  }
  return loss.front();
}

void Saddlepoint::weigh() {
  untilted_ = summed(0);
  last_tilt_ = 0;
  deviation_ = std::sqrt(untilted_.variance);
}

// The mass of a node approximates the tail from there, which decays fast. One more node is kept.
std::size_t Saddlepoint::below_largest(const Part& part, double log_mass) const {
  const std::span<const double> mass = part.nodes().log_mass;
  const double fraction = log_mass - math::log(part.count * static_cast<double>(parts_.size())) - 1;
  std::size_t kept = mass.size();
  while (kept > 8 && mass[kept - 2] < fraction) --kept;
  return kept;
}

void Saddlepoint::raise(const Direction& direction, double epsilon) {
  double most = 0;
  for (const Term& term : direction) most += static_cast<double>(term.count) * term.pair->loss_supremum();
  if (!(most > epsilon && most < infinity)) return;
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const double lowest = direction[j].pair->loss_supremum() - 9 * (most - epsilon);  // next to nothing at likely tilts
    if (!(parts_[j].all->loss.front() < lowest)) continue;
    LossNodes raised = *parts_[j].all;
    for (double& loss : raised.loss) loss = std::max(loss, lowest);
    parts_[j].all = std::make_shared<const LossNodes>(std::move(raised));
    parts_[j].lowest = lowest;
  }
  weigh();
}

double Saddlepoint::close(double top) {
  double infinite = 0;
  for (Part& part : parts_) infinite += close(part, top);
  weigh();
  return -math::expm1(-infinite);
}

double Saddlepoint::close(Part& part, double top) {
  const auto [loss, log_mass] = part.nodes();
  double mass = 0, infinite = 0;
  for (; part.seen > 0 && loss[part.seen - 1] > top; --part.seen) {
    const double p = math::exp(log_mass[part.seen - 1]), kept = p * math::exp(top - loss[part.seen - 1]);
    mass += kept, infinite += part.count * (p - kept);
  }
  if (mass == 0) return infinite;
  const auto [below, log_below] = part.nodes();
  LossNodes closed{{below.begin(), below.end()}, {log_below.begin(), log_below.end()}};
  closed.loss.push_back(top), closed.log_mass.push_back(math::log(mass));
  part.seen = closed.loss.size();
  part.all = std::make_shared<const LossNodes>(std::move(closed));
  return infinite;
}

Cumulants Saddlepoint::step_cumulants(const Part& part, double tilt) {
  const SeenNodes nodes = part.nodes();
  std::array<double, 3> sums;
  const double largest =
      default_fft_kernel().tilted_sums(nodes.log_mass.data(), nodes.loss.data(), tilt, nodes.loss.size(), sums.data());
  const auto [sum, first, second] = sums;
  const double mean = first / sum;
  double variance = second / sum - mean * mean;
  if (!(variance > 1e-12 * mean * mean)) {  // cancellation: sums the squares about the mean
    variance = 0;
    for (std::size_t k = 0; k < nodes.loss.size(); ++k) {
      const double argument = nodes.log_mass[k] + tilt * nodes.loss[k] - largest;
      if (argument < -45) continue;
      const double away = nodes.loss[k] - mean;
      variance += math::exp(argument) * away * away / sum;
    }
  }
  // If all mass lies on one loss, a floor keeps every step of a search finite.
  variance = std::max(variance, 1e-24 * mean * mean + 1e-280);
  return {largest + math::log(sum) - part.log_total, mean, variance};
}

Cumulants Saddlepoint::summed(double tilt) const {
  Cumulants total{0, 0, 0};
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    checkpoint_each<64>(j);
    const Cumulants step = step_cumulants(parts_[j], tilt);
    total.value += parts_[j].count * step.value;
    total.mean += parts_[j].count * step.mean;
    total.variance += parts_[j].count * step.variance;
  }
  return total;
}

bool Saddlepoint::has_atoms() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return !part.atoms.at.empty(); });
}

double Saddlepoint::spread_count(double tilt, double apart) const {
  double result = total_count_;
  for (const Part& part : parts_) {
    const auto at = part.atoms.at;
    if (at.empty() || at.back().loss - at.front().loss < apart * static_cast<double>(at.size() - 1)) continue;
    double mass = part.atoms.all ? 1 : 0;
    if (!part.atoms.all) {
      const double log_moment = step_cumulants(part, tilt).value;
      for (const Atom& atom : at) mass += math::exp(math::log(atom.mass) + tilt * atom.loss - log_moment);
    }
    result -= part.count * std::min(1.0, mass);
  }
  return result;
}

double Saddlepoint::moving_count(double tilt, double interval) const {
  double result = 0;
  for (const Part& part : parts_) {
    const SeenNodes nodes = part.nodes();
    std::size_t heaviest = 0;
    for (std::size_t k = 0; k < nodes.loss.size(); ++k)
      if (nodes.log_mass[k] > nodes.log_mass[heaviest]) heaviest = k;
    const double log_moment = step_cumulants(part, tilt).value + part.log_total;
    for (std::size_t k = 0; k < nodes.loss.size(); ++k) {
      const double moved = std::min(1.0, 4 * std::fabs(nodes.loss[k] - nodes.loss[heaviest]) / interval);
      result += part.count * moved * math::exp(nodes.log_mass[k] + tilt * nodes.loss[k] - log_moment);
    }
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
  const double p = scaled_normal_tail(tilt * s), q = scaled_normal_tail((1 + tilt) * s);
  // Far below the mean the approximation fails, and delta is 1; still farther below it overflows.
  if (!(p < 1e300)) return {tilt, k.mean, s, 0, p, 1e-300, 1, true};
  const double factor = std::max(p - q, 1e-300);
  const double forecast = k.value - tilt * k.mean + math::log(factor);
  const double log_delta = forecast < 0 ? forecast : 0.0;
  return {tilt, k.mean, s, log_delta, factor, q / factor, 1 / (sqrt_two_pi * s * factor), true};
}

double Saddlepoint::log_chernoff_delta(double tilt, double epsilon) const {
  return cumulants(tilt).value - tilt * epsilon + log_chernoff_peak(tilt);
}

// About the tilt that minimises Chernoff's bound of epsilon; 0 if there is none.
Saddle Saddlepoint::chernoff_saddle(double delta) const {
  const double goal = math::log(delta);
  const auto attempt_at = [&](double tilt) {
    const Cumulants k = cumulants(tilt);
    const double excess = k.value - tilt * k.mean + log_chernoff_peak(tilt) - goal;
    return attempt(tilt, excess, tilt * k.variance + math::log1p(1 / tilt));
  };
  const double tilt = search(attempt_at, 0.5 / deviation_, steepest(), 1e-4 * std::fabs(goal));
  const bool solved = attempt_at(1.01 * tilt).excess <= 0;  // at a root or a jump
  Saddle at = saddle(solved ? below_jump(tilt, goal) : 0.0);
  at.epsilon = (cumulants(tilt).value + log_chernoff_peak(tilt) - goal) / tilt;
  at.log_delta = goal;
  at.regular = false;
  return at;
}

// d log_delta / d tilt is -slope variance. Deltas above that at the mean need bisection, as log_delta is flat there.
Saddle Saddlepoint::for_delta(double log_delta, double accuracy) const {
  Saddle at = saddle(0);
  const bool above = at.log_delta > log_delta;
  const int direction = above ? 1 : -1;
  const auto attempt_at = [&](double s) {
    at = saddle(direction * s);
    const double excess = direction * (at.log_delta - log_delta);
    if (!above) return Attempt{excess, 0};
    return attempt(s, excess, at.slope * at.deviation * at.deviation);
  };
  const double guess = std::sqrt(2 * std::max(0.5, -log_delta - 2)) / deviation_;
  search(attempt_at, guess, above ? steepest() : 8 / deviation_, accuracy);
  if (std::fabs(at.log_delta - log_delta) > std::max(accuracy, 0.02 * (1 + std::fabs(log_delta))) && above)
    at.regular = false;  // a jump
  const double moved = (at.log_delta - log_delta) / at.slope;
  if (std::isfinite(moved)) at.epsilon += moved;  // it is not finite if delta is nearly 1
  at.log_delta = log_delta;
  return at;
}

Saddle Saddlepoint::saddle_for_delta(double delta) const {
  const Saddle at = for_delta(math::log(delta), 1e-3);
  return at.regular && is_regular(at.tilt, at.deviation * at.deviation) ? at : chernoff_saddle(delta);
}

// The mean grows with the tilt at the rate of the variance.
Saddle Saddlepoint::for_epsilon(double epsilon, double accuracy) const {
  Saddle at = saddle(0);
  const double variance = deviation_ * deviation_, away = epsilon - at.epsilon;
  const int direction = away < 0 ? -1 : 1;
  const auto attempt_at = [&](double s) {
    at = saddle(direction * s);
    const double excess = direction * (epsilon - at.epsilon);
    return Attempt{excess / at.deviation, s + excess / (at.deviation * at.deviation)};
  };
  if (std::fabs(away) > accuracy * deviation_) search(attempt_at, std::fabs(away) / variance, steepest(), accuracy);
  if (std::fabs(epsilon - at.epsilon) > std::max(accuracy, 0.01) * at.deviation + 1e-5 * std::fabs(epsilon))
    at.regular = false;  // a jump
  at.log_delta = std::min(0.0, at.log_delta + at.slope * (at.epsilon - epsilon));
  at.epsilon = epsilon;
  return at;
}

Saddle Saddlepoint::saddle_for_epsilon(double epsilon) const {
  Saddle at = for_epsilon(epsilon, 1e-3);
  const bool is_deep = at.log_delta < -5000;  // a jump, or a delta that no question asks for
  if (at.regular && !is_deep && is_regular(at.tilt, at.deviation * at.deviation)) return at;
  const bool reached = !is_deep && std::fabs(cumulants(at.tilt).mean - epsilon) < 0.5 * deviation_;
  return irregular(reached ? at.tilt : 0.0, epsilon);
}

Saddle Saddlepoint::far_saddle(double epsilon) const {
  constexpr double goal = -760, accuracy = 10;
  const double jump = for_epsilon(epsilon, 1e-3).tilt;
  const double highest = below_jump(jump, log_chernoff_delta(jump, epsilon));
  if (!(highest > 0)) return irregular(0, epsilon);
  const auto attempt_at = [&](double tilt) {
    const Cumulants k = cumulants(tilt);
    const double excess = k.value - tilt * epsilon + log_chernoff_peak(tilt) - goal;
    return Attempt{excess, tilt + excess / (epsilon - k.mean + math::log1p(1 / tilt))};
  };
  return irregular(search(attempt_at, std::min(highest, -goal / epsilon), highest, accuracy), epsilon);
}

// The values of Chernoff's inequality.
Saddle Saddlepoint::irregular(double tilt, double epsilon) const {
  Saddle at = saddle(std::max(0.0, tilt));
  at.epsilon = epsilon;
  at.log_delta = std::min(-0.7, log_chernoff_delta(at.tilt, epsilon));
  at.regular = false;
  return at;
}

// Q is P at tilt -1, and its cumulant generating function is K there.
Saddle Saddlepoint::saddle_for_rate(double rate, int direction, double measure) const {
  const double goal = math::log(std::clamp(rate, 1e-290, 0.49));
  const auto attempt_at = [&](double s) {
    const Cumulants k = cumulants(measure + direction * s);
    const double deviation = std::sqrt(k.variance), tail = scaled_normal_tail(s * deviation);
    return attempt(s, k.value - direction * s * k.mean + math::log(tail) - goal, deviation / (sqrt_two_pi * tail));
  };
  return saddle(measure + direction * search(attempt_at, std::sqrt(-2 * goal) / deviation_, steepest(), 1e-3));
}

double Saddlepoint::tilt_right_of_zero(const Saddle& at) const {
  return std::max(at.tilt, 1 / std::max(at.deviation, untilted_.mean - at.epsilon));
}

double Saddlepoint::tilt_below_outliers(double tilt, const Saddlepoint& truncated) const {
  const auto knows = [&](double at) { return cumulants(at).value > truncated.cumulants(at).value + 0.01; };
  if (!knows(tilt)) return tilt;
  double low = 0, high = tilt;
  for (int i = 0; i < 5 || (low == 0 && i < 20); ++i) {
    const double middle = (low + high) / 2;
    (knows(middle) ? high : low) = middle;
  }
  return low;
}

// With s = |psi - tilt|, the log of Chernoff's bound at its best point mean(psi) is K(psi) - K(tilt) - (psi - tilt)
// mean(psi), of derivative -s variance(psi). If two modes compete, the mean jumps, and the bound is good near the jump
// only: the best one tried is kept.
ChernoffQuantile Saddlepoint::chernoff_quantile(const Tilted& from, double log_reciprocal, int direction, double limit,
                                                double nearby) const {
  const double tilt = from.tilt;
  const Cumulants& start = from.cumulants;
  ChernoffQuantile best{tilt, direction * infinity};
  const auto attempt_at = [&](double s) {
    const double psi = tilt + direction * s;
    const Cumulants k = cumulants(psi);
    const double loss = (k.value - start.value + log_reciprocal) / (psi - tilt);
    if (direction * loss < direction * best.loss) best = {psi, loss};
    return attempt(s, k.value - start.value - direction * s * k.mean + log_reciprocal, s * k.variance);
  };
  const double guess = direction * (nearby - tilt);
  search(attempt_at, guess > 0 ? guess : std::sqrt(2 * log_reciprocal / start.variance), limit, 0.02 * log_reciprocal);
  return best;
}

// Certified bounds of moments are looser by the width of their cells, hence 1.1 and 8. Infinite losses count as
// exceeded.
ChernoffQuantile Saddlepoint::exceeded(double missed) const {
  Tilted all{0, cumulants(0)};
  all.cumulants.value = 0;
  return chernoff_quantile(all, 8 - 1.1 * math::log(missed), -1, 0.9, -0.5);
}

}  // namespace hockeystick
