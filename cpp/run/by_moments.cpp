// SPDX-License-Identifier: Apache-2.0
// With t = order - 1 and D the divergence, delta(epsilon) <= e^(t (D - epsilon)) max_y e^(-t y) (1 - e^-y), as
// e^(t D) is the moment E_P e^(t L). Orders are searched on a lattice of powers of 2, and once between the best two.
#include "run/by_moments.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

// The upper end at a point from the divergence of order 1 + t, each term of which is rounded by a few u of its size.
double upper_end(double t, double divergence, double point, bool wants_epsilon) {
  if (!std::isfinite(divergence)) return infinity;
  const double peak = log_chernoff_peak(t);
  // A subnormal delta is scaled, exactly, so that its logarithm has all its digits.
  const double log_point = wants_epsilon ? math::log(point * 0x1p200) - 200 * math::log(2) : t * point;
  const double size = t * divergence + std::fabs(peak) + std::fabs(log_point) + 140;
  const double sum = t * divergence + peak - log_point + 64 * u * size;  // proof: chernoff-rounding
  if (wants_epsilon) return std::max(0.0, sum) / t * (1 + 8 * u);
  return std::min(1.0, math::exp(std::min(sum, 0.0)) * (1 + 8 * u) + 1e-307);  // proof: chernoff-rounding
}

}  // namespace

void bound_by_moments(std::span<const double> points, bool wants_epsilon, const RenyiBounds& renyi,
                      std::span<Answer> answers) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!answers[i].converged && points[i] > 0) open.push_back(i);
  if (open.empty()) return;
  std::vector<double> tried;
  for (double t = 0x1p-10; t <= 0x1p12; t *= 2) tried.push_back(t);
  for (int round = 0; round < 2; ++round) {
    std::vector<double> orders, between;
    for (double& t : tried) orders.push_back(1 + t), t = orders.back() - 1;
    const std::vector<Answer> known = renyi(orders);
    for (const std::size_t i : open) {
      double best = infinity, at = 0;
      for (std::size_t k = 0; k < tried.size(); ++k) {
        const double upper = upper_end(tried[k], known[k].upper, points[i], wants_epsilon);
        if (upper < best) best = upper, at = tried[k];
      }
      answers[i].upper = std::min(answers[i].upper, best);
      if (at > 0)
        for (const double part : {0.6, 0.8, 1.25, 1.6}) between.push_back(at * part);
    }
    if (between.empty()) return;
    std::sort(between.begin(), between.end());
    between.erase(std::unique(between.begin(), between.end()), between.end());
    tried = std::move(between);
  }
}

}  // namespace hockeystick
