// SPDX-License-Identifier: Apache-2.0
#include "pld/compose.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/zeros.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"
#include "numeric/union_probability.hpp"

namespace hockeystick {
namespace {

std::size_t wrap(std::int64_t index, std::size_t period) {
  const auto size = static_cast<std::int64_t>(period);
  const std::int64_t rest = index % size;
  return static_cast<std::size_t>(rest < 0 ? rest + size : rest);
}

// Scatters a tilted step onto the circle. Each addition of points that meet rounds once; moving every mass outward by 2
// u for each point that it may meet covers this.
void scatter(const TiltedStep& step, std::span<double> circle) {
  std::fill(circle.begin(), circle.end(), 0.0);
  // Within one period no two points meet; the support spans this number of periods.
  const double span = static_cast<double>(step.step->index.back() - step.step->index.front());
  const double meet = span / static_cast<double>(circle.size()) + 2;
  const double slack = 2 * u * std::min(meet, static_cast<double>(step.mass.size()));
  const double outward = step.step->side == Side::upper ? 1 + slack : 1 - slack;
  for (std::size_t j = 0; j < step.mass.size(); ++j)
    circle[wrap(step.step->index[j], circle.size())] += step.mass[j] * outward;  // proof: cyclic-folding
}

// The part of the circle that the window shows; the circle is not shorter.
std::vector<double> unwrapped(std::span<const double> circle, const Window& window) {
  const std::size_t from = wrap(window.first, circle.size());
  const std::size_t head = std::min(window.size, circle.size() - from);
  std::vector<double> mass;
  mass.reserve(window.size);
  constexpr std::size_t piece = 1 << 20;
  const auto append = [&](std::span<const double> part) {
    for (; part.size() > piece; part = part.subspan(piece)) {
      mass.insert(mass.end(), part.begin(), part.begin() + piece);
      checkpoint();
    }
    mass.insert(mass.end(), part.begin(), part.end());
  };
  append(circle.subspan(from, head)), append(circle.first(window.size - head));
  return mass;
}

// The product of all terms' powers on the circle, and a bound of every point's error.
double convolve(std::span<const ComposedTerm> terms, const RealFft& fft, std::span<double> circle) {
  if (terms.size() == 1) {
    scatter(terms.front().step, circle);
    if (terms.front().count == 1) return 0;  // composed with nothing: no transform, and no error of one
    return cyclic_power(fft, circle, terms.front().count);
  }
  CyclicProduct product(fft);
  for (const ComposedTerm& term : terms) {
    scatter(term.step, circle);
    product.multiply(circle, term.count);  // proof: monotone-composition
  }
  return product.finish(circle);
}

// Chernoff: log of E e^(t S) e^(-(t + extra) loss) over the composition, S its tilted loss.
double log_chernoff(std::span<const ComposedTerm> terms, double t, double extra, double loss) {
  // No loss lies beyond the sum of the supports' ends.
  double farthest = 0, offsets = 0, losses = std::fabs(loss);  // offsets, losses: sums of sizes
  for (const ComposedTerm& term : terms) {
    const StepPmf& step = *term.step.step;
    const auto count = static_cast<double>(term.count);
    const double last = count * step.loss(t > 0 ? step.index.size() - 1 : 0);
    farthest += last;
    offsets += count * std::fabs(step.offset);
    losses += std::fabs(last);
  }
  const double margin = 1e-12 * (losses + offsets);
  if (t > 0 ? loss > farthest + margin : loss < farthest - margin) return -infinity;
  CompensatedSum sum;
  double size =
      std::fabs(t + extra) * (std::fabs(loss) + offsets);  // of all that is summed; the loss is off by 4 u of this
  const auto add = [&](double part) { sum.add(part), size += std::fabs(part); };
  for (const ComposedTerm& term : terms) add(static_cast<double>(term.count) * log_moment_above(term.step, t));
  add(-(t + extra) * loss);
  return sum.value() + 8 * u * size + 1e-12;
}

double probability(double log_bound) {
  if (log_bound == -infinity) return 0.0;
  return log_bound < 0 ? math::exp(log_bound) * (1 + 8 * u) + 1e-307 : 1.0;
}

// Tilted masses need not sum to 1: the log moment that divides them is a forecast. inf where a product may overflow.
double tilted_mass(double log_bound) {
  if (log_bound == -infinity) return 0.0;
  return log_bound < 300 ? math::exp(log_bound) * (1 + 8 * u) + 1e-307 : infinity;
}

void add_log_scale(std::span<const ComposedTerm> terms, LossPmf& pmf) {
  double high = 0, low = 0;
  for (const ComposedTerm& term : terms) {
    const auto [product, product_error] = two_product(static_cast<double>(term.count), term.step.log_moment);
    const auto [sum, sum_error] = two_sum(high, product);
    high = sum;
    low += sum_error + product_error;
  }
  pmf.log_scale = high;
  pmf.log_scale_low = low;  // proof: untilting
}

void add_tails(std::span<const ComposedTerm> terms, std::size_t period, const ChernoffTilts& tilts, LossPmf& pmf) {
  const double scale = pmf.log_scale + pmf.log_scale_low + 4 * u * std::fabs(pmf.log_scale);
  const auto loss = [&](std::int64_t offset) {
    return pmf.offset + pmf.interval * static_cast<double>(pmf.first + offset);
  };
  const auto size = static_cast<std::int64_t>(pmf.mass.size());
  const auto length = static_cast<std::int64_t>(period);
  if (pmf.side == Side::upper) {
    // A tilt on the wrong side of 0, in the measure that it is for, bounds nothing.
    const bool serves_above = tilts.above != 0 && tilts.above + pmf.tilt >= 0;
    const bool serves_below = tilts.below != 0 && tilts.below + pmf.tilt <= -1;
    pmf.tail_above =  // proof: chernoff-tail
        !serves_above ? 1.0 : probability(scale + log_chernoff(terms, tilts.above, pmf.tilt, loss(size)));
    pmf.tail_below =  // proof: chernoff-tail
        !serves_below ? 1.0 : probability(scale + log_chernoff(terms, tilts.below, pmf.tilt + 1, loss(-1)));
    // Under P itself the tilt must be negative.
    const double down = tilts.wrap_below + pmf.tilt < 0 ? tilts.wrap_below : tilts.below;
    pmf.p_below = !serves_below ? 1.0 : probability(scale + log_chernoff(terms, down, pmf.tilt, loss(-1)));
    // Above the window Q is at most e^-loss P.
    pmf.q_above = probability(math::log(pmf.tail_above) - loss(size) +
                              8 * u * (std::fabs(loss(size)) + std::fabs(pmf.offset)) + 1e-12);
  } else {
    const double above = log_chernoff(terms, std::max(tilts.wrap_above, 1e-300), 0, loss(length)),
                 below = log_chernoff(terms, std::min(tilts.wrap_below, -1e-300), 0, loss(size - 1 - length));
    pmf.wrapped = tilted_mass(above) + tilted_mass(below);  // proof: chernoff-wraparound
    if (pmf.wrapped < infinity) return;
    std::fill(pmf.mass.begin(), pmf.mass.end(), 0.0);  // none of it is certain
    pmf.wrapped = 0;
  }
}

// Sums of the first and last losses at which the steps have mass, rounded outward.
void add_range(std::span<const ComposedTerm> terms, LossPmf& pmf) {
  double size = 0;
  for (const ComposedTerm& term : terms) {
    const StepPmf& step = *term.step.step;
    std::size_t first = 0, last = step.mass.size() - 1;
    while (first < last && step.mass[first] == 0) ++first;
    while (last > first && step.mass[last] == 0) --last;
    const double least = step.loss(first), largest = step.loss(last);
    pmf.least += static_cast<double>(term.count) * least;
    pmf.largest += static_cast<double>(term.count) * largest;
    size += static_cast<double>(term.count) * (std::max(std::fabs(least), std::fabs(largest)) + std::fabs(step.offset));
  }
  const double rounding = (8 + 2 * static_cast<double>(terms.size())) * u * size;
  pmf.least -= rounding;
  pmf.largest += rounding;
}

// The error of the Q-masses that follows from the error of the losses; upper bounds of Q-masses are raised by this.
void add_reverse_factor(LossPmf& pmf) {
  // proof: loss-coupling
  const double raised = math::exp(1.01 * pmf.loss_error) * (1 + (pmf.loss_error > 0 ? 4 * u : 0));
  pmf.reverse_factor = pmf.side == Side::upper ? raised : 1 / raised;
  for (double* mass : {&pmf.tail_below, &pmf.q_above, &pmf.reverse_infinity_mass})
    *mass = std::min(1.0, *mass * raised);
}

// Q-mass above 1 and P-mass below 1 of a lower composition, rounded up.
void add_reverse_losses(std::span<const ComposedTerm> terms, LossPmf& pmf) {
  double log_p = 0, log_q = 0;
  for (const ComposedTerm& term : terms) {
    const StepPmf& step = *term.step.step;
    CompensatedSum p, q;
    double largest = 0;
    std::vector<double> fall(step.mass.size());  // e^-loss
    for (std::size_t j = 0; j < step.mass.size(); ++j) fall[j] = -step.loss(j);
    exponentials(fall);
    for (std::size_t j = 0; j < step.mass.size(); ++j) {
      checkpoint_each<8192>(j);
      if (step.mass[j] == 0) continue;  // 0 times inf is no number
      p.add(step.mass[j]);
      q.add(step.mass[j] * fall[j]);
      largest = std::max(largest, std::fabs(step.loss(j)));
    }
    p.add(step.infinity_mass);
    const double error = (4 * largest + 16) * u;  // proof: reflection
    log_p += static_cast<double>(term.count) * (math::log(p.value()) - error);
    log_q += static_cast<double>(term.count) * (math::log(q.value()) + error);
  }
  pmf.reverse_excess = std::max(0.0, math::expm1(log_q + 1.01 * pmf.loss_error)) * (1 + 8 * u);  // proof: reflection
  pmf.reverse_deficit = std::clamp(-math::expm1(log_p) * (1 + 8 * u), 0.0, 1.0);                 // proof: reflection
}

}  // namespace

// The stored masses of an upper step are raised from masses that sum to 1 with the mass t at +inf. A true step has at
// least the t of a lower step, and its other losses are finite, those that the lower step leaves out too.
double composed_infinity_mass(std::span<const ComposedTerm> terms) {
  UnionProbability infinite;
  for (const ComposedTerm& term : terms) {
    const StepPmf& step = *term.step.step;
    infinite.add(step.infinity_mass, step.infinity_mass, static_cast<double>(term.count));  // proof: infinity-mass
  }
  return terms.front().step.step->side == Side::upper ? infinite.upper() : infinite.lower();
}

double composed_loss_error(std::span<const ComposedTerm> terms) {
  double error = 0;
  for (const ComposedTerm& term : terms)  // proof: loss-coupling
    error += static_cast<double>(term.count) *
             (term.step.step->loss_error + 2 * u * std::fabs(term.step.step->offset)) * (1 + 4 * u);
  return error * (1 + u * static_cast<double>(terms.size() + 1));  // proof: loss-coupling
}

LossPmf compose(std::span<const ComposedTerm> terms, const RealFft& fft, const Window& window,
                const ChernoffTilts& tilts) {
  std::vector<double> circle = zeros(fft.size());
  return compose(terms, fft, window, tilts, circle);
}

LossPmf compose(std::span<const ComposedTerm> terms, const RealFft& fft, const Window& window,
                const ChernoffTilts& tilts, std::span<double> circle) {
  const TiltedStep& any = terms.front().step;
  LossPmf pmf{};
  pmf.interval = any.step->interval;
  pmf.first = window.first;
  pmf.tilt = any.tilt;
  pmf.side = any.step->side;
  CompensatedSum offset;
  for (const ComposedTerm& term : terms) offset.add(static_cast<double>(term.count) * term.step.step->offset);
  pmf.offset = offset.value();
  pmf.point_error = convolve(terms, fft, circle);  // proof: transform-weights
  for (const ComposedTerm& term : terms) {
    const auto count = static_cast<double>(term.count);
    pmf.reverse_infinity_mass += count * term.step.step->reverse_infinity_mass * (1 + 4 * u);
  }
  pmf.loss_error = composed_loss_error(terms);
  pmf.infinity_mass = composed_infinity_mass(terms);
  pmf.reverse_infinity_mass = std::min(1.0, pmf.reverse_infinity_mass);
  pmf.mass = unwrapped(circle, window);
  add_range(terms, pmf);
  add_log_scale(terms, pmf);
  add_tails(terms, fft.size(), tilts, pmf);
  add_reverse_factor(pmf);
  if (pmf.side == Side::lower) add_reverse_losses(terms, pmf);
  return pmf;
}

}  // namespace hockeystick
