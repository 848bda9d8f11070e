// SPDX-License-Identifier: Apache-2.0
#include "pld/stored_law.hpp"

#include <algorithm>

#include "numeric/constants.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

StoredLaw::StoredLaw(const LossPmf& pmf)
    : loss_(pmf.mass.size()), mass_(pmf.mass.size()), above_(pmf.mass.size() + 1, pmf.infinity_mass) {
  probabilities(pmf, mass_);
  CompensatedSum sum;
  sum.add(pmf.infinity_mass);
  for (std::size_t k = mass_.size(); k-- > 0;) {
    checkpoint_each<65536>(k);
    loss_[k] = pmf.loss(k);
    sum.add(mass_[k]);
    above_[k] = std::min(1.0, sum.value());
  }
}

double StoredLaw::tail(double epsilon) const {
  const auto first = std::upper_bound(loss_.begin(), loss_.end(), epsilon);
  return above_[static_cast<std::size_t>(first - loss_.begin())];
}

double StoredLaw::quantile(double level) const {
  // P(L > loss_k) = above_[k + 1] falls with k; finds the first that is at most 1 - level.
  const auto first =
      std::partition_point(above_.begin(), above_.end(), [=](double above) { return above > 1 - level; });
  if (first == above_.begin()) return -infinity;
  if (first == above_.end()) return infinity;
  return loss_[static_cast<std::size_t>(first - above_.begin()) - 1];
}

double StoredLaw::variance() const {
  if (above_.back() > 0) return infinity;
  CompensatedSum total, moment, square;
  for (std::size_t k = 0; k < mass_.size(); ++k) {
    total.add(mass_[k]);
    moment.add(mass_[k] * loss_[k]);
  }
  const double mean = moment.value() / total.value();
  for (std::size_t k = 0; k < mass_.size(); ++k) square.add(mass_[k] * (loss_[k] - mean) * (loss_[k] - mean));
  return square.value() / total.value();
}

}  // namespace hockeystick
