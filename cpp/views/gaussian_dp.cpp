// SPDX-License-Identifier: Apache-2.0
#include "views/gaussian_dp.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/gaussian/gaussian_tradeoff.hpp"
#include "methods/budgeted.hpp"
#include "methods/gaussian_merge.hpp"
#include "methods/largest_loss.hpp"
#include "methods/questions.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "plan/lattice_grid.hpp"
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
    std::vector<WantedPoint> wanted = first_points(rates.back());
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
  // Part of the tolerance for delta: with 0.15, and 1e-3 of delta at first, the mu of rare samples takes twice as long.
  static constexpr double for_delta = 0.5;

  // The halvings of an epsilon after which delta is so small that no test of the rate decides beyond.
  std::vector<WantedPoint> first_points(double smallest_rate) const {
    const double beyond = 1e-2 * smallest_rate;
    const Limits limits{0.1, limits_.memory_limit};
    double last = epsilon_bounds({&direction_, 1}, {&beyond, 1}, limits).front().upper;
    if (!(last > 0 && last < farthest_point))
      last = std::clamp(largest_finite_loss(direction_), 0x1p-40, farthest_point);
    // One transform of steps on a lattice answers all points closely, those of later rounds too.
    const bool on_lattice = std::all_of(direction_.begin(), direction_.end(),
                                        [](const Term& term) { return lattice_spacing(*term.pair) > 0; });
    const double tolerance = on_lattice ? for_delta * limits_.tolerance : rough_tolerance;
    std::vector<WantedPoint> wanted;
    const auto add = [&](double loss) {
      const double share = missed_share(saddlepoint_.rough_saddle_for_epsilon(loss));
      wanted.push_back({loss, std::max(tolerance * share, least_tolerance_at(share))});
    };
    add(0);
    for (double loss = last; loss > last / 100; loss *= 0.7) add(loss);
    add(largest_finite_loss(direction_));  // beyond this loss the curve is flat
    return wanted;
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
      if (more.mu > needed.mu || i == 0) {
        needed = more;
        known = std::max(known, known_at(needed.fpr, rates[i], 0));
      }
      if (!narrow(answers[i], known, needed.mu)) {
        known = std::max(known, add_points(corners, known, rates[i], wanted));
        narrow(answers[i], known, needed.mu);
      }
    }
  }

  bool narrow(Answer& answer, double lower, double upper) const {
    answer.lower = std::max(answer.lower, lower), answer.upper = std::min(answer.upper, upper);
    return answer.converged = answer.upper - answer.lower <= limits_.tolerance * answer.upper;
  }

  // Some corners may need a larger mu than the known one, and the points leave open how much larger: this function adds
  // points about these corners. It returns the mu that these corners are known to need at least.
  double add_points(std::span<const Corner> corners, double known, double smallest_rate,
                    std::vector<WantedPoint>& wanted) const {
    const double half = 0.5 * limits_.tolerance;
    double most = 0;
    std::vector<double> here;
    for (const Corner& corner : corners) {
      most = std::max(most, corner.mu);
      const bool is_open = corner.mu > known * (1 + half);
      here.push_back(is_open ? known_at(corner.fpr, smallest_rate, corner.line) : corner.mu);
      if (is_open) known = std::max(known, here.back());
    }
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const double excess = (corners[i].mu - here[i]) / (half * corners[i].mu);
      if (corners[i].mu > known * (1 + half) && excess > 1)
        add_points(corners[i], 2 * here[i] > corners[i].mu ? excess : 1, corners[i].mu == most, wanted);
    }
    return known;
  }

  double known_at(double fpr, double smallest_rate, std::size_t near) const {
    const double by_points = power_between(curve_.points(), fpr, near).power.lower;
    return mu_needed_at(fpr, std::max(by_points, by_largest_.at(fpr).lower), smallest_rate);
  }

  // Adds points between those around the line of a corner, or beyond the last one; and asks these points more closely
  // if that is needed. The gap by the distance of points, `excess` times the allowed one, falls with the square of the
  // distance. Losses before the first point, mostly of the reverse's curve, count only if the corner `is_worst`.
  void add_points(const Corner& corner, double excess, bool is_worst, std::vector<WantedPoint>& wanted) const {
    constexpr int most_parts = 4;  // powers of two, so that neighbours want the same points
    const std::span<const CurvePoint> points = curve_.points();
    const std::size_t size = points.size(), line = std::min(corner.line, size - 1);
    const double closer = 1 + for_delta * limits_.tolerance, mu = std::max(corner.mu, 1e-300);
    const double part = gaussian_power(mu * closer, 0, corner.fpr).upper - gaussian_power(mu, 0, corner.fpr).lower;
    // Next to a point that came out wider than wanted, other points do so as well.
    const auto want = [&](double loss, const CurvePoint& a, const CurvePoint& b) {
      const double tolerance = 0.5 * part / std::sqrt(size_of(a) * size_of(b));
      const double least = least_tolerance_at(std::min(missed_at(a), missed_at(b)));
      wanted.push_back(
          {loss, std::clamp(std::max(tolerance, std::min(a.refused, b.refused)), least, most_tolerance), 0.5 * part});
    };
    const std::size_t first = line - std::min<std::size_t>(line, 1), last = std::min(line + 1, size - 1);
    const CurvePoint& at = points[line];
    if (at.value.upper - at.value.lower > part && at.refused == 0) want(at.loss, at, at);
    int parts = 2;
    while (parts < most_parts && parts * parts < excess) parts *= 2;
    for (std::size_t k = first; k < last; ++k)
      for (int j = 1; j < parts; ++j)
        want(points[k].loss + (points[k + 1].loss - points[k].loss) * j / parts, points[k], points[k + 1]);
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
