// SPDX-License-Identifier: Apache-2.0
// An upper bound of the hockey-stick curve of a Gaussian mechanism over shuffled batches.
//
// For alpha >= 1, independent X_i of the law of shuffle_terms.hpp, batches of m of n records and r left out
// (cpp/proofs/shuffled-left-out.md),
//     h(alpha) <= E ((m / n) sum over i of X_i - (r / n) (alpha - 1))_+ ;
// where every record is used, in batches of m_i records, one of which, of m, is the last
// (cpp/proofs/shuffled-every.md),
//     h(alpha) <= E (sum over the others of (m_i / n) (p X_i+ - q X_i-) + (m / n) (p - alpha))_+ ,
// p = e^(nu g - nu^2 / 2), q = e^(-nu g - nu^2 / 2), g normal; in reverse with 1 - alpha q for p - alpha, and with
// p - alpha q in both directions if records replace each other, where mu is twice nu. If the batches' size is known,
// the first one may be the batch that is apart (cpp/proofs/shuffled-first.md).
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
  double size = 0;       // of a batch, if it is known, all are as large, and every record is used once; else 0

  bool operator==(const ShuffledEpoch&) const = default;
};

/// The smaller of the bound and of the curve of the record's own step.
class ShuffleBound {
 public:
  /// `cells` is the number of cells in a deviation of each law. About `tail` of the mass, or less, is left out.
  ShuffleBound(const ShuffledEpoch& epoch, double cells, double tail);

  /// h at alpha >= 1. Questions in increasing order of alpha cost less.
  double upper(Way way, double alpha);

 private:
  struct Known {  // a bound at one corner of the last batch
    double alpha = infinity, value = infinity;
  };
  struct Search {  // a way's last value, and the tilt there
    double last = 0.1, tilt = 0, first_tilt = 0;
    std::vector<double> tilts;  // of the corners of the last batch
    std::vector<Known> known;
    bool helps = true;  // whether the last bound was below that of the record's own step
  };

  double bound(Way way, double alpha, double most);  // infinite if it is above `most`
  TermLaw term(Way way, double alpha);
  double of_left_out(const TermLaw& term, double alpha, double& tilt);
  double of_all(const TermLaw& term, Way way, double alpha, double pivot, double most);
  double of_first(const TermLaw& term, Way way, double alone);
  double with_pivot(const TermLaw& term, double less, double pivot, const PivotNode& node, double enough, double& tilt);

  ShuffledEpoch epoch_;
  double cells_, tail_;
  PivotNodes pivots_;
  SumSpace space_;
  Search searches_[2];
};

/// Upper values of h at alpha < 1 and alpha >= 1, up to the first value below `tail`, which is at least 1e-16. The
/// direction loses the record or brings it back; both are the same if records replace each other. The last curve is
/// kept, and is continued where a smaller tail is asked for.
EnclosedCurve shuffle_curve(const ShuffledEpoch& epoch, double cells, double tail, bool back);

}  // namespace hockeystick
