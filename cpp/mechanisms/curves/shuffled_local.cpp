// SPDX-License-Identifier: Apache-2.0
// The shuffle model: n users send the outputs of epsilon0-locally private randomizers in random order. The file has
// pairs that dominate the outputs before and after one user changes her value, and pairs that such users attain
// (cpp/proofs/shuffled-local.md). For n independent copies of Z,
//     h(alpha) <= E (Z_1 + ... + Z_n)_+ / n.
#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/three_valued_sum.hpp"

namespace hockeystick {
namespace {

constexpr double least_part = 1e-5;  // of the tail: what windows leave out

enum Randomizer { any, adaptive, k_ary, laplace };

// Z is scale (e - alpha) or scale (1 - alpha e), with probability ends / 2 each; third (1 - alpha) with probability
// `same`, where the output shows only that it is this user's; else 0. e = 1 + lead.
struct Blanket {
  double lead, scale, ends, third, same, nothing;

  ThreeValues at(double alpha) const {
    const double more = alpha - 1;
    return {scale * (lead - more), -scale * (more + lead + more * lead), -third * more};
  }
};

// The published laws and, with choices or noise, sharper ones. The probabilities are sums of positive terms.
Blanket blanket_of(double epsilon, int randomizer, double k) {
  const double lead = math::expm1(epsilon), e = math::exp(epsilon);
  if (randomizer == adaptive) return {lead, 2 * e / (1 + e), 1 / e, 0, 0, -math::expm1(-epsilon)};
  if (randomizer == any || (randomizer == k_ary && k == 2)) return {lead, 1, 2 / (1 + e), 0, 0, lead / (1 + e)};
  if (randomizer == k_ary) {
    const double all = lead + k;
    return {lead, 1, 2 / all, 1, (k - 2) / all, lead / all};
  }
  const double root = math::exp(epsilon / 2), less = math::expm1(epsilon / 2) / (root * (root + 1));
  return {lead, 1, 2 / (root * (root + 1)), e, less / (root * root), less * (root + 1 - math::expm1(-epsilon))};
}

// The mean, over the number of copies of Z that have the third value, of the curves given that number: a sum over all
// numbers, or a bound by a normal variable, which is larger in convex order and needs few places.
class CurveAbove {
 public:
  CurveAbove(double n, const Blanket& blanket, double cut) : users_(n), blanket_(blanket), same_(1, 0.5, 0.5, 0) {
    const auto& [lead, scale, ends, third, same, nothing] = blanket;
    if (same == 0) {
      sums_.push_back(ThreeValuedSum::even(n, ends, nothing, cut));
      return;
    }
    same_ = LikelyCounts(n, same, ends + nothing, cut);
    const double numbers = static_cast<double>(same_.weights.size());
    if (numbers * std::sqrt(n * ends) < most_numbers) {
      for (double j = same_.first; j < std::min(n, same_.first + numbers); ++j)
        sums_.push_back(ThreeValuedSum::even(n - j, ends / (ends + nothing), nothing / (ends + nothing), cut));
    } else {
      sums_.push_back(ThreeValuedSum::even(n, ends, same + nothing, cut));
      spread(same / (same + nothing), nothing / (same + nothing), cut);
    }
  }

  double at(double alpha) const {
    ThreeValues values = blanket_.at(alpha);
    if (blanket_.same == 0) return sums_.front().positive_part(values).upper;
    double sum = 0;
    if (!places_.empty()) {
      const double third = -values.rest * deviation_;
      values.rest *= part_;
      for (const auto& [place, mass] : places_) sum += mass * sums_.front().positive_part(values, third * place).upper;
      return (sum + third * beyond_ / users_) * (1 + 64 * u);  // proof: shuffled-local
    }
    const double third = values.rest;
    values.rest = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const double j = same_.first + static_cast<double>(i), others = users_ - j;
      sum += same_.weights[i] * others * sums_[i].positive_part(values, third * j).upper;
    }
    const double left_out = same_.below + same_.above;  // where each of the users adds `gain` at most
    // proof: shuffled-local
    return (sum / users_ * (1 + same_.error) + values.gain * left_out) * (1 + (8 + numbers()) * u);
  }

 private:
  static constexpr double most_numbers =
      4e3;  // pairs of numbers: of some hundred users, for whom it gains up to 5 % of epsilon
  // Of the normal variable's places, in its deviations: 1, or as far apart as adds about this part of the sum's
  // variance where curves are 6 deviations of the loss from 0, as that is where deltas of 1e-8 are. Twice as much adds
  // 3e-4 of epsilon at most, and half as much saves no more.
  static constexpr double added = 1e-4;

  struct Place {
    double at, mass;
  };

  double numbers() const { return 2 * static_cast<double>(sums_.size()); }

  // A centred number of successes is below a normal variable of this deviation in convex order.
  void spread(double part, double other, double cut) {
    part_ = part;
    const double at = upper_normal_quantile(part).upper;
    deviation_ = part * other / normal_pdf(at) * std::sqrt(users_) * (1 + 1e-9);  // proof: shuffled-local
    // Of the variable's deviation at alpha = 1 + x, x 6 deviations of the loss, in those of the sum.
    const double share = 6 * blanket_.third * deviation_ / users_, farthest = upper_normal_quantile(cut).upper;
    const double spacing = std::min(std::max(1.0, std::sqrt(6 * added) / share), farthest);
    const double last = std::ceil(farthest / spacing);
    const auto size = static_cast<std::size_t>(2 * last) + 1;
    places_.resize(size);
    for (std::size_t i = 0; i < size; ++i) places_[i] = {spacing * (static_cast<double>(i) - last), 0};
    for (std::size_t i = 0; i + 1 < size; ++i) {
      const double low = places_[i].at, high = places_[i + 1].at;
      const double mass = normal_interval(low, high), mean = normal_pdf(low) - normal_pdf(high);
      const double error = 1e-13 * (normal_pdf(low) + normal_pdf(high) + mass);  // proof: shuffled-local
      places_[i].mass += std::max(0.0, high * mass - mean + error) / (high - low);
      places_[i + 1].mass += std::max(0.0, mean - low * mass + error) / (high - low);
    }
    const double tail = normal_tail(last * spacing) * (1 + 1e-13);
    places_.front().mass += tail, places_.back().mass += tail;  // proof: shuffled-local
    beyond_ = normal_pdf(last * spacing) * (1 + 1e-13);         // proof: shuffled-local
  }

  double users_;
  Blanket blanket_;
  LikelyCounts same_;
  std::vector<ThreeValuedSum> sums_;  // one, or one for each number
  std::vector<Place> places_;
  double part_ = 0, deviation_ = 0, beyond_ = 0;
};

// Points at losses 0, step and so on, to where the curve falls to the tail, or to the largest loss, where it is 0.
template <class Value>
EnclosedCurve half_curve(double largest, double step, double tail, const Value& value) {
  EnclosedCurve half;
  for (std::size_t k = 0;; ++k) {
    checkpoint();
    const double loss = step * static_cast<double>(k);
    const bool is_last = loss >= largest;
    half.alpha.push_back(is_last ? math::exp(largest) * (1 + 64 * u) : 1 + math::expm1(loss));
    const auto [lower, upper] = is_last ? Interval{0, 0} : value(half.alpha.back());
    half.lower.push_back(lower), half.upper.push_back(std::min(1.0, upper));
    if (is_last || upper < tail) return half;
  }
}

// A deviation of the loss, about, is that of the mean of Z.
double step_of(double epsilon, double n, double square, double cells) {
  return std::min(epsilon, std::sqrt(square / n)) / cells;
}

AtomicLaw above(Parameters p) {
  const double epsilon = p[0], n = p[1], cells = p[4], tail = p[5];
  const Blanket blanket = blanket_of(epsilon, static_cast<int>(p[2]), p[3]);
  const CurveAbove curve(n, blanket, least_part * tail);
  const double end = blanket.scale * blanket.lead, step = step_of(epsilon, n, blanket.ends * end * end, cells);
  const EnclosedCurve half =
      half_curve(epsilon, step, tail, [&](double alpha) { return Interval{0, curve.at(alpha)}; });
  return law_above(whole_curve(half, half));
}

// What users attain who all hold a third value of k-ary response.
AtomicLaw third_below(Parameters p) {
  const double epsilon = p[0], n = p[1], k = p[2], cells = p[3], tail = p[4];
  const double lead = math::expm1(epsilon), all = lead + k, others = lead + k - 2;
  const Blanket blanket{lead, 1, 2 / all, (k - 2) / others, 0, others / all};
  const ThreeValuedSum sum = ThreeValuedSum::even(n, blanket.ends, blanket.nothing, least_part * tail);
  const EnclosedCurve half = half_curve(epsilon, step_of(epsilon, n, blanket.ends * lead * lead, cells), tail,
                                        [&](double alpha) { return sum.positive_part(blanket.at(alpha)); });
  return law_below(whole_curve(half, half));
}

// Two cells, of which the user's first value is in one with probability high + moved, and her second one, which all
// others hold, with high.
struct TwoCells {
  double moved, high, low;
};

// Whether outputs of Laplace noise on 0, against 1, are below some place in [0, 1/2]: the one that tells most.
TwoCells two_cells(double epsilon, bool is_laplace) {
  const double e = math::exp(epsilon), lead = math::expm1(epsilon);
  if (!is_laplace) return {lead / (1 + e), 1 / (1 + e), e / (1 + e)};
  TwoCells best{0, 1, 1};
  for (const double place : {0.0, 0.0625, 0.125, 0.25, 0.5}) {
    const double far = math::expm1(-epsilon * (1 - place)), high = 0.5 * math::exp(-epsilon * (1 - place));
    const TwoCells cells{-0.5 * (math::expm1(-epsilon * place) + far), high, 0.5 * (1 - far)};
    if (cells.moved * cells.moved / (cells.high * cells.low) > best.moved * best.moved / (best.high * best.low))
      best = cells;
  }
  return best;
}

AtomicLaw second_below(Parameters p) {
  const double epsilon = p[0], n = p[1], cells = p[3], tail = p[4];
  const TwoCells two = two_cells(epsilon, p[2] != 0);
  const double up = two.moved / two.high, down = two.moved / two.low, step = step_of(epsilon, n, up * down, cells);
  const auto forth = ThreeValuedSum::of_two(n, two.high, two.low);
  const auto back = ThreeValuedSum::of_two(n, two.low, two.high);
  const auto value = [](const ThreeValuedSum& sum, const ThreeValues& values) {
    return values.gain > 0 ? sum.positive_part(values) : Interval{0, 0};
  };
  const EnclosedCurve half = half_curve(math::log1p(up), step, tail, [&](double alpha) {
    return value(forth, {up - (alpha - 1), -(down + (alpha - 1)), 0});
  });
  const EnclosedCurve reverse = half_curve(-math::log1p(-down), step, tail, [&](double alpha) {
    return value(back, {alpha * down - (alpha - 1), -(alpha * up + (alpha - 1)), 0});
  });
  return law_below(whole_curve(half, reverse));
}

constexpr Range either{0, 1, Range::Ends::closed, true}, number{1, 1e9, Range::Ends::closed, true};
constexpr Parameter locally{"epsilon0", {1e-6, 50}}, users{"users", number}, choices{"choices", number};
constexpr Parameter randomizers{"randomizer", {0, 3, Range::Ends::closed, true}};
constexpr Parameter to_tail{"tail", {1e-280, 1, Range::Ends::open_above}};
const AtomicRegistration registration_above(above, "shuffled_local_above",
                                            {{locally, users, randomizers, choices, parameter::cells, to_tail}});
const AtomicRegistration registration_third(third_below, "shuffled_third_below",
                                            {{locally, users, choices, parameter::cells, to_tail}});
const AtomicRegistration registration_second(second_below, "shuffled_second_below",
                                             {{locally, users, {"laplace", either}, parameter::cells, to_tail}});

}  // namespace
}  // namespace hockeystick
