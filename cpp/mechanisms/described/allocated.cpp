// SPDX-License-Identifier: Apache-2.0
// The pairs of random allocations: by closed forms for little noise, by a Fourier series, or by convolutions.
#include <algorithm>
#include <cmath>

#include "mechanisms/allocation/allocation_curve.hpp"
#include "mechanisms/allocation/visible_run.hpp"
#include "mechanisms/described/enclosed.hpp"
#include "mechanisms/described/rows.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/range.hpp"

namespace hockeystick {
namespace {

using namespace rows::arguments;
using namespace rows::allocations;

constexpr double most_convolved = 300;  // nats

// The spacing of losses at which a curve may bend: the one that the accuracy asks for, or a finer one on the run's
// lattice.
double spacing_of(const Allocation& allocation, const Accuracy& accuracy) {
  const double wanted = allocation_interval(allocation, accuracy.cells) / allocation_stride, lattice = accuracy.lattice;
  if (lattice == infinity) return wanted;
  return wanted > lattice ? lattice * std::floor(wanted / lattice) : lattice / std::ceil(lattice / wanted);
}

// The name of the pair "above", "below", "far" or "moments" that is made from the pair of a step. "moments" bounds both
// sides.
PairName convolved(const std::string& what, bool is_above, const Described& one, Comparison way,
                   const Accuracy& accuracy) {
  const double epochs = one.number(second);
  PairName step = dominating_pair_name(*one.inner, way);
  const double mu = is_gaussian(*one.inner) ? std::sqrt(epochs) / noise_of(one) : 0;
  Accuracy of_series = accuracy;  // points of which the convolved curve follows where the series is close
  of_series.cells *= 1.5;
  const double spacing = mu > 0 ? spacing_of({mu, one.number(first)}, of_series) : 0;
  if (epochs > 1) {
    double noise = noise_of(one) / std::sqrt(epochs);
    // The noise is rounded outward, as the curve falls with the noise.
    noise *= 1 + (is_above ? -1 : 1) * 0x1p-50;  // proof: parameter-rounding
    step.parameters = {noise};
  }
  return {"allocated_" + what + back(form(way) == "add"),
          {one.number(first), accuracy.cells, accuracy.tail, spacing, accuracy.low},
          std::make_shared<const PairName>(std::move(step))};
}

// Whether the closed forms for little noise give the curve: for a removed record, or for an added one where the
// smallest loss of all steps, or most losses, lie beyond those of convolutions, which then bound small deltas alone.
bool is_visible(double noise, double steps, Comparison way, const Accuracy& accuracy) {
  if (noise >= visible || form(way) != "add") return noise < visible;
  const double beyond = normal_tail(most_convolved * noise - 0.5 / noise);
  return steps * math::log(beyond) > math::log(accuracy.tail) || (beyond > 0.5 && accuracy.tail > 1e-10);
}

bool is_visible(const Described& one, Comparison way, const Accuracy& accuracy) {
  const double steps = one.number(first), epochs = one.number(second);
  return is_gaussian(*one.inner) && is_visible(noise_of(one) / std::sqrt(epochs), steps, way, accuracy);
}

PairName allocated(bool is_above, const Described& one, Comparison way, const Accuracy& accuracy) {
  const std::string side = is_above ? "above" : "below";
  const double steps = one.number(first), epochs = one.number(second);
  if (is_visible(one, way, accuracy))
    return {"visible_allocation_" + std::string(form(way)) + "_" + side,
            {noise_of(one), steps, epochs, accuracy.cells, to_the_end(accuracy.tail)}};
  // The series, which bounds the curve to an absolute error, takes less work than convolutions.
  const bool by_series =
      is_gaussian(*one.inner) && accuracy.tail >= 5e-17 && has_series({std::sqrt(epochs) / noise_of(one), steps});
  if (!by_series) return convolved(side, is_above, one, way, accuracy);
  const Allocation allocation{std::sqrt(epochs) / noise_of(one), steps};
  const double interval = allocation_stride * spacing_of(allocation, accuracy);
  return {"random_allocation_" + side + back(form(way) == "add"),
          {noise_of(one), steps, epochs, accuracy.cells * allocation_interval(allocation, accuracy.cells) / interval,
           absolute(accuracy.tail)}};
}

// Pairs that bound more than the curve, or that add the losses which the curve leaves out.
std::array<PairName, 2> allocated_beyond_curve(const Described& one, Comparison way, const Accuracy& at,
                                               Aspect aspect) {
  const PairName moments = convolved("moments", true, one, way, at);
  if (aspect != Aspect::far) return {convolved("moments", false, one, way, at), moments};
  if (!is_visible(one, way, at)) return {convolved("below", false, one, way, at), convolved("far", true, one, way, at)};
  const PairName curve = allocated(true, one, way, at);
  return {allocated(false, one, way, at), {"far_of_" + curve.name, curve.parameters, moments.step}};
}

}  // namespace

// All steps show the step's largest loss at once, or nearly: the loss of an epoch is the log of the mean of theirs, or
// the reverse of that. Several epochs are of Gaussians, whose losses have no largest.
const Enclosure rows::allocations::allocation{
    .closes = true,
    .above = [](const Described& one, Comparison way, const Accuracy& at) { return allocated(true, one, way, at); },
    .below = [](const Described& one, Comparison way,
                const Accuracy& at) { return Names{allocated(false, one, way, at)}; },
    .beyond_curve = allocated_beyond_curve,
    .largest = rows::inner_pair};

}  // namespace hockeystick
