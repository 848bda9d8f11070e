// SPDX-License-Identifier: Apache-2.0
// A step's loss is log(1 - q + q e^y), y normal of mean mu^2 / 2 where the record joins, else -mu^2 / 2. The loss is
// never below log q + y, nor below log(1 - q). Where the record joins it is hardly above the former, elsewhere hardly
// above the latter. So, given the number of joined steps, the sum of losses is normal but for its shift.
// cpp/proofs/participations.md has the bounds.
#include "methods/participations.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/dominating_pair.hpp"
#include "methods/closed_form.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "pld/reflect.hpp"

namespace hockeystick {
namespace {

using Form = SampledGaussian::Form;

constexpr std::size_t most_parts = 20000;           // with which a question takes some 0.1 s
constexpr double square_error = 16 * u;             // relative, of a sum of squares and its root; proof: participations
constexpr double farthest = 36.5, beyond = 1e-291;  // delta is at most the tail at (epsilon / mu - mu / 2)

// The hockey-stick curve of N(mu, 1) against N(0, 1), mu^2 = `square`, at e^epsilon, epsilon >= 0.
Interval plain_delta(double square, double epsilon) {
  if (square == 0) return {0, 0};
  const double mu = std::sqrt(square);
  if (epsilon / mu - mu / 2 * (1 + 4 * square_error) > farthest) return {0, beyond};  // proof: participations
  return GaussianCurve(mu, square_error).delta(epsilon);
}

// The probability that the loss of N(mu, 1) against N(0, 1), mu^2 = `square`, exceeds x; at mu = 0 the loss is 0.
Interval plain_tail(double square, double x) {
  if (square == 0) return x < 0 ? Interval{1, 1} : Interval{0, 0};
  const double mu = std::sqrt(square), z = x / mu - mu / 2;
  const double off = (std::fabs(x) / mu + mu / 2) * (square_error + 8 * u);  // proof: participations
  return {std::max(0.0, normal_tail(z + off) * (1 - 2 * normal_error) - 4 * u * (z < 0) - 1e-307),
          std::min(1.0, normal_tail(z - off) * (1 + 2 * normal_error) + 4 * u * (z < 0) + 1e-307)};
}

// Upper bound of the probability that a normal loss of mean mu^2 / 2 falls below `y`.
double falls_below(double mu, double y) {
  const double x = mu / 2 - y / mu, low = x - 8 * u * (mu + std::fabs(y) / mu);
  return low > 0 ? normal_tail(low) * (1 + 2 * normal_error) + 1e-307 : 1.0;  // proof: participations
}

// Upper bound of e^(-mu^2), the mean of e^z, z = -y - mu^2, of a joined step.
double mean_reversed(double mu) { return math::exp(-mu * mu) * (1 + 8 * u * (1 + mu * mu)) + 1e-307; }

// The tail at each place, for a normal loss.
using Given = Interval (*)(double square, double loss);
Participations::Law each(Given given) {
  return [given](std::span<const Participations::Place> places) {
    std::vector<Interval> values;
    for (const auto& [weight, square, from, to] : places) {
      checkpoint_each<256>(values.size());
      values.push_back({given(square, to).lower, given(square, from).upper});
    }
    return values;
  };
}

}  // namespace

Interval normal_curve(double square, double epsilon) {
  return epsilon < 0 ? by_reverse(epsilon, plain_delta(square, -epsilon)) : plain_delta(square, epsilon);
}

std::optional<Participations> Participations::of(const MergedDirection& run, double slack, double least_mu) {
  Participations found;
  found.plain_ = run.mu * run.mu;
  double count = 0;
  for (const Term& term : run.terms) {
    if (term.pair->gaussian_mu() > 0) continue;  // merged with the other plain Gaussians
    const auto [mu, rate, form] = term.pair->sampled_gaussian();
    // Where replaced records mostly join, what a step loses there is not within a slack.
    const bool is_hidden =
        form == Form::none || mu < least_mu || (found.form_ != Form::none && form != found.form_) ||
        (slack > 0 && form == Form::replace && math::log(rate) - math::log1p(-rate) > mu * mu / 2 - 1);
    if (is_hidden) {
      found.others_.push_back(term);
      continue;
    }
    found.form_ = form;
    found.steps_.push_back({mu, rate, static_cast<double>(term.count)});
    count += found.steps_.back().count;
  }
  if (found.form_ == Form::none) return {};
  // Next to a loss, and a probability, that joining none or any step has.
  double most = 0;
  for (const auto& [mu, rate, steps] : found.steps_) most -= steps * math::log1p(-rate);
  slack *= std::min(1.0, most);
  // A step that is not mistaken has a loss within slack / count; without a slack each costs what it is off by.
  const double each = slack > 0 ? math::log(count / slack) : 0;
  for (const auto& [mu, rate, steps] : found.steps_) {
    const double odds = math::log1p(-rate) - math::log(rate), rest = 1 - rate;
    const double joins = rate * falls_below(mu, odds + each), spared = rest * falls_below(mu, each - odds);
    const double none = (joins * (slack > 0 ? 0 : 1) + spared) / rest;
    const double both_ways = slack > 0 ? joins + 2 * spared : joins + spared + rate * rate / rest * mean_reversed(mu);
    const double one_way = slack > 0 ? joins + spared : 2 * (joins + spared);
    // proof: participations
    found.above_ += steps * (slack > 0 && found.form_ == Form::replace ? both_ways : one_way) * (1 + 16 * u);
    found.below_ += steps * (found.form_ == Form::add ? none : both_ways) * (1 + 16 * u);  // proof: participations
  }
  if (found.form_ == Form::add) found.above_ = 0;
  if (found.form_ == Form::remove) found.below_ = 0;
  slack *= 1 + 1e-12;  // proof: participations
  found.slack_above_ = found.form_ == Form::add ? 0 : slack;
  found.slack_below_ = found.form_ == Form::remove ? 0 : slack;
  return found;
}

double Participations::size() const {
  double parts = 1;
  if (form_ != Form::add)
    for (const auto& [mu, rate, count] : steps_)
      parts *= std::min(count + 1, 2 + 20 * std::sqrt(count * rate * (1 - rate)) + 20);
  return parts;
}

// The parts in every combination with the number of these steps that a record joins. Parts of a probability below
// `least` are left out; false where there are too many.
bool Participations::join(Parts& parts, const Steps& steps, double least) const {
  const auto [mu, rate, count] = steps;
  const double log_rate = math::log(rate), log_rest = math::log1p(-rate), odds = rate / (1 - rate);
  // Binomial probabilities over the largest one: each from its neighbour, with 8 u for each step from there.
  const double mode = std::min(count, std::floor((count + 1) * rate));
  struct Joined {
    double times, weight;
  };
  std::vector<Joined> joined{{mode, 1}};
  double rest = 0, sum = 1;
  for (const double way : {1.0, -1.0}) {
    double weight = 1;
    for (double k = mode; way > 0 ? k < count : k > 0;) {
      const double ratio = way > 0 ? (count - k) / (k + 1) * odds : k / (count - k + 1) / odds;
      k += way, weight *= ratio;
      if (weight < least) {
        rest += weight / std::max(1e-9, 1 - ratio);  // the ratios fall; proof: participations
        break;
      }
      joined.push_back({k, weight});
      sum += weight;
      if (joined.size() * parts.all.size() > most_parts) return false;
    }
  }
  std::vector<Part> all;
  for (const Part& part : parts.all)
    for (const auto& [times, weight] : joined) {
      const double left = count - times;
      // For replaced records the loss of steps that the record does not join is 0; else -log(1 - q) is part of the
      // shift.
      const double shift = form_ == Form::replace ? times * (log_rest - log_rate) : -times * log_rate - left * log_rest;
      all.push_back({part.weight * weight / sum, part.square + times * mu * mu, part.shift + shift});
    }
  // proof: participations
  parts.error += 16 * u * static_cast<double>(joined.size() + 16) + 1.01 * rest;
  parts.rest += 1.01 * rest / sum;  // proof: participations
  parts.all = std::move(all);
  return true;
}

// Parts that are rarer than `least`, relative to the likeliest, are left out.
Participations::Parts Participations::parts(double least) const {
  Parts parts{{{1, plain_, 0}}};
  for (const Steps& steps : steps_) {
    if (form_ == Form::add)
      parts.all.front().shift += steps.count * math::log1p(-steps.rate);  // the loss of none is -log(1 - q)
    else if (!join(parts, steps, least))
      return {{}, 1, 0};
  }
  return parts;
}

Interval Participations::mean(const Parts& parts, const Law& law, double at) const {
  std::vector<Place> places;
  for (const auto& [weight, square, shift] : parts.all) {
    const double x = at + shift, off = 32 * u * (std::fabs(at) + std::fabs(shift));
    places.push_back({weight, square, x - slack_above_ - off, x + slack_below_ + off});  // proof: participations
  }
  const std::vector<Interval> values = law(places);
  double lower = 0, upper = 0;
  for (std::size_t k = 0; k < places.size(); ++k)
    lower += places[k].weight * values[k].lower, upper += places[k].weight * values[k].upper;
  const double error = parts.error + u * static_cast<double>(parts.all.size() + 16);
  // proof: participations
  return {std::max(0.0, lower * (1 - error) - below_ * (1 + 16 * u)),
          std::min(1.0, (upper * (1 + error) + parts.rest + above_ * (1 + 16 * u)) * (1 + 4 * u))};
}

Interval Participations::mean(const Law& law, double at) const {
  Interval found{0, 1};
  for (const double least : {1e-16, 1e-60, 1e-300}) {
    const Parts some = parts(least);
    if (some.all.empty()) break;
    found = both(found, mean(some, law, at));
    if (some.rest <= 1e-6 * found.upper) break;
  }
  return found;
}

Interval Participations::delta(double epsilon) const { return mean(each(normal_curve), epsilon); }

namespace {

// Losses beyond 0, for replaced records: where no step is joined, the loss is an odd function of symmetric outcomes,
// without atoms.
Interval tail_beyond_0(double square, double x) { return square == 0 ? Interval{0.5, 0.5} : plain_tail(square, x); }

}  // namespace

Interval Participations::tail(double loss) const {
  return mean(each(loss == 0 && form_ == Form::replace ? tail_beyond_0 : plain_tail), loss);
}

namespace {

// Ends of the interval, which holds the least number at which `holds`, to ten digits: it holds at `high`.
template <class Holds>
Interval least_of(double low, double high, const Holds& holds) {
  return halved(low, high, 120, 1e-10, [&](double x) { return !holds(x); });
}

}  // namespace

Interval Participations::quantile(double least, double most) const {
  const Parts some = parts(std::max(1e-9 * std::min(least, 1 - most), 1e-300));
  double low = infinity, high = -infinity, beside = 0;  // beside the outermost losses, by more than these are off
  for (const auto& [weight, square, shift] : some.all) {
    beside = std::max(beside, 1e-13 * (square + std::fabs(shift)));
    low = std::min(low, square / 2 - shift - 40 * std::sqrt(square) - slack_below_);
    high = std::max(high, square / 2 - shift + 40 * std::sqrt(square) + slack_above_);
  }
  if (!(low <= high)) return anything;
  low -= beside, high += beside;
  const Law tails = each(plain_tail);
  const auto is_above = [&](double loss) { return !(mean(some, tails, loss).lower > most); };
  const auto is_below = [&](double loss) { return mean(some, tails, loss).upper <= least; };
  return {is_above(low) ? -infinity : least_of(low, high, is_above).lower,
          is_below(high) ? least_of(low, high, is_below).upper : infinity};
}

Interval Participations::epsilon(double delta) const {
  const Parts some = parts(std::max(1e-9 * std::min(delta, 1 - delta), 1e-300));
  if (some.all.empty()) return {0, infinity};
  double most = 1;
  for (const auto& [weight, square, shift] : some.all)
    most = std::max(most, square / 2 - shift + 40 * std::sqrt(square) + slack_above_);
  const Law curve = each(normal_curve);
  const auto suffices = [&](double epsilon) { return mean(some, curve, epsilon).upper <= delta; };
  const auto fails = [&](double epsilon) { return !(mean(some, curve, epsilon).lower > delta); };
  if (suffices(0)) return {0, 0};
  Interval found{0, infinity};
  if (suffices(most)) found.upper = least_of(0, most, suffices).upper;
  if (!fails(0)) found.lower = fails(most) ? least_of(0, most, fails).lower : most;
  return found;
}

}  // namespace hockeystick
