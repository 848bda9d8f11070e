// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/covariance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/gaussian/matrix_sensitivity.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double most_residual = 0.5;  // of the whitened covariance; beyond it, binary64 does not tell it from singular

constexpr int rounds = 100;                         // of the power method, a guess
constexpr std::array spare{1e-6, 1e-3, 1e-2, 0.1};  // shares of that guess, tried in turn

using Rows = std::vector<double>;

// A guess of the inverse of the Cholesky factor, by rows; empty if there is none.
Rows whitening(std::span<const double> covariance, std::size_t n) {
  Rows factor(covariance.begin(), covariance.end()), inverse(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    checkpoint_each<8>(i);
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = factor[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i * n + k] * factor[j * n + k];
      if (j < i) factor[i * n + j] = sum / factor[j * n + j];
      if (j == i && !(sum > 0)) return {};
      if (j == i) factor[i * n + i] = std::sqrt(sum);
    }
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? 1 : 0;
      for (std::size_t k = j; k < i; ++k) sum -= factor[i * n + k] * inverse[k * n + j];
      inverse[i * n + j] = sum / factor[i * n + i];
    }
  }
  return inverse;
}

// Upper bound of the largest sum of a row of |W S W' - 1|, W lower triangular.
double residual(const Rows& white, std::span<const double> covariance, std::size_t n) {
  const double g = gamma(static_cast<double>(2 * n + 4));
  double most = 0;
  Rows row(n), size(n);
  for (std::size_t i = 0; i < n; ++i) {
    checkpoint_each<8>(i);
    std::fill(row.begin(), row.end(), 0.0), std::fill(size.begin(), size.end(), 0.0);
    for (std::size_t k = 0; k <= i; ++k)
      for (std::size_t j = 0; j < n; ++j) {
        row[j] += white[i * n + k] * covariance[k * n + j];
        size[j] += std::fabs(white[i * n + k] * covariance[k * n + j]);
      }
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      double entry = 0, absolute = i == j ? 1 : 0;
      for (std::size_t k = 0; k <= j; ++k) {
        entry += row[k] * white[j * n + k];
        absolute += size[k] * std::fabs(white[j * n + k]);
      }
      sum += std::fabs(entry - (i == j ? 1 : 0)) + 2 * g * absolute + 0x1p-900;  // proof: covariance
    }
    if (!(sum * (1 + 2 * g) < most_residual)) return infinity;
    most = std::max(most, sum * (1 + 2 * g));
  }
  return most;
}

// A guess of the largest e, on a diagonal in proportion to those of the inverse of S = (W' W)^-1, that S - e is
// positive definite with.
Rows largest_diagonal(const Rows& white, std::size_t n) {
  Rows square(n, 0.0), vector(n, 1.0), image(n), back(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) square[j] += white[i * n + j] * white[i * n + j];
  double factor = 1;
  for (int round = 0; round < rounds; ++round) {
    std::fill(image.begin(), image.end(), 0.0), std::fill(back.begin(), back.end(), 0.0);
    double length = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) image[i] += white[i * n + j] * vector[j] / std::sqrt(square[j]);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) back[j] += white[i * n + j] * image[i] / std::sqrt(square[j]);
    for (const double x : back) length += x * x;
    factor = std::sqrt(length);
    for (std::size_t j = 0; j < n; ++j) vector[j] = back[j] / factor;
  }
  Rows most(n);
  for (std::size_t j = 0; j < n; ++j) most[j] = 1 / (factor * square[j]);
  return most;
}

// Upper bound of u' S^-1 u over |u_l| <= 1: the sum of 1 / e_l, where S - e is positive definite.
double by_diagonal(const Rows& white, std::span<const double> covariance, std::size_t n) {
  const Rows most = largest_diagonal(white, n);
  for (const double less : spare) {
    Rows rest(covariance.begin(), covariance.end());
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double e = (1 - less) * most[j];
      rest[j * n + j] = down(rest[j * n + j] - e);  // proof: covariance
      sum = up(sum + up(1 / e));                    // proof: covariance
    }
    const Rows root_of_rest = whitening(rest, n);
    if (!root_of_rest.empty() && residual(root_of_rest, rest, n) < most_residual) return sum;
  }
  return infinity;
}

}  // namespace

Interval noise_of_covariance(std::span<const double> covariance, std::size_t parts) {
  for (std::size_t i = 0; i < parts; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (covariance[i * parts + j] != covariance[j * parts + i])
        throw std::invalid_argument("covariance must be symmetric, got another number in row " + std::to_string(i) +
                                    ", column " + std::to_string(j) + " than in row " + std::to_string(j) +
                                    ", column " + std::to_string(i));
  const Rows white = whitening(covariance, parts);
  const double off = white.empty() ? infinity : residual(white, covariance, parts);
  if (!(off < most_residual))
    throw std::invalid_argument("covariance must be positive definite, and not nearly singular");
  const Interval squared = matrix_sensitivity_squared({white, parts, parts}, {1, static_cast<std::int64_t>(parts)});
  Interval moved{down(squared.lower / up(1 + off)), up(squared.upper / down(1 - off))};  // proof: covariance
  if (moved.lower < (1 - spare.front()) * moved.upper)
    moved.upper = std::min(moved.upper, by_diagonal(white, covariance, parts));
  const Interval most = root(moved);
  return {down(1 / most.upper), up(1 / most.lower)};  // proof: covariance
}

}  // namespace hockeystick
