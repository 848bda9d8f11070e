// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/discrete/small_masses.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double smallest_mass = 1e-305;  // below it no relative accuracy is assumed

using Moment = std::function<double(double t)>;

Moment cut_moment(const Moment& known, double cut, double bound) {
  if (known) return known;
  return [=](double t) { return cut > 0 ? cut * math::exp(t * bound) * (1 + 1e-12) : 0.0; };
}

// Upper bound of the masses removed from atoms, and the largest of their losses.
struct Taken {
  double mass = 0, top = -infinity;
  void take(double& from, double loss) {
    mass += 1.01 * std::exchange(from, 0.0) + tiny;
    top = std::max(top, loss);
  }
  Moment added_to(Moment moment, double loss_error) const {
    if (mass == 0) return moment;
    return [moment = std::move(moment), most = mass, highest = top + loss_error](double t) {
      return moment(t) + most * math::exp(t * highest) * (1 + 1e-12);
    };
  }
};

// The law with what its atoms say of the suprema of L and -L: of all outcomes, if all are listed.
AtomicLaw with_ends(AtomicLaw law) {
  double least = infinity, most = -infinity;
  for (const LossAtom& atom : law.atoms) {
    if (!(atom.p > 0 || atom.q > 0)) continue;
    if (atom.loss == infinity) law.reach = infinity;
    if (atom.loss == -infinity) law.reverse_reach = infinity;
    if (std::isfinite(atom.loss)) least = std::min(least, atom.loss), most = std::max(most, atom.loss);
  }
  if (!(least <= most)) return law;  // no finite loss is listed
  const double off = law.loss_error;
  const auto outward = [off](double loss) { return off > 0 ? up(loss + off) : loss; };   // proof: largest-loss
  const auto inward = [off](double loss) { return off > 0 ? down(loss - off) : loss; };  // proof: largest-loss
  if (law.cut == 0) law.bound = std::min(law.bound, outward(most));
  if (law.reverse_cut == 0) law.reverse_bound = std::min(law.reverse_bound, outward(-least));
  law.reach = std::max(law.reach, inward(most)), law.reverse_reach = std::max(law.reverse_reach, inward(-least));
  return law;
}

}  // namespace

AtomicLaw without_small_masses(AtomicLaw given) {
  AtomicLaw law = with_ends(std::move(given));
  Taken p, q;
  for (LossAtom& atom : law.atoms) {
    if (std::isinf(atom.loss)) continue;  // proof: cut-masses
    if (atom.p < smallest_mass) p.take(atom.p, atom.loss);
    if (atom.q < smallest_mass) q.take(atom.q, -atom.loss);
  }
  law.cut_moment = p.added_to(cut_moment(law.cut_moment, law.cut, law.bound), law.loss_error);
  law.reverse_cut_moment =
      q.added_to(cut_moment(law.reverse_cut_moment, law.reverse_cut, law.reverse_bound), law.loss_error);
  law.cut += p.mass;          // proof: cut-masses
  law.reverse_cut += q.mass;  // proof: cut-masses
  std::erase_if(law.atoms, [](const LossAtom& atom) { return std::isfinite(atom.loss) && atom.p == 0 && atom.q == 0; });
  return law;
}

}  // namespace hockeystick
