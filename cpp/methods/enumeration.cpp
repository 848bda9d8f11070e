// SPDX-License-Identifier: Apache-2.0
#include "methods/enumeration.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/order.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"
#include "plan/cost.hpp"

namespace hockeystick {
namespace {

constexpr double most_sums = 0x1p20;

// Number of ways to spread `count` steps over `atoms`: C(count + atoms - 1, atoms - 1); inf if there are too many.
double ways(double count, double atoms) {
  const double few = std::min(count, atoms - 1), many = std::max(count, atoms - 1);
  double product = 1;
  for (double k = 1; k <= few; ++k) {
    product *= (many + k) / k;
    if (product > 2 * most_sums) return infinity;
  }
  return product;
}

// mantissa 2^exponent: factorials and powers neither overflow nor underflow.
struct Scaled {
  double mantissa = 1;
  int exponent = 0;

  Scaled times(double factor) const {
    int shift = 0;
    const double product = std::frexp(mantissa * factor, &shift);
    return {product, exponent + shift};
  }
  Scaled times(const Scaled& other) const {
    Scaled product = times(other.mantissa);
    product.exponent += other.exponent;
    return product;
  }
  double value() const { return std::ldexp(mantissa, exponent); }
};

// A sum of losses with its rounding, and its mass.
struct Path {
  TwoParts loss{0, 0};
  Scaled mass;
};

// The sums of losses of `count` steps, one for each way to spread them over the atoms.
class Spread {
 public:
  Spread(std::span<const Atom> atoms, std::size_t count)
      : atoms_(atoms), row_(count + 1), powers_(atoms.size() * row_) {
    for (std::size_t j = 0; j < atoms.size(); ++j)
      for (std::size_t k = 1, at = j * row_ + 1; k <= count; ++k, ++at)
        powers_[at] = powers_[at - 1].times(atoms[j].mass).times(1 / static_cast<double>(k));
    Path all;
    for (std::size_t k = 2; k <= count; ++k) all.mass = all.mass.times(static_cast<double>(k));
    go(0, count, all);
  }

  std::vector<Path> paths;

 private:
  void go(std::size_t first, std::size_t left, const Path& path) {
    for (std::size_t j = first; j < atoms_.size(); ++j) {
      for (std::size_t k = j + 1 < atoms_.size() ? 1 : left; k <= left; ++k) {
        checkpoint_each<4096>(paths.size());
        const auto [product, product_error] = two_product(static_cast<double>(k), atoms_[j].loss);
        const auto [sum, sum_error] = two_sum(path.loss.value, product);
        const Path next{{sum, path.loss.error + std::fabs(product_error) + std::fabs(sum_error)},
                        path.mass.times(powers_[j * row_ + k])};
        if (k == left)
          paths.push_back(next);
        else
          go(j + 1, left - k, next);
      }
    }
  }

  std::span<const Atom> atoms_;
  std::size_t row_;
  std::vector<Scaled> powers_;  // mass^k / k!, a row for each atom
};

}  // namespace

std::optional<Enumeration::Size> Enumeration::size_of(const Direction& direction) {
  double size = 1, powers = 0;
  for (const Term& term : direction) {
    const auto law = term.pair->finite_law();
    if (!law || law->atoms.empty()) return std::nullopt;
    const auto count = static_cast<double>(term.count), atoms = static_cast<double>(law->atoms.size());
    size *= ways(count, atoms);
    powers += (count + 1) * atoms;
    if (size > most_sums || powers > 4 * most_sums) return std::nullopt;
  }
  return Size{size, size * cost::sum_bytes + powers * sizeof(Scaled)};
}

std::optional<Enumeration> Enumeration::of(const Direction& direction, double memory) {
  const auto size = size_of(direction);
  if (!size || size->bytes > memory) return std::nullopt;
  Enumeration sums;
  sums.room_ = Held(size->bytes);
  for (const Term& term : direction) sums.add(*term.pair->finite_law(), static_cast<double>(term.count));
  sums.sort();
  return sums;
}

// Errors of masses: n times the law's error, and roundings of n masses, 2 n divisors, n factors of n!, one product for
// each atom, and the product with the other terms.
void Enumeration::add(const FiniteLaw& law, double count) {
  const Spread spread(law.atoms, static_cast<std::size_t>(count));
  double lost = 0;
  std::vector<Sum> all;
  all.reserve(sums_.size() * spread.paths.size());
  for (const Sum& sum : sums_) {
    for (const Path& path : spread.paths) {
      checkpoint_each<8192>(all.size());
      const auto [loss, error] = two_sum(sum.loss, path.loss.value);
      lost = std::max(lost, std::fabs(error) + path.loss.error);
      all.push_back({loss, path.mass.times(sum.mass).value()});
    }
  }
  sums_ = std::move(all);
  mass_error_ += count * law.mass_error * (1 + 1e-9) + gamma(5 * count + 8);  // proof: enumeration
  loss_error_ += (lost + count * law.loss_error) * (1 + 8 * u);               // proof: enumeration
  infinite_.add(law.infinity_mass_lower, (law.infinity_mass + law.cut) * (1 + u), count);
  complete_ = complete_ && law.cut == 0;
}

void Enumeration::sort() {
  sort_by(sums_, &Sum::loss);
  beyond_.assign(sums_.size() + 1, 0.0);
  CompensatedSum sum;
  for (std::size_t k = sums_.size(); k-- > 0;) {
    sum.add(sums_[k].mass);
    beyond_[k] = sum.value();
  }
  mass_error_ = 1.01 * mass_error_ + 8 * u;
}

// Bounds of the mass of the sums from k on and of infinite losses. 1e-307 covers underflow.
double Enumeration::mass_above(std::size_t k) const {
  const double finite = beyond_[k] > 0 || k < sums_.size() ? beyond_[k] * (1 + mass_error_) + 1e-307 : 0.0;
  return std::min(1.0, (finite + infinite_.upper()) * (1 + 4 * u));  // proof: enumeration
}

double Enumeration::mass_below(std::size_t k) const {
  const double finite = std::max(0.0, beyond_[k] * (1 - mass_error_) - 1e-307);
  return lowered(finite + infinite_.lower(), 4 * u);  // proof: enumeration
}

Interval Enumeration::tail(double epsilon) const {
  const auto above = [&](double loss) {
    const auto first =
        std::upper_bound(sums_.begin(), sums_.end(), loss, [](double x, const Sum& sum) { return x < sum.loss; });
    return static_cast<std::size_t>(first - sums_.begin());
  };
  if (loss_error_ == 0) return {mass_below(above(epsilon)), mass_above(above(epsilon))};
  return {mass_below(above(up(epsilon + loss_error_))), mass_above(above(down(epsilon - loss_error_)))};
}

// Sum of m (1 - e^(epsilon - l)) over the sums l > epsilon, within 8 u and the error of masses.
double Enumeration::gained(double epsilon) const {
  CompensatedSum sum;
  for (std::size_t k = sums_.size(); k-- > 0 && sums_[k].loss > epsilon;) {
    checkpoint_each<8192>(k);
    sum.add(sums_[k].mass * -math::expm1(epsilon - sums_[k].loss));
  }
  return sum.value();
}

Interval Enumeration::delta(double epsilon) const {
  const bool exact = loss_error_ == 0;
  const double error = mass_error_ + 16 * u;  // proof: enumeration
  const double low = gained(exact ? epsilon : up(epsilon + loss_error_));
  const double before = exact ? epsilon : down(epsilon - loss_error_), high = gained(before);
  const double none_below = mass_below(sums_.size()), none_above = mass_above(sums_.size());
  return {(std::max(0.0, low * (1 - error) - 1e-307) + none_below) * (1 - 4 * u),
          std::min(1.0, ((sums_.back().loss > before ? high * (1 + error) + 1e-307 : 0.0) + none_above) * (1 + 4 * u))};
}

Interval Enumeration::epsilon(double delta) const {
  const double most = std::max(0.0, up(sums_.back().loss + loss_error_));
  Interval found{0, infinity};
  if (this->delta(0).upper <= delta) return {0, 0};
  if (this->delta(most).upper <= delta)
    found.upper = halved(0, most, 60, 0, [&](double at) { return this->delta(at).upper > delta; }).upper;
  if (this->delta(0).lower > delta)
    found.lower = halved(0, most, 60, 0, [&](double at) { return this->delta(at).lower > delta; }).lower;
  return found;
}

// P(L > t) is at most the goal from the first sum on beyond which the mass is at most the goal; it is more than the
// goal before any sum whose mass from there on is more.
Interval Enumeration::quantile(double low, double high) const {
  std::size_t from = 0, size = sums_.size();  // the first k with mass_above(k + 1) <= low
  for (std::size_t end = size; from < end;) {
    const std::size_t middle = from + (end - from) / 2;
    if (mass_above(middle + 1) <= low)
      end = middle;
    else
      from = middle + 1;
  }
  std::size_t more = 0;  // the first k with mass_below(k) <= high
  for (std::size_t end = size; more < end;) {
    const std::size_t middle = more + (end - more) / 2;
    if (mass_below(middle) > high)
      more = middle + 1;
    else
      end = middle;
  }
  const auto outward = [&](double loss, double sign) {
    return loss_error_ == 0 ? loss : sign > 0 ? up(loss + loss_error_) : down(loss - loss_error_);
  };
  Interval found{complete_ ? outward(sums_.front().loss, -1) : -infinity, infinity};
  if (more > 0) found.lower = outward(sums_[more - 1].loss, -1);
  if (mass_below(size) > high) found.lower = infinity;
  if (from < size) found.upper = outward(sums_[from].loss, 1);
  return found;
}

Answer Enumeration::answer(Quantity quantity, double at, double) const {
  const Interval found = quantity == Quantity::epsilon ? epsilon(at) : delta(at);
  Answer result = enclosed(found, "enumeration");
  const auto [below, above] = delta(quantity == Quantity::epsilon ? found.upper : at);
  result.rounding = above - below;
  result.size = size();
  return result;
}

namespace {

constexpr double most_bytes = 0x1p20;
constexpr std::string_view not_few_sums = "losses are not few sums of atoms";

// If delta is close to the mass at +inf, no grid is fine enough, but the listed sums are.
class ByEnumeration final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (is_done_) return {.obstacle = size_ ? "rounding" : not_few_sums};
    if (task_.runs_once() && !task_.is_named()) return {.obstacle = "one step is integrated as it is"};
    if (!task_.is_bounded && !task_.is_named()) return {.obstacle = "the trivial bounds come first"};
    if (!size_) {
      const auto size = Enumeration::size_of(task_.terms());
      is_done_ = !size;
      if (is_done_) return {.obstacle = not_few_sums};
      size_ = *size;
    }
    if (size_->bytes > std::min(most_bytes, task_.limits.memory())) return {.obstacle = "memory_limit"};
    return {tuning::sum * size_->sums, size_->bytes, 1e-9, {}};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    return std::make_shared<Enumeration>(*Enumeration::of(task_.terms(), infinity));
  }

 private:
  std::optional<Enumeration::Size> size_;
};

}  // namespace

std::unique_ptr<Method> enumeration(Task& task) { return std::make_unique<ByEnumeration>(task); }

}  // namespace hockeystick
