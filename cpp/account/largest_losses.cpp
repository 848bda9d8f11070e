// SPDX-License-Identifier: Apache-2.0
// With b_j the largest finite loss of step j, delta(eps) is the mass at +inf from eps = sum n_j b_j on. All steps have
// losses of at least e_j with probability P = product of P(L_j >= e_j)^n_j, so that delta(eps) >= P (1 - e^(eps - E)),
// E = sum n_j e_j: more than delta below E + log(1 - delta / P).
#include "account/largest_losses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numeric/checkpoint.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

namespace {

constexpr double u = unit_roundoff, infinity = std::numeric_limits<double>::infinity();
constexpr double least_mass = 1e-290;  // what underflow may have hidden is nothing next to it

}  // namespace

double largest_finite_loss(const Direction& direction) {
  double sum = 0, size = 0;
  bool exact = true;
  for (const Term& term : direction) {
    const double bound = term.pair->finite_loss_bound();
    if (!std::isfinite(bound)) return infinity;
    const auto [most, lost] = two_product(static_cast<double>(term.count), bound);
    const auto [next, rounded] = two_sum(sum, most);
    exact = exact && lost == 0 && rounded == 0 && std::fabs(most) < 0x1p900 &&
            (most == 0 || std::fabs(most) > 0x1p-900) && term.count < (std::int64_t{1} << 53);
    size += std::fabs(most);
    sum = next;
  }
  return exact ? sum : sum + 4 * u * static_cast<double>(direction.size() + 1) * size;
}

double largest_loss(const Direction& direction) {
  const auto is_bounded = [](const Term& term) { return std::isfinite(term.pair->loss_supremum()); };
  return std::all_of(direction.begin(), direction.end(), is_bounded) ? largest_finite_loss(direction) : infinity;
}

CertifiedInterval epsilon_by_largest_losses(const Direction& direction, double delta, double tolerance) {
  double largest = 0, near = 0, losses = 0, log_probability = 0, steps = 0;
  UnionProbability infinite;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    checkpoint_each<16>(j);
    const auto count = static_cast<double>(direction[j].count);
    const double most = direction[j].pair->finite_loss_bound();
    if (!std::isfinite(most)) return {0, infinity};
    const double edge = most - 0.25 * tolerance * std::fabs(most);
    const PairCells cells = direction[j].pair->integrate(std::array{edge});
    const double reached = cells.upper_tail_p * (1 - cells.mass_error - 2 * u) + cells.infinity_mass_lower;
    largest += count * most;
    near += count * (edge - cells.loss_error);
    losses += count * (std::fabs(most) + std::fabs(edge) + cells.loss_error);
    log_probability += reached > least_mass ? count * std::log(reached) : -infinity;
    infinite.add(cells.infinity_mass_lower, cells.infinity_mass, count);
    steps += count;
  }
  const double rounding = 8 * u * static_cast<double>(direction.size() + 2), log_delta = std::log(delta);
  CertifiedInterval result{0, infinity};
  if (infinite.is_at_most(delta)) result.upper = std::max(0.0, largest + rounding * losses);
  const double off = rounding * (std::fabs(log_probability) + steps) + 8 * u * std::fabs(log_delta);
  const double log_share = log_delta - log_probability + off;
  if (log_share < -1)
    result.lower =
        std::max(0.0, near - rounding * losses + std::log1p(-std::exp(log_share) * (1 + 8 * u)) * (1 + 8 * u));
  return result;
}

UnionProbability infinity_mass(const Direction& direction) {
  UnionProbability infinite;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    checkpoint_each<16>(j);
    const auto [lower, upper] = direction[j].pair->infinity_mass();
    infinite.add(lower, upper, static_cast<double>(direction[j].count));
  }
  return infinite;
}

// A coupling of the steps one by one leaves all of them equal with the product of the probabilities that each is.
// 1e-307 is for what underflow hides.
double total_variation(const Direction& direction) {
  double log_equal = 0;
  for (const Term& term : direction)
    log_equal += static_cast<double>(term.count) * std::log1p(-std::min(1.0, term.pair->total_variation_bound()));
  const double error = 1e-12 * static_cast<double>(direction.size());
  return std::min(1.0, -std::expm1(log_equal) * (1 + error) + 1e-307);
}

}  // namespace hockeystick
