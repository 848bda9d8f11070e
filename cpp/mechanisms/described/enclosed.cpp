// SPDX-License-Identifier: Apache-2.0
// Mechanisms for which pairs above and below their hockey-stick curve are known, but no exact one.
#include "mechanisms/described/enclosed.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/described/rows.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

using namespace rows::arguments;
using namespace rows::allocations;

void check_epochs(const Described& one, const char* steps, double least_noise) {
  const double epochs = one.number(second);
  if (one.number(first) > 1)
    checked("noise_multiplier / sqrt(epochs)", noise_of(one) / std::sqrt(epochs), {least_noise, 1e12});
  else if (epochs > 1)
    checked(steps, one.number(first), {2, 1e12, Range::Ends::closed, true});
}

Mechanism simplest_epoch(const Mechanism& one) {
  const Mechanism inner = simplified(one->inner);
  if (inner == nullptr || one->number(first) == 1) return inner;
  if (inner == one->inner) return one;
  Described copy = *one;
  copy.inner = inner;
  return std::make_shared<const Described>(std::move(copy));
}

// Random allocation: steps, epochs.
void check_allocation(const Described& one) {
  const Mechanism inner = simplified(one.inner);
  if (inner != nullptr && inner->kind->enclosure != nullptr)
    throw std::invalid_argument("mechanism must be known by a dominating pair to be allocated at random, got " +
                                std::string(one.inner->kind->name));
  if (is_gaussian(*one.inner)) return check_epochs(one, "steps", ranges::noise_multiplier.low);
  checked("epochs, unless mechanism is gaussian,", one.number(second), {1, 1});
}

// Shuffled batches: batches, epochs, records left out, the size of a batch and of the last one. Above, an attacker who
// knows the record's batch sees one Gaussian step.
constexpr std::size_t fourth = 3, fifth = 4;
constexpr Range of_theorem{0.3, 1e4};  // noise multipliers at which the theorems are used
constexpr double rarest = 1e-300;  // what the curve may leave out of a loss whose moments are asked: next to nothing

double left_out(const Described& one) { return one.number(third); }
double size_of_batch(const Described& one) { return one.number(fourth); }  // NaN: not known
double size_of_last(const Described& one) { return one.number(fifth); }    // NaN: as of the others

void check_shuffled(const Described& one) {
  check_gaussian(one);
  if (const double size = size_of_last(one); size > 0) {
    if (left_out(one) > 0)
      throw std::invalid_argument("last_batch must not be given if records are left out, which are its own");
    if (!(size_of_batch(one) > 0)) throw std::invalid_argument("last_batch must be given with batch_size");
    checked("last_batch", size, {1, size_of_batch(one), Range::Ends::closed, true});
  }
  if (left_out(one) == 0) return check_epochs(one, "batches", ranges::noise_multiplier.low);
  const double noise = noise_of(one) / std::sqrt(one.number(second));
  checked("noise_multiplier / sqrt(epochs)", noise, {ranges::noise_multiplier.low, 1e12});
}

Mechanism simplest_shuffle(const Mechanism& one) { return left_out(*one) == 0 ? simplest_epoch(one) : one; }

double shuffled_noise(const Described& one, double side) {
  const double epochs = one.number(second);
  if (epochs == 1) return noise_of(one);
  return noise_of(one) / std::sqrt(epochs) * (1 + side * 0x1p-50);  // proof: parameter-rounding, shuffled-same-order
}

PairName own_step(const Described& one, Comparison way) {
  return {"gaussian", {shuffled_noise(one, -1) / rows::distance(way)}};
}

PairName shuffled_above(const Described& one, Comparison way, const Accuracy& accuracy) {
  const double batches = one.number(first), size = size_of_batch(one), noise = shuffled_noise(one, -1);
  const bool is_bounded = batches > 1 || (left_out(one) > 0 && size > 0);
  if (!is_bounded || !of_theorem.holds(noise / rows::distance(way))) return own_step(one, way);
  const double replaced = replaces(way) ? 1.0 : 0.0;
  // In powers of 2^8, so that runs of different lengths ask for the same curve; theory leaves more open than this does.
  const double eighths = std::floor((std::ilogb(accuracy.tail) + 6) / 8.0);
  const double tail = absolute(std::ldexp(1.0, 8 * static_cast<int>(eighths)));
  const double backward = is_backward(way) ? 1.0 : 0.0;
  if (left_out(one) > 0)
    return {"shuffled_left_out_above",
            {noise, batches, left_out(one), size > 0 ? size : 0.0, replaced, curve_cells, tail, backward}};
  const double last = size_of_last(one) > 0 ? size_of_last(one) / size : 1;
  const double known = last == 1 && one.number(second) == 1 && size > 0 ? size : 0;
  return {"shuffled_every_above", {noise, batches, last, known, replaced, curve_cells, tail, backward}};
}

// The pairs of the positions in which the other records may stand. The record is left out with the probability r / n,
// which is the larger, the fewer records a batch has.
Names shuffled_below(const Described& one, Comparison way, const Accuracy& accuracy) {
  const double noise = shuffled_noise(one, 1), batches = one.number(first), spread = noise / rows::distance(way);
  const double size = size_of_batch(one), used = batches * (size > 0 ? size : 1.0);
  const double joins = used / (used + left_out(one)) * (1 - 4 * u);  // proof: parameter-rounding
  const bool always = left_out(one) == 0;
  const std::string end = back(is_backward(way));
  // The means of the record's batch, with the record and without it, among the means of the other batches.
  Names known{{"shuffled_below" + end, {noise, batches, 2.0, 1.0, always ? 1.0 : joins}}};
  if (replaces(way)) known.push_back({"shuffled_below" + end, {noise, batches, 2.0, 0.0, always ? 1.0 : joins}});
  // An adversary who chooses the last batch has seen all other batches, of this epoch alone.
  if (always && one.number(second) == 1 && Range{1, 1000}.holds(noise) && Range{2, 10}.holds(batches)) {
    const double last = size_of_last(one) > 0 ? size_of_last(one) / size : 1;
    known.push_back({"shuffled_chosen_below" + end, {noise, batches, 2.0, replaces(way) ? 0.0 : 1.0, last}});
  }
  if (!replaces(way) && Range{1, 1000}.holds(spread) && Range{2, 1e5}.holds(batches))
    known.push_back({"shuffled_sum_below" + end, {noise, batches, 2.0, 1.0, always ? 1.0 : joins}});
  // Below these noises the largest batch, or a sum, gives a higher lower bound than a random allocation does, or the
  // same bound in less time.
  const double least = replaces(way) ? 1.0 : batches > 1e5 ? 1.5 : 8.0;
  if (!Range{least, 1000}.holds(spread) || batches == 1) return known;
  const std::string name = "random_allocation_below";
  const std::vector<double> allocated{spread, batches, 1, accuracy.cells, absolute(accuracy.tail)};
  if (always)
    known.push_back({name + end, allocated});
  else
    known.push_back(
        rows::sampled_pair(name, allocated, is_backward(way) ? Comparison::add : Comparison::remove, joins));
  return known;
}

// Moments of high orders come from rare losses, for which the record's own step is a closer bound than the curve.
std::array<PairName, 2> shuffled_beyond_curve(const Described& one, Comparison way, const Accuracy& accuracy, Aspect) {
  PairName above = own_step(one, way);
  if (PairName curve = shuffled_above(one, way, {accuracy.cells, rarest}); curve.name != above.name)
    above = {"far_of_" + curve.name, curve.parameters, std::make_shared<const PairName>(above)};
  return {shuffled_below(one, way, accuracy).front(), above};
}

const Enclosure shuffled{.above = shuffled_above,
                         .below = shuffled_below,
                         .beyond_curve = shuffled_beyond_curve,
                         .largest = rows::inner_pair};

// Zero-concentrated privacy: rho. Several mechanisms make one, whose rho is their sum, rounded up.
constexpr double root_error = 0x1p-50;  // relative, of the root of a quotient; proof: parameter-rounding

PairName normal(double rho, double off) { return {"gaussian", {std::max(off / std::sqrt(2 * rho), 1e-3)}}; }

PairName concentrated_above(const Described& one, Comparison, const Accuracy& accuracy) {
  return {"zero_concentrated_above", {one.number(first), accuracy.cells, to_the_end(std::min(accuracy.tail, 1e-40))}};
}

std::vector<DescribedTerm> sum_of_rhos(std::span<const DescribedTerm> terms) {
  Described joined = *terms.front().mechanism;
  // Beyond that range no Gaussian mechanism of a known noise has divergences as large.
  joined.values = {{checked("sum of rho", rows::sum_above(terms, first), joined.kind->arguments.front().range)}};
  return {{std::make_shared<const Described>(std::move(joined)), 1}};
}

const Enclosure concentrated{.above = concentrated_above,
                             .below = [](const Described& one, Comparison,
                                         const Accuracy&) { return Names{normal(one.number(first), 1 + root_error)}; },
                             .beyond_curve =
                                 [](const Described& one, Comparison, const Accuracy&, Aspect) {
                                   return std::array{normal(one.number(first), 1 + root_error),
                                                     normal(one.number(first), 1 - root_error)};
                                 },
                             .joined = sum_of_rhos,
                             .largest = [](const Described& one, Comparison) { return normal(one.number(first), 1); }};

// Selected steps: steps, the number of steps that a record joins, epochs. Above are random allocations in blocks of
// steps.
std::vector<DescribedTerm> blocks(const Described& one) {
  const double steps = one.number(first), selected = one.number(second);
  const double least = std::floor(steps / selected), larger = steps - least * selected;
  std::vector<DescribedTerm> run;
  const auto add = [&](double size, double count) {
    if (count == 0) return;
    if (size == 1)
      return run.push_back(
          {one.inner, static_cast<std::int64_t>(count) * static_cast<std::int64_t>(one.number(third))});
    const Given given[] = {{"steps", {size}}, {"epochs", one.values[third]}};
    run.push_back({described(mechanism_kind("random_allocation"), given, one.inner), static_cast<std::int64_t>(count)});
  };
  add(least, selected - larger);
  add(least + 1, larger);
  return run;
}

void check_selected(const Described& one) {
  check_gaussian(one);
  checked("selected", one.number(second), {2, std::min(one.number(first) - 1, 1e9), Range::Ends::closed, true});
  for (const auto& [mechanism, count] : blocks(one))
    checked("epochs * selected", static_cast<double>(count), ranges::count);
}

// The pair of the mean of all outputs.
PairName selected_mean(const Described& one) {
  const double steps = one.number(first), selected = one.number(second);
  const double noise = noise_of(one) / std::sqrt(one.number(third));
  const double of_mean = noise * std::sqrt(steps) / selected * (1 + 0x1p-48);  // proof: parameter-rounding
  return {"gaussian", {std::max(1e-3, of_mean)}};
}

// The pairs of the laws of sums of e^(m x_i), and of x_i.
Names selected_below(const Described& one, Comparison way, const Accuracy& accuracy) {
  const double steps = one.number(first), selected = one.number(second), epochs = one.number(third);
  const PairName mean = selected_mean(one);
  // More cells lower the gap by next to nothing, and a smaller tail takes little more time: one pair serves most
  // questions about a run.
  const double cells = std::max(24.0, accuracy.cells), tail = absolute(accuracy.tail < 1e-12 ? 0 : accuracy.tail);
  if (!of_series.holds(noise_of(one) / std::sqrt(epochs))) return {mean};
  return {{"selected_steps_below" + back(form(way) == "add"), {noise_of(one), steps, selected, epochs, cells, tail}},
          mean};
}

// The pairs above are those of the blocks.
std::array<PairName, 2> selected_beyond_curve(const Described& one, Comparison way, const Accuracy&, Aspect) {
  if (form(way) == "add") return {selected_mean(one), selected_mean(one)};
  const PairName moments{"selected_steps_moments",
                         {noise_of(one), one.number(first), one.number(second), one.number(third)}};
  return {moments, moments};
}

const Enclosure selection{
    .below = selected_below, .beyond_curve = selected_beyond_curve, .largest = rows::inner_pair, .run_above = blocks};

std::vector<DescribedTerm> all_epochs(const Described& one) { return rows::own_steps(one, one.number(second)); }

}  // namespace

double rows::sum_above(std::span<const DescribedTerm> terms, std::size_t argument) {
  CompensatedSum sum;
  for (const auto& [one, count] : terms) {
    const auto [product, error] = two_product(static_cast<double>(count), one->number(argument));
    if (terms.size() == 1 && error == 0) return product;
    sum.add(product);
    sum.add(error);
  }
  return up(sum.value() + up(sum.error_bound()));
}

std::vector<MechanismKind> rows::enclosed() {
  constexpr Range whole{1, 1e12, Range::Ends::closed, true}, often{1, 1e9, Range::Ends::closed, true};
  const Argument epochs{"epochs", often, 1.0};
  constexpr Refused not_proved{replaces, "no pair is proved to dominate it"};
  const auto number = Argument::Kind::number;
  return {
      {.name = "random_allocation",
       .type = "RandomAllocation",
       .arguments = {{"steps", whole}, epochs},
       .refused = not_proved,
       .is_scheme = true,
       .check = check_allocation,
       .simplified = simplest_epoch,
       .enclosure = &allocation,
       .at_most = all_epochs},
      {.name = "selected_steps",
       .type = "SelectedSteps",
       .arguments = {{"steps", {3, 1e12, Range::Ends::closed, true}}, {"selected", often}, epochs},
       .refused = not_proved,
       .is_scheme = true,
       .check = check_selected,
       .enclosure = &selection,
       .at_most = [](const Described& one) { return rows::own_steps(one, one.number(second), one.number(third)); }},
      {.name = "shuffled",
       .type = "Shuffled",
       .arguments = {{"batches", whole},
                     epochs,
                     {"left_out", {0, 1e12, Range::Ends::closed, true}, 0.0},
                     {"batch_size", whole, std::nan("")},
                     {"last_batch", whole, std::nan("")}},
       .refused = {counts_records, "the batches change with the number of records"},
       .is_scheme = true,
       .check = check_shuffled,
       .simplified = simplest_shuffle,
       .enclosure = &shuffled,
       .at_most = all_epochs},
      {.name = "zcdp",
       .type = "ZCDP",
       .arguments = {{"rho", {1e-24, 9e4}, {}, number, true}},
       .simplified = rows::nothing_of_zero,
       .enclosure = &concentrated},
  };
}

}  // namespace hockeystick
