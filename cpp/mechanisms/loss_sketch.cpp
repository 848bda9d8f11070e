// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/loss_sketch.hpp"

namespace hockeystick {

AtomSketch DominatingPair::atom_sketch() const { return {}; }

}  // namespace hockeystick
