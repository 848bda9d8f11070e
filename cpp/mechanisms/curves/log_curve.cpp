// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/log_curve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

// alpha times the size of the slope of the chord from a to b, at its ends: products that stay in the range of doubles
// where slopes do not. A difference is rounded once, relative to itself; expm1 carries that by at most 1 + z.
double at_end(const LogPoint& a, const LogPoint& b) {
  return (a.upper - b.upper) / -math::expm1(a.log_alpha - b.log_alpha);
}
double at_start(const LogPoint& a, const LogPoint& b) {
  return (a.upper - b.upper) / math::expm1(b.log_alpha - a.log_alpha);
}

// The P-mass of the kink at b between the chords from a and to c, and a bound of its rounding. Underflow takes less
// than 1e-305 of the mass, as of every mass.
Ball kink(const LogPoint& a, const LogPoint& b, const LogPoint& c) {
  const double before = at_end(a, b), after = at_start(b, c), width = std::min(c.log_alpha - b.log_alpha, 750.0);
  return {before - after, (8 * before + (8 + width) * after) * u};  // proof: log-curve
}

// The points on their own lower convex hull. Without the others the law is higher, and so still above the curve.
std::vector<LogPoint> hull_of(const LogPoint& start, std::span<const LogPoint> beyond) {
  std::vector<LogPoint> hull{start};
  for (LogPoint next : beyond) {
    next.upper = std::min(next.upper, hull.back().upper);  // the curve does not increase
    while (hull.size() > 1) {
      const Ball mass = kink(hull[hull.size() - 2], hull.back(), next);
      if (mass.value > mass.error) break;
      hull.pop_back();
    }
    hull.push_back(next);
  }
  return hull;
}

}  // namespace

void continue_law(AtomicLaw& law, double alpha, std::span<const LogPoint> beyond) {
  if (beyond.empty() || law.atoms.empty() || law.atoms.back().loss != infinity) return;
  const double start = math::log(alpha) * (1 + 4 * u);  // proof: log-curve
  const std::vector<LogPoint> hull = hull_of({start, law.atoms.back().p}, beyond);
  law.atoms.pop_back();
  // The first chord, continued to alpha = 0, takes mass from the last atom, where that is the last point's.
  double taken = at_start(hull[0], hull[1]), added = 16 * u * taken;
  if (!law.atoms.empty() && std::fabs(law.atoms.back().loss - start) <= 1e-12 * start) {
    LossAtom& last = law.atoms.back();
    const double rest = std::max(0.0, last.p - taken);
    taken -= last.p - rest;
    last.q *= last.p > 0 ? rest / last.p : 0;
    last.p = rest;
  }
  added += taken;
  for (std::size_t k = 1; k < hull.size(); ++k) {
    const Ball mass = k + 1 < hull.size() ? kink(hull[k - 1], hull[k], hull[k + 1])
                                          : Ball{at_end(hull[k - 1], hull[k]), 8 * u * at_end(hull[k - 1], hull[k])};
    const double p = mass.value + mass.error;  // proof: log-curve
    added += 2 * mass.error;
    if (p > 0) law.atoms.push_back({hull[k].log_alpha, p, p * math::exp(-hull[k].log_alpha)});
  }
  if (hull.back().upper > 0) law.atoms.push_back({infinity, hull.back().upper, 0});
  law.mass_error += 8 * u + added;  // proof: log-curve
  law.bound = law.reverse_bound = std::max(law.bound, hull.back().log_alpha);
}

AtomicLaw law_above(const HalfCurve& forth, const HalfCurve& back) {
  AtomicLaw law = law_above(whole_curve(forth.near, back.near));
  continue_law(law, forth.near.alpha.back(), forth.beyond);
  return law;
}

// T(a) - e^x T(b), a = x / mu - mu / 2, b = a + mu, is phi(a) (R(a) - R(b)), R the Mills ratio, at least b / (1 + b^2).
// It falls with a.
double far_gaussian_above(double mu, double x) {
  const double a = x / mu - mu / 2 - 4 * u * (x / mu + mu);  // proof: log-curve
  if (a < -38) return 1;
  const double b = a + mu, tail = normal_tail(a), density = normal_pdf(a);
  // proof: log-curve
  const double error = (2 * normal_error + 64 * u * (1 + a * a)) * tail;
  return std::min(1.0, std::max(0.0, tail - density * b / (1 + b * b)) + error + 1e-300);
}

}  // namespace hockeystick
