// SPDX-License-Identifier: Apache-2.0
// Ledgers as the Python package writes them.
#pragma once

#include <string_view>
#include <vector>

#include "mechanisms/described.hpp"

namespace hockeystick {

struct Ledger {
  std::size_t adjacency;  // index in `adjacencies`
  std::vector<DescribedTerm> terms;
};

/// The ledger of the text. Throws std::invalid_argument if it is none, or was changed; the message says where.
Ledger ledger_of(std::string_view text);

}  // namespace hockeystick
