// SPDX-License-Identifier: Apache-2.0
// The views of hockeystick.h.
#include "c/question.hpp"

using namespace hockeystick;

extern "C" {

int hs_true_positive_rate(const hs_run* run, const double* false_positive_rates, size_t n, const hs_options* options,
                          hs_answer* answers) {
  return c::ask(run, View::power, {false_positive_rates, n, "false_positive_rates"}, options, answers);
}

int hs_advantage(const hs_run* run, const hs_options* options, hs_answer* answer) {
  const double zero = 0;
  return c::ask(run, View::delta, {&zero, 1, "epsilon"}, options, answer);
}

int hs_bayes_risk(const hs_run* run, const double* priors, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, View::bayes_risk, {priors, n, "priors"}, options, answers);
}

int hs_gdp_mu(const hs_run* run, const double* smallest_rates, size_t n, const hs_options* options,
              hs_answer* answers) {
  return c::ask(run, View::gdp_mu, {smallest_rates, n, "smallest_rates"}, options, answers);
}

int hs_renyi_divergence(const hs_run* run, const double* orders, size_t n, const hs_options* options,
                        hs_answer* answers) {
  return c::ask(run, View::renyi, {orders, n, "orders"}, options, answers);
}

int hs_zcdp(const hs_run* run, const double* largest_orders, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, View::zcdp, {largest_orders, n, "largest_orders"}, options, answers);
}

int hs_loss_tail(const hs_run* run, const double* epsilons, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, View::loss_tail, {epsilons, n, "epsilons"}, options, answers, c::loose);
}

int hs_loss_quantile(const hs_run* run, const double* levels, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, View::loss_quantile, {levels, n, "levels"}, options, answers, c::loose);
}

}  // extern "C"
