// SPDX-License-Identifier: Apache-2.0
// An epoch of a Gaussian mechanism over shuffled batches that uses every record: a pair above.
#include "mechanisms/curves/shuffle_curve.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/constants.hpp"

namespace hockeystick {
namespace {

AtomicLaw above(Parameters p) {
  ShuffledEpoch epoch{(p[3] != 0 ? 2 : 1) / p[0] * (1 + 2 * u), p[1], p[3] != 0, true};
  epoch.last_size = p[2];
  return law_above(shuffle_curve(epoch, p[4], p[5], p[6] != 0));
}

constexpr Range either{0, 1, Range::Ends::closed, true};
const AtomicRegistration registration(above, "shuffled_every_above",
                                      {{{"noise_multiplier", {0.1, 1e6}},
                                        {"batches", {2, 1e12, Range::Ends::closed, true}},
                                        {"last_size", {1e-12, 1}},
                                        {"replaces", either},
                                        parameter::cells,
                                        parameter::tail,
                                        {"back", either}}});

}  // namespace
}  // namespace hockeystick
