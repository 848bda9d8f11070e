// SPDX-License-Identifier: Apache-2.0
// An upper bound of the hockey-stick curve of a Gaussian mechanism over shuffled batches, some records left out.
//
// For alpha >= 1 and every s > 0 (cpp/proofs/shuffled-left-out.md), with independent log-normal T_i, Y_i of mean 1
// whose logarithms have the variances (1 + s) mu^2 and (1 + 1 / s) mu^2, batches of m of n records and r left out,
//     h(alpha) <= E ((m / n) sum over i of T_i (Y_i - alpha) - (r / n) (alpha - 1))_+ ;
// in the reverse direction with 1 - alpha Y_i in place of Y_i - alpha.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/curves/shuffle_terms.hpp"

namespace hockeystick {

/// An epoch that leaves records out.
struct LeftOut {
  double mu;  // how far the record moves a mean, in units of the noise: 1, or 2 if records replace each other
  std::int64_t batches;  // b; the bound falls with it
  double by_batch;       // at most r / m, the records left out for each in a batch; 0 if that is not known
  double joins = 1;      // at least b m / n
};

/// The smaller of the bound and of the curve of the record's own step, where `left_out` records more cost nothing.
class ShuffleBound {
 public:
  /// `cells`: the number of cells in a deviation of each law. About `tail` or less of the mass is left out.
  ShuffleBound(const LeftOut& epoch, double cells, double tail);

  /// h at alpha >= 1. Questions in increasing order of alpha cost less.
  double upper(Way way, double alpha);

 private:
  struct Split {
    SplitLaw t, y;
  };
  struct Search {  // where the last search of a way found s, and the tilt; whether that helps; the last value
    int place = 4;
    double tilt = 0, last = 0.1;
    bool helps = false;
    int asked = 0, misses = 0;
  };

  const Split& split(int place, bool fine);
  /// Downhill in s from where the last search found it, or from 1 if that is better.
  void search(Way way, double alpha, double alone);
  double bound(Way way, double alpha, int place, bool fine, double& tilt);

  LeftOut epoch_;
  double cells_, tail_;
  std::vector<std::vector<Split>> known_;
  Search searches_[2];
};

/// h enclosed from above at alpha < 1 and >= 1, in the direction that loses the record and in the reverse one.
struct ShuffleCurves {
  EnclosedCurve forth, back;
};

/// `replaces`: whether both directions are those of the other record, too, so that either bound holds for both.
ShuffleCurves shuffle_curves(const LeftOut& epoch, bool replaces, double cells, double tail);

}  // namespace hockeystick
