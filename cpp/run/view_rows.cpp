// SPDX-License-Identifier: Apache-2.0
#include "run/view_rows.hpp"

#include "methods/questions.hpp"
#include "views/bayes_risk.hpp"
#include "views/gaussian_dp.hpp"
#include "views/loss_tail.hpp"
#include "views/renyi.hpp"
#include "views/tradeoff.hpp"

namespace hockeystick {

const ViewRow& row_of(View view) {
  static constexpr ViewRow rows[] = {
      {View::epsilon, Wanted::epsilon, epsilon_bounds},
      {View::delta, Wanted::delta, delta_bounds},
      {View::power, Wanted::power, nullptr, power_bounds},
      {View::bayes_risk, Wanted::risk, nullptr, bayes_risk_bounds},
      {View::gdp_mu, Wanted::rates, nullptr, gdp_bounds},
      {View::renyi, Wanted::moments, renyi_bounds},
      {View::zcdp, Wanted::moments, zcdp_bounds},
      {View::loss_tail, Wanted::loss, nullptr, loss_tail_bounds, loss_tails_between},
      {View::loss_quantile, Wanted::loss, nullptr, loss_quantile_bounds, loss_quantiles_between},
      {View::loss_variance, Wanted::loss, loss_variance_bounds},
  };
  return rows[static_cast<std::size_t>(view)];
}

}  // namespace hockeystick
