// SPDX-License-Identifier: Apache-2.0
// The hockey-stick curve of a Gaussian mechanism that a record joins in 1 of t steps, drawn at random.
//
// In units of the noise, Q = N(0, I_t) and P = mean over i of N(mu e_i, I_t). With Y_i = e^(mu x_i - mu^2 / 2) and
// S = Y_1 + ... + Y_t, dP/dQ = S / t and E_Q S = t, so that with put(K) = E_Q (K - S)_+
//     h(alpha) = E_Q (S / t - alpha)_+ = put(alpha t) / t + 1 - alpha.
//
// The pair dominates the steps of every adaptive run in which each record draws its own step: let T_v take (N(mu, 1),
// N(0, 1)) to the outputs of the next step with and without the record, given the outputs v so far (Blackwell). Draw I
// uniformly, z_I from N(mu, 1) and the other z_i from N(0, 1); z fed through T one by one has the law of the run with
// the record, and z from N(0, I_t) that without it.
#pragma once

#include <memory>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/registry.hpp"

namespace hockeystick {

inline constexpr Parameter allocated_steps{"steps", {2, 1e12, Range::Ends::closed, true}};
inline constexpr Parameter allocated_epochs{"epochs", {1, 1e9, Range::Ends::closed, true}};

struct Allocation {
  double mu;  // 1 / noise multiplier
  double steps;
};

/// In the same place in each of `epochs` the record shifts a mean by sqrt(epochs) / noise multiplier; mu is that within
/// 4 u. Throws std::invalid_argument out of the ranges of steps, epochs and mu.
Allocation checked_allocation(double noise_multiplier, double steps, double epochs);

/// As law_below takes it.
constexpr std::size_t allocation_stride = 4;

/// h at e^x for x in steps of interval / allocation_stride, in longer ones where the upper tail is long, out to where
/// all but `tail` of either mass is inside. The curve of every mu within 4 u of the allocation's is enclosed.
EnclosedCurve allocation_curve(const Allocation& allocation, double interval, double tail);

/// The interval of `cells` in a deviation of the loss.
double allocation_interval(const Allocation& allocation, double cells);

/// The same with `cells` in a deviation of the loss. The curve that was asked for last is kept.
std::shared_ptr<const EnclosedCurve> kept_allocation_curve(const Allocation& allocation, double cells, double tail);

/// Whether the series tells the curve, to an absolute error, with less work than convolutions.
bool has_series(const Allocation& allocation);

}  // namespace hockeystick
