// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_curve.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/allocation/gaussian_above.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr int places = 13;             // s = 2^(-2), 2^(-3/2), ..., 16: the best is between 1 and 4 as a rule
constexpr int middle = 4;              // s = 1
constexpr double most_grid = 1 << 15;  // points of a term's law
constexpr double coarser = 4;          // laws for the search
constexpr int questions = 3;           // from one search for s to the next
constexpr int most_misses = 3;         // searches in a row, until the bound is not asked for any more
constexpr double farthest = 600;       // nats; curves go on by their last value
constexpr std::size_t most_values = 2000;

double s_at(int place) { return math::exp((0.5 * place - 2) * 0.69314718055994531); }

// A multiple of 2^-40, not below x (1 + 8 u).
double raised(double x) { return std::ceil(x * (1 + 8 * u) * 0x1p40) * 0x1p-40; }  // proof: shuffled-left-out

// A power of two next below, for a grid.
double grid_spacing(double x) { return std::ldexp(1.0, std::ilogb(x)); }

// Points of one way, and those of the other at 1 / alpha.
struct Points {
  std::vector<double> alpha, upper;
};

Points points_of(ShuffleBound& bound, Way way, bool replaces, double cells, double tail) {
  Points points;
  double x = 0, before = 0, first = 0, step = 0;
  for (std::size_t k = 0; k < most_values && x < farthest; ++k) {
    checkpoint();
    const double alpha = math::exp(x);
    double value = bound.upper(way, alpha);
    if (replaces) value = std::min(value, bound.upper(way == Way::forth ? Way::back : Way::forth, alpha));
    if (k > 0) value = std::min(value, before);
    points.alpha.push_back(alpha);
    points.upper.push_back(value);
    if (value < tail) break;
    // The curve falls by a fifth of its logarithm, and further out by up to four fifths, from a point to the next.
    double rate = 0.5 / value;
    if (k == 0)
      first = value;
    else
      rate = std::max(math::log(before / value) / step, 1e-3);
    const double fall = (0.2 + 0.6 * std::min(1.0, math::log(first / value) / 8)) * 12 / cells;
    step = k == 0 ? fall / rate : std::clamp(fall / rate, step / 2, 2 * step);
    before = value;
    x += step;
  }
  return points;
}

EnclosedCurve curve_of(const Points& forth, const Points& back) {
  EnclosedCurve curve;
  for (std::size_t k = back.alpha.size(); k-- > 1;) {
    const double alpha = up(1 / back.alpha[k]);
    curve.alpha.push_back(alpha);
    curve.upper.push_back(std::min(1.0, 1 - alpha + alpha * back.upper[k] + 8 * u));  // proof: shuffled-left-out
  }
  curve.alpha.insert(curve.alpha.end(), forth.alpha.begin(), forth.alpha.end());
  curve.upper.insert(curve.upper.end(), forth.upper.begin(), forth.upper.end());
  return curve;
}

}  // namespace

ShuffleBound::ShuffleBound(const LeftOut& epoch, double cells, double tail)
    : epoch_(epoch), cells_(cells), tail_(tail), known_(2 * places) {}

const ShuffleBound::Split& ShuffleBound::split(int place, bool fine) {
  std::vector<Split>& slot = known_[static_cast<std::size_t>(2 * place + fine)];
  if (slot.empty()) {
    const double s = s_at(place), width = (fine ? 1.5 : 3 * coarser) / cells_;
    slot.push_back({split_lognormal(raised(std::sqrt(1 + s) * epoch_.mu), width, tail_ / 10),
                    split_lognormal(raised(std::sqrt(1 + 1 / s) * epoch_.mu), width, tail_ / 10)});
  }
  return slot.front();
}

double ShuffleBound::bound(Way way, double alpha, int place, bool fine, double& tilt) {
  const Split& laws = split(place, fine);
  const double s = s_at(place), square = epoch_.mu * epoch_.mu;
  const double of_t = (1 + s) * square, of_y = (1 + 1 / s) * square;
  const double y2 = math::exp(of_y),
               spread = way == Way::forth ? y2 + alpha * (alpha - 2) : 1 + alpha * (alpha * y2 - 2);
  const double less_mean = (alpha - 1) * (alpha - 1);
  const double deviation = std::sqrt(math::exp(of_t) * spread - less_mean);
  // What is left out of the mean at the ends of the grid may be a small part of the bound, that of the last question.
  const double tail = std::clamp(5e-3 * searches_[way == Way::back].last, tail_ / 10, 1e-4);
  const double reach = upper_normal_quantile(tail).upper;
  const auto largest = [&](double variance) { return math::exp(variance / 2 + reach * std::sqrt(variance)); };
  double top = largest(of_t + of_y), bottom = alpha * largest(of_t);
  if (way == Way::back) {
    bottom = alpha * top;
    top = largest(of_t);
  }
  const double wanted = std::max(deviation * (fine ? 3.6 : 12) / cells_, (top + bottom) / most_grid);
  if (!(wanted < 0x1p500)) return infinity;
  const TermLaw term = term_law(laws.t, laws.y, way, alpha, grid_spacing(wanted), -bottom, top);
  if (tilt == 0) tilt = std::min(3 / (deviation * std::sqrt(static_cast<double>(epoch_.batches))), 5 / top);
  const double less = epoch_.by_batch * (alpha - 1) * (1 - 4 * u);
  return mean_positive_part(term, epoch_.batches, less, tilt) * epoch_.joins * (1 + 2 * u);
}

void ShuffleBound::search(Way way, double alpha, double alone) {
  Search& found = searches_[way == Way::back];
  double best = infinity, tilt = found.tilt;
  int at = found.place;
  const auto improves = [&](int place) {
    if (place < 0 || place >= places) return false;
    double of_place = tilt;
    const double value = bound(way, alpha, place, false, of_place);
    if (!(value < best)) return false;
    best = value, tilt = of_place, at = place;
    return true;
  };
  improves(at);
  improves(middle);
  if (improves(at + 1))
    while (improves(at + 1)) continue;
  else
    while (improves(at - 1)) continue;
  found.place = at;
  found.tilt = tilt;
  found.helps = best < 1.2 * alone;
  found.misses = best < alone ? 0 : found.misses + 1;
}

double ShuffleBound::upper(Way way, double alpha) {
  const double alone = gaussian_above(epoch_.mu, alpha, 0);
  Search& found = searches_[way == Way::back];
  if (found.misses >= most_misses) return alone;
  if (found.asked++ % questions == 0) search(way, alpha, alone);
  if (!found.helps) return alone;
  const double value = std::min(alone, bound(way, alpha, found.place, true, found.tilt));
  found.last = value;
  return value;
}

ShuffleCurves shuffle_curves(const LeftOut& epoch, bool replaces, double cells, double tail) {
  ShuffleBound bound(epoch, cells, tail);
  const Points forth = points_of(bound, Way::forth, replaces, cells, tail);
  if (replaces) return {curve_of(forth, forth), curve_of(forth, forth)};
  const Points back = points_of(bound, Way::back, replaces, cells, tail);
  return {curve_of(forth, back), curve_of(back, forth)};
}

}  // namespace hockeystick
