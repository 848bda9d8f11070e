// SPDX-License-Identifier: Apache-2.0
#include "run/run_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "methods/questions.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/work.hpp"
#include "pld/reflect.hpp"

namespace hockeystick {
namespace {

// Deltas next to the largest loss stay open: a larger grid bounds them no better than the curve beside them.
constexpr std::size_t memory_limit = std::size_t{1} << 26;
constexpr double farthest = 600;   // nats: powers of e and their products are doubles
constexpr int goals = 24;          // deltas at which losses are chosen
constexpr double most_work = 3e7;  // of the deltas of a curve
// Part of the mass of infinite losses by which delta may exceed that mass at the last loss: half of its digits.
const double slight = std::sqrt(u);
constexpr double rounding = 6 * u;

std::vector<double> epsilons_of(const Direction& run, std::span<const double> deltas) {
  std::vector<double> found;
  for (const Answer& answer : epsilon_bounds({&run, 1}, deltas, {1e-2, memory_limit})) found.push_back(answer.upper);
  return found;
}

// Losses between which delta falls by about equal factors, down to `tail` above the mass of infinite losses.
std::vector<double> losses_of(const Direction& run, double first, double infinite, double cells, double tail) {
  std::vector<double> wanted, losses{0};
  const double all = first - infinite, rare = std::min(std::max(tail, slight * infinite) / all, 0.5);
  for (int k = 1; k <= goals; ++k) wanted.push_back(infinite + all * math::exp(math::log(rare) * k / goals));
  const double parts = std::ceil(20 * cells / goals);
  double from = 0;
  for (double to : epsilons_of(run, wanted)) {
    to = std::min(to, farthest);
    if (!(to > from + 1e-9 * (1 + from))) continue;
    for (int k = 1; k <= parts; ++k) losses.push_back(from + (to - from) * k / parts);
    from = to;
  }
  return losses;
}

// The losses of one release with few losses, between which its curve is straight, and the middles between them, where
// chords show this; 0 alone for other runs.
std::vector<double> kinks_of(const Direction& run, double most) {
  std::vector<double> losses{0};
  const auto law = run.size() == 1 && run[0].count == 1 ? run[0].pair->finite_law() : std::nullopt;
  if (!law || static_cast<double>(law->atoms.size()) > most) return losses;
  for (const Atom& atom : law->atoms) {
    const double last = losses.back();
    if (!(atom.loss > last + 1e-9 * (1 + last) && atom.loss < farthest)) continue;
    losses.push_back((last + atom.loss) / 2), losses.push_back(atom.loss);
  }
  return losses;
}

// The point at which 1 - alpha meets the first chord, continued to the left; used where nothing is known of the
// reverse.
void begin_between(EnclosedCurve& curve) {
  if (curve.alpha.size() < 2) return;
  const double first = curve.alpha[0], value = curve.lower[0];
  const double slope = std::clamp((value - curve.upper[1]) / (curve.alpha[1] - first), 0.0, 1 - 1e-9);
  const double meets = (1 - value - slope * first) / (1 - slope) * (1 - 1e-9);
  if (!(meets > 0 && meets < first)) return;
  curve.alpha.insert(curve.alpha.begin(), meets);
  curve.lower.insert(curve.lower.begin(), std::max(0.0, down(1 - meets)));
  curve.upper.insert(curve.upper.begin(), 1.0);
}

}  // namespace

double exp_above(double x) { return math::exp(x) * (1 + rounding); }  // proof: run-curves
double exp_below(double x) { return math::exp(x) * (1 - rounding); }  // proof: run-curves

std::vector<Interval> deltas_of(const Direction& run, std::span<const double> losses, double tolerance,
                                double smallest) {
  if (run.empty()) return std::vector<Interval>(losses.size(), Interval{0, 0});
  std::vector<Interval> found;
  const WorkLimit work(most_work);
  for (const Answer& answer : delta_bounds({&run, 1}, losses, {tolerance, memory_limit, {}, smallest}))
    found.push_back({answer.lower, std::min(1.0, answer.upper)});
  return found;
}

double reach_of(const Direction& run, double tail) {
  if (run.empty()) return 0;
  const std::array last{farthest};
  const double infinite = deltas_of(run, last, 1e-4, tail).front().upper;
  const std::array goal{std::max(tail, (1 + slight) * infinite)};
  if (!(goal.front() < 1)) return farthest;
  return std::min(epsilons_of(run, goal).front(), farthest);
}

KnownDeltas known_deltas(const Direction& run, double cells, double tail) {
  KnownDeltas known{{0}, {}};
  const std::array ends{0.0, farthest};
  if (!run.empty()) {
    const std::vector<Interval> at_ends = deltas_of(run, ends, 1e-4, tail);
    const double first = at_ends[0].lower, infinite = at_ends[1].upper;
    if (first > infinite + tail) known.losses = kinks_of(run, 10 * cells);
    if (first > infinite + tail && known.losses.size() == 1)
      known.losses = losses_of(run, first, infinite, cells, tail);
  }
  known.deltas = deltas_of(run, known.losses, 1e-4, 1e-3 * tail);
  const std::array none{0.0};
  const double largest = run.empty() ? 0 : epsilons_of(run, none).front();
  if (largest < farthest) {  // beyond it delta is 0
    while (known.losses.size() > 1 && known.losses.back() >= largest) {
      known.losses.pop_back();
      known.deltas.pop_back();
    }
    known.losses.push_back(std::max(largest, 1e-12));
    known.deltas.push_back({0, 0});
  }
  for (std::size_t k = 1; k < known.deltas.size(); ++k)  // curves do not rise
    known.deltas[k].upper = std::min(known.deltas[k].upper, known.deltas[k - 1].upper);
  for (std::size_t k = known.deltas.size() - 1; k-- > 0;)
    known.deltas[k].lower = std::max(known.deltas[k].lower, known.deltas[k + 1].lower);
  return known;
}

KnownWays known_ways(const BothWays& run, double cells, double tail) {
  return {known_deltas(run.forth, cells, tail),
          run.back ? known_deltas(*run.back, cells, tail) : KnownDeltas{{0}, {{0, 1}}}};
}

EnclosedCurve curve_above(const KnownDeltas& forth, const KnownDeltas& back) {
  EnclosedCurve curve;
  for (std::size_t k = back.losses.size(); k-- > 1;) {
    curve.alpha.push_back(exp_above(-back.losses[k]));
    curve.upper.push_back(by_reverse(-back.losses[k], back.deltas[k]).upper);
  }
  for (std::size_t k = 0; k < forth.losses.size(); ++k) {
    curve.alpha.push_back(exp_above(forth.losses[k]));
    curve.upper.push_back(forth.deltas[k].upper);
  }
  return curve;
}

EnclosedCurve curve_between(const KnownDeltas& forth, const KnownDeltas& back) {
  EnclosedCurve curve;
  // An upper bound at the power rounded down, by less than 14 u of itself: there a convex curve is at most as steep as
  // its chord before, and nowhere steeper than 1.
  const auto add = [&](double loss, const Interval& value) {
    const double alpha = exp_below(loss);
    const double run = curve.alpha.empty() ? 0 : alpha - curve.alpha.back();
    const double steepest = run > 0 ? std::min(1.0, curve.upper.back() / run) : 1;
    curve.alpha.push_back(alpha);
    curve.lower.push_back(value.lower);
    curve.upper.push_back(std::min(1.0, value.upper + 16 * u * alpha * steepest));  // proof: run-curves
  };
  for (std::size_t k = back.losses.size(); k-- > 1;) add(-back.losses[k], by_reverse(-back.losses[k], back.deltas[k]));
  for (std::size_t k = 0; k < forth.losses.size(); ++k) add(forth.losses[k], forth.deltas[k]);
  if (back.losses.size() == 1) begin_between(curve);
  return curve;
}

AtomicLaw run_law(const BothWays& run, double cells, double tail, bool above) {
  const auto [forth, back] = known_ways(run, cells, std::max(tail, 1e-290));
  return above ? law_above(curve_above(forth, back)) : law_below(curve_between(forth, back));
}

}  // namespace hockeystick
