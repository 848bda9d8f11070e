// SPDX-License-Identifier: Apache-2.0
// An upper bound of the hockey-stick curve of a Gaussian mechanism over shuffled batches.
//
// For alpha >= 1 and every s > 0, with independent log-normal T_i, Y_i of mean 1 whose logarithms have the variances
// (1 + s) mu^2 and (1 + 1 / s) mu^2, X_i = T_i (Y_i - alpha), or in the reverse direction T_i (1 - alpha Y_i), batches
// of m of n records and r left out (cpp/proofs/shuffled-left-out.md),
//     h(alpha) <= E ((m / n) sum over i of X_i - (r / n) (alpha - 1))_+ ;
// where every record is used, in batches of m_i records, one of which, of m, is the last
// (cpp/proofs/shuffled-every.md),
//     h(alpha) <= E (sum over the others of (m_i / n) (p X_i+ - q X_i-) + (m / n) (p - alpha))_+ ,
// p = e^(nu g - nu^2 / 2), q = e^(-nu g - nu^2 / 2), g normal; in reverse with 1 - alpha q for p - alpha, and with
// p - alpha q in both directions if records replace each other, where mu is twice nu.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/curves/shuffle_pivot.hpp"
#include "mechanisms/curves/shuffle_sum.hpp"
#include "mechanisms/curves/shuffle_terms.hpp"

namespace hockeystick {

/// An epoch that leaves records out, or uses every record.
struct ShuffledEpoch {
  double mu;            // how far the record moves a mean, in units of the noise: 1, or 2 if records replace each other
  double batches;       // b, of which the last may be smaller
  bool replaces;        // whether records replace each other
  bool uses_all;        // whether every record is used
  double by_batch = 0;  // at most r / (b m), the records left out for each in a batch; 0 if that is not known
  double joins = 1;     // at least b m / n
  double last_size = 1;  // of the last batch, for each record of another one; in (0, 1]

  bool operator==(const ShuffledEpoch&) const = default;
};

/// The smaller of the bound and of the curve of the record's own step.
class ShuffleBound {
 public:
  /// `cells`: the number of cells in a deviation of each law. About `tail` or less of the mass is left out.
  ShuffleBound(const ShuffledEpoch& epoch, double cells, double tail);

  /// h at alpha >= 1. Questions in increasing order of alpha cost less.
  double upper(Way way, double alpha);

 private:
  struct Split {
    SplitLaw t;
    double y;  // the deviation
  };
  struct Known {  // a bound at one corner of the last batch
    double alpha = infinity, value = infinity;
  };
  struct Search {  // where a way found s, and the tilt there; the last value
    int place = 4, step = 1;
    double tilt = 0, last = 0.1;
    std::vector<double> tilts;              // of the corners of the last batch
    std::vector<std::vector<Known>> known;  // at each s
    bool is_first = true, helps = true;     // whether nothing was asked; whether the last bound was below the other one
    int wait = 0;                           // questions to the next step
  };

  const Split& split(int place);
  double bound(Way way, double alpha, int place, double most, double& tilt);  // infinite if it is above `most`
  TermLaw term(Way way, double alpha, int place);
  double of_left_out(const TermLaw& term, double alpha, double& tilt);
  double of_all(const TermLaw& term, Way way, double alpha, int place, double pivot, double most, double& tilt);
  double with_pivot(const TermLaw& term, double less, double pivot, const PivotNode& node, double enough, double& tilt);

  ShuffledEpoch epoch_;
  double cells_, tail_, reach_;
  PivotNodes pivots_;
  SumSpace space_;
  std::vector<std::vector<Split>> known_;
  Search searches_[2];
};

/// h from above at alpha < 1 and >= 1, up to the first value below `tail`, at least 1e-16, in the direction that loses
/// the record or back. If records replace each other, both directions are those of the other record, too, and either
/// bound holds for both. What was asked for last is kept, and goes on for a smaller tail.
EnclosedCurve shuffle_curve(const ShuffledEpoch& epoch, double cells, double tail, bool back);

}  // namespace hockeystick
