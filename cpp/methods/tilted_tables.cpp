// SPDX-License-Identifier: Apache-2.0
#include "methods/tilted_tables.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/fft/cache.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/workspace.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

// Nats between two tables: a transform's noise lies 36 below what it is made at.
constexpr double spacing = 24;

// Nats that wrap around, and that lie above the window.
constexpr double wrapped = 45, beyond = 20;

// Chernoff's bounds without a table, each so much steeper than the last.
constexpr double growth = 1.2;
constexpr int bounds_alone = 32;

Saddlepoint pilot_of(std::span<const StepSides> steps) {
  std::vector<StepPmf> upper;
  Direction counts;
  for (const StepSides& step : steps) {
    upper.push_back(*step.upper);
    counts.push_back({nullptr, step.count});
  }
  return {upper, counts};
}

}  // namespace

TiltedTables::TiltedTables(std::span<const StepSides> steps, const TiltedTablesNeeds& needs)
    : steps_(steps.begin(), steps.end()), saddlepoint_(pilot_of(steps)) {
  loss_error_ = composed_loss_error(tilted_terms(0, true));
  const double highest = saddlepoint_.reach(0, beyond - needs.deepest, 1, needs.steepest).loss;
  double tilt = -1;
  for (double level = needs.shallowest; level > needs.deepest; level -= spacing) {
    const double next = level < 0 ? saddlepoint_.saddle_for_delta(std::exp(level)).tilt : 0;
    if (!(next > 1.01 * tilt) || next > needs.steepest) continue;
    if (!add_table(tilt = next, needs, highest)) return;
  }
  tilt = -needs.deepest / (16 * highest);
  for (int i = 0; i < bounds_alone && (tilt *= growth) < needs.steepest; ++i) rungs_.push_back(rung(tilt));
}

std::vector<ComposedTerm> TiltedTables::tilted_terms(double tilt, bool upper) const {
  std::vector<ComposedTerm> terms;
  for (std::size_t j = 0; j < steps_.size(); ++j) {
    checkpoint_each<16>(j);
    const StepPmf& step = upper ? *steps_[j].upper : *steps_[j].lower;
    terms.push_back({tilted(step, tilt, saddlepoint_.log_moment(j, tilt)), steps_[j].count});
  }
  return terms;
}

ChernoffMoment TiltedTables::rung(double tilt) const {
  ChernoffMoment moment{tilt};
  for (const ComposedTerm& term : tilted_terms(tilt, true))
    moment.add(static_cast<double>(term.count), term.step.log_moment, log_moment_above(term.step, 0));
  return moment;
}

bool TiltedTables::add_table(double tilt, const TiltedTablesNeeds& needs, double highest) {
  const StepPmf& any = *steps_.front().upper;
  const double d = any.interval;
  double shift = 0;
  for (const StepSides& step : steps_) shift += static_cast<double>(step.count) * step.upper->offset;
  const auto over = saddlepoint_.reach(0, beyond - needs.deepest, 1, needs.steepest);
  const auto above = saddlepoint_.reach(tilt, wrapped, 1, needs.steepest),
             below = saddlepoint_.reach(tilt, wrapped, -1, needs.steepest);
  const double bottom = std::floor((needs.lowest - shift) / d) - 4;
  const double top = std::max(std::ceil((highest - shift) / d) + 4, bottom + 8);
  const double period = std::max((highest - below.loss) / d, (above.loss - shift) / d - bottom) + 16;
  const double length = std::max({64.0, period, top - bottom});
  if (!(length <= 0x1p30)) return fits_ = false;
  const std::size_t size = RealFft::good_size(static_cast<std::size_t>(length));
  const double kept = 2 * CurveTable::bytes(top - bottom) * static_cast<double>(tables_.size() + 1);
  const double working =
      static_cast<double>(CyclicProduct::bytes(size) + RealFft::bytes(size)) + 16.0 * static_cast<double>(size);
  if (!(kept + working <= needs.most_bytes)) return fits_ = false;
  const Held room(working);
  const auto fft = shared_fft(size);
  Workspace circle(size);
  const Window window{static_cast<std::int64_t>(bottom), static_cast<std::size_t>(top - bottom)};
  const ChernoffTilts tilts{over.tilt - tilt, 0, above.tilt - tilt, below.tilt - tilt};
  const auto side = [&](bool upper) {
    return CurveTable(compose(tilted_terms(tilt, upper), *fft, window, tilts, circle.doubles()));
  };
  CurveTable upper = side(true);
  tables_.push_back({rung(tilt), std::move(upper), side(false)});
  rungs_.push_back(tables_.back().rung);
  return true;
}

double TiltedTables::log_above(double epsilon) const {
  double least = infinity;
  for (const ChernoffMoment& rung : rungs_) least = std::min(least, rung.log_above(epsilon, loss_error_));
  return least;
}

const TiltedTables::Table& TiltedTables::nearest(double epsilon) const {
  return *std::min_element(tables_.begin(), tables_.end(), [&](const Table& a, const Table& b) {
    return a.rung.log_above(epsilon, loss_error_) < b.rung.log_above(epsilon, loss_error_);
  });
}

double TiltedTables::above(double epsilon) const {
  const double bound = std::exp(std::min(0.0, log_above(epsilon))) * (1 + 8 * u) + 1e-307;
  return tables_.empty() ? bound : std::min(bound, nearest(epsilon).upper.delta(epsilon).value);
}

double TiltedTables::below(double epsilon) const {
  return tables_.empty() ? 0 : nearest(epsilon).lower.delta(epsilon).value;
}

}  // namespace hockeystick
