// SPDX-License-Identifier: Apache-2.0
// The elementary functions of the core, by additions, multiplications, divisions and square roots of doubles alone: the
// bounds are proved, and every platform returns the same bits. No file of the core calls those of the C library
// (tests/test_layering.py); functions that IEEE 754 or the C standard define to be exact are std::'s (cpp/README.md).
//
// Errors are relative, in units of u = 2^-53, *proved* above each function. A subnormal result is
// off by at most 1.1 times the smallest subnormal. NaN gives NaN; infinities, zeros and arguments
// outside a domain give what IEEE 754 recommends.
#pragma once

namespace hockeystick::math {

double exp(double x);    // 1.2
double expm1(double x);  // 2.3
double log(double x);    // 1.6
double log1p(double x);  // 1.9
double log2(double x);   // 4, exact for powers of two
double sinh(double x);   // 5
double cosh(double x);   // 4
double asinh(double x);  // 7
double acosh(double x);  // 8
double sin(double x);    // 2, for every x
double cos(double x);    // 2, likewise
/// cos x and sin x as they are alone, in less time.
struct Turn {
  double cosine, sine;
};
Turn turn(double x);

/// sqrt(x^2 + y^2), without undue over- or underflow: 2.1.
double hypot(double x, double y);

/// The angle of the point (x, y), in [-pi, pi]: 3.5.
double atan2(double y, double x);

/// x^y for x > 0, by exp(y log x): relative error at most (2 |y log x| + 2) u. For planning.
double pow(double x, double y);

}  // namespace hockeystick::math
