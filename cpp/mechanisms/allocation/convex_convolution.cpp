// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/convex_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

using Index = std::int64_t;
constexpr Index block = diagonal_block;
constexpr std::size_t chunk = 32;  // diagonals in a partial sum
constexpr double least_factor = 1e-300;
constexpr double farthest_shift = 0x1p52;

// An array with zeros around it.
struct Padded {
  std::vector<double> values;
  explicit Padded(const std::vector<double>& x) : values(x.size() + 2 * diagonal_block) {
    std::copy(x.begin(), x.end(), values.begin() + block);
  }
};

// A law as a factor of products: sums over 2^k values from each one down, of their Q-masses q and of q R / e^(grid) of
// the first, in the unit, for k = 0, 1, ...
class Factor {
 public:
  struct Window {
    std::vector<double> q, moment;
  };

  explicit Factor(const GridLaw& law) : spacing_(law.spacing) {
    Window one{std::vector<double>(law.mass.size()), law.moment};
    std::vector<double>& q = one.q;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = -0.5 * law.log_value(law.first + static_cast<Index>(i));
    exponentials(q);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double from = q[i];
      q[i] *= law.mass[i];
      if (q[i] < least_factor) q[i] = 0;  // proof: convex-convolution
      if (!one.moment.empty()) one.moment[i] = q[i] > 0 ? law.moment[i] * from : 0;
    }
    if (one.moment.empty()) one.moment = q;
    windows_.push_back(std::move(one));
  }

  const Window& one() const { return windows_.front(); }
  std::size_t levels() const { return windows_.size() - 1; }

  const Window& of(std::size_t level) {
    while (windows_.size() <= level) {
      const Window& half = windows_.back();
      const std::size_t apart = std::size_t{1} << (windows_.size() - 1), n = half.q.size();
      const double decay = math::exp(-static_cast<double>(apart) * spacing_);
      Window both{std::vector<double>(n + apart), std::vector<double>(n + apart)};
      std::copy(half.q.begin(), half.q.end(), both.q.begin());
      std::copy(half.moment.begin(), half.moment.end(), both.moment.begin());
      for (std::size_t i = 0; i < n; ++i) {
        both.q[i + apart] += half.q[i];
        both.moment[i + apart] += decay * half.moment[i];
      }
      windows_.push_back(std::move(both));
    }
    return windows_[level];
  }

 private:
  double spacing_;
  std::vector<Window> windows_;
};

// The grid of the result: `finer` of its intervals make one of the terms'.
struct Target {
  Index finer;
  double spacing;
  Order order;
  double room;   // intervals below all values that means with 0 may have
  double drift;  // and those that weights with a sum other than 1 move them by
};

// The place of a weighted mean of two values, e^(log_mean) times the larger one, which is at i: finer i + this. Above,
// means lie between places, and below about them.
Index place(const Target& to, double log_mean) {
  // Of tiny losses the mean with 0 lies farther below all values than indices count: anywhere there is as good.
  const double unit = std::max(log_mean / to.spacing, -farthest_shift);
  return static_cast<Index>(std::floor(to.order == Order::above ? unit : unit + 0.5 * static_cast<double>(to.finer)));
}

// Which pairs of values to count: those of unequal ones twice, as both ways round are one; all; or only those.
enum class Pairs { twice, once, unequal };

// Sums over the pairs of one law's values with smaller ones of another's.
class Products {
 public:
  Products(const GridLaw& a, const GridLaw& b, const Target& to)
      : to_(to),
        start_(std::min(a.first, b.first) - lowest(to)),
        size_(blocks(std::max(a.last(), b.last()) - start_ + static_cast<Index>(to.drift) + 2)) {
    for (auto* both : {mass_, moment_})
      for (std::size_t half = 0; half < 2; ++half) both[half].assign(size_, 0.0);
  }

  // Adds the pairs of a value of `a`, of weight `larger`, and one of b that is not above it.
  void add(const GridLaw& a, const GridLaw& b, double larger, double smaller, Pairs pairs) {
    Factor factor(b);
    const Index least = pairs == Pairs::unequal ? 1 : 0;
    const Index most = std::max<Index>(a.last() - b.first, 0);
    std::vector<double> decay(static_cast<std::size_t>(most) + 1);
    for (std::size_t d = 0; d < decay.size(); ++d) decay[d] = -static_cast<double>(d) * a.spacing;
    std::vector<double> log_mean = decay;
    exponentials(decay);
    exponentials_less_1(log_mean);
    const double both = larger + smaller, log_both = math::log(both);
    for (double& x : log_mean) x *= smaller / both;
    logarithms_of_1_plus(log_mean);
    const Index far = place(to_, math::log(larger));
    std::vector<Index> places;
    for (const double x : log_mean) places.push_back(place(to_, x + log_both));
    Index near = most + 1;  // pairs farther apart than this have their mean in one interval
    while (near > least && places[static_cast<std::size_t>(near - 1)] == far) --near;
    // Diagonals of one place next to each other, in windows of 2^level.
    std::vector<std::vector<Diagonal>> windows[2];
    const double often = pairs == Pairs::twice ? 2 : 1;
    for (Index d = least; d < near;) {
      const Index shift = places[static_cast<std::size_t>(d)];
      const double times = d > 0 ? often : 1;
      const auto is_here = [&](Index other) {
        return other < near && places[static_cast<std::size_t>(other)] == shift && (d > 0 || often == 1);
      };
      std::size_t level = 0;
      while (is_here(d + (Index{2} << level) - 1)) ++level;
      const Index n = floor_divided(shift, to_.finer);
      const double tilt = tilt_of(shift);
      auto& of_half = windows[shift - to_.finer * n];
      if (of_half.size() <= level) of_half.resize(level + 1);
      of_half[level].push_back({static_cast<std::ptrdiff_t>(start_ - n - a.first + block),
                                static_cast<std::ptrdiff_t>(start_ - n - d - b.first + block), times * tilt,
                                times * larger / tilt, times * smaller * decay[static_cast<std::size_t>(d)] / tilt});
      d += Index{1} << level;
      ++terms_;
    }
    terms_ += static_cast<double>(a.mass.size());
    const std::vector<double>& along = a.moment.empty() ? a.mass : a.moment;
    const Padded mass(a.mass), moment(along);
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t level = 0; level < windows[half].size(); ++level) {
        const Factor::Window& window = factor.of(level);
        sum(windows[half][level], mass, moment, Padded(window.q), Padded(window.moment), mass_[half], moment_[half]);
      }
    levels_ = std::max(levels_, static_cast<double>(factor.levels()));
    add_far(a, along, b, factor.one(), far, larger, smaller, near, often);
  }

  GridLaw law(double origin) const {
    const bool above = to_.order == Order::above;
    GridLaw result{to_.order, origin, to_.spacing};
    result.first = start_ * to_.finer;
    result.zero = zero_ * mass_unit * mass_unit * math::exp(-0.5 * result.log_value(result.first));
    const std::size_t count = size_ * static_cast<std::size_t>(to_.finer) + 1;
    result.mass.assign(count, 0.0);
    if (!above) result.moment.assign(count, 0.0);
    const double width = math::expm1(to_.spacing), step = math::exp(0.5 * to_.spacing);
    for (std::size_t half = 0; half < static_cast<std::size_t>(to_.finer); ++half) {
      for (std::size_t n = 0; n < size_; ++n) {
        const std::size_t k = n * static_cast<std::size_t>(to_.finer) + half;
        const double mass = mass_[half][n] * mass_unit, moment = moment_[half][n] * mass_unit;
        if (!above) {
          result.mass[k] = mass, result.moment[k] = moment;
        } else if (mass > 0) {  // the split of the sum is the sum of the splits
          const double weight = std::clamp((moment / mass - 1) / width, 0.0, 1.0);
          result.mass[k] += mass * (1 - weight);
          result.mass[k + 1] += mass * weight * step;
        }
      }
    }
    return result;
  }

  double levels() const { return levels_; }
  double terms() const { return terms_; }

 private:
  static Index floor_divided(Index a, Index b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
  static std::size_t blocks(Index n) { return static_cast<std::size_t>((n + block - 1) / block * block); }
  // Means with 0 lie below all values, by log 4 at most for weights of at least 1/4.
  static Index lowest(const Target& to) { return static_cast<Index>(std::min(1.4 / to.spacing, to.room) + to.drift); }

  void sum(const std::vector<Diagonal>& diagonals, const Padded& mass, const Padded& moment, const Padded& factor,
           const Padded& factor_moment, std::vector<double>& sums, std::vector<double>& moments) {
    const Index most = static_cast<Index>(mass.values.size()) - block - 1;           // of a padded index
    const Index most_factor = static_cast<Index>(factor.values.size()) - block - 1;  // that is not padding
    const SimdKernels& kernel = default_fft_kernel();
    checkpoint();
    for (Index n = 0; n < static_cast<Index>(size_); n += block) {
      // As diagonals go down, `at` does not fall and `factor_at` does not rise.
      const auto from = diagonals.begin(), to = diagonals.end();
      const auto begin =
          std::max(std::partition_point(from, to, [&](const Diagonal& d) { return d.at + n + block - 1 < block; }),
                   std::partition_point(from, to, [&](const Diagonal& d) { return d.factor_at + n > most_factor; }));
      const auto end = std::min(
          std::partition_point(from, to, [&](const Diagonal& d) { return d.at + n <= most; }),
          std::partition_point(from, to, [&](const Diagonal& d) { return d.factor_at + n + block - 1 >= block; }));
      for (auto at = begin; at < end; at += static_cast<std::ptrdiff_t>(chunk)) {
        const std::size_t count = std::min(chunk, static_cast<std::size_t>(end - at));
        kernel.merge_diagonals(&*at, count, n, mass.values.data(), moment.values.data(), factor.values.data(),
                               factor_moment.values.data(), sums.data() + n, moments.data() + n);
        if (static_cast<std::ptrdiff_t>(chunk) > end - at) break;
      }
    }
  }

  // Adds the pairs with values at least `near` intervals below, and with 0: their means are linear in the smaller one.
  void add_far(const GridLaw& a, const std::vector<double>& along, const GridLaw& b, const Factor::Window& factor,
               Index shift, double larger, double smaller, Index near, double times) {
    const bool above = to_.order == Order::above;
    const double decay = math::exp(-a.spacing), tilt = tilt_of(shift);
    const double first_decay = math::exp(-static_cast<double>(near) * a.spacing);
    // From a value to the next, b's values move away by one interval.
    CompensatedSum mass, lowest_mass, lowest_moment, nothing;
    mass.add(b.zero / mass_unit);
    double moment = 0;  // of their values over the larger one
    Index j = b.first;  // the next of b to count
    for (Index i = a.first; i <= a.last(); ++i) {
      moment *= decay;
      for (; j <= std::min(i - near, b.last()); ++j) {
        const std::size_t k = static_cast<std::size_t>(j - b.first);
        mass.add(factor.q[k]);
        moment += (j == i - near ? first_decay : math::exp(static_cast<double>(j - i) * a.spacing)) * factor.moment[k];
      }
      const std::size_t from = static_cast<std::size_t>(i - a.first);
      const double total = mass.value(), own = times * a.mass[from], mean = times * along[from];
      if (!(total > 0 && own > 0)) continue;
      const Index k = to_.finer * i + shift, n = floor_divided(k, to_.finer);
      if (n < start_) {  // means with 0: split between 0 and the first place, or merged there
        const double off = static_cast<double>(to_.finer * (i - start_)) * to_.spacing;  // from the place to g_i
        const double value = larger * math::exp(off), unit = total * math::exp(-0.5 * off);
        lowest_mass.add(own * unit * (above ? value : 1));
        lowest_moment.add(mean * unit * value);
        if (above) nothing.add(own * unit * (1 - value));
        continue;
      }
      const std::size_t half = static_cast<std::size_t>(k - to_.finer * n), at = static_cast<std::size_t>(n - start_);
      mass_[half][at] += own * total * tilt;
      moment_[half][at] += (larger * mean * total + smaller * own * moment) / tilt;
    }
    // Of the others, each place has one, so that these alone are many in one sum.
    mass_[0][0] += lowest_mass.value(), moment_[0][0] += lowest_moment.value(), zero_ += nothing.value();
  }

  double tilt_of(Index shift) const { return math::exp(0.5 * static_cast<double>(shift) * to_.spacing); }

  Target to_;
  Index start_;
  std::size_t size_;
  double terms_ = 0, levels_ = 0;
  double zero_ = 0;                          // mass at 0 times e^((origin + start_ spacing) / 2)
  std::vector<double> mass_[2], moment_[2];  // as zero_, in the square of the unit; of R / e^(grid)
};

// The law of a weighted mean of independent variables with laws a and b, or of two of law a.
GridLaw weighted_mean(const GridLaw& a, const GridLaw& b, double weight_a, double weight_b, bool finer, double room) {
  // proof: convex-convolution
  const double drift = std::fabs(math::log(weight_a + weight_b)) / a.spacing + 2;
  const Target to{finer ? 2 : 1, finer ? a.spacing / 2 : a.spacing, a.order, room, drift};
  Products products(a, b, to);
  const bool alike = &a == &b;
  products.add(a, b, weight_a, weight_b, alike ? Pairs::twice : Pairs::once);
  if (!alike) products.add(b, a, weight_b, weight_a, Pairs::unequal);
  GridLaw law = products.law(a.origin);
  law.zero += a.zero * b.zero;
  law.beyond = weight_a * a.beyond + weight_b * b.beyond;
  const double reach = std::max({std::fabs(a.origin), std::fabs(a.log_value(a.first)), std::fabs(b.log_value(b.first)),
                                 std::fabs(a.log_value(a.last())), std::fabs(b.log_value(b.last()))});
  // proof: convex-convolution
  const double sums = (64 + products.terms() / 16 + 8 * products.levels() + 4 * reach) * u;
  const double errors = math::log1p(a.mass_error) + math::log1p(b.mass_error);  // proof: convex-convolution
  law.mass_error = math::expm1(errors + 1.01 * sums) * (1 + 8 * u);
  law.value_error = std::max(a.value_error, b.value_error) + (64 + 16 * products.terms() * a.spacing) * u;
  law.value_error += 3.03 * sums;  // proof: convex-convolution
  clean(law);
  return law;
}

}  // namespace

GridLaw mean_of(GridLaw law, double t, const Resolution& resolution, const Cuts& cuts) {
  std::uint64_t odd = static_cast<std::uint64_t>(t);
  unsigned squarings = 0;
  for (; odd % 2 == 0; odd /= 2) ++squarings;
  // A sum of j copies is divided by about j, by whole intervals, so that a value that exceeds all others by far stays
  // on the grid, however many are added to it. The log of the divisor:
  const double unit = law.spacing;
  const bool on_grid = unit > 0x1p-20;
  const auto log_divisor = [&](std::uint64_t j) {
    const double log_j = math::log(static_cast<double>(j));
    return on_grid ? std::nearbyint(log_j / unit) * unit : log_j;
  };
  const auto joined = [&](const GridLaw& a, const GridLaw& b, std::uint64_t m, std::uint64_t n, bool halved) {
    const double both = static_cast<double>(m + n), divisor = log_divisor(m + n);
    const auto weight = [&](std::uint64_t j) {
      return on_grid ? math::exp(log_divisor(j) - divisor) : static_cast<double>(j) / both;
    };
    GridLaw mean = weighted_mean(a, b, weight(m), weight(n), halved, resolution.least);
    mean.value_error += 8 * u;  // proof: convex-convolution
    cut_ends(mean, {cuts.below * both / t, cuts.above, cuts.top - divisor});
    return mean;
  };
  // Intervals are halved where that takes them closer to what is asked for.
  const auto finer = [&](const GridLaw& a, double j) {
    const double values = static_cast<double>(a.mass.size());
    const double wanted = resolution.interval(j);
    const bool coarse = a.spacing * a.spacing > 2 * wanted * wanted;
    return (coarse || 1.5 * values < resolution.least) && 2 * values < resolution.most;
  };
  std::uint64_t m = 1;
  if (odd > 1) {
    // The laws of means of m and m + 1, m the leading bits of odd.
    unsigned bit = 63;
    while ((odd >> bit) == 0) --bit;
    GridLaw next = joined(law, law, 1, 1, false);
    while (bit-- > 0) {
      const bool halved = finer(next, 2 * static_cast<double>(m)), up = (odd >> bit) % 2 == 1;
      GridLaw middle = joined(law, next, m, m + 1, halved);
      if (bit > 0) {
        GridLaw& other = up ? next : law;
        const std::uint64_t copies = up ? m + 1 : m;
        other = joined(other, other, copies, copies, halved);
      }
      (up ? law : next) = std::move(middle);
      m = 2 * m + (up ? 1 : 0);
    }
  }
  for (; squarings > 0; --squarings, m *= 2) law = joined(law, law, m, m, finer(law, 2 * static_cast<double>(m)));
  if (!on_grid) return law;
  const double log_t = math::log(t), off = log_divisor(m) - log_t, scale = math::exp(0.5 * off);
  law.origin += off;  // proof: convex-convolution
  law.beyond *= math::exp(off);
  for (std::vector<double>* part : {&law.mass, &law.moment})
    for (double& q : *part) q *= scale;
  const double rounding = (16 + 2 * std::fabs(law.origin) + 4 * log_t) * u;
  law.mass_error += rounding;   // proof: convex-convolution
  law.value_error += rounding;  // proof: convex-convolution
  return law;
}

}  // namespace hockeystick
