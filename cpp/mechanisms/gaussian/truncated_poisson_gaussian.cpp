// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "mechanisms/gaussian/public_mixture.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

// A Poisson subsample, cut down to B of its records at random if it has more (Ganesh 2025), then summed with Gaussian
// noise. Given the sample R of the other records:
// - |R| < B: nothing is cut, and the record joins with probability q, as in a plain Poisson subsample;
// - |R| >= B: if the record joins, which has probability q B / (|R| + 1), it takes the place of a uniform member of
// what
//   else would be a uniform B-subset of R. That subset's law does not depend on |R|, so the mean q' of that probability
//   will do; sums then differ by x - y instead of x, so by 2: half the noise multiplier.
// The truth hides which of the two happened: public_mixture dominates.

const std::string replaced = "poisson_gaussian_replace";

// The probability of a lost case, whose own probability is too small for binary64.
constexpr double rare = 1e-300;

// Parameters: noise multiplier, q, q', and the probabilities of |R| < B and |R| >= B, each within u. q' off by u moves
// the masses (1-q') and q' and the loss log(1 - q' + q' e^t) by u max(1, q' / (1-q')) at most.
std::shared_ptr<const DominatingPair> make(const std::string& whole, const std::string& cut, Parameters p) {
  std::vector<Choice> choices;
  // Sampling moves sums by less than in every sample: by 2 where some are cut, or from -2 to 2.
  const double moved = (cut == replaced ? 4 : 2) / p[0];
  PartLeftOut rest{0, moved * moved / 2 * (1 + 8 * u)};  // proof: weighted-lines
  const auto add = [&](double weight, const std::string& name, double noise_multiplier, double q, double error) {
    if (weight > rare) {
      choices.push_back({weight, dominating_pair(name, std::array{noise_multiplier, q}), error});
    } else {
      rest.weight += rare;
    }
  };
  add(p[3], whole, p[0], p[1], 0);
  add(p[4], cut, p[0] / 2, p[2], 2 * u * std::max(1.0, p[2] / (1 - p[2])));  // proof: parameter-rounding
  return public_mixture(std::move(choices), rest);
}

const std::vector<Parameter> parameters{parameter::noise_multiplier,
                                        {"sampling_probability", ranges::probability},
                                        {"later_probability", ranges::probability},
                                        {"probability_of_room", ranges::probability},
                                        {"probability_of_none", ranges::probability}};

const Registration remove("truncated_poisson_gaussian_remove", parameters,
                          [](Parameters p) { return make("poisson_gaussian_remove", "poisson_gaussian_remove", p); });
const Registration add("truncated_poisson_gaussian_add", parameters,
                       [](Parameters p) { return make("poisson_gaussian_add", "poisson_gaussian_add", p); });
const Registration replace("truncated_poisson_gaussian_replace", parameters,
                           [](Parameters p) { return make(replaced, replaced, p); });
// The special record takes places too: x - y against -y, of norms 2 and 1, which replacing covers both ways.
const Registration special_remove("truncated_poisson_gaussian_special_remove", parameters,
                                  [](Parameters p) { return make("poisson_gaussian_remove", replaced, p); });
const Registration special_add("truncated_poisson_gaussian_special_add", parameters,
                               [](Parameters p) { return make("poisson_gaussian_add", replaced, p); });

}  // namespace

}  // namespace hockeystick
