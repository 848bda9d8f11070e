// SPDX-License-Identifier: Apache-2.0
// The tuned constants of plans and of the choice of a method. They change time and width of answers, never a bound.
//
// "Fitted" and "measured": by benchmarks/costs.py, on the machine that benchmarks/README.md names; only ratios of times
// matter. "By hand": by the questions that the commit of the value names. `python benchmarks/tuning.py --write` asks a
// fixed set of questions with each constant doubled and halved, and writes the lines that begin with "x2": here 192 of
// practice, hostile, mixed and views (--runs 60 --seed 4), timed on a busy machine, so that only answers tell.
#pragma once

#include "numeric/runtime/switches.hpp"

namespace hockeystick::tuning {

// The work of one question [ns] is a limit of what its attempts cost by their forecasts. A question has `most_work` for
// its first point and as much again for each `points_of_work` further points. Deltas at points of one curve may take
// `most_work_of_deltas`. Set by hand, so that a question ends within seconds.
// x2: nothing. /2: nothing.
inline const double most_work = tuned("most_work", 4e9);
// x2: nothing. /2: nothing.
inline const double points_of_work = tuned("points_of_work", 16);
// x2: nothing. /2: nothing.
inline const double most_work_of_deltas = tuned("most_work_of_deltas", 0.6e9);

// Costs of transforms [ns].

// A term: its nodes, its place on the grid and its support. Fitted.
// x2: 5 answers, time -2%. /2: 3 answers, time +7%.
inline const double term = tuned("term", 120e3);
// An atom of a term of atoms: fitted to laws of 2 to 300 atoms.
// x2: 2 answers, time +5%. /2: nothing.
inline const double atom = tuned("atom", 400);
// A point of a support, discretized and tilted from both sides. Fitted.
// x2: 1 answers, time -7%. /2: 1 answers, time -5%.
inline const double point = tuned("point", 150);
// A cell of the loss axis from which moments are integrated. By hand: sampled Gaussians take 1e3 to 4e3 ns.
// x2: nothing. /2: nothing.
inline const double moment_cell = tuned("moment_cell", 1500);
// A point of a transform, each time its length doubles. Fitted.
// x2: 14 answers, time -6%. /2: 15 answers, time -2%.
inline const double butterfly = tuned("butterfly", 0.3);
// Points of a step without atoms, and deviations that a circle spans, before there is a plan: medians of costs.py.
// x2: nothing. /2: nothing.
inline const double smooth_points = tuned("smooth_points", 2000);
// x2: nothing. /2: nothing.
inline const double circle_deviations = tuned("circle_deviations", 14);
// Number of questions that share a transform for many questions: a contour for many questions answers several, too.
// x2: trade-offs of batches of fixed size take a fifth longer. /2: one of sampled Laplace noise, six times as long.
inline const double questions_shared = tuned("questions_shared", 8);

// Costs of contours [ns].

// A line, which is also the least that any contour or formula takes, a node of a line, and a sample of a line raised to
// a power, or smoothed by two factors. Fitted.
// x2: 2 answers, time +3%. /2: nothing.
inline const double line = tuned("line", 4.7e3);
// x2: nothing. /2: 1 answers, time +4%.
inline const double node = tuned("node", 120);
// x2: nothing. /2: nothing.
inline const double sample = tuned("sample", 100);
// No contour of a higher cost is planned. By hand.
// x2: nothing. /2: nothing.
inline const double most_for_contour = tuned("most_for_contour", 1e9);
// A contour of atoms that costs less is used without planning a transform, and if a transform costs less, no contour of
// discretized steps is planned. By hand.
// x2: 8 answers, time +7%. /2: 14 answers, time -7%.
inline const double cheap = tuned("cheap", 1e6);
// Lower limit of the forecast cost of a transform, against which contours are planned: the forecast is too low for
// cheap transforms of tiny losses, and at epsilon = 0. A contour that costs less is used without planning one that
// leaves the largest losses out. By hand.
// x2: 2 answers, time +4%. /2: nothing.
inline const double least_transform = tuned("least_transform", 250e3);
// If a transform costs less than this, no contour of up to 200 atoms, or of more, is planned. By hand.
// x2: 4 answers, time +8%. /2: 4 answers, time +7%.
inline const double cheap_grid = tuned("cheap_grid", 90e3);
// x2: 3 answers, time +10%. /2: nothing.
inline const double cheap_grid_of_many_atoms = tuned("cheap_grid_of_many_atoms", 400e3);

// Costs of other methods [ns].

// A sum of losses in an enumeration: set from lists of some hundred sums, between what a delta and an epsilon take.
inline const double sum = tuned("sum", 400);
// The cost of a bound by the number of large losses. For each term its small losses cost `large_loss` at the least
// fineness, and in proportion to the fineness above; each knot of its large losses costs `knot`. Measured for sampled
// Gaussians.
// x2: nothing. /2: nothing.
inline const double large_loss = tuned("large_loss", 150e3);
// x2: nothing. /2: nothing.
inline const double knot = tuned("knot", 2400);
// Time that may be spent on the tolerance of a delta below the floor. By hand.
// x2: nothing. /2: nothing.
inline const double for_the_smallest = tuned("for_the_smallest", 2e6);

// Contours: where they run.

// Part of the tolerance on delta for each of tail and aliases, below which no higher threshold of large losses is
// looked for either; of smoothed contours. By hand.
// x2: 31 answers, time +11%. /2: 31 answers, time +12%.
inline const double contour_share = tuned("contour_share", 0.01);
// x2: 26 answers, time -2%, refused +1. /2: 26 answers, time -0%, refused +1.
inline const double smoothed_share = tuned("smoothed_share", 0.02);
// Rounding of a product of moments, over the root of the number of steps. By hand.
// x2: nothing. /2: nothing.
inline const double moment_rounding = tuned("moment_rounding", 1e-15);
// Forecast rounding may be this many times an alias. By hand.
// x2: nothing. /2: 2 answers, time +11%.
inline const double rounding_allowed = tuned("rounding_allowed", 0.1);
// No contour is planned if forecast rounding exceeds its allowance by e^50: the forecast is pessimistic at tiny rates.
// Double and half change nothing, but refusals at deltas of 1e-159 take 2 s in place of 0.04 s without it. By hand.
// x2: nothing. /2: nothing.
inline const double hopeless_rounding = tuned("hopeless_rounding", 50);
// Distance from the mean to which a line may reach [deviations], and highest tilt for which a grid is made fine, over
// the reciprocal deviation. By hand.
// x2: 2 answers, time +7%. /2: nothing.
inline const double farthest_deviations = tuned("farthest_deviations", 50);
// Lowest tilt of a line, as a part of the saddle's. By hand.
// x2: 7 answers, time -3%. /2: nothing.
inline const double flattest_line = tuned("flattest_line", 0.4);
// A contour that leaves the largest losses out is planned only if it needs this part of the samples. By hand.
// x2: nothing. /2: 1 answers, time +2%.
inline const double much_fewer_samples = tuned("much_fewer_samples", 0.6);
// One large loss may determine delta if the tilted deviation is this many times the plain one. Its epsilon is used if
// it is this part of that of the moments, or log delta this much less, and if log delta falls by this much over
// epsilon. By hand.
// x2: 2 answers, time +3%. /2: nothing.
inline const double far_apart = tuned("far_apart", 4);
// x2: 2 answers, time +1%. /2: 5 answers, time +1%.
inline const double nearly = tuned("nearly", 0.8);
// x2: nothing. /2: nothing.
inline const double far_less = tuned("far_less", -2);
// x2: nothing. /2: nothing.
inline const double least_fall = tuned("least_fall", 1);
// The squared expected number of large losses is less than this many deltas. By hand.
// x2: nothing. /2: nothing.
inline const double two_large_losses = tuned("two_large_losses", 30);

// Contours: how much they are smoothed.

// Part of the relative width of delta for smoothing. By hand.
// x2: 25 answers, time -9%. /2: 24 answers, time -6%, refused +1.
inline const double smoothing_share = tuned("smoothing_share", 0.4);
// Widest smoothing [nats]: beyond it tangents bound the curve poorly.
// x2: 2 answers, time +0%. /2: 2 answers, time +2%.
inline const double widest_smoothing = tuned("widest_smoothing", 1);
// Part of that smoothing if moments decay without it. By hand.
// x2: 16 answers, time +4%. /2: 15 answers, time -4%.
inline const double less_smoothing = tuned("less_smoothing", 0.3);
// Most samples, which take 500 MB.
// x2: nothing. /2: nothing.
inline const double most_samples = tuned("most_samples", 1e6);
// Number of samples for which no better line is looked for, and up to which more samples cost little. By hand.
// x2: 5 answers, time -4%. /2: nothing.
inline const double few_samples = tuned("few_samples", 256);
// x2: 2 answers, time -4%. /2: nothing.
inline const double spare_samples = tuned("spare_samples", 400);
// Samples times points from which on the decay of moments is computed. By hand.
// x2: 3 answers, time -1%. /2: nothing.
inline const double decay_work = tuned("decay_work", 3e5);

// Contours: attempts.

// Attempts of one method, each planned by what the last one found. By hand.
// x2: nothing. /2: 2 answers, time +49%.
inline const double most_attempts = tuned("most_attempts", 7);
// Number of samples, or of terms, from which on Chernoff's inequality compares directions. By hand.
// x2: nothing. /2: nothing.
inline const double many = tuned("many", 20);

// Grids.

// Tilted mass beyond which gaps double, over 4 for each doubling before. By hand.
// x2: 3 answers, time -7%. /2: 3 answers, time -7%.
inline const double graded_fraction = tuned("graded_fraction", 0.02);
// Points of a grid that holds all atoms. By hand.
// x2: nothing. /2: nothing.
inline const double exact_points = tuned("exact_points", 0x1p17);
// The cap of closed steps, over the least that an epsilon needs. By hand.
// x2: 3 answers, time +314%, refused +2. /2: 3 answers, time +355%, refused +2.
inline const double closing_margin = tuned("closing_margin", 1.02);

// One large loss.

// What none and two large losses may add to delta, as a part of the tolerance. By hand.
// x2: 1 answers, time +0%. /2: 2 answers, time -2%.
inline const double missed_share = tuned("missed_share", 0.25);
// Least rate at which delta is taken to fall, times epsilon. By hand.
// x2: nothing. /2: nothing.
inline const double least_rate = tuned("least_rate", 0.1);
// The widest knots, squared, times the rate of delta, squared, as a part of the tolerance: their chords are off by an
// eighth of that. By hand.
// x2: nothing. /2: nothing.
inline const double knot_width = tuned("knot_width", 0.4);
// Farther from the centre than this many deviations, or than that part of epsilon, knots lie ever farther apart, by
// this part of the distance at a tolerance of 1e-3. By hand.
// x2: 1 answers, time -2%. /2: 1 answers, time -2%.
inline const double knot_deviations = tuned("knot_deviations", 6);
// x2: nothing. /2: nothing.
inline const double knot_part = tuned("knot_part", 0.01);
// x2: 1 answers, time +4%. /2: 1 answers, time +2%.
inline const double knot_growth = tuned("knot_growth", 0.05);
// Ratio of a tilt of Chernoff's inequality to the one before. By hand.
inline const double tilt_ratio = tuned("tilt_ratio", 1.4);

}  // namespace hockeystick::tuning
