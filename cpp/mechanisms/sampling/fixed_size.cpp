// SPDX-License-Identifier: Apache-2.0
// A Gaussian mechanism on a batch of fixed size, drawn from the data, when a record is replaced: a pair above.
//
// With gamma the probability that the record is in the batch and h_j the curve of N(2 j / s) against N(0), which is
// that of j records replaced, every pair of neighbours satisfies for alpha >= 1
//     h(alpha) <= sum over j >= 1 of w_j h_j(1 + (alpha - 1) / gamma),
// w_j the probability that the batch holds the record j times (Balle, Barthe & Gaboardi 2018, Theorems 9 and 10). The
// reversed pair has the same bound, and h(alpha) = 1 - alpha + alpha h_reversed(1 / alpha). So one curve lies above
// both directions, as compositions need where an adversary changes direction from step to step.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "mechanisms/discrete/atomic_registration.hpp"
#include "mechanisms/sampling/curve_law.hpp"
#include "numeric/normal.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// Upper bound of the curve of N(mu, 1) against N(0, 1) at alpha >= 1, which is off by `off`. The tails are within
// normal_error; a relative error r of their argument x moves them by r x (x + 1) of themselves.
double gaussian_above(double mu, double alpha, double off) {
  const double x = std::log(alpha) / mu, near = x - mu / 2, far = x + mu / 2;
  const double p = normal_tail(near), q = normal_tail(far), size = std::fabs(x) + mu;
  // proof: fixed-size-curve
  const double error = (normal_error + (16 + 16 * size * (size + 1)) * u) * (p + alpha * q) + off * q * 1.01;
  return std::max(0.0, p - alpha * q) + error + 1e-300;
}

struct Replaced {
  double mu, weight;  // shift of the means, probability
};

// `rest`: the weight of more replacements, which may tell all.
EnclosedCurve curve_above(const std::vector<Replaced>& parts, double rest, double gamma, double interval, double tail) {
  EnclosedCurve result;
  std::vector<double> inner;  // at e^(k interval); beyond e^600 the last value goes on
  for (std::size_t k = 0; k < (1 << 22) && interval * static_cast<double>(k) < 600; ++k) {
    checkpoint_each<64>(k);
    const double alpha = std::exp(interval * static_cast<double>(k)), more = (alpha - 1) / gamma;
    double sum = rest;
    for (const Replaced& part : parts)
      sum += part.weight * gaussian_above(part.mu, 1 + more, 8 * u * (more + 1 / gamma));
    sum = std::min(1.0, sum * (1 + (8 + static_cast<double>(parts.size())) * u));
    inner.push_back(sum);
    if (sum < tail) break;
  }
  for (std::size_t k = inner.size(); k-- > 1;) {
    const double alpha = 1 / std::exp(interval * static_cast<double>(k));
    result.alpha.push_back(alpha);
    result.upper.push_back(std::min(1.0, 1 - alpha + alpha * inner[k] + 8 * u));  // proof: fixed-size-curve
  }
  for (std::size_t k = 0; k < inner.size(); ++k) {
    result.alpha.push_back(std::exp(interval * static_cast<double>(k)));
    result.upper.push_back(inner[k]);
  }
  for (const double alpha : result.alpha) result.lower.push_back(std::max(0.0, 1 - alpha));
  return result;
}

AtomicLaw above(Parameters p) {
  const double noise = p[0], batch = p[1], records = p[2], replaces = p[3], cells = p[4], tail = p[5];
  if (!(noise >= 1e-3 && noise <= 1e12)) throw std::invalid_argument("noise multiplier must be in [0.001, 1e12]");
  const auto is_count = [](double x) { return x >= 1 && x <= 1e12 && std::floor(x) == x; };
  if (!is_count(records) || records < 2) throw std::invalid_argument("records must be a whole number in [2, 1e12]");
  if (!is_count(batch) || (replaces == 0 && batch > records))
    throw std::invalid_argument("batch size must be a whole number in [1, records]");
  // So that no weight underflows.
  if (batch > 100 * records) throw std::invalid_argument("batch size must be at most 100 times the records");
  if (!(cells >= 1 && cells <= 1e4)) throw std::invalid_argument("cells must be in [1, 1e4]");
  if (!(tail >= 1e-300 && tail < 1)) throw std::invalid_argument("tail must be in [1e-300, 1)");
  const double shift = 2 / noise * (1 + 2 * u);
  std::vector<Replaced> parts;
  double gamma, rest = 0;
  if (replaces == 0) {
    gamma = std::min(1.0, batch / records * (1 + 2 * u));
    parts.push_back({shift, gamma});
  } else {
    // Binomial(batch, 1 / records): each weight from the one before, raised by its rounding; what is beyond the last
    // counts as told.
    const double log_none = batch * std::log1p(-1 / records);
    gamma = std::min(1.0, -std::expm1(log_none) * (1 + 16 * u));
    double weight = std::exp(log_none) * (1 + (8 - 8 * log_none) * u);
    for (double j = 1; j <= batch; ++j) {
      weight *= (batch - j + 1) / j / (records - 1) * (1 + 8 * u);
      parts.push_back({j * shift, weight});
      const double ratio = (batch - j) / (j + 1) / (records - 1);
      if (ratio < 0.5 && weight * 2 * ratio < tail * 1e-3) {
        rest = weight * 2 * ratio;
        break;
      }
    }
  }
  const double drawn = shift * std::max(1.0, batch / records);
  const double deviation = gamma * std::sqrt(std::expm1(std::min(drawn * drawn, 100.0)));
  // Below 2^-46 neighbouring points would not be distinct.
  return law_above(curve_above(parts, rest, gamma, std::clamp(deviation / cells, 0x1p-46, 0.25), tail));
}

// Parameters: noise multiplier, batch size, records, 1 if drawn with replacement, cells in a deviation of the loss,
// mass left out at each end.
const AtomicRegistration<above> registration("fixed_size_above", 6);

}  // namespace
}  // namespace hockeystick
