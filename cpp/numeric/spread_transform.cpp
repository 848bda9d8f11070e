// SPDX-License-Identifier: Apache-2.0
#include "numeric/spread_transform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

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

  // Of a sum at s, over s: a moment meets n / 8 + 8 sums and its power's products, then twice as many on its way, and
  // what is left out is below 0.1 u; e - 1 bounds the sum of the terms.
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

// The other masses, spread on a circle.
class Far {
 public:
  explicit Far(std::size_t count)
      : count_(count), size_(RealFft::good_size(std::max<std::size_t>(oversampled * count, 64))) {}

  // `turns`: at frequency 1.
  void add(double mass, double turns) {
    if (mass_.empty()) grid_.assign(size_ + order, 0.0), hits_.assign(size_, 0);
    const auto size = static_cast<double>(size_);
    const double at = (turns - std::nearbyint(turns)) * size, below = std::floor(at);
    auto first = static_cast<std::int64_t>(below) + 1 - static_cast<std::int64_t>(order / 2);
    if (first < 0) first += static_cast<std::int64_t>(size_);
    mass_.push_back(mass / factorial), offset_.push_back(at - below);
    first_.push_back(static_cast<std::uint32_t>(first));
    ++hits_[static_cast<std::size_t>(first)];
    sum_.add(mass);
  }

  bool is_empty() const { return mass_.empty(); }
  double mass() const { return sum_.value(); }

  // Adds sum m (e^(2 pi i k turns) - 1) to re[k] and im[k], 0 < k < count.
  void add_to(std::vector<double>& re, std::vector<double>& im) {
    for (std::size_t i = mass_.size(); i < padded(mass_.size()); ++i)
      mass_.push_back(0), offset_.push_back(0), first_.push_back(0);
    default_fft_kernel().spread(mass_.data(), offset_.data(), first_.data(), mass_.size(), grid_.data());
    for (std::size_t i = 0; i < order; ++i) grid_[i] += grid_[size_ + i];
    const auto plan = shared_fft(size_);
    checkpoint();
    plan->forward(std::span(grid_).first(size_));
    make_growth();
    const double total = mass();
    const auto put = [&](std::size_t k, double x, double y) {
      re[k] += x * growth_[k] - total, im[k] += y * growth_[k];
    };
    const std::vector<std::size_t> frequencies = plan->frequencies();
    auto frequency = frequencies.begin();
    for (const RealFft::Block& block : plan->blocks())
      for (std::size_t i = 0; i < block.count; ++i, ++frequency) {
        if (*frequency < count_) put(*frequency, grid_[block.re + i], -grid_[block.im + i]);
        if (size_ - *frequency < count_) put(size_ - *frequency, grid_[block.re + i], grid_[block.im + i]);
      }
    rounding_ = u * (70 + most_hits()) + plan->error_constant();
  }

  // Of what was added at k.
  double off(std::size_t k) const {
    const double part = static_cast<double>(k) / static_cast<double>(size_), ratio = part / (1 - part);
    const double square = ratio * ratio, fourth = square * square, eighth = fourth * fourth;
    const double aliases = 2.01 * eighth * eighth * square;  // proof: spread-masses
    return mass() * (rounding_ * growth_[k] + aliases);      // proof: spread-masses
  }

 private:
  // 1 over the transform of the spline at part = k / size <= 1/8: (pi part / sin(pi part))^18, whose logarithm is 18
  // times the sum of zeta(2 n) part^(2 n) / n.
  void make_growth() {
    static_assert(order == 18);
    constexpr std::array zeta{1.6449340668482264, 1.0823232337111382, 1.0173430619844491,
                              1.0040773561979443, 1.0009945751278181, 1.0002460865533080,
                              1.0000612481350587, 1.0000152822594086, 1.0000038172932650};
    growth_.resize(padded(count_));
    for (std::size_t k = 0; k < growth_.size(); k += lanes) {
      std::array<double, lanes> square, sum{};
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double part = static_cast<double>(std::min(k + lane, count_ - 1)) / static_cast<double>(size_);
        square[lane] = part * part;
      }
      for (std::size_t n = zeta.size(); n > 0; --n) {
        const double next = zeta[n - 1] / static_cast<double>(n);
        for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] = (sum[lane] + next) * square[lane];
      }
      for (std::size_t lane = 0; lane < lanes; ++lane) growth_[k + lane] = static_cast<double>(order) * sum[lane];
    }
    default_fft_kernel().exponentials(growth_.data(), growth_.size());
  }

  // Masses on a point of the grid, at most. The circle closes within the first points.
  double most_hits() const {
    std::uint32_t now = 0, most = 0;
    for (std::size_t i = 0; i < order; ++i) now += hits_[size_ - order + i];
    for (std::size_t i = 0; i < size_; ++i) {
      now += hits_[i] - hits_[i < order ? size_ - order + i : i - order];
      most = std::max(most, now);
    }
    return static_cast<double>(most);
  }

  std::size_t count_, size_;
  std::vector<double> mass_, offset_, grid_, growth_;
  std::vector<std::uint32_t> first_, hits_;
  CompensatedSum sum_;
  double rounding_ = 0;
};

}  // namespace

std::vector<PointMassSample> spread_transform(std::span<const PointMass> points, double spacing, std::size_t count) {
  const double last = spacing * static_cast<double>(count), turn = spacing / (2 * std::numbers::pi);
  PointMassSums all;
  Near near;
  Far far(count);
  for (std::size_t i = 0; i < points.size(); ++i) {
    checkpoint_each<1024>(i);
    const PointMass& at = points[i];
    all.add(at);
    const double angle = at.place * last;
    if (std::fabs(angle) <= 1)
      near.add(at.mass, angle);
    else
      far.add(at.mass, at.place * turn);
  }
  all.close(), near.close();
  std::vector<double> re(padded(count)), im(re.size());
  for (std::size_t k = 0; k < count; k += lanes) {
    Near::Group s, x, y;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      s[lane] = std::min(1.0, static_cast<double>(k + lane) / static_cast<double>(count));
    near.at(s, x, y);
    std::copy(x.begin(), x.end(), re.data() + k), std::copy(y.begin(), y.end(), im.data() + k);
  }
  if (!far.is_empty()) far.add_to(re, im);
  std::vector<PointMassSample> result;
  result.reserve(count - 1);
  for (std::size_t k = 1; k < count; ++k) {
    const double w = spacing * static_cast<double>(k), s = static_cast<double>(k) / static_cast<double>(count);
    // proof: spread-masses
    const double summed = (near.off() * s + (far.is_empty() ? 0.0 : far.off(k))) / all.total();
    const double rounding = all.off(w) + summed + u * 8 * w * all.spread() + 1e-280;  // proof: spread-masses
    result.push_back({re[k] / all.total(), im[k] / all.total(), 1.01 * rounding});
  }
  return result;
}

}  // namespace hockeystick
