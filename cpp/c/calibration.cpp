// SPDX-License-Identifier: Apache-2.0
// The calibrations of hockeystick.h.
#include "c/question.hpp"
#include "run/dpsgd_search.hpp"

using namespace hockeystick;

namespace {

// An array that the caller gives, or none for the number that is searched for.
template <class Element>
struct Column {
  const Element* first;
  const char* name;
};

struct Columns {
  Column<double> noise_multipliers, sampling_probabilities;
  Column<std::int64_t> steps;
  const double *epsilons, *deltas;
};

template <class Element>
std::span<const Element> read(const Column<Element>& column, std::size_t n) {
  return column.name == nullptr ? std::span<const Element>{} : c::array(column.first, n, column.name);
}

int calibrated(Searched what, const Columns& columns, std::size_t n, const hs_options* options, hs_answer* answers) {
  return c::asked(options, n, answers, [&](std::size_t adjacency, const Limits& limits, std::int32_t threads) {
    const DpsgdBudgets budgets{read(columns.noise_multipliers, n), read(columns.sampling_probabilities, n),
                               read(columns.steps, n), c::array(columns.epsilons, n, "epsilons"),
                               c::array(columns.deltas, n, "deltas")};
    return searched(what, budgets, dpsgd_pairs(adjacency), limits, threads);
  });
}

}  // namespace

extern "C" {

int hs_dpsgd_noise_multiplier(const double* sampling_probabilities, const int64_t* steps, const double* epsilons,
                              const double* deltas, size_t n, const hs_options* options, hs_answer* answers) {
  return calibrated(Searched::noise_multiplier,
                    {{}, {sampling_probabilities, "sampling_probabilities"}, {steps, "steps"}, epsilons, deltas}, n,
                    options, answers);
}

int hs_dpsgd_sampling_probability(const double* noise_multipliers, const int64_t* steps, const double* epsilons,
                                  const double* deltas, size_t n, const hs_options* options, hs_answer* answers) {
  return calibrated(Searched::sampling_probability,
                    {{noise_multipliers, "noise_multipliers"}, {}, {steps, "steps"}, epsilons, deltas}, n, options,
                    answers);
}

int hs_dpsgd_steps(const double* noise_multipliers, const double* sampling_probabilities, const double* epsilons,
                   const double* deltas, size_t n, const hs_options* options, hs_answer* answers) {
  return calibrated(Searched::steps,
                    {{noise_multipliers, "noise_multipliers"},
                     {sampling_probabilities, "sampling_probabilities"},
                     {},
                     epsilons,
                     deltas},
                    n, options, answers);
}

}  // extern "C"
