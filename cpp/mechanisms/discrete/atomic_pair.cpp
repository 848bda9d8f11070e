// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/discrete/atomic_pair.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "mechanisms/discrete/sampled_moment.hpp"
#include "mechanisms/discrete/small_masses.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_nodes = 1000, single_nodes = 64;

// The atoms by increasing loss; atoms of equal loss are merged.
std::vector<LossAtom> merged(std::vector<LossAtom> atoms) {
  sort_by(atoms, &LossAtom::loss);
  std::size_t kept = 0;
  for (std::size_t i = 0, next; i < atoms.size(); i = next) {
    CompensatedSum p, q;
    for (next = i; next < atoms.size() && atoms[next].loss == atoms[i].loss; ++next) {
      p.add(atoms[next].p);
      q.add(atoms[next].q);
    }
    atoms[kept++] = {atoms[i].loss, p.value(), q.value()};
  }
  atoms.resize(kept);
  return atoms;
}

class AtomicPair final : public DominatingPair {
 public:
  explicit AtomicPair(AtomicLaw law) : law_(without_small_masses(std::move(law))) {
    auto& atoms = law_.atoms = merged(std::move(law_.atoms));
    if (!atoms.empty() && atoms.front().loss == -infinity) below_ = bounded(atoms.front().q).upper;
    if (!atoms.empty() && atoms.back().loss == infinity) above_ = bounded(atoms.back().p);
    std::copy_if(atoms.begin(), atoms.end(), std::back_inserter(infinite_),
                 [](const LossAtom& atom) { return std::isinf(atom.loss); });
    std::erase_if(atoms, [](const LossAtom& atom) { return std::isinf(atom.loss); });
    for (const LossAtom& atom : atoms)
      if (atom.p > 0)
        listed_.push_back({atom.loss, atom.p});
      else
        unlisted_q_ += atom.q;
    if (listed_.empty() && law_.cut == 0 && above_.upper > 0) above_.lower = 1;
    add_up();
  }

  std::shared_ptr<const DominatingPair> reverse() const override {
    AtomicLaw law = law_;
    law.atoms.insert(law.atoms.end(), infinite_.begin(), infinite_.end());
    return atomic_pair(reversed(std::move(law)));
  }

  PairCells integrate(std::span<const double> edges) const override {
    std::vector<CellSums> sums(edges.size() + 1);  // below the first edge, each cell, above the last edge
    CompensatedSum low_q;
    double shift = 0;
    std::size_t k = 0;  // number of edges at or below the atom
    // None further below the first edge counts as on it; beyond the last, what follows may be next to nothing.
    const std::size_t first = edges.empty() ? 0 : first_from(edges.front() - 1e-12 * (1 + std::fabs(edges.front())));
    sums[0].p.add(p_below_[first]);
    low_q.add(q_below_[first]);
    for (std::size_t i = first; i < size(); ++i) {
      checkpoint_each<8192>(i);
      const LossAtom& atom = law_.atoms[i];
      while (k < edges.size() && edges[k] <= atom.loss) ++k;
      if (k > 0 && k == edges.size() && i % 16 == 0 && p_from_[i] <= 0x1p-60 * sums[k].above.value()) {
        sums[k].p.add(p_from_[i]);
        break;
      }
      const double loss = snapped(atom.loss, k > 0 ? edges[k - 1] : -infinity, k < edges.size() ? edges[k] : infinity);
      shift = std::max(shift, std::fabs(loss - atom.loss));
      while (k < edges.size() && edges[k] <= loss) ++k;
      CellSums& cell = sums[k];
      cell.p.add(atom.p);
      if (k == 0) low_q.add(atom.q);
      if (k > 0) cell.above.add(atom.p * -math::expm1(edges[k - 1] - loss));
      if (k > 0 && k < edges.size()) cell.below.add(atom.p * math::expm1(edges[k] - loss));
    }
    PairCells result;
    for (std::size_t i = 1; i < edges.size(); ++i) result.cells.push_back(sums[i].value());
    const double error = relative_error();
    result.lower_tail_p = sums.front().p.value();
    result.lower_tail_q = (low_q.value() * (1 + error) + below_ + law_.reverse_cut) * (1 + 2 * u);
    result.upper_tail_p = sums.back().p.value();
    result.upper_tail_above = sums.back().above.value();
    result.infinity_mass = law_.cut == 0 ? above_.upper : (above_.upper + law_.cut) * (1 + 2 * u);
    result.infinity_mass_lower = above_.lower;
    result.mass_error = error;
    // The differences loss - edge are rounded once, relative to themselves; expm1 within 4 u.
    result.share_error = error + 8.1 * u;
    result.own_scale = true;
    result.loss_error = law_.loss_error + shift * (1 + 2 * u);  // proof: loss-coupling
    return result;
  }

  LossNodes nodes() const override {
    LossNodes nodes;
    const std::size_t largest = size() / most_nodes + 1;
    for (std::size_t i = 0, group; i < size(); i += group) {
      // Near the ends, where rare sums and steep tilts matter, atoms have their own nodes.
      group = std::clamp<std::size_t>(std::min(i, size() - i) / single_nodes, 1, largest);
      double mass = 0, moment = 0;
      for (std::size_t k = i; k < i + group; ++k) {
        mass += law_.atoms[k].p;
        moment += law_.atoms[k].p * law_.atoms[k].loss;
      }
      if (!(mass > 0)) continue;
      nodes.loss.push_back(moment / mass);
      nodes.log_mass.push_back(mass);
    }
    logarithms(nodes.log_mass);
    if (nodes.loss.empty()) nodes = {{0.0}, {-700.0}};  // all losses are infinite
    return nodes;
  }

  double loss_infimum() const override { return size() ? law_.atoms.front().loss - law_.loss_error : 0; }
  double loss_supremum() const override {
    if (above_.upper > 0) return infinity;
    if (law_.cut > 0) return law_.bound;
    return size() ? law_.atoms.back().loss + law_.loss_error : 0;
  }

  double finite_loss_bound() const override { return size() == 0 && law_.cut == 0 ? 0 : law_.bound; }
  double largest_loss_from_below() const override { return law_.reach; }

  double total_variation_bound() const override {
    CompensatedSum sum;
    for (const LossAtom& atom : law_.atoms)
      if (atom.loss > 0) sum.add(atom.p * -math::expm1(-atom.loss));
    const double finite = sum.value() * (1 + relative_error() + 8 * u);
    return std::min(1.0, finite + above_.upper + law_.cut + law_.loss_error + tiny);
  }

  Interval infinity_mass() const override {
    const bool all_listed = law_.cut == 0 || std::isfinite(law_.bound);
    const double upper = all_listed ? above_.upper : (above_.upper + law_.cut) * (1 + 2 * u);
    return {above_.lower, std::min(1.0, upper)};  // a probability
  }

  // The exact sum over atoms above `top`, including atoms that `integrate` may have moved up to the edge.
  double tail_moment_bound(double top, double t) const override {
    double sum = 0;
    for (std::size_t k = size(); k-- > 0 && law_.atoms[k].loss >= top - 1e-9 * (1 + std::fabs(top));)
      sum += law_.atoms[k].p * math::exp(t * (law_.atoms[k].loss + law_.loss_error));  // proof: tail-moments
    return sum * (1 + 1e-8);
  }
  double unlisted_moment_bound(double t) const override {
    if (above_.upper > 0) return infinity;
    // proof: tail-moments
    return (law_.cut_moment(t) + std::max(1.0, t) * (law_.reverse_cut + unlisted_q_)) * (1 + 1e-8);
  }
  double renyi_slope_bound(double order) const override {
    // Outcomes that only Q has, or that are not listed, may lie below the least loss listed.
    const double least = law_.reverse_reach < infinity ? -law_.reverse_bound : -infinity;  // proof: zcdp
    return std::min(law_.slope_bound, slope_between(least, loss_supremum(), order));
  }
  double renyi_slope_limit() const override { return law_.slope_limit; }
  Interval log_moment_bounds(double t) const override {
    if (law_.log_moment) return law_.log_moment(t);
    if (!law_.plain_log_moment || above_.upper > 0) return DominatingPair::log_moment_bounds(t);
    return sampled_log_moment({law_.atoms, relative_error(), law_.loss_error, law_.reverse_cut}, law_.rate,
                              law_.plain_log_moment(t), t);
  }
  double table_bytes() const override {
    return static_cast<double>(law_.atoms.capacity() * (sizeof(LossAtom) + 3 * sizeof(double)) +
                               listed_.capacity() * sizeof(Atom));
  }
  AtomSketch atom_sketch() const override { return {listed_, true}; }
  std::optional<FiniteLaw> finite_law() const override {
    return FiniteLaw{listed_,  relative_error(), law_.loss_error, law_.loss_rounding,
                     law_.cut, above_.upper,     above_.lower};
  }
  std::unique_ptr<MgfLine> whole_line(double tilt) const override {
    return law_.moment_line ? law_.moment_line(tilt) : nullptr;
  }
  bool has_whole_line() const override { return static_cast<bool>(law_.moment_line); }

 private:
  std::size_t size() const { return law_.atoms.size(); }

  // The masses of the atoms before each and from each on.
  void add_up() {
    const std::size_t count = size();
    p_below_.resize(count + 1), q_below_.resize(count + 1), p_from_.resize(count + 1);
    CompensatedSum p, q, from;
    for (std::size_t i = 0; i < count; ++i) {
      p.add(law_.atoms[i].p), q.add(law_.atoms[i].q), from.add(law_.atoms[count - 1 - i].p);
      p_below_[i + 1] = p.value(), q_below_[i + 1] = q.value(), p_from_[count - 1 - i] = from.value();
    }
  }

  std::size_t first_from(double loss) const {
    const auto first = std::lower_bound(law_.atoms.begin(), law_.atoms.end(), loss,
                                        [](const LossAtom& atom, double least) { return atom.loss < least; });
    return static_cast<std::size_t>(first - law_.atoms.begin());
  }

  // Merging adds 2 u; the compensated sums of `integrate`, of which one goes on from another, add 4 u.
  double relative_error() const { return law_.mass_error + 6 * u; }  // proof: discrete-laws

  // The mass at an infinite loss.
  Interval bounded(double mass) const {
    if (law_.infinity_is_exact) return {mass, mass};
    const double error = relative_error();
    return {std::max(0.0, mass * (1 - error) - tiny), mass * (1 + error) + tiny};  // proof: cut-masses
  }

  struct CellSums {
    CompensatedSum p, above, below;
    CellMass value() const { return {p.value(), above.value(), below.value()}; }
  };

  // An atom next to an edge counts as on the edge, for a loss error: there connect the dots is exact, whereas the lower
  // estimate would have to move an atom next to the edge down by a whole interval.
  static double snapped(double loss, double lower, double upper) {
    const double near = 32 * u * (1 + std::fabs(loss)) + 1e-10 * (upper - lower < 1 ? upper - lower : 0);
    if (loss - lower <= near) return lower;
    return upper - loss <= near ? upper : loss;
  }

  AtomicLaw law_;                   // finite losses only, increasing
  std::vector<LossAtom> infinite_;  // the others
  std::vector<Atom> listed_;        // finite losses of positive P-mass
  std::vector<double> p_below_, q_below_, p_from_;
  double below_ = 0;       // upper bound of the Q-mass at -inf
  Interval above_{0, 0};   // P-mass at inf
  double unlisted_q_ = 0;  // Q-mass of finite losses whose P-mass is counted as cut
};

// log(1 - q + q e^l), a bound of its rounding error, and an upper bound of its derivative, by which the error of l
// counts.
struct SampledLoss {
  double value, error, slope;
};

// Where l > 700 or q (e^l - 1) <= -1/2.
SampledLoss far_sampled_loss(double q, double l) {
  if (l > 700) {
    // Sums of terms of about |l| and |log q|; e^-l may underflow.
    const double value = l + math::log(q) + math::log1p((1 - q) * math::exp(-l) / q);
    return {value, 8 * u * (l + std::fabs(math::log(q)) + 1) + smallest_subnormal / q, 1};
  }
  // A sum of positive terms, off by 7 u of itself; |log| >= log 2.
  const double weight = q * math::exp(l), value = math::log((1 - q) + weight);
  return {value, 16 * u * std::fabs(value), weight / (1 - q + weight)};
}

// x is off by 5 u |x|, which log1p carries with the factor 1 / (1 + x): at most 5 u log1p(x) for x > 0, and at most
// 10 u |x| <= 10 u |log1p(x)| for x > -1/2; its own error is 4 u of the value. q e^l = q + x
// is off by 6 u of the larger of q and itself.
std::vector<SampledLoss> sampled_losses(double q, std::span<const LossAtom> atoms) {
  std::vector<double> x, value;
  x.reserve(atoms.size());
  for (const LossAtom& atom : atoms) x.push_back(std::min(atom.loss, 700.0));
  exponentials_less_1(x);
  for (double& each : x) each *= q;
  value = x;
  logarithms_of_1_plus(value);
  std::vector<SampledLoss> result;
  result.reserve(atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const double slope = (std::max(0.0, q + x[i]) + 8 * u * q) / (1 + x[i]);
    const double error = 16 * u * std::fabs(value[i]) + 4 * smallest_subnormal;  // proof: discrete-laws
    const bool far = atoms[i].loss > 700 || !(x[i] > -0.5);
    result.push_back(far ? far_sampled_loss(q, atoms[i].loss) : SampledLoss{value[i], error, slope});
  }
  return result;
}

// log(1 - q + q e^l) of any end of the losses, moved beyond its error: up or, of sign -1, down.
double sampled_end(double q, double l, double sign) {
  if (l == infinity) return infinity;
  const double x = q * math::expm1(std::min(l, 700.0)), near = math::log1p(std::max(x, -0.5));
  const SampledLoss end =
      l > 700 || !(x > -0.5) ? far_sampled_loss(q, l) : SampledLoss{near, 16 * u * std::fabs(near), 1};
  const double off = end.error + 4 * smallest_subnormal;  // proof: largest-loss
  return sign > 0 ? up(end.value + off) : down(end.value - off);
}

}  // namespace

AtomicLaw law_of_masses(std::vector<LossAtom> atoms, double mass_error) {
  AtomicLaw law;
  double largest = 0;
  for (const LossAtom& atom : atoms)
    if (std::isfinite(atom.loss)) largest = std::max(largest, std::fabs(atom.loss));
  law.atoms = std::move(atoms), law.mass_error = mass_error;
  law.loss_error = 2.1 * mass_error + 4 * u * largest;  // proof: best-of-runs
  law.bound = law.reverse_bound = largest + law.loss_error;
  return law;
}

AtomicLaw reversed(AtomicLaw law) {
  for (LossAtom& atom : law.atoms) atom = {-atom.loss, atom.q, atom.p};
  std::reverse(law.atoms.begin(), law.atoms.end());  // by increasing loss, if they were
  std::swap(law.cut, law.reverse_cut);
  std::swap(law.bound, law.reverse_bound);
  std::swap(law.reach, law.reverse_reach);
  std::swap(law.cut_moment, law.reverse_cut_moment);
  std::swap(law.log_moment, law.reverse_log_moment);
  law.plain_log_moment = nullptr;
  std::swap(law.moment_line, law.reverse_moment_line);
  std::swap(law.slope_limit, law.reverse_slope_limit);
  return law;
}

AtomicLaw poisson_sampled(const AtomicLaw& law, double q) {
  AtomicLaw result = without_small_masses(law);
  result.infinity_is_exact = false;
  result.loss_error = result.loss_rounding = 0;
  const std::vector<SampledLoss> losses = sampled_losses(q, result.atoms);  // of -inf: log(1 - q)
  for (std::size_t i = 0; i < losses.size(); ++i) {
    LossAtom& atom = result.atoms[i];
    const SampledLoss& loss = losses[i];
    const double own = std::min(law.loss_error, law.loss_rounding * std::fabs(atom.loss) + 1e-300);
    atom = {loss.value, (1 - q) * atom.q + q * atom.p, atom.q};
    if (!std::isfinite(loss.value)) continue;
    // The slope changes by less than a hundredth within a loss error.
    const double error = 1.01 * loss.slope * own + loss.error;  // proof: discrete-laws
    result.loss_error = std::max(result.loss_error, error);
    result.loss_rounding = std::max(result.loss_rounding, error / std::max(std::fabs(loss.value), 1e-300));
  }
  result.mass_error += 4 * u;  // 1 - q, two products, a sum
  // A loss of -inf becomes a finite one.
  const double least = result.reverse_reach < infinity ? -result.reverse_bound : -infinity;
  result.bound = sampled_end(q, result.bound, 1), result.reverse_bound = -sampled_end(q, least, -1);
  result.reach = sampled_end(q, result.reach, -1), result.reverse_reach = -sampled_end(q, -result.reverse_reach, 1);
  // E_Q[(1 - q + q r)^(t+1)] <= (1 - q) Q + q E_Q[r^(t+1)], r = e^l, by Jensen's inequality; the reverse is bounded.
  result.cut_moment = [moment = result.cut_moment, mass = result.reverse_cut, q](double t) {
    return ((1 - q) * mass + q * moment(t)) * (1 + 8 * u);
  };
  result.reverse_cut_moment = nullptr;
  result.rate = q, result.plain_log_moment = std::exchange(result.log_moment, nullptr);
  result.reverse_log_moment = nullptr;
  result.moment_line = result.reverse_moment_line = nullptr;
  result.reverse_slope_limit = 0;  // Renyi divergences are quasi-convex: slope_bound stays
  result.cut = ((1 - q) * result.reverse_cut + q * result.cut) * (1 + 8 * u);
  return result;
}

std::shared_ptr<const DominatingPair> atomic_pair(AtomicLaw law) {
  return std::make_shared<AtomicPair>(std::move(law));
}

}  // namespace hockeystick
