// SPDX-License-Identifier: Apache-2.0
// The sensitivity of matrix mechanisms: how far a record moves C G, its rows of norm at most 1 in the steps that it
// joins.
//
// A record joins steps `separation` or more apart, `participations` of them at most. With X = C'C
//     sens^2 = max over such sets of steps, and unit vectors u_i, of sum_ij X_ij <u_i, u_j>
// (cpp/proofs/matrix-sensitivity.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/interval.hpp"

namespace hockeystick {

/// When a record may take part.
struct Participation {
  std::int64_t separation;      // at least 1
  std::int64_t participations;  // at most; at least 1
};

/// The matrix by rows.
struct Matrix {
  std::span<const double> entries;
  std::size_t rows, columns;

  double operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
};

/// sens^2 of any matrix, enclosed: exactly where columns that a record may join together are orthogonal, or where its
/// sets of steps can be listed and the Gram matrix is not negative.
Interval matrix_sensitivity_squared(const Matrix& matrix, const Participation& schedule);

/// sens^2 of the lower triangular Toeplitz matrix of `steps` columns, whose first column is between `lower` and
/// `upper`, then 0. `falls`: whether the column is known to be non-negative and not to grow; if false, the function
/// checks this.
Interval toeplitz_sensitivity_squared(std::span<const double> lower, std::span<const double> upper, std::int64_t steps,
                                      const Participation& schedule, bool falls);

/// The first column of a buffered linear Toeplitz matrix, 1 and sum of omega_l theta_l^(t - 1), enclosed.
struct Column {
  std::vector<double> lower, upper;
};
Column buffered_column(std::span<const double> omega, std::span<const double> theta, std::int64_t steps);

/// The square of the norm of each column.
std::vector<Interval> column_squares(const Matrix& matrix);

/// The root of an interval of squares.
Interval root(const Interval& squared);

}  // namespace hockeystick
