// SPDX-License-Identifier: Apache-2.0
// The Laplace mechanism on Poisson subsamples: Zhu, Dong, Wang (2022), Theorem 11.
#include "mechanisms/additive/laplace_loss.hpp"
#include "mechanisms/gaussian/sampling_weight.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"

namespace hockeystick {
namespace {

using namespace laplace;

// Below these rates, or this near to 1, products of masses may underflow.
constexpr double least_q = 1e-20;

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

constexpr Parameter epsilon{"epsilon", ranges::pure_epsilon};

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
