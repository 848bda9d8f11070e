// SPDX-License-Identifier: Apache-2.0
#include "numeric/fft/convolution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/zeros.hpp"

namespace hockeystick {

namespace {

constexpr double outward = 1 + 0x1p-48;  // covers fewer than 16 roundings of nonnegative terms
constexpr double product_error = 2.25 * unit_roundoff;
constexpr std::size_t chunk = 512;  // coefficients whose errors are stored at a time

// Upper bound of sum |x_j|; NaN or inf if some x_j is.
double norm_above(const RealFft& fft, std::span<const double> x) {
  const double sum = fft.scans().absolute_sum(x.data(), x.size());
  return sum * (1 + gamma(static_cast<double>(x.size()) / 4 + 16)) * outward;
}

// Upper bound of base^power, base >= 0: every product is rounded up, and no factor is negative.
double power_above(double base, std::int64_t power) {
  double result = 1, square = base;
  for (std::int64_t rest = power; rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = up(result * square);
    if (rest > 1) square = up(square * square);
  }
  return std::isnan(result) ? infinity : result;
}

}  // namespace

PowerRule power_rule(std::int64_t power, double norm, double input_error) {
  const auto p = static_cast<double>(power);
  const double cut =
      std::max({norm * math::pow(2, -110 / p), 64 * (p + 1) * input_error, math::pow(2, -800 / p)});  // c
  const double room = (cut - input_error) * (1 - 0x1p-48);
  const double s = product_error * p, rho = s + s * s;
  PowerRule rule{};
  rule.power = static_cast<std::uint64_t>(power);
  rule.leading_bit = static_cast<unsigned>(std::bit_width(rule.power)) - 1;
  rule.cut_square = room * room;
  rule.cut_bound = power_above(std::min(cut, norm), power);          // proof: fft-rounding
  rule.input_error = 1.008 * p * input_error / (1 - rho) * outward;  // proof: fft-rounding
  rule.rounding = rho / (1 - rho) * outward;                         // proof: fft-rounding
  return rule;
}

namespace {

void check_power(std::int64_t power) {
  if (power < 1 || power > (std::int64_t{1} << 62)) {
    throw std::invalid_argument("power must be in [1, 2^62], got " + std::to_string(power));
  }
}

void check_length(std::string_view name, std::size_t got, std::size_t size) {
  if (got != size) {
    throw std::invalid_argument(std::string(name) + " must have " + std::to_string(size) + " entries, got " +
                                std::to_string(got));
  }
}

/// A factor of the product: transforms a sequence, raises it to a power, and bounds the errors.
class Factor {
 public:
  /// Replaces x by its transform.
  Factor(const RealFft& plan, std::span<double> x, std::int64_t power) : fft(&plan) {
    const double norm = norm_above(plan, x);
    finite = norm <= 0x1p+1000 && power_above(norm, power) <= 0x1p+1000;
    if (!finite) return;
    plan.forward(x);
    input_error = (plan.error_constant() * norm + plan.underflow()) * outward;
    if (power > 1) rule = power_rule(power, norm, input_error);
  }

  bool is_finite() const { return finite; }

  /// Raises transformed coefficients in place and bounds their errors; adds the sum of these bounds to sums[0] and
  /// of the moduli to sums[1]. `error` may be null if the power is above 1.
  void raise(double* re, double* im, double* error, std::size_t count, double* sums) const {
    if (rule) {
      fft->scans().raise(*rule, re, im, error, count, sums);
    } else {
      std::fill_n(error, count, input_error);
      fft->scans().total(re, im, error, count, sums);
    }
  }

 private:
  const RealFft* fft;
  bool finite = false;
  double input_error = 0;
  std::optional<PowerRule> rule;  // none: the power is 1
};

// Sums over all N frequencies of the error bounds and of the moduli of the inverse transform's input.
struct Totals {
  double errors = 0, moduli = 0;

  // proof: fft-rounding
  void add(const double* sums, double weight) { errors += weight * sums[0], moduli += weight * sums[1]; }

  // Replaces x by its inverse transform; returns the error bound. Any term has met at most N + 64 roundings.
  double invert(const RealFft& fft, std::span<double> x) const {
    if (!(errors <= 0x1p+1000 && moduli <= 0x1p+1000)) {  // also NaN
      std::fill(x.begin(), x.end(), 0.0);
      return infinity;
    }
    fft.inverse(x);
    const double size = static_cast<double>(fft.size());
    // proof: fft-rounding
    const double mean = (errors + fft.error_constant() * moduli) / size * (1 + gamma(size + 64));
    return (mean + fft.underflow()) * outward;
  }
};

}  // namespace

CyclicProduct::CyclicProduct(const RealFft& plan)
    : fft(&plan), spectrum(zeros(plan.size())), error(zeros(plan.size() / 2 + 1)) {}

std::size_t CyclicProduct::bytes(std::size_t size) {
  return sizeof(CyclicProduct) + (size + size / 2 + 1) * sizeof(double);
}

void CyclicProduct::multiply(std::span<double> sequence, std::int64_t power) {
  check_power(power);
  check_length("sequence", sequence.size(), fft->size());
  const Factor factor(*fft, sequence, power);
  if (!factor.is_finite()) {
    overflowed = true;
    return;
  }
  std::array<double, chunk> by_error;
  const auto fold = [&](double* re, double* im, double* bound, double* by_re, double* by_im, std::size_t count) {
    double unused[2] = {};
    factor.raise(by_re, by_im, empty ? bound : by_error.data(), count, unused);
    if (empty) {
      std::copy_n(by_re, count, re), std::copy_n(by_im, count, im);
    } else {
      fft->scans().fold(re, im, bound, by_re, by_im, by_error.data(), count);
    }
  };
  double none[2] = {}, by_none[2] = {};
  fold(spectrum.data(), none, error.data(), sequence.data(), by_none, 2);
  double* bound = error.data() + 2;
  for (const RealFft::Block& run : fft->blocks()) {
    for (std::size_t i = 0; i < run.count; i += chunk) {
      const std::size_t count = std::min(chunk, run.count - i), re = run.re + i, im = run.im + i;
      checkpoint_each<32>(i / chunk);
      fold(&spectrum[re], &spectrum[im], bound, &sequence[re], &sequence[im], count);
      bound += count;
    }
  }
  empty = false;
}

double CyclicProduct::finish(std::span<double> result) const {
  check_length("result", result.size(), fft->size());
  if (empty || overflowed) {
    std::fill(result.begin(), result.end(), 0.0);
    result[0] = overflowed ? 0 : 1;
    return overflowed ? infinity : 0;
  }
  std::copy(spectrum.begin(), spectrum.end(), result.begin());
  const double none[2] = {};
  double ends[2] = {}, sums[2] = {};
  fft->scans().total(spectrum.data(), none, error.data(), 2, ends);
  const double* bound = error.data() + 2;
  for (const RealFft::Block& run : fft->blocks()) {
    fft->scans().total(&spectrum[run.re], &spectrum[run.im], bound, run.count, sums);
    bound += run.count;
  }
  Totals all;
  all.add(ends, 1), all.add(sums, 2);
  return all.invert(*fft, result);
}

double cyclic_power(const RealFft& fft, std::span<double> x, std::int64_t power) {
  check_power(power);
  check_length("sequence", x.size(), fft.size());
  const Factor factor(fft, x, power);
  if (!factor.is_finite()) {
    std::fill(x.begin(), x.end(), 0.0);
    return infinity;
  }
  std::array<double, chunk> errors;
  double* error = power > 1 ? nullptr : errors.data();
  double none[2] = {}, ends[2] = {}, sums[2] = {};
  factor.raise(x.data(), none, error, 2, ends);
  for (const RealFft::Block& run : fft.blocks()) {
    for (std::size_t i = 0; i < run.count; i += chunk) {
      checkpoint_each<32>(i / chunk);
      factor.raise(&x[run.re + i], &x[run.im + i], error, std::min(chunk, run.count - i), sums);
    }
  }
  Totals all;
  all.add(ends, 1), all.add(sums, 2);
  return all.invert(fft, x);
}

}  // namespace hockeystick
