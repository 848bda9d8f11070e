// SPDX-License-Identifier: Apache-2.0
#include "views/sampled_pld.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "mechanisms/curves/curve_law.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/range.hpp"
#include "numeric/runtime/budget.hpp"
#include "pld/hockey_stick.hpp"
#include "views/composed_pld.hpp"

namespace hockeystick {
namespace {

constexpr double most_alpha = 1e280;
constexpr double bytes_a_point = 200;  // of kinks, points, hull and atoms

// The law of the certified curve: a hull of its kinks, between which it is linear.
AtomicLaw law_of(const LossPmf& pmf) {
  const CurveKinks kinks = certified_kinks(pmf);
  const bool upper = pmf.side == Side::upper;
  if (!upper && !(kinks.slack < pmf.interval))
    throw std::invalid_argument("discretization_interval must be larger than the rounding of the losses, got " +
                                written(pmf.interval));
  EnclosedCurve curve;
  if (!upper && !pmf.mass.empty()) {  // below the window the curve goes on as a line
    const double loss = pmf.loss(0) - 40;
    curve.alpha.push_back(math::exp(loss) * (1 - 8 * u));                    // proof: sampled-kinks
    curve.upper.push_back(CurveTable(pmf).delta(loss).value * (1 - 4 * u));  // proof: sampled-kinks
    if (!(curve.alpha[0] > 0 && curve.alpha[0] < kinks.alpha[0])) curve = {};
  }
  for (std::size_t k = 0; k < kinks.alpha.size(); ++k) {
    const double alpha = kinks.alpha[k];
    if (!(alpha > (curve.alpha.empty() ? 0.0 : curve.alpha.back()) && alpha < most_alpha)) continue;
    curve.alpha.push_back(alpha);
    // The hull may leave out kinks that bend it by less than 2^-60 of its slope.
    curve.upper.push_back(upper ? kinks.value[k] : kinks.value[k] * (1 - 4 * u));  // proof: sampled-kinks
  }
  if (curve.alpha.empty()) curve = {{1}, {}, {upper ? 1.0 : 0.0}};
  return upper ? law_above(curve) : law_below_chords(curve.alpha, curve.upper, kinks.floor);
}

}  // namespace

LossPmf poisson_sampled(const LossPmf& pmf, double q, bool backward, std::size_t memory_limit) {
  if (!(q > 0 && q < 1)) throw std::invalid_argument("sampling probability must be in (0, 1)");
  std::shared_ptr<const DominatingPair> pair;
  try {
    const Budget budget(static_cast<double>(memory_limit));
    const Held room(bytes_a_point * static_cast<double>(pmf.mass.size()));
    const AtomicLaw law = backward ? reversed(law_of(pmf)) : law_of(pmf);
    const AtomicLaw sampled = poisson_sampled(law, q);
    pair = atomic_pair(backward ? reversed(sampled) : sampled);
  } catch (const OverBudget& over) {
    throw std::invalid_argument("memory_limit must be at least " +
                                std::to_string(static_cast<long long>(std::min(over.bytes(), 9e18))) + " bytes, got " +
                                std::to_string(memory_limit));
  }
  // Losses only move towards 0: what the distribution left out at its ends is left out already.
  constexpr double nothing_more = 1e-300;
  return requested_pmf({{pair, 1}}, {pmf.interval, pmf.side, Estimator::connect_dots, nothing_more, memory_limit});
}

}  // namespace hockeystick
