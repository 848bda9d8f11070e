// SPDX-License-Identifier: Apache-2.0
#include "numeric/normal.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/gauss_legendre.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {
namespace {

// Beyond this a density below 1e-330 rounds to zero.
constexpr double reach = 39.0;

double panel(double a, double width) {
  const LocalDensity density(a, 0.0);
  const auto rule = gauss_legendre(width * (std::fabs(a) + width + 4.0));
  double sum = 0;
  for (std::size_t k = 0; k < rule.nodes.size(); ++k) sum += rule.weights[k] * density(width * rule.nodes[k]);
  return sum * width;
}

// Interval mass for 0 <= a < b, summed outwards, so that the terms fall.
double positive_interval(double a, double b) {
  CompensatedSum sum;
  b = std::min(b, std::max(a, 0.0) + reach);
  while (a < b) {
    double next = a + normal_panel_width(a);
    if (!(next < b)) next = b;
    const double mass = panel(a, next - a);
    sum.add(mass);
    if (a > 1.0 && mass <= 1e-19 * sum.value()) break;  // the rest falls by e^-1.6 per panel
    a = next;
  }
  return sum.value();
}

}  // namespace

double normal_pdf(double x) { return LocalDensity(x, 0.0).base; }

double mills_ratio(double x) {
  // R(x) = integral over y > 0 of e^(-x y - y^2/2); panels as for phi, to which the integrand is proportional.
  CompensatedSum sum;
  for (double y = 0;;) {
    const double width = normal_panel_width(x + y);
    const auto rule = gauss_legendre(width * (x + y + width + 4.0));
    double mass = 0;
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
      const double z = width * rule.nodes[k];
      mass += rule.weights[k] * exp_short(-z * (x + y + 0.5 * z));
    }
    mass *= width * math::exp(-y * (x + 0.5 * y));
    sum.add(mass);
    if (y * (x + y) > 2.0 && mass <= 1e-19 * sum.value()) return sum.value();
    y += width;
  }
}

double normal_tail(double x) {
  if (x < 0) return 1.0 - normal_tail(-x);
  if (!(x <= 37)) return positive_interval(x, x + 2 * reach);  // near underflow
  std::array<double, 8> tails;
  tails.fill(x);
  default_fft_kernel().normal_tails(tails.data(), tails.size());
  return tails.front();
}

double normal_interval(double a, double b) {
  if (!(a < b)) return 0.0;
  if (a >= 0) return positive_interval(a, b);
  if (b <= 0) return positive_interval(-b, -a);
  return positive_interval(0.0, -a) + positive_interval(0.0, b);
}

}  // namespace hockeystick
