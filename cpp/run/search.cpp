// SPDX-License-Identifier: Apache-2.0
#include "run/search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/range.hpp"
#include "run/enclosing.hpp"

namespace hockeystick {
namespace {

constexpr double share = 0.25;  // of the tolerance: the part of the target that may be left unspent
constexpr std::size_t patience = 4, most_evaluations = 400;
const double octave = math::log(2.0), far = math::log(8.0), farther = math::log(16.0);

double distance(const std::optional<Search::Sample>& a, const std::optional<Search::Sample>& b) {
  return a && b ? std::fabs(b->position - a->position) : infinity;
}

// The line's guess with a term for the curvature, if that is known and stays a correction.
double parabola(const std::vector<const Search::Sample*>& samples, double slope, double aim, double line) {
  if (samples.size() < 3 || samples[1]->height == samples[2]->height) return line;
  const Search::Sample &a = *samples[0], &b = *samples[1], &c = *samples[2];
  const double other = (c.position - a.position) / (c.height - a.height);
  const double bend = (other - slope) / (c.height - b.height) * (aim - a.height) * (aim - b.height);
  return std::fabs(bend) <= 0.5 * std::fabs(line - a.position) ? line + bend : line;
}

// A number as messages show it: counts are written without a point.
std::string shown(double x, bool whole = false) {
  const std::string digits = written(x, whole ? 16 : 15);
  return whole || digits.find_first_not_of("-0123456789") != std::string::npos ? digits : digits + ".0";
}

double scaled(double cost, Scale scale) {
  if (cost == infinity) return cost;
  if (scale == Scale::falling) return cost < 0 ? -math::log(-cost) : infinity;
  if (scale == Scale::logarithm) return cost > 0 ? math::log(cost) : -infinity;
  if (!(cost > 0 && cost < 1)) return cost < 0.5 ? -infinity : infinity;
  return math::log(cost) - math::log1p(-cost);
}

template <class Samples>
auto nearest_first(const Samples& samples) {
  std::vector<const Search::Sample*> near;
  for (const Search::Sample& one : samples) near.push_back(&one);
  std::stable_sort(near.begin(), near.end(),
                   [](auto* a, auto* b) { return std::fabs(a->height) < std::fabs(b->height); });
  return near;
}

}  // namespace

double Goal::height_of(double cost) const { return cost == target ? 0 : scaled(cost, scale) - scaled(target, scale); }

Search::Search(Family& family, Goal goal, const Search* before, bool alike)
    : family_(family), goal_(std::move(goal)), sign_(goal_.sign) {
  if (before != nullptr && !before->samples_.empty()) learn_from(*before, alike);
}

// Learns the direction and steepness of the cost, and, from a search of the same family, samples.
void Search::learn_from(const Search& before, bool alike) {
  const std::vector<Found> near = nearest_first(before.samples_);
  sign_ = before.sign_, slope_ = before.slope_;
  for (std::size_t k = 1; k < near.size(); ++k) {
    const double rise = near[k - 1]->height - near[k]->height, run = near[k - 1]->position - near[k]->position;
    if (!(rise * run * sign_ > 0)) continue;
    slope_ = run / rise;
    break;
  }
  if (sign_ == 0) return;
  if (alike) {
    for (Found one : near)  // an answer at an end may be hasty
      if (!one->unmet && one->value != before.end()) enter(one->value, {one->cost, {}, one->of_theory}, one->tolerance);
  }
  if (samples_.empty()) measure(near.front()->value, goal_.tolerance);
}

Search::Sample Search::run() {
  if (sign_ == 0) find_sign();
  if (samples_.empty()) measure(family_.start, std::max(goal_.coarse, goal_.tolerance));
  while (widths_.size() < most_evaluations) {
    if (inside_ && is_last()) {
      // Where every parameter fits, the accuracy of the cost does not matter.
      if (inside_->unmet && inside_->value != end()) std::rethrow_exception(inside_->unmet);
      if (inside_->final) return *inside_;
      measure(inside_->value, goal_.tolerance);
    } else {
      refuse_the_unreachable();
      const auto [value, tolerance] = next();
      measure(value, tolerance);
    }
  }
  if (outside_ && outside_->unmet) std::rethrow_exception(outside_->unmet);  // too wide to tell which way to go
  const auto at = [&](const std::optional<Sample>& one) { return one ? text(one->value) : "None"; };
  throw std::invalid_argument(family_.name + " must be monotone and " + goal_.name +
                              " certifiable around the target: after " + std::to_string(most_evaluations) +
                              " evaluations the search had not settled between " + at(inside_) + " and " +
                              at(outside_));
}

std::pair<Search::Sample, std::optional<Search::Sample>> Search::bracket(double width) {
  Sample inside = run();
  double reach = 0.9 * width;
  while (inside.value != end()) {
    if (outside_ && (family_.whole ? std::fabs(outside_->value - inside.value) <= 1
                                   : distance(inside_, outside_) <= math::log1p(width)))
      return {inside, outside_};
    const double step = outside_ ? std::min(reach, 0.5 * distance(inside_, outside_)) : reach;
    double value = family_.settled(value_at(inside.position + sign_ * step));
    if (family_.whole) value = strictly_between(value);
    measure(value, goal_.tolerance);
    if (inside_->value != inside.value) reach *= 2;
    inside = *inside_;
  }
  return {inside, {}};
}

// Samples until two enclosures are apart, so that the direction is certain.
void Search::find_sign() {
  const double tolerance = std::max(goal_.coarse, goal_.tolerance);
  measure(family_.start, tolerance);
  if (measure_probes(tolerance)) return find_bracket();
  if (std::all_of(samples_.begin(), samples_.end(),
                  [&](const Sample& one) { return one.cost.upper <= goal_.target; })) {
    sign_ = sign_of_advantage();
    if (sign_ != 0) return find_bracket();
  }
  for (const Sample& one : samples_)
    if (one.unmet) std::rethrow_exception(one.unmet);  // the enclosures are too wide to tell
  refuse_the_constant();
}

// Samples parameters ever farther from the start, on both sides in turn, until they show the sign. The first is where
// the target might be: the cost most often rises with whole numbers and falls with others, such as noise. Steps towards
// more cost are small.
bool Search::measure_probes(double tolerance) {
  const Sample first = samples_.front();
  const int sign = (first.height > 0) == family_.whole ? -1 : 1;
  const double careful = first.height < 0 && !family_.whole ? 2 : 1;  // noise acts steeply
  const double reach = std::min(std::max(std::fabs(first.height) / careful, octave), farther);
  const double step = sign * (first.height > 0 ? octave : reach);
  std::vector<double> steps{step, takes(first.position + step) ? -step : -sign * reach};
  for (int k = 0; k < 8; ++k)
    for (const int side : {1, -1}) steps.push_back(side * std::ldexp(farther, k));
  for (const double each : steps)
    if (takes(first.position + each) && tells_sign(tolerance, value_at(first.position + each))) return true;
  for (const double each : {octave, -octave}) {  // a narrow domain: its ends
    const double last = family_.settled(value_at(first.position + each));
    if (known(last) == nullptr && tells_sign(tolerance, last)) return true;
  }
  return false;
}

bool Search::tells_sign(double tolerance, double value) {
  const Sample made = measure(value, tolerance);
  const auto is_below = [](const Sample& a, const Sample& b) {
    return a.cost.upper < b.cost.lower || (a.of_theory && b.of_theory && b.height - a.height > rough_sides);
  };
  for (const Sample& old : samples_) {
    if (!is_below(old, made) && !is_below(made, old)) continue;
    sign_ = is_below(old, made) == (old.value < made.value) ? 1 : -1;
    refuse_contradictions();
    return true;
  }
  return false;
}

// The direction of more cost where all parameters fit, which an epsilon of 0 does not show.
int Search::sign_of_advantage() const {
  std::vector<std::pair<double, Interval>> all;
  for (const Sample& one : samples_) {
    const Interval made = family_.advantage(one.value);
    for (const auto& [value, old] : all)
      if (old.upper < made.lower || made.upper < old.lower)
        return (old.upper < made.lower) == (value < one.value) ? 1 : -1;
    all.emplace_back(one.value, made);
  }
  return 0;
}

const Search::Sample& Search::measure(double value, double tolerance) {
  value = family_.settled(value);
  Cost cost{{-infinity, infinity}, {}};
  // The accuracy of the cost at the end of the domain does not matter if that parameter fits.
  if (value == end()) cost.bounds = family_.hasty_cost(value, tolerance);
  if (!(cost.bounds.upper <= goal_.target)) cost = family_.cost(value, tolerance);
  return enter(value, cost, tolerance);
}

const Search::Sample& Search::enter(double value, const Cost& cost, double tolerance) {
  const auto [lower, upper] = cost.bounds;
  const bool final = tolerance <= goal_.tolerance || cost.of_theory;
  double expected = upper;
  if (!final) {  // the likely upper bound of most finer enclosures
    const double middle = lower + (upper - lower) / 2;
    expected = std::min(upper, middle + 0.4 * goal_.tolerance * std::fabs(middle));
  }
  const double noise = cost.of_theory ? rough_sides : scaled(upper, goal_.scale) - scaled(lower, goal_.scale);
  const Sample made{value, position(value), cost.bounds, goal_.height_of(expected), noise, tolerance,
                    final, cost.of_theory,  cost.unmet};
  const auto old =
      std::find_if(samples_.begin(), samples_.end(), [&](const Sample& one) { return one.value == value; });
  const std::size_t at = static_cast<std::size_t>(old - samples_.begin());
  if (old == samples_.end())
    samples_.push_back(made);
  else
    *old = made;
  refuse_contradictions();
  find_bracket();
  widths_.push_back(distance(inside_, outside_));
  return samples_[at];
}

// The samples from the cheapest on.
std::vector<Search::Found> Search::ordered() const {
  std::vector<Found> all;
  for (const Sample& one : samples_) all.push_back(&one);
  std::stable_sort(all.begin(), all.end(),
                   [&](Found a, Found b) { return sign_ < 0 ? a->position > b->position : a->position < b->position; });
  return all;
}

// The cheapest sample that misses the target, and the costliest below that meets it.
void Search::find_bracket() {
  inside_.reset(), outside_.reset();
  for (Found one : ordered()) {
    if (one->cost.upper <= goal_.target) {
      inside_ = *one;
    } else if (one->final || one->cost.lower > goal_.target) {
      outside_ = *one;
      return;
    }
  }
}

// Whether no costlier parameter is worth looking for.
bool Search::is_last() const {
  if (inside_->value == end()) return true;
  if (family_.whole) return outside_ && std::fabs(outside_->value - inside_->value) == 1;
  // Upper ends above a gap of theory jump where another bound begins to hold, which is no jump of the cost.
  const bool is_of_theory = outside_ && inside_->of_theory && outside_->of_theory;
  if (distance(inside_, outside_) <= (is_of_theory ? share * goal_.tolerance : goal_.narrow)) return true;
  return inside_->final && inside_->cost.upper >= goal_.target - share * goal_.tolerance * std::fabs(goal_.target);
}

// The next parameter to ask, and the tolerance: a secant step about squares the distance.
std::pair<double, double> Search::next() const {
  double value = family_.settled(value_at(guess()));
  const Found asked = known(value);
  if (!family_.whole && inside_ && outside_ && asked != nullptr && asked->final)  // no new parameter is asked
    value = family_.settled(value_at((inside_->position + outside_->position) / 2));
  if (family_.whole) value = strictly_between(value);
  const double nearest = std::fabs(nearest_first(samples_).front()->height);
  double coarse = goal_.coarse * std::min(1.0, 10 * nearest * nearest);
  // Only a finer answer can be new; where the last parameter fits, that parameter is the answer.
  if (known(value) != nullptr || (!outside_ && value == end())) coarse = 0;
  return {value, std::max(goal_.tolerance, coarse)};
}

double Search::strictly_between(double value) const {
  if (inside_ && (value - inside_->value) * sign_ <= 0) value = inside_->value + sign_;
  if (outside_ && (outside_->value - value) * sign_ <= 0) value = outside_->value - sign_;
  return value;
}

double Search::guess() const {
  const std::optional<double> straight = interpolated();
  if (inside_ && outside_) {
    const auto [low, high] = std::minmax(inside_->position, outside_->position);
    const std::size_t back = std::min(widths_.size(), patience + 1);
    const bool stuck = widths_.back() > 0.5 * widths_[widths_.size() - back];
    // A coarse sample may meet the target where a final one is expected not to.
    const bool fair = !inside_->final && (inside_->position - straight.value_or(0)) * sign_ >= 0;
    if (!straight || stuck || !(fair || (low < *straight && *straight < high))) return (low + high) / 2;
    return *straight;
  }
  if (!inside_ && !outside_) return nearest_first(samples_).front()->position;  // asks that parameter again
  const double from = (inside_ ? inside_ : outside_)->position;
  const int towards = outside_ ? -sign_ : sign_;
  const auto [first, last] = std::minmax_element(
      samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) { return a.position < b.position; });
  const double most = std::max(far, last->position - first->position);
  if (!straight || (*straight - from) * towards <= 0) return from + towards * most;
  return from + towards * std::min(most, std::fabs(*straight - from));
}

// The place at which the curve through the samples nearest to the target meets the target: a parabola, position over
// height, through three of them, or a line through two.
std::optional<double> Search::interpolated() const {
  std::vector<Found> near;
  for (const Sample& one : samples_)
    if (std::isfinite(one.height)) near.push_back(&one);
  if (near.empty()) return {};
  const auto far_off = [](Found one) { return std::fabs(one->height) + (one->final ? 0 : one->noise); };
  std::stable_sort(near.begin(), near.end(), [&](Found a, Found b) { return far_off(a) < far_off(b); });
  const double unspent = family_.whole ? 0 : 0.5 * share * goal_.tolerance;
  const double aim = goal_.height_of(goal_.target - unspent * std::fabs(goal_.target));
  std::vector<Found> chosen{near.front()};
  const Sample& nearest = *near.front();
  double slope = 0;
  for (std::size_t k = 1; k < near.size(); ++k) {
    const Sample& other = *near[k];
    const double rise = other.height - nearest.height, run = other.position - nearest.position;
    if (rise * run * sign_ <= 0) continue;
    if (chosen.size() == 1) slope = run / rise;
    // Rises within the enclosures' widths may be noise, of which those of two final samples share most.
    const bool is_final = nearest.final && other.final;
    if (is_final || std::fabs(rise) > 2 * std::max(nearest.noise, other.noise)) chosen.push_back(&other);
  }
  if (slope == 0) slope = slope_;
  if (slope == 0) return {};
  return parabola(chosen, slope, aim, nearest.position + slope * (aim - nearest.height));
}

void Search::refuse_the_unreachable() const {
  if (inside_ || !outside_) return;
  const std::vector<Found> all = ordered();
  const Sample &best = *all.front(), &second = *all[std::min<std::size_t>(1, all.size() - 1)];
  const bool at_end = best.value == (sign_ > 0 ? family_.low : family_.high);
  const bool exceeds = best.cost.lower > goal_.target;
  const bool flat = std::fabs(best.position - second.position) > far && best.cost.upper >= second.cost.lower;
  if (!((at_end && (best.final || exceeds)) || (flat && exceeds))) return;
  if (best.unmet && !exceeds) std::rethrow_exception(best.unmet);  // the message says what would help
  const std::string where = text(best.value);
  const bool is_end = at_end && (best.final || exceeds);
  refuse_the_target(
      "at " +
      (is_end ? "the most private parameter, " + where : where + ", hardly less than at " + text(second.value)) +
      ", it is between " + text(best.cost) + (is_falling() ? "; lower" : "; raise") + " the target" + family_.advice);
}

void Search::refuse_the_constant() const {
  const auto [low, high] = std::minmax_element(samples_.begin(), samples_.end(),
                                               [](const Sample& a, const Sample& b) { return a.value < b.value; });
  const std::string ends = " at " + text(low->value) + " as at " + text(high->value) + " and between";
  if (std::all_of(samples_.begin(), samples_.end(), [](const Sample& one) { return one.cost.lower == infinity; }))
    refuse_the_target("it is inf" + ends + (goal_.name == "epsilon" ? "; raise delta" : ""));
  throw std::invalid_argument(family_.name + " must depend on its parameter: " + goal_.name + " is " +
                              shown(std::fabs(low->cost.upper)) + ends);
}

void Search::refuse_the_target(const std::string& why) const {
  throw std::invalid_argument(goal_.name + " must be within the reach of " + family_.name + ", got " +
                              shown(std::fabs(goal_.target)) + ": " + why);
}

void Search::refuse_contradictions() const {
  if (sign_ == 0) return;
  Found worst = nullptr;
  for (Found one : ordered()) {
    if (worst != nullptr && worst->cost.lower > one->cost.upper)
      throw std::invalid_argument(family_.name + " must be monotone in its parameter; " + goal_.name + " is between " +
                                  text(worst->cost) + " at " + text(worst->value) + " but between " + text(one->cost) +
                                  " at " + text(one->value) + ", the other way than elsewhere");
    if (worst == nullptr || one->cost.lower > worst->cost.lower) worst = one;
  }
}

std::string Search::text(double value) const { return shown(value, family_.whole); }

std::string Search::text(const Interval& cost) const {
  const double ends[]{std::fabs(cost.lower), std::fabs(cost.upper)};
  return shown(ends[is_falling() ? 1 : 0]) + " and " + shown(ends[is_falling() ? 0 : 1]);
}

const Search::Sample* Search::known(double value) const {
  const auto found =
      std::find_if(samples_.begin(), samples_.end(), [&](const Sample& one) { return one.value == value; });
  return found == samples_.end() ? nullptr : &*found;
}

// Where the search sees a parameter: its logarithm, shifted to be finite at a count of 0.
double Search::position(double value) const { return math::log(family_.whole ? value + 0.5 : value); }

// The parameter at a position, within the domain as far as it is known.
double Search::value_at(double at) const {
  if (at <= position(family_.low)) return family_.low;  // exp(log(end)) may miss the end by a bit
  if (at >= position(family_.high)) return family_.high;
  // The positions of whole numbers are half-way between, so that rounding cannot change them.
  const double value = family_.whole ? std::floor(math::exp(at)) : math::exp(at);
  return std::clamp(value, family_.low, family_.high);
}

bool Search::takes(double at) const {
  const double value = value_at(at);
  return known(value) == nullptr && family_.accepts(value);
}

}  // namespace hockeystick
