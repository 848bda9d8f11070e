// SPDX-License-Identifier: Apache-2.0
// A Gaussian mechanism that a record joins in exactly k of t steps, drawn at random: a pair below.
//
// In units of the noise, Q = N(0, I_t) and P is the mean over sets I of k steps of N(mu 1_I, I_t). For every m > 0 the
// sum S of Y_i = e^(m x_i - m^2 / 2) is a function of the outputs: t copies of Y under Q; under P k copies of c Y, c =
// e^(m mu), and t - k of Y. For k = 1, m = mu is all that matters; smaller m tell more where single large x_i count too
// much. The lower convex hull of points (Q(S <= K), P(S <= K)) makes the pair: cpp/proofs/selected-steps.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mechanisms/allocation/allocation_curve.hpp"
#include "mechanisms/allocation/lognormal_contour.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_points = 1 << 16;
constexpr double largest_m = 2.5;  // beyond, series take too many samples
constexpr double least_m = 0.3;    // below, all tell nearly the same

// P(S - E S <= d), asked from 0 outwards, by a new contour whenever d has doubled.
class Walk {
 public:
  Walk(const LognormalTransform& transform, std::vector<LognormalPart> parts, double accuracy)
      : sum_(transform, std::move(parts)), accuracy_(accuracy) {}

  Interval up_to(double d) {
    while (!contour_ || d > contour_->to()) {
      if (contour_) from_ = contour_->to();
      const double to = from_ > 0 ? 2 * from_ : 2 * sum_.deviation();
      contour_.emplace(sum_, Kind::probability, from_, to, accuracy_, 4);
    }
    return contour_->at(d);
  }

 private:
  LognormalSum sum_;
  double from_ = 0, accuracy_;
  std::optional<LognormalContour> contour_;
};

struct Corner {
  double x, y;
};

struct Selection {
  double mu, steps, selected;
};

// The lower convex hull of the points and of (0, 0) and (1, 1).
std::vector<Corner> lower_hull(std::vector<Corner> points) {
  sort_by(points, &Corner::y);
  sort_by(points, &Corner::x);
  points.push_back({1, 1});
  std::vector<Corner> hull{{0, 0}};
  const auto slope = [](const Corner& a, const Corner& b) { return (b.y - a.y) / (b.x - a.x); };
  for (const Corner& next : points) {
    if (!(next.x > hull.back().x && next.y > 0 && (next.x < 1 || next.y == 1))) continue;
    while (hull.size() > 1 && !(slope(hull[hull.size() - 2], hull.back()) < slope(hull.back(), next))) hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

// Whether a corner lowers it.
bool lies_below(const std::vector<Corner>& hull, const Corner& corner) {
  const auto right =
      std::partition_point(hull.begin() + 1, hull.end() - 1, [&](const Corner& at) { return at.x < corner.x; });
  const Corner &a = *(right - 1), &b = *right;
  return corner.y < b.y - (b.y - a.y) * (b.x - corner.x) / (b.x - a.x);
}

// Appends points of the sum with this m; `cells`: in a deviation of it. Once some have lowered the hull of the others,
// they end where as many in a row do not. Whether any has.
bool add_corners(const Selection& selection, double m, double cells, double tail, std::vector<Corner>& corners) {
  const auto [mu, t, k] = selection;
  const LognormalTransform transform(m);
  // A smaller c makes S smaller under P, and Y larger.
  const double c = math::exp(m * mu) * (1 - 64 * u), moved = k * (c - 1);  // proof: selected-steps
  const double accuracy = std::max(tail / 64, 1e-15);
  const double spread = LognormalSum(transform, {{1, t}}).deviation();
  Walk under_q(transform, {{1, t}}, accuracy), under_p(transform, {{1, t - k}, {c, k}}, accuracy);
  const auto with_up_to = [&](double d) {
    return under_p.up_to(d - moved + 4 * u * (std::fabs(d) + moved));  // proof: selected-steps
  };
  const std::size_t most = corners.size() + most_points;
  const std::vector<Corner> known = lower_hull(corners);
  bool has_lowered = false;
  double idle = 0;  // points that did not lower the hull, from the last one that did on
  for (double d = 0; d > -t && corners.size() < most; d -= std::min(spread, (t + d) / 2) / cells) {
    const Interval without_it = under_q.up_to(d), with_it = with_up_to(d);
    corners.push_back({without_it.lower, with_it.upper});
    has_lowered = has_lowered || lies_below(known, corners.back());
    if (without_it.lower <= 0 || without_it.upper < tail) break;
  }
  for (double d = spread / cells; corners.size() < most && idle < cells; d += std::max(spread, d / 4) / cells) {
    const Interval without_it = under_q.up_to(d), with_it = with_up_to(d);
    corners.push_back({without_it.lower, with_it.upper});
    idle = lies_below(known, corners.back()) ? 1 : idle > 0 ? idle + 1 : 0;
    has_lowered = has_lowered || idle > 0;
    // Where Q has no mass left, larger sums only raise the mass that P does not have.
    if (without_it.upper >= 1 || 1 - with_it.upper < std::max(tail, with_it.upper - with_it.lower)) break;
  }
  return has_lowered;
}

// A hull that was made, and its arguments; it serves both directions.
struct Kept {
  std::array<double, 6> asked{};
  std::vector<Corner> hull;
};
ForkSafeMutex& guard = *new ForkSafeMutex;
Kept& kept = *new Kept;  // the last one

std::vector<Corner> hull_of(Parameters p) {
  const double t = p[1], k = p[2], cells = p[4], tail = p[5];
  const double mu = checked_allocation(p[0], t, p[3]).mu * (1 - 4 * u);  // proof: parameter-rounding
  checked("selected", k, {1, t - 1, Range::Ends::closed, true});
  std::array<double, 6> asked;
  std::copy(p.begin(), p.end(), asked.begin());
  {
    const std::lock_guard lock(guard);
    if (kept.asked == asked) return kept.hull;
  }
  std::vector<Corner> corners;
  std::vector<double> all;
  if (mu < largest_m) all.push_back(mu);
  for (double m = 0.85 * std::min(mu, 1.7); m > least_m; m *= 0.85) all.push_back(m);
  // From flat sums to steep ones: where one tells nothing more, neither do those after it.
  for (; !all.empty() && add_corners({mu, t, k}, all.back(), cells, tail, corners);) all.pop_back();
  std::vector<Corner> hull = lower_hull(corners);
  const std::lock_guard lock(guard);
  kept = {asked, hull};
  return hull;
}

AtomicLaw below(Parameters p) {
  const std::vector<Corner> hull = hull_of(p);
  AtomicLaw law;
  double largest = 0;
  for (std::size_t i = 1; i < hull.size(); ++i) {
    const double y = hull[i].y - hull[i - 1].y, x = hull[i].x - hull[i - 1].x;
    law.atoms.push_back({math::log(y / x), y, x});
    largest = std::max(largest, std::fabs(law.atoms.back().loss));
  }
  // Slopes that differ are known within 8 u of themselves.
  law.mass_error = 16 * u;  // proof: selected-steps
  law.loss_error = 32 * u + 4 * u * largest;
  law.bound = law.reverse_bound = largest + law.loss_error;
  return law;
}

// Cells in a deviation of the sum; the tail is the mass left out at each end.
const AtomicRegistration registration(below, "selected_steps_below",
                                      {{parameter::noise_multiplier,
                                        allocated_steps,
                                        {"selected", ranges::most_steps},
                                        allocated_epochs,
                                        parameter::cells,
                                        parameter::tail}});

}  // namespace
}  // namespace hockeystick
