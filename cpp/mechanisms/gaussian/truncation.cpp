// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/truncation.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/runtime/checkpoint.hpp"
#include "numeric/twofold.hpp"

namespace hockeystick {
namespace {

// The mass of the mode, so that no term that counts is subnormal, and of the smallest term: 1e-330 of it. The up to 2e9
// terms left out, each smaller than the one before, sum to less than 1e-320. A sum ends at a term that is a smaller
// part of it: what is left out is below 2^-75 of the sum.
constexpr double largest = 0x1p600, smallest = 1e-150, least_part = 0x1p-106;

Twofold quotient(Twofold a, Twofold b) {
  const double q = a.hi / b.hi;
  return normalize(q, (exact_remainder(a.hi, q, b.hi) + a.lo - q * b.lo) / b.hi);
}

struct Sums {
  double batch;
  Twofold room{0, 0}, none{0, 0}, joins{0, 0};

  void take(double k, Twofold mass) {
    if (k < batch) {
      room = add(room, mass);
    } else {
      none = add(none, mass);
      joins = add(joins, divide(mass, k + 1));
    }
  }

  // Whether all terms from k on, in one direction, belong to one case and are too small to count.
  bool ends_above(double k, double mass) const {
    return k >= batch && mass < least_part * none.hi && mass / (k + 1) < least_part * joins.hi;
  }
  bool ends_below(double k, double mass) const { return k < batch && mass < least_part * room.hi; }
};

}  // namespace

// P(k + 1) / P(k) = (q / (1 - q)) (n - 1 - k) / (k + 1), outwards from the mode. A step has four operations of relative
// error below 2^-98 and a number joins two sums of at most 3e6 terms, so that all is within 2^-73 before it is rounded.
// Odds below 2^-900 lose digits to subnormal numbers, 1e-23 of them where P(K >= B) is above 1e-300.
Truncation truncation(double dataset_size, double q, double batch) {
  if (q == 1) return {0, 1, std::min(1.0, batch / dataset_size)};
  const double trials = dataset_size - 1, mode = std::min(trials, std::floor(dataset_size * q));
  const Twofold sampled{q, 0}, other = one_minus(sampled), odds = quotient(sampled, other);
  Sums sums{batch};
  Twofold mass{largest, 0};
  std::size_t terms = 0;
  sums.take(mode, mass);
  for (double k = mode; k < trials && mass.hi > smallest && !sums.ends_above(k, mass.hi); ++k) {
    checkpoint_each<4096>(terms++);
    mass = multiply(mass, divide(multiply(odds, {trials - k, 0}), k + 1));
    sums.take(k + 1, mass);
  }
  mass = {largest, 0};
  for (double k = mode; k > 0 && mass.hi > smallest && !sums.ends_below(k, mass.hi); --k) {
    checkpoint_each<4096>(terms++);
    mass = multiply(mass, quotient({k, 0}, multiply(odds, {trials - k + 1, 0})));
    sums.take(k - 1, mass);
  }
  const Twofold total = add(sums.room, sums.none);
  double rate = 0;
  if (sums.none.hi > 0) {
    const Twofold part = multiply({q, 0}, multiply({batch, 0}, quotient(sums.joins, sums.none)));
    rate = std::min(1.0, part.hi);
  }
  return {quotient(sums.room, total).hi, quotient(sums.none, total).hi, rate};
}

}  // namespace hockeystick
