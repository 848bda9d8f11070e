// SPDX-License-Identifier: Apache-2.0
// The views of hockeystick.h.
#include "c/question.hpp"
#include "methods/questions.hpp"
#include "views/bayes_risk.hpp"
#include "views/gaussian_dp.hpp"
#include "views/loss_tail.hpp"
#include "views/renyi.hpp"
#include "views/tradeoff.hpp"

using namespace hockeystick;

namespace {

using At = std::span<const double>;
using Directions = hs_run::Directions;

std::vector<Direction> faces(const Directions& directions) {
  return directions.are_faced ? directions.reverses : std::vector<Direction>{};
}

// The reverses of `Directions::both`.
std::vector<Direction> reversed_both(const Directions& directions) {
  if (!directions.are_faced) return {};
  if (directions.is_symmetric) return directions.reverses;
  const std::vector<Direction> both = directions.both();
  return {both.rbegin(), both.rend()};
}

}  // namespace

extern "C" {

int hs_true_positive_rate(const hs_run* run, const double* false_positive_rates, size_t n, const hs_options* options,
                          hs_answer* answers) {
  return c::ask(run, {}, {false_positive_rates, n, "false_positive_rates"}, options, answers,
                [](const Directions& directions, At at, const Limits& limits) {
                  return power_bounds(directions.asked, faces(directions), at, limits);
                });
}

int hs_advantage(const hs_run* run, const hs_options* options, hs_answer* answer) {
  const double zero = 0;
  return c::ask(run, {Wanted::delta}, {&zero, 1, "epsilon"}, options, answer,
                [](const Directions& directions, At at, const Limits& limits) {
                  return delta_bounds(directions.asked, at, limits);
                });
}

int hs_bayes_risk(const hs_run* run, const double* priors, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, {Wanted::risk}, {priors, n, "priors"}, options, answers,
                [](const Directions& directions, At at, const Limits& limits) {
                  const auto reverses = directions.is_symmetric ? std::vector<Direction>{} : directions.reverses;
                  return bayes_risk_bounds(directions.asked, reverses, at, limits);
                });
}

int hs_gdp_mu(const hs_run* run, const double* smallest_rates, size_t n, const hs_options* options,
              hs_answer* answers) {
  return c::ask(run, {Wanted::rates}, {smallest_rates, n, "smallest_rates"}, options, answers,
                [](const Directions& directions, At at, const Limits& limits) {
                  return gdp_bounds(directions.both(), reversed_both(directions), at, limits);
                });
}

int hs_renyi_divergence(const hs_run* run, const double* orders, size_t n, const hs_options* options,
                        hs_answer* answers) {
  return c::ask(run, {Wanted::moments}, {orders, n, "orders"}, options, answers,
                [](const Directions& directions, At at, const Limits& limits) {
                  return renyi_bounds(directions.asked, at, limits);
                });
}

int hs_zcdp(const hs_run* run, const double* largest_orders, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, {Wanted::moments}, {largest_orders, n, "largest_orders"}, options, answers,
                [](const Directions& directions, At at, const Limits& limits) {
                  return zcdp_bounds(directions.asked, at, limits);
                });
}

int hs_loss_tail(const hs_run* run, const double* epsilons, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(
      run, {Wanted::loss, "the tail of its loss"}, {epsilons, n, "epsilons"}, options, answers,
      [](const Directions& directions, At at, const Limits& limits) {
        return loss_tail_bounds(directions.asked, at, limits);
      },
      c::loose);
}

int hs_loss_quantile(const hs_run* run, const double* levels, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(
      run, {Wanted::loss, "quantiles of its loss"}, {levels, n, "levels"}, options, answers,
      [](const Directions& directions, At at, const Limits& limits) {
        return loss_quantile_bounds(directions.asked, at, limits);
      },
      c::loose);
}

}  // extern "C"
