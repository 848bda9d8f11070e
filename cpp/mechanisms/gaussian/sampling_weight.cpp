// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/sampling_weight.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t chunk = 64;

// By the last two branches of sampled_inverse, with the same bounds: e^-loss = 1 / (1 + rise), within 8 u, is only
// needed for them.
void invert(double q, std::span<const double> losses, std::span<SampledEdge> to) {
  std::array<double, chunk> rise, plus, quotient;
  const std::size_t count = losses.size();
  for (std::size_t i = 0; i < count; ++i) rise[i] = std::min(1.0, losses[i]);
  exponentials_less_1(std::span(rise).first(count));
  for (std::size_t i = 0; i < count; ++i) {
    const double excess = rise[i] + q;
    const bool small = std::fabs(rise[i]) <= q / 2;
    plus[i] = small ? rise[i] / q : 0;
    quotient[i] = small || !(excess > 0) ? 1 : excess / q;
  }
  logarithms_of_1_plus(std::span(plus).first(count));
  logarithms(std::span(quotient).first(count));
  for (std::size_t i = 0; i < count; ++i) {
    const double loss = losses[i], excess = rise[i] + q;
    if (loss > 1 || !(excess > 0) || (q > 0.5 && loss < -0.5) || !(excess / q < infinity)) {
      const auto [t, error] = sampled_inverse(q, loss);
      const double odds = q / (1 - q) * math::exp(t);
      to[i] = {t, odds < 1e300 ? odds / (1 + odds) : 1.0, error};
      continue;
    }
    const bool small = std::fabs(rise[i]) <= q / 2;
    const double t = small ? plus[i] : quotient[i], fall = 1 / (1 + rise[i]), slope = excess * fall + 16 * u;
    const double error = small ? 13 * u * slope * std::fabs(t)
                               : 6 * u * (q + std::fabs(rise[i])) * fall + u * slope * (6 * std::fabs(t) + 2);
    to[i] = {t, slope, error};
  }
}

}  // namespace

std::vector<SampledEdge> sampled_inverses(double q, std::span<const double> losses) {
  std::vector<SampledEdge> result(losses.size());
  for (std::size_t i = 0; i < losses.size(); i += chunk) {
    checkpoint_each<32>(i / chunk);
    const std::size_t count = std::min(chunk, losses.size() - i);
    invert(q, losses.subspan(i, count), std::span(result).subspan(i, count));
  }
  return result;
}

void sampled_weights(double mu, double q, std::span<double> x) {
  std::vector<double> odds(x.size()), low(x.size());  // exponents in two doubles
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto [high, rest] = two_sum(std::isfinite(x[i]) ? x[i] : 0.0, -mu / 2);
    const auto [product, error] = two_product(mu, high);
    odds[i] = product;
    low[i] = error + mu * rest;
  }
  exponentials(odds);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at_x = odds[i] * (1 + low[i]) * (q / (1 - q));
    x[i] = !std::isfinite(x[i]) ? 0.0 : at_x < 1e300 ? at_x / (1 + at_x) : 1.0;
  }
}

void sampled_losses(double q, std::span<double> t, std::span<double> weights) {
  if (q > 0.5 || q < 1e-200) {  // 1 - q + q e^t may need its exact terms, or t far beyond 600 not be large
    const double log_q = math::log(q);
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double loss = sampled_loss(q, t[i]);
      weights[i] = math::exp(t[i] - loss + log_q);
      t[i] = loss;
    }
    return;
  }
  const SimdKernels& kernel = default_fft_kernel();
  const std::size_t whole = t.size() / 8 * 8, left = t.size() - whole;
  for (std::size_t i = 0; i < whole; i += chunk) {
    checkpoint_each<32>(i / chunk);
    kernel.sampled_logs(q, t.data() + i, weights.data() + i, std::min(chunk, whole - i));
  }
  std::array<double, 8> rest{}, rest_weights;
  std::copy_n(t.data() + whole, left, rest.begin());
  if (left > 0) kernel.sampled_logs(q, rest.data(), rest_weights.data(), rest.size());
  std::copy_n(rest.begin(), left, t.data() + whole);
  std::copy_n(rest_weights.begin(), left, weights.data() + whole);
}

}  // namespace hockeystick
