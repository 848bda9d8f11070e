// SPDX-License-Identifier: Apache-2.0
// An epoch of a Gaussian mechanism over shuffled batches: pairs that dominate an epoch that leaves records out, and one
// that uses every record.
#include <algorithm>

#include "mechanisms/curves/shuffle_curve.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/constants.hpp"

namespace hockeystick {
namespace {

AtomicLaw left_out_above(Parameters p) {
  const double noise = p[0], batches = p[1], left_out = p[2], batch_size = p[3];
  ShuffledEpoch epoch{(p[4] != 0 ? 2 : 1) / noise * (1 + 2 * u), batches, p[4] != 0, false};
  if (batch_size > 0) {
    epoch.by_batch = left_out / batches / batch_size * (1 - 4 * u);       // proof: shuffled-left-out
    epoch.joins = std::min(1.0, 1 / (1 + epoch.by_batch) * (1 + 8 * u));  // proof: shuffled-left-out
  }
  return law_above(shuffle_curve(epoch, p[5], p[6], p[7] != 0));
}

AtomicLaw every_above(Parameters p) {
  ShuffledEpoch epoch{(p[4] != 0 ? 2 : 1) / p[0] * (1 + 2 * u), p[1], p[4] != 0, true};
  epoch.last_size = p[2], epoch.size = p[3];
  return law_above(shuffle_curve(epoch, p[5], p[6], p[7] != 0));
}

constexpr Range either{0, 1, Range::Ends::closed, true};
const AtomicRegistration left_out(left_out_above, "shuffled_left_out_above",
                                  {{{"noise_multiplier", {0.1, 1e6}},
                                    {"batches", ranges::most_steps},
                                    {"left_out", ranges::most_steps},
                                    {"batch_size", {0, 1e12, Range::Ends::closed, true}},
                                    {"replaces", either},
                                    parameter::cells,
                                    parameter::tail,
                                    {"back", either}}});
const AtomicRegistration every(every_above, "shuffled_every_above",
                               {{{"noise_multiplier", {0.1, 1e6}},
                                 {"batches", {2, 1e12, Range::Ends::closed, true}},
                                 {"last_size", {1e-12, 1}},
                                 {"batch_size", {0, 1e12, Range::Ends::closed, true}},
                                 {"replaces", either},
                                 parameter::cells,
                                 parameter::tail,
                                 {"back", either}}});

}  // namespace
}  // namespace hockeystick
