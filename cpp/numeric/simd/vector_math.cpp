// SPDX-License-Identifier: Apache-2.0
#include "numeric/simd/vector_math.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "numeric/elementary.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t chunk = 64;  // a multiple of 8

using Scalar = double (*)(double);

// Applies `vector` to chunks that lie in [low, high], and `scalar` to others.
template <class Vector>
void apply(std::span<double> x, double low, double high, Vector vector, Scalar scalar) {
  const auto within = default_fft_kernel().lie_within;
  for (std::size_t at = 0; at < x.size(); at += chunk) {
    const std::span<double> part = x.subspan(at, std::min(chunk, x.size() - at));
    const std::size_t whole = part.size() / 8 * 8, left = part.size() - whole;
    std::array<double, 8> rest;
    if (left > 0) {
      rest.fill(part.back());
      std::copy_n(part.data() + whole, left, rest.begin());
    }
    if (!within(part.data(), whole, low, high) || !(left == 0 || within(rest.data(), 8, low, high))) {
      std::transform(part.begin(), part.end(), part.begin(), scalar);
      continue;
    }
    vector(part.data(), whole);
    if (left == 0) continue;
    vector(rest.data(), rest.size());
    std::copy_n(rest.begin(), left, part.data() + whole);
  }
}

}  // namespace

void exponentials(std::span<double> x) {
  apply(x, -708, 709, default_fft_kernel().exponentials, [](double v) { return math::exp(v); });
}

void exponentials_less_1(std::span<double> x) {
  apply(x, -708, 709, default_fft_kernel().exponentials_less_1, [](double v) { return math::expm1(v); });
}

void logarithms(std::span<double> x) {
  apply(x, std::numeric_limits<double>::min(), std::numeric_limits<double>::max(), default_fft_kernel().logarithms,
        [](double v) { return math::log(v); });
}

void logarithms_of_1_plus(std::span<double> y) {
  apply(y, -1 + 0x1p-53, std::numeric_limits<double>::max(), default_fft_kernel().logarithms_of_1_plus,
        [](double v) { return math::log1p(v); });
}

}  // namespace hockeystick
