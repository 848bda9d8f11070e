// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/additive/laplace_loss.hpp"

#include "numeric/exponential.hpp"
#include "numeric/sum.hpp"

namespace hockeystick::laplace {
namespace {

// e^((a + b) / 2), the sum exact: relative error 6 u.
double exp_half_sum(double a, double b) {
  const auto [hi, lo] = two_sum(a, b);
  return exp_sum(0.5 * hi, 0.5 * lo);
}

}  // namespace

Piece LaplaceLoss::piece(double lower, double upper, const AtomLosses& at) const {
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

std::vector<LaplaceLoss::Node> LaplaceLoss::nodes() const {
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

// The density over [a, c] within [-m, m], for references `under` below a and `over` above c. With w = c - a,
// s = 1 - e^(-w/2):
//     P = e^((c-m)/2) s / 2,   P - e^a Q = e^((c-m)/2) s^2 / 2,   e^c Q - P = e^((c-m+w)/2) s^2 / 2,
//     Q = e^(-(a+m)/2) s / 2,                                     Q - e^-c P = e^(-(a+m)/2) s^2 / 2,
// and a reference further out by g turns the integral of f (1 - e^(a-l)) into that times e^-g plus (1 - e^-g) P.
void LaplaceLoss::add_density(Piece& piece, double a, double c, double under, double over) const {
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

}  // namespace hockeystick::laplace
