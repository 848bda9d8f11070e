// SPDX-License-Identifier: Apache-2.0
// The discrete Laplace (two-sided geometric) mechanism: P(x) = Z e^(-a |x|) on the integers against Q(x) = P(x - s).
// The pair is its own reverse, by x -> s - x.

#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"

namespace hockeystick {
namespace {

// e^(-a j) within 6 u; the argument exceeds exp_product's 1e3 only where the result is 0.
double power(double a, double j) { return a * j > 1e3 ? 0 : exp_product(-a, j); }

// With j = min(max(x, 0), s) the loss is a (s - 2 j), and with w = e^-a
//     P(j) = Z w^j for 0 < j < s,   P(0) = Z sum_{i>=0} w^i = 1 / (1 + w),   P(s) = w^s / (1 + w),
// Z = (1 - w) / (1 + w); Q(j) = P(s - j). Rounding: w 4 u, 1 + w 5 u, 1 - w = -expm1(-a) 4 u, the quotient u,
// the powers 6 u, a product u: 17 u. The losses are off by u of themselves, but exact for s <= 2.
AtomicLaw discrete_laplace(Parameters parameters) {
  const double a = parameters[0], s = parameters[1];
  const double w = math::exp(-a);
  const double end = 1 / (1 + w), between = -math::expm1(-a) / (1 + w);
  AtomicLaw law;
  law.atoms.reserve(static_cast<std::size_t>(s) + 1);
  for (double j = s; j >= 0; --j) {
    const double p = (j == 0 || j == s ? end : between) * power(a, j);
    const double q = (j == 0 || j == s ? end : between) * power(a, s - j);
    law.atoms.push_back({a * (s - 2 * j), p, q});
  }
  law.mass_error = 20 * u;                 // proof: discrete-laws
  law.loss_error = s > 2 ? u * a * s : 0;  // proof: discrete-laws
  law.bound = law.reverse_bound = a * s * (1 + 2 * u);
  return law;
}

const AtomicRegistration registration(discrete_laplace, "discrete_laplace",
                                      {{{"parameter", ranges::pure_epsilon}, {"shift", shifts}}});

}  // namespace
}  // namespace hockeystick
