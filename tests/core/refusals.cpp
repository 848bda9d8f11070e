// SPDX-License-Identifier: Apache-2.0
// A caller in C++ meets the same ranges as one in Python: what is out of range is refused by name, before any work.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/registry.hpp"
#include "methods/questions.hpp"
#include "run/dpsgd.hpp"
#include "views/bayes_risk.hpp"
#include "views/gaussian_dp.hpp"
#include "views/renyi.hpp"
#include "views/tradeoff.hpp"

namespace {

using namespace hockeystick;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const Limits limits{1e-3, std::size_t{1} << 28};

std::vector<Direction> gaussians(std::int64_t count) {
  return {{{dominating_pair("gaussian", std::vector{1.0}), count}}};
}

void dpsgd(double noise, double rate, std::int64_t steps, double delta) {
  const std::vector noises{noise}, rates{rate}, deltas{delta};
  const std::vector counts{steps};
  dpsgd_epsilon_bounds({noises, rates, counts, deltas}, {{"poisson_gaussian_remove"}, 1}, limits);
}

struct Bad {
  std::string name;
  std::function<void()> ask;
};

const std::vector<Bad> questions{
    {"noise_multiplier", [] { dpsgd(0, 0.5, 1, 0.5); }},
    {"noise_multiplier", [] { dpsgd(-1, 0.5, 1, 0.5); }},
    {"noise_multiplier", [] { dpsgd(nan, 0.5, 1, 0.5); }},
    {"sampling_probability", [] { dpsgd(1, -0.5, 1, 0.5); }},
    {"sampling_probability", [] { dpsgd(1, 1.5, 1, 0.5); }},
    {"steps", [] { dpsgd(1, 0.5, -5, 0.5); }},
    {"delta", [] { dpsgd(1, 0.5, 1, 2); }},
    {"delta", [] { dpsgd(1, 0.5, 1, nan); }},
    {"delta", [] { epsilon_bounds(gaussians(1), std::vector{-1e-9}, limits); }},
    {"count", [] { epsilon_bounds(gaussians(-1), std::vector{0.5}, limits); }},
    {"terms", [] { epsilon_bounds(std::vector<Direction>{{{nullptr, 1}}}, std::vector{0.5}, limits); }},
    {"tolerance", [] { epsilon_bounds(gaussians(1), std::vector{0.5}, {nan, 1 << 20}); }},
    {"memory_limit", [] { epsilon_bounds(gaussians(1), std::vector{0.5}, {1e-3, 0}); }},
    {"method", [] { epsilon_bounds(gaussians(1), std::vector{0.5}, {1e-3, 1 << 20, "guessing"}); }},
    {"epsilon", [] { delta_bounds(gaussians(1), std::vector{-1.0}, limits); }},
    {"prior", [] { bayes_risk_bounds(gaussians(1), {}, std::vector{nan}, limits); }},
    {"fpr", [] { power_bounds(gaussians(1), {}, std::vector{1.5}, limits); }},
    {"smallest_rate", [] { gdp_bounds(gaussians(1), {}, std::vector{0.5}, limits); }},
    {"order", [] { renyi_bounds(gaussians(1), std::vector{0.5}, limits); }},
    {"largest_order", [] { zcdp_bounds(gaussians(1), std::vector{1e5}, limits); }},
    {"name", [] { dominating_pair("laplacian", std::vector{1.0}); }},
    {"noise_multiplier", [] { dominating_pair("laplace", std::vector{0.0}); }},
};

bool is_refused_by_name(const Bad& bad) {
  try {
    bad.ask();
  } catch (const std::invalid_argument& refusal) {
    return std::string(refusal.what()).starts_with(bad.name + " must ");
  }
  return false;
}

}  // namespace

int main() {
  int wrong = 0;
  for (const Bad& bad : questions)
    if (!is_refused_by_name(bad)) ++wrong, std::printf("%s: not refused by name\n", bad.name.c_str());
  std::printf("%zu bad questions, %d not refused\n", questions.size(), wrong);
  return wrong == 0 ? 0 : 1;
}
