// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/discrete/atom_mgf_line.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/modulus_bound.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

AtomMgfLine::AtomMgfLine(const FiniteLaw& law, double tilt, double cut, double top, Decay decay)
    : decay_(decay),
      mass_error_(law.mass_error),
      closed_error_(law.mass_error + 16 * u),  // proof: atom-moments
      loss_error_(law.loss_error),
      loss_rounding_(law.loss_rounding),
      unlisted_(law.cut),
      infinity_mass_{law.infinity_mass_lower, law.infinity_mass} {
  auto atoms = law.atoms;
  double cut_off = 0;
  const auto take = [&](double mass) {
    if (atoms.size() == 1 || !(cut_off + mass <= cut)) return false;
    cut_off += mass;
    return true;
  };
  while (!atoms.empty() && take(atoms.back().mass)) atoms = atoms.first(atoms.size() - 1);
  cut *= 2;
  while (!atoms.empty() && take(atoms.front().mass)) atoms = atoms.subspan(1);
  left_out_ = cut_off * (1 + 1e-9) * (1 + mass_error_);  // proof: atom-moments
  losses_.reserve(atoms.size()), mass_.reserve(atoms.size());
  std::size_t below = atoms.size();
  while (below > 1 && atoms[below - 1].loss - loss_error(atoms[below - 1].loss) > top) --below;
  for (const Atom& atom : atoms.first(below)) losses_.push_back(atom.loss), mass_.push_back(atom.mass);
  if (below < atoms.size()) close(atoms.subspan(below), top);
  log_mass_ = mass_;
  logarithms(log_mass_);
  tilted_ = at(tilt);
}

// The part e^(top - loss) of a mass moves to the top, where it has the same Q-mass; the rest moves to +inf.
void AtomMgfLine::close(std::span<const Atom> atoms, double top) {
  CompensatedSum all, closed, kept;
  double error = 0, moved = 0;
  for (const Atom& atom : atoms) {
    const double apart = top - atom.loss, stays = atom.mass * math::exp(apart);
    all.add(atom.mass), closed.add(atom.mass * -math::expm1(apart)), kept.add(stays);
    error += stays * (8 - apart), moved += stays * loss_error(atom.loss);
  }
  above_top_ = all.value(), closed_ = closed.value();
  closed_error_ += 1.01 * moved / (closed_ + 1e-305);  // proof: atom-moments
  if (!(kept.value() >= 1e-305)) {
    left_out_ += 2e-305;
    return;
  }
  losses_.push_back(top), mass_.push_back(kept.value());
  mass_error_ += 1.01 * u * (error / kept.value() + 4);  // proof: atom-moments
  top_error_ = 1.01 * moved / kept.value();              // proof: atom-moments
}

// Of a loss, as moments count it; one error of all losses shifts epsilon.
double AtomMgfLine::loss_error(double loss) const {
  if (loss_rounding_ == infinity) return 0;
  return 1.01 * std::min(loss_error_, loss_rounding_ * std::fabs(loss) + 1e-300);  // proof: atom-moments
}

// Masses are at least 1e-305 and the unit is at least each tilted mass, so that no exponential overflows.
AtomMgfLine::Tilted AtomMgfLine::at(double tilt) const {
  Tilted result{std::vector<double>((mass_.size() + 7) / 8 * 8, -infinity), {}, -infinity, 0, 0, 0};
  for (std::size_t i = 0; i < mass_.size(); ++i)
    result.log_unit = std::max(result.log_unit, log_mass_[i] + tilt * losses_[i]);
  for (std::size_t i = 0; i < mass_.size(); ++i) result.mass[i] = tilt * losses_[i] - result.log_unit;
  const std::vector<double> arguments = result.mass;
  default_fft_kernel().exponentials(result.mass.data(), result.mass.size());
  result.mass.resize(mass_.size());
  CompensatedSum sum;
  double error = 0, moved = 0;
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    result.mass[i] *= mass_[i];
    sum.add(result.mass[i]);
    const double off = loss_error(losses_[i]), grows = std::fabs(tilt) * off;
    const double rounded = u * (std::fabs(tilt * losses_[i]) + std::fabs(arguments[i]) + 5);  // proof: atom-moments
    const double of_top = i + 1 == mass_.size() ? top_error_ : 0;
    result.error.push_back(rounded + of_top +
                           (grows < 0.01 ? 1.01 * grows : math::expm1(grows)));  // proof: atom-moments
    error += result.mass[i] * result.error.back(), moved += result.mass[i] * off * (1 + result.error.back());
  }
  result.sum = sum.value(), result.moved = moved / result.sum;
  result.rounding = 1.01 * (error / result.sum + 2 * u) + 1e-280;  // proof: atom-moments
  return result;
}

Ball AtomMgfLine::log_moment(const Tilted& tilted) const {
  const double log_sum = math::log(tilted.sum), value = tilted.log_unit + log_sum;
  const double relative = tilted.rounding + mass_error_;  // proof: atom-moments
  return {value, 1.01 * relative + u * (4 + 5 * std::fabs(log_sum) + std::fabs(value))};
}

Uncounted AtomMgfLine::uncounted() const {
  const double error = closed_error_ + 4 * u, unlisted = infinity_mass_.upper + unlisted_;
  const Interval infinite{infinity_mass_.lower + lowered(closed_, error),                    // proof: atom-moments
                          std::min(1.0, (unlisted + closed_ * (1 + error)) * (1 + 4 * u))};  // proof: infinity-mass
  const double least = losses_.front() - loss_error(losses_.front());                        // proof: atom-moments
  return {infinite, loss_rounding_ == infinity ? loss_error_ : 0, above_top_ * (1 + closed_error_), least};
}

double AtomMgfLine::log_moment_above(double tilt) const {
  const auto [value, error] = log_moment(at(tilt));
  return value + error;
}

double AtomMgfLine::modulus_bound(double frequency) const {
  if (!(frequency < decay_.reach)) return 1;
  const double bound = hockeystick::modulus_bound(tilted_.mass, losses_, frequency, decay_.reach);
  const double moved = 1.01 * decay_.reach * tilted_.moved;                               // proof: modulus-bound
  return std::min(1.0, std::max(bound + 2.02 * tilted_.rounding + moved, decay_.floor));  // proof: modulus-bound
}

std::vector<MomentSample> AtomMgfLine::samples(double spacing, std::size_t count) const {
  std::vector<PointMass> points;
  points.reserve(losses_.size());
  for (std::size_t i = 0; i < losses_.size(); ++i)
    points.push_back({tilted_.mass[i], losses_[i], tilted_.error[i],  // proof: atom-moments
                      loss_error(losses_[i]) * (1 + tilted_.error[i])});
  return samples_of({points, spacing}, count);
}

std::unique_ptr<MgfLine> line_of(const DominatingPair& pair, const LineNeeds& needs) {
  if (auto line = pair.mgf_line(needs)) return line;
  const auto law = pair.finite_law();
  if (!law || law->atoms.empty()) return nullptr;
  return std::make_unique<AtomMgfLine>(*law, needs.tilt, needs.cut / 2, needs.top, needs.decay);
}

}  // namespace hockeystick
