// SPDX-License-Identifier: Apache-2.0
#include "numeric/spread_transform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "numeric/fft/cache.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t lanes = 8, order = spline_order, oversampled = 8;
constexpr double factorial = 355687428096000;  // of order - 1, which the kernel leaves in
constexpr std::size_t powers = 18;             // of angles of at most 1: the rest is below 1 / 19!

std::size_t padded(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

// Masses whose angles are at most 1 at every frequency: sum m (e^(i s y) - 1) by moments, y the largest angle.
class Near {
 public:
  void add(double mass, double angle) {
    if (filled_ == lanes) flush();
    mass_[filled_] = mass, angle_[filled_++] = angle;
    spread_ += mass * std::fabs(angle), ++count_;
  }
  void close() {
    flush();
    double inverse = 1;
    for (std::size_t r = 0; r < powers; ++r) {
      inverse /= static_cast<double>(r + 1);
      for (std::size_t lane = 1; lane < lanes; ++lane) moments_[r][0] += moments_[r][lane];
      moments_[r][0] *= inverse;
    }
  }

  // At eight s in [0, 1].
  using Group = std::array<double, lanes>;
  void at(const Group& s, Group& re, Group& im) const {
    Group minus;
    for (std::size_t lane = 0; lane < lanes; ++lane) minus[lane] = -s[lane] * s[lane], re[lane] = im[lane] = 0;
    for (std::size_t r = powers; r > 0; r -= 2)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        re[lane] = re[lane] * minus[lane] + moments_[r - 1][0];
        im[lane] = im[lane] * minus[lane] + moments_[r - 2][0];
      }
    for (std::size_t lane = 0; lane < lanes; ++lane) re[lane] *= minus[lane], im[lane] *= s[lane];
  }

  // Of a sum at s, over s: a moment meets n / 8 + 8 sums and its power's products, then twice as many on its way. The
  // powers that are left out add less than 0.1 u, and e - 1 bounds the sum of the terms.
  double off() const { return 1.8 * u * (static_cast<double>(count_) / lanes + 75) * spread_; }

 private:
  void flush() {
    for (std::size_t r = 0; r < powers; ++r)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        mass_[lane] *= angle_[lane];
        moments_[r][lane] += mass_[lane];
      }
    mass_.fill(0), filled_ = 0;
  }

  Group mass_{}, angle_{};
  std::size_t filled_ = 0, count_ = 0;
  std::array<Group, powers> moments_{};
  double spread_ = 0;
};

// The other masses, at most `most`, spread on a circle.
class Far {
 public:
  Far(std::size_t most, std::size_t count)
      : size_(RealFft::good_size(std::max<std::size_t>(oversampled * count, 64))),
        mass_(padded(most)),
        offset_(mass_.size()),
        first_(mass_.size()) {}

  // `turns`: at frequency 1.
  void add(double mass, double turns) {
    const auto size = static_cast<double>(size_);
    const double at = (turns - std::nearbyint(turns)) * size, below = std::floor(at);
    auto first = static_cast<std::int64_t>(below) + 1 - static_cast<std::int64_t>(order / 2);
    if (first < 0) first += static_cast<std::int64_t>(size_);
    mass_[used_] = mass / factorial, offset_[used_] = at - below;
    first_[used_++] = static_cast<std::uint32_t>(first);
    sum_.add(mass);
  }

  // Adds sum m (e^(2 pi i k turns) - 1), and its error, to samples k > 0.
  void add_to(std::span<PointMassSample> samples) const {
    if (used_ == 0) return;
    std::vector<double> grid(size_ + order);
    default_fft_kernel().spread(mass_.data(), offset_.data(), first_.data(), padded(used_), grid.data());
    for (std::size_t i = 0; i < order; ++i) grid[i] += grid[size_ + i];
    const auto plan = shared_fft(size_);
    checkpoint();
    plan->forward(std::span(grid).first(size_));
    const std::vector<double> growth = growth_of(samples.size());
    const double total = sum_.value(), rounding = u * (70 + most_hits()) + plan->error_constant();
    const auto put = [&](std::size_t k, double x, double y) {
      if (k >= samples.size()) return;
      samples[k].re_less_1 += x * growth[k] - total, samples[k].im += y * growth[k];
      samples[k].rounding += total * (rounding * growth[k] + aliases(k));  // proof: spread-masses
    };
    const std::vector<std::size_t> frequencies = plan->frequencies();
    auto frequency = frequencies.begin();
    for (const RealFft::Block& block : plan->blocks())
      for (std::size_t i = 0; i < block.count; ++i, ++frequency) {
        const double x = grid[block.re + i], y = grid[block.im + i];
        put(*frequency, x, -y), put(size_ - *frequency, x, y);
      }
  }

 private:
  double part(std::size_t k) const { return static_cast<double>(k) / static_cast<double>(size_); }

  double aliases(std::size_t k) const {
    const double ratio = part(k) / (1 - part(k));
    const double square = ratio * ratio, fourth = square * square, eighth = fourth * fourth;
    return 2.01 * eighth * eighth * square;  // proof: spread-masses
  }

  // 1 over the transform of the spline at part = k / size <= 1/8: (pi part / sin(pi part))^18, whose logarithm is 18
  // times the sum of zeta(2 n) part^(2 n) / n.
  std::vector<double> growth_of(std::size_t count) const {
    static_assert(order == 18);
    constexpr std::array zeta{1.6449340668482264, 1.0823232337111382, 1.0173430619844491,
                              1.0040773561979443, 1.0009945751278181, 1.0002460865533080,
                              1.0000612481350587, 1.0000152822594086, 1.0000038172932650};
    std::vector<double> growth(padded(count));
    for (std::size_t k = 0; k < growth.size(); k += lanes) {
      std::array<double, lanes> square, sum{};
      for (std::size_t lane = 0; lane < lanes; ++lane) square[lane] = part(k + lane) * part(k + lane);
      for (std::size_t n = zeta.size(); n > 0; --n) {
        const double next = zeta[n - 1] / static_cast<double>(n);
        for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] = (sum[lane] + next) * square[lane];
      }
      for (std::size_t lane = 0; lane < lanes; ++lane) growth[k + lane] = static_cast<double>(order) * sum[lane];
    }
    default_fft_kernel().exponentials(growth.data(), growth.size());
    return growth;
  }

  // Masses on a point of the grid, at most. The circle closes within the first points.
  double most_hits() const {
    std::vector<std::uint32_t> hits(size_);
    for (std::size_t j = 0; j < used_; ++j) ++hits[first_[j]];
    std::uint32_t now = 0, most = 0;
    for (std::size_t i = 0; i < order; ++i) now += hits[size_ - order + i];
    for (std::size_t i = 0; i < size_; ++i) {
      now += hits[i] - hits[i < order ? size_ - order + i : i - order];
      most = std::max(most, now);
    }
    return static_cast<double>(most);
  }

  std::size_t size_, used_ = 0;
  std::vector<double> mass_, offset_;  // padded by masses of 0
  std::vector<std::uint32_t> first_;
  CompensatedSum sum_;
};

}  // namespace

std::vector<PointMassSample> spread_transform(const PointMassTransform& points, std::size_t count) {
  const PointMassSums& all = points.sums();
  const double spacing = points.spacing(), last = spacing * static_cast<double>(count);
  const double turn = spacing / (2 * std::numbers::pi);
  Near near;
  Far far(points.masses().size(), count);
  for (std::size_t i = 0; i < points.masses().size(); ++i) {
    checkpoint_each<1024>(i);
    const double mass = points.masses()[i], place = points.places()[i], angle = place * last;
    if (std::fabs(angle) <= 1)
      near.add(mass, angle);
    else
      far.add(mass, place * turn);
  }
  near.close();
  std::vector<PointMassSample> samples(padded(count));
  for (std::size_t k = 0; k < count; k += lanes) {
    Near::Group s, x, y;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      s[lane] = std::min(1.0, static_cast<double>(k + lane) / static_cast<double>(count));
    near.at(s, x, y);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      samples[k + lane] = {x[lane], y[lane], near.off() * s[lane]};  // proof: spread-masses
  }
  samples.resize(count);
  far.add_to(samples);
  for (std::size_t k = 1; k < count; ++k) {
    auto& [re_less_1, im, rounding] = samples[k];
    const double w = spacing * static_cast<double>(k), summed = rounding / all.total();
    re_less_1 /= all.total(), im /= all.total();
    rounding = 1.01 * (all.off(w) + summed + u * 8 * w * all.spread() + 1e-280);  // proof: spread-masses
  }
  return samples;
}

}  // namespace hockeystick
