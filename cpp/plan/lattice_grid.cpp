// SPDX-License-Identifier: Apache-2.0
#include "plan/lattice_grid.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "mechanisms/loss_sketch.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

// Distance from the grid, in intervals, at which an atom counts as on it: its error is below every tolerance.
constexpr double on_grid = 1e-6;

constexpr double widest = 100;            // interval [nats]; e^100 is far from overflow
constexpr double most_candidates = 4096;  // multiples or divisors of a spacing that are tried
constexpr int grid_bits = 14;  // of an interval, so that grid losses and their midpoints are exact in binary64

// The lattice offset + k spacing on which all atoms lie; the spacing is inf for one atom, 0 if there is no lattice.
struct Lattice {
  double offset = 0, spacing = 0;
};

Lattice lattice_of(std::span<const Atom> atoms) {
  if (atoms.empty()) return {};
  const double offset = atoms.front().loss, range = atoms.back().loss - offset;
  if (atoms.size() == 1) return {offset, infinity};
  double spacing = 0;  // by Euclid's algorithm; remainders below 1e-9 of the range count as 0
  for (const Atom& atom : atoms) {
    double a = atom.loss - offset, b = spacing;
    while (b > 1e-9 * range) {
      const double rest = std::fabs(nearest_remainder(a, b));
      a = b;
      b = rest;
    }
    spacing = a;
    if (spacing > 0 && range / spacing > 0x1p24) return {};
  }
  if (!(spacing > 0)) return {};
  spacing = range / std::nearbyint(range / spacing);  // without the errors of the remainders
  for (const Atom& atom : atoms)
    if (std::fabs(nearest_remainder(atom.loss - offset, spacing)) > on_grid * spacing) return {};
  return {offset, spacing};
}

struct TermAtoms {
  Lattice lattice;
  double weight = 0;    // count times tilted mass of the atoms
  double spacing = 0;   // of the lattice, or the mean gap between atoms
  double heaviest = 0;  // loss of the atom with the largest tilted mass
  bool any = false, all = false;
  double tilt = 0;

  // Moving an atom down is balanced in the mean by the atom below it; only the variance changes, in proportion to their
  // distance. The part of the first-order error that remains.
  double fraction_felt(double interval) const { return std::min(1.0, 0.5 * (1 + tilt) * std::max(spacing, interval)); }
};

// Loss of the atom nearest to the node with the largest tilted mass.
double heaviest_loss(std::span<const Atom> atoms, const SeenNodes& nodes, double tilt) {
  double largest = -infinity, near = 0;
  for (std::size_t k = 0; k < nodes.loss.size(); ++k) {
    const double log_mass = nodes.log_mass[k] + tilt * nodes.loss[k];
    if (log_mass > largest) largest = log_mass, near = nodes.loss[k];
  }
  const auto above = std::lower_bound(atoms.begin(), atoms.end(), near,
                                      [](const Atom& atom, double loss) { return atom.loss < loss; });
  if (above == atoms.begin()) return above->loss;
  const Atom& below = *std::prev(above);
  return above == atoms.end() || near - below.loss < above->loss - near ? below.loss : above->loss;
}

TermAtoms look_at(const Term& term, const Saddlepoint& saddlepoint, std::size_t j, double tilt) {
  const AtomSketch atoms = term.pair->atom_sketch();
  TermAtoms result;
  if (atoms.at.empty()) return result;
  result.any = true;
  result.tilt = tilt;
  result.all = atoms.all;
  result.lattice = lattice_of(atoms.at);
  if (atoms.all) {
    result.weight = static_cast<double>(term.count);
    result.heaviest = heaviest_loss(atoms.at, saddlepoint.nodes(j), tilt);
  } else {
    const double log_moment = saddlepoint.log_moment(j, tilt);
    double largest = -infinity, total = 0;
    for (const Atom& atom : atoms.at) {
      const double log_mass = math::log(atom.mass) + tilt * atom.loss - log_moment;
      total += math::exp(std::min(log_mass, 1.0));
      if (log_mass > largest) largest = log_mass, result.heaviest = atom.loss;
    }
    result.weight = static_cast<double>(term.count) * std::min(1.0, total);
  }
  const double range = atoms.at.back().loss - atoms.at.front().loss;
  result.spacing = result.lattice.spacing > 0 ? result.lattice.spacing : range / static_cast<double>(atoms.at.size());
  return result;
}

// Distance of the atoms of a term from the grid, in intervals; at most 1.
double misfit(const TermAtoms& term, double interval) {
  if (!term.any || term.lattice.spacing == infinity) return 0;
  const double spacing = term.spacing;
  if (!(term.lattice.spacing > 0)) return std::min(1.0, spacing / interval);
  if (spacing >= interval) {
    const double off = std::fabs(nearest_remainder(spacing, interval)) / interval;
    return off <= on_grid ? 0 : off;
  }
  // A cell holds several atoms: no midpoint between grid points may be an atom.
  const double cell = interval / spacing, odd = 2 * std::floor(cell / 2) + 1;
  return std::fabs(cell - odd) <= on_grid * odd ? 0 : spacing / interval;
}

double loose_weight(const std::vector<TermAtoms>& terms, double interval) {
  double sum = 0;
  for (const TermAtoms& term : terms) sum += term.weight * term.fraction_felt(interval) * misfit(term, interval);
  return sum;
}

// The candidate whose atoms off the grid have the least error.
class Choice {
 public:
  explicit Choice(const std::vector<TermAtoms>& terms) : terms_(terms) {}
  /// True if all atoms lie on the grid of this one.
  bool consider(double interval) {
    const double off_grid_steps = loose_weight(terms_, interval) * interval;
    if (off_grid_steps < 0.9 * least_) {
      least_ = off_grid_steps;
      best_ = interval;
    }
    return least_ == 0;
  }
  double best() const { return best_; }

 private:
  const std::vector<TermAtoms>& terms_;
  double best_ = 0, least_ = infinity;
};

// An interval, at most the one asked for, whose grid holds the lattice of this spacing, and others if possible.
double fitted_interval(const std::vector<TermAtoms>& terms, double spacing, double interval) {
  Choice choice(terms);
  const double cells = interval / spacing;
  if (!(cells < 0x1p52)) return interval;  // doubles cannot represent multiples so fine
  const double down = 2 * std::ceil(cells / most_candidates);
  for (double odd = 2 * std::floor((cells - 1) / 2) + 1; odd >= std::max(1.0, cells / 4); odd -= down)
    if (choice.consider(odd * spacing)) return choice.best();
  if (choice.best() > 0) return choice.best();
  const double first = std::max(1.0, std::ceil(spacing / interval * (1 - 1e-12)));
  if (!(first < 0x1p52))
    return interval;  // the interval is so small that doubles cannot represent divisors of the spacing
  const double up = std::ceil(first / most_candidates);
  for (double k = first; k <= 2 * first + 8; k += up)
    if (choice.consider(spacing / k)) break;
  return choice.best();
}

// The widest interval whose grid holds all atoms; 0 if that takes too many points, and more than the interval asked
// for.
double exact_interval(const std::vector<TermAtoms>& terms, double spacing, double span, double interval) {
  const double least = std::min(span / tuning::exact_points, interval);
  for (double k = std::ceil(spacing / widest); k <= 1000 && k * least <= spacing; ++k)
    if (loose_weight(terms, spacing / k) == 0) return spacing / k;
  return 0;
}

// Balance of the mass on the two sides of a loss near the end of the range of losses. Mass beyond the farthest loss
// asked for is integrated once.
class EndBalance {
 public:
  EndBalance(const DominatingPair& pair, double interval)
      : pair_(pair), interval_(interval), below_(std::isfinite(pair.loss_infimum())) {}

  double loss(double away) const { return below_ ? pair_.loss_infimum() + away : pair_.loss_supremum() - away; }

  /// First moment of the half interval on the inner side, less that of all mass on the outer side, over their sum.
  double operator()(double away) {
    const bool known = outer_ > 0 && outer_ <= away;
    const double edges[] = {loss(known ? outer_ : -interval_), loss(away), loss(away + interval_ / 2)};
    const auto [outside, inside] = cells(edges);
    CellMass out = outside;
    const double width = away - outer_;
    if (known)  // moments about the new loss
      out.below += below_ ? beyond_.below * math::exp(width) + beyond_.p * math::expm1(width)
                          : beyond_.below * math::exp(-width) - beyond_.p * math::expm1(-width);
    out.p += known ? beyond_.p : 0;
    if (!known) {
      outer_ = away;
      beyond_ = out;
    }
    const double sum = out.below + inside.above;
    return sum > 0 ? (inside.above - out.below) / sum : 0.0;
  }

 private:
  // The cells outside and inside of the middle edge. If the losses are bounded above, they are mirrored.
  std::pair<CellMass, CellMass> cells(const double (&edges)[3]) const {
    if (below_) {
      const PairCells parts = pair_.integrate_inner(edges);
      return {parts.cells[0], parts.cells[1]};
    }
    const double mirrored[] = {edges[2], edges[1], edges[0]};
    const PairCells parts = pair_.integrate_inner(mirrored);
    const CellMass &outside = parts.cells[1], &inside = parts.cells[0];
    return {{outside.p, outside.below, outside.above}, {inside.p, inside.below, inside.above}};
  }

  const DominatingPair& pair_;
  double interval_;
  bool below_;
  double outer_ = 0;  // distance from the end of the losses; `beyond_` has the mass on its outer side
  CellMass beyond_;
};

// Losses that are bounded below or above have much mass near that end. The grid is shifted so that the mass within half
// an interval of the end is balanced about a grid point: otherwise the lower estimate would have an error of first
// order in every step.
double balancing_offset(const DominatingPair& pair, double interval) {
  if (!std::isfinite(pair.loss_infimum()) && !std::isfinite(pair.loss_supremum())) return 0;
  EndBalance balance(pair, interval);
  const double low = 0.02 * interval, high = (1 - 1e-5) * interval;
  if (balance(low) > 0) return balance.loss(monotone_root(balance, low, high, 1e-3));
  return balance.loss(monotone_root(EndBalance(pair, interval), 1e-9 * interval, low, 1e-3));
}

double offset_of(const TermAtoms& term, const DominatingPair& pair, double interval, bool balanced) {
  if (!term.any) return balanced ? balancing_offset(pair, interval) : 0;
  return nearest_remainder(term.lattice.spacing > 0 ? term.lattice.offset : term.heaviest, interval);
}

}  // namespace

double lattice_spacing(const DominatingPair& pair) {
  const AtomSketch atoms = pair.atom_sketch();
  return atoms.all ? lattice_of(atoms.at).spacing : 0;
}

LatticeGrid choose_lattice_grid(const Direction& direction, const Saddlepoint& saddlepoint,
                                const LatticeGridNeeds& needs) {
  const auto [tilt, interval, span, balanced] = needs;
  std::vector<TermAtoms> terms;
  const TermAtoms* reference = nullptr;
  double finest = infinity;
  bool all = true;
  for (std::size_t j = 0; j < direction.size(); ++j) terms.push_back(look_at(direction[j], saddlepoint, j, tilt));
  for (const TermAtoms& term : terms) {
    all = all && term.all && term.lattice.spacing > 0;
    const bool usable = term.lattice.spacing > 0 && std::isfinite(term.lattice.spacing);
    if (usable) finest = std::min(finest, term.lattice.spacing);
    if (usable && (!reference || term.weight > reference->weight)) reference = &term;
  }
  LatticeGrid result{with_bits(interval, grid_bits), {}};
  if (reference) {
    const double exact = all ? exact_interval(terms, finest, span, interval) : 0;
    result.exact = exact > 0;
    result.interval = result.exact ? exact : fitted_interval(terms, reference->spacing, interval);
  } else if (all) {
    result.exact = true;  // each term is one atom, and its offset puts that on the grid
    for (const TermAtoms& term : terms)
      result.interval =
          std::max(result.interval, with_bits(1e-3 * std::min(1.0 + std::fabs(term.heaviest), 1e5), grid_bits));
  }
  result.off_grid_steps = loose_weight(terms, result.interval);
  for (std::size_t j = 0; j < direction.size(); ++j)
    result.offsets.push_back(offset_of(terms[j], *direction[j].pair, result.interval, balanced));
  return result;
}

}  // namespace hockeystick
