// SPDX-License-Identifier: Apache-2.0
// The rows of the table of mechanisms, by kind.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/described.hpp"

namespace hockeystick::rows {

std::vector<MechanismKind> continuous();
std::vector<MechanismKind> discrete();
std::vector<MechanismKind> sampled();
std::vector<MechanismKind> enclosed();
std::vector<MechanismKind> fixed_size();
std::vector<MechanismKind> given();
std::vector<MechanismKind> renyi();
std::vector<MechanismKind> between();
std::vector<MechanismKind> shuffled_local();

/// Adds the row of a mechanism whose file holds its pair and its row, as `Registration` adds a pair.
struct Row {
  explicit Row(MechanismKind kind);
};

/// The arguments on a Poisson subsample, the first of which is the sampling probability.
Mechanism simplest_poisson(const Mechanism& one);

/// The Poisson-sampled form of a pair that is not known where records replace each other; `parameters` come before the
/// sampling probability. Throws NoPair.
inline PairName sampled_pair(const std::string& name, std::vector<double> parameters, Comparison way, double q) {
  if (replaces(way)) throw NoPair("no pair is proved to dominate it on a Poisson subsample");
  parameters.push_back(q);
  return {"poisson_" + name + "_" + std::string(form(way)), std::move(parameters)};
}

/// The registered pair that has the mechanism's own name and takes its numbers in their order.
PairName own_pair(const Described& one, Comparison);
/// Its Poisson-sampled form.
PairName own_sampled_pair(const Described& one, Comparison way, double q);

/// The pair of the mechanism that a scheme runs.
PairName inner_pair(const Described& one, Comparison way);

/// The mechanism; null, as its output ignores the data, where the first argument is 0.
inline Mechanism nothing_of_zero(const Mechanism& one) { return one->number(0) == 0 ? nullptr : one; }

/// The run of a scheme's mechanism with every record in it: `at_once` runs on the same record in each of `times`
/// rounds.
std::vector<DescribedTerm> own_steps(const Described& one, double at_once = 1, double times = 1);

/// The sum of an argument over all terms, rounded up.
double sum_above(std::span<const DescribedTerm> terms, std::size_t argument);

/// The distance of the two means; where a record is replaced the means are -1 and 1.
inline double distance(Comparison way) { return replaces(way) ? 2.0 : 1.0; }

/// The properties that rows of mechanisms with a gap share, which run a Gaussian.
namespace arguments {

using Names = std::vector<PairName>;

/// Cells of a curve where theory leaves more open than they do: twice as many gain 3e-3 of epsilon at most.
inline constexpr double curve_cells = 24;
inline constexpr std::size_t first = 0, second = 1, third = 2;

inline bool is_gaussian(const Described& one) { return one.kind->name == "gaussian"; }
inline double noise_of(const Described& one) { return one.inner->number(first); }
inline std::string back(bool is) { return is ? "_back" : ""; }
inline bool counts_records(Comparison way) { return way == Comparison::remove || way == Comparison::add; }

/// The tail of a curve whose values carry an absolute error, as doubles of size 1 do.
inline double absolute(double tail) { return std::max(tail, 1e-16); }

/// The tail of a curve that ends where it falls to the tail.
inline double to_the_end(double tail) { return std::max(tail, 1e-300); }

inline void check_gaussian(const Described& one) {
  if (!is_gaussian(*one.inner))
    throw std::invalid_argument("mechanism must be gaussian for " + std::string(one.kind->name) + ", got " +
                                std::string(one.inner->kind->name));
}

}  // namespace arguments

}  // namespace hockeystick::rows
