// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/moment_decay.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {
namespace {

constexpr double next_height = 0.8;
constexpr std::size_t most_paths = 32;

}  // namespace

MomentDecay::MomentDecay(double steepest, double bends, std::vector<Cell> cells, const std::array<Cell, 2>& ends,
                         double beyond)
    : steepest_(steepest),
      bends_(bends),
      beyond_(beyond),
      cells_(std::move(cells)),
      ends_(ends),
      paths_(most_paths, Path{}) {
  double mass = 0, moving = 0;
  for (const Cell& cell : cells_) {
    const double share = math::exp(std::min(cell.log_mass, 0.0));
    mass += share, moving += share * (cell.slope + cell.slope_behind);
  }
  mean_slope_ = moving / mass;
}

// The height is best about where it is the frequency times the mean slope.
double MomentDecay::bound(double frequency) {
  const double wanted = std::max(frequency * mean_slope_ * steepest_ * 2 / std::numbers::pi, 1e-3);
  std::size_t at = 0;
  for (double height = 1; height > wanted && at + 1 < most_paths; height *= next_height) ++at;
  double least = bound_on(path(at), frequency);
  const auto improve = [&](std::size_t index) {
    const double found = bound_on(path(index), frequency);
    const bool is_better = found < least;
    if (is_better) least = found, at = index;
    return is_better;
  };
  const std::size_t first = at;
  while (at > 0 && improve(at - 1)) {
  }
  if (at == first)
    while (at + 1 < most_paths && improve(at + 1)) {
    }
  return least;
}

// log of what the integrand is larger by than on the axis: e^(y^2/2) times a negative power of at least 1 - lambda' S
// y^2 / 2.
double MomentDecay::rise(const Cell& cell, double height) const {
  const double grown = height * height / 2 * (1 + 1e-9);  // proof: moment-decay
  if (!(bends_ > 0)) return grown;
  const double shrunk = 1 - cell.bent * steepest_ * grown;
  return shrunk > 0 ? grown - bends_ * math::log(shrunk) * (1 + 1e-9) : infinity;  // proof: moment-decay
}

const MomentDecay::Path& MomentDecay::path(std::size_t index) {
  Path& path = paths_[index];
  if (!path.turned.empty()) return path;
  path.height = std::numbers::pi / 2 / steepest_;
  for (std::size_t i = 0; i < index; ++i) path.height *= next_height;
  const double turn = math::sin(steepest_ * path.height) / steepest_ * (1 - 1e-9);  // proof: moment-decay
  // On a path of height y e^lambda has an argument of at least lambda' sin(S y) / S.
  const auto turned_at = [turn](const Cell& cell) { return (cell.slope + cell.slope_behind) * turn; };
  for (const Cell& cell : cells_) {
    path.log_mass.push_back(cell.log_mass + rise(cell, path.height));
    path.turned.push_back(turned_at(cell));
  }
  for (std::size_t i = 0; i < ends_.size(); ++i)
    path.end_rise[i] = rise(ends_[i], path.height), path.end_turned[i] = turned_at(ends_[i]);
  return path;
}

double MomentDecay::bound_on(const Path& path, double frequency) const {
  double sums[3];
  const double unit =
      default_fft_kernel().tilted_sums(path.log_mass.data(), path.turned.data(), -frequency, path.turned.size(), sums);
  if (!(unit < 700)) return infinity;
  double sum = beyond_ + math::exp(unit) * sums[0];  // proof: moment-decay
  for (std::size_t i = 0; i < path.end_rise.size(); ++i) {
    const double most = path.end_rise[i] - frequency * path.end_turned[i];
    if (!(most < 700)) return infinity;
    const double mean = most > 1e-3 || most < -1e-3 ? math::expm1(most) / most : 1 + 1e-3;
    sum += math::exp(ends_[i].log_mass) * path.height * mean;  // proof: moment-decay
  }
  return sum * (1 + 1e-6);
}

}  // namespace hockeystick
