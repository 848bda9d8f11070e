// SPDX-License-Identifier: Apache-2.0
// Pairs of discrete distributions. A mechanism with finitely many losses states the law of its loss and gets the pair,
// the reversed pair and the Poisson-sampled pairs from here.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The outcomes with one privacy loss: their P- and Q-mass, p = e^loss q. Loss inf has q = 0, loss -inf has p = 0. A
/// mass that is listed as positive is positive in truth.
struct LossAtom {
  double loss, p, q;
};

/// A pair (P, Q) of discrete distributions as the law of its loss.
struct AtomicLaw {
  std::vector<LossAtom> atoms;  // in any order; several may share a loss
  double mass_error = 0;        // relative error of every p and q, plus up to 1e-307 of underflow
  bool infinity_is_exact =
      false;              // no error of the masses at loss inf and -inf, one atom each, not by underflow either
  double loss_error = 0;  // of every finite loss [nats]
  double loss_rounding = infinity;  // the same, relative to the loss, but for 1e-300: the lesser error counts
  double cut = 0;                   // upper bound of the P-mass of outcomes that are not listed
  double reverse_cut = 0;           // upper bound of their Q-mass
  // All finite losses, including those of outcomes that are not listed, lie in [-reverse_bound, bound]. If such a bound
  // is finite, all outcomes of infinite loss on that side are listed.
  double bound = infinity;
  double reverse_bound = infinity;
  // Lower bounds of the suprema of L and -L, beside what the atoms listed reach.
  double reach = -infinity, reverse_reach = -infinity;
  // Upper bounds of E_P[e^(t L)] and E_Q[e^(-t L)] over outcomes not listed, t > 0; empty: from cut and bound.
  std::function<double(double t)> cut_moment, reverse_cut_moment;
  // Bounds of log E_P[e^(t L)] and log E_Q[e^(-t L)], t > 0, that do not use masses; empty: not known.
  std::function<Interval(double t)> log_moment, reverse_log_moment;
  // Of a Poisson sample at this rate: bounds of log E_Q[r^(t+1)], r the ratio P / Q without sampling; empty: not known.
  double rate = 0;
  std::function<Interval(double t)> plain_log_moment;
  // The moments of L and of -L on a line, of all outcomes, listed or not; empty: not known but by the atoms.
  std::function<std::unique_ptr<MgfLine>(double tilt)> moment_line, reverse_moment_line;
  // Upper bound of the Renyi divergences D_a / a, a > 1, both ways; lower bounds of their limits for large a.
  double slope_bound = infinity;
  double slope_limit = 0, reverse_slope_limit = 0;
};

/// The law of these atoms; each finite loss is the logarithm of p / q, both masses within this relative error.
AtomicLaw law_of_masses(std::vector<LossAtom> atoms, double mass_error);

/// The law of (Q, P).
AtomicLaw reversed(AtomicLaw law);

/// The law of ((1-q) Q + q P, Q), 0 < q < 1: the pair on a Poisson subsample when a record is removed
/// (Zhu, Dong, Wang 2022, Theorem 11). For added records: reversed(poisson_sampled(law, q)).
AtomicLaw poisson_sampled(const AtomicLaw& law, double q);

/// The pair with this law.
std::shared_ptr<const DominatingPair> atomic_pair(AtomicLaw law);

}  // namespace hockeystick
