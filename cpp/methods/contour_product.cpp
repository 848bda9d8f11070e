// SPDX-License-Identifier: Apache-2.0
#include "methods/contour_product.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "mechanisms/discrete/atom_mgf_line.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/scratch.hpp"
#include "numeric/simd/cpu.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {

LineOf made_in_turn(const Direction& direction, const LineNeeds& needs, bool whole) {
  return [&direction, needs, whole, line = std::shared_ptr<MgfLine>()](std::size_t j) mutable -> const MgfLine& {
    const DominatingPair& pair = *direction[j].pair;
    line = whole ? pair.whole_line(needs.tilt) : nullptr;
    if (!line) line = line_of(pair, needs);
    if (!line) throw NoLine{};
    return *line;
  };
}

// A loss is a sum of offset and grid point: its error is 2 u of their sizes. Smaller masses count as not listed.
std::unique_ptr<MgfLine> line_of(const StepPmf& step, double tilt, const Decay& decay) {
  constexpr double least = 1e-305;
  std::vector<Atom> atoms;
  double unlisted = 0;
  for (std::size_t k = 0; k < step.mass.size(); ++k) {
    checkpoint_each<8192>(k);
    if (step.mass[k] >= least)
      atoms.push_back({step.loss(k), step.mass[k]});
    else
      unlisted += step.mass[k];
  }
  if (atoms.empty()) return nullptr;
  const double size = std::max(std::fabs(atoms.front().loss), std::fabs(atoms.back().loss));
  const double error = step.loss_error + 2 * u * (size + 2 * std::fabs(step.offset));  // proof: loss-coupling
  // proof: infinity-mass
  const FiniteLaw law{atoms, 0, error, infinity, unlisted * (1 + 1e-9), step.infinity_mass, step.infinity_mass};
  return std::make_unique<AtomMgfLine>(law, tilt, 0, infinity, decay);
}

LineOf made_in_turn(const std::vector<StepPmf>& steps, double tilt, const Decay& decay) {
  return [&steps, tilt, decay, line = std::shared_ptr<MgfLine>()](std::size_t j) mutable -> const MgfLine& {
    line = line_of(steps[j], tilt, decay);
    if (!line) throw NoLine{};
    return *line;
  };
}

void ChernoffBound::add(const MgfLine& line, std::int64_t count) {
  const double step = static_cast<double>(count) * line.log_moment_above(tilt_);
  value_ += step;
  size_ += std::fabs(step);
  ++terms_;
}

double ChernoffBound::log_delta(double epsilon) const {
  const double peak = log_chernoff_peak(tilt_);
  const double size = (size_ + std::fabs(tilt_ * epsilon) + std::fabs(peak)) * (32 + terms_);
  return value_ - tilt_ * epsilon + peak + u * size;
}

ContourProduct::ContourProduct(const Direction& direction, const LineOf& line_of, const Contour& contour)
    : contour_(contour),
      re_((contour.count + 7) / 8 * 8, 1.0),
      im_(re_.size()),
      relative_(re_.size()),
      lost_(re_.size()),
      higher_(contour.higher),
      lower_(contour.lower) {
  multiply(direction, line_of);
}

void ContourProduct::multiply(const Direction& more, const LineOf& line_of) {
  for (std::size_t j = 0; j < more.size(); ++j) {
    checkpoint_each<16>(j);
    multiply(line_of(j), more[j].count);
  }
}

void ContourProduct::multiply(const MgfLine& line, std::int64_t count) {
  const double spacing = 2 * std::numbers::pi / contour_.period, times = static_cast<double>(count);
  const Ball step = line.log_moment();
  log_moment_ += times * step.value;
  error_ += times * step.error;
  size_ += times * std::fabs(step.value);
  ++terms_;
  higher_.add(line, count), lower_.add(line, count);
  multiply_samples(line.samples(spacing, contour_.count), count);
  const double modulus = line.modulus_bound(spacing * static_cast<double>(contour_.count));  // proof: contour-tail
  log_beyond_ += times * math::log(std::max(modulus, 1e-300));
  left_out_ += times * line.left_out() * (1 + 1e-12);  // proof: contour-cut
}

namespace {

constexpr std::size_t near = 32;     // samples that need no allocation
constexpr double few = 16;           // up to this many steps powers are products
constexpr double near_1 = 1.0 / 64;  // within this distance of 1 powers are exponentials of logarithms
constexpr double farthest = 0x1p40;  // largest angle that is turned by

// log(1 + d) for |d| <= 1/64, within 4 u |d|: a term of the series is off by 4 u |d| of the sum of all before it, and
// the sum of what is left out is below 2^-56 |d|.
std::complex<double> log_1_plus(double re, double im) {
  constexpr int terms = 9;
  double x = -1.0 / terms, y = 0;
  for (int j = terms - 1; j >= 1; --j) {
    const double next = re * x - im * y;
    y = re * y + im * x;
    x = (j % 2 == 1 ? 1.0 : -1.0) / j + next;
  }
  return {re * x - im * y, re * y + im * x};
}

}  // namespace

void ContourProduct::multiply_samples(const std::vector<MomentSample>& samples, std::int64_t count) {
  const Scratch<double, near> re(re_.size()), im(re_.size());
  std::fill_n(re.data(), re_.size(), 1.0), std::fill_n(im.data(), re_.size(), 0.0);
  const auto times = static_cast<double>(count);
  struct Raised {
    std::size_t at;
    double re, im;
  };
  const Scratch<Raised, near> raised(samples.size());
  std::size_t exponentials = 0;
  for (std::size_t k = 1; k < samples.size(); ++k) {
    const double off = samples[k].rounding + samples[k].truncation + 1e-300;  // proof: contour-rounding
    const double a = samples[k].re_less_1, b = samples[k].im, square = a * a + b * b;
    const double modulus = std::sqrt((1 + a) * (1 + a) + b * b), relative = times * (off / modulus);
    if (!(relative < 1)) {
      lost_[k] += times * (math::log(modulus + off) + 8 * u);
      continue;
    }
    relative_[k] += relative;
    if (times > few && square <= near_1 * near_1) {
      const std::complex<double> power = times * log_1_plus(a, b);
      const double size = std::sqrt(square) * times;
      if (size < farthest) {
        const double grown = math::exp(power.real());
        const auto [cosine, sine] = math::turn(power.imag());
        raised[exponentials++] = {k, grown * cosine, grown * sine};
        relative_[k] += u * (6 * size + 12);  // proof: contour-rounding
        continue;
      }
    }
    re[k] = 1 + a, im[k] = b;
    // Powers are within 4 n u. Underflow takes at most 1e-307, which the 24 u of sample 0 cover.
    relative_[k] += u * (5 * times + 4);  // proof: contour-rounding
  }
  default_fft_kernel().powers(re.data(), im.data(), re_.size(), static_cast<std::uint64_t>(count));
  for (const Raised& power : raised.all().first(exponentials)) re[power.at] = power.re, im[power.at] = power.im;
  for (std::size_t k = 1; k < samples.size(); ++k) {
    const double next = re_[k] * re[k] - im_[k] * im[k];
    im_[k] = re_[k] * im[k] + im_[k] * re[k];
    re_[k] = next;
  }
}

// |(R + e)^n - R^n| <= |R|^n (e^(n e / |R|) - 1), and (|R| + e)^n <= |R|^n e^(n e / |R|).
std::pair<std::complex<double>, double> ContourProduct::at(std::size_t k) const {
  const double size = std::sqrt(re_[k] * re_[k] + im_[k] * im_[k]), relative = relative_[k];
  if (lost_[k] != 0) return {0, 1.01 * size * math::exp(relative + lost_[k])};               // proof: contour-rounding
  const double grown = relative < 0.01 ? relative * (1 + relative) : math::expm1(relative);  // at least e^relative - 1
  return {{re_[k], im_[k]}, 1.01 * size * grown};                                            // proof: contour-rounding
}

Ball ContourProduct::log_moment() const {
  return {log_moment_, 1.01 * (error_ + u * size_ * terms_)};  // proof: contour-rounding
}

}  // namespace hockeystick
