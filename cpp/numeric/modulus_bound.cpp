// SPDX-License-Identifier: Apache-2.0
// With V the variance of the places, f(w) = |.|^2 has f'' between -2 V and 2 V: between two frequencies h apart it lies
// above neither end by more than V h^2 / 4. Frequencies are doubled while that is little of 1 - f; then steps are
// equal.
#include "numeric/modulus_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double most_steps = 4096;
// Masses that may be left out, over the part of 1 - |.| to show.
constexpr double few = modulus_bound_spends / 2;

class Turning {
 public:
  Turning(std::span<const double> masses, std::span<const double> places) : masses_(masses), away_(masses.size()) {
    CompensatedSum sum, first;
    double size = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      sum.add(masses[i]), first.add(masses[i] * places[i]);
      size = std::max(size, std::fabs(places[i]));
    }
    total_ = sum.value();
    const double mean = first.value() / total_;
    double second = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      away_[i] = places[i] - mean;
      second += masses[i] * away_[i] * away_[i];
    }
    variance_ = second / total_ * (1 + 1e-9);
    reach_ = size + std::fabs(mean);
    summing_ = static_cast<double>(masses.size() + 8) * u;
  }

  double variance() const { return variance_; }

  struct Phases {
    std::vector<double> cos, sin;
    double off;  // of each, as a distance
  };
  Phases at(double frequency) const {
    Phases result{std::vector<double>(away_.size()), std::vector<double>(away_.size()),
                  u * (2 * frequency * reach_ + 10)};  // proof: modulus-bound
    for (std::size_t i = 0; i < away_.size(); ++i) {
      checkpoint_each<8192>(i);
      const double angle = frequency * away_[i];
      result.cos[i] = math::cos(angle), result.sin[i] = math::sin(angle);
    }
    return result;
  }

  // Those of the sum of two frequencies.
  static void turn(Phases& phases, const Phases& by) {
    constexpr std::size_t lanes = 8;  // for the compiler's vectors
    const std::size_t count = phases.cos.size(), whole = count / lanes * lanes;
    double *const cos = phases.cos.data(), *const sin = phases.sin.data();
    const double *const x = by.cos.data(), *const y = by.sin.data();
    const auto one = [&](std::size_t i) {
      const double c = cos[i], s = sin[i];
      cos[i] = c * x[i] - s * y[i], sin[i] = s * x[i] + c * y[i];
    };
    for (std::size_t i = 0; i < whole; i += lanes)
      for (std::size_t k = 0; k < lanes; ++k) one(i + k);
    for (std::size_t i = whole; i < count; ++i) one(i);
    phases.off = 1.01 * (phases.off + by.off) + 6 * u;  // proof: modulus-bound
  }

  // Upper bound of f.
  double square(const Phases& phases) const {
    double re = 0, im = 0;
    for (std::size_t i = 0; i < masses_.size(); ++i) {
      re += masses_[i] * phases.cos[i];
      im += masses_[i] * phases.sin[i];
    }
    const double modulus = std::sqrt(re * re + im * im) / total_;
    const double most = modulus * (1 + 8 * u) + 1.5 * (phases.off + summing_);  // proof: modulus-bound
    return most * most;
  }

 private:
  std::span<const double> masses_;
  std::vector<double> away_;
  double total_ = 0, variance_ = 0, reach_ = 0, summing_ = 0;
};

// Of all of these.
double bound_of(std::span<const double> masses, std::span<const double> places, double from, double to) {
  const Turning turning(masses, places);
  const double variance = turning.variance();
  Turning::Phases phases = turning.at(from);
  double at = from, here = turning.square(phases), worst = here;
  const auto move_on = [&](const Turning::Phases& by, double step) {
    Turning::turn(phases, by);
    const double next = turning.square(phases);
    worst = std::max(worst, std::max(here, next) + variance * step * step / 4 * (1 + 1e-9));  // proof: modulus-bound
    here = next, at += step;
  };
  while (at < to && variance * at * at / 4 <= modulus_bound_spends * (1 - here)) move_on(Turning::Phases(phases), at);
  if (at < to) {
    const double wide = std::sqrt(4 * modulus_bound_spends * std::max(0.0, 1 - here) / variance);
    if (!(to - at < most_steps * wide)) return 1;
    const double step = std::min(wide, to - at);
    const Turning::Phases by = turning.at(step);
    while (at < to && worst < 1) move_on(by, step);
  }
  return std::min(1.0, std::sqrt(worst) * (1 + 4 * u));
}

double sum_of(std::span<const double> masses) {
  CompensatedSum sum;
  for (const double mass : masses) sum.add(mass);
  return sum.value();
}

// Without first and last masses of at most `spare` at either end.
std::pair<std::size_t, std::size_t> middle(std::span<const double> masses, double spare) {
  std::size_t first = 0, last = masses.size();
  for (double sum = masses[first]; first + 1 < last && sum <= spare; sum += masses[first]) ++first;
  for (double sum = masses[last - 1]; first + 1 < last && sum <= spare; sum += masses[last - 1]) --last;
  return {first, last};
}

}  // namespace

// A few masses far from all others would make steps small.
double modulus_bound(std::span<const double> masses, std::span<const double> places, double from, double to) {
  if (!(from < to)) return bound_of(masses, places, from, to);
  const Turning all(masses, places);
  const double total = sum_of(masses), gap = 1 - std::sqrt(all.square(all.at(from)));
  const auto [first, last] = middle(masses, few / 2 * gap * total);
  const auto middle_masses = masses.subspan(first, last - first);
  const double bound = bound_of(middle_masses, places.subspan(first, last - first), from, to);
  if (middle_masses.size() == masses.size()) return bound;
  return std::min(1.0,
                  1 - (1 - bound) * (sum_of(middle_masses) / total) * (1 - 8 * u) + 2 * u);  // proof: modulus-bound
}

}  // namespace hockeystick
