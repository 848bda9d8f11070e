// SPDX-License-Identifier: Apache-2.0
// The object behind an hs_run pointer.
#pragma once

#include <memory>
#include <span>

#include "hockeystick.h"
#include "numeric/runtime/mutex.hpp"
#include "run/run.hpp"

namespace hockeystick::c {

/// The mechanism of a name such as "poisson_sampled(gaussian)", with the parameters of all mechanisms in the name.
Mechanism mechanism_named(std::string_view name, std::span<const hs_parameter> parameters);

/// The index in `adjacencies` of one of HS_ADD_OR_REMOVE_ONE and so on.
std::size_t adjacency_index(std::int32_t adjacency);

}  // namespace hockeystick::c

/// A composition. Only hs_run_add and hs_run_add_json change it; questions may be asked by several threads.
struct hs_run {
 public:
  /// Adds these terms, or throws and adds none.
  void add(std::span<const hockeystick::DescribedTerm> terms);

  /// Sets the adjacency to that of a ledger, an index in `adjacencies`; throws if the run has another one already.
  void set_adjacency(std::size_t index);
  std::size_t adjacency() const { return adjacency_; }

  std::shared_ptr<const hockeystick::Run> run() const;

 private:
  hockeystick::Tally tally_;
  std::size_t adjacency_ = 0;
  mutable hockeystick::Mutex mutex_;
  mutable std::shared_ptr<const hockeystick::Run> run_;  // null until a question needs it
};
