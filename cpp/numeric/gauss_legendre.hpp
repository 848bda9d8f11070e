// SPDX-License-Identifier: Apache-2.0
// Gauss-Legendre rules for integrands that are combinations of unit normal densities.
//
// With m nodes on an interval of width w,
//     |rule - integral| <= C_m w^(2m+1) max |f^(2m)|,   C_m = (m!)^4 / ((2m+1) ((2m)!)^3).
// For f(x) = phi(x - c), f^(2m) = He_2m(x - c) phi(x - c), and from He_k(x) = E (x + i Z)^k,
// Minkowski's inequality and (E Z^2m)^(1/2m) <= sqrt(2m) <= 4 for m <= 8:
//     |He_2m(x)| <= (|x| + 4)^(2m).
// Let X >= |x - c| on the interval and s = w (X + 4). Since max phi / min phi <= e^(w X) <= e^s,
//     |rule - integral| <= C_m s^(2m) e^s * integral.
// Each rule below is used up to the s at which that factor is at most 1e-17 (*proved*):
//     m = 3, s = 0.0164: 5.0e-7  * 1.95e-11 * 1.02 < 1e-17
//     m = 4, s = 0.105:  5.7e-10 * 1.48e-8  * 1.12 < 1e-17
//     m = 6, s = 0.7:    1.9e-16 * 1.39e-2  * 2.02 < 1e-17
//     m = 8, s = 2.0:    1.7e-23 * 6.56e4   * 7.39 < 1e-17
#pragma once

#include <cstddef>
#include <span>

namespace hockeystick {

/// Relative quadrature error for each normal density in the integrand, *proved* above.
inline constexpr double gauss_legendre_error = 1e-17;

/// Nodes on [0, 1] and weights summing to 1, correctly rounded from 20 digits (mpmath: zeros t of legendre(m, t),
/// weight 2 / ((1 - t^2) P_m'(t)^2), then node (1 + t) / 2 and half the weight). Nodes are symmetric: 1 - nodes[k] is
/// nodes[m - 1 - k] to full relative accuracy.
struct GaussLegendreRule {
  std::span<const double> nodes;
  std::span<const double> weights;
};

namespace gauss_legendre_table {
inline constexpr double nodes3[] = {0.11270166537925831148, 0.5, 0.88729833462074168852};
inline constexpr double weights3[] = {0.27777777777777777778, 0.444444444444444444445, 0.27777777777777777778};
inline constexpr double nodes4[] = {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240,
                                    0.93056815579702628761};
inline constexpr double weights4[] = {0.173927422568726928685, 0.326072577431273071315, 0.326072577431273071315,
                                      0.173927422568726928685};
inline constexpr double nodes6[] = {0.033765242898423986095, 0.16939530676686774317, 0.380690406958401545685,
                                    0.619309593041598454315, 0.83060469323313225683, 0.966234757101576013905};
inline constexpr double weights6[] = {0.08566224618958517252,  0.180380786524069303785, 0.233956967286345523695,
                                      0.233956967286345523695, 0.180380786524069303785, 0.08566224618958517252};
inline constexpr double nodes8[] = {0.01985507175123188416,  0.101666761293186630205, 0.23723379504183550709,
                                    0.40828267875217509753,  0.59171732124782490247,  0.76276620495816449291,
                                    0.898333238706813369795, 0.98014492824876811584};
inline constexpr double weights8[] = {0.050614268145188129575, 0.11119051722668723527,  0.15685332293894364367,
                                      0.181341891689180991485, 0.181341891689180991485, 0.15685332293894364367,
                                      0.11119051722668723527,  0.050614268145188129575};
inline constexpr double nodes16[] = {
    0.0052995325041750337019, 0.027712488463383711961, 0.06718439880608412806, 0.12229779582249848305,
    0.19106187779867812578,   0.27099161117138630683,  0.35919822461037054338, 0.45249374508118127991,
    0.54750625491881872009,   0.64080177538962945662,  0.72900838882861369317, 0.80893812220132187422,
    0.87770220417750151695,   0.93281560119391587194,  0.97228751153661628804, 0.9947004674958249663};
inline constexpr double weights16[] = {
    0.0135762297058770474259, 0.0311267619693239464314, 0.047579255841246392405,  0.0623144856277669360262,
    0.0747979944082883660408, 0.0845782596975012690947, 0.0913017075224617944334, 0.0947253052275342481427,
    0.0947253052275342481427, 0.0913017075224617944334, 0.0845782596975012690947, 0.0747979944082883660408,
    0.0623144856277669360262, 0.047579255841246392405,  0.0311267619693239464314, 0.0135762297058770474259};
}  // namespace gauss_legendre_table

/// The rule of 16 nodes, for integrands that are bounded off the interval.
inline constexpr GaussLegendreRule gauss_legendre_16{gauss_legendre_table::nodes16, gauss_legendre_table::weights16};

/// The same for vectors: padded with zero weights; mirrored[k] is 1 - nodes[k].
struct PaddedRule {
  alignas(32) double nodes[8], mirrored[8], weights[8];
  std::size_t count;
};

template <std::size_t m>
constexpr PaddedRule padded(const double (&nodes)[m], const double (&weights)[m]) {
  PaddedRule rule{{}, {}, {}, m};
  for (std::size_t k = 0; k < m; ++k) {
    rule.nodes[k] = nodes[k], rule.mirrored[k] = nodes[m - 1 - k], rule.weights[k] = weights[k];
  }
  return rule;
}

namespace gauss_legendre_table {
inline constexpr PaddedRule padded3 = padded(nodes3, weights3), padded4 = padded(nodes4, weights4);
inline constexpr PaddedRule padded6 = padded(nodes6, weights6), padded8 = padded(nodes8, weights8);
}  // namespace gauss_legendre_table

/// The cheapest rule with error factor at most `gauss_legendre_error`; s at most 2.
inline GaussLegendreRule gauss_legendre(double s) {
  using namespace gauss_legendre_table;
  if (s <= 0.0164) return {nodes3, weights3};
  if (s <= 0.105) return {nodes4, weights4};  // proof: cell-quadrature
  if (s <= 0.7) return {nodes6, weights6};
  return {nodes8, weights8};
}
inline const PaddedRule& padded_gauss_legendre(double s) {
  using namespace gauss_legendre_table;
  const std::size_t count = gauss_legendre(s).nodes.size();
  return count == 3 ? padded3 : count == 4 ? padded4 : count == 6 ? padded6 : padded8;
}

}  // namespace hockeystick
