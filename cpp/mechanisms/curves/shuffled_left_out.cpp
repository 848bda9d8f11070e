// SPDX-License-Identifier: Apache-2.0
// An epoch of a Gaussian mechanism over shuffled batches that leaves records out: a pair above.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include "mechanisms/curves/shuffle_curve.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/constants.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

// The curves asked for last: of both directions.
struct Kept {
  std::array<double, 7> key{};
  std::shared_ptr<const ShuffleCurves> curves;
};
ForkSafeMutex& guard = *new ForkSafeMutex;
Kept& kept = *new Kept;

constexpr double most_batches = 0x1p19;  // the bound of fewer batches holds for more

std::shared_ptr<const ShuffleCurves> curves_of(Parameters p) {
  std::array<double, 7> key{};
  std::copy(p.begin(), p.begin() + 7, key.begin());
  {
    const std::lock_guard lock(guard);
    if (kept.curves && kept.key == key) return kept.curves;
  }
  const auto [noise, batches, left_out, batch_size, replaces, cells, tail] = key;
  const double mu = (replaces != 0 ? 2 : 1) / noise * (1 + 2 * u), counted = std::min(batches, most_batches);
  LeftOut epoch{mu, static_cast<std::int64_t>(counted), 0};
  if (batch_size > 0) {
    const double share = left_out / batches / batch_size;
    epoch.by_batch = share * counted * (1 - 8 * u);              // proof: shuffled-left-out
    epoch.joins = std::min(1.0, 1 / (1 + share) * (1 + 8 * u));  // proof: shuffled-left-out
  }
  const auto curves = std::make_shared<const ShuffleCurves>(shuffle_curves(epoch, replaces != 0, cells, tail));
  const std::lock_guard lock(guard);
  kept = {key, curves};
  return curves;
}

AtomicLaw above(Parameters p) {
  const auto curves = curves_of(p);
  return law_above(p[7] != 0 ? curves->back : curves->forth);
}

constexpr Range either{0, 1, Range::Ends::closed, true};
const AtomicRegistration registration(above, "shuffled_left_out_above",
                                      {{{"noise_multiplier", {0.1, 1e6}},
                                        {"batches", ranges::most_steps},
                                        {"left_out", ranges::most_steps},
                                        {"batch_size", {0, 1e12, Range::Ends::closed, true}},
                                        {"replaces", either},
                                        parameter::cells,
                                        parameter::tail,
                                        {"back", either}}});

}  // namespace
}  // namespace hockeystick
