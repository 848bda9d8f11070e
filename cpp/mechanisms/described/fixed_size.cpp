// SPDX-License-Identifier: Apache-2.0
// Gaussian mechanisms on batches of fixed size.
#include <algorithm>

#include "mechanisms/described/rows.hpp"
#include "numeric/elementary.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

using namespace rows::arguments;

// Batches of fixed size: batch size, dataset size, whether with replacement.
void check_fixed(const Described& one) {
  check_gaussian(one);
  const double size = one.number(second), most = one.number(third) != 0 ? std::min(1e12, 100 * size) : size;
  checked("batch_size", one.number(first), {1, most, Range::Ends::closed, true});
}

Mechanism simplest_fixed(const Mechanism& one) {
  return one->number(first) == one->number(second) && one->number(third) == 0 ? one->inner : one;
}

PairName fixed_above(const Described& one, Comparison way, const Accuracy& accuracy) {
  const std::string name = replaces(way) ? "" : is_backward(way) ? "of_special_" : "by_special_";
  return {"fixed_size_" + name + "above",
          {noise_of(one), one.number(first), one.number(second), one.number(third), accuracy.cells,
           to_the_end(accuracy.tail)}};
}

// How often a record is drawn with replacement, from below the true law in each tail: noise, 1, numbers of draws and
// their weights. Weights are within 1e-13 of themselves, and 1e-12 is taken off each.
std::vector<double> drawn_below(double noise, double draws, double records) {
  const double mean = draws / records;
  std::vector<double> weights{math::exp(draws * math::log1p(-1 / records))};  // of 0 times, 1, ...
  while (static_cast<double>(weights.size()) <= std::min(draws, mean) || weights.back() > 1e-14) {
    const auto times = static_cast<double>(weights.size());
    if (times > draws) break;
    weights.push_back(weights.back() * (draws - times + 1) / times / (records - 1));
  }
  std::vector<double> shifts{0.0}, masses{0.0};
  CompensatedSum drawn;
  for (std::size_t k = 1; k < weights.size(); ++k) {
    shifts.push_back(std::min(static_cast<double>(k), 900 * noise));
    masses.push_back(weights[k] * (1 - 1e-12));  // proof: fixed-size-curve
    drawn.add(masses.back());
  }
  masses.front() = 1 - drawn.value();
  std::vector<double> all{noise, 1.0};
  all.insert(all.end(), shifts.begin(), shifts.end());
  all.insert(all.end(), masses.begin(), masses.end());
  return all;
}

// The pairs of adversaries who keep the same other records in every run.
Names fixed_below(const Described& one, Comparison way, const Accuracy& accuracy) {
  const double noise = noise_of(one) / rows::distance(way), batch = one.number(first), records = one.number(second);
  Names known;
  for (const std::string ending : {"remove", "add"}) {
    if (one.number(third) != 0)
      known.push_back({"gaussian_mixture_" + ending, drawn_below(noise, batch, records)});
    else  // curves grow with the rate
      known.push_back(
          {"poisson_gaussian_" + ending, {noise, batch / records * (1 - 0x1p-48)}});  // proof: parameter-rounding
  }
  if (!replaces(way) && batch <= records)
    known.push_back({"fixed_size_special_below" + back(is_backward(way)),
                     {noise, batch, records, one.number(third), to_the_end(accuracy.tail)}});
  return known;
}

// All draws may be of the record, whose contribution is then added once for each draw: the pair is that of as many
// Gaussians released together as the square of the number of draws. Up to 2^26 the square is exact.
PairName all_drawn(const Described& one, Comparison way, const Accuracy& accuracy) {
  const double often = one.number(third) != 0 ? one.number(first) : 1, noise = noise_of(one) / rows::distance(way);
  if (often > 0x1p26) return fixed_above(one, way, accuracy);
  return often > 1 ? PairName{"joint_gaussian", {noise, often * often}} : PairName{"gaussian", {noise}};
}

// Divergences are quasi-convex, so that the largest divergence over all draws of the batch is an upper bound.
std::array<PairName, 2> fixed_beyond_curve(const Described& one, Comparison way, const Accuracy& accuracy, Aspect) {
  return {fixed_below(one, way, accuracy).front(), all_drawn(one, way, accuracy)};
}

std::vector<DescribedTerm> all_of_batch(const Described& one) {
  const double often = one.number(third) != 0 ? one.number(first) : 1;
  return rows::own_steps(one, often, often);
}

const Enclosure batches{
    .above = fixed_above, .below = fixed_below, .beyond_curve = fixed_beyond_curve, .largest = rows::inner_pair};

}  // namespace

std::vector<MechanismKind> rows::fixed_size() {
  constexpr Range whole{1, 1e12, Range::Ends::closed, true};
  return {
      {.name = "fixed_size_sampled",
       .type = "FixedSizeSampled",
       .arguments = {{"batch_size", whole},
                     {"dataset_size", {2, 1e12, Range::Ends::closed, true}},
                     {"replacement", {0, 1, Range::Ends::closed, true}, 0.0}},
       .refused = {counts_records, "the probability to be drawn changes with the number of records"},
       .is_scheme = true,
       .check = check_fixed,
       .simplified = simplest_fixed,
       .enclosure = &batches,
       .at_most = all_of_batch},
  };
}

}  // namespace hockeystick
