// SPDX-License-Identifier: Apache-2.0
#include "views/gaussian_dp.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/gaussian/gaussian_tradeoff.hpp"
#include "methods/budgeted.hpp"
#include "methods/closed_form.hpp"
#include "methods/gaussian_merge.hpp"
#include "methods/largest_loss.hpp"
#include "methods/questions.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "plan/normal_tail.hpp"
#include "pld/tradeoff.hpp"
#include "views/power_by_deltas.hpp"

namespace hockeystick {
namespace {

// The relative width that looking at finitely many lines of an explicit distribution may cost.
constexpr double precision = 1e-4;

// Number of lines looked at: the power between two of them is off by the square of their distance in deviations.
double lines_wanted(double tolerance) { return std::clamp(12 / std::sqrt(tolerance), 300.0, 20000.0); }

// An upper bound of the mu that a rate needs, and the point of the axis that needs it.
struct NeededMu {
  double mu = 0, fpr = 0.5;

  // Only power(x) <= bound is known; only tests with power(x) <= 1 - x count.
  void take(double x, double bound) {
    const double power = std::min(bound, up(1 - x));
    if (!(power > x)) return;
    const double wanted = gaussian_mu_of(x, power).upper;
    if (wanted > mu) *this = {wanted, x};
  }
};

// A false positive rate at which a line ends, the mu that it needs there, and the line's point.
struct Corner {
  double mu, fpr;
  std::size_t line;
};

// The line value + alpha x on [from, to].
void take_line(NeededMu& needed, double value, double alpha, double from, double to) {
  if (!(from <= to)) return;
  const auto at = [&](double x) { return (value + alpha * x) * (1 + 4 * u) + 1e-307; };  // proof: gaussian-dp-upper
  needed.take(from, at(from));                                                           // proof: gaussian-dp-upper
  // Beyond the point where the line meets 1 - x, the bound is 1 - x, which falls.
  const double meeting = (1 - value) / (1 + alpha);
  if (meeting > from && meeting < to) {
    const double before = meeting * (1 - 16 * u), after = std::min(to, meeting * (1 + 16 * u));
    needed.take(std::max(from, before), at(after));
  } else {
    needed.take(to, at(to));
  }
}

std::size_t index_of(const CurveKinks& kinks, double loss) {
  const auto at = std::lower_bound(kinks.loss.begin(), kinks.loss.end(), loss);
  return std::min(static_cast<std::size_t>(at - kinks.loss.begin()), kinks.loss.size() - 1);
}

// The point where the line of a kink falls below the line of an earlier kink.
double meeting(const CurveKinks& upper, std::size_t before, std::size_t kink) {
  return (upper.value[before] - upper.value[kink]) / (upper.alpha[kink] - upper.alpha[before]);
}

// Kinks whose line is the lowest of all somewhere, by decreasing rate. Values held to 1 and rounding keep the others
// above a chord.
std::vector<std::size_t> lowest_lines(const CurveKinks& upper, std::size_t first, std::size_t last, double wanted) {
  const auto stride = static_cast<std::size_t>(static_cast<double>(last - first) / wanted) + 1;
  std::vector<std::size_t> lines{first};
  for (std::size_t k = first; k < last;) {
    checkpoint_each<256>(k / stride);
    k = std::min(last, k + stride);
    while (lines.size() > 1) {
      const std::size_t middle = lines.back();
      if (meeting(upper, middle, k) < meeting(upper, *(lines.end() - 2), middle)) break;
      lines.pop_back();
    }
    lines.push_back(k);
  }
  return lines;
}

// For all false positive rates in [from, to], from an upper curve. The lines are those between the best one at either
// end; enough of them that the choice costs no more than the tolerance.
NeededMu mu_needed(const CurveKinks& upper, double from, double to, double tolerance,
                   std::vector<Corner>* corners = nullptr) {
  const std::size_t first = index_of(upper, power_above(upper, to).loss);
  const std::size_t last = std::max(first, index_of(upper, power_above(upper, from).loss));
  const std::vector<std::size_t> lines = lowest_lines(upper, first, last, lines_wanted(tolerance));
  NeededMu needed;
  needed.fpr = to;
  for (std::size_t i = 0; i < lines.size() && to > from; ++i) {
    checkpoint_each<256>(i);
    const double next = i + 1 < lines.size() ? meeting(upper, lines[i], lines[i + 1]) : from;
    const double end = next > from ? std::min(next, to) : from;
    NeededMu here;
    if (end < to) take_line(here, upper.value[lines[i]], upper.alpha[lines[i]], end, to);
    if (here.mu > needed.mu) needed = here;
    if (corners && here.mu > 0) corners->push_back({here.mu, here.fpr, lines[i]});
    to = end;
  }
  return needed;
}

// A lower bound from the power at one rate. A test whose false negative rate is below `smallest_rate` is given that
// rate.
double mu_needed_at(double fpr, double power, double smallest_rate) {
  const double held = std::min(power, down(1 - smallest_rate));  // proof: gaussian-dp-lower
  return held > fpr ? std::max(0.0, gaussian_mu_of(fpr, held).lower) : 0.0;
}

// The largest lower bound over rates from the smallest to 1/2, on a geometric grid that is refined around the best
// rate.
double mu_needed_below(const CurveKinks& lower, double smallest_rate) {
  const PowerBound any{1, -infinity};
  double best = 0, center = 0.5, reach = 0.5;
  for (int round = 0, parts = 32; round < 7; ++round, parts = 8) {
    const double around = center, width = 2 * reach / parts;
    for (int i = 0; i <= parts; ++i) {
      checkpoint();
      const double share = std::clamp(around - reach + i * width, 0.0, 1.0);
      const double fpr = std::max(smallest_rate, 0.5 * math::pow(2 * smallest_rate, share));
      const double mu = mu_needed_at(fpr, power_below(lower, fpr, any).value, smallest_rate);
      if (!(mu > best)) continue;
      best = mu;
      center = share;
    }
    reach = width;
  }
  return best;
}

// No loss but +inf exceeds the largest finite one: this kink closes the upper curve.
void close(CurveKinks& upper, const Direction& direction) {
  // proof: gaussian-dp-upper
  const double largest = largest_finite_loss(direction), alpha = math::exp(largest) * (1 + 8 * u) + 1e-307;
  if (!std::isfinite(alpha)) return;
  while (!upper.loss.empty() && upper.loss.back() >= largest)
    upper.loss.pop_back(), upper.alpha.pop_back(), upper.value.pop_back();
  upper.loss.push_back(largest), upper.alpha.push_back(alpha);
  upper.value.push_back(infinity_mass(direction).upper());  // proof: gaussian-dp-upper
}

// About d log delta / d log mu of the Gaussian pair of such losses.
double change_of_delta(const Saddle& at) {
  const double mu = at.deviation, z = at.tilt * mu, middle = z + mu / 2, peak = normal_pdf(0);
  const double series = mu * (peak - middle * scaled_normal_tail(middle));
  return peak * mu / (mu < 0.05 ? series : scaled_normal_tail(z) - scaled_normal_tail(z + mu));
}

// One direction at many rates, by lines at points of its curve. The lines that need the largest mu get points beside
// them, until the bounds from above and below meet there.
class MuByDeltas {
 public:
  MuByDeltas(const Saddlepoint& saddlepoint, const Direction& direction, const Direction* reverse, const Limits& limits)
      : saddlepoint_(saddlepoint),
        direction_(direction),
        curve_(direction, reverse, limits),
        by_largest_(direction, limits.tolerance),
        limits_(limits) {}

  // Asks rates by falling size; an answer counts as converged if other rates are known to need a larger mu.
  void solve(std::span<const double> rates, std::span<Answer> answers) {
    std::vector<WantedPoint> wanted = first_points(rates.back(), answers.back().lower > 0 ? 4 : 1);
    for (int round = 0, failed = 0; round < most_rounds && failed < most_failed && !wanted.empty(); ++round) {
      if (!curve_.ask(std::move(wanted))) ++failed;
      if (curve_.points().empty() || curve_.points().size() > most_points) break;
      wanted.clear();
      take(rates, answers, wanted);
    }
    for (Answer& at : answers)
      if (!at.converged) curve_.explain(at);
  }

 private:
  // Part of the tolerance for delta.
  static constexpr double for_delta = 0.5;

  // From an epsilon whose delta is so small that no test of the rate decides beyond to loss 0, or to tests that miss
  // far less than the rate; so far apart that some rounds are left.
  std::vector<WantedPoint> first_points(double smallest_rate, double looser) const {
    const double part = looser * limits_.tolerance;
    const double beyond = 0.1 * smallest_rate * std::min(1.0, saddlepoint_.deviation());
    const double apart = std::clamp(8 * std::sqrt(part), 0.1, 0.7);
    double last = epsilon_bounds({&direction_, 1}, {&beyond, 1}, {0.1, limits_.memory_limit}).front().upper;
    if (!(last > 0 && last < farthest_point))
      last = std::clamp(largest_finite_loss(direction_), 0x1p-40, farthest_point);
    std::vector<WantedPoint> wanted{{largest_finite_loss(direction_), rough_tolerance}};  // the curve is flat beyond
    for (double loss = last;;) {
      const Saddle at = saddlepoint_.rough_saddle_for_epsilon(loss);
      const double missed = missed_share(at);  // next to 1 contours tell delta less closely than forecast
      const double tolerance = for_delta * part * (missed < 1e-3 ? missed : change_of_delta(at));
      wanted.push_back({loss, std::clamp(tolerance, least_tolerance_at(missed), most_tolerance)});
      if (loss == 0 || missed < 1e-3 * smallest_rate) return wanted;
      loss -= std::clamp(apart * at.deviation, 0.03 * loss, 0.3 * loss);
      if (loss < last / 100) loss = 0;
    }
  }

  void take(std::span<const double> rates, std::span<Answer> answers, std::vector<WantedPoint>& wanted) const {
    CurveKinks upper;
    for (const CurvePoint& at : curve_.points()) {
      upper.loss.push_back(at.loss), upper.alpha.push_back(at.alpha.upper);
      upper.value.push_back(at.value.upper);
    }
    close(upper, direction_);
    NeededMu needed;
    double to = 0.5, known = 0;
    for (std::size_t i = 0; i < rates.size(); to = rates[i++]) {
      std::vector<Corner> corners;
      const NeededMu more = mu_needed(upper, rates[i], to, 0, &corners);
      known = std::max(known, answers[i].lower);
      if (more.mu > needed.mu || i == 0) {
        needed = more;
        known = std::max(known, known_at(needed.fpr, rates[i], 0));
      }
      for (std::size_t k = 0; k < curve_.points().size() && needed.mu > known * (1 + 0.5 * limits_.tolerance); ++k)
        known = known_by_delta(k, rates[i], known, needed.mu);
      if (narrow(answers[i], known, needed.mu)) continue;
      for (const Corner& corner : corners) add_points(corner, known, corner.mu == needed.mu, wanted);
    }
  }

  bool narrow(Answer& answer, double lower, double upper) const {
    answer.lower = std::max(answer.lower, lower), answer.upper = std::min(answer.upper, upper);
    return answer.converged = answer.upper - answer.lower <= limits_.tolerance * answer.upper;
  }

  double known_at(double fpr, double smallest_rate, std::size_t near) const {
    const double by_points = power_between(curve_.points(), fpr, near).power.lower;
    return mu_needed_at(fpr, std::max(by_points, by_largest_.at(fpr).lower), smallest_rate);
  }

  // Whether the test that attains h at point k has both errors at least the smallest rate: the rate of its false
  // positives lies between the slopes of chords.
  bool is_counted(std::size_t k, double smallest_rate) const {
    const std::span<const CurvePoint> points = curve_.points();
    const CurvePoint& at = points[k];
    double least = 0, most = 1;
    for (std::size_t j = k + 1; j < std::min(k + 4, points.size()); ++j) {
      const double fall = at.value.lower - points[j].value.upper;  // proof: gaussian-dp-lower
      least = std::max(least, fall / (points[j].alpha.upper - at.alpha.lower));
    }
    for (std::size_t j = k - std::min<std::size_t>(k, 3); j < k; ++j) {
      const double fall = points[j].value.upper - at.value.lower;  // proof: gaussian-dp-lower
      if (at.alpha.lower > points[j].alpha.upper)
        most = std::min(most, fall / (at.alpha.lower - points[j].alpha.upper));
    }
    const double power = at.value.upper + at.alpha.upper * most;  // proof: gaussian-dp-lower
    return least * (1 - 8 * u) >= smallest_rate && power * (1 + 16 * u) <= 1 - smallest_rate;
  }

  // The mu that point k shows to be needed, at least `known`: that at which the Gaussian's delta is the point's.
  double known_by_delta(std::size_t k, double smallest_rate, double known, double most) const {
    const CurvePoint& at = curve_.points()[k];
    const double value = at.value.lower;
    const auto delta_of = [&](double mu) { return GaussianCurve(mu, 0).delta(at.loss); };
    const bool shows_more = at.loss >= 0 && value > 0 && (known == 0 || delta_of(known).upper <= value);
    if (!shows_more || !is_counted(k, smallest_rate)) return known;
    double high = most, mu = most;
    for (int i = 0; i < 20; ++i) {
      const Interval delta = delta_of(mu);
      const double middle = 0.5 * (delta.lower + delta.upper);
      const double slope = mu * normal_pdf(at.loss / mu - mu / 2) / middle;  // d log delta / d log mu
      (delta.upper <= value ? known : high) = mu;                            // proof: gaussian-dp-lower
      if (known == mu && middle > value * (1 - 0.05 * limits_.tolerance * slope)) break;
      const double next = mu * (1 + math::log(value / middle * (1 - 1e-3 * limits_.tolerance)) / slope);
      mu = next > known && next < high ? next : 0.5 * (known + high);
    }
    return known;
  }

  // Adds points about a corner that may need a larger mu than the known one: between those around its line, or beyond
  // the last one; and asks these points more closely if that is needed. What their distance leaves open falls with its
  // square. Losses before the first point, mostly of the reverse's curve, count only if the corner `is_worst`.
  void add_points(const Corner& corner, double known, bool is_worst, std::vector<WantedPoint>& wanted) const {
    const double mu = std::max(corner.mu, 1e-300);
    const double excess = (mu - known) / (0.5 * limits_.tolerance * mu);  // over the allowed gap
    if (!(excess > 1)) return;
    const std::span<const CurvePoint> points = curve_.points();
    const std::size_t size = points.size(), line = std::min(corner.line, size - 1);
    const int parts = excess > 4 ? 4 : 2;  // powers of two, so that neighbours want the same points
    // The width of the curve there, as wide as a Gaussian's power changes with mu: wider where distances leave more
    // open for now, and at lower losses.
    const CurvePoint& at = points[line];
    const double change = for_delta * limits_.tolerance * std::max(1.0, excess / (parts * parts)) * mu;
    const double away = upper_normal_quantile(corner.fpr).upper - mu;
    const auto part_at = [&](double loss) { return change * normal_pdf(away + std::min(0.0, (loss - at.loss) / mu)); };
    // Next to a point that came out wider than wanted, other points do so as well.
    const auto want = [&](double loss, const CurvePoint& a, const CurvePoint& b) {
      const double part = 0.5 * part_at(loss), least = least_tolerance_at(std::min(missed_at(a), missed_at(b)));
      const double tolerance = std::max(part / std::sqrt(size_of(a) * size_of(b)), std::min(a.refused, b.refused));
      wanted.push_back({loss, std::clamp(tolerance, least, most_tolerance), part});
    };
    const std::size_t first = line - std::min<std::size_t>(line, 1), last = std::min(line + 1, size - 1);
    for (std::size_t k = first; k <= last; ++k) {
      const CurvePoint& one = points[k];
      if (one.value.upper - one.value.lower > part_at(one.loss) && one.refused == 0) want(one.loss, one, one);
      for (int j = 1; j < parts && k < last; ++j)
        want(one.loss + (points[k + 1].loss - one.loss) * j / parts, one, points[k + 1]);
    }
    const double step = size > 1 ? points[size - 1].loss - points[size - 2].loss : 1e-3;
    if (line + 1 == size) want(at.loss + step, at, at);
    if (line == 0 && is_worst) want(at.loss - (size > 1 ? points[1].loss - at.loss : step), at, at);
  }

  const Saddlepoint& saddlepoint_;
  const Direction& direction_;
  CurvePoints curve_;
  LargestLossPower by_largest_;
  Limits limits_;
};

Answer of_gaussians(const MergedDirection& merged) {
  Answer answer;
  answer.lower = merged.mu * (1 - merged.mu_error - 2 * u);
  answer.upper = merged.mu * (1 + merged.mu_error + 2 * u);
  return answer;
}

// Whether all rates need the largest mu of any run, as the rarest tests miss next to nothing.
bool needs_all(const Saddlepoint& saddlepoint, const Direction& direction, std::span<const double> rates,
               std::span<Answer> answers, const Limits& limits) {
  for (std::size_t i = 0; i < rates.size(); ++i) {
    std::array<Answer, 1> power;
    power[0].converged = false;
    power_next_to_one(saddlepoint, direction, rates.subspan(i, 1), rates[i], limits, power);
    NeededMu most;
    most.take(rates[i], 1);
    Answer& answer = answers[i];
    answer.lower = std::max(answer.lower, mu_needed_at(rates[i], power[0].lower, rates[i]));
    answer.upper = most.mu;
    answer.converged = answer.upper - answer.lower <= limits.tolerance * answer.upper;
    if (!answer.converged) return false;
  }
  return true;
}

std::vector<Answer> worst_mu(std::span<const Direction> directions, std::span<const Direction> reverses,
                             std::span<const double> smallest_rates, const Limits& limits) {
  std::vector<Answer> answers(smallest_rates.size());
  if (answers.empty()) return answers;
  const auto falling = positions_by(answers.size(), [&](std::size_t i) { return -smallest_rates[i]; });
  std::vector<double> rates;
  for (const std::size_t i : falling) rates.push_back(smallest_rates[i]);
  for (std::size_t j = 0; j < directions.size(); ++j) {
    const MergedDirection merged = merge_gaussians(directions[j]);
    if (merged.terms.empty()) continue;
    std::vector<Answer> found;
    for (const std::size_t i : falling) {
      found.push_back(answers[i]);
      found.back().upper = infinity, found.back().converged = false;
    }
    const Direction* reverse = j < reverses.size() ? &reverses[j] : nullptr;
    if (!merged.only_gaussian) {
      const Saddlepoint saddlepoint(merged.terms);
      if (!needs_all(saddlepoint, merged.terms, rates, found, limits))
        MuByDeltas(saddlepoint, merged.terms, reverse, limits).solve(rates, found);
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      Answer& answer = answers[falling[k]];
      answer = worse(answer, merged.only_gaussian ? of_gaussians(merged) : found[k], limits.tolerance);
    }
  }
  return answers;
}

}  // namespace

double gdp_mu(const LossPmf& pmf, double smallest_rate) {
  const CurveKinks kinks = certified_kinks(pmf);
  if (pmf.side == Side::upper) return mu_needed(kinks, smallest_rate, 0.5, precision).mu;
  return mu_needed_below(kinks, smallest_rate);
}

std::vector<Answer> gdp_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                               std::span<const double> smallest_rates, const Limits& limits) {
  check_floating_point_environment();
  check_each("smallest_rate", smallest_rates, ranges::smallest_rate);
  const auto ask = [&](std::span<const double> at, const Limits& within) {
    return worst_mu(directions, reverses, at, within);
  };
  return budgeted(directions, smallest_rates, limits, {0, infinity}, ask,
                  [&](const Answer& found) { return is_tight(found.lower, found.upper, limits.tolerance, false); });
}

}  // namespace hockeystick
