// SPDX-License-Identifier: Apache-2.0
// An epoch of a Gaussian mechanism over shuffled batches: pairs below.
//
// Let every other record add the same to the sum of its batch. Up to a shift, and in units of the noise, the b sums are
// the mean over i of N(with mu e_i, I) before a record is replaced, and of N(without mu e_i, I) after: with a record
// that adds 1, and others that add -1, with = 2, and without = 1 for a special record that adds nothing (Chua et al.
// 2024), 0 for another such other. An epoch that leaves the record out has the law N(0, I) either way. Their maximum is
// a function of the outputs, so its two laws, cut into cells, form a pair below; also if the record were left out more
// often than it is, as a law that both are mixed with lowers the curve.
//
// Of few batches somebody who chooses what the others add to the last one, after seeing the rest, tells more.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"

namespace hockeystick {
namespace {

double normal_up_to(double x) { return x < 0 ? normal_tail(-x) : 1 - normal_tail(x); }

// P(max <= c) = Phi(c - shift) Phi(c)^(b - 1), and masses of the maximum, each as a sum of positive terms.
class Maximum {
 public:
  Maximum(double shift, double batches) : shift_(shift), others_(batches - 1) {}

  double up_to(double c) const { return normal_up_to(c - shift_) * math::exp(log_others(c)); }
  double beyond(double c) const {
    return normal_tail(c - shift_) - normal_up_to(c - shift_) * math::expm1(log_others(c));
  }
  double within(double a, double b) const {
    const double at_b = log_others(b);
    return normal_interval(a - shift_, b - shift_) * math::exp(at_b) -
           normal_up_to(a - shift_) * math::exp(at_b) * math::expm1(log_others(a) - at_b);
  }

 private:
  double log_others(double c) const {
    return others_ * (c > 0 ? math::log1p(-normal_tail(c)) : math::log(normal_tail(-c)));
  }
  double shift_, others_;
};

AtomicLaw below(Parameters p) {
  const double noise = p[0], batches = p[1];
  if (!(p[2] > p[3])) throw std::invalid_argument("with must be larger than without");
  // Beyond 16 masses underflow; more noise costs less.
  const double mu = std::min(16.0, 1 / noise * (1 - 4 * u));  // proof: parameter-rounding
  const double cells = 16 * std::clamp(mu, 1.0, 4.0);         // in a unit of the noise
  const double joins = p[4];
  const Maximum with(p[2] * mu, batches), without(p[3] * mu, batches), none(0, batches);
  // Below `low` the maximum lies with a probability under e^-40, for the tail at low is 40 / b at least.
  double low = -9;
  while (low < 9 && normal_tail(low) * batches > 40) low += 0.125;
  const double high = p[2] * mu + 9, width = (high - low) / std::ceil((high - low) * cells);
  std::vector<LossAtom> atoms;
  // Of a cell, `mass` of each law.
  const auto add = [&](const auto& mass) {
    const double rest = joins < 1 ? (1 - joins) * mass(none) : 0;
    const double with_mass = joins * mass(with) + rest, without_mass = joins * mass(without) + rest;
    if (with_mass > 1e-290 && without_mass > 1e-290)
      atoms.push_back({math::log(with_mass / without_mass), with_mass, without_mass});
  };
  add([&](const Maximum& one) { return one.up_to(low); });
  for (double a = low; a < high - width / 2; a += width)
    add([&](const Maximum& one) { return one.within(a, a + width); });
  add([&](const Maximum& one) { return one.beyond(high); });
  // Where a mass counts, b tail(c) is below 800: the power is within 800 normal_error, and what it multiplies within a
  // few of those. An edge is within 8 u of |c|, but the same for both laws.
  return law_of_masses(std::move(atoms), 2000 * normal_error);  // proof: shuffled-maximum
}

// Cells of outputs in a unit of the noise, and of losses in mu: half as many lose 1 % of delta. The others of the last
// batch turn where the largest output before is this many units above the mean without the record: at 1, 3 and 4 less
// of the gap between both ends is closed at noise 2 to 8 and delta 1e-3 to 1e-9.
constexpr double parts = 16, turn = 2, most_losses = 32;

double place(std::size_t k) { return static_cast<double>(k) / parts - 9; }

// The mass of each cell between the places, and of both rays beyond them; `within` gives the mass between two places.
template <class Within>
std::vector<double> masses(std::size_t places, const Within& within) {
  std::vector<double> cells{within(-infinity, place(0))};
  for (std::size_t k = 0; k + 1 < places; ++k) cells.push_back(within(place(k), place(k + 1)));
  cells.push_back(within(place(places - 1), infinity));
  return cells;
}

AtomicLaw chosen_below(Parameters p) {
  if (!(p[2] > p[3])) throw std::invalid_argument("with must be larger than without");
  const double mu = std::min(1.0, 1 / p[0] * (1 - 4 * u));  // proof: parameter-rounding
  const double batches = p[1], sizes = batches - 1 + p[4];
  const auto places = static_cast<std::size_t>(std::ceil(parts * (20 + 2 * mu)));
  const auto largest_of = [&](double mean) {
    const Maximum one(mean * mu, batches - 1);
    return masses(places, [&](double a, double b) {
      return std::isinf(a) ? one.up_to(b) : std::isinf(b) ? one.beyond(a) : one.within(a, b);
    });
  };
  // Means of the last batch are moved up by mu, so that the least is 0: others add 0 or 2.
  const auto last_of = [&](double mean) {
    return masses(places, [&](double a, double b) { return normal_interval(a - mean * mu, b - mean * mu); });
  };
  const std::vector<double> first[]{largest_of(p[2]), largest_of(p[3]), largest_of(0)};
  const std::vector<double> last[]{last_of(p[2]), last_of(p[3]), last_of(0), last_of(2)};
  const double before = (batches - 1) / sizes, here = p[4] / sizes;
  const auto half = static_cast<std::size_t>(most_losses * parts);
  std::vector<double> with(2 * half + 1), without(2 * half + 1);
  for (std::size_t i = 0; i <= places; ++i) {
    const std::vector<double>& others = last[i > 0 && place(i - 1) >= turn ? 3 : 2];
    for (std::size_t j = 0; j <= places; ++j) {
      const double a = before * first[0][i] * others[j] + here * first[2][i] * last[0][j];
      const double b = before * first[1][i] * others[j] + here * first[2][i] * last[1][j];
      if (!(a > 1e-290 && b > 1e-290)) continue;
      const double at = std::clamp(math::log(a / b) * parts / mu, -most_losses * parts, most_losses * parts);
      const auto bin = static_cast<std::size_t>(std::floor(at) + static_cast<double>(half));
      with[bin] += a, without[bin] += b;
    }
  }
  std::vector<LossAtom> atoms;
  for (std::size_t k = 0; k < with.size(); ++k)
    if (with[k] > 0) atoms.push_back({math::log(with[k] / without[k]), with[k], without[k]});
  const double terms = static_cast<double>(places + 1) * static_cast<double>(places + 1);
  return law_of_masses(std::move(atoms), 2000 * normal_error + terms * u);  // proof: shuffled-maximum
}

// The shifts of the record's batch with and without it, and the probability that it is in one.
const AtomicRegistration registration(below, "shuffled_below",
                                      {{{"noise_multiplier", ranges::noise_multiplier},
                                        {"batches", ranges::most_steps},
                                        {"with", {0, 2}},
                                        {"without", {0, 2}},
                                        {"joins", {0, 1}}}});

// `last`: the size of the last batch over that of the others.
const AtomicRegistration chosen(chosen_below, "shuffled_chosen_below",
                                {{{"noise_multiplier", {1, 1e12}},
                                  {"batches", {2, 10, Range::Ends::closed, true}},
                                  {"with", {0, 2}},
                                  {"without", {0, 2}},
                                  {"last", {0, 1}}}});

}  // namespace
}  // namespace hockeystick
