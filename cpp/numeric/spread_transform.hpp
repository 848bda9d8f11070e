// SPDX-License-Identifier: Apache-2.0
// Characteristic functions of many point masses at many equally spaced frequencies: a nonuniform Fourier transform with
// a proved error. cpp/proofs/spread-masses.md has the proof.
#pragma once

#include <cstddef>
#include <vector>

#include "numeric/point_mass_transform.hpp"
#include "numeric/runtime/switches.hpp"

namespace hockeystick {

/// Costs of turning one mass to one frequency, of spreading a mass, and of a frequency then [ns]. Measured.
inline const double turned_mass = tuned("turned_mass", 0.7), spread_mass = tuned("spread_mass", 60),
                    spread_frequency = tuned("spread_frequency", 100);

inline double spread_cost(std::size_t masses, std::size_t frequencies) {
  return spread_mass * static_cast<double>(masses) + spread_frequency * static_cast<double>(frequencies);
}
inline bool spread_costs_less(std::size_t masses, std::size_t frequencies) {
  return turned_mass * static_cast<double>(masses) * static_cast<double>(frequencies) >
         1.3 * spread_cost(masses, frequencies);
}
/// Number of the first frequencies that are computed by turning, as spreading has larger errors there: as many as take
/// a quarter of the time.
inline std::size_t turned_first(std::size_t masses, std::size_t frequencies) {
  return static_cast<std::size_t>(0.25 * spread_cost(masses, frequencies) /
                                  (turned_mass * static_cast<double>(masses)));
}

/// The samples 0 <= k < count of point masses, as PointMassTransform has them one after the other, for masses whose
/// sum is at least 1e-10, so that 1e-280 of it covers what underflows. Masses next to 0, for all of these frequencies,
/// by their powers; the others, of which errors are relative to their mass, by splines on a grid and a Fourier
/// transform.
std::vector<PointMassSample> spread_transform(const PointMassTransform& points, std::size_t count);

}  // namespace hockeystick
