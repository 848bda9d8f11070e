// SPDX-License-Identifier: Apache-2.0
// Locally private reports in random order.
#include "mechanisms/described/rows.hpp"

namespace hockeystick {
namespace {

using namespace rows::arguments;

// epsilon0, users, whether each place in the order has a randomizer of its own, chosen from earlier reports, choices of
// k-ary response, whether noise is Laplace's.
// Twice as many cells lower epsilon by 2e-4 to 5e-4 for up to half more time, and half as many raise it by 1e-3 and
// save half.
constexpr double most_cells = 16;
enum Randomizer { any, adaptive, k_ary, laplace };

bool is_adaptive(const Described& one) { return one.number(third) != 0; }
double choices(const Described& one) { return one.number(3); }  // NaN: not known
bool is_laplace(const Described& one) { return one.number(4) != 0; }

void check_local(const Described& one) {
  const bool is_known = choices(one) > 0 || is_laplace(one);
  if (is_adaptive(one) && is_known)
    throw std::invalid_argument("adaptive must be false where all users share a randomizer that is named, got true");
  if (choices(one) > 0 && is_laplace(one))
    throw std::invalid_argument("choices must not be given for Laplace noise, got " + written(choices(one)));
}

PairName local_above(const Described& one, Comparison, const Accuracy& accuracy) {
  const Randomizer kind = is_laplace(one) ? laplace : choices(one) > 0 ? k_ary : is_adaptive(one) ? adaptive : any;
  return {"shuffled_local_above",
          {one.number(first), one.number(second), static_cast<double>(kind), kind == k_ary ? choices(one) : 2,
           std::min(accuracy.cells, most_cells), std::max(accuracy.tail, 1e-280)}};
}

Names local_below(const Described& one, Comparison, const Accuracy& accuracy) {
  const double cells = std::min(accuracy.cells, curve_cells), tail = absolute(accuracy.tail);
  if (!is_laplace(one) && choices(one) != 2)
    return {{"shuffled_third_below",
             {one.number(first), one.number(second), choices(one) > 0 ? choices(one) : 3, cells, tail}}};
  const std::vector<double> two{one.number(first), one.number(second), is_laplace(one) ? 1.0 : 0.0, cells, tail};
  return {{"shuffled_second_below", two}, {"shuffled_second_below_back", two}};
}

// The order hides only more.
std::vector<DescribedTerm> one_report(const Described& one) {
  return {{described_in_order(mechanism_kind("approximate_dp"), {{one.number(first)}, {0.0}}), 1}};
}

PairName of_one_report(const Described& one, Comparison) { return {"approximate_dp", {one.number(first), 0.0}}; }

// Moments of high orders come from rare losses, for which one report alone is a closer bound than the curve.
std::array<PairName, 2> local_beyond_curve(const Described& one, Comparison way, const Accuracy& accuracy, Aspect) {
  // Four times as many cells lower them by 1 %. For Laplace noise of many users a tail of 1e-280 takes seconds.
  const double tail = is_laplace(one) && one.number(second) > 1e4 ? 1e-100 : 0;
  const PairName curve = local_above(one, way, {4, tail}), report = of_one_report(one, way);
  return {local_below(one, way, accuracy).front(),
          {"far_of_" + curve.name, curve.parameters, std::make_shared<const PairName>(report)}};
}

const Enclosure local{
    .above = local_above, .below = local_below, .beyond_curve = local_beyond_curve, .largest = of_one_report};

}  // namespace

std::vector<MechanismKind> rows::shuffled_local() {
  constexpr Range either{0, 1, Range::Ends::closed, true}, number{1, 1e9, Range::Ends::closed, true};
  return {{.name = "shuffled_local",
           .type = "ShuffledLocal",
           .arguments = {{"epsilon0", {1e-6, 50}, {}, Argument::Kind::number, true},
                         {"users", number},
                         {"adaptive", either, 0.0},
                         {"choices", {2, 1e9, Range::Ends::closed, true}, std::nan("")},
                         {"laplace", either, 0.0}},
           .refused = {[](Comparison way) { return !replaces(way); },
                       "each user sends one report, whose value is replaced"},
           .check = check_local,
           .simplified = rows::nothing_of_zero,
           .enclosure = &local,
           .at_most = one_report}};
}

}  // namespace hockeystick
