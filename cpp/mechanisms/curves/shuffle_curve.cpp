// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_curve.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "mechanisms/allocation/gaussian_above.hpp"
#include "mechanisms/curves/shuffle_sum.hpp"
#include "mechanisms/curves/shuffle_weights.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

constexpr double farthest = 600;  // nats; curves go on by their last value
constexpr std::size_t most_values = 2000;
constexpr double least_tail = 1e-16;
// Cells of the last batch's output: they raise delta by a fifth. Half as wide ones take twice the time for 1.5 % less
// epsilon, twice as wide ones a sixth less for 5 % more.
constexpr double pivot_width = 0.5;
constexpr double most_terms = 0x1p19;  // a mean of more is below in convex order

// Of a term, over the number of cells: where places begin, in deviations, and the logarithm of the ratio of places;
// what `mean_positive_part` smooths by.
struct Fineness {
  double near, ratio, smooth;
};
constexpr Fineness for_all{2.5, 3.4, 0.19}, for_left_out{1.5, 2.4, 0.05};
const Fineness& fineness_of(const ShuffledEpoch& epoch) { return epoch.uses_all ? for_all : for_left_out; }

// A multiple of 2^-40, not below x (1 + 8 u).
double raised(double x) { return std::ceil(x * (1 + 8 * u) * 0x1p40) * 0x1p-40; }  // proof: shuffled-left-out

// The power of two next below.
double power_of_two(double x) { return std::ldexp(1.0, std::ilogb(x)); }

// Points of one way, in increasing order of alpha = e^x.
class Points {
 public:
  // On to a value below `tail`.
  void grow(ShuffleBound& bound, Way way, const ShuffledEpoch& epoch, double cells, double tail) {
    while (alpha_.size() < most_values && x_ < farthest && (upper_.empty() || upper_.back() >= tail)) {
      checkpoint();
      const double alpha = math::exp(x_), before = upper_.empty() ? infinity : upper_.back();
      const double value = std::min(bound.upper(way, alpha), before);
      alpha_.push_back(alpha);
      upper_.push_back(value);
      const double rate = step_ == 0 ? 0.5 / value : std::max(math::log(before / value) / step_, 1e-3);
      const double parts = (epoch.uses_all ? 26 : 13) / cells;
      const double fall = (0.25 + 0.75 * std::min(1.0, math::log(upper_.front() / value) / 8)) * parts;
      // The curve falls by a seventh of its logarithm, and further out by half of it, from a point to the next. Steps
      // are powers of two, so that about the same values lead to the same points.
      step_ = power_of_two(step_ == 0 ? fall / rate : std::clamp(fall / rate, step_ / 2, 2 * step_));
      x_ += step_;
    }
  }

  // Those up to the first value below `tail`.
  EnclosedCurve until(double tail) const {
    const auto beyond = std::partition_point(upper_.begin(), upper_.end(), [=](double each) { return each >= tail; });
    const std::ptrdiff_t count = std::min(std::ssize(upper_), beyond - upper_.begin() + 1);
    return {{alpha_.begin(), alpha_.begin() + count}, {}, {upper_.begin(), upper_.begin() + count}};
  }

 private:
  std::vector<double> alpha_, upper_;
  double x_ = 0, step_ = 0;
};

// What is known of an epoch.
struct Grown {
  ShuffledEpoch epoch;
  double cells;
  ShuffleBound bound;
  Points forth, back;
};
ForkSafeMutex& guard = *new ForkSafeMutex;
std::unique_ptr<Grown>& kept = *new std::unique_ptr<Grown>;

}  // namespace

ShuffleBound::ShuffleBound(const ShuffledEpoch& epoch, double cells, double tail)
    : epoch_(epoch), cells_(cells), tail_(tail) {}

TermLaw ShuffleBound::term(Way way, double alpha) {
  const double mu = raised(epoch_.mu);
  // What is left out of the mean at the ends of the grid may be a small part of the bound, that of the last question.
  const double tail = std::clamp(1e-3 * searches_[way == Way::back].last, tail_ / 10, 1e-5);
  const auto largest = [](double deviation, double beyond) {  // by about the quantile
    return math::exp(deviation * (deviation / 2 + std::sqrt(-2 * math::log(beyond)) - 0.4));
  };
  // A grid that ends far below 0 suffices: what it leaves out raises the mean by less than the part `rare`.
  const double rare = std::max(tail, 1e-5);
  const double forth = way == Way::forth && !epoch_.replaces ? 2 * mu : mu, back = way == Way::back ? 2 * mu : mu;
  const Fineness& fine = fineness_of(epoch_);
  const double near = alpha * std::sqrt(math::expm1(std::min(mu * mu, 1.0))) * fine.near / cells_;
  return term_law(
      mu, epoch_.replaces, way, alpha,
      {near, math::exp(fine.ratio / cells_), alpha * largest(epoch_.replaces ? mu : back, rare), largest(forth, tail)});
}

double ShuffleBound::of_left_out(const TermLaw& term, double alpha, double& tilt) {
  const double count = std::min(epoch_.batches, most_terms);
  const double less = epoch_.by_batch * count * (alpha - 1) * (1 - 8 * u);  // proof: shuffled-left-out
  const SameTerms terms{&term, static_cast<std::int64_t>(count)};
  return mean_positive_part({&terms, 1}, less, fineness_of(epoch_).smooth, 0, tilt, space_) / count * epoch_.joins *
         (1 + 4 * u);
}

// E (sum of the other batches' terms - pivot less)_+, in units of a whole batch; the pivot's own size is 1 or the last.
double ShuffleBound::with_pivot(const TermLaw& term, double less, double pivot, const PivotNode& node, double enough,
                                double& tilt) {
  const bool has_last = pivot == 1 && epoch_.last_size < 1;
  const double full = epoch_.batches - (has_last ? 2 : 1), count = std::min(full, most_terms), each = full / count;
  std::vector<SameTerms> terms;
  const auto add = [&](double weight, double times) {
    if (times == 0) return;
    // proof: shuffled-every
    terms.push_back(
        {&term, static_cast<std::int64_t>(times), weight * node.gain * (1 + 4 * u), weight * node.loss * (1 - 4 * u)});
  };
  add(each, count);
  if (has_last) add(epoch_.last_size, 1);
  const double of_pivot = pivot * less;
  return mean_positive_part(terms, of_pivot - 4 * u * std::fabs(of_pivot), fineness_of(epoch_).smooth, enough, tilt,
                            space_);  // proof: shuffled-every
}

double ShuffleBound::of_all(const TermLaw& term, Way way, double alpha, double pivot, double most) {
  const double nu = epoch_.replaces ? epoch_.mu / 2 : epoch_.mu, last = epoch_.last_size;
  if (pivots_.nodes.empty()) pivots_ = pivot_nodes(raised(nu), pivot_width, tail_ / 10);
  const double all = epoch_.batches - 1 + last;
  double rest = 1e-12;
  for (const PivotNode& node : pivots_.nodes) rest += node.mass;
  // A corner counts p times the mean of all terms above 0 at most, and the pivot.
  double above = term.excess;
  for (std::size_t k = 0; k < term.masses.size(); ++k) above += term.masses[k] * std::max(0.0, term.places[k]);
  const double slope = above * all * (1 + 1e-9) + 1;  // proof: shuffled-every
  double total = pivots_.excess * slope;              // proof: shuffled-every
  Search& search = searches_[way == Way::back];
  search.tilts.resize(pivots_.nodes.size());
  std::vector<Known> unknown, &known = pivot == 1 ? search.known : unknown;
  known.resize(pivots_.nodes.size());
  const double least = 1e-3 * all * search.last;  // of what counts
  for (std::size_t k = pivots_.nodes.size(); k-- > 0;) {
    const PivotNode& node = pivots_.nodes[k];
    const double gain = way == Way::forth || epoch_.replaces ? node.gain : 1;
    const double loss = way == Way::back || epoch_.replaces ? alpha * node.loss * (1 - 2 * u) : alpha;
    const double less = down(loss - gain);  // proof: shuffled-every
    // What is known at a smaller alpha is above, too.
    if (!(known[k].alpha <= alpha && known[k].value * node.mass <= least)) {  // proof: shuffled-every
      if (search.tilts[k] == 0) search.tilts[k] = search.tilt;
      known[k] = {alpha, with_pivot(term, less, pivot, node, least / 8 / node.mass, search.tilts[k])};
      search.tilt = search.tilts[k];
    }
    const double value = known[k].value;
    total += node.mass * value;
    if (total > most * all) return infinity;
    rest -= node.mass;
    if (rest * value < 4e-3 * total || k == 0) {
      total += std::max(0.0, rest) * value;  // proof: shuffled-every
      break;
    }
  }
  return total / all * (1 + 1e-12);  // proof: shuffled-every
}

// E (sum of all batches' terms)_+ / b, each of all but the first times its weight, and what weights that are mistaken
// add, a thousandth of the last value as a rule.
double ShuffleBound::of_first(const TermLaw& term, Way way, double alone) {
  const double nu = epoch_.replaces ? epoch_.mu / 2 : epoch_.mu, b = epoch_.batches, most = 1 / b + alone;
  if (epoch_.size == 0 || b > most_terms) return infinity;
  Search& search = searches_[way == Way::back];
  const double allowed = std::min(0.5, 1e-3 * search.last / most);
  const BatchWeights weights = batch_weights(nu, static_cast<std::int64_t>(b) - 1, epoch_.size, allowed);
  if (weights.highs == 0) return infinity;
  std::vector<SameTerms> terms;
  const auto add = [&](std::int64_t times, double weight) {
    // proof: shuffled-first
    if (times > 0 && weight > 0) terms.push_back({&term, times, weight * (1 + 4 * u), weight * (1 - 4 * u)});
  };
  add(weights.highs, weights.high), add(weights.lows, weights.low), add(1, 1);
  if (search.first_tilt == 0) search.first_tilt = search.tilt;
  const double all = mean_positive_part(terms, 0, for_left_out.smooth, 0, search.first_tilt, space_);
  return (all / b + weights.mistaken * most) * (1 + 8 * u);  // proof: shuffled-first
}

double ShuffleBound::bound(Way way, double alpha, double most) {
  const TermLaw law = term(way, alpha);
  double& tilt = searches_[way == Way::back].tilt;
  if (tilt == 0) tilt = 1 / (law.places.back() * std::sqrt(std::min(epoch_.batches, most_terms)));
  if (!epoch_.uses_all) return of_left_out(law, alpha, tilt);
  const double first = of_first(law, way, most);
  const double whole = std::min(first, of_all(law, way, alpha, 1, std::min(first, most)));
  if (epoch_.last_size == 1 || epoch_.batches > 2) return whole;
  return std::min(whole, of_all(law, way, alpha, epoch_.last_size, most));
}

double ShuffleBound::upper(Way way, double alpha) {
  const double alone = gaussian_above(epoch_.mu, alpha, 0);
  Search& at = searches_[way == Way::back];
  if (!at.helps) return alone;
  const double value = bound(way, alpha, alone);
  at.helps = value < alone;
  return at.last = std::min(alone, value);
}

EnclosedCurve shuffle_curve(const ShuffledEpoch& epoch, double cells, double tail, bool back) {
  std::unique_ptr<Grown> grown;  // by one thread at a time; another begins anew
  {
    const std::lock_guard lock(guard);
    if (kept && kept->epoch == epoch && kept->cells == cells) grown = std::move(kept);
  }
  if (!grown) grown.reset(new Grown{epoch, cells, {epoch, cells, least_tail}, {}, {}});
  grown->forth.grow(grown->bound, Way::forth, epoch, cells, tail);
  if (!epoch.replaces) grown->back.grow(grown->bound, Way::back, epoch, cells, tail);
  const Points &forth = grown->forth, &backward = epoch.replaces ? forth : grown->back;
  EnclosedCurve there = forth.until(tail), reverse = backward.until(tail);
  EnclosedCurve curve = back ? whole_curve(reverse, there) : whole_curve(there, reverse);
  const std::lock_guard lock(guard);
  std::swap(kept, grown);  // what was kept is destroyed after the lock
  return curve;
}

}  // namespace hockeystick
