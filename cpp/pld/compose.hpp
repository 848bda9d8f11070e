// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "numeric/fft/real_fft.hpp"
#include "pld/loss_pmf.hpp"
#include "pld/tilt.hpp"

namespace hockeystick {

/// A tilted step and how often it is run.
struct ComposedTerm {
  TiltedStep step;
  std::int64_t count;
};

/// Where Chernoff's inequality is applied: tilts on top of the composition's own. Any values are
/// valid, good ones are tight; 0 switches a bound off (the trivial one is taken).
struct ChernoffTilts {
  double above;       // P-mass above the window; at least -tilt
  double below;       // Q-mass below it; at most -1 - tilt, unless 0
  double wrap_above;  // tilted mass that wraps into the window from above; positive
  double wrap_below;  // the same from below; negative
};

/// Losses [first, first + size) on the grid; size at most the transform's.
struct Window {
  std::int64_t first;
  std::size_t size;
};

/// The composition's mass at +inf, bounded from the steps' side.
double composed_infinity_mass(std::span<const ComposedTerm> terms);

/// What losses of the composition may be off by [nats].
double composed_loss_error(std::span<const ComposedTerm> terms);

/// The composition of all terms (all of one side, interval and tilt), by one transform per term, a
/// product of powers and one inverse. Errors are bounded and kept in the result.
LossPmf compose(std::span<const ComposedTerm> terms, const RealFft& fft, const Window& window,
                const ChernoffTilts& tilts);

/// The same with a workspace of fft.size() doubles, of any content, for those who compose again and again.
LossPmf compose(std::span<const ComposedTerm> terms, const RealFft& fft, const Window& window,
                const ChernoffTilts& tilts, std::span<double> circle);

}  // namespace hockeystick
