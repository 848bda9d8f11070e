// SPDX-License-Identifier: Apache-2.0
// The Laplace mechanism, and permute-and-flip, which is dominated by its pair.
#include "mechanisms/additive/laplace_line.hpp"
#include "mechanisms/additive/laplace_loss.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"

namespace hockeystick {
namespace {

using namespace laplace;

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

}  // namespace
}  // namespace hockeystick
