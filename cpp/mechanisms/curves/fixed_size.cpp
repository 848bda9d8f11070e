// SPDX-License-Identifier: Apache-2.0
// A Gaussian mechanism on a batch of fixed size, drawn from the data, when a record is replaced: pairs above, and one
// below. cpp/proofs/fixed-size-curve.md has the theorem.
//
// Let w_j be the probability that the batch holds the position j times, gamma = 1 - w_0, mu = 1 / s. For alpha >= 1 and
// any v_j >= 0 with sum over j >= 1 of w_j v_j <= (alpha - 1) w_0,
//     h(alpha) <= sum over j >= 1 of w_j sup E (P_j - v_j P_0 - alpha Q_j)_+,
// over three normal densities: of a record replaced by any, in both directions, or by a special one, there and back.
// One curve lies above both directions of the first, as compositions need where an adversary changes direction from
// step to step. The v_j are such that all events are best beyond the same point: then others attain the sum at once.
#include "mechanisms/curves/fixed_size.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanisms/allocation/gaussian_above.hpp"
#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/curves/log_curve.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/root.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// Upper bound of E (N(2 mu) - w N(0) - alpha N(mu))_+ for alpha >= 1: the integral beyond the only point z, from the
// mean mu, where e^(mu z - mu^2 / 2) = w e^(-mu z - mu^2 / 2) + alpha, a quadratic equation. z is within 34 u of
// itself.
double opposite_above(double mu, double alpha, double w) {
  const double log_b = math::log(alpha) + mu * mu / 2;
  double log_x;
  if (log_b < 0.5) {
    const double m = math::expm1(log_b);
    log_x = math::log1p(2 * (w + m) / (1 - m + std::sqrt((1 + m) * (1 + m) + 4 * w)));
  } else {
    log_x = log_b + math::log((1 + std::sqrt(1 + 4 * w * math::exp(-2 * log_b))) / 2);
  }
  const double z = log_x / mu, near = z - mu, size = z + 2 * mu;
  const double p = normal_tail(near), q = scaled_tail(alpha, z, near, log_b - log_x);
  const double r = w > 0 ? scaled_tail(w, z + mu, near, math::log(w) - 2 * log_x) : 0;
  // proof: fixed-size-curve
  const double error = (normal_error + (64 + 64 * size * (size + 1)) * u) * (p + q + r);
  return std::max(0.0, p - q - r) + error + 1e-300;
}

struct Replaced {
  double mu, weight;  // j mu, w_j
};

// How the batch is drawn. `rest` is the weight of more replacements, whose outputs count as if the attacker knew the
// record. All weights are rounded up, and the curve grows with each of them.
struct Draws {
  std::vector<Replaced> parts;
  double gamma, rest = 0;
};

Draws draws_of(double mu, double batch, double records, bool replaces, double tail) {
  Draws draws;
  if (!replaces) {
    draws.gamma = std::min(1.0, batch / records * (1 + 2 * u));  // proof: fixed-size-curve
    draws.parts.push_back({mu, draws.gamma});
    return draws;
  }
  // Binomial(batch, 1 / records): each weight from the one before, raised by its rounding; the attacker
  // is taken to know the rest.
  const double log_none = batch * math::log1p(-1 / records);
  draws.gamma = std::min(1.0, -math::expm1(log_none) * (1 + 16 * u));  // proof: fixed-size-curve
  double weight = math::exp(log_none) * (1 + (8 - 8 * log_none) * u);  // proof: fixed-size-curve
  for (double j = 1; j <= batch; ++j) {
    weight *= (batch - j + 1) / j / (records - 1) * (1 + 8 * u);  // proof: fixed-size-curve
    draws.parts.push_back({j * mu, weight});
    const double ratio = (batch - j) / (j + 1) / (records - 1);
    if (ratio < 0.5 && weight * 2 * ratio < tail * 1e-3) {
      draws.rest = weight * 2 * ratio;  // proof: fixed-size-curve
      break;
    }
  }
  return draws;
}

// Where the density Q_j lies at worst: at P_0, or half way from P_0 to P_j.
enum class Others { equal, opposite };

// The v with which E (P_j - v P_0 - alpha Q_j)_+ has its best event beyond c, measured from the mean of P_0; at least
// 0.
double even_at(Others others, double mu, double alpha, double c) {
  const double far = (others == Others::equal ? 1 : 2) * mu, exponent = far * (c - far / 2);
  if (exponent > 600) return infinity;
  return std::max(0.0, math::exp(exponent) - alpha * (others == Others::equal ? 1 : math::exp(mu * (c - mu / 2))));
}

// The v_j of the common point, which a bisection approaches from below; the bound holds for any v_j.
void set_even(const Draws& draws, Others others, double alpha, std::vector<double>& v) {
  const double most = (alpha - 1) * (1 - draws.gamma) * (1 - 8 * u);
  if (draws.parts.size() == 1) {
    v[0] = most / draws.gamma;
    return;
  }
  const auto taken = [&](double c) {
    double sum = 0;
    for (const Replaced& one : draws.parts) sum += one.weight * even_at(others, one.mu, alpha, c);
    return sum;
  };
  double high = draws.parts.front().mu;
  while (taken(high) < most && high < 1e300) high *= 2;
  const double low = halved(0, high, 40, 1e-9, [&](double c) { return taken(c) <= most; }).lower;
  // proof: fixed-size-curve
  const double scale = taken(low) <= most ? 1 - 16 * u * static_cast<double>(draws.parts.size()) : 0;
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double even = even_at(others, draws.parts[j].mu, alpha, low);
    v[j] = scale > 0 && even < infinity ? even * scale : 0;
  }
}

// Upper bounds where x > 600. With equal v_j the terms of equal other records are h_j(e^x); without v_j the terms of
// opposite other records are h_j(alpha).
void add_far(const Draws& draws, Others others, double step, double cells, double tail, HalfCurve& values) {
  double x = most_loss;
  const double log_gamma = math::log(draws.gamma);
  for (std::size_t k = 0; k < (1 << 20); ++k) {
    checkpoint_each<64>(k);
    x += std::max(step, std::sqrt(2 * x) / cells);  // the deviation of a normal loss of mean x
    const double log_alpha = (x + log_gamma) * (1 + 8 * u), at = others == Others::equal ? x : x + log_gamma;
    double sum = draws.rest;
    for (const auto& [mu, weight] : draws.parts) sum += weight * far_gaussian_above(mu, at * (1 - 4 * u));
    // proof: fixed-size-curve
    values.beyond.push_back({log_alpha, std::min(1.0, sum * (1 + (8 + static_cast<double>(draws.parts.size())) * u))});
    if (values.beyond.back().upper < std::max(tail, least_upper)) break;
  }
}

// Upper bounds at alpha = 1 + gamma (e^x - 1) for x = 0, step, 2 step, ..., to where they fall below `tail`; beyond
// e^600 they are given at log alpha. As functions of x the curves are as smooth as those of the noise alone.
HalfCurve values_above(const Draws& draws, Others others, double step, double cells, double tail) {
  HalfCurve values;
  std::vector<double> v(draws.parts.size());
  for (std::size_t k = 0; k < (1 << 20) && step * static_cast<double>(k) < most_loss; ++k) {
    checkpoint_each<64>(k);
    const double alpha = 1 + draws.gamma * math::expm1(step * static_cast<double>(k));
    set_even(draws, others, alpha, v);
    double sum = draws.rest;
    for (std::size_t j = 0; j < v.size(); ++j) {
      const auto [mu, weight] = draws.parts[j];
      sum += weight * (others == Others::equal ? gaussian_above(mu, alpha + v[j], 2 * u * (alpha + v[j]))
                                               : opposite_above(mu, alpha, v[j]));
    }
    values.near.alpha.push_back(alpha);
    values.near.upper.push_back(std::min(1.0, sum * (1 + (8 + static_cast<double>(draws.parts.size())) * u)));
    if (values.near.upper.back() < std::max(tail, least_upper)) return values;
  }
  add_far(draws, others, step, cells, tail, values);
  return values;
}

void check(double batch, double records, bool replaces) {
  // With replacement, so that no weight underflows.
  checked("batch_size", batch, {1, replaces ? 100 * records : records});
}

enum class Replacement { any, by_special, of_special };

template <Replacement replacement>
AtomicLaw above(Parameters p) {
  const double noise = p[0], batch = p[1], records = p[2], cells = p[4], tail = p[5];
  check(batch, records, p[3] != 0);
  const double mu = (replacement == Replacement::any ? 2 : 1) / noise * (1 + 2 * u);
  const Draws draws = draws_of(mu, batch, records, p[3] != 0, tail);
  const double gamma = draws.gamma, drawn = mu * std::max(1.0, batch / records);
  // Neighbouring points must be distinct.
  const double step = std::clamp(drawn / cells, 0x1p-46 / gamma, 0.25);
  const HalfCurve equal = values_above(draws, Others::equal, step, cells, tail);
  if (replacement == Replacement::any) return law_above(equal, equal);
  const HalfCurve opposite = values_above(draws, Others::opposite, step, cells, tail);
  return replacement == Replacement::by_special ? law_above(opposite, equal) : law_above(equal, opposite);
}

// The probabilities that the batch holds the position 0, 1, ... times, within 600 u of themselves: all of them, or
// those above 1e-80.
std::vector<double> times_held(double batch, double records, bool replaces) {
  if (!replaces) return {1 - batch / records, batch / records * (1 - 2 * u)};  // proof: parameter-rounding
  std::vector<double> weights{math::exp(batch * math::log1p(-1 / records))};
  for (double j = 1; j <= batch && weights.back() > 1e-80; ++j)
    weights.push_back(weights.back() * (batch - j + 1) / j / (records - 1));
  return weights;
}

// The law of the output, cut into cells, where each other record is the opposite of the record: the sum of w_j N(2 j
// mu) against that of w_j N(j mu).
AtomicLaw below(Parameters p) {
  const double noise = p[0], batch = p[1], records = p[2], tail = p[4];
  const bool replaces = p[3] != 0;
  checked("batch_size", batch, {1, records});
  const std::vector<double> weights = times_held(batch, records, replaces);
  // Beyond 16 masses underflow; more noise costs less.
  const double mean = std::min(replaces ? 4.0 : 16.0, 1 / noise * (1 - 4 * u));  // proof: parameter-rounding
  // All edges and means have at most 53 bits, so that their differences are exact.
  const double mu = std::floor(mean * 0x1p42) / 0x1p42;
  const double width = mu < 1 ? 0x1p-4 : mu < 4 ? 0x1p-5 : 0x1p-6;
  // Larger losses that are rarer than `tail` would cost the methods more time than they add to the answer.
  std::size_t most = 1;
  while (most + 1 < weights.size() && weights[most + 1] > tail) ++most;
  double reach = 9;
  while (reach > 1 && weights[most] * normal_tail(reach) < tail) reach -= 0.125;
  const auto number = static_cast<std::size_t>((9 + reach + 2 * static_cast<double>(most) * mu) / width);
  const double unlisted = replaces && static_cast<double>(weights.size()) <= batch ? 1e-79 : 0,
               smallest = unlisted > 0 ? 1e-60 : 1e-290;
  std::vector<LossAtom> atoms;
  for (std::size_t k = 0; k <= number + 1; ++k) {
    checkpoint_each<64>(k);
    const double a = k == 0 ? -infinity : -9 + width * static_cast<double>(k - 1);
    const double b = k > number ? infinity : -9 + width * static_cast<double>(k);
    double with = 0, without = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double shift = static_cast<double>(j) * mu;
      without += weights[j] * normal_interval(a - shift, b - shift);
      with += weights[j] * normal_interval(a - 2 * shift, b - 2 * shift);
    }
    if (with > smallest && without > smallest) atoms.push_back({math::log(with / without), with, without});
  }
  const double error = 2 * normal_error + (replaces ? 800 * u : 0) + unlisted / smallest;  // proof: fixed-size-curve
  return law_of_masses(std::move(atoms), error);
}

constexpr Parameter noise{"noise_multiplier", ranges::noise_multiplier}, batch{"batch_size", ranges::most_steps},
    records{"dataset_size", {2, 1e12, Range::Ends::closed, true}},
    replaces{"replacement", {0, 1, Range::Ends::closed, true}}, left_out{"tail", {1e-300, 1, Range::Ends::open_above}};
// Cells in a deviation of the loss; the tail is the mass left out at each end.
const std::vector<Parameter> parameters{noise, batch, records, replaces, parameter::cells, left_out};
const AtomicRegistration any(above<Replacement::any>, "fixed_size_above", parameters);
const AtomicRegistration by_special(above<Replacement::by_special>, "fixed_size_by_special_above", parameters);
const AtomicRegistration of_special(above<Replacement::of_special>, "fixed_size_of_special_above", parameters);
// The tail is the probability of large losses that may be merged into one.
const AtomicRegistration opposite(below, "fixed_size_special_below", {{noise, batch, records, replaces, left_out}});

}  // namespace
// Records c have the event beyond mu / 2 at a false positive rate that goes continuously from that of the least c to
// that of 1, and so does its power, which is larger by h(1).
double power_of_same_events(const FixedBatch& batch, double fpr) {
  const auto& [mu, rate, least, back] = batch;
  const double held = rate * normal_tail(mu / 2), away = (0.5 - least) * mu;
  const double first = held + (1 - rate) * normal_tail(back ? mu / 2 : away);
  const double last = held + (1 - rate) * normal_tail(back ? -away : -mu / 2);
  constexpr double error = 64 * u;  // proof: fixed-size-curve
  if (!(first + error <= fpr && fpr <= last - error)) return 0;
  const double gained = rate * normal_interval(-mu / 2, mu / 2) * (1 - 64 * u);  // proof: fixed-size-curve
  return (fpr + gained) * (1 - 2 * u);
}

}  // namespace hockeystick
