// SPDX-License-Identifier: Apache-2.0
#include "numeric/fft/real_fft.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>

#include "numeric/fft/roots_of_unity.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/zeros.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t largest = std::size_t{1} << 31;

struct Shape {
  unsigned odd, log2;
};

Shape shape_of(std::size_t size) {
  const unsigned log2 = static_cast<unsigned>(std::countr_zero(size));
  return {static_cast<unsigned>(size >> log2), log2};
}

// One twiddle table: radix, points and start. Offsets come first, values later.
struct TableRequest {
  std::size_t radix, points, part;  // part = number of j
  const double** slot;
  std::size_t doubles() const { return (part + 3) / 4 * 8 * (radix - 1); }
};

// Every table of a plan, in the order of storage.
std::vector<TableRequest> table_requests(FftTables& t) {
  std::vector<TableRequest> requests;
  const std::size_t odd = t.odd;
  for (unsigned b = 2; b <= t.log2; ++b) requests.push_back({2, odd << b, (odd << b) / 4, &t.real[b]});
  for (unsigned b = 0; odd > 1 && b + 2 <= t.log2; ++b) {
    requests.push_back({odd, odd << b, std::size_t{1} << b, &t.odd_radix[b]});
  }
  for (unsigned b = 1; b + 2 <= t.log2; ++b) {
    const bool radix2 = b < 4 || b == 5;
    const std::size_t points = std::size_t{1} << b;
    requests.push_back({radix2 ? 2u : 4u, points, points / (radix2 ? 2 : 4), radix2 ? &t.radix2[b] : &t.radix4[b]});
  }
  return requests;
}

// Sums of eta over a path, in units of u; see real_fft.hpp.
constexpr double product_by_root = 3.02;

double eta_power_of_two(unsigned log2) {
  if (log2 < 4) return log2 * (1 + product_by_root);
  if (log2 == 4) return 4 + product_by_root;
  if (log2 == 5) return 1 + product_by_root + eta_power_of_two(4);
  return 2 + product_by_root + eta_power_of_two(log2 - 2);
}

double eta_complex(Shape s) {
  const double first = s.odd == 3 ? 4.3 + product_by_root : s.odd == 5 ? 8.3 + product_by_root : 0;
  return first + eta_power_of_two(s.log2);
}

double error_constant_of(Shape s) {
  double worst = (s.log2 - 1) + (s.odd == 1 ? 1.0 : 2.0 * s.odd + 1);  // X_0 and the other last 2p
  for (unsigned b = 2; b <= s.log2; ++b) {
    worst = std::max(worst, (s.log2 - b) + 1 + product_by_root + eta_complex({s.odd, b - 2}));
  }
  const double sum = (worst + 2) * (1 + 0x1p-40) * unit_roundoff;
  return sum / (1 - sum) * (1 + 0x1p-40);
}

// Frequencies of a complex transform's outputs, k = first + step * (natural index), in stored order.
void list_power_of_two(std::vector<std::size_t>& to, std::size_t first, std::size_t step, unsigned log2) {
  if (log2 == 4 || log2 == 0) {
    for (std::size_t k = 0; k < (std::size_t{1} << log2); ++k) to.push_back(first + step * k);
    return;
  }
  const unsigned bits = log2 < 4 || log2 == 5 ? 1 : 2;
  for (std::size_t r = 0; r < (std::size_t{1} << bits); ++r) {
    list_power_of_two(to, first + step * r, step << bits, log2 - bits);
  }
}

void check_size(std::size_t size) {
  if (!RealFft::supports(size)) {
    throw std::invalid_argument("size must be 2^a, 3 * 2^a or 5 * 2^a, even, at most 2^31, got " +
                                std::to_string(size));
  }
}

void check_length(std::size_t got, std::size_t size) {
  if (got != size) {
    throw std::invalid_argument("sequence must have " + std::to_string(size) + " entries, got " + std::to_string(got));
  }
}

}  // namespace

bool RealFft::supports(std::size_t size) {
  if (size < 2 || size % 2 != 0 || size > largest) return false;
  const unsigned odd = shape_of(size).odd;
  return odd == 1 || odd == 3 || odd == 5;
}

std::size_t RealFft::good_size(std::size_t at_least) {
  if (at_least > largest) throw std::invalid_argument("size must be at most 2^31, got " + std::to_string(at_least));
  std::size_t best = std::bit_ceil(std::max<std::size_t>(at_least, 2));
  for (const std::size_t odd : {std::size_t{3}, std::size_t{5}}) {
    std::size_t candidate = 2 * odd;
    while (candidate < at_least) candidate *= 2;
    best = std::min(best, candidate);
  }
  return best;
}

std::size_t RealFft::bytes(std::size_t size) {
  check_size(size);
  FftTables t{};
  t.odd = shape_of(size).odd, t.log2 = shape_of(size).log2;
  std::size_t doubles = 0;
  for (const TableRequest& request : table_requests(t)) doubles += request.doubles();
  return sizeof(RealFft) + doubles * sizeof(double);
}

RealFft::RealFft(std::size_t size, const SimdKernels& chosen) : points(size), tables{}, kernel(&chosen), bound(0) {
  check_size(size);
  check_floating_point_environment();
  const Shape shape = shape_of(size);
  tables.odd = shape.odd, tables.log2 = shape.log2;
  bound = error_constant_of(shape);
  fill_tables();
  if (shape.odd > 1) runs.push_back({2, 1 + std::size_t{shape.odd}, shape.odd - 1});
  for (unsigned b = 2; b <= shape.log2; ++b) {
    const std::size_t quarter = std::size_t{shape.odd} << (b - 2);
    runs.push_back({2 * quarter, 3 * quarter, quarter});
  }
}

void RealFft::fill_tables() {
  const RootsOfUnity roots(points);
  const std::vector<TableRequest> requests = table_requests(tables);
  std::size_t doubles = 0;
  for (const TableRequest& request : requests) doubles += request.doubles();
  twiddles = zeros(doubles);
  double* next = twiddles.data();
  for (const TableRequest& request : requests) {
    *request.slot = next;
    const std::size_t stride = points / request.points;
    for (std::size_t j = 0; j < request.part; ++j) {
      checkpoint_each<8192>(j);
      for (std::size_t t = 1; t < request.radix; ++t) {
        const RootsOfUnity::Root w = roots(j * t * stride);
        double* to = next + j / 4 * (8 * (request.radix - 1)) + 8 * (t - 1) + j % 4;
        to[0] = w.re, to[4] = w.im;
      }
    }
    next += request.doubles();
  }
  const std::size_t last = 2 * std::size_t{tables.odd};
  for (std::size_t k = 0; tables.odd > 1 && k < last; ++k) {
    const RootsOfUnity::Root w = roots(k * (points / last));
    base_re.push_back(w.re), base_im.push_back(w.im);
  }
}

double RealFft::underflow() const { return 64 * static_cast<double>(points) * smallest_subnormal; }

// The last 2p reals. For p = 1, X_0 and X_1; else by definition, in the order X_0, X_p, then the real and
// then the imaginary parts of X_1 .. X_(p-1).
void RealFft::base_forward(double* x) const {
  const std::size_t odd = tables.odd, last = 2 * odd;
  std::array<double, 10> re{}, im{};
  for (std::size_t k = 0; k <= odd; ++k) {
    for (std::size_t j = 0; j < last; ++j) {
      const std::size_t at = j * k % last;
      re[k] += x[j] * (odd == 1 ? (at == 0 ? 1.0 : -1.0) : base_re[at]);
      if (odd > 1) im[k] += x[j] * base_im[at];
    }
  }
  x[0] = re[0], x[1] = re[odd];
  for (std::size_t k = 1; k < odd; ++k) x[1 + k] = re[k], x[odd + k] = im[k];
}

void RealFft::base_inverse(double* x, double scale) const {
  const std::size_t odd = tables.odd, last = 2 * odd;
  std::array<double, 10> y{};
  for (std::size_t j = 0; j < last; ++j) {
    double sum = j % 2 == 0 ? x[0] + x[1] : x[0] - x[1];
    for (std::size_t k = 1; k < odd; ++k) {  // 2 Re(X_k conj(w^(jk)))
      const std::size_t at = j * k % last;
      sum += 2 * (x[1 + k] * base_re[at]) + 2 * (x[odd + k] * base_im[at]);
    }
    y[j] = sum * scale;
  }
  std::copy_n(y.begin(), last, x);
}

void RealFft::forward(std::span<double> x) const {
  check_length(x.size(), points);
  kernel->forward(tables, x.data());
  base_forward(x.data());
}

void RealFft::inverse(std::span<double> x) const {
  check_length(x.size(), points);
  const double scale = 1 / static_cast<double>(points);
  base_inverse(x.data(), tables.log2 == 1 ? scale : 1.0);
  kernel->inverse(tables, x.data(), scale);
}

std::vector<std::size_t> RealFft::frequencies() const {
  std::vector<std::size_t> result;
  result.reserve(points / 2);
  const std::size_t odd = tables.odd;
  for (std::size_t k = 1; k < odd; ++k) result.push_back(k * (points / (2 * odd)));
  for (unsigned b = 2; b <= tables.log2; ++b) {
    const std::size_t step = points / (odd << b);  // coefficients (4l + 1) * step
    for (std::size_t r = 0; r < odd; ++r) list_power_of_two(result, step * (1 + 4 * r), 4 * odd * step, b - 2);
  }
  return result;
}

}  // namespace hockeystick
