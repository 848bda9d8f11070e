// SPDX-License-Identifier: Apache-2.0
#include "views/loss_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"
#include "plan/moment_edges.hpp"

namespace hockeystick {
namespace {

// Added so that a slope that vanishes at an edge does not become exactly 0.
constexpr double tiny_slope = 1e-300;

// A cell mass below this may be off by more than its stated error.
constexpr double smallest_mass = 1e-290;

// The Q-mass that may be lost at losses above -300.
constexpr double lost_q = 1e-150;

}  // namespace

LossCells::LossCells(const DominatingPair& pair, int fineness)
    : pair_(pair),
      law_(pair.finite_law()),
      edges_(moment_edges(pair, fineness, room_)),
      cells_(pair.integrate(edges_)) {
  // The cell with the largest mass of each run.
  constexpr std::size_t run = 32;
  for (std::size_t first = 0; first < cells_.cells.size(); first += run) {
    std::size_t best = first;
    for (std::size_t i = first; i < std::min(first + run, cells_.cells.size()); ++i)
      if (cells_.cells[i].p > cells_.cells[best].p) best = i;
    if (cells_.cells[best].p > 0) heavy_.push_back({edges_[best], math::log(cells_.cells[best].p)});
  }
  cut_off_unknown();
}

Interval LossCells::log_moment(double t) const {
  if (std::isinf(unlisted(t)) && cells_.infinity_mass_lower > 0) return {infinity, infinity};
  // In units of e^scale, so that nothing overflows.
  const double scale = log_scale(t), beyond = beyond_top(t) + unlisted(t);
  const LossFunction plain{[=](double l) { return math::exp(t * l - scale); },
                           [=](double l) { return t * math::exp(t * l - scale); }, -infinity,
                           [](double) { return 0.0; }, [=](double l) { return math::exp((t + 1) * l - scale); }};
  const double off = law_ ? law_->loss_error : 0;
  const Interval direct = integral(plain, [&](double l) { return plain.value(l) * math::expm1(t * off); });
  const double low = math::log(direct.lower), high = math::log(direct.upper + beyond * math::exp(-scale) * (1 + 8 * u));
  // The exponents t l - scale are rounded: by at most 4 u of the largest in total.
  const double largest = t * std::max(std::fabs(top()), std::fabs(edges_.front())) + std::fabs(scale);
  Interval result{direct.lower > 0 ? scale + low - 8 * u * (largest + std::fabs(low) + 1) : -infinity,
                  scale + high + 8 * u * (largest + std::fabs(high) + 1)};  // proof: jensen-moments
  if (t * top() > 300) return result;
  // x^a - 1 - a (x - 1), a = t + 1, whose E_Q is the moment minus 1: nothing cancels where t is small.
  const LossFunction centred{[=](double l) { return exp_excess(t * l) + t * exp_excess(-l); },
                             [=](double l) { return std::fabs(t * (math::exp(t * l) - math::exp(-l))) + tiny_slope; },
                             -infinity, [](double) { return 0.0; },
                             [=](double l) { return std::max(t, math::exp((t + 1) * std::max(0.0, l))); }};
  const Interval rest = with_q_mass(centred);
  return both(result,
              {math::log1p(std::max(0.0, rest.lower)) * (1 - 8 * u), math::log1p(rest.upper + beyond) * (1 + 8 * u)});
}

Interval LossCells::mean() const {
  if (std::isinf(unlisted(1)) && cells_.infinity_mass_lower > 0) return {infinity, infinity};
  const double beyond = power_beyond_top(1, 0) + unlisted_mean();
  const LossFunction plain{[](double l) { return l; }, [](double) { return 1.0; }, -infinity,
                           [](double e) { return e < -1 ? e * math::exp(e) : -0.3679; },
                           [](double e) { return std::max(0.0, e * math::exp(e)); }};
  const LossFunction centred{[](double l) { return exp_excess(-l); },
                             [=](double l) { return std::fabs(math::expm1(-l)) + tiny_slope; }, -infinity,
                             [](double) { return 0.0; }, [](double e) { return std::max(1.0, e * math::exp(e)); }};
  const Interval direct = integral(plain, [&](double) { return law_->loss_error; });
  const Interval rest = with_q_mass(centred);
  // x log x >= -1 / e.
  return both({direct.lower - 0.3679 * unlisted(1), direct.upper + beyond},
              {std::max(0.0, rest.lower), rest.upper + beyond});
}

// Through (L - c)^2, c the middle of the bounds of the mean. x (log x - c)^2 is convex for log x > c - 1; below, it has
// the peak 4 e^(c - 2) at log x = c - 2.
Interval LossCells::variance() const {
  const Interval average = mean();
  if (average.lower == infinity) return average;
  if (!(std::isfinite(average.lower) && std::isfinite(average.upper))) return anything;
  const double c = average.lower + (average.upper - average.lower) / 2;
  const LossFunction square{[=](double l) { return (l - c) * (l - c); },
                            [=](double l) { return 2 * std::fabs(l - c) + tiny_slope; }, c - 1,
                            [](double) { return 0.0; },
                            [=](double e) {
                              const double at = math::exp(e) * (e - c) * (e - c);
                              return e < c - 2 ? at : std::max(at, 4 * math::exp(c - 2));
                            }};
  const Interval around = integral(square, [&](double l) {
    const double error = law_->loss_error;
    return error * (2 * std::fabs(l - c) + error) * (1 + 4 * u);
  });
  const double off = (average.upper - average.lower) / 2 * (1 + 1e-9);
  const double beyond = top() >= c ? power_beyond_top(2, c) : infinity;
  const double lost = unlisted(1);
  const double hidden = lost > 0 ? (2 * math::exp(-c) + 4 * math::exp(c - 2)) * lost * (1 + 1e-12) : 0;
  return {std::max(0.0, around.lower - off * off), around.upper + beyond + hidden};
}

// The integral by cells and, if the law is a list, by the sum, which distinguishes the Q-mass at -inf from that of
// finite losses.
Interval LossCells::integral(const LossFunction& function, const std::function<double(double)>& change) const {
  const Interval by_cells = loss_integral(cells_, edges_, function);
  return law_ ? both(by_cells, listed_integral(*law_, function.value, change)) : by_cells;
}

// The integral of functions to which Q-mass without P-mass contributes.
Interval LossCells::with_q_mass(const LossFunction& function) const {
  const Interval found =
      known_ ? loss_integral(known_->cells, known_->edges, function) : loss_integral(cells_, edges_, function);
  return {found.lower, found.upper + lost_q * function.tail_highest(edges_.front())};
}

// If binary64 cannot hold a cell's P-mass, its Q-mass is lost too: the Q-mass below an edge replaces it.
void LossCells::cut_off_unknown() {
  std::size_t first = 0;
  while (first < cells_.cells.size() && cells_.cells[first].p < smallest_mass) ++first;
  if (first == 0 || first == cells_.cells.size()) return;  // proof: jensen-moments
  if (edges_.front() > -300) return;                       // Q-mass is at most e^300 times 2^21 such P-masses
  const auto from = static_cast<std::ptrdiff_t>(first);
  known_ = Known{cells_, {edges_.begin() + from, edges_.end()}};
  known_->cells.cells.erase(known_->cells.cells.begin(), known_->cells.cells.begin() + from);
  // From slightly above: an atom next to the edge may be on either side of it in the two integrals.
  const double edge = edges_[first] + 128 * u * (1 + std::fabs(edges_[first]));
  known_->cells.lower_tail_q = pair_.integrate(std::array{edge}).lower_tail_q;
}

// The log of about the largest mass times e^(t L): any unit will do.
double LossCells::log_scale(double t) const {
  double scale = -infinity;
  for (const auto& [loss, log_mass] : heavy_) scale = std::max(scale, log_mass + t * loss);
  return std::isfinite(scale) ? scale : 0;
}

// Upper bound of the part of an integral from outcomes with finite losses that the cells count at +inf.
// proof: tail-moments
double LossCells::unlisted(double t) const { return cells_.infinity_mass > 0 ? pair_.unlisted_moment_bound(t) : 0; }

// The same for the loss itself: L <= e^(t L) / (e t), where moments of low orders may be much smaller.
double LossCells::unlisted_mean() const {
  double least = infinity;
  for (double t = 1; t > 1e-4; t *= 0.25) least = std::min(least, 0.36788 * unlisted(t) / t);  // proof: tail-moments
  return least;
}

// Upper bound of E_P[e^(t L); top < L < inf], for a top >= 0.
double LossCells::beyond_top(double t) const {
  if (top() < 0) return infinity;
  const double mass = cells_.upper_tail_p * (1 + cells_.mass_error) + 1e-300;
  const double by_supremum =
      std::isfinite(pair_.loss_supremum()) ? mass * math::exp(t * pair_.loss_supremum()) : infinity;
  return std::min(pair_.tail_moment_bound(top(), t), by_supremum * (1 + 1e-12));
}

// Upper bound of E_P[(L - c)^k; top < L < inf], for a top >= max(0, c), at some t.
double LossCells::power_beyond_top(int k, double c) const {
  double least = infinity;
  for (const double t : {1.0, 1 / (1 + top())}) {
    const double bound = power_over_exponential(k, t) * beyond_top(t) * math::exp(-t * c) * (1 + 1e-12);
    if (bound < least) least = bound;
  }
  return least;
}

double power_over_exponential(int k, double t) {
  const double factor = k / (2.718281828459045 * t);
  return (k == 1 ? factor : factor * factor) * (1 + 8 * u);  // proof: tail-moments
}

}  // namespace hockeystick
