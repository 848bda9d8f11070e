// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mechanisms/mgf_line.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// What discretization needs to know of one cell [lower, upper) of the loss axis. All three are
/// integrals of non-negative functions, evaluated as such.
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
  double upper_tail_above = 0;  // the hockey-stick divergence at e_m less P(L = inf)
  double infinity_mass = 0;     // upper bound of P(L = inf) and of what no cell lists
  double infinity_mass_lower = 0;
  double mass_error = 0;  // relative error of every p
  // Error of `above` and `below` in a cell of width d: share_error times the value (where an edge lies
  // outside the range of the loss, unless `own_scale`: times its largest, p (1 - e^-d) or p (e^d - 1)),
  // plus share_error_p p.
  double share_error = 0, share_error_p = 0;
  bool own_scale = false;
  // The cells are exact for edges within edge_error of the given ones, of a loss within loss_error
  // less edge_error of L [nats].
  double loss_error = 0, edge_error = 0;
};

/// Quadrature nodes of the law of L under P: for planning only, not certified.
struct LossNodes {
  std::vector<double> loss;      // increasing
  std::vector<double> log_mass;  // log of the P-mass at each node
};

/// A loss with a mass of its own.
struct Atom {
  double loss, mass;
};

/// The atoms of the law of L under P, by increasing finite loss: for planning only, unless an error is stated.
struct Atoms {
  std::vector<Atom> at;
  bool all = false;       // whether no other finite loss has mass
  double mass_error = 1;  // below 1: losses are exact, masses within it, relatively
};
inline const Atoms no_atoms;

/// The law of L under P where its finite values are atoms, with proved error bounds.
struct FiniteLaw {
  std::span<const Atom> atoms;    // by increasing loss
  double mass_error, loss_error;  // of every mass, relatively; of every loss [nats]
  double cut;                     // upper bound of the mass of outcomes that are not listed
  double infinity_mass;           // upper bound of P(L = inf)
  double infinity_mass_lower;
};

/// Two distributions (P, Q) that dominate every neighbouring pair of outputs of a mechanism
/// (Zhu, Dong, Wang 2022, Definition 7), with privacy loss L = log dP/dQ. Immutable.
class DominatingPair {
 public:
  DominatingPair() = default;
  DominatingPair(const DominatingPair&) = delete;
  DominatingPair& operator=(const DominatingPair&) = delete;
  virtual ~DominatingPair() = default;

  /// Integrals over the cells between edges that do not decrease [nats]; they may lie outside the range of
  /// L, and a cell between equal ones is empty. An atom on an edge belongs to the cell above it.
  virtual PairCells integrate(std::span<const double> edges) const = 0;

  /// The same without the tails, which may be what costs most of a few cells.
  virtual PairCells integrate_inner(std::span<const double> edges) const { return integrate(edges); }

  /// About 100 to 1000 nodes that carry E_P[e^(theta L)] for the tilts a query may need.
  virtual LossNodes nodes() const = 0;

  /// Its atoms; few, or of a regular pattern.
  virtual const Atoms& atoms() const { return no_atoms; }

  /// All of the law, if its finite values are atoms and no others. Refers to the pair.
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

  /// Upper bound of the finite values of L, of outcomes that `integrate` counts at +inf too.
  virtual double finite_loss_bound() const {
    const double most = loss_supremum();
    return most + 1e-12 * (1 + std::fabs(most));
  }

  /// Upper bound of the total variation between P and Q, which is delta(0).
  virtual double total_variation_bound() const { return 1; }

  /// Upper bound of E_P[e^(t L); top < L < inf], t > 0; inf if none is known.
  virtual double tail_moment_bound(double top, double t) const {
    const double most = loss_supremum();
    if (top >= most) return 0;
    return most < infinity ? std::exp(t * most) * (1 + 1e-12) : infinity;
  }

  /// Upper bound of E_P[e^(t L)] + max(1, t) Q over the outcomes of finite loss that `integrate` does not list but
  /// counts at +inf, t > 0; inf if P(L = inf) may be positive.
  virtual double unlisted_moment_bound(double) const { return infinity; }

  /// Bounds of D_a / a over Renyi orders: an upper one over all a >= order > 1, a lower one of the limit for large a.
  /// P(L <= e) = Q(L >= -e) = 1 gives e^2 / 2 (Bun & Steinke 2016, Proposition 3.3), and D_a is at most e.
  virtual double renyi_slope_bound(double order) const {
    const double most = loss_supremum(), steepest = most > -loss_infimum() ? most : -loss_infimum();
    const double by_size = steepest * steepest / 2, by_order = most / order;
    return (by_size < by_order ? by_size : by_order) * (1 + 1e-12);
  }
  virtual double renyi_slope_limit() const { return 0; }

  /// Its moments on a line; null if the loss has atoms, or where the needs ask for too much.
  virtual std::unique_ptr<MgfLine> mgf_line(const LineNeeds&) const { return nullptr; }

  /// Bounds of log E_P[e^(t L)], t > 0, that do not go by masses, which binary64 may be too narrow for; -inf and inf
  /// if none are known. Here: from the line.
  virtual Interval log_moment_bounds(double t) const {
    constexpr std::size_t most_nodes = 0x1p16;
    constexpr double unknown = infinity;
    const auto line = mgf_line({t, t, t, 0, 40, most_nodes});
    if (!line) return {-unknown, unknown};
    const auto [value, error] = line->log_moment();
    return {value - error * (1 + 1e-9) - 1e-15 * std::fabs(value),
            value + error * (1 + 1e-9) + 1e-15 * std::fabs(value)};
  }

  /// Bytes of its tables, where these grow with the number of outcomes.
  virtual double table_bytes() const { return 0; }

  /// The ratio shift / standard deviation if the pair is N(0, 1) against N(mu, 1), else 0. Gaussian
  /// pairs compose to one of their kind: mu^2 adds up.
  virtual double gaussian_mu() const { return 0; }
};

}  // namespace hockeystick
