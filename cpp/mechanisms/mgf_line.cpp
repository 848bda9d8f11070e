// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/mgf_line.hpp"

#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {

std::vector<MomentSample> samples_of(PointMassTransform losses, std::size_t count) {
  std::vector<MomentSample> result{{0, 0, 0, 0}};
  result.reserve(count);
  for (std::size_t k = 1; k < count; ++k) {
    checkpoint_each<8>(k);
    const PointMassSample at = losses.next();
    result.push_back({at.re_less_1, at.im, at.rounding, 0});
  }
  return result;
}

}  // namespace hockeystick
