// SPDX-License-Identifier: Apache-2.0
// The interface that every mechanism implements: a dominating pair, the bounds that are proved of it, and guesses for
// plans.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mechanisms/mgf_line.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The integrals over one cell [lower, upper) of the loss axis that discretization needs. All three have non-negative
/// integrands and are evaluated as sums of non-negative terms.
struct CellMass {
  double p = 0;      // P(cell)
  double above = 0;  // P(cell) - e^lower Q(cell) = E_P[(1 - e^(lower - L)) 1_cell]
  double below = 0;  // e^upper Q(cell) - P(cell) = E_P[(e^(upper - L) - 1) 1_cell]
};

/// A dominating pair cut into cells at edges e_0 < ... < e_m, with proved error bounds.
struct PairCells {
  std::vector<CellMass> cells;  // m of them
  double lower_tail_p = 0;      // P(L < e_0)
  double lower_tail_q = 0;      // upper bound of Q(L < e_0)
  double upper_tail_p = 0;      // P(e_m <= L < inf)
  double upper_tail_above = 0;  // the hockey-stick divergence at e_m minus P(L = inf)
  double infinity_mass = 0;     // upper bound of P(L = inf) and of the mass that no cell contains
  double infinity_mass_lower = 0;
  double mass_error = 0;  // relative error of every p
  // Error of `above` and `below` in a cell of width d: share_error times the value, plus share_error_p p. If an edge
  // lies outside the range of the loss, share_error applies to the largest value instead, p (1 - e^-d) or p (e^d - 1),
  // unless `own_scale`.
  double share_error = 0, share_error_p = 0;
  bool own_scale = false;
  // The cells are exact for edges within edge_error of the given ones, of a loss within loss_error - edge_error of L
  // [nats].
  double loss_error = 0, edge_error = 0;
};

struct LossNodes;  // guesses, for plans only: loss_sketch.hpp
struct AtomSketch;

/// A loss with positive mass.
struct Atom {
  double loss, mass;
};

/// The law of L under P if all its finite values are atoms, with proved error bounds.
struct FiniteLaw {
  std::span<const Atom> atoms;    // by increasing loss
  double mass_error, loss_error;  // relative error of every mass; error of every loss [nats]
  double loss_rounding;           // error of every loss, relative to itself, if that is less, but for 1e-300
  double cut;                     // upper bound of the mass of outcomes that are not listed
  double infinity_mass;           // upper bound of P(L = inf)
  double infinity_mass_lower;
};

/// (1 - rate) N(0, 1) + rate N(mu, 1) against N(0, 1), the reverse of it, or against (1 - rate) N(0, 1) + rate N(-mu,
/// 1). mu is within u of itself.
struct SampledGaussian {
  double mu = 0, rate = 0;
  enum class Form { none, remove, add, replace } form = Form::none;
};

/// Two distributions (P, Q) that dominate every neighbouring pair of outputs of a mechanism (Zhu, Dong, Wang 2022,
/// Definition 7), with privacy loss L = log dP/dQ. Immutable. All its statements are proved but for two guesses, whose
/// types no certificate accepts.
class DominatingPair {
 public:
  DominatingPair() = default;
  DominatingPair(const DominatingPair&) = delete;
  DominatingPair& operator=(const DominatingPair&) = delete;
  virtual ~DominatingPair() = default;

  /// Integrals over the cells between non-decreasing edges [nats]. Edges may lie outside the range of L; a cell between
  /// equal edges is empty. An atom on an edge belongs to the cell above.
  virtual PairCells integrate(std::span<const double> edges) const = 0;

  /// The same without the tails, which may take most of the time of a few cells.
  virtual PairCells integrate_inner(std::span<const double> edges) const { return integrate(edges); }

  /// A guess: 100 to 1000 nodes that carry E_P[e^(theta L)] for the tilts that a question may need.
  virtual LossNodes nodes() const = 0;

  /// A guess: its atoms.
  virtual AtomSketch atom_sketch() const;

  /// Some atoms of L, by increasing loss: the losses are exact, the masses lower bounds.
  virtual std::span<const Atom> atoms_from_below() const { return {}; }

  /// The whole law, if all finite values are atoms. Refers to the pair.
  virtual std::optional<FiniteLaw> finite_law() const { return std::nullopt; }

  /// Encloses P(L = inf).
  virtual Interval infinity_mass() const {
    if (loss_supremum() < infinity) return {0, 0};
    const double zero = 0;
    const PairCells cells = integrate({&zero, 1});
    return {cells.infinity_mass_lower, cells.infinity_mass};
  }

  /// Infimum and supremum of L; -inf and inf if unbounded.
  virtual double loss_infimum() const { return -infinity; }
  virtual double loss_supremum() const { return infinity; }

  /// Whether no outcome has an infinite loss, though `integrate` may count some there.
  virtual bool has_no_infinite_loss() const { return !(infinity_mass().upper > 0); }

  /// Upper bound of the finite values of L, including those of outcomes that `integrate` counts at +inf.
  virtual double finite_loss_bound() const {
    const double most = loss_supremum();
    return most + 1e-12 * (1 + std::fabs(most));
  }

  /// Lower bound of the essential supremum of L, a loss of +inf counted, which is >= 0 for any pair.
  /// `finite_loss_bound` is the upper one where no loss is infinite; the two are to meet but for rounding.
  virtual double largest_loss_from_below() const { return infinity_mass().lower > 0 ? infinity : 0; }

  /// Upper bound of the total variation between P and Q, which is delta(0).
  virtual double total_variation_bound() const { return 1; }

  /// Upper bound of E_P[e^(t L); top < L < inf], t > 0; inf if none is known.
  virtual double tail_moment_bound(double top, double t) const {
    const double most = loss_supremum();
    if (top >= most) return 0;
    return most < infinity ? math::exp(t * most) * (1 + 1e-12) : infinity;
  }

  /// Upper bound of E_P[e^(t L)] + max(1, t) Q over the outcomes of finite loss that `integrate` does not list but
  /// counts at +inf, t > 0; inf if P(L = inf) may be positive.
  virtual double unlisted_moment_bound(double) const { return infinity; }

  /// Bounds of D_a / a over Renyi orders: an upper bound over all a >= order > 1, a lower bound of the limit for large
  /// a. P(L <= e) = Q(L >= -e) = 1 gives e^2 / 2 (Bun & Steinke 2016, Proposition 3.3), and D_a is at most e.
  virtual double renyi_slope_bound(double order) const { return slope_between(loss_infimum(), loss_supremum(), order); }
  virtual double renyi_slope_limit() const { return 0; }

  /// The pair (Q, P); null if it is not known from this one.
  virtual std::shared_ptr<const DominatingPair> reverse() const { return nullptr; }

  /// The moments on a line; null if no formula or rule is known for them, or the needs ask for too much.
  virtual std::unique_ptr<MgfLine> mgf_line(const LineNeeds&) const { return nullptr; }

  /// The moments of a loss of atoms, every one of them finite, by a formula for all of them; null if none is known.
  virtual std::unique_ptr<MgfLine> whole_line(double) const { return nullptr; }
  virtual bool has_whole_line() const { return false; }

  /// Bounds of log E_P[e^(t L)], t > 0, that do not use masses, for which binary64 may be too narrow; -inf and inf if
  /// none are known. The default uses the line.
  virtual Interval log_moment_bounds(double t) const;

  /// Bytes of the tables, if they grow with the number of outcomes.
  virtual double table_bytes() const { return 0; }

  /// The ratio shift / standard deviation if the pair is N(0, 1) against N(mu, 1), else 0. The composition of Gaussian
  /// pairs is Gaussian: mu^2 adds up.
  virtual double gaussian_mu() const { return 0; }

  /// The parameters of a Poisson-sampled Gaussian; none for other pairs.
  virtual SampledGaussian sampled_gaussian() const { return {}; }

 protected:
  /// That slope bound where all losses lie between `least` under Q and `most` under P.
  static double slope_between(double least, double most, double order);
};

}  // namespace hockeystick
