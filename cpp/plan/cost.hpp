// SPDX-License-Identifier: Apache-2.0
// What each method costs, in nanoseconds and in bytes: the forecasts by which the engine chooses.
//
// Times are of one core of the machine on which benchmarks/costs.py was last run. That script holds each forecast
// against the clock for random questions, and benchmarks/README.md has its table: the medians of time over forecast of
// transforms and contours are within a quarter of each other. Only ratios of times decide anything, and no bound rests
// on them.
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/spread_transform.hpp"

namespace hockeystick::cost {

// Transform: a term, which is its nodes, its place on the grid and its support [ns]; a point of the support, cut,
// discretized and tilted from both sides [ns]; a point of one transform each time its length doubles [ns]. Fitted.
constexpr double term = 120e3, point = 150, butterfly = 0.3;
// A point of a support on its way from edges over cells to two tilted distributions; a point of a composition that is
// planned by its length alone. Counted in the code.
constexpr double point_bytes = 240, circle_point_bytes = 64;
// Points of a step without atoms on its nonuniform grid, and deviations of the composition that a circle spans: medians
// over the questions of costs.py.
constexpr double smooth_points = 2000, circle_deviations = 14;
// A transform for many questions is planned as if so many shared it.
constexpr double questions_shared = 32;

// Of a term that is so many atoms, which its nodes and its support are: fitted to laws of two to 300.
constexpr double term_of_atoms = 12e3, atom = 400;

/// A term of so many atoms; of 0, one with a density.
inline double term_of(double atoms) { return atoms > 0 ? std::min(term, term_of_atoms + atom * atoms) : term; }

/// One transform a term and side, and one back. `before`: what the terms take before.
inline double transform(double terms, double points, double size, double before) {
  return before + point * points + butterfly * 2 * (terms + 1) * size * math::log2(size);
}
inline double transform(double terms, double points, double size) {
  return transform(terms, points, size, term * terms);
}

// Contour: the question, a line, one of its nodes, and one of its samples raised to a power [ns]; fitted. A line and
// one of its nodes, in two directions at once; a sample, of the sum, of the product and of one line; counted.
constexpr double contour_question = 15e3, line = 4.7e3, node = 120, sample = 100;
constexpr double line_bytes = 2048, node_bytes = 320, contour_sample_bytes = 500;
// What takes more than this, and for each term, is not wanted [ns]: set by hand.
constexpr double most_for_contour = 3e8, most_for_contour_term = 30e3;
constexpr double fewest_line_nodes = 30, most_line_nodes = 4096, most_nodes_of_all = 32768;

// Where the plan of a transform costs more than this, a contour that was dear next to a rough forecast of one is
// planned again [ns]: set by hand.
constexpr double dear_transform = 5e6;

/// Of lines with so many nodes in all, each turned to each sample, or spread on a grid.
inline double line_samples(double terms, double samples, double nodes) {
  return std::min(turned_mass * nodes * samples, spread_mass * nodes + spread_frequency * terms * samples);
}

inline double contour(double terms, double samples, double nodes) {
  return contour_question + line * terms + node * nodes + sample * terms * samples +
         line_samples(terms, samples, nodes);
}
/// The nodes that each line may have within so many bytes.
inline double line_nodes(double bytes, double terms) {
  return std::min(std::max(most_line_nodes, std::floor(most_nodes_of_all / terms)),
                  std::floor((bytes / terms - line_bytes) / node_bytes));
}
/// The samples to be had for that much.
inline double contour_samples(double nanoseconds, double terms, double nodes) {
  const double left = nanoseconds - contour(terms, 0, nodes);
  return std::max(left / (sample * terms + turned_mass * nodes),
                  (left - spread_mass * nodes) / ((sample + spread_frequency) * terms));
}

// Discretized contour: a support point, and each time it is multiplied by its turn [ns]; fitted. What spreading the
// points saves is not counted on, since bounds of their moduli take as long. Where a transform takes less than `least`
// planning one does not pay, and one that takes more than `most` is not wanted [ns]: set by hand.
constexpr double step_point = 20, turn = 1.3;
constexpr double least_for_discretized_contour = 1e6, most_for_discretized_contour = 3e8;

/// Of steps with so many support points in all.
inline double discretized_contour(double samples, double points) { return points * (step_point + turn * samples); }

/// Of laws of so many atoms in all, from both sides at once. Two factors that smooth a sample take `smoothed` [ns], an
/// atom on its way to tilted masses `tilted`; measured.
constexpr double smoothed = 150, tilted = 80;
inline double contour_of_atoms(double terms, double samples, double atoms) {
  return contour(terms, samples, 0) + discretized_contour(samples, atoms) + smoothed * samples + tilted * atoms;
}

// Atoms are known to rounding, and no transform may be: 66 discrete Gaussians at a tolerance of 1e-9 are forecast to
// take 2.2e9 [ns]. Set by hand.
constexpr double most_for_contour_of_atoms = 4e9;

// Time that may be spent on meeting the tolerance for a delta below the floor [ns]: set by hand.
constexpr double for_the_smallest = 2e6;

// Enumeration: a sum of losses, listed, sorted and added up; for epsilon it is read about 100 times more [ns]. Set
// from lists of some hundred sums. While sums are listed, one takes a path, itself, the sum that it came from, and its
// tail.
constexpr double sum_for_delta = 200, sum_for_epsilon = 700;
constexpr double sum_bytes = 80;

inline double enumeration(double sums, bool wants_epsilon) {
  return sums * (wants_epsilon ? sum_for_epsilon : sum_for_delta);
}

// Closed form: a question [ns]; measured.
constexpr double formula = 2e3;

// Single step: the pair's integrals beyond one edge [ns], for sampled Gaussians; those of Laplace noise take a tenth.
// Edges that a question needs: measured.
constexpr double edge = 16e3, edges_for_delta = 4, edges_for_epsilon = 15;
inline double single_step(bool wants_epsilon) { return edge * (wants_epsilon ? edges_for_epsilon : edges_for_delta); }
// An edge of each term, four times over: it helps seldom, but then much.
inline double any_large_loss(double terms) { return 4 * edge * terms; }

// Moments: an edge, its cell, what the pair takes to integrate that, and both once more without the lowest; counted.
constexpr double moment_edge_bytes = 160;

}  // namespace hockeystick::cost
