// SPDX-License-Identifier: Apache-2.0
#include "plan/nonuniform_grid.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/elementary.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

constexpr int deepest_level = 40;  // gaps of 2^40 intervals

// Losses at which each level of coarser gaps begins, on one side, from the bulk outwards.
struct Levels {
  std::vector<double> level_start;  // [k - 1] for gap 2^k
  double end;
  bool cut = false;  // whether mass beyond the end is left out
};

std::vector<double> tilted_masses(const SeenNodes& nodes, const SupportNeeds& needs) {
  std::vector<double> mass(nodes.loss.size());
  for (std::size_t k = 0; k < mass.size(); ++k)
    mass[k] = math::exp(nodes.log_mass[k] + needs.tilt * nodes.loss[k] - needs.log_moment);
  return mass;
}

int levels_allowed(double fraction, double interval, double widest) {
  const double by_mass = 0.5 * math::log2(tuning::graded_fraction / std::max(fraction, 1e-300));
  const double by_width = math::log2(widest / interval);
  return static_cast<int>(std::clamp(std::min(by_mass, by_width), 0.0, 1.0 * deepest_level));
}

// Adds up mass from one end inwards. A level reaches inwards as long as its mass is small enough.
Levels scan(const SeenNodes& nodes, const std::vector<double>& mass, const SupportNeeds& needs, double interval,
            bool from_top) {
  const std::size_t count = mass.size();
  double plain = 0, fraction = 0;
  bool started = false;
  Levels levels{{}, from_top ? nodes.loss.back() : nodes.loss.front(), false};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = from_top ? count - 1 - i : i;
    plain += math::exp(nodes.log_mass[k]);
    fraction += mass[k];
    if (!started) {
      const double allowed =
          from_top ? needs.log_top_mass : needs.log_bottom_mass - needs.tilt * nodes.loss[k] + needs.log_moment;
      if (math::log(plain) <= allowed) {
        levels.end = nodes.loss[k];
        levels.cut = true;
        continue;
      }
      started = true;
    }
    const double counted = from_top ? std::max(fraction, needs.least) : fraction;
    const int allowed = levels_allowed(counted / needs.moving, interval, needs.widest);
    if (levels.level_start.empty()) levels.level_start.assign(static_cast<std::size_t>(allowed), levels.end);
    for (std::size_t level = 0; level < static_cast<std::size_t>(allowed); ++level)
      if (level < levels.level_start.size()) levels.level_start[level] = nodes.loss[k];
    if (allowed == 0) break;
  }
  return levels;
}

}  // namespace

NonuniformGrid::NonuniformGrid(const DominatingPair& pair, double offset, double interval)
    : interval_(interval), offset_(offset) {
  const auto atoms = pair.atom_sketch().at;
  if (atoms.empty()) return;
  lowest_atom_ = atoms.front().loss;
  highest_atom_ = atoms.back().loss;
}

NonuniformGrid::NonuniformGrid(const DominatingPair& pair, const Saddlepoint& saddlepoint, std::size_t term,
                               const SupportNeeds& needs, double interval)
    : NonuniformGrid(pair, needs.offset, interval) {
  const SeenNodes nodes = saddlepoint.nodes(term);
  const auto mass = tilted_masses(nodes, needs);
  const Levels top = scan(nodes, mass, needs, interval, true);
  const Levels bottom = scan(nodes, mass, needs, interval, false);
  const auto grid = [&](double loss) {
    return static_cast<std::int64_t>(std::floor(std::clamp((loss - offset_) / interval, -4e18, 4e18)));
  };
  // A node represents losses on both sides of it.
  const double least = pair.loss_infimum(), most = pair.loss_supremum();
  // A closing needs the moments of the least losses.
  const bool to_least = std::isfinite(least) && (!bottom.cut || needs.top < infinity);
  const double low = std::max(saddlepoint.lowest(term), to_least ? least : std::max(bottom.end, least));
  const double last = !top.cut && std::isfinite(most) ? most : std::min(top.end, most);
  closed_ = needs.top <= last;
  const double high = std::min(last, needs.top);
  // Strictly outside the range of losses, despite rounding.
  const std::int64_t begin = grid(low - 1e-6 * interval);
  last_ = std::max(grid(high + 1e-6 * interval) + 1, begin + 1);
  std::int64_t at = begin;
  const auto run = [&](double until, std::int64_t gap) {
    const std::int64_t stop = std::min(grid(until), last_);
    if (stop - at < gap) return;
    const std::int64_t count = (stop - at) / gap;
    runs_.push_back({at, gap, count});
    at += gap * count;
  };
  for (std::size_t k = bottom.level_start.size(); k-- > 0;) run(bottom.level_start[k], std::int64_t{1} << (k + 1));
  run(top.level_start.empty() ? offset_ + interval * static_cast<double>(last_) : top.level_start.front(), 1);
  for (std::size_t k = 0; k < top.level_start.size(); ++k)
    run(k + 1 < top.level_start.size() ? top.level_start[k + 1] : offset_ + interval * static_cast<double>(last_),
        std::int64_t{1} << (k + 1));
  if (at < last_) runs_.push_back({at, last_ - at, 1});
}

NonuniformGrid::NonuniformGrid(const DominatingPair& pair, double offset, double interval,
                               std::span<const std::int64_t> index)
    : NonuniformGrid(pair, offset, interval) {
  room_ = Held(static_cast<double>(index.size() * sizeof(Run)));
  last_ = index.front();
  runs_.reserve(index.size());
  for (const std::int64_t point : index.subspan(1)) add_run(point - last_, 1);
}

namespace {

constexpr double widest_gap = 1;  // between two points [nats], so that e^loss varies little between them

// Multiples of the interval, small enough that an int64 holds the difference of two of them.
std::int64_t grid_point(double position) { return static_cast<std::int64_t>(std::clamp(position, -4e18, 4e18)); }

}  // namespace

NonuniformGrid::NonuniformGrid(const DominatingPair& pair, double offset, double interval, std::span<const Atom> atoms)
    : NonuniformGrid(pair, offset, interval) {
  room_ = Held(static_cast<double>(4 * atoms.size() * sizeof(Run)));
  const std::int64_t widest = grid_point(std::max(1.0, widest_gap / interval));
  bool empty = true;
  for (const Atom& atom : atoms) {
    const double position = (atom.loss - offset) / interval, nearest = std::nearbyint(position);
    const bool on_grid = std::fabs(position - nearest) < 1e-6;
    const double below = on_grid ? nearest : std::floor(position);
    if (std::exchange(empty, false)) last_ = grid_point(below - 1);  // below the atom despite rounding
    add(grid_point(below), widest);
    if (!on_grid) add(grid_point(below + 1), widest);
  }
  add_run(1, 1);
}

// Adds the point if it is beyond the last, and points between them so that no gap is wider than `widest`.
void NonuniformGrid::add(std::int64_t point, std::int64_t widest) {
  if (point <= last_) return;
  const std::int64_t steps = (point - last_ - 1) / widest;
  if (steps > 0) add_run(widest, steps);
  add_run(point - last_, 1);
}

// Adds `count` points.
void NonuniformGrid::add_run(std::int64_t gap, std::int64_t count) {
  if (!runs_.empty() && runs_.back().gap == gap)
    runs_.back().count += count;
  else
    runs_.push_back({last_, gap, count});
  last_ += gap * count;
}

double NonuniformGrid::points() const {
  double total = 1;
  for (const Run& run : runs_) total += static_cast<double>(run.count);
  return total;
}

double NonuniformGrid::lowest() const {
  return offset_ + interval_ * static_cast<double>(runs_.empty() ? last_ : runs_.front().first);
}

double NonuniformGrid::highest() const { return offset_ + interval_ * static_cast<double>(last_); }

Support NonuniformGrid::build() const {
  Support support{interval_, offset_, {}, lowest_atom_, highest_atom_, closed_};
  support.index.reserve(static_cast<std::size_t>(points()));
  for (const Run& run : runs_)
    for (std::int64_t i = 0; i < run.count; ++i) support.index.push_back(run.first + i * run.gap);
  support.index.push_back(last_);
  return support;
}

namespace {

// The atoms that truncation leaves; one of those up to `lowest`, if there is one.
std::span<const Atom> kept_atoms(std::span<const Atom> atoms, double lowest, const SupportNeeds& needs) {
  while (atoms.size() > 1 && atoms[1].loss <= lowest) atoms = atoms.subspan(1);
  double mass = 0;
  while (atoms.size() > 1 && math::log(mass + atoms.back().mass) <= needs.log_top_mass) {
    mass += atoms.back().mass;
    atoms = atoms.first(atoms.size() - 1);
  }
  mass = 0;
  while (atoms.size() > 1) {
    mass += atoms.front().mass;  // would go to the next atom
    if (math::log(mass) > needs.log_bottom_mass - needs.tilt * atoms[1].loss + needs.log_moment) break;
    atoms = atoms.subspan(1);
  }
  return atoms;
}

}  // namespace

NonuniformGrid plan_nonuniform_grid(const DominatingPair& pair, const Saddlepoint& saddlepoint, std::size_t term,
                                    SupportNeeds needs, double interval) {
  const AtomSketch atoms = pair.atom_sketch();
  if (atoms.at.empty()) return NonuniformGrid(pair, saddlepoint, term, needs, interval);
  needs.widest = interval;
  NonuniformGrid graded(pair, saddlepoint, term, needs, interval);
  if (!atoms.all || static_cast<double>(atoms.at.size()) > graded.points()) return graded;
  NonuniformGrid next_to_atoms(pair, needs.offset, interval, kept_atoms(atoms.at, saddlepoint.lowest(term), needs));
  return next_to_atoms.points() < graded.points() ? next_to_atoms : graded;
}

}  // namespace hockeystick
