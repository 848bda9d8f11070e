// SPDX-License-Identifier: Apache-2.0
// Characteristic functions of many point masses at many equally spaced frequencies: a nonuniform Fourier transform with
// a proved error. cpp/proofs/spread-masses.md has the proof.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numeric/point_mass_transform.hpp"

namespace hockeystick {

/// Of turning one mass to one frequency; of spreading a mass, and of a frequency then [ns]: measured.
inline constexpr double turned_mass = 0.7, spread_mass = 60, spread_frequency = 100;

inline bool spread_costs_less(std::size_t masses, std::size_t frequencies) {
  const auto m = static_cast<double>(masses), n = static_cast<double>(frequencies);
  return turned_mass * m * n > 1.3 * (spread_mass * m + spread_frequency * n);
}

/// sum m_i (e^(i k spacing x_i) - 1) / sum m_i at k = 1, .. count - 1, as PointMassTransform has it. Masses next to 0,
/// for all of these frequencies, by their powers; the others, of which errors are relative to their mass, by splines on
/// a grid and a Fourier transform.
std::vector<PointMassSample> spread_transform(std::span<const PointMass> points, double spacing, std::size_t count);

}  // namespace hockeystick
