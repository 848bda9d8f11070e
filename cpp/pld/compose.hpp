// SPDX-License-Identifier: Apache-2.0
// The composition of tilted steps by one Fourier transform, with every error bounded.
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

/// Tilts, on top of the composition's own, at which Chernoff's inequality is applied. Any values are valid, good ones
/// are tight; 0 switches a bound off (the trivial bound holds).
struct ChernoffTilts {
  double above;       // P-mass above the window; at least -tilt
  double below;       // Q-mass below it; at most -1 - tilt, unless 0
  double wrap_above;  // tilted mass that wraps into the window from above; positive
  double wrap_below;  // the same from below; negative
};

/// Losses [first, first + size) on the grid; size is at most the transform's.
struct Window {
  std::int64_t first;
  std::size_t size;
};

/// The composition's mass at +inf, bounded from the steps' side.
double composed_infinity_mass(std::span<const ComposedTerm> terms);

/// Bound of the error of the composition's losses [nats].
double composed_loss_error(std::span<const ComposedTerm> terms);

/// The composition of all terms (of the same side, interval and tilt), by one transform per term, a product of powers
/// and one inverse transform. Errors are bounded and stored in the result.
LossPmf compose(std::span<const ComposedTerm> terms, const RealFft& fft, const Window& window,
                const ChernoffTilts& tilts);

/// The same with a workspace of fft.size() doubles, of any content, for repeated compositions.
LossPmf compose(std::span<const ComposedTerm> terms, const RealFft& fft, const Window& window,
                const ChernoffTilts& tilts, std::span<double> circle);

}  // namespace hockeystick
