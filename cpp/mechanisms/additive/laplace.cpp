// SPDX-License-Identifier: Apache-2.0
// The Laplace mechanism, plain and on Poisson subsamples.
#include <algorithm>
#include <cmath>

#include "mechanisms/additive/laplace_line.hpp"
#include "mechanisms/gaussian/sampling_weight.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

// In noise units, with m = 1 / noise multiplier (relative error at most u): P is Laplace noise about m, Q about 0. L(x)
// = |x| - |x - m| is -m for x <= 0, m for x >= m and 2 x - m between. Hence
//     P(L = m) = Q(L = -m) = 1/2,       P(L = -m) = Q(L = m) = e^-m / 2,
// and between them L has the densities e^((l - m) / 2) / 4 under P, e^(-(l + m) / 2) / 4 under Q. Swapping P and Q
// gives -L the same law: the pair is its own reverse. On a Poisson subsample: Zhu, Dong, Wang (2022), Theorem 11.

// Bound of the underflow in a mass.
constexpr double tiny = 1e-307;

// Below this P-mass, underflow may have removed it all though its Q-mass is not small.
constexpr double vanishing = 1e-290;

// e^upper Q - P is a sum over Q-masses; where these come near underflow, the P-masses of the cell do not (m <= 1000).
constexpr double faint = 1e-250;

// The cell [lower, upper) of the loss: P, Q, P - e^lower Q, e^upper Q - P, and the last times e^-upper.
struct Piece {
  double p = 0, q = 0, above = 0, below = 0, scaled_below = 0;
  double width = 0;     // of the part above -m: rounding of `below` grows with it
  bool narrow = false;  // whether the square of the width may be near underflow
};

// With m and q in these ranges and no cell of density narrower, no product below comes near underflow: e^-m / 4 times
// the square of half a width, q and e^-m exceeds 1e-250, and rounded differences are 0 or exceed u m and u q.
constexpr double least_m = 1e-20, most_m = 200, least_q = 1e-20, least_half = 1e-25;

// e^((a + b) / 2), the sum exact: relative error 6 u.
double exp_half_sum(double a, double b) {
  const auto [hi, lo] = two_sum(a, b);
  return exp_sum(0.5 * hi, 0.5 * lo);
}

// The losses at which the atoms are taken to be.
struct AtomLosses {
  double low, high;
};

class LaplaceLoss {
 public:
  explicit LaplaceLoss(double m) : m_(m), rare_(0.5 * math::exp(-m)) {}

  double end() const { return m_; }
  bool may_underflow() const { return !(m_ >= least_m && m_ <= most_m); }

  // Relative error of p and q: 14 u; of above and scaled_below: 32 u; of below: (32 + 2 width) u. Sums of
  // non-negative terms throughout. Infinite ends are allowed, but `below` is of no use at upper = inf.
  Piece piece(double lower, double upper, const AtomLosses& at) const {
    Piece piece;
    const double a = std::max(lower, -m_), c = std::min(upper, m_);
    if (a < c) add_density(piece, a, c, a - lower, upper - c);
    const auto add_atom = [&](double loss, double p, double q) {
      if (!(lower <= loss && loss < upper)) return;
      piece.p += p;
      piece.q += q;
      piece.above += p * -math::expm1(lower - loss);
      piece.scaled_below += q * -math::expm1(loss - upper);
      if (p > 0) piece.below += p * math::expm1(upper - loss);
    };
    add_atom(at.low, rare_, 0.5);
    add_atom(at.high, 0.5, rare_);
    if (upper < infinity) piece.width = upper - a;
    if (piece.scaled_below > faint && upper < 700) piece.below = math::exp(upper) * piece.scaled_below;
    return piece;
  }

  // Upper bound of the total variation of P and Q; m may be off by u.
  double total_variation_bound() const { return std::min(1.0, -math::expm1(-0.5 * m_) * (1 + 16 * u)); }

  struct Node {
    double loss, log_p, log_q;
  };

  // The atoms, and between them a midpoint rule with exact masses.
  std::vector<Node> nodes() const {
    const auto count = static_cast<std::size_t>(std::clamp(20 * m_, 64.0, 1000.0));
    const double step = 2 * m_ / static_cast<double>(count);
    const double log_step = math::log(math::sinh(step / 4));
    std::vector<Node> nodes{{-m_, -m_ - math::log(2.0), -math::log(2.0)}};
    for (std::size_t i = 0; i < count; ++i) {
      const double loss = step * (static_cast<double>(i) + 0.5) - m_;
      nodes.push_back({loss, (loss - m_) / 2 + log_step, -(loss + m_) / 2 + log_step});
    }
    nodes.push_back({m_, -math::log(2.0), -m_ - math::log(2.0)});
    return nodes;
  }

  double rare() const { return rare_; }

 private:
  // The density over [a, c] within [-m, m], for references `under` below a and `over` above c. With w = c - a,
  // s = 1 - e^(-w/2):
  //     P = e^((c-m)/2) s / 2,   P - e^a Q = e^((c-m)/2) s^2 / 2,   e^c Q - P = e^((c-m+w)/2) s^2 / 2,
  //     Q = e^(-(a+m)/2) s / 2,                                     Q - e^-c P = e^(-(a+m)/2) s^2 / 2,
  // and a reference further out by g turns the integral of f (1 - e^(a-l)) into that times e^-g plus (1 - e^-g) P.
  void add_density(Piece& piece, double a, double c, double under, double over) const {
    const double top = 0.5 * exp_half_sum(c, -m_), bottom = 0.5 * exp_half_sum(-a, -m_);
    const double half = 0.5 * (c - a);
    const double s = -math::expm1(-half);
    piece.narrow = half < least_half;
    piece.p = top * s;
    piece.q = bottom * s;
    piece.above = piece.p * s * math::exp(-under) - piece.p * math::expm1(-under);
    piece.scaled_below = piece.q * s * math::exp(-over) - piece.q * math::expm1(-over);
    const double grow = over > 0 ? math::expm1(over) : 0.0;
    piece.below = piece.p * (math::expm1(half) * (1 + grow) + grow);
  }

  double m_, rare_;
};

struct Cell {
  CellMass mass;
  double q;      // Q(cell)
  double width;  // of its inner losses
  bool narrow;
};

// The common part of the three pairs: cell_at(i) is cell i between `count` edges; cell -1 lies below them, cell count -
// 1 above.
template <class CellAt>
PairCells cut(std::ptrdiff_t count, bool may_underflow, CellAt&& cell_at) {
  PairCells result;
  result.cells.reserve(static_cast<std::size_t>(count));
  double widest = 0, lost = 0;
  for (std::ptrdiff_t i = 0; i + 1 < count; ++i) {
    checkpoint_each<1024>(static_cast<std::size_t>(i));
    const Cell cell = cell_at(i);
    result.cells.push_back(cell.mass);
    widest = std::max(widest, cell.width);
    may_underflow = may_underflow || cell.narrow;  // proof: laplace-cells
    if (cell.mass.p < vanishing) lost += cell.q;
  }
  const Cell bottom = cell_at(-1), top = cell_at(count - 1);
  may_underflow = may_underflow || bottom.narrow || top.narrow;
  result.lower_tail_p = bottom.mass.p;
  // Cells that may have lost their P-mass count at loss -inf.
  result.lower_tail_q = (bottom.q + lost) * (1 + 64 * u);
  result.upper_tail_p = top.mass.p;
  result.upper_tail_above = top.mass.above;
  result.mass_error = 24 * u;                  // proof: laplace-cells
  result.share_error = (48 + 2 * widest) * u;  // proof: laplace-cells
  result.share_error_p = may_underflow ? tiny : 0;
  result.own_scale = true;
  return result;
}

// An edge and the inner loss that sampling turns into it.
struct Edge {
  double inner;   // infinite if no loss is mapped there
  double excess;  // 1 - q - e^loss if positive: error 4 u q, which edge_error covers, and 5 u relative
  double weight;  // posterior weight of the record at the inner loss, relative error 16 u
};

// An atom next to an edge counts as on the edge, for a loss error: there connect the dots is exact, whereas the lower
// estimate would have to move an atom next to the edge by a whole interval. Returns the new place as an inner loss.
double snapped(double loss, double inner, std::span<const double> losses, std::span<const Edge> edges, double& moved) {
  const auto above = std::upper_bound(losses.begin(), losses.end(), loss);
  const double below = above == losses.begin() ? -infinity : *(above - 1),
               upper = above == losses.end() ? infinity : *above;
  const double near = 32 * u * (1 + std::fabs(loss)) + 1e-10 * (upper - below < 1 ? upper - below : 0);
  const bool down = loss - below <= upper - loss;
  if (!((down ? loss - below : upper - loss) <= near)) return inner;
  const Edge& edge = edges[static_cast<std::size_t>(above - losses.begin()) - (down ? 1 : 0)];
  if (std::isinf(edge.inner)) return inner;
  // With sampling, the atom's loss was rounded, too.
  const double place = down ? below : upper;
  moved = std::max(moved, std::fabs(place - loss) + (edge.inner == place ? 0 : 16 * u * std::fabs(loss)));
  return edge.inner;
}

class Laplace final : public DominatingPair {
 public:
  Laplace(double m, double error) : loss_(m), error_(error) {
    const double below = 1 - 16 * u;  // of an exponential
    if (error == 0 && loss_.rare() > vanishing) atoms_below_ = {{-m, loss_.rare() * below}, {m, 0.5 * below}};
  }

  PairCells integrate(std::span<const double> losses) const override {
    std::vector<Edge> edges;
    edges.reserve(losses.size());
    for (const double loss : losses) edges.push_back({loss, 0, 1});
    double moved = 0;
    const double m = loss_.end();
    const AtomLosses at{snapped(-m, -m, losses, edges, moved), snapped(m, m, losses, edges, moved)};
    const auto count = static_cast<std::ptrdiff_t>(losses.size());
    PairCells result = cut(count, loss_.may_underflow(), [&](std::ptrdiff_t i) {
      const double lower = i < 0 ? -infinity : losses[static_cast<std::size_t>(i)];
      const double upper = i + 1 < count ? losses[static_cast<std::size_t>(i + 1)] : infinity;
      const Piece piece = loss_.piece(lower, upper, at);
      return Cell{{piece.p, piece.above, piece.below}, piece.q, piece.width, piece.narrow};
    });
    result.loss_error = error_ + moved;  // the same noise with another m moves L by at most this
    return result;
  }

  LossNodes nodes() const override {
    LossNodes nodes;
    for (const auto& node : loss_.nodes()) {
      nodes.loss.push_back(node.loss);
      nodes.log_mass.push_back(node.log_p);
    }
    return nodes;
  }

  std::unique_ptr<MgfLine> mgf_line(const LineNeeds& needs) const override {
    return laplace_line(loss_.end(), error_, needs.tilt);
  }

  // The noise is symmetric.
  std::shared_ptr<const DominatingPair> reverse() const override {
    return std::make_shared<Laplace>(loss_.end(), error_);
  }

  AtomSketch atom_sketch() const override { return {atoms_}; }
  std::span<const Atom> atoms_from_below() const override { return atoms_below_; }
  double loss_infimum() const override { return -loss_supremum(); }
  double loss_supremum() const override { return error_ > 0 ? up(loss_.end()) : loss_.end(); }
  double finite_loss_bound() const override { return loss_supremum(); }
  double largest_loss_from_below() const override { return error_ > 0 ? down(loss_.end()) : loss_.end(); }
  double total_variation_bound() const override { return loss_.total_variation_bound(); }

 private:
  LaplaceLoss loss_;
  double error_;  // of m
  std::array<Atom, 2> atoms_{{{-loss_.end(), loss_.rare()}, {loss_.end(), 0.5}}};
  std::vector<Atom> atoms_below_;
};

double log_sum(double a, double b) { return std::max(a, b) + math::log1p(math::exp(-std::fabs(a - b))); }

class SampledLaplace : public DominatingPair {
 public:
  /// The pair of a record removed or, with sign -1, added.
  SampledLaplace(double m, double q, double sign) : inner_(m), q_(q), top_(sign * m) {}
  double total_variation_bound() const override { return q_ * inner_.total_variation_bound() * (1 + 4 * u); }
  AtomSketch atom_sketch() const override { return {ends_}; }
  double loss_infimum() const override { return down(ends_[0].loss - end_error(-top_)); }
  double loss_supremum() const override { return up(ends_[1].loss + end_error(top_)); }  // proof: largest-loss
  double finite_loss_bound() const override { return loss_supremum(); }
  // proof: largest-loss
  double largest_loss_from_below() const override { return down(ends_[1].loss - end_error(top_)); }

 protected:
  // The edges of sign log(1 - q + q e^(sign l)), l the inner loss.
  std::vector<Edge> inverse(std::span<const double> losses, double sign, double& edge_error) const {
    std::vector<Edge> edges;
    edges.reserve(losses.size());
    edge_error = 0;
    for (const double loss : losses) {
      checkpoint_each<1024>(edges.size());
      const auto [inner, error] = sampled_inverse(q_, sign * loss);
      const double excess = inner > -infinity ? 0.0
                            : q_ > 0.5        ? (1 - q_) - math::exp(sign * loss)
                                              : -(math::expm1(sign * loss) + q_);
      edges.push_back({sign * inner, std::max(0.0, excess), weight(inner)});
      edge_error = std::max(edge_error, error);
    }
    return edges;
  }

  // Cells between `losses`, each made by `cell` from its piece and edges, with an edge at infinity on either side.
  template <class CellOf>
  PairCells cut_inner(std::span<const double> losses, double sign, CellOf&& cell) const {
    double edge_error = 0, moved = 0;
    const std::vector<Edge> edges = inverse(losses, sign, edge_error);
    const double m = inner_.end();
    const AtomLosses at{snapped(ends_[0].loss, -m, losses, edges, moved),
                        snapped(ends_[1].loss, m, losses, edges, moved)};
    const Edge bottom{-infinity, 0, sign > 0 ? 0.0 : 1.0}, top{infinity, 0, sign > 0 ? 1.0 : 0.0};
    const auto count = static_cast<std::ptrdiff_t>(losses.size());
    const bool may_underflow = inner_.may_underflow() || !(q_ >= least_q && 1 - q_ >= least_q);
    PairCells result = cut(count, may_underflow, [&](std::ptrdiff_t i) {
      const Edge& low = i < 0 ? bottom : edges[static_cast<std::size_t>(i)];
      const Edge& high = i + 1 < count ? edges[static_cast<std::size_t>(i + 1)] : top;
      const double upper = i + 1 < count ? losses[static_cast<std::size_t>(i + 1)] : 0;
      return cell(inner_.piece(low.inner, high.inner, at), low, high, upper);
    });
    result.edge_error = edge_error;
    // m's rounding moves the inner loss by u m, the outer one by that times the posterior weight.
    // Atoms go to the exact edge, the support to the given one: edge_error twice.
    result.loss_error = 2 * edge_error + moved + 2 * u * m * weight(m);  // proof: loss-coupling
    return result;
  }

  double weight(double inner) const { return 1 / (1 + (1 - q_) / q_ * math::exp(-inner)); }

  // Error of the loss at an end, which is sampled_loss there: m is within u of itself, which its weight counts.
  double end_error(double inner) const {
    const double own = sampled_loss_error(q_, inner, sampled_loss(q_, inner));
    return own + 1.01 * u * inner_.end() * weight(inner);
  }

  double mixed(double p, double q) const { return (1 - q_) * q + q_ * p; }

  LaplaceLoss inner_;
  double q_;
  double top_;                  // the inner loss where this one is largest
  std::array<Atom, 2> ends_{};  // losses within end_error; masses for plans only
};

// ((1-q) Q + q P, Q), with e^L = 1 - q + q e^l:
//     P' - e^L(a) Q = q (P - e^a Q),   e^L(c) Q - P' = q (e^c Q - P),
// and at an edge below log(1-q), where a = -inf, P' - e^L Q = q P + (1 - q - e^L) Q.
class Remove final : public SampledLaplace {
 public:
  std::shared_ptr<const DominatingPair> reverse() const override;
  Remove(double m, double q) : SampledLaplace(m, q, 1) {
    const double rare = inner_.rare();
    ends_ = {{{sampled_loss(q, -m), mixed(rare, 0.5)}, {sampled_loss(q, m), mixed(0.5, rare)}}};
  }

  PairCells integrate(std::span<const double> losses) const override {
    return cut_inner(losses, 1, [&](const Piece& piece, const Edge& low, const Edge& high, double upper) {
      const double above = low.inner == -infinity ? q_ * piece.p + low.excess * piece.q : q_ * piece.above;
      const double factor = high.inner < 700 ? q_ * math::exp(high.inner) : math::expm1(upper) + q_;
      const double below = piece.scaled_below > faint ? factor * piece.scaled_below : q_ * piece.below;
      return Cell{{mixed(piece.p, piece.q), above, below}, piece.q, piece.width, piece.narrow};
    });
  }

  LossNodes nodes() const override {
    LossNodes nodes;
    for (const auto& node : inner_.nodes()) {
      nodes.loss.push_back(sampled_loss(q_, node.loss));
      nodes.log_mass.push_back(log_sum(math::log1p(-q_) + node.log_q, math::log(q_) + node.log_p));
    }
    return nodes;
  }
};

// (Q, (1-q) Q + q P). Written in the inner pair's mirror image, where k = -l has the law of l with P and Q swapped:
// L = -log(1 - q + q e^-k), and with the weight w(k) = q e^-k / (1 - q + q e^-k)
//     Q - e^L(a) R = w(a) (Q - e^a P),   e^L(c) R - Q = e^L(c) (q (P - e^-c Q) + (1 - q - e^-L(c)) Q),
// where the last term is there only for edges beyond -log(1-q), with c = inf.
class Add final : public SampledLaplace {
 public:
  std::shared_ptr<const DominatingPair> reverse() const override { return std::make_shared<Remove>(inner_.end(), q_); }
  Add(double m, double q) : SampledLaplace(m, q, -1) {
    ends_ = {{{-sampled_loss(q, m), inner_.rare()}, {-sampled_loss(q, -m), 0.5}}};
  }

  PairCells integrate(std::span<const double> losses) const override {
    return cut_inner(losses, -1, [&](const Piece& piece, const Edge& low, const Edge& high, double upper) {
      const double scaled = q_ * piece.scaled_below + high.excess * piece.p;
      const double below = scaled > 0 ? math::exp(upper) * scaled : 0.0;
      return Cell{{piece.p, low.weight * piece.above, below}, mixed(piece.q, piece.p), 0, piece.narrow};
    });
  }

  LossNodes nodes() const override {
    LossNodes nodes;
    for (const auto& node : inner_.nodes()) {
      nodes.loss.push_back(-sampled_loss(q_, -node.loss));
      nodes.log_mass.push_back(node.log_p);
    }
    return nodes;
  }
};

std::shared_ptr<const DominatingPair> Remove::reverse() const { return std::make_shared<Add>(inner_.end(), q_); }

const Registration plain("laplace", {{parameter::noise_multiplier}},
                         [](Parameters p) -> std::shared_ptr<const DominatingPair> {
                           const double m = 1 / p[0];
                           return std::make_shared<Laplace>(m, exact_remainder(1, m, p[0]) == 0 ? 0 : u * m);
                         });

constexpr Parameter epsilon{"epsilon", ranges::pure_epsilon};

// Why this pair dominates permute-and-flip: python/hockeystick/mechanisms/permute_and_flip.py.
const Registration permute("permute_and_flip", {{epsilon}}, [](Parameters p) -> std::shared_ptr<const DominatingPair> {
  return std::make_shared<Laplace>(p[0], 0.0);
});

// On a Poisson subsample, of noise about a multiple or by its own epsilon.
template <class Pair, bool by_noise>
std::shared_ptr<const DominatingPair> on_subsample(Parameters p) {
  return std::make_shared<Pair>(by_noise ? 1 / p[0] : p[0], p[1]);
}
constexpr Parameter noise = parameter::noise_multiplier, rate = parameter::sampling_probability;
const Registration remove("poisson_laplace_remove", {{noise, rate}}, &on_subsample<Remove, true>);
const Registration add("poisson_laplace_add", {{noise, rate}}, &on_subsample<Add, true>);
const Registration flip_remove("poisson_permute_and_flip_remove", {{epsilon, rate}}, &on_subsample<Remove, false>);
const Registration flip_add("poisson_permute_and_flip_add", {{epsilon, rate}}, &on_subsample<Add, false>);

}  // namespace
}  // namespace hockeystick
