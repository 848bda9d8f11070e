// SPDX-License-Identifier: Apache-2.0
// Upper bounds for whatever is rho-zCDP (Canonne, Kamath & Steinke 2020, Proposition 12 and Corollary 13).
#pragma once

namespace hockeystick {

/// Of delta at epsilon >= 0, by the order 1 + t, t > 0, and by the total variation.
double zero_concentrated_delta(double rho, double epsilon, double t);

/// Of epsilon >= 0 at delta, likewise.
double zero_concentrated_epsilon(double rho, double delta, double t);

}  // namespace hockeystick
