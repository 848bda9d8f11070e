// SPDX-License-Identifier: Apache-2.0
// Forecast costs of each method, in nanoseconds and in bytes, by which the engine chooses. plan/tuning.hpp has the
// times.
//
// benchmarks/costs.py compares each forecast with the clock for random questions, and benchmarks/README.md has its
// table: the medians of time over forecast of transforms and contours are within a quarter of each other. Only ratios
// of times matter, and no bound depends on them.
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/spread_transform.hpp"
#include "plan/tuning.hpp"

namespace hockeystick::cost {

using tuning::term;

// Bytes, counted in the code. A point of a support while it is discretized and tilted from both sides; a point of a
// composition of which only the length is known; a line and one of its nodes, for two directions at once; a sample of
// the sum, the product and one line; a sum of an enumeration with its path and tail; an edge for moments, with its cell
// and the pair's own memory.
constexpr double point_bytes = 240, circle_point_bytes = 64;
constexpr double line_bytes = 2048, node_bytes = 320, contour_sample_bytes = 500;
constexpr double sum_bytes = 80, moment_edge_bytes = 160;

// Limits of the number of nodes: of one line, and of all lines of a run.
constexpr double fewest_line_nodes = 30, most_line_nodes = 4096, most_nodes_of_all = 32768;

/// A term of a transform with this many atoms; 0 for one with a density.
inline double term_of(double atoms) {
  return atoms > 0 ? std::min(tuning::term, tuning::line + tuning::atom * atoms) : tuning::term;
}

/// A transform for each term and side, and one back. `before`: cost of the terms before that. Transforms that exceed
/// the processor's cache take 1.5 to 2.5 times as long.
inline double transform(double terms, double points, double size, double before) {
  const double beyond_cache = 1 + std::min(1.5, size * 0x1p-19);
  return before + tuning::point * points + tuning::butterfly * 2 * (terms + 1) * beyond_cache * size * math::log2(size);
}
inline double transform(double terms, double points, double size) {
  return transform(terms, points, size, tuning::term * terms);
}

/// Lines with this many nodes in all, each node turned to each sample, or spread on a grid.
inline double line_samples(double terms, double samples, double nodes) {
  return std::min(turned_mass * nodes * samples, spread_mass * nodes + spread_frequency * terms * samples);
}
inline double contour(double terms, double samples, double nodes) {
  return tuning::line * (1 + terms) + tuning::node * nodes + tuning::sample * terms * samples +
         line_samples(terms, samples, nodes);
}
/// The number of nodes that each line may have within this many bytes.
inline double line_nodes(double bytes, double terms) {
  return std::min(std::max(most_line_nodes, std::floor(most_nodes_of_all / terms)),
                  std::floor((bytes / terms - line_bytes) / node_bytes));
}
/// The number of samples that cost this much.
inline double contour_samples(double nanoseconds, double terms, double nodes) {
  const double left = nanoseconds - contour(terms, 0, nodes);
  return std::max(left / (tuning::sample * terms + turned_mass * nodes),
                  (left - spread_mass * nodes) / ((tuning::sample + spread_frequency) * terms));
}

/// A smoothed contour of lines with this many points in all.
inline double smoothed_contour(double terms, double samples, double points) {
  return contour(terms, samples, 0) + tuning::sample * samples + line_samples(terms, samples, points);
}

/// Bounds by the number of large losses: `fineness` is that of the cells of small losses, at least 2.
inline double large_losses(double terms, double fineness, double knots) {
  return terms * (tuning::large_loss * fineness / 2 + tuning::knot * knots);
}

}  // namespace hockeystick::cost
