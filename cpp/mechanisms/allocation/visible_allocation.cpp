// SPDX-License-Identifier: Apache-2.0
// An epoch of a random allocation of Gaussian steps whose noise is so little that it tells the step that a record
// joined: pairs above and below it. e^L is the mean of e^y over the steps, y normal of mean mu^2 / 2 in the one joined,
// else -mu^2 / 2, so that L is y - log t of the joined step but for a rare mistake. cpp/proofs/visible-allocation.md
// has the bounds.
#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanisms/curves/log_curve.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

struct Epoch {
  double mu, log_steps, steps, cells, tail;
};

// Parameters: noise multiplier, steps, epochs, cells, tail. `side`: +1 makes mu larger by its rounding, -1 smaller.
Epoch epoch_of(Parameters p, double side) {
  // proof: parameter-rounding
  return {std::sqrt(p[2]) / p[0] * (1 + side * 8 * u), math::log(p[1]), p[1], p[3], p[4]};
}

// Upper bound of P(Z > x), the argument off by 8 u of its terms.
double tail_above(double x, double terms) {
  const double low = x - 8 * u * terms;
  return low > 0 ? normal_tail(low) * (1 + 2 * normal_error) + 1e-307 : 1.0;  // proof: visible-allocation
}

// h(e^x), the record removed: as without sampling, or where no other step has a y above x - gap.
double removed_at(const Epoch& epoch, double x) {
  const auto [mu, log_steps, steps, cells, tail] = epoch;
  double least = far_gaussian_above(mu, x);
  for (const double gap : {4.0, 8.0, 15.0, 30.0}) {
    const double moved = (log_steps + x) * (1 - 8 * u) + math::log1p(-math::exp(-gap)) - 8 * u;
    const double mistaken = steps * tail_above(mu / 2 + (x - gap) / mu, mu + x / mu + gap);
    least = std::min(least, far_gaussian_above(mu, moved) + mistaken);  // proof: visible-allocation
  }
  return least;
}

AtomicLaw removed_above(Parameters p) {
  const Epoch epoch = epoch_of(p, 1);
  std::vector<LogPoint> beyond;
  for (std::size_t k = 1; k < (1 << 20); ++k) {
    checkpoint_each<64>(k);
    const double x = epoch.mu / epoch.cells * static_cast<double>(k);
    beyond.push_back({x, std::min(1.0, removed_at(epoch, x))});
    if (beyond.back().upper < std::max(epoch.tail, least_upper)) break;
  }
  AtomicLaw law;
  law.atoms = {{-infinity, 0, 1}, {infinity, 1, 0}};  // of the point (1, 1)
  law.bound = law.reverse_bound = 0;
  continue_law(law, 1, beyond);
  return law;
}

// log((1 - e^-x) / x).
double log_mean(double x) { return std::fabs(x) < 1e-8 ? -x / 2 : math::log(-math::expm1(-x) / x); }

// Cells of the y that is joined: P-mass, and the loss of all of it at once, from below.
AtomicLaw removed_below(Parameters p) {
  const Epoch epoch = epoch_of(p, -1);
  const double mu = std::floor(epoch.mu * 0x1p42) / 0x1p42;  // so that sums with edges are exact
  const double width = std::ldexp(1.0, -static_cast<int>(std::ceil(math::log2(epoch.cells)))),
               square = mu * mu / 2 - epoch.log_steps;
  double top = width * std::floor(8 / width);
  while (top < 37 && normal_tail(top) > epoch.tail) top += width;
  AtomicLaw law;
  law.atoms.push_back({mu * top + square, normal_tail(top), 0});
  double listed = 0;  // Q-mass
  for (double z = top - width; z > -9; z -= width) {
    // Of e^-mu s over the cell, s from its lower end on; w^2 / 2 for what a normal density bends.
    const double least = mu * z + square + log_mean(z * width) - log_mean((z + mu) * width) -
                         width * width / 2;  // proof: visible-allocation
    const double mass = normal_interval(z, z + width), q = mass * math::exp(-least);
    // What lies below is one outcome, whose loss is lower.
    if (listed + q > 0.5 || (z < 0 && math::log(2 * normal_tail(-z)) > least)) break;
    listed += q;
    law.atoms.push_back({least, mass, q});
  }
  for (LossAtom& atom : law.atoms) atom.q = atom.p * math::exp(-atom.loss);
  double rest = 1, q = 1;
  for (const LossAtom& atom : law.atoms) rest -= atom.p, q -= atom.q;
  rest -= 1e-13;  // of the sum's rounding; proof: visible-allocation
  const bool is_seen = rest > 1e-13;
  law.atoms.push_back({is_seen ? math::log(rest / q) : -infinity, is_seen ? rest : 0.0, q});
  const double largest = std::max(mu * top + std::fabs(square), 700.0) + mu * 9;
  law.mass_error = 4 * normal_error;                   // proof: visible-allocation
  law.loss_error = 64 * u * (largest + mu * mu + 50);  // proof: visible-allocation
  law.bound = law.reverse_bound = largest * 1.01;
  return law;
}

// P(W > w) where W is the least -y of all steps, none of which is joined, w = mu^2 / 2 + mu z.
double none_below(const Epoch& epoch, double z) {
  const double log_p = z < 0 ? math::log1p(-normal_tail(-z)) : math::log(normal_tail(z));
  return math::exp(epoch.steps * log_p);
}

// The Mills ratio for x > 1, within 1e-10: from 15 on by its asymptotic series, whose terms alternate.
double mills_at(double x) {
  const double s = 1 / (x * x);
  return x < 15 ? mills_ratio(x) : (1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s))))) / x;
}

// The mean of e^(y_i + W) of all but the largest y_i, within 1e-9, W being mu^2 / 2 + mu z.
double other_at(const Epoch& epoch, double z) {
  if (!(z + epoch.mu > 1)) return 1;
  return std::min(1.0, normal_pdf(z) * mills_at(z + epoch.mu) / normal_tail(z));
}

// Atoms of a cell: of equally many others at W as a binomial number has successes, up to `most_near`.
constexpr int most_near = 3;
void add_near(AtomicLaw& law, const Epoch& epoch, double mass, double loss, double other) {
  const double least = std::min(0.9, other * (1 - 1e-9)), others = epoch.steps - 1;  // proof: visible-allocation
  double weight = math::exp(others * math::log1p(-least)), rest = 1;
  for (int near = 0; near <= most_near; ++near) {
    const bool is_last = near == most_near || !(rest - weight > 1e-4);  // of which rounding tells enough
    const double part = mass * (is_last ? rest : weight), here = loss - math::log(near + 1);
    if (part > 1e-290) law.atoms.push_back({here, part, part * math::exp(-here)});
    if (is_last) return;
    rest -= weight;
    weight *= std::max(0.0, others - near) / (near + 1) * (least / (1 - least));
  }
}

// A record added: L is W + log t less the log of 1 and the sum of e^(y_i + W) over all but the largest y_i, in cells of
// W.
AtomicLaw added(const Epoch& epoch, bool is_above) {
  const double width = 0.25 / epoch.cells, off = is_above ? 1e-11 : -1e-11;
  AtomicLaw law;
  double before = 1;
  for (std::size_t k = 1; before > epoch.tail && k < (1 << 20); ++k) {
    checkpoint_each<64>(k);
    const double end = -20 + width * static_cast<double>(k), begin = end - width;
    const double after = std::min(before, none_below(epoch, end) * (1 + off));  // proof: visible-allocation
    if (end > 30) break;
    if (before - after > 1e-290) {
      const double loss = epoch.mu * (epoch.mu / 2 + (is_above ? end : begin)) + epoch.log_steps, mass = before - after;
      if (is_above) {
        add_near(law, epoch, mass, loss, other_at(epoch, begin));
      } else {
        const double most = other_at(epoch, end) * (1 + 1e-9) * (epoch.steps - 1);  // proof: visible-allocation
        const double least = loss - math::log1p(most);
        if (least > 0) law.atoms.push_back({least, mass, mass * math::exp(-least)});
      }
    }
    before = after;
  }
  double q = 1, largest = 0;
  for (const LossAtom& atom : law.atoms) q -= atom.q, largest = std::max(largest, std::fabs(atom.loss));
  if (is_above) law.atoms.push_back({infinity, before, 0});
  law.atoms.push_back({-infinity, 0, std::max(0.0, q)});
  law.mass_error = 1e-11;                                          // proof: visible-allocation
  law.loss_error = 64 * u * (largest + epoch.mu * epoch.mu + 50);  // proof: visible-allocation
  law.bound = law.reverse_bound = largest * 1.01 + 1;
  return law;
}

AtomicLaw added_above(Parameters p) { return added(epoch_of(p, 1), true); }
AtomicLaw added_below(Parameters p) { return added(epoch_of(p, -1), false); }

const std::vector<Parameter> parameters{parameter::noise_multiplier,
                                        {"steps", {2, 1e12, Range::Ends::closed, true}},
                                        {"epochs", {1, 1e9, Range::Ends::closed, true}},
                                        parameter::cells,
                                        {"tail", {1e-300, 1, Range::Ends::open_above}}};
const AtomicRegistration remove_above(removed_above, "visible_allocation_remove_above", parameters);
const AtomicRegistration remove_below(removed_below, "visible_allocation_remove_below", parameters);
const AtomicRegistration add_above(added_above, "visible_allocation_add_above", parameters);
const AtomicRegistration add_below(added_below, "visible_allocation_add_below", parameters);

}  // namespace
}  // namespace hockeystick
