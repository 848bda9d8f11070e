// SPDX-License-Identifier: Apache-2.0
// With m = eps / mu, h = mu / 2, a = m - h, b = m + h and R = T / phi the Mills ratio, e^eps phi(b) = phi(a), so that
//     delta = phi(a) (R(a) - R(b)) = T(a) - phi(a) R(b).
// Where h and h m are small the difference cancels. There R is expanded about m: with
// M_k = (-1)^k R^(k)(m) = integral over y > 0 of y^k e^(-m y - y^2/2) > 0, M_0 = R, M_1 = 1 - m M_0 and
// M_(k+1) = k M_(k-1) - m M_k,
//     R(a) - R(b) = 2 sum over odd k of M_k h^k / k!.
// M_(k+2) / M_k falls with m, from k + 1 at m = 0, so that each term is below h^2 / (k + 2) of the one before it.
//
// cpp/proofs/gaussian-formula.md proves the constants.
#include "methods/closed_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/gaussian/gaussian.hpp"
#include "methods/method.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/sum.hpp"
#include "plan/cost.hpp"

namespace hockeystick {
namespace {

constexpr double farthest = 37;                         // of the arguments of the kernel of normal tails
constexpr double far = 20;                              // asymptotic series are exact to rounding from here on
constexpr double least_mu = 1e-100, largest_mu = 1e12;  // between them a is known to 1e-18
constexpr double mills_error = 40 * u;                  // of `mills`, relatively
constexpr double hidden = 1e-307;                       // by underflow

/// Upper normal tails of two numbers in [0, 37].
std::array<double, 8> tails(double x, double y) {
  std::array<double, 8> result;
  result.fill(x);
  result[1] = y;
  default_fft_kernel().normal_tails(result.data(), result.size());
  return result;
}

/// 1 - x R(x) for x >= 20 within 10 u, relatively: ten terms of its asymptotic series, which alternate.
double mills_defect(double x) {
  const double s = 1 / (x * x);
  double sum = 1;
  for (int k = 19; k >= 3; k -= 2) sum = 1 - k * s * sum;
  return s * sum;
}

/// R(x) = T(x) / phi(x) for x >= 0, `tail` being T(x) for x < 20.
double mills(double x, double tail) { return x < far ? tail / normal_pdf(x) : (1 - mills_defect(x)) / x; }

/// R(m - h) - R(m + h) by its series.
Ball mills_difference(double m, double h, double mills_ratio) {
  double before = mills_ratio, moment = m < far ? 1 - m * before : mills_defect(m), power = h;
  double error_before = mills_error * before;                                              // proof: gaussian-formula
  double error = m < far ? m * error_before + 3 * u * (1 + m * before) : 10 * u * moment;  // proof: gaussian-formula
  Ball sum{0, 0};
  constexpr int last = 13;
  for (int k = 1;; ++k) {
    if (k % 2 == 1) {
      sum.value += moment * power;
      sum.error += error * power;
      if (k == last) break;
      power *= h * h / ((k + 1) * (k + 2));
    }
    const double next = k * before - m * moment;
    const double rounding = 3 * u * (k * before + m * std::fabs(moment));  // proof: gaussian-formula
    const double next_error = k * error_before + m * error + rounding;
    before = moment, moment = next;
    error_before = error, error = next_error;
  }
  const double rest = (std::fabs(moment) + error) * power * h * h / (last + 2) * 1.02;  // proof: gaussian-formula
  return {2 * sum.value, 2 * (sum.error + rest + 40 * u * sum.value)};                  // proof: gaussian-formula
}

}  // namespace

Interval GaussianCurve::Point::interval() const { return {std::max(0.0, value - error), std::min(1.0, value + error)}; }

GaussianCurve::Point GaussianCurve::at(double epsilon) const {
  constexpr Point unknown{0.5, 1, 0};
  const double m = epsilon / mu_, h = mu_ / 2;
  const double rest = exact_remainder(epsilon, m, mu_) / mu_;  // epsilon / mu is m + rest
  const auto [near, lost] = two_sum(m, -h);
  const auto [a, low] = two_sum(near, lost + rest);
  const double place_error = 1.01 * mu_error_ * (m + h);  // of a
  if (!(mu_ >= least_mu && mu_ <= largest_mu && a <= farthest && place_error * (std::fabs(a) + 1) <= 0.01))
    return unknown;
  if (a < -farthest) return {1, 4 * u, 0};
  const double density = LocalDensity(a, -low).base, b = m + h;
  const bool series = h <= 0.25 && (m >= far || h * m <= 2);
  const double x = series ? m : std::fabs(a);
  const auto tail = tails(std::min(x, farthest), std::min(b, farthest));
  Point point{};
  point.slope = density * mills(b, tail[1]);
  if (series) {
    const Ball difference = mills_difference(m, h, mills(m, tail[0]));
    point.value = density * difference.value;
    point.error = density * difference.error + 40 * u * point.value;  // proof: gaussian-formula
  } else {
    const double moved = tail[0] * (1 - a * low), first = a < 0 ? 1 - moved : moved;
    point.value = first - point.slope;
    point.error = 50 * u * (moved + 2 * point.slope) + 4 * u * first;  // proof: gaussian-formula
  }
  point.error += 1.02 * density * mu_ * mu_error_ + hidden;  // d delta / d mu = phi(a); proof: gaussian-formula
  return point;
}

Interval GaussianCurve::delta(double epsilon) const { return at(epsilon).interval(); }

// log delta is concave in epsilon, so that Newton's method stays on the right of the root from there.
Interval GaussianCurve::epsilon(double delta) const {
  const double square = 2 * std::min(-math::log(2 * delta), math::log(mu_ / (2.5 * delta)));
  double epsilon = std::max(0.0, mu_ * (mu_ / 2 + (square > 0 ? std::min(std::sqrt(square), farthest - 0.01) : 0.0)));
  Point point = at(epsilon);
  for (int i = 0; i < 60 && point.slope > 0 && point.value > 0; ++i) {
    const double step = math::log(point.value / delta) * point.value / point.slope;
    const double next = std::max(0.0, epsilon + step);
    const bool close = std::fabs(next - epsilon) <= 1e-14 * epsilon + 0.1 * point.error / point.slope;
    if (next != epsilon) point = at(epsilon = next);
    if (close || next == 0) break;
  }
  Interval result{0, infinity};
  if (!(point.slope > 0)) return result;
  if (epsilon == 0 && point.interval().upper <= delta) return {0, 0};
  const double width = 1.5 * point.error / point.slope + 4 * u * epsilon;
  constexpr int tries = 8;
  double away = width;
  for (int i = 0; i < tries && std::isinf(result.upper); ++i, away *= 4)
    if (at(epsilon + away).interval().upper <= delta) result.upper = epsilon + away;
  away = width;
  for (int i = 0; i < tries && away < epsilon && result.lower == 0; ++i, away *= 4)
    if (at(epsilon - away).interval().lower > delta) result.lower = epsilon - away;
  return result;
}

namespace {

class ClosedForm final : public Evaluator {
 public:
  ClosedForm(double mu, double mu_error) : mu_(mu), mu_error_(mu_error), curve_(mu, mu_error) {}

  Answer answer(Quantity quantity, double at, double) const override {
    const bool wants_epsilon = quantity == Quantity::epsilon;
    Answer result = enclosed(wants_epsilon ? curve_.epsilon(at) : curve_.delta(at), "closed_form");
    const Interval there = wants_epsilon ? curve_.delta(result.upper) : Interval{result.lower, result.upper};
    result.rounding = there.upper - there.lower;
    return result;
  }

  // mu of all is a root of a sum of squares, relatively no further off than the worst of them, and the rounding of the
  // merging.
  std::shared_ptr<const Evaluator> grown(const Direction& more) const override {
    Direction all = more;
    all.push_back({gaussian_pair(mu_, mu_error_), 1});
    const MergedDirection merged = merge_gaussians(all);
    if (!merged.only_gaussian) return nullptr;
    return std::make_shared<ClosedForm>(merged.mu, mu_error_ + merged.mu_error);  // proof: parameter-rounding
  }

 private:
  double mu_, mu_error_;
  GaussianCurve curve_;
};

class ByClosedForm final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (!task_.run.only_gaussian) return {.obstacle = "not all steps are plain Gaussians"};
    if (is_done_) return {.obstacle = "delta is next to underflow"};
    return {.cost = tuning::line, .width = 1e-9};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    return std::make_shared<ClosedForm>(task_.run.mu, task_.run.mu_error);
  }
};

}  // namespace

std::unique_ptr<Method> closed_form(Task& task) { return std::make_unique<ByClosedForm>(task); }

}  // namespace hockeystick
