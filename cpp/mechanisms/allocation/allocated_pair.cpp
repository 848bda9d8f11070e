// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/allocated_pair.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "mechanisms/allocation/allocation_curve.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double reach = 300;  // largest loss [nats]
constexpr double widest_interval = 0.25;
// Of a law: convolutions take the square of their number, some seconds here.
constexpr double most_values = 20000;
constexpr double least_tail = 1e-303;  // as far as doubles go: cells of less than that are not counted

// Guesses of a step.
struct Sketch {
  double low, high;    // ends of the losses that count
  double zero;         // the Q-mass that may be at R = 0
  double variance;     // of R under Q, but for a thousandth of P-mass at the largest values
  double top = 1e300;  // log of the largest sum of R that counts
};

// Values of R below this move a mean by next to nothing: E e^(-s R) of those s that tell where Q(R_t < x) is the tail,
// or, where large values matter, what R varies by.
double least_value(std::span<const double> value, std::span<const double> q, const AllocationRequest& request,
                   double variance) {
  double moved = 0.07 / request.cells * std::sqrt(std::min(variance, 1.0)), farthest = 0;
  if (!request.back) return moved;
  for (double s = 1e-3; s < 1e30; s *= 2) {
    double less = 0;
    for (std::size_t i = 0; i < q.size(); ++i) less -= q[i] * math::expm1(-s * value[i]);
    if (!(less < 1)) break;
    const double x = (math::log(request.tail) / request.steps - math::log1p(-less)) / s;
    if (x > farthest) farthest = x, moved = 0.7 / (request.cells * s * std::sqrt(request.steps));
  }
  return std::min(moved, farthest / request.cells);
}

Sketch sketch_of(const DominatingPair& step, const AllocationRequest& request) {
  std::vector<double> edges{0, reach, -reach};
  for (double e = 0x1p-60; e < reach; e *= 1.2) edges.push_back(e), edges.push_back(-e);
  sort_by(edges, std::identity{});
  const std::size_t n = edges.size() - 1;
  const PairCells parts = step.integrate(edges);
  std::vector<double> p(n), q(n);
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = parts.cells[i].p;
    q[i] = (parts.cells[i].above + parts.cells[i].below) / (math::exp(edges[i]) * math::expm1(edges[i + 1] - edges[i]));
  }
  const double tail = request.tail / 16, rare = tail / request.steps;
  const bool back = request.back;
  std::size_t begin = 0, end = n;
  double p_cut = 0, q_cut = 0;
  for (; begin + 1 < n; ++begin)
    if (!((q_cut += q[begin]) <= (back ? tail : rare)) || (back && !((p_cut += p[begin]) <= rare))) break;
  p_cut = parts.upper_tail_p;
  for (; end > begin + 1; --end)
    if (!((p_cut += p[end - 1]) <= (back ? rare : tail))) break;
  Sketch sketch{std::max(edges[begin], step.loss_infimum()), std::min(edges[end], step.finite_loss_bound()),
                back ? parts.infinity_mass : parts.lower_tail_q, 0};
  if (sketch.zero <= rare) sketch.zero = 0;
  sketch.variance = sketch.zero;
  if (back) std::swap(p, q), std::reverse(p.begin(), p.end()), std::reverse(q.begin(), q.end());
  double listed = 0;
  for (std::size_t i = n; i-- > 0;)
    if ((listed += p[i]) > 1e-3 && q[i] > 0) sketch.variance += q[i] * (p[i] / q[i] - 1) * (p[i] / q[i] - 1);
  std::vector<double> value(n);
  for (std::size_t i = 0; i < n; ++i) value[i] = q[i] > 0 ? p[i] / q[i] : 0;
  const double least = math::log(least_value(value, q, request, sketch.variance));
  if (!back) {
    sketch.low = std::min(std::max(sketch.low, least), sketch.high);
    return sketch;
  }
  sketch.high = std::max(std::min(sketch.high, -least), sketch.low);
  // Deltas at epsilon >= 0 are made of sums up to t. Of larger ones, all count as one.
  const double most = 1e-3 / (request.cells * request.cells * request.steps);
  const double usual = 1 + 20 * std::sqrt(sketch.variance / request.steps);
  sketch.top = math::log(request.steps) + std::max(1.0, math::log(usual));
  double likely = 0;
  for (std::size_t i = n; i-- > 0 && edges[n - i - 1] < -sketch.top;)
    if ((likely += q[i]) > most) {
      sketch.top = -edges[n - i - 1];
      break;
    }
  sketch.low = std::min(std::max(sketch.low, -sketch.top), sketch.high);
  return sketch;
}

// The step in cells, with errors of what they make.
struct Cut {
  std::vector<double> edges;
  double spacing;
  PairCells parts;
  double mass_error, found_error, share_error;  // relative errors of P- and Q-masses, and of values within a cell
};

Cut cut(const DominatingPair& step, const Sketch& sketch, const Resolution& resolution, double interval) {
  const bool gap = sketch.zero > 0;
  // Edges are multiples of `finest`, so that they are exact. The grid meets the largest loss, where the curve or its
  // reverse ends.
  const double size = std::max({std::fabs(sketch.low), std::fabs(sketch.high), gap ? 1 : 0x1p-200});
  const double finest = 0x1p-40 * with_bits(size, 1);
  const double top = std::ceil(sketch.high / finest) * finest;
  const double wide = std::max(top - sketch.low, gap ? 1 : 64 * finest);
  const double count = std::ceil(std::clamp(wide / interval, resolution.least, resolution.most));
  Cut result;
  result.spacing = std::ceil(wide / std::max(count, wide / widest_interval) / finest) * finest;
  for (double k = std::max(1.0, std::ceil((top - sketch.low) / result.spacing)); k >= 0; --k)
    result.edges.push_back(top - k * result.spacing);
  result.parts = step.integrate(result.edges);
  const PairCells& parts = result.parts;
  // proof: allocated-pair
  const double share = 2 * (parts.share_error * math::expm1(result.spacing) + parts.share_error_p);
  result.mass_error = parts.mass_error + 64 * u;
  result.found_error =
      result.mass_error + 0.3 * parts.mass_error + share + 1.01 * (parts.loss_error + parts.edge_error);
  result.share_error = share + 1.01 * parts.loss_error + 8 * parts.edge_error + 64 * u;
  return result;
}

// The law of R of a step under Q. Of the reverse (Q, P) the cells have P-mass for Q-mass, and the loss -log R.
GridLaw base(const Cut& all, const DominatingPair& step, const AllocationRequest& request) {
  const PairCells& parts = all.parts;
  const std::size_t n = parts.cells.size();
  const bool above = request.order == Order::above, back = request.back;
  const double first = all.edges.front(), last = all.edges.back();
  GridLaw law{request.order, back ? -last : last, all.spacing};
  law.first = back ? 0 : -static_cast<std::int64_t>(n);
  law.mass.assign(n + 1, 0.0);
  if (!above) law.moment.assign(n + 1, 0.0);
  law.mass_error = back ? all.mass_error : all.found_error;
  law.value_error = all.share_error;
  // Q-mass at a grid point, in `mass_unit`, times the distance from it.
  const auto put = [&](std::size_t at, double q, double value) {
    const double tilted = q * math::exp(0.5 * law.log_value(law.first + static_cast<std::int64_t>(at)));
    law.mass[at] += tilted;
    if (!above) law.moment[at] += tilted * value;
  };
  const double width = math::expm1(all.spacing);
  // Bound of E f of what is not counted, P-mass p of losses from `least` on: f(R) <= f(0) + R f'(inf).
  const auto leave_out = [&](double p, double least) {
    if (!above) return;
    const double most = 1.01 * p + 1e-307, other = most * math::exp(-least) * 1.01;
    law.zero += back ? most : other;    // proof: allocated-pair
    law.beyond += back ? other : most;  // proof: allocated-pair
  };
  leave_out(0, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const CellMass& cell = parts.cells[i];
    if (cell.p < least_tail) {
      leave_out(cell.p, all.edges[i]);
      continue;
    }
    const double sum = cell.above + cell.below;
    // proof: allocated-pair
    const double q = back ? cell.p / mass_unit : (cell.p - cell.above) / mass_unit * math::exp(-all.edges[i]);
    if (!(q > 0)) continue;
    // The mean of R is this far into the cell.
    const double grown = back ? cell.below : cell.above, shrunk = back ? cell.above * (1 + width) : cell.below;
    const double share = sum > 0 ? grown / (grown + shrunk) : 0;
    const std::size_t at = back ? n - 1 - i : i;
    if (above) {
      put(at, q * (1 - share), 1);
      put(at + 1, q * share, 1);
    } else {
      put(at, q, 1 + share * width);
    }
  }
  // Beyond the last edge, and before the first.
  const bool bounded = last >= step.finite_loss_bound();
  // proof: allocated-pair
  const double error = bounded ? 0 : (parts.share_error + parts.share_error_p + 4 * u) * parts.upper_tail_p;
  const double grown = bounded ? 0 : parts.upper_tail_above, near = parts.upper_tail_p - grown;
  const std::size_t end = back ? 0 : n;
  const double scale = back ? 1 / mass_unit : math::exp(-last) / mass_unit;
  if (above) {
    put(end, std::max(0.0, near + error) * scale, 1);                       // proof: allocated-pair
    (back ? law.zero : law.beyond) += grown + error + parts.infinity_mass;  // proof: allocated-pair
    put(n - end, parts.lower_tail_p / mass_unit * (back ? 1 : math::exp(-first)), 1);
    const double split = parts.lower_tail_p * math::exp(-first) * (1 - parts.mass_error - parts.edge_error - 64 * u);
    if (!back) law.zero += std::max(0.0, parts.lower_tail_q - split);  // proof: allocated-pair
  } else {
    if (!back) {  // Q-mass that is found neither in cells nor beyond them is at 0
      CompensatedSum likely;
      for (std::size_t k = 0; k <= n; ++k)
        likely.add(law.mass[k] * math::exp(-0.5 * law.log_value(law.first + static_cast<std::int64_t>(k))));
      const double q = (likely.value() + parts.upper_tail_p * scale) * mass_unit;
      const double rest = std::max(0.0, 1 - q * (1 + law.mass_error + 64 * u) - 64 * u);  // proof: allocated-pair
      // At their mean, or lower.
      const double mean = parts.lower_tail_p * (1 - parts.mass_error - 64 * u) / parts.lower_tail_q * math::exp(-first);
      if (parts.lower_tail_p > least_tail && parts.lower_tail_q > least_tail)
        put(0, rest / mass_unit, std::min(mean, 1.0));  // proof: allocated-pair
      else
        law.zero = rest;
    }
    // The reverse is lower with no less than the mean there, and with nothing at the other end.
    const double sure = back ? parts.upper_tail_p : near - error;  // proof: allocated-pair
    if (sure >= least_tail) {
      // proof: allocated-pair
      const double mean = back ? (near + error) / sure * (1 + 3 * parts.mass_error + 64 * u) : 1;
      put(end, sure * scale, std::min(mean, 1.0));
    }
    (back ? law.zero : law.beyond) = parts.infinity_mass_lower;  // proof: allocated-pair
  }
  return law;
}

struct Point {
  double alpha, mass;  // the mass in `mass_unit`: where alpha is large, masses underflow that count alpha times
};

// The atoms of dP_t/dQ_t and their Q-masses, or of the reverse, moved outward by the errors of their values.
std::vector<Point> points_of(const GridLaw& law, bool back) {
  const bool above = law.order == Order::above;
  const double ends = std::max(std::fabs(law.log_value(law.first)), std::fabs(law.log_value(law.last())));
  const double error =
      1.01 * law.value_error + (16 + 4 * ends + 4 * std::fabs(law.origin)) * u;  // proof: allocated-pair
  std::vector<Point> points;
  for (std::size_t i = 0; i < law.mass.size(); ++i) {
    if (!(law.mass[i] > 0)) continue;
    const double half = 0.5 * law.log_value(law.first + static_cast<std::int64_t>(i));
    const double off = above ? 1 : law.moment[i] / law.mass[i], value = math::exp(2 * half) * off;
    // proof: allocated-pair
    const double q = law.mass[i] * math::exp(-half), p = law.mass[i] * math::exp(half) * off;
    points.push_back({(back ? 1 / value : value) * (above ? 1 + error : 1 - error), back ? p : q});
  }
  sort_by(points, &Point::alpha);
  std::vector<Point> distinct{{0, 0}};
  for (const Point& point : points)
    if (point.alpha > distinct.back().alpha)
      distinct.push_back(point);
    else
      distinct.back().mass += point.mass;
  return distinct;
}

// E (R_t - alpha)_+ at its kinks and at 0, from the top: a sum of positive terms.
AtomicLaw law_of(const GridLaw& law, const DominatingPair& step, const AllocationRequest& request,
                 const EnclosedCurve* known) {
  const bool back = request.back;
  const bool above = law.order == Order::above;
  const std::vector<Point> points = points_of(law, back);
  const std::size_t n = points.size();
  const double far = std::max(std::fabs(law.log_value(law.first)), std::fabs(law.log_value(law.last())));
  // proof: allocated-pair
  const double error = 1.01 * law.mass_error + 1.01 * law.value_error +
                       (32 + 8 * static_cast<double>(n) + 4 * far + 4 * std::fabs(law.origin)) * u;
  EnclosedCurve curve{std::vector<double>(n), {}, std::vector<double>(n)};
  const Lattice lattice{request.spacing, 1 / (12 * request.cells)};
  const double factor = above ? 1 + error : std::max(0.0, 1 - error - 0x1p-40);
  double value = (back ? law.zero : law.beyond) / mass_unit, mass = 0;
  for (std::size_t i = n; i-- > 0;) {
    if (i + 1 < n) value += (points[i + 1].alpha - points[i].alpha) * mass;
    mass += points[i].mass;
    curve.alpha[i] = points[i].alpha;
    curve.upper[i] = value * factor * mass_unit;
  }
  if (!above) {
    for (double& each : curve.upper)
      if (each < least_tail) each = 0;
    const double floor = curve.upper.back();
    ChordPoints chords{std::move(curve.alpha), std::move(curve.upper)};
    if (known != nullptr) chords = spliced(chords_below(*known), chords);
    if (request.spacing > 0) chords = chords_on_lattice(chords, lattice, floor);
    return law_below_chords(chords.alpha, chords.value, floor);
  }
  curve.alpha.erase(curve.alpha.begin()), curve.upper.erase(curve.upper.begin());  // the hull starts at (0, 1)
  // No finite value of a mean is beyond the largest of a step, nor below the least one if R is never 0.
  const double bound = step.finite_loss_bound(), infinite = step.infinity_mass().upper;
  const bool ends = bound < 2 * reach && !(back && infinite > 0);
  const double largest = ends ? math::exp(bound) * (1 + 16 * u) : infinity;  // proof: allocated-pair
  while (!curve.alpha.empty() && curve.alpha.back() >= largest) curve.alpha.pop_back(), curve.upper.pop_back();
  if (ends || curve.alpha.empty()) {
    curve.alpha.push_back(ends ? largest : 1);
    curve.upper.push_back(ends ? infinite : 1);
  }
  if (known != nullptr) curve = least_of(curve, *known);
  return law_above(request.spacing > 0 ? upper_on_lattice(curve, lattice) : curve);
}

// The curve by the series, which is absolute where convolutions are relative.
std::optional<EnclosedCurve> known_curve(const DominatingPair& step, const AllocationRequest& request) {
  const Allocation allocation{step.gaussian_mu(), request.steps};
  if (!(allocation.mu > 0 && request.steps >= allocated_steps.range.low) || !has_series(allocation)) return {};
  const auto curve = kept_allocation_curve(allocation, allocation_stride * request.cells, parameter::tail.range.low);
  return request.back ? reversed(*curve) : *curve;
}

}  // namespace

std::shared_ptr<const DominatingPair> allocated_pair(const DominatingPair& step, const AllocationRequest& request) {
  checked("steps", request.steps, ranges::most_steps);
  checked("cells", request.cells, parameter::cells.range);
  checked("tail", request.tail, {least_tail, 1, Range::Ends::open_above});
  const Sketch sketch = sketch_of(step, request);
  const double steps = request.steps, doublings = 1 + math::log2(steps);
  // What doublings add to the variance of log R adds up. Where one step's largest values exceed all that means of usual
  // ones vary by, they decide: the cells of the step split them, and doublings hardly do.
  const double usual = std::sqrt(std::min(1.0, math::log1p(sketch.variance / steps)));
  const bool one_decides = !request.back && math::exp(sketch.high) > 30 * usual * steps;
  const double cells = (one_decides ? 0.5 : 2.0 / 3) * std::sqrt(doublings) * request.cells;
  const double most = std::min(200 * request.cells, most_values);
  const Resolution resolution{sketch.variance, cells, most / 10, most};
  const double interval = std::max(resolution.interval(1) / (one_decides ? 3 : 1), resolution.interval(steps));
  // The curve grows with each loss, so that a delta moves by no larger a part than the small losses that are cut.
  const double cuts = request.tail / (32 * doublings), low = std::max(cuts, request.low / (32 * doublings));
  const Cuts ends{request.back ? cuts : low, request.back ? low : cuts, sketch.top};
  const GridLaw law = mean_of(base(cut(step, sketch, resolution, interval), step, request), steps, resolution, ends);
  const std::optional<EnclosedCurve> known = known_curve(step, request);
  return atomic_pair(law_of(law, step, request, known ? &*known : nullptr));
}

}  // namespace hockeystick
