// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/moment_panels.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/gauss_legendre.hpp"
#include "numeric/normal.hpp"

namespace hockeystick {
namespace {

constexpr double order = static_cast<double>(gauss_legendre_16.nodes.size());
constexpr std::size_t most_scanned = 16 * smooth_line_block;
constexpr double widest = 2;           // panel
constexpr double coarse = widest / 8;  // the step of a scan for where panels are wanted
constexpr double narrowest = coarse / 256;
constexpr double likely_panels = 32;

// Bernstein ellipses, by their size: how far an ellipse reaches beyond the ends of [-1, 1] and off the axis, and the
// log of the rule's largest error relative to the integrand's largest modulus on the ellipse: 64 / 15 rho^-2m / (1 -
// rho^-2).
struct Ellipse {
  double beyond, off, log_error;
};

const auto& ellipses() {
  static const auto all = [] {
    std::array<Ellipse, 12> result;
    double rho = 1.12;
    for (Ellipse& at : result) {
      const double inverse = 1 / rho;
      // proof: moment-panels
      const double log_error = math::log(64.0 / 15 / (1 - inverse * inverse)) - 2 * order * math::log(rho);
      at = {(rho + inverse) / 2 - 1, (rho - inverse) / 2, log_error};
      rho = 1 + 1.45 * (rho - 1);
    }
    return result;
  }();
  return all;
}

// Upper bound of the mass beyond x: there the density of P falls at a rate of x - S at least.
double mass_beyond(const LocalLog& here, double steepest, double x) {
  const double fall = x - steepest;
  if (!(fall > 1)) return infinity;
  const double log_mass = here.value - x * x / 2 + here.error;
  return inverse_sqrt_two_pi * math::exp(log_mass) / fall * (1 + 1e-9);  // proof: contour-cut
}

}  // namespace

MomentPanels::MomentPanels(const LogMixture& mixture, const SmoothWeights& weights, const LineNeeds& needs)
    : weights_(weights),
      needs_(needs),
      steepest_(mixture.steepest()),
      wanted_{{{needs.tilt, needs.frequency}, {needs.lowest, 0}, {needs.tilt, 0}, {needs.highest, 0}}} {
  double first = 0, last = 0;
  if (!find_ends(mixture, first, last) || !make_panels(mixture, first, last)) nodes_.clear();
}

// log of P e^(tilt L) in units of phi(0).
double MomentPanels::log_integrand(const SidedLog& at, double tilt, double x) const {
  return weights_.grown(at, tilt) - x * x / 2;
}

MomentPanels::End MomentPanels::end_at(const LogMixture& mixture, double x) const {
  End result{x, {}};
  weights_.evaluate(mixture, {&x, 1}, {&result.at, 1});
  return result;
}

bool MomentPanels::find_ends(const LogMixture& mixture, double& first, double& last) {
  std::array<double, smooth_line_block> x;
  std::array<SidedLog, smooth_line_block> logs;
  last = infinity;
  double from = first = -std::sqrt(2 * needs_.log_accuracy) - 2;
  for (std::size_t i = 0; i < most_scanned && last == infinity; i += x.size()) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = from + coarse * static_cast<double>(k);
    weights_.evaluate(mixture, x, logs);
    for (std::size_t k = 0; k < x.size() && last == infinity; ++k) {
      for (Wanted& moment : wanted_)
        moment.log_most = std::max(moment.log_most, log_integrand(logs[k], moment.tilt, x[k]));
      if (mass_beyond(logs[k].here, steepest_, x[k]) <= needs_.cut) last = x[k];
    }
    from = x.back() + coarse;
  }
  if (last == infinity) return false;
  double low = last - coarse;
  for (int i = 0; i < 6; ++i) {
    const double middle = (low + last) / 2;
    (mass_beyond(end_at(mixture, middle).at.here, steepest_, middle) <= needs_.cut ? last : low) = middle;
  }
  return true;
}

// Each panel is as wide as its error allows, for every moment wanted.
bool MomentPanels::make_panels(const LogMixture& mixture, double first, double last) {
  Errors allowed, sums{};
  for (std::size_t j = 0; j < allowed.size(); ++j)
    allowed[j] = wanted_[j].log_most - needs_.log_accuracy - math::log(likely_panels);
  ends_.push_back(end_at(mixture, first));
  for (double width = 1, grown = 1; ends_.back().x < last;) {
    const End left = ends_.back();
    double x = left.x + width;
    if (x > last - narrowest / 8) x = last;  // a shorter one, after a failure, ends before
    const double wide = x - left.x;
    const End right = end_at(mixture, x);
    const Errors found = log_errors(left, right, wanted_, allowed);
    if (!std::equal(found.begin(), found.end(), allowed.begin(), std::less_equal<>())) {
      width = 0.8 * wide, grown = 1;
      if (width < narrowest) return false;
      continue;
    }
    if (nodes_.size() + gauss_legendre_16.nodes.size() > needs_.most_nodes) return false;
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += math::exp(found[j] - wanted_[j].log_most);
    for (std::size_t k = 0; k < gauss_legendre_16.nodes.size(); ++k)
      nodes_.push_back({left.x + wide * gauss_legendre_16.nodes[k], wide * gauss_legendre_16.weights[k]});
    ends_.push_back(right);
    width = std::min(widest, grown * wide), grown = 1.25;
  }
  left_out_ = mass_beyond(ends_.back().at.here, steepest_, ends_.back().x);
  for (std::size_t j = 0; j < sums.size(); ++j) {
    Wanted& moment = wanted_[j];
    const double below = math::exp(log_below(moment.tilt) - moment.log_most);  // proof: moment-panels
    moment.log_error = math::log(sums[j] + below + 1e-300) + moment.log_most + 1e-6;
  }
  return true;
}

// log of what the rule is off by over a panel, each by the first ellipse that shows what is allowed, or the least that
// one shows. At x + i y in it: phi is e^(y^2/2) phi(x), e^lambda at most e^lambda(x). lambda rises and is convex and
// lambda' grows by e^(S x) at most, so that lambda(x) lies below a chord, lambda(-x) above the tangent at the upper
// end, and the largest exponent below a parabola's. e^lambda turns by at most S y, and by t / (1 - S y t / 2), t = y
// lambda'; its modulus is at least 1 - S y t / 2, and cos(S y / 2), of what it is at x.
MomentPanels::Errors MomentPanels::log_errors(const End& left, const End& right, std::span<const Wanted> wanted,
                                              const Errors& allowed) const {
  const double half = (right.x - left.x) / 2, log_half = math::log(half) + 1e-9;
  Errors least = anything_goes;
  const LocalLog &ahead = right.at.here, &mirrored = right.at.behind;
  const SmoothWeights weights = weights_;
  for (const auto& [beyond, off, rule] : ellipses()) {
    const double a = off * half, e = beyond * half, turn = a * steepest_;
    if (!(turn < 3.1)) break;                                    // proof: moment-panels
    const double grown = math::exp(e * steepest_) * (1 + 1e-9);  // proof: moment-panels
    const double slope = std::min(steepest_, ahead.slope * grown);
    const double top = ahead.value + ahead.error + e * slope;  // proof: moment-panels
    // proof: moment-panels
    const double bottom = std::min(top, left.at.here.value + left.at.here.error - e * left.at.here.slope / grown);
    const double l = left.x - e, r = right.x + e, chord = (top - bottom) / (r - l);
    const auto turned = [&](double steepest) {
      const double t = a * steepest, shrunk = 1 - t * turn / 2;
      // proof: moment-panels
      return std::pair((shrunk > 0 ? std::min(turn, t / shrunk) : turn) * (1 + 1e-9), shrunk);
    };
    double angle = turned(slope).first, behind = 0;  // log of e^lambda(-x) at l, at least
    if (weights.behind != 0) {
      const auto [more, shrunk] = turned(std::min(steepest_, left.at.behind.slope * grown));
      angle += more;                                                                    // proof: moment-panels
      behind = mirrored.value - mirrored.error;                                         // proof: moment-panels
      behind += mirrored.slope * (right.x - l - 1e-9 * (r - l));                        // proof: moment-panels
      behind += math::log(std::max(shrunk, math::cos(turn / 2))) * (1 + 1e-9) - 1e-15;  // proof: moment-panels
    }
    bool all_allowed = true;
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const double tilt = wanted[j].tilt, rate = weights.growth(tilt), rate_behind = weights.growth_behind(tilt);
      const double grows = rate * chord - rate_behind * mirrored.slope, x = std::clamp(grows, l, r);
      // proof: moment-panels
      const double exponent = rate * bottom + rate_behind * behind + grows * (x - l) - x * x / 2 + a * a / 2;
      const double log = exponent + wanted[j].frequency * angle + rule;  // proof: moment-panels
      least[j] = std::min(least[j], log + log_half + 1e-9 * std::fabs(log));
      all_allowed = all_allowed && least[j] <= allowed[j];
    }
    if (all_allowed) break;
  }
  return least;
}

// Below the first panel lambda is at most what it is there, and phi falls at a rate of its distance from 0.
double MomentPanels::log_below(double tilt) const {
  const End& first = ends_.front();
  // proof: moment-panels
  return log_integrand(first.at, tilt, first.x) + weights_.grown_error(first.at, tilt) - math::log(-first.x);
}

double MomentPanels::error(double tilt, double frequency, double log_unit) const {
  const auto power = [&](double log) { return math::exp(std::min(700.0, log - log_unit)); };
  for (const Wanted& known : wanted_)
    if (tilt == known.tilt && frequency <= known.frequency && (frequency > 0) == (known.frequency > 0))
      return power(known.log_error);
  const Wanted asked[]{{tilt, frequency}};
  double sum = power(log_below(tilt));
  for (std::size_t k = 1; k < ends_.size(); ++k)
    sum += power(log_errors(ends_[k - 1], ends_[k], asked, {-infinity})[0]);
  return sum * (1 + 1e-6);
}

}  // namespace hockeystick
