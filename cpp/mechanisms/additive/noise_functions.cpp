// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/additive/noise_functions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "mechanisms/additive/concave_density.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// Below this F is not trusted, as it may have underflowed.
constexpr double least_trusted = 1e-300;

// The distance at which a secant bounds the slope of g: g is concave, so outward secants are steeper.
constexpr double outwards = 1e-3;

// A tail whose distribution function is not trusted is summed until it has fallen by this number of nats, to what sums
// round, in at most this number of panels.
const double nats = -math::log(unit_roundoff);
constexpr double most_panels = 0x1p15;

std::vector<double> values(const Noise::Map& map, const std::vector<double>& x, const char* name) {
  std::vector<double> y(x.size());
  map(x, y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i]))
      throw std::invalid_argument(std::string(name) + " must return finite numbers, got " + written(y[i]) + " at " +
                                  written(x[i]));
  }
  return y;
}

}  // namespace

NoiseFunctions::NoiseFunctions(Noise noise) : noise_(std::move(noise)), peak_(log_density({0.0})[0]) {
  double far = 0.4 * math::exp(-peak_), near = 0;
  for (; !is_negligible(far); near = far, far *= 1.25)
    if (!(far < 1e300)) throw std::invalid_argument("log_density must fall without bound far from 0");
  for (int step = 0; step < 8; ++step) {
    const double middle = near + (far - near) / 2;
    (is_negligible(middle) ? far : near) = middle;
  }
  reach_ = far;
}

double NoiseFunctions::off(double g) const { return 1.00001 * noise_.accuracy * (1 + std::fabs(g)); }

// Whether the noise's mass above x is negligible: g lies below its chord from 0, extended.
bool NoiseFunctions::is_negligible(double x) const {
  const double g = log_density({x})[0], fall = peak_ - off(peak_) - g - off(g);
  return fall > 0 && g + off(g) - math::log(fall / x) < math::log(negligible_noise) - 1e-9;
}

std::vector<double> NoiseFunctions::log_density(const std::vector<double>& x) const {
  return values(noise_.log_density, x, "log_density");
}

std::vector<double> NoiseFunctions::tails(std::vector<double> distance) const {
  for (double& x : distance) x = -std::fabs(x);
  const auto y = values(noise_.distribution, distance, "distribution");
  for (const double tail : y)
    if (!(tail >= 0 && tail <= 0.5 + 2 * noise_.accuracy))
      throw std::invalid_argument("distribution must be in [0, 0.5] below 0, got " + written(tail));
  return y;
}

std::vector<NoiseSide> NoiseFunctions::sides(const std::vector<double>& x, bool rounded) const {
  std::vector<double> beyond;
  for (const double at : x) beyond.push_back(at * (1 + outwards));
  const auto g = log_density(x), g_beyond = log_density(beyond), tail = tails(x);
  std::vector<NoiseSide> result;
  std::vector<std::size_t> distrusted;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double steepness = (std::fabs(g[i] - g_beyond[i]) + off(g[i]) + off(g_beyond[i])) / outwards;
    // proof: noise-rounding
    result.push_back({x[i], g[i], tail[i], 1.001 * noise_.accuracy * tail[i], 0, steepness});
    if (!(tail[i] > least_trusted)) distrusted.push_back(i);
  }
  bound_tails(result, distrusted);
  if (rounded)
    for (NoiseSide& side : result) side.error += displaced(side, -side.scale);  // proof: noise-rounding
  return result;
}

// x is off by u |x|, which moves masses times e^shift by the density; in logarithms, as the density may underflow.
double NoiseFunctions::displaced(const NoiseSide& side, double shift) const {
  const double log_f = side.log_f + off(side.log_f) + u * side.steepness;
  return 1.001 * math::exp(math::log(u * std::fabs(side.x)) + log_f + shift);
}

// The tails of the sides listed, from g alone, in units of about their size.
void NoiseFunctions::bound_tails(std::vector<NoiseSide>& of, const std::vector<std::size_t>& listed) const {
  if (listed.empty()) return;
  const auto panels =
      static_cast<std::size_t>(std::clamp(most_panels / static_cast<double>(listed.size()), 8.0, 512.0));
  std::vector<double> x;
  for (const std::size_t i : listed) {
    const double near = std::fabs(of[i].x);
    // Secants from the peak are flatter than g, but steep where g is far below the peak.
    const double fall = std::max(of[i].steepness, peak_ - of[i].log_f);
    if (!(near > 0 && fall > 1))
      throw std::invalid_argument("distribution must be the integral of exp(log_density), got a tail of 0 at " +
                                  written(of[i].x));
    of[i].scale = of[i].log_f + math::log(near / fall);
    for (std::size_t k = 0; k <= 2 * panels; ++k)
      x.push_back(near + near * (nats / fall) * (static_cast<double>(k) / static_cast<double>(2 * panels)));
  }
  const auto g = log_density(x);
  for (std::size_t j = 0; j < listed.size(); ++j) {
    checkpoint_each<64>(j);
    NoiseSide& side = of[listed[j]];
    const std::size_t first = j * (2 * panels + 1), last = first + 2 * panels;
    Interval sum{0, 0};
    for (std::size_t k = first; k < last; k += 2) {
      const double error = std::max({off(g[k]), off(g[k + 1]), off(g[k + 2])});
      const auto [lower, upper] =
          concave_mass({x[k], g[k]}, {x[k + 1], g[k + 1]}, {x[k + 2], g[k + 2]}, error, -side.scale);
      sum = {sum.lower + lower, sum.upper + upper};
    }
    // Beyond the panels g lies below the extension of its chord over them.
    const double slope = (g[first] - off(g[first]) - g[last] - off(g[last])) / (x[last] - x[first]);
    // proof: concave-panels
    sum.upper += slope > 0 ? 1.001 * math::exp(g[last] + off(g[last]) - side.scale) / slope : infinity;
    const double rounding = static_cast<double>(panels) * u;
    const MassEstimate tail = middle_of({sum.lower * (1 - rounding), sum.upper * (1 + rounding)});
    side.tail = tail.value;
    side.error = tail.error;
    if (!(tail.error < infinity)) {  // no doubles lie close enough: the distribution function answers
      side.scale = 0;
      side.tail = side.error = 0.51 * least_trusted;
    }
  }
}

}  // namespace hockeystick
