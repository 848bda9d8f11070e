// SPDX-License-Identifier: Apache-2.0
// The best of a random number of runs: the curve above, and laws that honest adversaries attain.
//
// K runs of one mechanism; released is the output of the best score, or that there was no run. With the curve h of (P,
// Q), g(x) the largest Q(S) of sets with P(S) <= x, and f(z) = E z^K, for every a >= 0 (cpp/proofs/best-of-runs.md)
//     h_best(a) <= E_Q phi(dP / dQ) + f(0) (1 - a)_+,   phi(r) = sup over x of (f'(1 - x) r - a f'(1 - g(x)))_+ .
// phi is bounded by the lines of a grid of x, the same for all a but for a factor.
#pragma once

#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/curves/number_of_runs.hpp"

namespace hockeystick {

/// f'(1 - x) r - a f'(1 - g(x)) is at most the largest of slope r - a less over these, for all x in [0, 1]. `back`: a
/// curve above that of the reverse, whose lines g lies below.
struct RankLine {
  double slope, less;
};
std::vector<RankLine> rank_lines(const EnclosedCurve& back, const NumberOfRuns& runs, double cells);

/// The largest of the lines and 0 at a r is at most a times the sum of jump (r - at)_+ over these.
struct RankKink {
  double at, jump;
};
std::vector<RankKink> kinks_of(std::vector<RankLine> lines);

/// How much likelier the best output has a given rank with the record than without it: f'(1 - x) and f'(1 - g(x)) for 0
/// <= x <= 1.
class RankRatios {
 public:
  /// `back` is as in rank_lines; without its points nothing is known of g.
  RankRatios(const EnclosedCurve& back, const NumberOfRuns& runs);

  /// Upper bound of log(f'(1 - x)^(t + 1) f'(1 - g(x))^-t) over all x; t > 0.
  double log_power(double t) const;
  /// Upper bound of log(f'(1 - x) / f'(1 - g(x))) over all x.
  double largest() const { return largest_; }

 private:
  struct Cell {
    double top, drop;  // log f'(1 - x), and by how much more than log f'(1 - g(x)) that is, at most
  };
  std::vector<Cell> cells_;
  double largest_ = 0, error_ = 0;
};

/// A bound of the Renyi divergence of the best, of an order above 1, in either direction.
struct RenyiPoint {
  double order, divergence;
};

/// Further bounds of the best output, which may lower its curve: Renyi divergences, and curves above those of all runs
/// together, of which the best output is a function. Empty: none.
struct OtherBounds {
  std::vector<RenyiPoint> moments;
  EnclosedCurve forth, back;
};

/// The curve above, of curves above those of the run and of its reverse. `cells`, `tail` as of Accuracy.
AtomicLaw best_of_above(const EnclosedCurve& forth, const EnclosedCurve& back, const NumberOfRuns& runs,
                        const OtherBounds& others, double cells, double tail);

/// The bound at one alpha, before it is reflected.
double best_of_upper(const EnclosedCurve& forth, const EnclosedCurve& back, const NumberOfRuns& runs,
                     const OtherBounds& others, double cells, double alpha);

/// The delta that is attained where the outcomes of a law are ranked as follows: first the outcomes of the lowest
/// losses, whose P-mass is `first`, then the others by falling loss.
AtomicLaw best_of_attained(const AtomicLaw& base, const NumberOfRuns& runs, double first);

/// The P-mass `first` for which that delta is largest where it is about `goal`.
double best_first_mass(const AtomicLaw& base, const NumberOfRuns& runs, double goal);

}  // namespace hockeystick
