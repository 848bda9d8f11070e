// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/curve_law.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "numeric/elementary.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double slack = 16 * u;  // of sums of a few terms of size 1
constexpr double most_alpha = 1e280;
// Of slopes: the least that count, 1e-27 at 1e280, are then at their full precision.
constexpr double scale = 0x1p900;

// A point of a curve; its value in two doubles, which is exact.
struct Point {
  double alpha;
  TwoParts value;
};

// (b - a) / (b.alpha - a.alpha), scaled, within 2^-98 of itself: differences are exact in two doubles but for 2^-105.
TwoParts slope(const Point& a, const Point& b) {
  const TwoParts high = two_sum(b.value.value, -a.value.value);
  const TwoParts exact = two_sum(high.value, high.error + (b.value.error - a.value.error));
  const TwoParts rise{exact.value * scale, exact.error * scale};
  const TwoParts run = two_sum(b.alpha, -a.alpha);
  const double first = rise.value / run.value;
  const double rest = exact_remainder(rise.value, first, run.value) + (rise.error - first * run.error);
  return two_sum(first, rest / run.value);
}

bool is_less(const TwoParts& a, const TwoParts& b) {
  return a.value != b.value ? a.value < b.value : a.error < b.error;
}

double difference(const TwoParts& a, const TwoParts& b) {
  const TwoParts high = two_sum(a.value, -b.value);
  return high.value + (high.error + (a.error - b.error));
}

bool is_steeper(const TwoParts& a, const TwoParts& b) { return difference(b, a) > 0x1p-60 * std::fabs(a.value); }

// The lower convex hull of (0, 1) and the points, whose first slope is at least -1. It does not rise, and its last
// slope is 0, beyond the last point. Points that bend it by less than 2^-60 of the slope are left out, which raises it.
struct Hull {
  std::vector<Point> points;
  std::vector<TwoParts> slopes;  // from each point
};

Hull hull_of(const std::vector<Point>& points) {
  Hull hull{{{0, {1, 0}}}, {}};
  for (const Point& next : points) {
    TwoParts last = slope(hull.points.back(), next);
    // Of slopes closer than 2^-60 the rounding would be much of their difference.
    while (!hull.slopes.empty() && !is_steeper(hull.slopes.back(), last)) {
      hull.points.pop_back();
      hull.slopes.pop_back();
      last = slope(hull.points.back(), next);
    }
    hull.points.push_back(next);
    hull.slopes.push_back(last);
  }
  hull.slopes.push_back({0, 0});
  return hull;
}

AtomicLaw hull_law(const std::vector<Point>& given) {
  const auto [points, slopes] = hull_of(given);
  AtomicLaw law;
  double error = 0, largest = 0;
  const auto add = [&](double loss, double alpha, double scaled, double steepest) {
    if (!(scaled > 0)) return;
    // The slopes are off by 2^-98 of themselves; the difference and the product by alpha are rounded.
    error = std::max(error, 0x1p-96 * steepest / scaled);  // proof: curve-hull
    const double p = alpha > 1 ? alpha / scale * scaled : alpha * (scaled / scale);
    law.atoms.push_back({loss, p, scaled / scale});
    if (std::isfinite(loss)) largest = std::max(largest, std::fabs(loss));
  };
  add(-infinity, 0, difference(slopes[0], {-scale, 0}), scale);
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double alpha = points[k].alpha;
    add(math::log(alpha), alpha, difference(slopes[k], slopes[k - 1]), std::fabs(slopes[k - 1].value));
  }
  const double beyond = points.back().value.value;
  if (beyond > 0) law.atoms.push_back({infinity, beyond, 0});
  law.mass_error = 4 * u + error;  // proof: curve-hull
  law.loss_error = 4 * u * largest + smallest_subnormal, law.loss_rounding = 4 * u;
  law.bound = law.reverse_bound = largest * (1 + 4 * u);
  return law;
}

// The upper values, where they do not rise and are at least 1 - alpha.
std::vector<Point> points_above(const EnclosedCurve& curve) {
  std::vector<Point> points;
  double least = 1;  // the curve does not increase
  for (std::size_t k = 0; k < curve.alpha.size(); ++k) {
    least = std::min(least, curve.upper[k]);  // proof: curve-hull
    const TwoParts line = two_sum(1, -curve.alpha[k]);
    const bool below_line = is_less({least, 0}, line);  // by the giver's rounding: the curve is above the line
    points.push_back({curve.alpha[k], below_line ? line : TwoParts{least, 0}});
  }
  return points;
}

// Lowers what exceeds the hull of the upper values by rounding, so that a curve lies between.
void keep_below_hull(EnclosedCurve& curve) {
  const std::vector<Point> hull = hull_of(points_above(curve)).points;
  std::size_t next = 1;
  for (std::size_t k = 0; k < curve.alpha.size(); ++k) {
    const double alpha = curve.alpha[k];
    while (hull[next].alpha < alpha) ++next;
    const Point &left = hull[next - 1], &right = hull[next];
    if (right.alpha == alpha) continue;
    const double share = (alpha - left.alpha) / (right.alpha - left.alpha);
    const double chord = left.value.value + share * (right.value.value - left.value.value);
    if (!(curve.lower[k] <= chord + 64 * u))
      throw std::invalid_argument(
          "lower must be at most the chord between upper at alpha = " + written(left.alpha, 17) + " and " +
          written(right.alpha, 17) + ", as the curve is convex, got " + written(curve.lower[k], 17) +
          " at alpha = " + written(alpha, 17));
    curve.lower[k] = std::min(curve.lower[k], chord - 8 * u * left.value.value);  // proof: curve-hull
  }
}

// A place on a lattice of losses, and the chord of given points there, which is off by 8 u of the size.
struct Place {
  double alpha, value, size;
  std::size_t next;  // the first point at or beyond
};

// Leaves out places to which the curve, or that of the reverse, falls by less than a normal tail does in `apart`
// deviations.
void thin(std::vector<Place>& places, double apart) {
  const auto least = [](const Place& place) { return std::min(place.value, place.value - (1 - place.alpha)); };
  double most = 0, before = infinity;
  for (const Place& place : places) most = std::max(most, least(place));
  std::size_t left = places.size();
  std::erase_if(places, [&](const Place& place) {
    const double deviations = std::sqrt(2 * math::log(most / least(place)));
    const bool is_near = --left > 0 && std::fabs(deviations - before) < apart;
    if (!is_near) before = deviations;
    return is_near;
  });
}

// Those next to the points; the value is `last` beyond them.
std::vector<Place> places_on_lattice(std::span<const double> alpha, std::span<const double> value,
                                     const Lattice& lattice, double last) {
  const double spacing = lattice.spacing;
  std::vector<Place> places;
  double before = -infinity;
  std::size_t next = 0;
  const auto add = [&](double k) {
    if (!(k > before)) return;
    before = k;
    const double at = math::exp(k * spacing);
    while (next < alpha.size() && alpha[next] < at) ++next;
    if (next == alpha.size()) return places.push_back({at, last, std::fabs(last), next});
    if (next == 0) return;  // the hull begins at (0, 1)
    const double part = (at - alpha[next - 1]) / (alpha[next] - alpha[next - 1]);
    places.push_back({at, value[next - 1] * (1 - part) + value[next] * part,
                      std::max(std::fabs(value[next - 1]), std::fabs(value[next])), next});
  };
  for (const double at : alpha) add(std::floor(math::log(at) / spacing)), add(std::ceil(math::log(at) / spacing));
  if (places.empty() || places.back().alpha < alpha.back()) add(before + 1);
  thin(places, lattice.apart);
  return places;
}

}  // namespace

void check_curve(EnclosedCurve& curve) {
  const std::size_t n = curve.alpha.size();
  if (n < 2 || curve.lower.size() != n || curve.upper.size() != n)
    throw std::invalid_argument("alpha, lower and upper must have the same length, at least 2");
  double least = 1;  // of the upper values so far: the curve does not increase
  for (std::size_t k = 0; k < n; ++k) {
    const double alpha = curve.alpha[k], lower = curve.lower[k];
    double& upper = curve.upper[k];
    least = std::min(least, upper);
    if (!(alpha > (k > 0 ? curve.alpha[k - 1] : 0) && alpha < most_alpha))
      throw std::invalid_argument("alpha must be increasing numbers in (0, 1e280), got " + written(alpha, 17));
    if (!(lower <= upper && lower <= 1 && upper >= 0 && up(upper) >= 1 - alpha))
      throw std::invalid_argument(
          "lower <= upper, lower <= 1, upper >= 0 and upper >= 1 - alpha must hold at each alpha, got lower = " +
          written(lower, 17) + " and upper = " + written(upper, 17) + " at alpha = " + written(alpha, 17));
    if (!(lower <= least))
      throw std::invalid_argument("lower must be at most upper at every smaller alpha, got " + written(lower, 17) +
                                  " at alpha = " + written(alpha, 17) + " and upper = " + written(least, 17) +
                                  " before");
    upper = std::max(upper, std::min(1.0, up(1 - alpha)));
  }
  keep_below_hull(curve);
}

AtomicLaw law_above(const EnclosedCurve& curve) { return hull_law(points_above(curve)); }

AtomicLaw law_below(const EnclosedCurve& curve) {
  const ChordPoints chords = chords_below(curve);
  return law_below_chords(chords.alpha, chords.value, 0);
}

ChordPoints chords_below(const EnclosedCurve& curve) {
  const std::vector<double>&alpha = curve.alpha, &low = curve.lower, &high = curve.upper;
  const std::size_t last = alpha.size() - 1;
  ChordPoints chords{alpha, std::vector<double>(last + 1, infinity)};
  for (std::size_t k = 0; k < last; ++k) {
    const double width = alpha[k + 1] - alpha[k], slope = std::clamp((low[k + 1] - low[k]) / width, -1.0, 0.0);
    // A line through (x, value), less one of the gap's own slope that is 0 at its start: the least at both ends.
    const auto least = [&](double x, double value, double steep) {
      const auto at = [&](double end) { return value + steep * (end - x) - slope * (end - alpha[k]); };
      const double size = std::fabs(steep) * width + std::fabs(slope) * width;
      return std::min(at(alpha[k]), at(alpha[k + 1])) - slack * (std::fabs(value) + size);  // proof: curve-hull
    };
    double offset = least(alpha[k + 1], low[k + 1], 0);  // h does not increase
    offset = std::max(offset, least(alpha[k], 1 - alpha[k], -1));
    if (k > 0) {
      // proof: curve-hull
      const double steep = down((low[k] - high[k - 1]) / (alpha[k] - alpha[k - 1]) * (1 + 4 * u));
      offset = std::max(offset, least(alpha[k], low[k], steep));
    }
    if (k + 2 <= last) {
      // proof: curve-hull
      const double steep = (high[k + 2] - low[k + 1]) / (alpha[k + 2] - alpha[k + 1]) * (1 - 4 * u);
      offset = std::max(offset, least(alpha[k + 1], low[k + 1], std::min(0.0, steep)));
    }
    const double rise = slope * width;
    chords.value[k] = std::min(chords.value[k], offset);
    chords.value[k + 1] = offset + rise - slack * (std::fabs(offset) + std::fabs(rise));
  }
  return chords;
}

ChordPoints spliced(ChordPoints near, const ChordPoints& far) {
  std::size_t next = far.alpha.size();  // the first of `far` beyond a point of `near`
  for (std::size_t k = near.alpha.size(); k-- > 0;) {
    while (next > 0 && far.alpha[next - 1] > near.alpha[k]) --next;
    if (next == far.alpha.size()) continue;
    if (next == 0) break;
    const double from = far.alpha[next - 1], width = far.alpha[next] - from, part = (near.alpha[k] - from) / width;
    // proof: curve-hull
    const double chord = (far.value[next - 1] * (1 - part) + far.value[next] * part) * (1 - slack);
    if (chord > near.value[k]) continue;
    if (!(far.value[next] > 0)) break;
    near.alpha.resize(k + 1), near.value.resize(k + 1);
    near.value[k] = chord;
    const auto first = static_cast<std::ptrdiff_t>(next);
    near.alpha.insert(near.alpha.end(), far.alpha.begin() + first, far.alpha.end());
    near.value.insert(near.value.end(), far.value.begin() + first, far.value.end());
    break;
  }
  return near;
}

EnclosedCurve upper_on_lattice(const EnclosedCurve& curve, const Lattice& lattice) {
  EnclosedCurve hull, result;
  for (const Point& point : hull_of(points_above(curve)).points) {
    if (point.alpha > 0) hull.alpha.push_back(point.alpha), hull.upper.push_back(point.value.value);
  }
  for (const Place& place : places_on_lattice(hull.alpha, hull.upper, lattice, hull.upper.back())) {
    result.alpha.push_back(place.alpha);
    result.upper.push_back(std::min(1.0, place.value + slack * place.size));  // proof: curve-hull
  }
  return result;
}

ChordPoints chords_on_lattice(const ChordPoints& chords, const Lattice& lattice, double floor) {
  const std::vector<Place> places = places_on_lattice(chords.alpha, chords.value, lattice, floor);
  std::vector<double> lower(places.size(), 0.0);  // by so much
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    const Place &left = places[i], &right = places[i + 1];
    const double off = 2 * slack * (left.size + right.size);  // proof: curve-hull
    double most = off;
    for (std::size_t k = left.next; k < right.next; ++k) {
      const double part = (chords.alpha[k] - left.alpha) / (right.alpha - left.alpha);
      const double chord = left.value * (1 - part) + right.value * part;
      most = std::max(most, chord - chords.value[k] + off);  // proof: curve-hull
    }
    lower[i] = std::max(lower[i], most), lower[i + 1] = most;
  }
  // The curve leaves the line 1 - alpha, and meets the floor, on the lattice too.
  std::size_t first = 0, end = places.size();
  const auto at = [&](std::size_t i) { return places[i].value - lower[i]; };
  while (first < end && at(first) <= 1 - places[first].alpha + slack) ++first;
  while (end > first && at(end - 1) <= floor) --end;
  ChordPoints result;
  for (std::size_t i = first; i < end; ++i) result.alpha.push_back(places[i].alpha), result.value.push_back(at(i));
  if (result.alpha.empty()) return {{1}, {floor}};
  return result;
}

EnclosedCurve reversed(const EnclosedCurve& curve) {
  EnclosedCurve result;
  for (std::size_t k = curve.alpha.size(); k-- > 0;) {
    const double alpha = 1 / curve.alpha[k], rest = curve.alpha[k] - 1;
    const double off = 8 * u * std::max(1.0, alpha);  // proof: curve-hull
    result.alpha.push_back(alpha);
    if (!curve.lower.empty()) result.lower.push_back(std::max(0.0, alpha * (curve.lower[k] + rest) - off));
    result.upper.push_back(std::min(1.0, alpha * (curve.upper[k] + rest) + off));
  }
  return result;
}

EnclosedCurve least_of(const EnclosedCurve& one, const EnclosedCurve& other) {
  EnclosedCurve all;
  for (std::size_t i = 0, k = 0; i < one.alpha.size() || k < other.alpha.size();) {
    const bool first = k == other.alpha.size() || (i < one.alpha.size() && one.alpha[i] < other.alpha[k]);
    const EnclosedCurve& next = first ? one : other;
    const std::size_t at = first ? i++ : k++;
    if (!all.alpha.empty() && all.alpha.back() == next.alpha[at]) {
      all.upper.back() = std::min(all.upper.back(), next.upper[at]);
    } else {
      all.alpha.push_back(next.alpha[at]), all.upper.push_back(next.upper[at]);
    }
  }
  return all;
}

EnclosedCurve whole_curve(const EnclosedCurve& forth, const EnclosedCurve& back) {
  EnclosedCurve curve = reversed(back);
  for (const auto part : {&EnclosedCurve::alpha, &EnclosedCurve::lower, &EnclosedCurve::upper}) {
    if ((curve.*part).empty()) continue;  // no lower values are known
    (curve.*part).pop_back();
    (curve.*part).insert((curve.*part).end(), (forth.*part).begin(), (forth.*part).end());
  }
  return curve;
}

AtomicLaw law_below_chords(std::span<const double> alpha, std::span<const double> value, double floor) {
  // The curve is the line 1 - alpha to where it meets the chord from the last point at or below that line, so that no
  // value is raised, and `floor` from where the chord to the first point at or below it meets it.
  const std::size_t size = alpha.size();
  std::size_t first = 0, end = size;
  for (std::size_t i = 0; i < size; ++i)
    if (value[i] <= 1 - alpha[i] + slack) first = i + 1;  // proof: curve-hull
  for (std::size_t i = size; i-- > first;)
    if (value[i] <= floor) end = i;
  std::vector<Point> points;
  double last = 0;
  if (first < end || (first > 0 && first == end && end < size)) {  // or one chord meets the line and the floor
    last = alpha[end == size ? end - 1 : end];
    double meets = alpha[first];
    if (first > 0) {
      const double lacks = 1 - alpha[first - 1] - value[first - 1] + slack;
      const double has = value[first] - (1 - alpha[first]) - slack, width = alpha[first] - alpha[first - 1];
      // proof: curve-hull
      if (lacks < infinity)
        meets = std::min(meets, up(alpha[first - 1] + lacks / (lacks + has) * width * (1 + 16 * u)));
    }
    points.push_back({meets, two_sum(1, -meets)});
    for (std::size_t i = first; i < end; ++i)
      if (alpha[i] > meets) points.push_back({alpha[i], {value[i], 0}});
    if (end < size) {
      const double has = value[end - 1] - floor, lacks = floor - value[end], width = alpha[end] - alpha[end - 1];
      last = down(alpha[end - 1] +
                  (lacks < infinity ? has / (lacks + has) * width * (1 - 16 * u) : 0));  // proof: curve-hull
    }
    while (points.size() > 1 && points.back().alpha >= last) points.pop_back();
    points.push_back({last, {floor, 0}});
  }
  // A curve must not reach the floor below 1 - alpha, nor leave 1 - alpha below the floor.
  if (points.size() < 2 || !(points.front().alpha < 1 && last > 1 - floor + slack && points.front().alpha < last) ||
      is_less(points.front().value, {floor, 0})) {  // proof: curve-hull
    // P = Q but for what is infinite.
    const double meets = floor > 0 ? std::min(1.0, up(1 - floor)) : 1;  // proof: curve-hull
    points = {{meets, two_sum(1, -meets)}};
  }
  return hull_law(points);
}

}  // namespace hockeystick
