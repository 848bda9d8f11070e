// SPDX-License-Identifier: Apache-2.0
#include "numeric/convolve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "numeric/rounding.hpp"

namespace hockeystick {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double outward = 1 + 0x1p-48;  // covers fewer than 16 roundings of nonnegative terms
constexpr double product_error = 2.25 * unit_roundoff;

/// A complex number within `error` of the exact one.
struct Enclosed {
  double re, im, error;
};

double modulus(double re, double im) { return std::sqrt(re * re + im * im); }
double modulus_above(double re, double im) { return modulus(re, im) * outward + 0x1p-500; }

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

// z^power, power >= 1, from the leading bit down: at most power - 1 multiplications count.
Enclosed repeated_squaring(double re, double im, std::int64_t power) {
  int bit = 62;
  while ((power >> bit) == 0) --bit;
  double x = re, y = im;
  for (--bit; bit >= 0; --bit) {
    const double square = x * x - y * y, twice = x * y;
    x = square, y = twice + twice;
    if ((power >> bit) % 2 == 1) {
      const double turned = x * re - y * im;
      y = x * im + y * re, x = turned;
    }
  }
  return {x, y, 0};
}

/// The p-th power of coefficients known to within e0.
struct Power {
  std::int64_t power;
  double input_error;       // e0
  double cut_square;        // at or below this |z|^2 the power is negligible; -1: never
  double negligible_bound;  // and this bounds it

  Power(std::int64_t p, double norm, double e0) : power(p), input_error(e0), cut_square(-1), negligible_bound(0) {
    const double cut = norm * std::exp2(-110 / static_cast<double>(p));  // any number would do
    const double room = (cut - e0) * (1 - 0x1p-40);
    if (room > 0x1p-400) {  // so that computed |z|^2 <= cut_square implies |z| + e0 <= cut
      cut_square = room * room;
      negligible_bound = power_above(cut, p);
    }
  }

  bool negligible(double re, double im) const { return re * re + im * im <= cut_square; }

  Enclosed operator()(double re, double im) const {
    if (power == 1) return {re, im, input_error};
    if (negligible(re, im)) return {0, 0, negligible_bound};
    const double r = modulus(re, im), p = static_cast<double>(power);
    const double t = p * input_error / (r * (1 - 0x1p-48)) * outward;
    if (t <= 0.25) {
      const Enclosed z = repeated_squaring(re, im, power);
      if (!std::isfinite(z.re) || !std::isfinite(z.im)) return {0, 0, infinity};
      if (std::max(std::fabs(z.re), std::fabs(z.im)) >= 0x1p-900) {
        const double s = product_error * p, rho = s + s * s;
        const double bound = modulus_above(z.re, z.im) / (1 - rho) * (t + t * t + rho);
        return {z.re, z.im, bound * outward};
      }
    }
    return {0, 0, power_above((modulus_above(re, im) + input_error) * outward, power)};
  }
};

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

// x <- its transform; the rule that raises it to `power`, or none if the norm is not finite.
std::optional<Power> transform(const RealFft& fft, std::span<double> x, std::int64_t power) {
  const double norm = norm_above(fft, x);
  if (!(norm <= 0x1p+1000)) return std::nullopt;
  fft.forward(x);
  return Power(power, norm, (fft.error_constant() * norm + fft.underflow()) * outward);
}

// Calls one(i) for the coefficients of a run and many(first, last) for stretches of negligible ones. Most
// coefficients of a high power are negligible, so these are recognised eight at a time.
template <class One, class Many>
void for_each_in(const RealFft& fft, const RealFft::Block& run, std::span<const double> x, const Power& rule, One one,
                 Many many) {
  const double *re = &x[run.re], *im = &x[run.im];
  for (std::size_t i = 0; i < run.count;) {
    const std::size_t next = rule.power == 1 ? i : fft.scans().first_above(re, im, i, run.count, rule.cut_square);
    if (next > i) many(i, next);
    for (i = next; i < std::min(next + 8, run.count); ++i) one(i);
  }
}

// Sums over all N frequencies of the error bounds and of the moduli of what goes into the inverse.
struct Totals {
  double errors = 0, moduli = 0;

  void add(const Totals& run, double weight) { errors += weight * run.errors, moduli += weight * run.moduli; }
  void add(double re, double im, double bound) {
    errors += bound;
    if (re != 0 || im != 0) moduli += modulus_above(re, im);
  }

  // x <- its inverse transform; the bound. At most N + 64 roundings were met by any term.
  double invert(const RealFft& fft, std::span<double> x) const {
    if (!(errors <= 0x1p+1000 && moduli <= 0x1p+1000)) {  // also NaN
      std::fill(x.begin(), x.end(), 0.0);
      return infinity;
    }
    fft.inverse(x);
    const double size = static_cast<double>(fft.size());
    const double mean = (errors + fft.error_constant() * moduli) / size * (1 + gamma(size + 64));
    return (mean + fft.underflow()) * outward;
  }
};

}  // namespace

CyclicProduct::CyclicProduct(const RealFft& plan)
    : fft(&plan), spectrum(plan.size(), 0.0), error(plan.size() / 2 + 1, 0.0) {}

std::size_t CyclicProduct::bytes(std::size_t size) {
  return sizeof(CyclicProduct) + (size + size / 2 + 1) * sizeof(double);
}

void CyclicProduct::multiply(std::span<double> sequence, std::int64_t power) {
  check_power(power);
  check_length("sequence", sequence.size(), fft->size());
  const std::optional<Power> rule = transform(*fft, sequence, power);
  if (!rule) {
    overflowed = true;
    return;
  }
  const auto fold = [first = empty](double& re, double& im, double& bound, const Enclosed& z) {
    if (first) {
      re = z.re, im = z.im, bound = z.error;
    } else {
      const double y_above = modulus_above(re, im), z_above = modulus_above(z.re, z.im);
      bound = (z_above * bound + (y_above + bound) * z.error + product_error * y_above * z_above + 0x1p-1072) * outward;
      const double turned = re * z.re - im * z.im;
      im = re * z.im + im * z.re, re = turned;
    }
  };
  for (std::size_t i = 0; i < 2; ++i) {
    double none = 0;
    fold(spectrum[i], none, error[i], (*rule)(sequence[i], 0));
  }
  double* bound = error.data() + 2;
  for (const RealFft::Block& run : fft->blocks()) {
    const double *x = &sequence[run.re], *y = &sequence[run.im];
    double *re = &spectrum[run.re], *im = &spectrum[run.im];
    const auto one = [&](std::size_t i) { fold(re[i], im[i], bound[i], (*rule)(x[i], y[i])); };
    const auto many = [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) {
        const double before = empty ? 1 : std::fabs(re[i]) + std::fabs(im[i]) + bound[i];
        re[i] = 0, im[i] = 0, bound[i] = before * rule->negligible_bound * outward + smallest_subnormal;
      }
    };
    for_each_in(*fft, run, sequence, *rule, one, many);
    bound += run.count;
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
  Totals all;
  all.add(spectrum[0], 0, error[0]), all.add(spectrum[1], 0, error[1]);
  const double* bound = error.data() + 2;
  for (const RealFft::Block& run : fft->blocks()) {
    Totals part;
    for (std::size_t i = 0; i < run.count; ++i) part.add(spectrum[run.re + i], spectrum[run.im + i], *bound++);
    all.add(part, 2);
  }
  return all.invert(*fft, result);
}

double cyclic_power(const RealFft& fft, std::span<double> x, std::int64_t power) {
  check_power(power);
  check_length("sequence", x.size(), fft.size());
  const std::optional<Power> rule = transform(fft, x, power);
  if (!rule) {
    std::fill(x.begin(), x.end(), 0.0);
    return infinity;
  }
  Totals all;
  for (std::size_t i = 0; i < 2; ++i) {
    const Enclosed z = (*rule)(x[i], 0);
    x[i] = z.re;
    all.add(z.re, 0, z.error);
  }
  for (const RealFft::Block& run : fft.blocks()) {
    Totals part;
    double *re = &x[run.re], *im = &x[run.im];
    const auto one = [&](std::size_t i) {
      const Enclosed z = (*rule)(re[i], im[i]);
      re[i] = z.re, im[i] = z.im;
      part.add(z.re, z.im, z.error);
    };
    const auto many = [&](std::size_t first, std::size_t last) {
      std::fill(re + first, re + last, 0.0), std::fill(im + first, im + last, 0.0);
      part.errors += static_cast<double>(last - first) * rule->negligible_bound;
    };
    for_each_in(fft, run, x, *rule, one, many);
    all.add(part, 2);
  }
  return all.invert(fft, x);
}

}  // namespace hockeystick
