// SPDX-License-Identifier: Apache-2.0
#include "questions.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>

#include "mechanisms/additive/additive_noise.hpp"
#include "mechanisms/allocation/allocated_pair.hpp"
#include "mechanisms/registry.hpp"
#include "methods/questions.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/simd/cpu.hpp"
#include "pld/composed_delta.hpp"
#include "pld/loss_tail.hpp"
#include "pld/reflect.hpp"
#include "pld/renyi.hpp"
#include "pld/stored_law.hpp"
#include "pld/tradeoff.hpp"
#include "run/dpsgd.hpp"
#include "run/enclosing.hpp"
#include "run/kept_run.hpp"
#include "views/composed_pld.hpp"
#include "views/gaussian_dp.hpp"
#include "views/loss_tail.hpp"
#include "views/renyi.hpp"
#include "views/tradeoff.hpp"
#include "views/zcdp.hpp"

namespace core_tests {
namespace {

using namespace hockeystick;
using Numbers = std::vector<double>;

constexpr std::size_t memory = std::size_t{1} << 28;

Term run(std::int64_t count, const char* name, std::initializer_list<double> parameters) {
  return {dominating_pair(name, Parameters(parameters.begin(), parameters.size())), count};
}

std::vector<Direction> sampled_gaussian(std::int64_t count) {
  return {{run(count, "poisson_gaussian_remove", {1.0, 0.01})}, {run(count, "poisson_gaussian_add", {1.0, 0.01})}};
}

std::vector<Direction> sampled_laplace(std::int64_t count) {
  return {{run(count, "poisson_laplace_remove", {2.0, 0.05})}, {run(count, "poisson_laplace_add", {2.0, 0.05})}};
}

Numbers numbers_of(const std::vector<Answer>& answers) {
  Numbers numbers;
  for (const Answer& at : answers)
    for (const double x : {at.lower, at.upper, at.truncation, at.rounding, static_cast<double>(at.converged)})
      numbers.push_back(x);
  return numbers;
}

Numbers epsilons(const std::vector<Direction>& directions, const Limits& limits = {1e-3, memory}) {
  return numbers_of(epsilon_bounds(directions, std::array{1e-3, 1e-6, 1e-12}, limits));
}

Numbers deltas(const std::vector<Direction>& directions, const Limits& limits = {1e-3, memory}) {
  return numbers_of(delta_bounds(directions, std::array{0.1, 1.0, 3.0}, limits));
}

Numbers main_question() {
  return numbers_of(epsilon_bounds(sampled_gaussian(10'000), std::array{1e-5}, {1e-3, memory}));
}
Numbers by_contour() { return epsilons(sampled_gaussian(1000), {1e-6, memory, "contour_integral"}); }
Numbers by_transform() { return epsilons(sampled_gaussian(1000), {1e-3, memory, "fft_composition"}); }
Numbers curve() { return deltas(sampled_gaussian(300)); }

// Each question on its own: 16 of epsilon, and the deltas there.
Numbers plain_gaussians() {
  Numbers numbers;
  for (const double count : {1.0, 10.0, 1e3, 1e9})
    for (const double delta : {1e-3, 1e-5, 1e-100, 1e-300}) {
      const std::vector<Direction> asked{{run(static_cast<std::int64_t>(count), "gaussian", {10 * std::sqrt(count)})}};
      const auto epsilon = epsilon_bounds(asked, std::array{delta}, {1e-3, memory});
      const auto back = delta_bounds(asked, std::array{epsilon.front().upper}, {1e-3, memory});
      for (const auto& found : {epsilon, back})
        for (const double x : numbers_of(found)) numbers.push_back(x);
    }
  return numbers;
}

// A run that grows by a step of its own each time.
Numbers growing_run() {
  std::vector<Direction> directions = sampled_gaussian(100);
  auto kept = KeptRun::of(directions, {Quantity::epsilon, 1e-5, 1e-3}, {1e-3, memory});
  Numbers numbers;
  for (int k = 0; k < 20; ++k) {
    const double noise = 1 + 1e-3 * k;
    const std::array more{Direction{run(1, "poisson_gaussian_remove", {noise, 0.01})},
                          Direction{run(1, "poisson_gaussian_add", {noise, 0.01})}};
    kept = kept->grown(more);
    const Numbers next = numbers_of({kept->answer(Quantity::epsilon, 1e-5, {1e-3, memory}).value()});
    numbers.insert(numbers.end(), next.begin(), next.end());
  }
  return numbers;
}

Numbers many_runs() { return epsilons(sampled_laplace(100'000'000)); }
Numbers one_run() { return epsilons(sampled_laplace(1)); }
Numbers out_of_memory() { return epsilons(sampled_laplace(10), {1e-6, 1 << 16}); }

Numbers mixed() {
  return epsilons(
      {{run(100, "poisson_gaussian_remove", {2.0, 0.02}), run(5, "laplace", {20.0}), run(3, "gaussian", {30.0}),
        run(7, "permute_and_flip", {0.01}), run(2, "approximate_dp", {0.1, 1e-9})}});
}

Numbers replaced() { return epsilons({{run(50, "poisson_gaussian_replace", {1.0, 0.1})}}); }

Numbers mixture() {
  const std::initializer_list<double> two{1.0, 1.0, 0.0, 1.0, 0.7, 0.3};
  return deltas({{run(10, "gaussian_mixture_remove", two)}, {run(10, "gaussian_mixture_add", two)}});
}

Numbers truncated_samples() {
  return epsilons({{run(20, "truncated_poisson_gaussian_remove", {1.0, 0.1, 0.12, 0.95, 0.05})}});
}

// An epoch that each record joins once, known from above and below.
Numbers from_both_sides() {
  const Given noise{"noise_multiplier", {3.0}}, steps{"steps", {50.0}};
  const Mechanism step = described(mechanism_kind("gaussian"), {&noise, 1});
  const std::vector<DescribedTerm> epochs{{described(mechanism_kind("random_allocation"), {&steps, 1}, step), 2}};
  const auto side = [&](const auto& runs) {
    return [&](const SideAccuracy& at, std::span<const double> deltas) {
      return epsilon_bounds(runs(epochs, comparisons::both, at), deltas, {1e-3, memory});
    };
  };
  EnclosedQuestion question;
  question.closes = true, question.runs = 2;
  const Answer found = enclosed_answers(question, std::array{1e-5}, side(runs_above), side(runs_below), {}).front();
  return {found.lower, found.upper};
}

// If delta barely exceeds the mass at infinity, a transform is not precise enough.
Numbers listed_sums() {
  const std::vector<Direction> directions{{run(10, "approximate_dp", {0.1, 1e-6})}};
  return numbers_of(epsilon_bounds(directions, std::array{1e-5}, {1e-3, memory}));
}

// Masses that binary64 cannot hold rule them.
Numbers large_orders() {
  const std::vector<Direction> directions{{run(3, "poisson_gaussian_remove", {1.0, 0.1}),
                                           run(2, "discrete_gaussian", {0.5, 1, infinity}),
                                           run(2, "truncated_poisson_gaussian_remove", {1.0, 0.1, 0.12, 0.95, 0.05})}};
  return numbers_of(renyi_bounds(directions, std::array{64.0, 200.5}, {1e-3, memory}));
}

Numbers discrete() {
  return deltas({{run(30, "discrete_gaussian", {3.0, 1, 40}), run(10, "poisson_discrete_laplace_add", {0.7, 2, 0.1}),
                  run(4, "randomized_response", {0.6, 5})}});
}

Numbers given_pair() {
  const std::initializer_list<double> weights{0.5, 0.25, 0.25, 0, 0.25, 0.5, 0, 0.25};
  return deltas({{run(6, "discrete_pair", weights)}, {run(6, "discrete_pair_back", weights)}});
}

// Logistic noise.
Numbers given_noise() {
  const auto each = [](double (*function)(double)) {
    return [function](std::span<const double> x, std::span<double> y) {
      for (std::size_t i = 0; i < x.size(); ++i) y[i] = function(x[i]);
    };
  };
  const Noise noise{each([](double x) { return -std::fabs(x) - 2 * math::log1p(math::exp(-std::fabs(x))); }),
                    each([](double x) { return x < 0 ? math::exp(x) / (1 + math::exp(x)) : 1 / (1 + math::exp(-x)); }),
                    1e-14};
  return deltas({{{additive_noise_pair(noise, 0.2), 5}}});
}

Numbers power() {
  return numbers_of(power_bounds(sampled_gaussian(100), {}, std::array{1e-6, 0.01, 0.5}, {1e-2, memory}));
}
Numbers gdp() { return numbers_of(gdp_bounds(sampled_gaussian(100), {}, std::array{1e-6}, {1e-2, memory})); }
Numbers tails() { return numbers_of(loss_tail_bounds(sampled_laplace(30), {}, std::array{0.1, 1.0}, {1e-2, memory})); }
Numbers quantiles() {
  return numbers_of(loss_quantile_bounds(sampled_laplace(30), {}, std::array{0.5, 0.99}, {1e-2, memory}));
}
Numbers few_atoms() {
  return numbers_of(loss_tail_bounds(std::array{Direction{run(5, "randomized_response", {0.6, 5})}}, {},
                                     std::array{0.1, 1.0}, {1e-6, memory}));
}
Numbers renyi() { return numbers_of(renyi_bounds(sampled_laplace(30), std::array{1.0, 2.5}, {1e-3, memory})); }
Numbers variance() { return numbers_of(loss_variance_bounds(sampled_gaussian(9), std::array{0.0}, {1e-3, memory})); }
Numbers zcdp() { return numbers_of(zcdp_bounds(sampled_gaussian(9), std::array{8.0}, {1e-2, memory})); }

Numbers allocated() {
  Numbers numbers;
  const auto step = dominating_pair("laplace", std::array{2.0});
  for (const bool back : {false, true}) {
    for (const Order order : {Order::above, Order::below}) {
      const Direction once{{allocated_pair(*step, {21, 5, 1e-12, order, back}), 3}};
      for (const double x : numbers_of(epsilon_bounds(std::array{once}, std::array{1e-5}, {1e-2, memory})))
        numbers.push_back(x);
    }
  }
  return numbers;
}

Numbers dpsgd() {
  const Numbers noise{1.0, 2.0, 1.0}, rate{0.01, 0.02, 1.0}, delta{1e-5, 1e-6, 1e-7};
  const std::vector<std::int64_t> steps{1000, 0, 7};
  return numbers_of(dpsgd_epsilon_bounds({noise, rate, steps, delta},
                                         {{"poisson_gaussian_remove", "poisson_gaussian_add"}, 1}, {1e-3, memory}));
}

Numbers explicit_distribution() {
  Numbers numbers;
  for (const Estimator estimator : {Estimator::connect_dots, Estimator::algorithm_2, Estimator::privacy_buckets}) {
    for (const Side side : {Side::upper, Side::lower}) {
      if (side == Side::upper && estimator == Estimator::algorithm_2) continue;
      const LossPmf pmf = explicit_pmf(sampled_gaussian(20).front(), {1e-3, side, estimator, 1e-12, memory});
      const CurveKinks kinks = certified_kinks(pmf);
      const PowerBound any{1, -1e300};
      const std::array epsilon{0.1};
      std::array<double, 1> twice{};
      composed_delta(pmf, pmf, epsilon, twice);
      for (const double x : {CurveTable(pmf).delta(0.1).value, CurveTable(pmf).epsilon(1e-6),
                             CurveTable(reflected(pmf)).delta(0.1).value, twice[0], Divergences(pmf).renyi(3),
                             largest_renyi_slope(pmf, 8), gdp_mu(pmf, 1e-6), StoredLaw(pmf).variance(), slack(pmf),
                             (side == Side::upper ? power_above(kinks, 0.1) : power_below(kinks, 0.1, any)).value})
        numbers.push_back(x);
    }
  }
  return numbers;
}

// Every kernel's powers of a sequence, for sizes with and without an odd factor.
Numbers kernels() {
  Numbers numbers;
  for (const SimdKernels* kernel : available_fft_kernels()) {
    for (const std::size_t size : {2u, 6u, 20u, 64u, 768u, 2560u, 65536u}) {
      const RealFft fft(size, *kernel);
      Numbers sequence(size);
      for (std::size_t k = 0; k < size; ++k) sequence[k] = 1.0 / static_cast<double>((k + 1) * (k + 2));
      Numbers copy = sequence;
      numbers.push_back(cyclic_power(fft, copy, 7));
      CyclicProduct product(fft);
      product.multiply(copy, 2), product.multiply(sequence, 3);
      numbers.push_back(product.finish(sequence));
      numbers.push_back(sequence[size / 3]);
    }
  }
  return numbers;
}

}  // namespace

const std::vector<Question>& questions() {
  static const std::vector<Question> all{{"main question", main_question},
                                         {"contour", by_contour},
                                         {"plain Gaussians", plain_gaussians},
                                         {"growing run", growing_run},
                                         {"transform", by_transform},
                                         {"curve", curve},
                                         {"contour of steps", many_runs},
                                         {"one step", one_run},
                                         {"memory limit", out_of_memory},
                                         {"mixed", mixed},
                                         {"replace", replaced},
                                         {"mixture", mixture},
                                         {"truncated samples", truncated_samples},
                                         {"from both sides", from_both_sides},
                                         {"listed sums", listed_sums},
                                         {"large orders", large_orders},
                                         {"discrete", discrete},
                                         {"given pair", given_pair},
                                         {"given noise", given_noise},
                                         {"power", power},
                                         {"Gaussian DP", gdp},
                                         {"tails", tails},
                                         {"quantiles", quantiles},
                                         {"few atoms", few_atoms},
                                         {"Renyi", renyi},
                                         {"variance", variance},
                                         {"zCDP", zcdp},
                                         {"random allocation", allocated},
                                         {"DP-SGD", dpsgd},
                                         {"explicit distribution", explicit_distribution},
                                         {"kernels", kernels}};
  return all;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace core_tests
