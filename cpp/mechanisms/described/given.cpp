// SPDX-License-Identifier: Apache-2.0
// Mechanisms whose hockey-stick curve the user encloses at points.
#include "mechanisms/described/rows.hpp"
#include "mechanisms/registry.hpp"

namespace hockeystick {
namespace {

using namespace rows::arguments;

// Given curves: alpha, lower, upper.
std::vector<double> curve_of(const Described& one) {
  std::vector<double> all;
  for (const std::vector<double>& part : one.values) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void check_given(const Described& one) {
  const std::size_t points = one.values[first].size();
  if (points < 2 || points > 1000000 || one.values[second].size() != points || one.values[third].size() != points)
    throw std::invalid_argument("alpha, lower and upper must have the same length, 2 to 1000000, got " +
                                std::to_string(points) + ", " + std::to_string(one.values[second].size()) + " and " +
                                std::to_string(one.values[third].size()));
  (void)dominating_pair("given_curve_above", curve_of(one));  // refuses what is no curve
}

PairName given(const std::string& side, const Described& one, Comparison way) {
  return {"given_curve_" + side + back(is_backward(way)), curve_of(one)};
}

const Enclosure given_curve{
    .above = [](const Described& one, Comparison way, const Accuracy&) { return given("above", one, way); },
    .below = [](const Described& one, Comparison way, const Accuracy&) { return Names{given("below", one, way)}; }};

void check_curve_inside(const Described& one) {
  if (one.inner->kind->name != "hockey_stick_curve")
    throw std::invalid_argument("mechanism must be hockey_stick_curve, got " + std::string(one.inner->kind->name));
}

PairName sampled_curve(const char* side, const Described& one, Comparison way) {
  return rows::sampled_pair(std::string("given_curve_") + side, curve_of(*one.inner), way, one.number(first));
}

const Enclosure sampled_given{
    .above = [](const Described& one, Comparison way, const Accuracy&) { return sampled_curve("above", one, way); },
    .below = [](const Described& one, Comparison way,
                const Accuracy&) { return Names{sampled_curve("below", one, way)}; }};

}  // namespace

std::vector<MechanismKind> rows::given() {
  const auto list = Argument::Kind::list;
  constexpr Range any{-ranges::infinite, ranges::infinite, Range::Ends::open};
  return {
      {.name = "hockey_stick_curve",
       .type = "HockeyStickCurve",
       .arguments = {{"alpha", any, {}, list}, {"lower", any, {}, list}, {"upper", any, {}, list}},
       .check = check_given,
       .enclosure = &given_curve},
      {.name = "poisson_sampled_curve",
       .type = "PoissonSampledCurve",
       .arguments = {{"sampling_probability", ranges::probability}},
       .is_scheme = true,
       .check = check_curve_inside,
       .simplified = rows::simplest_poisson,
       .enclosure = &sampled_given,
       .at_most = [](const Described& one) { return rows::own_steps(one); }},
  };
}

}  // namespace hockeystick
