// SPDX-License-Identifier: Apache-2.0
// Cuts for the tangent hull that balance the mass around each support point.
#include <algorithm>
#include <cmath>

#include "discretize/tangent_hull.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {
namespace {

// A model of a gap: P-mass p over the width d with density proportional to e^(rate t), 0 <= t <= 1.
struct GapModel {
  double moment;  // p d
  double rate;

  // moment * integral from 0 to t of s f(s) ds, f normalised.
  double above(double t) const {
    if (std::fabs(rate) < 0.2)  // f(s) = 1 + rate (s - 1/2)
      return moment * t * t * (0.5 - rate / 4 + rate * t / 3);
    return moment * ((t - 1 / rate) * math::exp(rate * (t - 1)) + math::exp(-rate) / rate) / -math::expm1(-rate);
  }

  GapModel mirrored() const { return {moment, -rate}; }
};

GapModel model(const SupportCells& halves, std::size_t i) {
  const double low = halves.parts.cells[2 * i].p, high = halves.parts.cells[2 * i + 1].p;
  const double ratio = low > 0 ? (high > 0 ? 2 * math::log(high / low) : -40.0) : 40.0;
  return {(low + high) * halves.gap(i), std::clamp(ratio, -40.0, 40.0)};
}

// The t in [0, 1] with gap.above(t) = wanted, or 1 if the gap has less.
double balance(const GapModel& gap, double wanted) {
  if (!(gap.above(1) > wanted)) return 1;
  double low = 0, high = 1, t = 0.5;
  for (int i = 0; i < 20 && high - low > 1e-3; ++i) {
    const double here = gap.above(t);
    (here < wanted ? low : high) = t;
    // The moment grows about like t^2.
    const double guess = here > 0 ? t * std::sqrt(wanted / here) : 0;
    if (std::fabs(guess - t) < 2e-3) return guess;
    t = guess > low && guess < high ? guess : low + (high - low) / 2;
  }
  return t;
}

// The gaps in the order of a sweep away from one end; for a sweep down everything is mirrored.
class Sweep {
 public:
  Sweep(const SupportCells& halves, bool down) : halves_(halves), down_(down) {}
  std::size_t size() const { return halves_.cuts.size(); }

  GapModel gap(std::size_t k) const {
    const GapModel here = model(halves_, index(k));
    return down_ ? here.mirrored() : here;
  }
  /// The moment, about the far end of the first gap, of the mass in it.
  double behind() const {
    const CellMass cell = whole_cell(halves_, index(0));
    return down_ ? cell.above : cell.below;
  }
  /// The moment, about the near end of gap k, of the mass in its near half.
  double ahead(std::size_t k) const {
    const std::size_t i = index(k);
    return down_ ? halves_.parts.cells[2 * i + 1].below : halves_.parts.cells[2 * i].above;
  }
  void place(std::vector<double>& cuts, std::size_t k, double t) const {
    const std::size_t i = index(k);
    cuts[i] = halves_.loss(i) + (down_ ? 1 - t : t) * halves_.gap(i);
  }

 private:
  std::size_t index(std::size_t k) const { return down_ ? size() - 1 - k : k; }
  const SupportCells& halves_;
  bool down_;
};

constexpr double damping = 0.25;

// Number of gaps from the end of the loss that get balanced cuts; beyond, half way costs less than 1 % more (measured).
constexpr std::size_t careful = 16;

struct Cuts {
  std::vector<double> at;
  double cost;  // unbalanced moments, which the lower estimate loses to first order
};

// From the gap `first`, cut at t, on: each cut balances the mass between the point behind and the cut against the mass
// between the cut before and that point.
Cuts swept(const SupportCells& halves, const Sweep& sweep, std::size_t first, double t, double unbalanced) {
  Cuts cuts{halves.cuts, unbalanced};
  if (first == 1) sweep.place(cuts.at, 0, 0.0);
  sweep.place(cuts.at, first, t);
  double wanted = sweep.gap(first).mirrored().above(1 - t);
  for (std::size_t k = first + 1; k < std::min(careful, sweep.size()); ++k) {
    const GapModel gap = sweep.gap(k);
    // Where the density falls, exact balance would make the cuts swing more and more; a step back towards the middle
    // damps the swings, for an imbalance of second order.
    t = balance(gap, wanted);
    t += damping * (0.5 - t);
    cuts.cost += std::fabs(gap.above(t) - wanted);
    wanted = gap.mirrored().above(1 - t);
    sweep.place(cuts.at, k, t);
  }
  return cuts;
}

// Where the mass falls by more than e^1 per half, the tangent at the middle would meet 0 before the upper end, and no
// curve above 0 lies under that tangent: the cut moves slightly nearer to that end than the tangent asks.
void cut_above_zero(const SupportCells& halves, std::vector<double>& cuts) {
  constexpr double steepest = 1, nearer = 0.7;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double low = halves.parts.cells[2 * i].p, high = halves.parts.cells[2 * i + 1].p;
    if (!(high < low * math::exp(-steepest))) continue;
    const double fall = high > 0 ? std::min(math::log(low / high), 40.0) : 40.0;
    const double reach = nearer * 0.5 * halves.gap(i) / fall;
    cuts[i] = std::max(cuts[i], halves.loss(i + 1) - reach);
  }
}

std::vector<double> balanced_at_end(const SupportCells& halves) {
  if (halves.cuts.size() < 2 || !(halves.bounded_below || halves.bounded_above)) return halves.cuts;
  const Sweep sweep(halves, halves.bounded_above && !halves.bounded_below);
  // The first point lies beyond the bound, the second about where the mass near the bound concentrates. The second
  // point takes either all of that mass or the amount that balances.
  const GapModel gap = sweep.gap(1);
  const double behind = sweep.behind();
  Cuts all = swept(halves, sweep, 1, 0.5, std::fabs(sweep.ahead(1) - behind));
  if (gap.rate < -20) return all.at;  // the concentration is finer than the grid and the model
  const double t = balance(gap, behind);
  Cuts part = swept(halves, sweep, 1, t, std::fabs(gap.above(t) - behind));
  return all.cost < part.cost ? all.at : part.at;
}

}  // namespace

std::vector<double> tangent_points(const SupportCells& halves) {
  // Atoms lie on the support if the support was made for them; then half way is exact.
  if (halves.support.has_atoms()) return halves.cuts;
  std::vector<double> cuts = balanced_at_end(halves);
  cut_above_zero(halves, cuts);
  return cuts;
}

}  // namespace hockeystick
